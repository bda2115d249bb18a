//! Statuses that the operator writes.

use promgen_derive::{Decode, Encode};

use crate::api::meta::MonitoringGroup;
use crate::api::scalar::Time;
use crate::api::string_enum;

/// What the operator found about a server or an agent.
///
/// Operator: monitoring/v1.PrometheusStatus.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PrometheusStatus {
    /// Pods that have been ready long enough, in all shards.
    pub available_replicas: Option<i32>,
    /// What holds: `Available`, `Reconciled`. Each type once.
    #[api(unique("type"))]
    pub conditions: Option<Vec<Condition>>,
    /// Whether the operator leaves everything as it is.
    pub paused: Option<bool>,
    /// Pods that are not about to go, in all shards.
    pub replicas: Option<i32>,
    /// The label selector of all pods, for autoscalers.
    pub selector: Option<String>,
    /// How each shard is. Each once.
    #[api(unique("shardID"))]
    pub shard_statuses: Option<Vec<ShardStatus>>,
    /// How many shards there are.
    pub shards: Option<i32>,
    /// Pods that are missing or not available, in all shards.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision, in all shards.
    pub updated_replicas: Option<i32>,
}

/// What the operator found about a Thanos Ruler.
///
/// Operator: monitoring/v1.ThanosRulerStatus.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ThanosRulerStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: Option<i32>,
    /// What holds: `Available`, `Reconciled`. Each type once.
    #[api(unique("type"))]
    pub conditions: Option<Vec<Condition>>,
    /// Whether the operator leaves everything as it is.
    pub paused: Option<bool>,
    /// Pods that are not about to go.
    pub replicas: Option<i32>,
    /// Pods that are missing or not available.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision.
    pub updated_replicas: Option<i32>,
}

/// What the operator found about an Alertmanager.
///
/// Operator: monitoring/v1.AlertmanagerStatus.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct AlertmanagerStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: Option<i32>,
    /// What holds: `Available`, `Reconciled`. Each type once.
    #[api(unique("type"))]
    pub conditions: Option<Vec<Condition>>,
    /// Whether the operator leaves everything as it is.
    pub paused: Option<bool>,
    /// Pods that are not about to go.
    pub replicas: Option<i32>,
    /// The label selector of all pods, for autoscalers.
    pub selector: Option<String>,
    /// Pods that are missing or not available.
    pub unavailable_replicas: Option<i32>,
    /// Pods of the newest revision.
    pub updated_replicas: Option<i32>,
}

/// Something that holds about a workload, or does not.
///
/// Operator: monitoring/v1.Condition.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Condition {
    /// When `status` changed last.
    pub last_transition_time: Time,
    /// Details, for the reader.
    pub message: Option<String>,
    /// The generation of the resource that it is about.
    pub observed_generation: Option<i64>,
    /// Why, in one word, for programs.
    pub reason: Option<String>,
    /// `True`, `False`, `Degraded` or `Unknown`.
    #[api(min_length = 1)]
    pub status: String,
    /// What: `Available` or `Reconciled`.
    #[api(min_length = 1)]
    pub r#type: String,
}

/// How a shard is.
///
/// Operator: monitoring/v1.ShardStatus.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ShardStatus {
    /// Pods that have been ready long enough.
    pub available_replicas: i32,
    /// Pods that are not about to go.
    pub replicas: i32,
    /// Its number, as text.
    #[api(name = "shardID")]
    pub shard_id: String,
    /// Pods that are missing or not available.
    pub unavailable_replicas: i32,
    /// Pods of the newest revision.
    pub updated_replicas: i32,
}

/// What the workloads that select a resource made of it.
///
/// Operator: monitoring/v1.ConfigResourceStatus.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ConfigResourceStatus {
    /// One entry per workload.
    #[api(unique("group", "resource", "name", "namespace"))]
    pub bindings: Option<Vec<WorkloadBinding>>,
}

/// What one workload made of a resource.
///
/// Operator: monitoring/v1.WorkloadBinding.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct WorkloadBinding {
    /// What holds: `Accepted`. Each type once.
    #[api(unique("type"))]
    pub conditions: Option<Vec<ConfigResourceCondition>>,
    /// The workload's group.
    pub group: MonitoringGroup,
    /// The workload's name.
    #[api(min_length = 1)]
    pub name: String,
    /// The workload's namespace.
    #[api(min_length = 1)]
    pub namespace: String,
    /// The workload's kind, in plural.
    pub resource: WorkloadResource,
}

/// Whether a workload accepted a resource.
///
/// Operator: monitoring/v1.ConfigResourceCondition.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
pub struct ConfigResourceCondition {
    /// When `status` changed last.
    pub last_transition_time: Time,
    /// Why not, for the reader.
    pub message: Option<String>,
    /// The generation of the resource that it is about.
    pub observed_generation: Option<i64>,
    /// Why not, in one word.
    pub reason: Option<String>,
    /// `True`, `False` or `Unknown`.
    #[api(min_length = 1)]
    pub status: String,
    /// What: `Accepted`.
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
    /// What a workload says about a resource.
    pub enum ConfigResourceConditionType {
        /// Whether it accepted it.
        Accepted = "Accepted",
    }
}
