//! Parameters of requests with values that nobody reads.

use promgen_model::monitors::Monitor;
use std::collections::BTreeMap;

use promgen_model::model::World;
use promgen_model::scraping::needs::JobOrigin;
use promgen_prometheus::promql::{self, ExprKind};
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::Value;

rules! {
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
    IGNORED_VALUES = "PG136" "ignored-parameter-values" Info: "values of a parameter of which only the first one counts";

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
    PATH_WITH_QUERY = "PG138" "path-with-query" Warning: "a path with parameters, which are encoded";

    /// ## What it does
    /// Finds values of `match[]` for the path `/federate` that do not parse as a selector of series, and that path without
    /// `match[]`, those of jobs in `additionalScrapeConfigs`, too.
    ///
    /// ## Why is this bad?
    /// Prometheus encodes parameters itself, so a value that is encoded already is encoded twice. The server that is asked answers 400
    /// if one of them does not parse, and nothing is scraped. Without one, it answers with an empty page.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: infra}
    /// spec:
    ///   selector: {matchLabels: {app: infra}}
    ///   endpoints:
    ///   - port: web
    ///     path: /federate
    ///     params: {"match[]": ['%7Bjob%3D%22node%22%7D']}
    /// ```
    /// Use instead: the selector as it is.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: infra}
    /// spec:
    ///   selector: {matchLabels: {app: infra}}
    ///   endpoints:
    ///   - port: web
    ///     path: /federate
    ///     params: {"match[]": ['{job="node"}']}
    /// ```
    ///
    /// ## Source
    /// Prometheus' documentation, "Federation".
    UNREADABLE_MATCH = "PG414" "unreadable-match" Warning: "a selector of `match[]` that does not parse";
}

/// The parameter of a federation.
const MATCH: &str = "match[]";

/// Returns whether `/federate` takes a value of `match[]`, or something fills it in later.
fn is_selector(text: &str) -> bool {
    let is_later = text.contains("${") || text.contains("{{") || text.contains("$(");
    let parses = |text: &str| {
        promql::parse(text).is_some_and(|tree| matches!(tree.root().kind, ExprKind::Selector(_)))
    };
    // An expression needs a matcher that the empty text does not meet, and /federate does not.
    let with_matcher = |text: &str| {
        let open = text.trim_end().strip_suffix('}')?.trim_end();
        let comma = if open.ends_with(['{', ',']) { "" } else { "," };
        Some(format!("{open}{comma}x=\"x\"}}"))
    };
    is_later || parses(text) || with_matcher(text).is_some_and(|text| parses(&text))
}

/// The finding about a value of `match[]`. The text of a job in a Secret is not shown.
fn unreadable(place: impl Into<Place>, text: Option<&str>) -> Diagnostic {
    let shown = text.map(|text| format!(" `{text}`")).unwrap_or_default();
    let message = format!(
        "the selector{shown} of `match[]` does not parse: /federate answers 400, and nothing is scraped"
    );
    let is_encoded = text.is_none_or(|text| text.contains('%'));
    let help = if is_encoded {
        "write the selector as it is: Prometheus encodes it"
    } else {
        "write a selector, such as `{job=\"node\"}`"
    };
    Diagnostic::new(&UNREADABLE_MATCH, place.into(), message).help(help)
}

/// The finding about a federation without a selector.
fn unasked(place: impl Into<Place>) -> Diagnostic {
    let message =
        "/federate of a Prometheus answers with no series: the parameter `match[]` is missing";
    Diagnostic::new(&UNREADABLE_MATCH, place.into(), message)
        .help("add `params`, such as `{\"match[]\": ['{job=\"node\"}']}`")
}

fn federation(
    path: Option<&str>,
    params: Option<&BTreeMap<String, Vec<String>>>,
    at: impl Fn() -> At,
    sink: &mut Sink,
) {
    if path.is_none_or(|path| !path.ends_with("/federate")) {
        return;
    }
    let values = params.and_then(|params| params.get(MATCH));
    // With parameters of its own, the page is another program's.
    if values.is_none() && params.is_none_or(|params| params.contains_key("match")) {
        sink.report(unasked(at()));
    }
    for (index, text) in values.into_iter().flatten().enumerate() {
        if !is_selector(text) {
            let at = at().key("params").key(MATCH).index(index);
            sink.report(unreadable(at, Some(text)));
        }
    }
}

/// The federations of jobs that no resource makes: those of `additionalScrapeConfigs`.
fn additional(model: &World<'_>, sink: &mut Sink) {
    for job in model.workloads.iter().flat_map(|workload| workload.jobs()) {
        let path = job.section.text_of("metrics_path").unwrap_or_default();
        let Some(span) = job.origin else { continue };
        if JobOrigin::of(job).is_some() || !path.ends_with("/federate") {
            continue;
        }
        let params = job.section.get("params");
        let values = params.map_or(&[][..], |params| params.items_of(MATCH));
        if params.is_none() {
            sink.report(unasked(span));
        }
        let mut texts = values.iter().filter_map(Value::as_str);
        if texts.any(|text| !is_selector(text)) {
            sink.report(unreadable(span, None));
        }
    }
}

/// Checks what monitors ask for: paths and parameters.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let cluster = model.cluster();
    for endpoint in Monitor::all(cluster).flat_map(Monitor::endpoints) {
        report(endpoint.params, || endpoint.at(), sink);
        federation(endpoint.path, endpoint.params, || endpoint.at(), sink);
        path(endpoint.path, || endpoint.at().key("path"), sink);
    }
    for config in cluster.scrape_configs.values() {
        let (spec, at) = (&config.value.spec, || At::spec(config.doc));
        report(spec.params.as_ref(), at, sink);
        federation(spec.metrics_path.as_deref(), spec.params.as_ref(), at, sink);
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
    additional(model, sink);
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

#[cfg(test)]
mod tests {
    use super::is_selector;
    use crate::checks::found::found;

    #[test]
    fn federations_ask_for_something() {
        let told = |endpoint: &str| {
            let head = "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: cart, namespace: shop}\n";
            let monitor = format!("{head}spec: {{selector: {{}}, endpoints: [{endpoint}]}}\n");
            found(&["PG414"], &monitor).len()
        };
        assert_eq!(told("{port: web, path: /federate}"), 1);
        assert_eq!(
            told("{port: web, path: /prometheus/federate, params: {match: [up]}}"),
            1
        );
        assert_eq!(
            told("{port: web, path: /federate, params: {'match[]': [up]}}"),
            0
        );
        assert_eq!(
            told("{port: web, path: /federate, params: {module: [a]}}"),
            0
        );
        assert_eq!(told("{port: web, path: /federated}"), 0);
        assert_eq!(told("{port: web}"), 0);
    }

    #[test]
    fn federations_take_selectors() {
        for text in [
            "up",
            "{job=\"a\"}",
            "{__name__=~\"job:.*\"}",
            "{job=~\".*\"}",
            "{}",
            "a{path=\"%2F\"}",
            "${MATCH}",
        ] {
            assert!(is_selector(text), "{text}");
        }
        for text in [
            "%7Bjob%3D%22a%22%7D",
            "{job=\"a\"",
            "sum(up)",
            "up[5m]",
            "{job=a}",
        ] {
            assert!(!is_selector(text), "{text}");
        }
    }
}
