//! The pods and volumes of a workload, counted on the StatefulSets that are printed for it.

use crate::trace::runs_on_every_node;
use promgen_compile::output::{OutputObject, Workload};
use promgen_text::yaml::{Map, Value};

/// The pods and volumes of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Pods of all shards.
    pub pods: u64,
    /// Volume claims of the pods. `None` if no StatefulSet is printed.
    pub volumes: Option<u64>,
    /// The size of each: `40Gi`. `None` if they differ, or none is set.
    pub storage: Option<String>,
    /// The volumes are deleted with the StatefulSet of a shard, rather than retained.
    pub is_deleted: bool,
    /// It runs as a DaemonSet, which has no shards.
    pub is_daemon_set: bool,
}

/// The created and the removed ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountChange {
    /// The number of created ones.
    pub created: u64,
    /// The number of removed ones.
    pub retired: u64,
}

impl CountChange {
    /// From so many to so many. What is there stays.
    const fn between(before: u64, after: u64) -> Self {
        Self {
            created: after.saturating_sub(before),
            retired: before.saturating_sub(after),
        }
    }
}

impl Footprint {
    /// Counts those of a workload. For a paused workload, which prints no objects, the spec sets the number of pods.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let is_daemon_set = runs_on_every_node(workload);
        let n_shards = workload.plan.shards.len() as u64;
        // Retained StatefulSets of removed shards may exist too.
        let first = workload
            .objects
            .iter()
            .find(|object| object.file == "statefulset-0");
        let first = first.map(OutputObject::value);
        let first_spec = first.as_ref().and_then(|object| object.get("spec"));
        let Some(spec) = first_spec.and_then(Value::as_map) else {
            let pods = n_shards * replicas(workload.resource.get("spec"));
            return Self {
                pods,
                is_daemon_set,
                ..Self::default()
            };
        };
        let pods = n_shards * replicas(first_spec);
        let claims = spec
            .get("volumeClaimTemplates")
            .and_then(Value::as_seq)
            .unwrap_or_default();
        let volumes = Some(pods * claims.len() as u64);
        let storage = if let [claim] = claims {
            storage(claim)
        } else {
            None
        };
        Self {
            pods,
            volumes,
            storage,
            is_deleted: is_deleted(spec),
            is_daemon_set,
        }
    }

    pub(super) const fn pods_to(&self, other: &Self) -> CountChange {
        CountChange::between(self.pods, other.pods)
    }

    pub(super) fn volumes_to(&self, other: &Self) -> Option<CountChange> {
        self.volumes
            .zip(other.volumes)
            .map(|(before, after)| CountChange::between(before, after))
    }
}

/// The pods of each shard. Operator: the default is one.
fn replicas(spec: Option<&Value>) -> u64 {
    match spec.and_then(|spec| spec.get("replicas")) {
        Some(Value::Int(replicas)) => u64::try_from(*replicas).unwrap_or(1),
        _ => 1,
    }
}

fn storage(claim: &Value) -> Option<String> {
    let requests = claim.get("spec")?.get("resources")?.get("requests")?;
    requests.get("storage")?.as_str().map(str::to_owned)
}

fn is_deleted(spec: &Map) -> bool {
    let policy = spec.get("persistentVolumeClaimRetentionPolicy");
    policy
        .and_then(|policy| policy.get("whenDeleted"))
        .and_then(Value::as_str)
        == Some("Delete")
}
