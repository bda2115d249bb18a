//! Durations that are empty.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_resources::api::{Duration, PrometheusRule};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds durations of a PrometheusRule that are empty texts: `for`, and the `interval` and `query_offset` of a group.
    ///
    /// ## Why is this bad?
    /// The API server and the operator take them. Prometheus does not: "empty duration string". It refuses all rules of the file,
    /// and keeps those that it had before.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', for: ""}
    /// ```
    /// Use instead: a duration, or none.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - {alert: CartDown, expr: 'up{job="cart"} == 0', for: 5m}
    /// ```
    ///
    /// ## Source
    /// `model.ParseDuration` of Prometheus; `promtool check rules` refuses the file.
    EMPTY_DURATION = "PG619" "empty-duration" Error: "a duration of a rule that Prometheus refuses";
}

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    let mut report = |at: At, key: &'static str, value: Option<&Duration>| {
        if value.is_some_and(|value| value.as_str().is_empty()) {
            let message = format!("`{key}` is empty: Prometheus refuses all rules of the file");
            sink.report(
                Diagnostic::new(&EMPTY_DURATION, at.key(key), message)
                    .help("write a duration such as `5m`, or remove it"),
            );
        }
    };
    let groups = || At::spec(resource.doc).key("groups");
    for (index, group) in resource.value.spec.groups.iter().flatten().enumerate() {
        report(groups().index(index), "interval", group.interval.as_ref());
        report(
            groups().index(index),
            "query_offset",
            group.query_offset.as_ref(),
        );
    }
    for PlacedRule { at, rule, .. } in rules(resource.doc, &resource.value) {
        report(at, "for", rule.r#for.as_ref());
    }
}
