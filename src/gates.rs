//! What exists since, and until, which version: the one table.
//!
//! Call sites never compare versions; they ask [`Versions`] whether it [`has`](Versions::has) a [`Gate`]. The table is a
//! feature of its own: it can be listed, and a field that the target does not know is reported at its place.

use std::collections::BTreeMap;

use crate::version::Version;

/// Whose version a gate looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Axis {
    /// The version of Prometheus that the workload runs.
    Prometheus,
    /// The version of the cluster.
    Kubernetes,
    /// The version of the Thanos sidecar.
    Thanos,
}

/// What happens where a value is set and the target lacks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Miss {
    /// The operator leaves it out in silence.
    Drop,
    /// The operator refuses the resource.
    Reject,
    /// The operator takes the older form, and nothing is lost.
    Fallback,
}

/// A thing that exists in a range of versions.
#[derive(Debug, PartialEq, Eq)]
pub struct Gate {
    /// The name of its constant.
    pub name: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Whose version counts.
    pub axis: Axis,
    /// First version that has it.
    pub since: Version,
    /// First version that no longer has it.
    pub until: Option<Version>,
    /// What a miss means.
    pub miss: Miss,
}

impl Gate {
    /// Whether that version, of what the gate's axis says, has it.
    #[must_use]
    pub fn admits(&self, version: &Version) -> bool {
        *version >= self.since && self.until.as_ref().is_none_or(|until| version < until)
    }
}

/// Declares the gates and the list of all of them.
macro_rules! gates {
    ($($(#[doc = $doc:literal])+ $axis:ident since ($($since:literal),+) $(until ($($until:literal),+))? => $miss:ident $id:ident;)+) => {
        $(
            $(#[doc = $doc])+
            pub static $id: Gate = Gate {
                name: stringify!($id),
                summary: concat!($($doc),+),
                axis: Axis::$axis,
                since: Version::new($($since),+),
                until: gates!(@until $(($($until),+))?),
                miss: Miss::$miss,
            };
        )+

        /// Every gate, in the order of the table.
        pub static GATES: &[&Gate] = &[$(&$id),+];
    };
    (@until) => { None };
    (@until ($($until:literal),+)) => { Some(Version::new($($until),+)) };
}

gates! {
    /// `role: endpointslice` in service discovery, on the cluster's side.
    Kubernetes since (1, 21, 0) => Fallback ENDPOINT_SLICE_API;
    /// `role: endpointslice` in service discovery, on Prometheus' side.
    Prometheus since (2, 21, 0) => Fallback ENDPOINT_SLICE_ROLE;
    /// The zone label on pods, so that node metadata need not be attached for topology sharding.
    Kubernetes since (1, 35, 0) => Fallback POD_ZONE_LABEL;
    /// The relabel actions `lowercase` and `uppercase`.
    Prometheus since (2, 36, 0) => Reject RELABEL_CASE_ACTIONS;
    /// The relabel actions `keepequal` and `dropequal`.
    Prometheus since (2, 41, 0) => Reject RELABEL_EQUAL_ACTIONS;
    /// Label names of any characters.
    Prometheus since (3, 0, 0) => Reject UTF8_LABEL_NAMES;
}

/// An operator feature gate, `--feature-gates` of the operator.
#[derive(Debug, PartialEq, Eq)]
pub struct Feature {
    /// The operator's name for it.
    pub name: &'static str,
    /// Whether it is on unless the user says otherwise.
    pub default: bool,
    /// What it does.
    pub summary: &'static str,
}

/// The DaemonSet mode of PrometheusAgent.
pub static AGENT_DAEMON_SET: Feature =
    Feature { name: "PrometheusAgentDaemonSet", default: false, summary: "DaemonSet mode of PrometheusAgent" };
/// Zone-aware sharding.
pub static TOPOLOGY_SHARDING: Feature =
    Feature { name: "PrometheusTopologySharding", default: true, summary: "zone-aware sharding, mode Topology" };
/// Retention of shards that were scaled down.
pub static SHARD_RETENTION: Feature = Feature {
    name: "PrometheusShardRetentionPolicy",
    default: true,
    summary: "keeps the data of shards that were scaled down",
};
/// Status bindings on configuration resources.
pub static CONFIG_RESOURCE_STATUS: Feature = Feature {
    name: "StatusForConfigurationResources",
    default: false,
    summary: "status bindings on ServiceMonitor, PodMonitor, Probe, ScrapeConfig and PrometheusRule",
};

/// Every operator feature gate that plays a part.
pub static FEATURES: &[&Feature] = &[&AGENT_DAEMON_SET, &TOPOLOGY_SHARDING, &SHARD_RETENTION, &CONFIG_RESOURCE_STATUS];

/// The versions and switches that a run compiles for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Version of the cluster.
    pub kubernetes: Version,
    /// Version of Prometheus for every workload, whatever its `spec.version` says.
    pub prometheus: Option<Version>,
    /// Version of Prometheus for workloads without `spec.version`, as the user or the operator writes it.
    pub default_prometheus: String,
    /// Operator feature gates that differ from their default.
    pub features: BTreeMap<String, bool>,
}

impl Default for Target {
    /// Kubernetes 1.35, and the Prometheus version of operator v0.93.
    fn default() -> Self {
        Self {
            kubernetes: Version::new(1, 35, 0),
            prometheus: None,
            default_prometheus: "v3.13.2".to_owned(),
            features: BTreeMap::new(),
        }
    }
}

impl Target {
    /// Whether an operator feature gate is on.
    #[must_use]
    pub fn enabled(&self, feature: &Feature) -> bool {
        self.features.get(feature.name).copied().unwrap_or(feature.default)
    }
}

/// The versions that one workload is compiled for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Of Prometheus.
    pub prometheus: Version,
    /// Of the cluster.
    pub kubernetes: Version,
    /// Of the Thanos sidecar, or of Thanos Ruler.
    pub thanos: Version,
}

impl Versions {
    /// Whether these versions have what the gate stands for.
    #[must_use]
    pub fn has(&self, gate: &Gate) -> bool {
        let version = match gate.axis {
            Axis::Prometheus => &self.prometheus,
            Axis::Kubernetes => &self.kubernetes,
            Axis::Thanos => &self.thanos,
        };
        gate.admits(version)
    }
}
