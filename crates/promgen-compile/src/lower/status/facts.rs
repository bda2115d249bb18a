//! The facts about a workload that its status depends on: one plain structure, which every profile reads.
//!
//! In: the cluster's StatefulSets, DaemonSets and Pods, and the assumptions about missing ones. Out: [`Facts`]. Does
//! not depend on the kind of workload: the caller provides the names of StatefulSets and the numbers of pods. Decides
//! nothing.

use crate::cluster::{Cluster, Key};
use crate::options::Assume;
use crate::output::WorkloadId;
use promgen_resources::api::kubernetes::{DaemonSet, Pod, PodCondition, StatefulSet};
use promgen_resources::api::meta::{LabelSelector, ObjectMeta};
use promgen_resources::gates::Gate;
use promgen_text::version::Version;

/// All facts that the status of a workload depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The workload.
    pub id: WorkloadId,
    /// The release of the operator.
    pub(crate) operator: Version,
    /// Its generation; 0 if it has none, as in a file.
    pub generation: i64,
    /// It is being deleted.
    pub(crate) deleting: bool,
    /// It is paused.
    pub paused: bool,
    /// The value of its annotation `operator-command`.
    pub command: Option<String>,
    /// The missing owner, as `Kind/name`.
    pub(crate) missing_owner: Option<String>,
    /// `spec.shards`, for kinds whose status has shards.
    pub shards: Option<i32>,
    /// The label selector of all pods, for kinds whose status has it.
    pub selector: Option<String>,
    /// Its StatefulSets, by shard.
    pub sets: Vec<Set>,
    /// Its DaemonSet, if it runs as one. The operator's own status still looks up StatefulSets.
    pub(crate) daemon_set: Option<Set>,
    /// The result of the operator for the spec.
    pub outcome: Outcome,
}

/// The result of the operator for a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The error with which it stopped: the operator's message.
    pub error: Option<String>,
    /// The operator leaves the configuration to the user.
    pub(crate) is_unmanaged: bool,
    /// If nothing is selected, not even a refused resource: the selectable kinds, in the operator's message.
    pub(crate) nothing_selected: Option<&'static str>,
    /// The messages about deprecated fields in use.
    pub(crate) deprecations: Vec<String>,
    /// The fields that the operator ignores, each with the reason.
    pub(crate) ignored: Vec<String>,
}

/// The operator's message about a deprecated field in use.
pub(super) fn deprecated(field: &str, instead: &str) -> String {
    format!("field \"{field}\" is deprecated, field \"{instead}\" should be used instead")
}

/// The operator's messages about the deprecated fields of an image: the name without a tag, the tag, the digest.
pub(super) fn deprecated_images(
    place: &str,
    [base_image, tag, sha]: [&Option<String>; 3],
) -> Vec<String> {
    let fields = [("baseImage", base_image), ("tag", tag), ("sha", sha)];
    let used = fields
        .into_iter()
        .filter(|(_, value)| value.as_ref().is_some_and(|value| !value.is_empty()));
    used.map(|(field, _)| deprecated(&format!("{place}.{field}"), &format!("{place}.image")))
        .collect()
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
    /// Its state.
    pub state: State,
}

/// The state of a StatefulSet or DaemonSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    Missing,
    /// It is being deleted.
    Deleting,
    /// It exists and has these pods.
    Present(Pods),
}

/// The pods of a StatefulSet or DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pods {
    /// The number of pods.
    pub replicas: usize,
    /// The number of pods of the latest revision.
    pub updated: usize,
    /// The number of ready pods.
    pub ready: usize,
    /// The number of available pods in the status of the set. `None` if the set is assumed.
    pub reported: Option<usize>,
    /// The observed pods, by ordinal. Assumed ones are only counted.
    pub observed: Vec<ObservedPod>,
}

/// An observed pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedPod {
    /// Its name.
    pub name: String,
    /// Its phase.
    pub phase: Phase,
    /// It is ready.
    pub is_ready: bool,
    /// The message of its first failed condition.
    pub message: Option<String>,
    /// The reason why it does not run, in one word: that of a waiting container, of its phase, or of a condition.
    pub reason: Option<String>,
}

/// The phase of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Not all of its containers exist yet.
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

    /// A pod without a phase is pending, like one that was just created.
    fn of(text: &str) -> Self {
        match text {
            "" | "Pending" => Self::Pending,
            "Running" => Self::Running,
            "Succeeded" => Self::Succeeded,
            "Failed" => Self::Failed,
            _ => Self::Unknown,
        }
    }
}

impl Facts {
    /// The facts from the metadata of a workload, before those about its pods.
    pub fn new(id: WorkloadId, metadata: &ObjectMeta, operator: &Version) -> Self {
        let annotation = |name: &str| {
            metadata
                .annotations
                .as_ref()
                .and_then(|a| a.get(name))
                .cloned()
        };
        Self {
            id,
            operator: operator.clone(),
            generation: metadata.generation.unwrap_or_default(),
            deleting: metadata.deletion_timestamp.is_some(),
            paused: false,
            command: annotation("operator-command").map(|text| text.to_string()),
            missing_owner: None,
            shards: None,
            selector: None,
            sets: Vec::new(),
            daemon_set: None,
            outcome: Outcome::default(),
        }
    }

    /// Adds the error of the API server that refuses the sets: those that were not observed do not exist.
    pub fn refuse(&mut self, error: Option<String>) {
        let Some(error) = error else { return };
        self.outcome.error = Some(error);
        for set in self.sets.iter_mut().chain(&mut self.daemon_set) {
            if matches!(&set.state, State::Present(pods) if pods.reported.is_none()) {
                set.state = State::Missing;
            }
        }
    }

    /// Returns whether the release of the operator has what the gate stands for.
    pub(super) fn has(&self, gate: &Gate) -> bool {
        gate.admits(&self.operator)
    }

    /// The sets that run its pods, of either kind.
    pub fn runners(&self) -> &[Set] {
        self.daemon_set
            .as_ref()
            .map_or(&self.sets, std::slice::from_ref)
    }

    /// The observed pods of all of them.
    pub fn pods(&self) -> impl Iterator<Item = &ObservedPod> {
        self.runners()
            .iter()
            .filter_map(Set::pods)
            .flat_map(|pods| &pods.observed)
    }
}

impl Set {
    /// The StatefulSet of that name: as the input shows it, else an assumed one with that number of pods.
    pub(crate) fn stateful(
        cluster: &Cluster,
        assume: Assume,
        key: &Key,
        shard: u32,
        desired: usize,
    ) -> Self {
        let state = match (cluster.observed_stateful_set(key), assume) {
            (Some(set), _) => State::of_stateful_set(set, pods_of(cluster, key.namespace())),
            // A dump that has others has all.
            (None, Assume::Ready) if is_dumped(cluster, key.namespace()) => State::Missing,
            (None, Assume::Ready) => State::steady(desired),
            (None, Assume::Missing) => State::Missing,
        };
        Self {
            shard,
            name: key.name().to_owned(),
            desired,
            state,
        }
    }

    /// The DaemonSet of that name. Its desired number of pods is known only after it was observed.
    pub fn daemon(cluster: &Cluster, assume: Assume, key: &Key) -> Self {
        let found = cluster.observed_daemon_set(key);
        let count = |n: i32| usize::try_from(n).unwrap_or_default();
        let state = match (found, assume) {
            (Some(set), _) => State::of_daemon_set(set, pods_of(cluster, key.namespace())),
            (None, Assume::Ready) => State::steady(0),
            (None, Assume::Missing) => State::Missing,
        };
        // The number of nodes that it fits decides, and only the cluster knows it.
        let desired = found.map_or(0, |set| count(set.status.desired_number_scheduled));
        Self {
            shard: 0,
            name: key.name().to_owned(),
            desired,
            state,
        }
    }

    /// Its pods, if there is anything to have them.
    pub const fn pods(&self) -> Option<&Pods> {
        match &self.state {
            State::Missing | State::Deleting => None,
            State::Present(pods) => Some(pods),
        }
    }
}

/// Returns whether a cluster showed StatefulSets of a namespace.
fn is_dumped(cluster: &Cluster, namespace: &str) -> bool {
    cluster
        .observed_stateful_sets()
        .any(|(key, _)| key.namespace() == namespace)
}

fn pods_of<'c>(cluster: &'c Cluster, namespace: &'c str) -> impl Iterator<Item = &'c Pod> {
    cluster
        .pods
        .iter()
        .filter(move |(key, _)| key.namespace() == namespace)
        .map(|(_, pod)| &*pod.value)
}

impl Pods {
    /// The number of pods that are not ready.
    pub(crate) const fn unavailable(&self) -> usize {
        self.replicas - self.ready
    }

    /// The number of available pods: the observed pods that are ready, else the number in the status of the set.
    pub fn available(&self) -> usize {
        // A dump may have the set without its pods.
        if self.observed.is_empty() {
            self.reported.unwrap_or(self.ready)
        } else {
            self.ready
        }
    }
}

impl State {
    /// A set of which all pods run.
    pub(crate) fn steady(replicas: usize) -> Self {
        Self::Present(Pods {
            replicas,
            updated: replicas,
            ready: replicas,
            ..Pods::default()
        })
    }

    /// The facts about a StatefulSet: its status, and the pods of its namespace.
    pub(crate) fn of_stateful_set<'a>(
        set: &StatefulSet,
        pods: impl IntoIterator<Item = &'a Pod>,
    ) -> Self {
        if set.metadata.deletion_timestamp.is_some() {
            return Self::Deleting;
        }
        let own = own_pods(
            set.spec.selector.as_ref(),
            "StatefulSet",
            &set.metadata.name,
            pods,
        );
        let revision = set.status.update_revision.as_deref().unwrap_or_default();
        let updated = own
            .iter()
            .filter(|pod| revision_of(pod) == revision)
            .count();
        let reported = usize::try_from(set.status.available_replicas).unwrap_or_default();
        Self::Present(Pods::observe(&own, updated, reported))
    }

    /// The facts about a DaemonSet.
    fn of_daemon_set<'a>(set: &DaemonSet, pods: impl IntoIterator<Item = &'a Pod>) -> Self {
        if set.metadata.deletion_timestamp.is_some() {
            return Self::Deleting;
        }
        let count = |n: i32| usize::try_from(n).unwrap_or_default();
        let own = own_pods(
            set.spec.selector.as_ref(),
            "DaemonSet",
            &set.metadata.name,
            pods,
        );
        let (updated, reported) = (
            count(set.status.updated_number_scheduled),
            count(set.status.number_available),
        );
        // The status of the set may be older than the list of its pods.
        Self::Present(Pods::observe(&own, updated.min(own.len()), reported))
    }
}

impl Pods {
    fn observe(own: &[&Pod], updated: usize, reported: usize) -> Self {
        let observed: Vec<ObservedPod> = own.iter().map(|pod| ObservedPod::observe(pod)).collect();
        let ready = observed.iter().filter(|pod| pod.is_ready).count();
        Self {
            replicas: own.len(),
            updated,
            ready,
            reported: Some(reported),
            observed,
        }
    }
}

/// The pods that a set selects and owns, by ordinal. Only `matchLabels` are compared: the operator writes no
/// expressions.
fn own_pods<'a>(
    selector: Option<&LabelSelector>,
    kind: &str,
    name: &str,
    pods: impl IntoIterator<Item = &'a Pod>,
) -> Vec<&'a Pod> {
    let selector = selector.and_then(|s| s.match_labels.as_ref());
    let belongs = |pod: &&Pod| {
        let labels = pod.metadata.labels.as_ref();
        let mut owners = pod
            .metadata
            .owner_references
            .as_deref()
            .into_iter()
            .flatten();
        selector.into_iter().flatten().all(|(key, value)| labels.and_then(|l| l.get(key)) == Some(value))
            // By kind and name, not by uid, as the operator compares them.
            && owners.any(|owner| owner.kind == kind && owner.name == name)
    };
    let mut own: Vec<&Pod> = pods.into_iter().filter(belongs).collect();
    own.sort_by_key(|pod| ordinal(pod));
    own
}

/// The pod's number within its StatefulSet, by label or by name.
fn ordinal(pod: &Pod) -> Option<i64> {
    let label = pod
        .metadata
        .labels
        .as_ref()
        .and_then(|l| l.get("apps.kubernetes.io/pod-index"));
    let name = &pod.metadata.name;
    label
        .map(|label| &**label)
        .or_else(|| name.rsplit_once('-').map(|(_, n)| n))?
        .parse()
        .ok()
}

fn revision_of(pod: &Pod) -> &str {
    let label = pod
        .metadata
        .labels
        .as_ref()
        .and_then(|l| l.get("controller-revision-hash"));
    label.map_or("", |label| label)
}

impl ObservedPod {
    fn observe(pod: &Pod) -> Self {
        let phase = Phase::of(&pod.status.phase);
        let mut conditions = pod.status.conditions.iter();
        let ready = conditions.find(|c| c.r#type == "Ready");
        let failed = first_failed(pod);
        Self {
            name: pod.metadata.name.to_string(),
            phase,
            is_ready: phase == Phase::Running && ready.is_some_and(|c| c.status == "True"),
            message: failed
                .and_then(|c| c.message.clone())
                .filter(|m| !m.is_empty()),
            reason: waiting(pod)
                .or(pod.status.reason.as_deref())
                .or(failed.and_then(|c| c.reason.as_deref()))
                .map(str::to_owned),
        }
    }
}

/// The first failed condition of a pod. Operator: `Pod.Message`.
fn first_failed(pod: &Pod) -> Option<&PodCondition> {
    const STAGES: [&str; 4] = ["PodScheduled", "Initialized", "ContainersReady", "Ready"];
    STAGES.iter().find_map(|stage| {
        pod.status
            .conditions
            .iter()
            .find(|c| c.r#type == *stage && c.status == "False")
    })
}

/// The reason why a container waits.
fn waiting(pod: &Pod) -> Option<&str> {
    let status = &pod.status;
    let mut containers = status
        .init_container_statuses
        .iter()
        .chain(&status.container_statuses);
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
        set["metadata"]
            .as_object_mut()
            .unwrap()
            .extend(metadata.as_object().unwrap().clone());
        from_json(&set).unwrap()
    }

    fn pod(name: &str, revision: &str, owner: &str, conditions: &Value) -> Pod {
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
        let State::Present(found) = State::of_stateful_set(&set(&json!({})), &pods) else {
            panic!("present")
        };
        assert_eq!(
            (
                found.replicas,
                found.updated,
                found.ready,
                found.unavailable()
            ),
            (3, 2, 1, 2)
        );
        let observed: Vec<_> = found
            .observed
            .iter()
            .map(|p| (p.name.as_str(), p.message.as_deref(), p.is_ready))
            .collect();
        assert_eq!(
            observed,
            [
                ("a-0", None, true),
                ("a-9", Some("first"), false),
                ("a-10", Some("first"), false)
            ]
        );
        assert_eq!(
            found.observed[1].reason.as_deref(),
            Some("ContainersNotReady")
        );
    }

    #[test]
    fn a_stateful_set_on_its_way_out_does_not_count() {
        let set = set(&json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}));
        assert_eq!(State::of_stateful_set(&set, []), State::Deleting);
    }
}
