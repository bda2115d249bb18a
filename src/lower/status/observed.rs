//! What is there of a shard.

use crate::api::kubernetes::{Pod, StatefulSet};
use crate::cluster::{Cluster, Key};
use crate::context::Ctx;
use crate::lower::workload::{names, replicas};
use crate::options::Assume;
use crate::plan::Shard;

/// What is known of every shard, by index: what the input shows of it, else what is assumed.
pub(crate) fn shards(cx: &Ctx<'_>, cluster: &Cluster, assume: Assume) -> Vec<ShardState> {
    let pods = || cluster.pods.iter().filter(|(key, _)| key.namespace() == cx.namespace).map(|(_, pod)| &*pod.value);
    let shard = |shard: &Shard| {
        let key = Key::new(cx.namespace, &names::stateful_set(cx, shard.index));
        match (cluster.stateful_sets.get(&key), assume) {
            (Some(set), _) => ShardState::observe(&set.value, pods()),
            // Operator: it looks for a StatefulSet even where there will never be one.
            (None, Assume::Ready) if !cx.daemon_set => ShardState::steady(replicas(cx)),
            (None, Assume::Ready | Assume::Missing) => ShardState::Missing,
        }
    };
    cx.sharding.plan.shards.iter().map(shard).collect()
}

/// What is known of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShardState {
    /// Its StatefulSet is not there.
    Missing,
    /// Its StatefulSet is on its way out.
    Deleting,
    /// It has these pods.
    Present(Pods),
}

/// The pods of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pods {
    /// How many there are.
    pub(crate) replicas: usize,
    /// How many are of the latest revision.
    pub(crate) updated: usize,
    /// How many are ready.
    pub(crate) ready: usize,
    /// The pods of which something is wrong, and what, in the order of their ordinals.
    pub(crate) messages: Vec<(String, String)>,
}

impl Pods {
    /// How many are not ready.
    pub(crate) const fn unavailable(&self) -> usize {
        self.replicas - self.ready
    }
}

impl ShardState {
    /// A shard of which all pods run.
    pub(crate) fn steady(replicas: i32) -> Self {
        let replicas = usize::try_from(replicas).unwrap_or_default();
        Self::Present(Pods { replicas, updated: replicas, ready: replicas, messages: Vec::new() })
    }

    /// What can be seen of a shard: its StatefulSet, and the pods of its namespace.
    pub(crate) fn observe<'a>(set: &StatefulSet, pods: impl IntoIterator<Item = &'a Pod>) -> Self {
        if set.metadata.deletion_timestamp.is_some() {
            return Self::Deleting;
        }
        let mut own: Vec<&Pod> = pods.into_iter().filter(|pod| belongs(set, pod)).collect();
        own.sort_by_key(|pod| ordinal(pod));
        let message = |pod: &&Pod| Some((pod.metadata.name.clone(), message(pod)?.to_owned()));
        Self::Present(Pods {
            replicas: own.len(),
            updated: own.iter().filter(|pod| is_updated(set, pod)).count(),
            ready: own.iter().filter(|pod| is_ready(pod)).count(),
            messages: own.iter().filter_map(message).collect(),
        })
    }

    /// Its pods, if there is anything to have them.
    pub(crate) const fn pods(&self) -> Option<&Pods> {
        match self {
            Self::Missing | Self::Deleting => None,
            Self::Present(pods) => Some(pods),
        }
    }
}

/// Whether the StatefulSet selects and owns the pod. Only the labels of its selector are looked at: the operator writes
/// no expressions.
fn belongs(set: &StatefulSet, pod: &Pod) -> bool {
    let selector = set.spec.selector.as_ref().and_then(|s| s.match_labels.as_ref());
    let labels = pod.metadata.labels.as_ref();
    let selected = selector.into_iter().flatten().all(|(key, value)| labels.and_then(|l| l.get(key)) == Some(value));
    let mut owners = pod.metadata.owner_references.iter().flatten();
    selected && owners.any(|owner| owner.kind == "StatefulSet" && owner.name == set.metadata.name)
}

/// The pod's number within its StatefulSet, by label or by name.
fn ordinal(pod: &Pod) -> Option<i64> {
    let label = pod.metadata.labels.as_ref().and_then(|l| l.get("apps.kubernetes.io/pod-index"));
    let name = &pod.metadata.name;
    label.map(String::as_str).or_else(|| name.rsplit_once('-').map(|(_, n)| n))?.parse().ok()
}

fn is_updated(set: &StatefulSet, pod: &Pod) -> bool {
    let revision = pod.metadata.labels.as_ref().and_then(|l| l.get("controller-revision-hash"));
    revision.map_or("", String::as_str) == set.status.update_revision.as_deref().unwrap_or_default()
}

fn is_ready(pod: &Pod) -> bool {
    let mut conditions = pod.status.conditions.iter().flatten();
    let ready = conditions.find(|c| c.r#type == "Ready");
    pod.status.phase.as_deref() == Some("Running") && ready.is_some_and(|c| c.status == "True")
}

/// The first thing that is wrong with a pod. Operator: `Pod.Message`.
fn message(pod: &Pod) -> Option<&str> {
    const STAGES: [&str; 4] = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    let conditions = pod.status.conditions.as_deref().unwrap_or_default();
    let failed = |stage: &&str| conditions.iter().find(|c| c.r#type == *stage && c.status == "False");
    let first = STAGES.iter().find_map(failed)?;
    first.message.as_deref().filter(|m| !m.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json};

    fn set(metadata: &Value) -> StatefulSet {
        let mut set = json!({
            "metadata": {"name": "a"},
            "spec": {"selector": {"matchLabels": {"app": "a"}}},
            "status": {"updateRevision": "r2"},
        });
        set["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        from_value(set).unwrap()
    }

    fn pod(name: &str, revision: &str, owner: &str, conditions: &Value) -> Pod {
        from_value(json!({
            "metadata": {
                "name": name,
                "labels": {"app": "a", "controller-revision-hash": revision},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": owner, "uid": "u"}],
            },
            "status": {"phase": "Running", "conditions": conditions},
        }))
        .unwrap()
    }

    #[test]
    fn own_pods_are_counted_and_told_of_in_order() {
        let ready = json!([{"type": "Ready", "status": "True"}]);
        let unready = json!([
            {"type": "Ready", "status": "False", "message": "later"},
            {"type": "ContainersReady", "status": "False", "message": "first"},
        ]);
        let pods = [
            pod("a-10", "r1", "a", &unready),
            pod("a-9", "r2", "a", &unready),
            pod("a-0", "r2", "a", &ready),
            pod("b-0", "r2", "b", &ready),
        ];
        let ShardState::Present(found) = ShardState::observe(&set(&json!({})), &pods) else { panic!("present") };
        assert_eq!((found.replicas, found.updated, found.ready, found.unavailable()), (3, 2, 1, 2));
        let message = |name: &str| (name.to_owned(), "first".to_owned());
        assert_eq!(found.messages, [message("a-9"), message("a-10")]);
    }

    #[test]
    fn a_stateful_set_on_its_way_out_does_not_count() {
        let set = set(&json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}));
        assert_eq!(ShardState::observe(&set, []), ShardState::Deleting);
    }
}
