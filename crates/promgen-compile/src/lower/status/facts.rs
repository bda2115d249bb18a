//! What is known of a workload when its status is written: one plain structure, which every profile reads.
//!
//! In: the cluster's StatefulSets, DaemonSets and Pods, and what is assumed of those that are not there. Out: [`Facts`].
//! Knows no kind of workload: names of StatefulSets and numbers of pods come from the caller. Decides nothing.

use crate::cluster::{Cluster, Key};
use crate::options::Assume;
use crate::output::WorkloadId;
use promgen_resources::api::kubernetes::{DaemonSet, Pod as PodObject, PodCondition, StatefulSet};
use promgen_resources::api::meta::{LabelSelector, ObjectMeta};

/// Everything that a status of a workload is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Which workload.
    pub id: WorkloadId,
    /// Its generation; 0 if it has none, as in a file.
    pub generation: i64,
    /// Whether it is on its way out.
    pub(crate) deleting: bool,
    /// Whether it is paused.
    pub paused: bool,
    /// The value of its annotation `operator-command` (seed 003).
    pub command: Option<String>,
    /// An object that it belongs to and that is not there, as `Kind/name`.
    pub(crate) missing_owner: Option<String>,
    /// `spec.shards`, for kinds that have shards and tell about them.
    pub shards: Option<i32>,
    /// The label selector of all pods, for kinds whose status has it.
    pub selector: Option<String>,
    /// Its StatefulSets, by shard.
    pub sets: Vec<Set>,
    /// Its DaemonSet, if it runs as one. The operator's own status looks for StatefulSets all the same.
    pub(crate) daemon_set: Option<Set>,
    /// What the operator made of the spec.
    pub outcome: Outcome,
}

/// How the operator got on with a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The error with which it stopped, in its words.
    pub error: Option<String>,
    /// Whether the operator leaves the configuration to the user.
    pub(crate) is_unmanaged: bool,
    /// If nothing is selected, not even something that is refused: the kinds that could be, in the operator's words.
    pub(crate) nothing_selected: Option<&'static str>,
    /// The deprecated fields in use, each in the operator's words.
    pub(crate) deprecations: Vec<String>,
}

/// A deprecated field in use, in the operator's words.
pub(super) fn deprecated(field: &str, instead: &str) -> String {
    format!("field \"{field}\" is deprecated, field \"{instead}\" should be used instead")
}

/// A StatefulSet or DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// The shard that it runs.
    pub shard: u32,
    /// Its name.
    pub name: String,
    /// The pods that it should have.
    pub(crate) desired: usize,
    /// What is known of it.
    pub state: State,
}

/// What is known of a StatefulSet or DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is not there.
    Missing,
    /// It is on its way out.
    Deleting,
    /// It has these pods.
    Present(Pods),
}

/// The pods of a StatefulSet or DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pods {
    /// How many there are.
    pub replicas: usize,
    /// How many are of the latest revision.
    pub updated: usize,
    /// How many are ready.
    pub ready: usize,
    /// How many are available by the status of the set that has them. None if it is assumed.
    pub reported: Option<usize>,
    /// Those that were observed, in the order of their ordinals. Assumed ones are only counted.
    pub observed: Vec<Pod>,
}

/// An observed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Its name.
    pub name: String,
    /// Its phase.
    pub phase: Phase,
    /// Whether it is ready.
    pub is_ready: bool,
    /// The first thing that is wrong with it, in the words of its conditions.
    pub message: Option<String>,
    /// Why it does not run, in one word: the reason of a container that waits, of its phase, or of a condition.
    pub reason: Option<String>,
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It is not there yet with all its containers.
    Pending,
    /// It runs.
    Running,
    /// Its containers ended well.
    Succeeded,
    /// Its node does not answer.
    Unknown,
    /// A container failed for good.
    Failed,
}

impl Phase {
    /// The phase, as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Unknown => "Unknown",
            Self::Failed => "Failed",
        }
    }

    /// One that is not told is pending, as for a pod that was just created.
    fn of(text: Option<&str>) -> Self {
        match text {
            None | Some("" | "Pending") => Self::Pending,
            Some("Running") => Self::Running,
            Some("Succeeded") => Self::Succeeded,
            Some("Failed") => Self::Failed,
            Some(_) => Self::Unknown,
        }
    }
}

impl Facts {
    /// What the metadata of a workload tells; nothing is known of its pods yet.
    pub fn new(id: WorkloadId, metadata: &ObjectMeta) -> Self {
        let annotation = |name: &str| metadata.annotations.as_ref().and_then(|a| a.get(name)).cloned();
        Self {
            id,
            generation: metadata.generation.unwrap_or_default(),
            deleting: metadata.deletion_timestamp.is_some(),
            paused: false,
            command: annotation("operator-command"),
            missing_owner: None,
            shards: None,
            selector: None,
            sets: Vec::new(),
            daemon_set: None,
            outcome: Outcome::default(),
        }
    }

    /// The sets that run its pods, whatever their kind.
    pub fn runners(&self) -> &[Set] {
        self.daemon_set.as_ref().map_or(&self.sets, std::slice::from_ref)
    }

    /// The observed pods of all of them.
    pub fn pods(&self) -> impl Iterator<Item = &Pod> {
        self.runners().iter().filter_map(Set::pods).flat_map(|pods| &pods.observed)
    }
}

impl Set {
    /// The StatefulSet of that name: as the input shows it, else as is assumed of one that should have so many pods.
    pub(crate) fn stateful(cluster: &Cluster, assume: Assume, key: &Key, shard: u32, desired: usize) -> Self {
        let state = match (cluster.observed_stateful_set(key), assume) {
            (Some(set), _) => State::of_stateful_set(set, pods_of(cluster, key.namespace())),
            (None, Assume::Ready) => State::steady(desired),
            (None, Assume::Missing) => State::Missing,
        };
        Self { shard, name: key.name().to_owned(), desired, state }
    }

    /// The DaemonSet of that name. How many pods it should have is known only once it was observed.
    pub fn daemon(cluster: &Cluster, assume: Assume, key: &Key) -> Self {
        let found = cluster.observed_daemon_set(key);
        let count = |n: i32| usize::try_from(n).unwrap_or_default();
        let state = match (found, assume) {
            (Some(set), _) => State::of_daemon_set(set, pods_of(cluster, key.namespace())),
            (None, Assume::Ready) => State::steady(0),
            (None, Assume::Missing) => State::Missing,
        };
        let desired = found.map_or(0, |set| count(set.status.desired_number_scheduled));
        Self { shard: 0, name: key.name().to_owned(), desired, state }
    }

    /// Its pods, if there is anything to have them.
    pub const fn pods(&self) -> Option<&Pods> {
        match &self.state {
            State::Missing | State::Deleting => None,
            State::Present(pods) => Some(pods),
        }
    }
}

fn pods_of<'c>(cluster: &'c Cluster, namespace: &'c str) -> impl Iterator<Item = &'c PodObject> {
    cluster.pods.iter().filter(move |(key, _)| key.namespace() == namespace).map(|(_, pod)| &*pod.value)
}

impl Pods {
    /// How many are not ready.
    pub(crate) const fn unavailable(&self) -> usize {
        self.replicas - self.ready
    }

    /// How many are available: of observed pods those that are ready, else what their set says.
    pub fn available(&self) -> usize {
        if self.observed.is_empty() { self.reported.unwrap_or(self.ready) } else { self.ready }
    }
}

impl State {
    /// A set of which all pods run.
    pub(crate) fn steady(replicas: usize) -> Self {
        Self::Present(Pods { replicas, updated: replicas, ready: replicas, ..Pods::default() })
    }

    /// What can be seen of a StatefulSet: itself, and the pods of its namespace.
    pub(crate) fn of_stateful_set<'a>(set: &StatefulSet, pods: impl IntoIterator<Item = &'a PodObject>) -> Self {
        if set.metadata.deletion_timestamp.is_some() {
            return Self::Deleting;
        }
        let owner = ("StatefulSet", set.metadata.name.as_str());
        let own = own_pods(set.spec.selector.as_ref(), owner, pods);
        let revision = set.status.update_revision.as_deref().unwrap_or_default();
        let updated = own.iter().filter(|pod| revision_of(pod) == revision).count();
        let reported = usize::try_from(set.status.available_replicas).unwrap_or_default();
        Self::Present(Pods::observe(&own, updated, reported))
    }

    /// The same for a DaemonSet.
    fn of_daemon_set<'a>(set: &DaemonSet, pods: impl IntoIterator<Item = &'a PodObject>) -> Self {
        if set.metadata.deletion_timestamp.is_some() {
            return Self::Deleting;
        }
        let count = |n: i32| usize::try_from(n).unwrap_or_default();
        let own = own_pods(set.spec.selector.as_ref(), ("DaemonSet", &set.metadata.name), pods);
        let (updated, reported) = (count(set.status.updated_number_scheduled), count(set.status.number_available));
        Self::Present(Pods::observe(&own, updated.min(own.len()), reported))
    }
}

impl Pods {
    fn observe(own: &[&PodObject], updated: usize, reported: usize) -> Self {
        let observed: Vec<Pod> = own.iter().map(|pod| Pod::observe(pod)).collect();
        let ready = observed.iter().filter(|pod| pod.is_ready).count();
        Self { replicas: own.len(), updated, ready, reported: Some(reported), observed }
    }
}

/// The pods that a set selects and owns, in the order of their ordinals. Only the labels of its selector are looked at:
/// the operator writes no expressions.
fn own_pods<'a>(
    selector: Option<&LabelSelector>,
    (kind, name): (&str, &str),
    pods: impl IntoIterator<Item = &'a PodObject>,
) -> Vec<&'a PodObject> {
    let selector = selector.and_then(|s| s.match_labels.as_ref());
    let belongs = |pod: &&PodObject| {
        let labels = pod.metadata.labels.as_ref();
        let mut owners = pod.metadata.owner_references.iter().flatten();
        selector.into_iter().flatten().all(|(key, value)| labels.and_then(|l| l.get(key)) == Some(value))
            && owners.any(|owner| owner.kind == kind && owner.name == name)
    };
    let mut own: Vec<&PodObject> = pods.into_iter().filter(belongs).collect();
    own.sort_by_key(|pod| ordinal(pod));
    own
}

/// The pod's number within its StatefulSet, by label or by name.
fn ordinal(pod: &PodObject) -> Option<i64> {
    let label = pod.metadata.labels.as_ref().and_then(|l| l.get("apps.kubernetes.io/pod-index"));
    let name = &pod.metadata.name;
    label.map(String::as_str).or_else(|| name.rsplit_once('-').map(|(_, n)| n))?.parse().ok()
}

fn revision_of(pod: &PodObject) -> &str {
    let label = pod.metadata.labels.as_ref().and_then(|l| l.get("controller-revision-hash"));
    label.map_or("", String::as_str)
}

impl Pod {
    fn observe(pod: &PodObject) -> Self {
        let phase = Phase::of(pod.status.phase.as_deref());
        let mut conditions = pod.status.conditions.iter().flatten();
        let ready = conditions.find(|c| c.r#type == "Ready");
        let failed = first_failed(pod);
        Self {
            name: pod.metadata.name.clone(),
            phase,
            is_ready: phase == Phase::Running && ready.is_some_and(|c| c.status == "True"),
            message: failed.and_then(|c| c.message.clone()).filter(|m| !m.is_empty()),
            reason: waiting(pod)
                .or(pod.status.reason.as_deref())
                .or(failed.and_then(|c| c.reason.as_deref()))
                .map(str::to_owned),
        }
    }
}

/// The first thing that is wrong with a pod. Operator: `Pod.Message`.
fn first_failed(pod: &PodObject) -> Option<&PodCondition> {
    const STAGES: [&str; 4] = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    let conditions = pod.status.conditions.as_deref().unwrap_or_default();
    STAGES.iter().find_map(|stage| conditions.iter().find(|c| c.r#type == *stage && c.status == "False"))
}

/// Why a container waits.
fn waiting(pod: &PodObject) -> Option<&str> {
    let status = &pod.status;
    let mut containers = status.init_container_statuses.iter().chain(&status.container_statuses).flatten();
    containers.find_map(|c| c.state.waiting.as_ref()?.reason.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    use promgen_text::yaml::decode::from_json;

    fn set(metadata: &Value) -> StatefulSet {
        let mut set = json!({
            "metadata": {"name": "a"},
            "spec": {"selector": {"matchLabels": {"app": "a"}}},
            "status": {"updateRevision": "r2"},
        });
        set["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
        from_json(&set).unwrap()
    }

    fn pod(name: &str, revision: &str, owner: &str, conditions: &Value) -> PodObject {
        from_json(&json!({
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
            {"type": "ContainersReady", "status": "False", "message": "first", "reason": "ContainersNotReady"},
        ]);
        let pods = [
            pod("a-10", "r1", "a", &unready),
            pod("a-9", "r2", "a", &unready),
            pod("a-0", "r2", "a", &ready),
            pod("b-0", "r2", "b", &ready),
        ];
        let State::Present(found) = State::of_stateful_set(&set(&json!({})), &pods) else { panic!("present") };
        assert_eq!((found.replicas, found.updated, found.ready, found.unavailable()), (3, 2, 1, 2));
        let observed: Vec<_> =
            found.observed.iter().map(|p| (p.name.as_str(), p.message.as_deref(), p.is_ready)).collect();
        assert_eq!(observed, [("a-0", None, true), ("a-9", Some("first"), false), ("a-10", Some("first"), false)]);
        assert_eq!(found.observed[1].reason.as_deref(), Some("ContainersNotReady"));
    }

    #[test]
    fn a_stateful_set_on_its_way_out_does_not_count() {
        let set = set(&json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}));
        assert_eq!(State::of_stateful_set(&set, []), State::Deleting);
    }
}
