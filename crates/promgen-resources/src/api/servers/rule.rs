//! `PrometheusRule`: alerts and recorded series.

use std::collections::BTreeMap;

use promgen_derive::Decode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::meta::ObjectMeta;
use crate::api::scalar::{Duration, IntOrString, NonEmptyDuration};
use crate::api::status::ConfigResourceStatus;
use crate::api::{resource, unformatted, unset};

resource! {
    /// Alerting and recording rules.
    ///
    /// Operator: monitoring/v1.PrometheusRule.
    pub struct PrometheusRule { spec: PrometheusRuleSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "prometheusrules"
}

/// Groups of rules.
///
/// Operator: monitoring/v1.PrometheusRuleSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PrometheusRuleSpec {
    /// The groups. Each name once.
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub groups: Option<Vec<RuleGroup>>,
}

/// Rules that are evaluated together, in order.
///
/// Operator: monitoring/v1.RuleGroup.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuleGroup {
    /// How often. Default the server's.
    pub interval: Option<Duration>,
    /// Labels of every series and alert of the group; those of a rule win.
    #[serde(skip_serializing_if = "unset")]
    pub labels: Option<BTreeMap<String, String>>,
    /// How many alerts or series a rule may give; 0 means any number.
    #[schemars(transform = unformatted)]
    pub limit: Option<i64>,
    /// Its name, once per resource.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What Thanos Ruler does when a store does not answer: `abort` or `warn`.
    #[serde(rename = "partial_response_strategy", skip_serializing_if = "unset")]
    #[schemars(regex(pattern = r"^(?i)(abort|warn)?$"))]
    pub partial_response_strategy: Option<String>,
    /// By how much its rules look back. Default the server's.
    #[serde(rename = "query_offset")]
    pub query_offset: Option<Duration>,
    /// The rules.
    #[serde(skip_serializing_if = "unset")]
    pub rules: Option<Vec<Rule>>,
}

/// An alerting or a recording rule: `alert` or `record` tells.
///
/// Operator: monitoring/v1.Rule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// The alert's name.
    #[serde(skip_serializing_if = "unset")]
    pub alert: Option<String>,
    /// What to tell about the alert.
    #[serde(skip_serializing_if = "unset")]
    pub annotations: Option<BTreeMap<String, String>>,
    /// The expression.
    pub expr: IntOrString,
    /// How long it must hold before the alert fires. Default 0.
    pub r#for: Option<Duration>,
    /// How long the alert keeps firing afterwards. Default 0.
    #[serde(rename = "keep_firing_for")]
    pub keep_firing_for: Option<NonEmptyDuration>,
    /// Labels to add or replace.
    #[serde(skip_serializing_if = "unset")]
    pub labels: Option<BTreeMap<String, String>>,
    /// The name of the series.
    #[serde(skip_serializing_if = "unset")]
    pub record: Option<String>,
}
