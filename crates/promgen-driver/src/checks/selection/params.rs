//! Parameters of requests with values that nobody reads.

use crate::checks::View;
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;
use promgen_text::sorted::SortedMap;

rule! {
    /// ## What it does
    /// Finds endpoints with several values of the parameter `target`, as an exporter that probes others takes it.
    ///
    /// ## Why is this bad?
    /// The exporter reads the first value only, and so does a rule that reads `__param_target`: the other targets are not probed.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: web}
    /// spec:
    ///   selector: {matchLabels: {app: blackbox}}
    ///   endpoints:
    ///   - port: http
    ///     path: /probe
    ///     params: {target: [a.example.org, b.example.org]}
    /// ```
    /// Use instead: a Probe.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Probe
    /// metadata: {name: web}
    /// spec:
    ///   prober: {url: blackbox:9115}
    ///   targets: {staticConfig: {static: [a.example.org, b.example.org]}}
    /// ```
    pub(super) static IGNORED_VALUES = "PG136" "ignored-parameter-values" {
        summary: "values of a parameter of which only the first one counts", level: Info, since: "0.1.0",
    }
}

/// Checks the parameters of monitors.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    for monitor in model.cluster.service_monitors.values() {
        let at = At::doc(monitor.doc).key("spec").key("endpoints");
        for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
            report(endpoint.params.as_ref(), || at.clone().index(index), sink);
        }
    }
    for monitor in model.cluster.pod_monitors.values() {
        let at = At::doc(monitor.doc).key("spec").key("podMetricsEndpoints");
        for (index, endpoint) in monitor.value.spec.pod_metrics_endpoints.iter().flatten().enumerate() {
            report(endpoint.params.as_ref(), || at.clone().index(index), sink);
        }
    }
    for config in model.cluster.scrape_configs.values() {
        report(config.value.spec.params.as_ref(), || At::doc(config.doc).key("spec"), sink);
    }
}

fn report(params: Option<&SortedMap<String, Vec<String>>>, at: impl Fn() -> At, sink: &mut Sink) {
    let Some([first, others @ ..]) = params.and_then(|params| params.get("target")).map(Vec::as_slice) else { return };
    if others.is_empty() {
        return;
    }
    let message =
        format!("only the first value of the parameter `target` counts, `{first}`: exporters ignore the others");
    let at = at().key("params").key("target");
    sink.report(
        Diagnostic::new(&IGNORED_VALUES, at, message).help("write a Probe, which makes a request for each target"),
    );
}
