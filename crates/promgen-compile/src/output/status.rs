//! The statuses of a run, each with the identity of its resource.
//!
//! In: workloads and the resources that they select. Out: documents to print, to assert in a cluster, or to compare with
//! one.

use crate::output::{Output, ResourceStatus, Workload};
use promgen_resources::api::Kind;
use promgen_text::yaml::{Map, Value};

/// A status and its resource.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusDocument {
    /// Group and version.
    pub api_version: &'static str,
    /// The kind.
    pub kind: Kind,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The generation of the status, if it is known.
    pub generation: Option<i64>,
    /// The status.
    pub status: Map,
}

impl StatusDocument {
    fn of_workload(workload: &Workload) -> Option<Self> {
        let (kind, id) = (workload.id.kind.resource()?, &workload.id);
        Some(Self::new(kind, &id.namespace, &id.name, &workload.status))
    }

    /// The status of a resource that workloads select.
    pub(super) fn of_resource(resource: &ResourceStatus) -> Self {
        Self::new(
            resource.kind,
            &resource.namespace,
            &resource.name,
            &resource.status,
        )
    }

    fn new(kind: Kind, namespace: &str, name: &str, status: &Value) -> Self {
        let status = status.as_map().cloned().unwrap_or_default();
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Self {
            api_version: kind.api_version(),
            kind,
            namespace,
            name,
            generation: generation(&status),
            status,
        }
    }

    /// The document: apiVersion, kind, name and status.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.with_status(self.status.clone().into())
    }

    /// The status with only the fields that are equal in every run, for `chainsaw assert` and kuttl: maps may have more
    /// entries than asserted, lists may not.
    #[must_use]
    pub fn assertion(&self) -> Value {
        const UNSTABLE: [&str; 4] = [
            "lastTransitionTime",
            "lastProbeTime",
            "observedGeneration",
            "message",
        ];
        self.with_status(without(&self.status.clone().into(), &UNSTABLE))
    }

    fn with_status(&self, status: Value) -> Value {
        let metadata = Map::new()
            .with("name", self.name.clone())
            .with("namespace", self.namespace.clone());
        Map::new()
            .with("apiVersion", self.api_version)
            .with("kind", self.kind.as_str())
            .with("metadata", metadata)
            .with("status", status)
            .into()
    }

    /// A status, this one or another of the same resource, in a normal form, in which equal statuses are equal texts:
    /// without times, without an unknown generation, sorted.
    #[must_use]
    pub fn comparable(&self, status: &Map) -> Value {
        let dropped: &[&str] = match self.generation {
            Some(_) => &["lastTransitionTime", "lastProbeTime"],
            None => &["lastTransitionTime", "lastProbeTime", "observedGeneration"],
        };
        self.with_status(sorted(without(&status.clone().into(), dropped)))
    }
}

impl Output {
    /// The statuses of all workloads, then those of the resources that they select.
    #[must_use]
    pub fn statuses(&self) -> Vec<StatusDocument> {
        let workloads = self
            .workloads
            .iter()
            .filter_map(|workload| StatusDocument::of_workload(workload));
        workloads
            .chain(self.resources.iter().map(StatusDocument::of_resource))
            .collect()
    }
}

/// The generation of the first condition.
fn generation(status: &Map) -> Option<i64> {
    let conditions = status.items_of("conditions");
    match conditions
        .iter()
        .find_map(|condition| condition.get("observedGeneration"))
    {
        Some(Value::Int(generation)) if *generation != 0 => Some(*generation),
        _ => None,
    }
}

/// Returns whether a value is empty: no text, item or field.
#[must_use]
pub fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => text.is_empty(),
        Value::Seq(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => false,
    }
}

/// A value without entries of these keys and without empty ones, at any depth.
fn without(value: &Value, keys: &[&str]) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().filter(|(key, _)| !keys.contains(&key.as_ref()));
            let cut = kept.map(|(key, value)| (key.clone(), without(value, keys)));
            cut.filter(|(_, value)| !is_blank(value))
                .collect::<Map>()
                .into()
        }
        Value::Seq(items) => Value::Seq(items.iter().map(|item| without(item, keys)).collect()),
        scalar => scalar.clone(),
    }
}

/// A value with the entries of maps sorted, and lists of maps by the identity of their items.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut entries = map.into_entries();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries
                .into_iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect::<Map>()
                .into()
        }
        Value::Seq(items) => {
            let mut items: Vec<_> = items.into_iter().map(sorted).collect();
            items.sort_by_cached_key(identity);
            Value::Seq(items)
        }
        scalar => scalar,
    }
}

/// The identity of an item of a list. Shards sort as numbers.
fn identity(item: &Value) -> Vec<(u64, String)> {
    let key = |key: &str| {
        let text = item.text_or_empty(key);
        (text.parse().unwrap_or_default(), text.to_owned())
    };
    ["type", "shardID", "resource", "namespace", "name"]
        .map(key)
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::emit::{Dialect, to_string};

    fn document(generation: i64) -> StatusDocument {
        let condition = |kind: &'static str| {
            Map::new()
                .with("lastTransitionTime", "2026-01-01T00:00:00Z")
                .with("message", "all is well")
                .with("observedGeneration", generation)
                .with("reason", "")
                .with("status", "True")
                .with("type", kind)
        };
        let status = Map::new()
            .with("replicas", 2)
            .with("conditions", vec![condition("B"), condition("A")]);
        StatusDocument::new(Kind::Prometheus, "shop", "main", &status.into())
    }

    #[test]
    fn what_is_asserted_holds_in_every_run() {
        let text = to_string(&document(3).assertion(), Dialect::YamlV2);
        let expected = "status:\n  replicas: 2\n  conditions:\n  - status: \"True\"\n    type: B\n  - status: \"True\"\n    type: A\n";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn statuses_that_say_the_same_compare_equal() {
        let (known, unknown) = (document(3), document(0));
        assert_eq!(
            unknown.comparable(&unknown.status),
            unknown.comparable(&known.status)
        );
        assert_ne!(
            known.comparable(&known.status),
            known.comparable(&document(4).status)
        );
        let text = to_string(&unknown.comparable(&unknown.status), Dialect::YamlV2);
        assert!(
            text.contains("  - message: all is well\n    status: \"True\"\n    type: A\n  -"),
            "{text}"
        );
    }
}
