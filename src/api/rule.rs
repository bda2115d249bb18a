//! `PrometheusRule`: alerts and recorded series.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::meta::ObjectMeta;
use crate::api::scalar::{Duration, IntOrString, NonEmptyDuration};
use crate::api::status::ConfigResourceStatus;
use crate::api::{resource, unformatted};

resource! {
    /// Alerting and recording rules.
    ///
    /// Operator: monitoring/v1.PrometheusRule.
    pub struct PrometheusRule { spec: PrometheusRuleSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "prometheusrules"
}

/// Operator: monitoring/v1.PrometheusRuleSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusRuleSpec {
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub groups: Option<Vec<RuleGroup>>,
}

/// Operator: monitoring/v1.RuleGroup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleGroup {
    pub interval: Option<Duration>,
    pub labels: Option<BTreeMap<String, String>>,
    #[schemars(transform = unformatted)]
    pub limit: Option<i64>,
    #[schemars(length(min = 1))]
    pub name: String,
    #[serde(rename = "partial_response_strategy")]
    #[schemars(regex(pattern = r"^(?i)(abort|warn)?$"))]
    pub partial_response_strategy: Option<String>,
    #[serde(rename = "query_offset")]
    pub query_offset: Option<Duration>,
    pub rules: Option<Vec<Rule>>,
}

/// Operator: monitoring/v1.Rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    pub alert: Option<String>,
    pub annotations: Option<BTreeMap<String, String>>,
    pub expr: IntOrString,
    pub r#for: Option<Duration>,
    #[serde(rename = "keep_firing_for")]
    pub keep_firing_for: Option<NonEmptyDuration>,
    pub labels: Option<BTreeMap<String, String>>,
    pub record: Option<String>,
}
