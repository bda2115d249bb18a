//! Names of alerts that are written as templates.

use promgen_compile::cluster::Object;
use promgen_model::rule_groups::rules;
use promgen_resources::api::PrometheusRule;
use promgen_text::diag::{Diagnostic, Sink, rule};

rule! {
    /// ## What it does
    /// Finds names of alerts that have a template of a label or a value, such as `{{ $labels.job }}`.
    ///
    /// ## Why is this bad?
    /// Prometheus expands the labels and the annotations of an alert, never its name: `alertname` is the text of the template, for
    /// all series alike.
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
    pub(in crate::checks) static NAME_TEMPLATE = "PG632" "alert-name-template" {
        summary: "the name of an alert that is written as a template", level: Warning,
    }
}

/// What templates of rules read, and those of Helm do not.
const READS: &[&str] = &[
    "$labels",
    "$value",
    "$externalLabels",
    "$externalURL",
    ".Labels",
    ".ExternalLabels",
    ".ExternalURL",
];

/// Returns whether a text has a template that reads what Prometheus gives to rules: no other engine could render it.
pub(super) fn reads_alert(text: &str) -> bool {
    let mut templates = text
        .split("{{")
        .skip(1)
        .filter_map(|rest| rest.split("}}").next());
    templates.any(|template| {
        template.trim() == ".Value" || READS.iter().any(|read| template.contains(read))
    })
}

/// Checks a resource.
pub(super) fn check(resource: &Object<PrometheusRule>, sink: &mut Sink) {
    for placed in rules(resource.doc, &resource.value) {
        let Some((what, name)) = placed.made() else {
            continue;
        };
        if !reads_alert(name) {
            continue;
        }
        let message = format!(
            "`{name}` is no template: Prometheus expands labels and annotations, but takes the name literally"
        );
        let help = "use a fixed name, and write the template into an annotation or a label";
        sink.report(Diagnostic::new(&NAME_TEMPLATE, placed.at.key(what), message).help(help));
    }
}
