//! Statuses that the operator writes.

use promgen_derive::api;

use crate::api::meta::MonitoringGroup;
use crate::api::scalar::Time;
use crate::api::string_enum;

/// The status of a server or an agent.
#[api(of = "monitoring/v1.PrometheusStatus")]
pub struct PrometheusStatus {
    /// Pods that have been ready long enough, in all shards.
    pub available_replicas: Option<i32>,
    /// The conditions `Available` and `Reconciled`. Each type once.
    pub conditions: Option<Vec<Condition>>,
    /// Whether reconciliation is paused.
    pub paused: Option<bool>,
    /// The pods that are not being deleted, in all shards.
    pub replicas: Option<i32>,
    /// The label selector of all pods, for autoscalers.
    pub selector: Option<String>,
    /// The status of each shard. Each once.
    pub shard_statuses: Option<Vec<ShardStatus>>,
    /// The number of shards.
    pub shards: Option<i32>,
    /// Pods that are missing or not available, in all shards.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision, in all shards.
    pub updated_replicas: Option<i32>,
}

/// The status of a Thanos Ruler.
#[api(of = "monitoring/v1.ThanosRulerStatus")]
pub struct ThanosRulerStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: Option<i32>,
    /// The conditions `Available` and `Reconciled`. Each type once.
    pub conditions: Option<Vec<Condition>>,
    /// Whether reconciliation is paused.
    pub paused: Option<bool>,
    /// The pods that are not being deleted.
    pub replicas: Option<i32>,
    /// Pods that are missing or not available.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision.
    pub updated_replicas: Option<i32>,
}

/// The status of an Alertmanager.
#[api(of = "monitoring/v1.AlertmanagerStatus")]
pub struct AlertmanagerStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: Option<i32>,
    /// The conditions `Available` and `Reconciled`. Each type once.
    pub conditions: Option<Vec<Condition>>,
    /// Whether reconciliation is paused.
    pub paused: Option<bool>,
    /// The pods that are not being deleted.
    pub replicas: Option<i32>,
    /// The label selector of all pods, for autoscalers.
    pub selector: Option<String>,
    /// Pods that are missing or not available.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision.
    pub updated_replicas: Option<i32>,
}

/// A condition of a workload.
#[api(of = "monitoring/v1.Condition")]
pub struct Condition {
    /// When `status` changed last.
    pub last_transition_time: Time,
    /// Details, for the reader.
    pub message: Option<String>,
    /// The generation of the resource that it refers to.
    pub observed_generation: Option<i64>,
    /// The reason, in one word, for programs.
    pub reason: Option<String>,
    /// `True`, `False`, `Degraded` or `Unknown`.
    pub status: String,
    /// The type: `Available` or `Reconciled`.
    pub r#type: String,
}

/// The status of a shard.
#[api(of = "monitoring/v1.ShardStatus")]
pub struct ShardStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: i32,
    /// The pods that are not being deleted.
    pub replicas: i32,
    /// Its number, as text.
    pub shard_id: String,
    /// Pods that are missing or not available.
    pub unavailable_replicas: i32,
    /// Pods of the newest revision.
    pub updated_replicas: i32,
}

/// The status of a resource, with a binding for each workload that selects it.
#[api(of = "monitoring/v1.ConfigResourceStatus")]
pub struct ConfigResourceStatus {
    /// One entry per workload.
    pub bindings: Option<Vec<WorkloadBinding>>,
}

/// The binding of a resource to a workload.
#[api(of = "monitoring/v1.WorkloadBinding")]
pub struct WorkloadBinding {
    /// The condition `Accepted`. Each type once.
    pub conditions: Option<Vec<ConfigResourceCondition>>,
    /// The workload's group.
    pub group: MonitoringGroup,
    /// The workload's name.
    pub name: String,
    /// The workload's namespace.
    pub namespace: String,
    /// The workload's kind, in plural.
    pub resource: WorkloadResource,
}

/// Whether a workload accepted a resource.
#[api(of = "monitoring/v1.ConfigResourceCondition")]
pub struct ConfigResourceCondition {
    /// When `status` changed last.
    pub last_transition_time: Time,
    /// The message about a rejection.
    pub message: Option<String>,
    /// The generation of the resource that it refers to.
    pub observed_generation: Option<i64>,
    /// The reason of a rejection, in one word.
    pub reason: Option<String>,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The type: `Accepted`.
    pub r#type: ConfigResourceConditionType,
}

string_enum! {
    /// Kinds of workload, in plural.
    pub enum WorkloadResource {
        /// Prometheus.
        Prometheuses = "prometheuses",
        /// PrometheusAgent.
        PrometheusAgents = "prometheusagents",
        /// ThanosRuler.
        ThanosRulers = "thanosrulers",
        /// Alertmanager.
        Alertmanagers = "alertmanagers",
    }
}

string_enum! {
    /// The type of a condition of a resource.
    pub enum ConfigResourceConditionType {
        /// Whether the workload accepted the resource.
        Accepted = "Accepted",
    }
}
