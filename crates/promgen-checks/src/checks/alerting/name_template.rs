//! Templates where Prometheus expands none: names of rules, expressions, labels of recording rules.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::rules;
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::template::reads_alert;

rules! {
    /// ## What it does
    /// Finds names of alerts that have a template of a label or a value, such as `{{ $labels.job }}`, and such templates in
    /// expressions and in the labels of recording rules.
    ///
    /// ## Why is this bad?
    /// Prometheus expands the labels and the annotations of an alert, never its name: `alertname` is the text of the template, for
    /// all series alike. In an expression, the text is compared with labels as it is.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: "{{ $labels.job }} is down", expr: up == 0}
    /// ```
    /// Use instead: an annotation.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PrometheusRule
    /// metadata: {name: cart}
    /// spec:
    ///   groups:
    ///   - name: a
    ///     rules:
    ///     - {alert: JobDown, expr: up == 0, annotations: {summary: "{{ $labels.job }} is down"}}
    /// ```
    ///
    /// ## Source
    /// Prometheus: templating of alerting rules.
    NAME_TEMPLATE = "PG632" "alert-name-template" Warning: "a template where Prometheus expands none";
}

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    for placed in rules(resource.doc, &resource.value) {
        let Some((what, name)) = placed.made() else {
            continue;
        };
        let at = |field: &'static str| placed.at.clone().key(field);
        if reads_alert(name) {
            let message = format!(
                "`{name}` is no template: Prometheus expands labels and annotations, but takes the name literally"
            );
            let help = "use a fixed name, and write the template into an annotation or a label";
            sink.report(Diagnostic::new(&NAME_TEMPLATE, at(what), message).help(help));
        }
        let expression = placed.rule.expr.to_string();
        if reads_alert(&expression) {
            let message =
                "`expr` is no template: Prometheus takes what stands in `{{ }}` literally";
            let help = "labels of an alert are known only after its expression: join or aggregate `by` the label instead";
            sink.report(Diagnostic::new(&NAME_TEMPLATE, at("expr"), message).help(help));
        }
        let labels = placed.rule.labels.iter().flatten();
        for (label, _) in labels.filter(|(_, text)| what == "record" && reads_alert(text)) {
            let message = format!(
                "the label `{label}` of a recording rule is no template: Prometheus takes it literally"
            );
            let help = "use a fixed text, or `label_replace` in the expression";
            let at = at("labels").key(label.clone());
            sink.report(Diagnostic::new(&NAME_TEMPLATE, at, message).help(help));
        }
    }
}
