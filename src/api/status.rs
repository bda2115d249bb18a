//! Statuses that the operator writes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::meta::MonitoringGroup;
use crate::api::scalar::Time;
use crate::api::string_enum;

/// Operator: monitoring/v1.PrometheusStatus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusStatus {
    pub available_replicas: Option<i32>,
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<Condition>>,
    pub paused: Option<bool>,
    pub replicas: Option<i32>,
    pub selector: Option<String>,
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["shardID"]))]
    pub shard_statuses: Option<Vec<ShardStatus>>,
    pub shards: Option<i32>,
    pub unavailable_replicas: Option<i32>,
    pub updated_replicas: Option<i32>,
}

/// Operator: monitoring/v1.Condition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    pub last_transition_time: Time,
    pub message: Option<String>,
    pub observed_generation: Option<i64>,
    pub reason: Option<String>,
    #[schemars(length(min = 1))]
    pub status: String,
    #[schemars(length(min = 1))]
    pub r#type: String,
}

/// Operator: monitoring/v1.ShardStatus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShardStatus {
    pub available_replicas: i32,
    pub replicas: i32,
    #[serde(rename = "shardID")]
    pub shard_id: String,
    pub unavailable_replicas: i32,
    pub updated_replicas: i32,
}

/// Operator: monitoring/v1.ConfigResourceStatus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigResourceStatus {
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["group", "resource", "name", "namespace"]))]
    pub bindings: Option<Vec<WorkloadBinding>>,
}

/// Operator: monitoring/v1.WorkloadBinding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadBinding {
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<ConfigResourceCondition>>,
    pub group: MonitoringGroup,
    #[schemars(length(min = 1))]
    pub name: String,
    #[schemars(length(min = 1))]
    pub namespace: String,
    pub resource: WorkloadResource,
}

/// Operator: monitoring/v1.ConfigResourceCondition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigResourceCondition {
    pub last_transition_time: Time,
    pub message: Option<String>,
    pub observed_generation: Option<i64>,
    pub reason: Option<String>,
    #[schemars(length(min = 1))]
    pub status: String,
    pub r#type: ConfigResourceConditionType,
}

string_enum! {
    /// One of the allowed values.
    pub enum WorkloadResource {
        /// `prometheuses`.
        Prometheuses = "prometheuses",
        /// `prometheusagents`.
        PrometheusAgents = "prometheusagents",
        /// `thanosrulers`.
        ThanosRulers = "thanosrulers",
        /// `alertmanagers`.
        Alertmanagers = "alertmanagers",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum ConfigResourceConditionType {
        /// `Accepted`.
        Accepted = "Accepted",
    }
}
