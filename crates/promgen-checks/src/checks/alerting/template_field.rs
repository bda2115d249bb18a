//! Texts of alerts that ask for a field that there is not.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::{PlacedRule, rules};
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::go::template;

rule! {
    /// ## What it does
    /// Finds labels and annotations of alerts that ask for a field in another spelling than it has, such as `.labels`.
    ///
    /// ## Why is this bad?
    /// Prometheus loads the rule. When the alert fires, the text is an error message.
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
    ///     - alert: CartDown
    ///       expr: up{job="cart"} == 0
    ///       annotations: {summary: "{{ .labels.instance }} is down"}
    /// ```
    /// Use instead: `$labels`, or `.Labels`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: cart
    ///     rules:
    ///     - alert: CartDown
    ///       expr: up{job="cart"} == 0
    ///       annotations: {summary: "{{ $labels.instance }} is down"}
    /// ```
    pub(in crate::checks) static UNKNOWN_TEMPLATE_FIELD = "PG629" "unknown-template-field" {
        summary: "the text of an alert that asks for a field that there is not", level: Warning,
    }
}

/// The fields that a template of a rule has.
const FIELDS: [&str; 4] = ["ExternalLabels", "ExternalURL", "Labels", "Value"];

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    for PlacedRule { at, rule, .. } in rules(resource.doc, &resource.value) {
        for (what, texts) in [("labels", &rule.labels), ("annotations", &rule.annotations)] {
            for (name, text) in texts
                .iter()
                .flatten()
                .filter(|(_, text)| text.contains("{{"))
            {
                let Some((field, meant)) = template::misspelt(text, &FIELDS, &[]) else {
                    continue;
                };
                let at = at.clone();
                let message = format!(
                    "there is no field `.{field}`: the text is an error message when the alert fires"
                );
                let found = Diagnostic::new(
                    &UNKNOWN_TEMPLATE_FIELD,
                    at.key(what).key(name.clone()),
                    message,
                );
                sink.report(found.help(format!(
                    "write `.{meant}`, or its variable such as `$labels`"
                )));
            }
        }
    }
}
