//! The pods and volumes of a workload, counted on the StatefulSets that are printed for it.

use crate::trace::runs_on_every_node;
use promgen_compile::output::{Object, Workload};
use promgen_text::yaml::{Map, Value};

/// What runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Pods of all shards.
    pub pods: u64,
    /// Volumes that are claimed for them. None if nothing is printed that would tell.
    pub volumes: Option<u64>,
    /// How big each is: `40Gi`. None if they differ, or nothing is said.
    pub storage: Option<String>,
    /// Whether the volumes go with the StatefulSet of a shard, rather than stay until somebody deletes them.
    pub is_deleted: bool,
    /// Whether it runs as a DaemonSet, which has no shards.
    pub is_daemon_set: bool,
}

/// What comes and what goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// How many are new.
    pub created: u64,
    /// How many are there no more.
    pub retired: u64,
}

impl Change {
    /// From so many to so many. What is there stays.
    const fn between(before: u64, after: u64) -> Self {
        Self { created: after.saturating_sub(before), retired: before.saturating_sub(after) }
    }
}

impl Footprint {
    /// Counts those of a workload. Where nothing is printed, because it is paused, its spec tells the pods.
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let is_daemon_set = runs_on_every_node(workload);
        let n_shards = workload.plan.shards.len() as u64;
        // Those of shards that were scaled away may stand beside it.
        let first = workload.objects.iter().find(|object| object.file == "statefulset-0");
        let first = first.map(Object::value);
        let first_spec = first.as_ref().and_then(|object| object.get("spec"));
        let Some(spec) = first_spec.and_then(Value::as_map) else {
            let pods = n_shards * replicas(workload.resource.get("spec"));
            return Self { pods, is_daemon_set, ..Self::default() };
        };
        let pods = n_shards * replicas(first_spec);
        let claims = spec.get("volumeClaimTemplates").and_then(Value::as_seq).unwrap_or_default();
        let volumes = Some(pods * claims.len() as u64);
        let storage = if let [claim] = claims { storage(claim) } else { None };
        Self { pods, volumes, storage, is_deleted: is_deleted(spec), is_daemon_set }
    }

    pub(super) const fn pods_to(&self, other: &Self) -> Change {
        Change::between(self.pods, other.pods)
    }

    pub(super) fn volumes_to(&self, other: &Self) -> Option<Change> {
        self.volumes.zip(other.volumes).map(|(before, after)| Change::between(before, after))
    }
}

/// The pods of each shard. Operator: one, unless the user says how many.
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
    policy.and_then(|policy| policy.get("whenDeleted")).and_then(Value::as_str) == Some("Delete")
}
