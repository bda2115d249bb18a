//! The target of a run: the release of the operator with its flags and feature gates, and the versions of the rest.

use std::collections::BTreeMap;

use crate::facts::{self, CodeRow};
use crate::gates::flags::OperatorFlags;
use crate::gates::{Axis, Gate};
use crate::release::{self, Release};
use crate::watch::Watch;
use promgen_text::version::Version;

/// An operator feature gate, `--feature-gates` of the operator. The table of facts has its releases.
#[derive(Debug, PartialEq, Eq)]
pub struct Feature {
    /// The operator's name for it.
    pub name: &'static str,
    /// The effect.
    pub summary: &'static str,
}

impl Feature {
    const fn named(name: &'static str, summary: &'static str) -> Self {
        Self { name, summary }
    }

    /// Returns whether a release of the operator knows it.
    #[must_use]
    pub fn is_known(&self, operator: &Version) -> bool {
        self.row(operator).is_some()
    }

    /// Its default in a release of the operator.
    #[must_use]
    pub fn default(&self, operator: &Version) -> bool {
        self.row(operator).is_some_and(|row| row.value == "on")
    }

    /// The row of the table that holds for a release of the operator.
    fn row(&self, operator: &Version) -> Option<CodeRow<'static>> {
        facts::of_name("feature", self.name)
            .filter(|row| release::of_tag(row.since) <= *operator)
            .last()
    }
}

/// The DaemonSet mode of PrometheusAgent.
pub static AGENT_DAEMON_SET: Feature = Feature::named(
    "PrometheusAgentDaemonSet",
    "DaemonSet mode of PrometheusAgent",
);
/// Zone-aware sharding.
pub static TOPOLOGY_SHARDING: Feature = Feature::named(
    "PrometheusTopologySharding",
    "zone-aware sharding, mode Topology",
);
/// Retention of scaled-down shards.
pub static SHARD_RETENTION: Feature = Feature::named(
    "PrometheusShardRetentionPolicy",
    "keeps the data of scaled-down shards",
);
/// Status bindings on configuration resources.
pub static CONFIG_RESOURCE_STATUS: Feature = Feature::named(
    "StatusForConfigurationResources",
    "status bindings on ServiceMonitor, PodMonitor, Probe, ScrapeConfig and PrometheusRule",
);

/// Every operator feature gate that promgen supports.
pub static FEATURES: &[&Feature] = &[
    &AGENT_DAEMON_SET,
    &TOPOLOGY_SHARDING,
    &SHARD_RETENTION,
    &CONFIG_RESOURCE_STATUS,
];

/// The target versions and feature gates of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The release of the operator. `None`: what the input shows, else the current one.
    pub operator: Option<Version>,
    /// Version of the cluster.
    pub kubernetes: Version,
    /// Version of Prometheus for every workload, overriding `spec.version`.
    pub prometheus: Option<Version>,
    /// Version of Prometheus for workloads without `spec.version`, as the user or the operator writes it. `None`: that of
    /// the release.
    pub default_prometheus: Option<String>,
    /// The same of Alertmanager.
    pub default_alertmanager: Option<String>,
    /// The same of Thanos.
    pub default_thanos: Option<String>,
    /// The image of the config reloader. `None`: that of the release.
    pub reloader_image: Option<String>,
    /// Operator feature gates that differ from their default.
    pub features: BTreeMap<String, bool>,
    /// The objects that the operator watches.
    pub watch: Watch,
    /// The flags of the operator that shape its pods.
    pub flags: OperatorFlags,
}

impl Default for Target {
    /// Kubernetes 1.35, and what the current release of the operator deploys.
    fn default() -> Self {
        Self {
            operator: None,
            kubernetes: Version::new(1, 35, 0),
            prometheus: None,
            default_prometheus: None,
            default_alertmanager: None,
            default_thanos: None,
            reloader_image: None,
            features: BTreeMap::new(),
            watch: Watch::default(),
            flags: OperatorFlags::default(),
        }
    }
}

impl Target {
    /// The defaults of the release.
    #[must_use]
    pub fn release(&self) -> &'static Release {
        self.operator
            .as_ref()
            .and_then(release::row)
            .unwrap_or(*release::CURRENT)
    }

    /// The version of the operator.
    #[must_use]
    pub fn operator_version(&self) -> &Version {
        self.operator.as_ref().unwrap_or(&release::CURRENT.version)
    }

    /// Returns whether the release of the operator has what the gate stands for.
    #[must_use]
    pub fn has(&self, gate: &Gate) -> bool {
        gate.axis == Axis::Operator && gate.admits(self.operator_version())
    }

    /// Returns whether an operator feature gate is on.
    #[must_use]
    pub fn enabled(&self, feature: &Feature) -> bool {
        let operator = self.operator_version();
        let is_on = self
            .features
            .get(feature.name)
            .copied()
            .unwrap_or_else(|| feature.default(operator));
        is_on && feature.is_known(operator)
    }

    /// Feature gates that are set, and that the release does not know. The operator does not start with one.
    pub fn unknown_features(&self) -> impl Iterator<Item = &str> {
        let operator = self.operator_version();
        let is_known = |name: &str| {
            FEATURES
                .iter()
                .any(|feature| feature.name == name && feature.is_known(operator))
        };
        self.features
            .keys()
            .map(String::as_str)
            .filter(move |name| !is_known(name))
    }

    /// The version of Prometheus where a resource names none.
    #[must_use]
    pub fn default_prometheus(&self) -> &str {
        self.default_prometheus
            .as_deref()
            .unwrap_or(self.release().prometheus)
    }

    /// The version of Alertmanager where a resource names none.
    #[must_use]
    pub fn default_alertmanager(&self) -> &str {
        self.default_alertmanager
            .as_deref()
            .unwrap_or(self.release().alertmanager)
    }

    /// The version of Thanos where a resource names none.
    #[must_use]
    pub fn default_thanos(&self) -> &str {
        self.default_thanos
            .as_deref()
            .unwrap_or(self.release().thanos)
    }

    /// The image of the config reloader. That of a patch release without a row has its own tag.
    #[must_use]
    pub fn reloader_image(&self) -> String {
        match (&self.reloader_image, &self.operator) {
            (Some(image), _) => image.clone(),
            (None, Some(version)) => {
                format!("{}:{}", *release::RELOADER_IMAGE, release::tag(version))
            }
            (None, None) => self.release().reloader_image(),
        }
    }
}
