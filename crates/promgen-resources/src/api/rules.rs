//! The validation rules of the CRDs over several fields.
//!
//! Each has the text of its CRD and its requirement, as data; [`crate::schema`] checks them. The types refer to them by
//! `x-kubernetes-validations`.

use promgen_text::describe::{Demand, Validation};

const SHARD_PER_ZONE: Validation = Validation {
    message: "shards must be greater than or equal to the number of topology values when sharding strategy mode is Topology",
    rule: "!has(self.shardingStrategy) || !has(self.shardingStrategy.mode) || self.shardingStrategy.mode != 'Topology' || !has(self.shardingStrategy.topology) || !has(self.shardingStrategy.topology.values) || self.shardingStrategy.topology.values.size() == 0 || (has(self.shards) ? self.shards : 1) >= self.shardingStrategy.topology.values.size()",
    demand: Demand::ShardPerZone,
};

/// A field that a DaemonSet of agents has no use for.
macro_rules! absent_in_daemon_set {
    ($field:literal) => {
        Validation {
            message: concat!($field, " cannot be set when mode is DaemonSet"),
            rule: concat!(
                "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.",
                $field,
                "))"
            ),
            demand: Demand::AbsentInDaemonSet($field),
        }
    };
}

/// Of `PrometheusSpec`.
pub(super) const PROMETHEUS: &[Validation] = &[SHARD_PER_ZONE];

/// Of `PrometheusAgentSpec`.
pub(super) const PROMETHEUS_AGENT: &[Validation] = &[
    absent_in_daemon_set!("replicas"),
    absent_in_daemon_set!("storage"),
    Validation {
        message: "shards cannot be greater than 1 when mode is DaemonSet",
        rule: "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.shards) && self.shards > 1)",
        demand: Demand::OneShardInDaemonSet,
    },
    absent_in_daemon_set!("persistentVolumeClaimRetentionPolicy"),
    absent_in_daemon_set!("scrapeConfigSelector"),
    absent_in_daemon_set!("probeSelector"),
    absent_in_daemon_set!("scrapeConfigNamespaceSelector"),
    absent_in_daemon_set!("probeNamespaceSelector"),
    absent_in_daemon_set!("serviceMonitorSelector"),
    absent_in_daemon_set!("serviceMonitorNamespaceSelector"),
    absent_in_daemon_set!("additionalScrapeConfigs"),
    absent_in_daemon_set!("shardingStrategy"),
    SHARD_PER_ZONE,
];

/// Of `ScrapeConfigSpec`.
pub(super) const SCRAPE_CONFIG: &[Validation] = &[Validation {
    message: "at most one of basicAuth, authorization, or oauth2 can be configured",
    rule: "[has(self.basicAuth), has(self.authorization), has(self.oauth2)].filter(x, x).size() <= 1",
    demand: Demand::AtMostOne(&["basicAuth", "authorization", "oauth2"]),
}];

/// Of the operator's `ShardingStrategy`.
pub(super) const SHARDING: &[Validation] = &[Validation {
    message: "topology can only be defined when mode is set to 'Topology'",
    rule: "!has(self.topology) || (has(self.mode) && self.mode == 'Topology')",
    demand: Demand::TopologyWithMode,
}];

/// Of `Sigv4`.
pub(super) const SIGV4: &[Validation] = &[Validation {
    message: "externalId can only be used when roleArn is specified",
    rule: "!has(self.externalId) || has(self.roleArn)",
    demand: Demand::ExternalIdWithRole,
}];

/// Of the operator's `GlobalTelegramConfig`.
pub(super) const GLOBAL_TELEGRAM: &[Validation] = &[Validation {
    message: "botToken and botTokenFile are mutually exclusive.",
    rule: "!has(self.botToken) || !has(self.botTokenFile)",
    demand: Demand::AtMostOne(&["botToken", "botTokenFile"]),
}];

/// Of the operator's `WebexConfig`.
pub(super) const WEBEX: &[Validation] = &[Validation {
    message: "httpConfig.authorization or httpConfig.bearerTokenSecret is required",
    rule: "has(self.httpConfig) && (has(self.httpConfig.authorization) || has(self.httpConfig.bearerTokenSecret))",
    demand: Demand::OneBelow("httpConfig", &["authorization", "bearerTokenSecret"]),
}];

/// Of `StatefulSetUpdateStrategy`.
pub(super) const UPDATE_STRATEGY: &[Validation] = &[Validation {
    message: "rollingUpdate requires type to be RollingUpdate",
    rule: "!(self.type != 'RollingUpdate' && has(self.rollingUpdate))",
    demand: Demand::RollingUpdateWithType,
}];
