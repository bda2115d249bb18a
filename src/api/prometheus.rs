//! `Prometheus`: a server with storage, rules and alerting.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::alerting::AlertingSpec;
use crate::api::common::CommonPrometheusFields;
use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::remote::RemoteReadSpec;
use crate::api::scalar::{ByteSize, Duration};
use crate::api::status::PrometheusStatus;
use crate::api::thanos::ThanosSpec;
use crate::api::{defaults, resource, rules, string_enum};

resource! {
    /// A Prometheus server, or several shards of one.
    ///
    /// Operator: monitoring/v1.Prometheus.
    pub struct Prometheus { spec: PrometheusSpec, status: PrometheusStatus }
    "monitoring.coreos.com/v1", "prometheuses"
}

/// Operator: monitoring/v1.PrometheusSpec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules::PROMETHEUS))]
pub struct PrometheusSpec {
    #[serde(flatten)]
    pub common: CommonPrometheusFields,
    pub additional_alert_manager_configs: Option<SecretKeySelector>,
    pub additional_alert_relabel_configs: Option<SecretKeySelector>,
    pub alerting: Option<AlertingSpec>,
    pub allow_overlapping_blocks: Option<bool>,
    pub base_image: Option<String>,
    pub disable_compaction: Option<bool>,
    #[serde(rename = "enableAdminAPI")]
    pub enable_admin_api: Option<bool>,
    #[serde(default = "super::scalar::thirty_seconds")]
    pub evaluation_interval: Duration,
    pub exemplars: Option<Exemplars>,
    pub prometheus_rules_excluded_from_enforce: Option<Vec<PrometheusRuleExcludeConfig>>,
    pub query: Option<QuerySpec>,
    pub query_log_file: Option<String>,
    pub remote_read: Option<Vec<RemoteReadSpec>>,
    pub retention: Option<Duration>,
    pub retention_size: Option<ByteSize>,
    pub rule_namespace_selector: Option<LabelSelector>,
    pub rule_query_offset: Option<Duration>,
    pub rule_selector: Option<LabelSelector>,
    pub rules: Option<Rules>,
    pub sha: Option<String>,
    pub shard_retention_policy: Option<ShardRetentionPolicy>,
    pub tag: Option<String>,
    pub thanos: Option<ThanosSpec>,
}

/// Operator: monitoring/v1.Exemplars.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Exemplars {
    pub max_size: Option<i64>,
}

/// Operator: monitoring/v1.PrometheusRuleExcludeConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusRuleExcludeConfig {
    pub rule_name: String,
    pub rule_namespace: String,
}

/// Operator: monitoring/v1.QuerySpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuerySpec {
    pub lookback_delta: Option<String>,
    #[schemars(range(min = 1))]
    pub max_concurrency: Option<i32>,
    pub max_samples: Option<i32>,
    pub timeout: Option<Duration>,
}

/// Operator: monitoring/v1.Rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rules {
    pub alert: Option<RulesAlert>,
}

/// Operator: monitoring/v1.RulesAlert.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RulesAlert {
    pub for_grace_period: Option<String>,
    pub for_outage_tolerance: Option<String>,
    pub resend_delay: Option<String>,
}

/// Operator: monitoring/v1.ShardRetentionPolicy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShardRetentionPolicy {
    pub retain: Option<RetainConfig>,
    pub when_scaled: Option<WhenScaledRetentionType>,
}

/// Operator: monitoring/v1.RetainConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetainConfig {
    pub retention_period: Duration,
}

string_enum! {
    /// One of the allowed values.
    pub enum WhenScaledRetentionType {
        /// `Retain`.
        Retain = "Retain",
        /// `Delete`.
        Delete = "Delete",
    }
}

impl Default for PrometheusSpec {
    fn default() -> Self {
        defaults()
    }
}
