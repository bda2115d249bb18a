//! Labels in matchers that no alert in the input has.

use promgen_model::words::first;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use memchr::memmem;

use crate::checks::routing::silent::externals;
use crate::checks::routing::{MAX_NAMES, Routed, finding};
use promgen_compile::output::{Config, WorkloadKind};
use promgen_model::model::World;
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_resources::api::PrometheusRule;
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_text::diag::{Sink, rules};
use promgen_text::suggest::is_slip;

rules! {
    /// ## What it does
    /// Finds matchers of routes that require a label that no alert in the input has: no rule sets it or has it in its expression,
    /// and no configuration of a Prometheus sets it on targets or alerts. The rule checks the routes of AlertmanagerConfigs, and only
    /// if the input has both alerts and the Prometheus that evaluates them.
    ///
    /// It also finds matchers of a label that every rule sets to a text of its own, where none of these texts matches: `sev1`, where
    /// all rules set `severity` to `warning` or `critical`. It takes `critical`, `warning`, `info` and `none` as severities that
    /// rules elsewhere set.
    ///
    /// And it finds labels in `equal` of inhibit rules that no alert has, or that servers drop before they send it: by
    /// `alertRelabelings`, and the one that tells replicas apart. A missing label is empty, and so equal: one source mutes all
    /// targets. The level is warning if the expressions of all alerts that the rule is for drop the label.
    ///
    /// ## Why is this bad?
    /// The route matches nothing, perhaps because of a misspelt label. The level is info because an exporter may have metrics with
    /// that label.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {alertmanagerConfigSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {ruleSelector: {}, serviceMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: cart}
    /// spec:
    ///   receivers: [{name: chat}]
    ///   route:
    ///     receiver: chat
    ///     routes:
    ///     - receiver: chat
    ///       matchers: [{name: severty, matchType: "=", value: critical}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', labels: {severity: critical}}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {alertmanagerConfigSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {ruleSelector: {}, serviceMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: cart}
    /// spec:
    ///   receivers: [{name: chat}]
    ///   route:
    ///     receiver: chat
    ///     routes:
    ///     - receiver: chat
    ///       matchers: [{name: severity, matchType: "=", value: critical}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', labels: {severity: critical}}
    /// ```
    UNKNOWN_ALERT_LABEL = "PG615" "unknown-alert-label" Info: "a matcher on a label or value that no alert in the input has";
}

/// Labels that every alert about a scraped target may have.
const OF_TARGETS: [&str; 9] = [
    "alertname",
    "container",
    "endpoint",
    "instance",
    "job",
    "namespace",
    "node",
    "pod",
    "service",
];

/// Checks the matchers of routes.
pub(super) fn check(model: &World<'_>, given: &[&Routed<'_>], alerts: &[Alert], sink: &mut Sink) {
    if alerts.is_empty() || model.cluster().prometheuses.is_empty() {
        return;
    }
    let Some(labels) = PossibleLabels::new(model) else {
        return;
    };
    let mut values = SetValues {
        alerts,
        is_open: are_relabeled(model),
        externals: externals(model),
        known: BTreeMap::new(),
    };
    let mut known: BTreeMap<String, bool> = BTreeMap::new();
    let mut is_known = |name: &str| {
        *known
            .entry(name.to_owned())
            .or_insert_with(|| labels.contains(name))
    };
    for routed in given {
        for (way, node, _) in routed.tree.routes() {
            for matcher in &node.matchers {
                if !values.rules_out(matcher) {
                    continue;
                }
                let what = match node.source.is_secret {
                    true => "a matcher asks for a value that no alert in the input has".to_owned(),
                    false => format!(
                        "no alert in the input has `{matcher}`: {}",
                        values.words(&matcher.name)
                    ),
                };
                let found = finding(
                    &UNKNOWN_ALERT_LABEL,
                    &node.source,
                    |at| at.key("matchers"),
                    what,
                );
                let help = "the route takes none of them; ignore this if rules that are not in the input set the value";
                found
                    .into_iter()
                    .for_each(|found| sink.report(found.help(help)));
            }
            if !super::is_of_config(&node.source) {
                continue;
            }
            for (index, matcher) in routed.own_matchers(&way, node).0.iter().enumerate() {
                // A matcher that accepts a missing label does not require it.
                let is_required = !matcher.accepts("")
                    && matches!(
                        matcher.operator,
                        MatchOperator::Equal | MatchOperator::Matches
                    );
                if !is_required || is_known(&matcher.name) {
                    continue;
                }
                let message = format!("no alert in the input has the label `{}`", matcher.name);
                let at_matcher =
                    |at: promgen_text::route::At| at.key("matchers").index(index).key("name");
                let found = finding(&UNKNOWN_ALERT_LABEL, &node.source, at_matcher, message);
                if let Some(found) = found {
                    let help =
                        "check its spelling; ignore this if series of an exporter have the label";
                    sink.report(found.help(help));
                }
            }
        }
    }
}

/// The severities of rules that anybody may apply beside those in the input.
pub(super) const COMMON: [&str; 4] = ["critical", "info", "none", "warning"];

/// The values that the rules set, of labels that every rule sets.
struct SetValues<'a> {
    alerts: &'a [Alert],
    /// Something may change the labels of alerts.
    is_open: bool,
    externals: BTreeSet<&'a str>,
    known: BTreeMap<String, Option<BTreeSet<&'a str>>>,
}

impl<'a> SetValues<'a> {
    /// The values of a label. `None` if a rule does not set it, or sets it by a template.
    fn of(&mut self, name: &str) -> Option<&BTreeSet<&'a str>> {
        let alerts = self.alerts;
        let set = || {
            let values = alerts
                .iter()
                .map(|alert| alert.labels.get(name).map(String::as_str));
            values
                .map(|value| value.filter(|value| !value.contains("{{")))
                .collect::<Option<BTreeSet<_>>>()
        };
        self.known
            .entry(name.to_owned())
            .or_insert_with(set)
            .as_ref()
    }

    /// Returns whether no alert has what a matcher asks for.
    fn rules_out(&mut self, matcher: &AlertMatcher) -> bool {
        let asks = matches!(
            matcher.operator,
            MatchOperator::Equal | MatchOperator::Matches
        ) && !matcher.accepts("");
        let is_free = OF_TARGETS.contains(&matcher.name.as_str())
            || self.externals.contains(matcher.name.as_str());
        let is_common = COMMON.iter().any(|value| matcher.accepts(value));
        if !asks || is_free || is_common || self.is_open || self.alerts.len() < 2 {
            return false;
        }
        // What is almost a value, or a pattern, is a finding of its own.
        let is_pattern = matcher.operator == MatchOperator::Equal
            && matcher.value.contains(['|', '*', '+', '(', '[']);
        let is_near = |value: &str| {
            value.eq_ignore_ascii_case(&matcher.value) || is_slip(&matcher.value, value)
        };
        !is_pattern
            && self.of(&matcher.name).is_some_and(|values| {
                !values
                    .iter()
                    .any(|value| matcher.accepts(value) || is_near(value))
            })
    }

    fn words(&mut self, name: &str) -> String {
        let values: Vec<&str> = self.of(name).into_iter().flatten().copied().collect();
        format!("all rules set `{name}` to {}", first(&values, MAX_NAMES))
    }
}

/// The labels that alerts in the input may have: those of rules, and any word of an expression or a configuration.
pub(super) struct PossibleLabels<'a> {
    of_rules: Vec<Arc<RuleLabels>>,
    configs: Vec<&'a Config>,
}

/// The labels of the rules of a resource, and the words of their expressions.
struct RuleLabels(BTreeSet<String>);

impl RuleLabels {
    fn new(rules: &PrometheusRule) -> Self {
        let mut known = BTreeSet::new();
        for group in rules.spec.groups.iter().flatten() {
            known.extend(
                group
                    .labels
                    .iter()
                    .flatten()
                    .map(|(name, _)| name.to_string()),
            );
            for rule in group.rules.iter().flatten() {
                known.extend(
                    rule.labels
                        .iter()
                        .flatten()
                        .map(|(name, _)| name.to_string()),
                );
                if let IntOrString::String(expr) = &rule.expr {
                    known.extend(words(expr).map(str::to_owned));
                }
            }
        }
        Self(known)
    }
}

impl<'a> PossibleLabels<'a> {
    /// `None` if some configuration is unknown.
    pub(super) fn new(model: &World<'a>) -> Option<Self> {
        let rules = model.cluster().prometheus_rules.values();
        let servers = model
            .workloads
            .iter()
            .filter(|workload| workload.id.kind == WorkloadKind::Prometheus);
        Some(Self {
            of_rules: rules
                .map(|rules| rules.value.derive(RuleLabels::new))
                .collect(),
            configs: servers
                .map(|server| server.config.as_ref())
                .collect::<Option<_>>()?,
        })
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        OF_TARGETS.contains(&name)
            || self.of_rules.iter().any(|rules| rules.0.contains(name))
            || self.is_configured(name)
    }

    /// Returns whether a configuration has the name.
    pub(super) fn is_configured(&self, name: &str) -> bool {
        self.configs
            .iter()
            .any(|config| config.has_text(|text| has_word(text, name)))
    }
}

/// Returns whether a Prometheus rewrites the labels of its alerts.
pub(super) fn are_relabeled(model: &World<'_>) -> bool {
    model.cluster().prometheuses.values().any(|server| {
        let spec = &server.value.spec;
        let endpoints = spec
            .alerting
            .iter()
            .flat_map(|alerting| &alerting.alertmanagers);
        let has_relabelings =
            |endpoint: &AlertmanagerEndpoints| endpoint.alert_relabelings.is_some();
        spec.additional_alert_relabel_configs.is_some()
            || endpoints.into_iter().any(has_relabelings)
    })
}

/// The words of a text that may be labels.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_of_word(c))
        .filter(|word| !word.is_empty())
}

const fn is_of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns whether a text has that word.
fn has_word(text: &str, word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(is_of_word)
        && memmem::find_iter(text.as_bytes(), word).any(|at| {
            !text[..at].ends_with(is_of_word) && !text[at + word.len()..].starts_with(is_of_word)
        })
}
