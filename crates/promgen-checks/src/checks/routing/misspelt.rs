//! Matchers of routes whose value is almost the one that alerts have.

use std::collections::{BTreeMap, BTreeSet};

use super::Routed;
use super::labels::COMMON;
use promgen_prometheus::routing::Alert;
use promgen_prometheus::routing::matcher::{AlertMatcher, MatchOperator};
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::suggest::{self, slip_of_name};

rules! {
    /// ## What it does
    /// Finds matchers of routes and inhibit rules that compare `alertname`, or a label that rules set, with a text that no alert
    /// in the input has, where one has almost that text: another case, or a letter more or less. And alerts with a label, or a value
    /// of one, for which no route asks, where a route asks for almost that, and other alerts have it or several routes ask for it.
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
    MISSPELT_VALUE = "PG628" "misspelt-value" Warning: "a matcher of a route whose value is almost the one that alerts have";
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
    let asked: Vec<&AlertMatcher> = routed.matchers().map(|placed| placed.matcher).collect();
    for placed in routed.matchers().filter(|placed| !placed.source.is_secret) {
        let Some(meant) = values.closest_value(placed.matcher) else {
            continue;
        };
        let AlertMatcher { name, value, .. } = placed.matcher;
        // That is told of the alert.
        if routed.resource.is_some() && is_slip_of_rule(name, value, meant, &asked, alerts) {
            continue;
        }
        let message =
            format!("no alert in the input has `{name}={value:?}`, but one has `{name}={meant:?}`");
        let found = placed.finding(&MISSPELT_VALUE, message);
        sink.extend(found.map(|found| found.help(format!("did you mean {meant:?}?"))));
    }
}

/// Returns whether a rule rather than a matcher has the slip, if one asks for a value and the other has almost that: more matchers
/// ask for it than rules have the other one, or one rule has no usual severity.
fn is_slip_of_rule(
    label: &str,
    asked: &str,
    own: &str,
    matchers: &[&AlertMatcher],
    alerts: &[Alert],
) -> bool {
    let is_it = |of: &&&AlertMatcher| of.name == label && of.value == asked;
    let has_it = |of: &&Alert| of.labels.get(label).is_some_and(|value| value == own);
    let n_own = alerts.iter().filter(has_it).count();
    let is_usual = label == "severity" && COMMON.contains(&asked) && !COMMON.contains(&own);
    matchers.iter().filter(is_it).count() > n_own || is_usual && n_own == 1
}

/// The values that matchers ask for, by label.
type AskedValues<'a> = BTreeMap<&'a str, Vec<&'a AlertMatcher>>;

/// Checks the labels of alerts: whether one, or its value, is almost what a route asks for, and other alerts have that.
pub(super) fn alerts(given: &[&Routed<'_>], alerts: &[Alert], sink: &mut Sink) {
    let mut asked = AskedValues::new();
    let placed = given.iter().flat_map(|routed| routed.matchers());
    let (secret, placed): (Vec<_>, Vec<_>) = placed.partition(|placed| placed.source.is_secret);
    let secret: BTreeSet<&str> = secret
        .iter()
        .map(|placed| &*placed.matcher.name)
        .collect_set();
    for matcher in placed.iter().map(|placed| placed.matcher) {
        asked.entry(&matcher.name).or_default().push(matcher);
    }
    asked.retain(|name, _| !secret.contains(name));
    let has = |name: &str, value: Option<&str>| {
        let mut values = alerts.iter().filter_map(|alert| alert.labels.get(name));
        values.any(|of| value.is_none_or(|value| value == of))
    };
    let mut known: BTreeMap<(&str, &str), Option<&str>> = BTreeMap::new();
    for alert in alerts {
        for (name, value) in &alert.labels {
            let is_value = asked.contains_key(&**name);
            let near = || match is_value {
                true => near_value(&asked, name, value).filter(|near| {
                    let matchers = asked.get(&**name).map_or(&[][..], Vec::as_slice);
                    has(name, Some(near)) || is_slip_of_rule(name, near, value, matchers, alerts)
                }),
                false => slip_of_name(name, asked.keys().copied()).filter(|near| has(near, None)),
            };
            let is_free = FREE.contains(&&**name) || *name == "alertname";
            if is_free || secret.contains(&**name) {
                continue;
            }
            let near = *known.entry((name, value)).or_insert_with(near);
            let Some(near) = near.filter(|near| {
                let has_it = alert.labels.contains_key(*near) || alert.open.contains_key(*near);
                is_value || !has_it
            }) else {
                continue;
            };
            let [own, meant] = match is_value {
                true => [value, near].map(|value| format!("{name}={value:?}")),
                false => [name, near].map(str::to_owned),
            };
            let message = format!(
                "no route in the input asks for `{own}` of `{}`, but one asks for `{meant}`",
                super::name(alert)
            );
            let found = Diagnostic::at_some(&MISSPELT_VALUE, alert.span, message);
            sink.report(found.help(format!("did you mean `{meant}`?")));
        }
    }
}

/// The value that a matcher asks for and an alert has almost.
fn near_value<'a>(asked: &AskedValues<'a>, name: &str, value: &str) -> Option<&'a str> {
    let matchers = asked.get(name)?;
    let equal = matchers
        .iter()
        .filter(|of| of.operator == MatchOperator::Equal);
    let values = equal
        .map(|of| of.value.as_str())
        .filter(|of| !of.is_empty());
    if value.contains("{{") || matchers.iter().any(|of| of.accepts(value)) {
        return None;
    }
    let case = values.clone().find(|of| of.eq_ignore_ascii_case(value));
    case.or_else(|| slip_of_name(value, values.filter(|of| of.len() > 4)))
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
    fn closest_value(&mut self, matcher: &AlertMatcher) -> Option<&'a str> {
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
            let mut values: BTreeSet<&str> = labels.map(String::as_str).collect_set();
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
