//! `PrometheusRule`: alerts and recorded series.

use promgen_derive::api;

use crate::api::meta::ObjectMeta;
use crate::api::resource;
use crate::api::scalar::{Duration, IntOrString, NonEmptyDuration};
use crate::api::status::ConfigResourceStatus;
use promgen_text::yaml::StringMap;

resource! {
    /// Alerting and recording rules.
    ///
    /// Operator: monitoring/v1.PrometheusRule.
    pub struct PrometheusRule { spec: PrometheusRuleSpec, status: ConfigResourceStatus }
    "monitoring.coreos.com/v1", "prometheusrules"
}

/// Groups of rules.
#[api(of = "monitoring/v1.PrometheusRuleSpec")]
pub struct PrometheusRuleSpec {
    /// The groups. Each name once.
    #[api(omit_empty)]
    pub groups: Option<Vec<RuleGroup>>,
}

/// Rules that are evaluated together, in order.
#[api(of = "monitoring/v1.RuleGroup")]
pub struct RuleGroup {
    /// The interval. Default the server's.
    pub interval: Option<Duration>,
    /// Labels of every series and alert of the group; those of a rule win.
    #[api(omit_empty)]
    pub labels: Option<StringMap>,
    /// The maximum number of alerts or series of a rule; 0 means no limit.
    pub limit: Option<i64>,
    /// Its name, once per resource.
    pub name: String,
    /// What Thanos Ruler does when a store does not respond: `abort` or `warn`.
    #[api(omit_empty)]
    pub partial_response_strategy: Option<String>,
    /// By how much its rules look back. Default the server's.
    pub query_offset: Option<Duration>,
    /// The rules.
    #[api(omit_empty)]
    pub rules: Option<Vec<Rule>>,
}

/// An alerting rule with `alert`, or a recording rule with `record`.
#[api(of = "monitoring/v1.Rule")]
pub struct Rule {
    /// The alert's name.
    #[api(omit_empty)]
    pub alert: Option<String>,
    /// Annotations of the alert.
    #[api(omit_empty)]
    pub annotations: Option<StringMap>,
    /// The expression.
    pub expr: IntOrString,
    /// The time that the alert is pending before it fires. Default 0.
    pub r#for: Option<Duration>,
    /// The time that the alert keeps firing afterwards. Default 0.
    pub keep_firing_for: Option<NonEmptyDuration>,
    /// Labels to add or replace.
    #[api(omit_empty)]
    pub labels: Option<StringMap>,
    /// The name of the series.
    #[api(omit_empty)]
    pub record: Option<String>,
}
