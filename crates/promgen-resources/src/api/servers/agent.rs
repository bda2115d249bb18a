//! `PrometheusAgent`: scrapes and forwards, stores and evaluates nothing.

use promgen_derive::api;

use crate::api::meta::ObjectMeta;
use crate::api::servers::common::CommonPrometheusFields;
use crate::api::status::PrometheusStatus;
use crate::api::{resource, rules, string_enum};

resource! {
    /// A Prometheus in agent mode.
    ///
    /// Operator: monitoring/v1alpha1.PrometheusAgent.
    pub struct PrometheusAgent { spec: PrometheusAgentSpec, status: PrometheusStatus }
    "monitoring.coreos.com/v1alpha1", "prometheusagents"
}

/// The spec of an agent.
#[api(validations = rules::PROMETHEUS_AGENT)]
#[api(of = "monitoring/v1alpha1.PrometheusAgentSpec")]
pub struct PrometheusAgentSpec {
    /// The fields that servers and agents share.
    #[api(flatten)]
    pub common: CommonPrometheusFields,
    /// Whether it runs as StatefulSets or as a DaemonSet, which requires a feature gate. Default `StatefulSet`.
    pub mode: Option<DaemonSetMode>,
}

string_enum! {
    /// The mode of agents.
    pub enum DaemonSetMode {
        /// As StatefulSets.
        StatefulSet = "StatefulSet",
        /// As a DaemonSet: one agent per node, which scrapes that node.
        DaemonSet = "DaemonSet",
    }
}
