//! Parameters of requests with values that nobody reads.

use promgen_model::monitors::Monitor;
use std::collections::BTreeMap;

use promgen_model::model::World;
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;

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
        summary: "values of a parameter of which only the first one counts", level: Info,
    }
}

rule! {
    /// ## What it does
    /// Finds paths of endpoints with a `?` or a `#`.
    ///
    /// ## Why is this bad?
    /// Prometheus encodes the character, so that it is a part of the path: the program that is asked does not know that path,
    /// and answers 404.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: web}
    /// spec:
    ///   selector: {}
    ///   podMetricsEndpoints:
    ///   - port: http
    ///     path: /metrics?format=prometheus
    /// ```
    /// Use instead: `params`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: web}
    /// spec:
    ///   selector: {}
    ///   podMetricsEndpoints:
    ///   - port: http
    ///     path: /metrics
    ///     params: {format: [prometheus]}
    /// ```
    pub(super) static PATH_WITH_QUERY = "PG138" "path-with-query" {
        summary: "a path with parameters, which are encoded", level: Warning,
    }
}

/// Checks what monitors ask for: paths and parameters.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let cluster = model.cluster();
    for endpoint in Monitor::all(cluster).flat_map(Monitor::endpoints) {
        report(endpoint.params, || endpoint.at(), sink);
        path(endpoint.path, || endpoint.at().key("path"), sink);
    }
    for config in cluster.scrape_configs.values() {
        let (spec, at) = (&config.value.spec, || At::spec(config.doc));
        report(spec.params.as_ref(), at, sink);
        path(
            spec.metrics_path.as_deref(),
            || at().key("metricsPath"),
            sink,
        );
    }
    for probe in cluster.probes.values() {
        let own = probe
            .value
            .spec
            .prober
            .as_ref()
            .map(|prober| prober.path.as_str());
        path(own, || At::spec(probe.doc).key("prober").key("path"), sink);
    }
}

fn path(path: Option<&str>, at: impl Fn() -> At, sink: &mut Sink) {
    let Some((bare, rest)) = path.and_then(|path| path.split_once(['?', '#'])) else {
        return;
    };
    let message = format!(
        "`?` and what follows is encoded as a part of the path `{bare}`, not sent as parameters"
    );
    let params = rest.split('&').filter_map(|pair| pair.split_once('='));
    let params: Vec<String> = params
        .map(|(name, value)| format!("{name}: [{value}]"))
        .collect();
    let help = match params.is_empty() {
        true => format!("write `path: {bare}`"),
        false => format!(
            "write `path: {bare}` and `params: {{{}}}`",
            params.join(", ")
        ),
    };
    sink.report(Diagnostic::new(&PATH_WITH_QUERY, at(), message).help(help));
}

fn report(params: Option<&BTreeMap<String, Vec<String>>>, at: impl Fn() -> At, sink: &mut Sink) {
    let Some([first, others @ ..]) = params
        .and_then(|params| params.get("target"))
        .map(Vec::as_slice)
    else {
        return;
    };
    if others.is_empty() {
        return;
    }
    let message = format!(
        "only the first value of the parameter `target` counts, `{first}`: exporters ignore the others"
    );
    let at = at().key("params").key("target");
    sink.report(
        Diagnostic::new(&IGNORED_VALUES, at, message)
            .help("write a Probe, which makes a request for each target"),
    );
}
