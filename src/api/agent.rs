//! `PrometheusAgent`: scrapes and forwards, stores and evaluates nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::common::CommonPrometheusFields;
use crate::api::meta::ObjectMeta;
use crate::api::status::PrometheusStatus;
use crate::api::{resource, rules, string_enum};

resource! {
    /// A Prometheus in agent mode.
    ///
    /// Operator: monitoring/v1alpha1.PrometheusAgent.
    pub struct PrometheusAgent { spec: PrometheusAgentSpec, status: PrometheusStatus }
    "monitoring.coreos.com/v1alpha1", "prometheusagents"
}

/// Operator: monitoring/v1alpha1.PrometheusAgentSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules::PROMETHEUS_AGENT))]
pub struct PrometheusAgentSpec {
    #[serde(flatten)]
    pub common: CommonPrometheusFields,
    pub mode: Option<DaemonSetMode>,
}

string_enum! {
    /// One of the allowed values.
    pub enum DaemonSetMode {
        /// `StatefulSet`.
        StatefulSet = "StatefulSet",
        /// `DaemonSet`.
        DaemonSet = "DaemonSet",
    }
}
