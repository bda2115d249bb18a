//! Matchers of routes whose value is almost the one that alerts have.

use std::collections::{BTreeMap, BTreeSet};

use super::Routed;
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::diag::{Sink, rule};
use promgen_text::suggest;

rule! {
    /// ## What it does
    /// Finds matchers of routes and inhibit rules that compare `alertname`, or a label that rules set, with a text that no alert
    /// in the input has, where one has almost that text: another case, or a letter more or less.
    ///
    /// ## Why is this bad?
    /// `=` compares letter by letter: the route takes no alert. Ignore this if rules that are not in the input set that value.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {alertmanagerConfigSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: cart}
    /// spec:
    ///   route:
    ///     receiver: chat
    ///     matchers: [{name: severity, value: Critical}]
    ///   receivers: [{name: chat, webhookConfigs: [{url: "http://chat.shop/"}]}]
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
    /// Use instead: the text that the rules set.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec: {alertmanagerConfigSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: AlertmanagerConfig
    /// metadata: {name: cart}
    /// spec:
    ///   route:
    ///     receiver: chat
    ///     matchers: [{name: severity, value: critical}]
    ///   receivers: [{name: chat, webhookConfigs: [{url: "http://chat.shop/"}]}]
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
    pub(in crate::checks) static MISSPELT_VALUE = "PG628" "misspelt-value" {
        summary: "a matcher of a route whose value is almost the one that alerts have", level: Warning,
    }
}

/// Labels whose values differ from rule to rule, so that two that are alike are two all the same.
const FREE: [&str; 3] = ["namespace", "instance", "pod"];

/// Checks the matchers of an Alertmanager.
pub(super) fn check(routed: &Routed<'_>, alerts: &[Alert], sink: &mut Sink) {
    let mut values = ValuesByLabel {
        alerts,
        known: BTreeMap::new(),
        left: MAX_COMPARED,
    };
    for placed in routed.matchers().filter(|placed| !placed.source.is_secret) {
        let Some(meant) = values.meant(placed.matcher) else {
            continue;
        };
        let AlertMatcher { name, value, .. } = placed.matcher;
        let message =
            format!("no alert in the input has `{name}={value:?}`, but one has `{name}={meant:?}`");
        let found = placed.finding(&MISSPELT_VALUE, message);
        sink.extend(found.map(|found| found.help(format!("did you mean {meant:?}?"))));
    }
}

/// The values that alerts have of the labels that matchers ask for.
struct ValuesByLabel<'a> {
    alerts: &'a [Alert],
    /// Those of a label; none if a template makes one of them.
    known: BTreeMap<String, BTreeSet<&'a str>>,
    /// The number of comparisons that are left.
    left: usize,
}

/// The number of pairs of a matcher and a value that are compared: more take longer than they are worth.
const MAX_COMPARED: usize = 200_000;

impl<'a> ValuesByLabel<'a> {
    /// The value that an alert has and a matcher asks for almost.
    fn meant(&mut self, matcher: &AlertMatcher) -> Option<&'a str> {
        let AlertMatcher { name, value, .. } = matcher;
        if matcher.operator != MatchOperator::Equal
            || value.is_empty()
            || FREE.contains(&name.as_str())
        {
            return None;
        }
        if !self.known.contains_key(name) {
            let labels = self
                .alerts
                .iter()
                .filter_map(|alert| alert.labels.get(name));
            let mut values: BTreeSet<&str> = labels.map(String::as_str).collect();
            if values.iter().any(|value| value.contains("{{")) {
                values.clear();
            }
            self.known.insert(name.clone(), values);
        }
        let values = self.known.get(name)?;
        if values.contains(value.as_str()) {
            return None;
        }
        self.left = self.left.checked_sub(values.len())?;
        let is_near = |known: &&&str| {
            known.eq_ignore_ascii_case(value) || known.len() > 4 && suggest::is_slip(value, known)
        };
        values.iter().find(is_near).copied()
    }
}
