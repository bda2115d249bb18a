//! The rules of the CRDs that look at several fields at once, by their text. [`crate::schema`] knows how to check them.

use serde::Serialize;

/// A rule as a CRD states it.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Validation {
    message: &'static str,
    rule: &'static str,
}

const fn validation(message: &'static str, rule: &'static str) -> Validation {
    Validation { message, rule }
}

const ENOUGH_SHARDS: Validation = validation(
    "shards must be greater than or equal to the number of topology values when sharding strategy mode is Topology",
    "!has(self.shardingStrategy) || !has(self.shardingStrategy.mode) || self.shardingStrategy.mode != 'Topology' || !has(self.shardingStrategy.topology) || !has(self.shardingStrategy.topology.values) || self.shardingStrategy.topology.values.size() == 0 || (has(self.shards) ? self.shards : 1) >= self.shardingStrategy.topology.values.size()",
);

/// A field that a DaemonSet of agents has no use for.
macro_rules! no_daemon_set {
    ($field:literal) => {
        validation(
            concat!($field, " cannot be set when mode is DaemonSet"),
            concat!("!(has(self.mode) && self.mode == 'DaemonSet' && has(self.", $field, "))"),
        )
    };
}

/// Of `PrometheusSpec`.
pub(super) const PROMETHEUS: &[Validation] = &[ENOUGH_SHARDS];

/// Of `PrometheusAgentSpec`.
pub(super) const PROMETHEUS_AGENT: &[Validation] = &[
    no_daemon_set!("replicas"),
    no_daemon_set!("storage"),
    validation(
        "shards cannot be greater than 1 when mode is DaemonSet",
        "!(has(self.mode) && self.mode == 'DaemonSet' && has(self.shards) && self.shards > 1)",
    ),
    no_daemon_set!("persistentVolumeClaimRetentionPolicy"),
    no_daemon_set!("scrapeConfigSelector"),
    no_daemon_set!("probeSelector"),
    no_daemon_set!("scrapeConfigNamespaceSelector"),
    no_daemon_set!("probeNamespaceSelector"),
    no_daemon_set!("serviceMonitorSelector"),
    no_daemon_set!("serviceMonitorNamespaceSelector"),
    no_daemon_set!("additionalScrapeConfigs"),
    no_daemon_set!("shardingStrategy"),
    ENOUGH_SHARDS,
];

/// Of the operator's `ShardingStrategy`.
pub(super) const SHARDING: &[Validation] = &[validation(
    "topology can only be defined when mode is set to 'Topology'",
    "!has(self.topology) || (has(self.mode) && self.mode == 'Topology')",
)];

/// Of `Sigv4`.
pub(super) const SIGV4: &[Validation] = &[validation(
    "externalId can only be used when roleArn is specified",
    "!has(self.externalId) || has(self.roleArn)",
)];

/// Of `StatefulSetUpdateStrategy`.
pub(super) const UPDATE_STRATEGY: &[Validation] = &[validation(
    "rollingUpdate requires type to be RollingUpdate",
    "!(self.type != 'RollingUpdate' && has(self.rollingUpdate))",
)];
