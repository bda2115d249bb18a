//! `Prometheus`: a server with storage, rules and alerting.

use promgen_derive::api;

use crate::api::core::SecretKeySelector;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::scalar::{ByteSize, Duration, Quantity};
use crate::api::servers::alerting::AlertingSpec;
use crate::api::servers::common::CommonPrometheusFields;
use crate::api::servers::remote::RemoteReadSpec;
use crate::api::servers::thanos::ThanosSpec;
use crate::api::status::PrometheusStatus;
use crate::api::{resource, rules, string_enum};

resource! {
    /// A Prometheus server, or several shards of one.
    ///
    /// Operator: monitoring/v1.Prometheus.
    pub struct Prometheus { spec: PrometheusSpec, status: PrometheusStatus }
    "monitoring.coreos.com/v1", "prometheuses"
}

/// The spec of a server.
#[api(validations = rules::PROMETHEUS)]
#[api(of = "monitoring/v1.PrometheusSpec")]
pub struct PrometheusSpec {
    /// The fields that servers and agents share.
    #[api(flatten)]
    pub common: CommonPrometheusFields,
    /// A list of Alertmanagers in Prometheus' own form, which is copied unchanged.
    pub additional_alert_manager_configs: Option<SecretKeySelector>,
    /// A list of relabel rules for alerts in Prometheus' own form, which is copied unchanged.
    pub additional_alert_relabel_configs: Option<SecretKeySelector>,
    /// The Alertmanagers that alerts go to.
    pub alerting: Option<AlertingSpec>,
    /// Whether blocks may overlap; before Prometheus 2.39 only.
    pub allow_overlapping_blocks: Option<bool>,
    /// The image without tag; rather use `image`.
    pub base_image: Option<String>,
    /// Whether blocks are not compacted.
    pub disable_compaction: Option<bool>,
    /// Whether the admin API is enabled. Default false.
    pub enable_admin_api: Option<bool>,
    /// The evaluation interval of rules. Default 30s.
    #[api(default = crate::api::scalar::thirty_seconds)]
    pub evaluation_interval: Duration,
    /// The storage of exemplars.
    pub exemplars: Option<Exemplars>,
    /// Rules that are exempt from the enforced namespace label; rather use `excludedFromEnforcement`.
    pub prometheus_rules_excluded_from_enforce: Option<Vec<PrometheusRuleExcludeConfig>>,
    /// Limits of queries.
    pub query: Option<QuerySpec>,
    /// The file that queries are logged to. A bare name lands in a folder of its own.
    pub query_log_file: Option<String>,
    /// Places to read samples from.
    pub remote_read: Option<Vec<RemoteReadSpec>>,
    /// The retention of samples. Default 24h, unless `retentionSize` is set.
    pub retention: Option<Duration>,
    /// The maximum share of the data volume that samples take, in percent; 0 means no limit.
    pub retention_percentage: Option<Quantity>,
    /// The maximum size of the stored samples.
    pub retention_size: Option<ByteSize>,
    /// Selects the namespaces of PrometheusRules. Absent selects the own one, empty selects all.
    pub rule_namespace_selector: Option<LabelSelector>,
    /// By how much rules look back. Default none.
    pub rule_query_offset: Option<Duration>,
    /// Selects PrometheusRules. Absent selects none, empty selects all.
    pub rule_selector: Option<LabelSelector>,
    /// Settings of rule evaluation.
    pub rules: Option<Rules>,
    /// The digest of the image; rather use `image`.
    pub sha: Option<String>,
    /// What happens to scaled-down shards.
    pub shard_retention_policy: Option<ShardRetentionPolicy>,
    /// The tag of the image; rather use `image`.
    pub tag: Option<String>,
    /// A Thanos sidecar.
    pub thanos: Option<ThanosSpec>,
}

/// The storage of exemplars.
#[api(of = "monitoring/v1.Exemplars")]
pub struct Exemplars {
    /// The maximum number; 0 means Prometheus' default of 100,000, a negative number disables exemplars.
    pub max_size: Option<i64>,
}

/// A rule that is exempt from the enforced namespace label.
#[api(of = "monitoring/v1.PrometheusRuleExcludeConfig")]
pub struct PrometheusRuleExcludeConfig {
    /// Its name.
    pub rule_name: String,
    /// Its namespace.
    pub rule_namespace: String,
}

/// Limits of queries.
#[api(of = "monitoring/v1.QuerySpec")]
pub struct QuerySpec {
    /// The lookback of a query for a sample. Default 5m.
    pub lookback_delta: Option<String>,
    /// The maximum number of concurrent queries. Default 20.
    pub max_concurrency: Option<i32>,
    /// The maximum number of samples of a query. Default 50,000,000.
    pub max_samples: Option<i32>,
    /// The time-out of a query. Default 2m.
    pub timeout: Option<Duration>,
}

/// Settings of rule evaluation.
#[api(of = "monitoring/v1.Rules")]
pub struct Rules {
    /// Settings of alerts.
    pub alert: Option<RulesAlert>,
}

/// Settings of alerts.
#[api(of = "monitoring/v1.RulesAlert")]
pub struct RulesAlert {
    /// The minimum time an alert stays pending after a restart. Default 10m.
    pub for_grace_period: Option<String>,
    /// The maximum outage after which pending alerts are restored. Default 1h.
    pub for_outage_tolerance: Option<String>,
    /// The delay before an alert is sent again. Default 1m.
    pub resend_delay: Option<String>,
}

/// What happens to scaled-down shards.
#[api(of = "monitoring/v1.ShardRetentionPolicy")]
pub struct ShardRetentionPolicy {
    /// The retention of scaled-down shards, with `Retain`.
    pub retain: Option<RetainConfig>,
    /// Whether scaled-down shards are retained. Default `Delete`.
    pub when_scaled: Option<WhenScaledRetentionType>,
}

/// The retention of scaled-down shards.
#[api(of = "monitoring/v1.RetainConfig")]
pub struct RetainConfig {
    /// The time.
    pub retention_period: Duration,
}

string_enum! {
    /// What happens to scaled-down shards.
    pub enum WhenScaledRetentionType {
        /// They are retained.
        Retain = "Retain",
        /// They are deleted.
        Delete = "Delete",
    }
}
