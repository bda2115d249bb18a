//! Matchers of routes whose value is almost the one that alerts have.

use super::{Routed, finding, report};
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::diag::{Sink, rule};
use promgen_text::sorted::SortedSet;
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
        summary: "a matcher of a route whose value is almost the one that alerts have", level: Warning, since: "0.1.0",
    }
}

/// Labels whose values differ from rule to rule, so that two that are alike are two all the same.
const FREE: [&str; 3] = ["namespace", "instance", "pod"];

/// Checks the matchers of an Alertmanager.
pub(super) fn check(routed: &Routed<'_>, alerts: &[Alert], sink: &mut Sink) {
    let routes = routed.tree.routes().into_iter().map(|(_, node, _)| (&node.matchers, &node.source, "matchers"));
    let inhibitions = routed.tree.inhibitions.iter().flat_map(|inhibition| {
        let source = &inhibition.source;
        [(&inhibition.inhibiting, source, "sourceMatch"), (&inhibition.inhibited, source, "targetMatch")]
    });
    for (matchers, source, field) in routes.chain(inhibitions).filter(|(_, source, _)| !source.is_secret) {
        for (matcher, meant) in matchers.iter().filter_map(|matcher| Some((matcher, meant(matcher, alerts)?))) {
            let AlertMatcher { name, value, .. } = matcher;
            let message = format!("no alert in the input has `{name}={value:?}`, but one has `{name}={meant:?}`");
            let found = finding(&MISSPELT_VALUE, source, |at| at.key(field), message);
            report(sink, found.map(|found| found.help(format!("did you mean {meant:?}?"))));
        }
    }
}

/// The value that an alert has and a matcher asks for almost.
fn meant<'a>(matcher: &AlertMatcher, alerts: &'a [Alert]) -> Option<&'a str> {
    if matcher.operator != MatchOperator::Equal || matcher.value.is_empty() || FREE.contains(&&*matcher.name) {
        return None;
    }
    let values = alerts.iter().filter_map(|alert| alert.labels.get(&*matcher.name));
    let values: SortedSet<&str> = values.map(String::as_str).collect();
    if values.contains(&*matcher.value) || values.iter().any(|value| value.contains("{{")) {
        return None;
    }
    let is_near = |value: &&&str| {
        let is_cased = value.eq_ignore_ascii_case(&matcher.value);
        is_cased || value.len() > 4 && suggest::is_slip(&matcher.value, value)
    };
    values.iter().find(is_near).copied()
}
