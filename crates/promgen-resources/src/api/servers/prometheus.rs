//! `Prometheus`: a server with storage, rules and alerting.

use promgen_derive::{Decode, Encode};

use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::scalar::{ByteSize, Duration};
use crate::api::servers::alerting::AlertingSpec;
use crate::api::servers::common::CommonPrometheusFields;
use crate::api::servers::remote::RemoteReadSpec;
use crate::api::servers::thanos::ThanosSpec;
use crate::api::status::PrometheusStatus;
use crate::api::{defaults, resource, rules, string_enum};

resource! {
    /// A Prometheus server, or several shards of one.
    ///
    /// Operator: monitoring/v1.Prometheus.
    pub struct Prometheus { spec: PrometheusSpec, status: PrometheusStatus }
    "monitoring.coreos.com/v1", "prometheuses"
}

/// What a server is to do.
///
/// Operator: monitoring/v1.PrometheusSpec.
#[derive(Clone, Debug, PartialEq, Decode, Encode)]
#[api(validations = rules::PROMETHEUS)]
pub struct PrometheusSpec {
    /// What it shares with the other kind of Prometheus.
    #[api(flatten)]
    pub common: CommonPrometheusFields,
    /// A list of Alertmanagers in Prometheus' own form, taken as it is.
    pub additional_alert_manager_configs: Option<SecretKeySelector>,
    /// A list of relabel steps for alerts in Prometheus' own form, taken as it is.
    pub additional_alert_relabel_configs: Option<SecretKeySelector>,
    /// The Alertmanagers that alerts go to.
    pub alerting: Option<AlertingSpec>,
    /// Whether blocks may overlap; before Prometheus 2.39 only.
    pub allow_overlapping_blocks: Option<bool>,
    /// The image without tag; rather use `image`.
    pub base_image: Option<String>,
    /// Whether blocks are not compacted.
    pub disable_compaction: Option<bool>,
    /// Whether the admin API is on. Default false.
    #[api(name = "enableAdminAPI")]
    pub enable_admin_api: Option<bool>,
    /// How often rules are evaluated. Default 30s.
    #[api(default = crate::api::scalar::thirty_seconds)]
    pub evaluation_interval: Duration,
    /// How exemplars are stored.
    pub exemplars: Option<Exemplars>,
    /// Rules that are exempt from the enforced namespace label; rather use `excludedFromEnforcement`.
    pub prometheus_rules_excluded_from_enforce: Option<Vec<PrometheusRuleExcludeConfig>>,
    /// Limits of queries.
    pub query: Option<QuerySpec>,
    /// The file that queries are logged to. A bare name lands in a folder of its own.
    pub query_log_file: Option<String>,
    /// Places to read samples from.
    pub remote_read: Option<Vec<RemoteReadSpec>>,
    /// How long samples are kept. Default 24h, unless `retentionSize` is set.
    pub retention: Option<Duration>,
    /// How much samples may take.
    pub retention_size: Option<ByteSize>,
    /// Namespaces of PrometheusRules. Absent means the own one, empty means all.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// By how much rules look back. Default none.
    pub rule_query_offset: Option<Duration>,
    /// Which PrometheusRules. Absent means none, empty means all.
    pub rule_selector: Option<LabelSelector>,
    /// Settings of rule evaluation.
    pub rules: Option<Rules>,
    /// The digest of the image; rather use `image`.
    pub sha: Option<String>,
    /// What becomes of shards that are scaled away.
    pub shard_retention_policy: Option<ShardRetentionPolicy>,
    /// The tag of the image; rather use `image`.
    pub tag: Option<String>,
    /// A Thanos sidecar.
    pub thanos: Option<ThanosSpec>,
}

/// How exemplars are stored.
///
/// Operator: monitoring/v1.Exemplars.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Exemplars {
    /// How many; 0 means Prometheus' default of 100,000, less than 0 turns them off.
    pub max_size: Option<i64>,
}

/// A rule that is exempt from the enforced namespace label.
///
/// Operator: monitoring/v1.PrometheusRuleExcludeConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct PrometheusRuleExcludeConfig {
    /// Its name.
    pub rule_name: String,
    /// Its namespace.
    pub rule_namespace: String,
}

/// Limits of queries.
///
/// Operator: monitoring/v1.QuerySpec.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct QuerySpec {
    /// How far a query looks back for a sample. Default 5m.
    pub lookback_delta: Option<String>,
    /// How many queries run at a time. Default 20.
    #[api(min = 1)]
    pub max_concurrency: Option<i32>,
    /// How many samples a query may load. Default 50,000,000.
    pub max_samples: Option<i32>,
    /// How long a query may take. Default 2m.
    pub timeout: Option<Duration>,
}

/// Settings of rule evaluation.
///
/// Operator: monitoring/v1.Rules.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Rules {
    /// Settings of alerts.
    pub alert: Option<RulesAlert>,
}

/// Settings of alerts.
///
/// Operator: monitoring/v1.RulesAlert.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RulesAlert {
    /// How long an alert that was pending before a restart stays so at least. Default 10m.
    pub for_grace_period: Option<String>,
    /// How long an outage may last for pending alerts to be restored. Default 1h.
    pub for_outage_tolerance: Option<String>,
    /// How long to wait before an alert is sent again. Default 1m.
    pub resend_delay: Option<String>,
}

/// What becomes of shards that are scaled away.
///
/// Operator: monitoring/v1.ShardRetentionPolicy.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct ShardRetentionPolicy {
    /// How long they are kept, with `Retain`.
    pub retain: Option<RetainConfig>,
    /// Whether they are kept. Default `Delete`.
    pub when_scaled: Option<WhenScaledRetentionType>,
}

/// How long shards that are scaled away are kept.
///
/// Operator: monitoring/v1.RetainConfig.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct RetainConfig {
    /// The time.
    pub retention_period: Duration,
}

string_enum! {
    /// What becomes of shards that are scaled away.
    pub enum WhenScaledRetentionType {
        /// They are kept for a while.
        Retain = "Retain",
        /// They are deleted.
        Delete = "Delete",
    }
}

impl Default for PrometheusSpec {
    fn default() -> Self {
        defaults()
    }
}
