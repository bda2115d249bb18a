//! Checks on sharding that need more than the plan: whether every target has a shard, and every shard has targets.

mod autoscaler;
mod dialect;
mod hash;
mod job;
mod placement;
mod volumes;
mod zoneless;
mod zones;

use std::collections::BTreeMap;

use crate::checks::{Family, View};
use crate::secret_jobs::SecretJobs;
use promgen_compile::output::{Workload, WorkloadId, WorkloadKind};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_text::diag::Sink;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::NodeText;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &zoneless::ZONELESS,
        &hash::OWN_HASH,
        &zoneless::FUTILE_DISABLE,
        &zones::ZONE_PATTERN,
        &zones::NO_ZONES,
        &autoscaler::PINNED_SHARDS,
        &zones::UNKNOWN_ZONE,
        &zones::UNSERVED_ZONE,
        &dialect::NOT_OF_NODES,
        &dialect::PROPOSAL_DIALECT,
        &dialect::IGNORED_ZONES,
        &placement::NO_SHARDS,
        &placement::NO_NODE_TERM,
        &placement::EXCLUDED_ZONE,
        &volumes::VOLUME_ELSEWHERE,
        &autoscaler::FEWER_THAN_ZONES,
    ],
    check,
};

fn check(model: &View<'_>, sink: &mut Sink) {
    let scalable = scalable(model);
    for workload in &scalable {
        zones::check(model, workload, sink);
        dialect::check(model, workload, sink);
        autoscaler::check(model, workload, sink);
        placement::check(workload, sink);
        volumes::check(model, workload, sink);
        zoneless::check(model, workload, sink);
        hash::additional(model, workload, sink);
    }
    hash::monitors(model, &scalable, sink);
}

/// A server or an agent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalable<'a> {
    doc: DocId,
    common: &'a CommonPrometheusFields,
    /// Its compiled form.
    compiled: &'a Workload,
}

impl Scalable<'_> {
    /// The jobs that it takes from a Secret in the input.
    fn secret_jobs<'v>(&self, model: &'v View<'_>) -> Option<&'v SecretJobs> {
        model.lineage.input.secret_jobs.get(&self.doc)
    }

    fn spec(&self) -> At {
        At::doc(self.doc).key("spec")
    }

    /// `Prometheus monitoring/k8s`
    fn what(&self) -> String {
        let WorkloadId {
            kind,
            namespace,
            name,
        } = &self.compiled.id;
        format!("{} {namespace}/{name}", kind.kind())
    }
}

/// The compiled servers and agents.
fn scalable<'a>(model: &View<'a>) -> Vec<Scalable<'a>> {
    let cluster = model.cluster;
    let servers = cluster.prometheuses.values().map(|object| {
        let (metadata, spec) = (&object.value.metadata, &object.value.spec);
        (
            WorkloadKind::Prometheus,
            object.doc,
            object.namespace(),
            &metadata.name,
            &spec.common,
        )
    });
    let agents = cluster.prometheus_agents.values().map(|object| {
        let (metadata, spec) = (&object.value.metadata, &object.value.spec);
        (
            WorkloadKind::PrometheusAgent,
            object.doc,
            object.namespace(),
            &metadata.name,
            &spec.common,
        )
    });
    let compiled: BTreeMap<&WorkloadId, &Workload> =
        model.workloads.iter().map(|w| (&w.id, *w)).collect();
    let find = |(kind, doc, namespace, name, common): (_, _, &str, &NodeText, _)| {
        let id = WorkloadId {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_string(),
        };
        compiled.get(&id).map(|compiled| Scalable {
            doc,
            common,
            compiled,
        })
    };
    servers.chain(agents).filter_map(find).collect()
}

/// `a, b and c`.
fn list(texts: &[String]) -> String {
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests;
