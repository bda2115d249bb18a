//! The name of a workload, as `--workload` takes it in every command.

use std::fmt;

use promgen_compile::output::{WorkloadId, WorkloadKind};

/// `NS/NAME`, or `KIND/NS/NAME`, the kind as kubectl takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkloadName {
    kind: Option<WorkloadKind>,
    namespace: String,
    name: String,
}

impl WorkloadName {
    /// Parses an argument.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split('/').collect();
        let (kind, namespace, name) = match parts.as_slice() {
            [name] => {
                return Err(format!(
                    "the namespace is missing: expected NS/NAME, such as monitoring/{name}"
                ));
            }
            [namespace, name] => (None, *namespace, *name),
            [kind, namespace, name] => (Some(*kind), *namespace, *name),
            _ => {
                return Err(
                    "expected NS/NAME or KIND/NS/NAME, such as Prometheus/monitoring/k8s"
                        .to_owned(),
                );
            }
        };
        if namespace.is_empty() || name.is_empty() {
            return Err(
                "the namespace or the name is empty: expected monitoring/k8s, say".to_owned(),
            );
        }
        let expected = "expected the kind Prometheus, PrometheusAgent, Alertmanager or ThanosRuler";
        let kind = kind
            .map(|kind| WorkloadKind::of_word(kind).ok_or(expected))
            .transpose()?;
        Ok(Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Whether this is the name of the workload.
    pub(crate) fn fits(&self, id: &WorkloadId) -> bool {
        self.kind.is_none_or(|kind| kind == id.kind)
            && self.namespace == id.namespace
            && self.name == id.name
    }
}

impl fmt::Display for WorkloadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kind) = self.kind {
            write!(f, "{}/", kind.kind())?;
        }
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workloads_are_named_with_or_without_their_kind() {
        let edge = |kind| WorkloadId {
            kind,
            namespace: "monitoring".to_owned(),
            name: "edge".to_owned(),
        };
        let (agent, server) = (
            edge(WorkloadKind::PrometheusAgent),
            edge(WorkloadKind::Prometheus),
        );
        let name = WorkloadName::parse("prometheusagent/monitoring/edge").unwrap();
        assert!(name.fits(&agent) && !name.fits(&server));
        assert_eq!(name.to_string(), "PrometheusAgent/monitoring/edge");
        let name = WorkloadName::parse("monitoring/edge").unwrap();
        assert!(name.fits(&agent) && name.fits(&server));
        assert_eq!(name.to_string(), "monitoring/edge");
        for name in [
            "promagent/monitoring/edge",
            "prometheusagents/monitoring/edge",
        ] {
            assert!(WorkloadName::parse(name).unwrap().fits(&agent), "{name}");
        }
        for bad in [
            "k8s",
            "",
            "Prometheus/a/b/c",
            "Probe/a/b",
            "/k8s",
            "monitoring/",
        ] {
            assert!(WorkloadName::parse(bad).is_err(), "{bad}");
        }
    }
}
