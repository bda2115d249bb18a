//! What every phase of one workload needs to know.

mod account;

pub use account::Account;
pub(crate) use account::{ORIGIN, weight_of_job};

use crate::cluster::assets::AssetStore;
use crate::sharding::Sharding;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::gates::{self, Gate, Target, Versions};
use promgen_text::route::DocId;

/// A workload, and the run that it is compiled in.
#[derive(Debug)]
pub struct WorkloadContext<'a> {
    /// The document of the workload.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The versions that it is compiled for.
    pub versions: &'a Versions,
    /// Operator feature gates.
    pub target: &'a Target,
    /// The fields that Prometheus and PrometheusAgent share.
    pub common: &'a CommonPrometheusFields,
    /// The fields of a server. `None` for an agent.
    pub server: Option<&'a PrometheusSpec>,
    /// The agent runs as a DaemonSet.
    pub(crate) daemon_set: bool,
    /// The places of relabel rules are collected.
    pub(crate) traces_rules: bool,
    /// Secrets and ConfigMaps, as far as this workload reads them.
    pub assets: &'a AssetStore<'a>,
    /// The sharding rules, rendered once.
    pub sharding: &'a Sharding,
    /// The memory that the run may take.
    pub account: &'a Account,
}

impl WorkloadContext<'_> {
    /// Returns whether the agent runs on every node, and scrapes the pods of its own.
    pub const fn is_daemon_set(&self) -> bool {
        self.daemon_set
    }

    /// Returns whether the operator leaves the configuration to the user: a server with none of the four monitor
    /// selectors.
    pub(crate) fn is_unmanaged(&self) -> bool {
        let common = self.common;
        let selectors = [
            &common.service_monitor_selector,
            &common.pod_monitor_selector,
            &common.probe_selector,
            &common.scrape_config_selector,
        ];
        self.server.is_some() && selectors.iter().all(|s| s.is_none())
    }

    /// Returns whether the target has what the gate stands for.
    pub fn has(&self, gate: &Gate) -> bool {
        self.versions.has(gate)
    }

    /// Returns whether discovery may use endpoint slices: cluster and Prometheus have to know them.
    pub(crate) fn has_endpoint_slices(&self) -> bool {
        self.has(&gates::ENDPOINT_SLICE_API) && self.has(&gates::ENDPOINT_SLICE_ROLE)
    }

    /// Returns whether zones are told by the label of nodes, because the pods of this cluster do not carry it.
    pub(crate) fn needs_node_metadata(&self) -> bool {
        self.sharding.by_topology && !self.has(&gates::POD_ZONE_LABEL)
    }
}
