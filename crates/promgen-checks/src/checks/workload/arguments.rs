//! Additional arguments and features that the program does not know.

use promgen_model::running::{RunningWorkload, Spec};
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::suggest;

rule! {
    /// ## What it does
    /// Finds names in `additionalArgs` that begin with a dash, and names in `enableFeatures` of a Prometheus or agent that are
    /// almost those of a feature.
    ///
    /// ## Why is this bad?
    /// The operator writes `--` before the name: the program does not know the argument, and does not start. Prometheus logs
    /// that it does not know a feature, and runs without it.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   additionalArgs: [{name: --query.timeout, value: 5m}]
    /// ```
    /// Use instead: the name alone.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   additionalArgs: [{name: query.timeout, value: 5m}]
    /// ```
    pub(super) static UNKNOWN_ARGUMENT = "PG525" "unknown-argument" {
        summary: "an argument or a feature that the program does not know", level: Warning,
    }
}

/// The feature flags of Prometheus, of all versions.
const FEATURES: [&str; 43] = [
    "agent",
    "auto-gomaxprocs",
    "auto-gomemlimit",
    "auto-reload-config",
    "concurrent-rule-eval",
    "created-timestamp-zero-ingestion",
    "delayed-compaction",
    "exemplar-storage",
    "expand-external-labels",
    "extra-scrape-metrics",
    "fast-startup",
    "histograms-st-encoding",
    "memory-snapshot-on-shutdown",
    "metadata-wal-records",
    "native-histograms",
    "new-service-discovery-manager",
    "no-default-scrape-port",
    "old-ui",
    "ooo-native-histograms",
    "openmetrics2",
    "otlp-deltatocumulative",
    "otlp-native-delta-ingestion",
    "otlp-write-receiver",
    "promql-at-modifier",
    "promql-binop-fill-modifiers",
    "promql-delayed-name-removal",
    "promql-duration-expr",
    "promql-experimental-functions",
    "promql-extended-range-selectors",
    "promql-negative-offset",
    "promql-per-step-stats",
    "promql-unquoted-utf8-names",
    "query-cost",
    "remote-write-receiver",
    "search-api",
    "st-storage",
    "st-synthesis",
    "type-and-unit-labels",
    "use-start-timestamps",
    "use-uncached-io",
    "utf8-names",
    "xor2-encoding",
    "zstd-scrape",
];

/// Checks a workload.
pub(super) fn check(running: &RunningWorkload<'_>, sink: &mut Sink) {
    for (index, argument) in running.additional_args().iter().enumerate() {
        let bare = argument.name.trim_start_matches('-');
        if bare.len() < argument.name.len() {
            let message = format!(
                "the operator writes `--{}`: {} does not start",
                argument.name,
                running.what()
            );
            let at = running.at().key("additionalArgs").index(index).key("name");
            sink.report(
                Diagnostic::new(&UNKNOWN_ARGUMENT, at, message).help(format!("write `{bare}`")),
            );
        }
    }
    if let Spec::Server(_) | Spec::Agent(_) = running.spec
        && let Some(common) = running.common()
    {
        for (index, feature) in common.enable_features.iter().flatten().enumerate() {
            let feature = feature.as_str();
            let is_known = FEATURES.contains(&feature);
            let Some(meant) = suggest::closest(feature, FEATURES.into_iter()).filter(|_| !is_known)
            else {
                continue;
            };
            let message = format!("Prometheus knows no feature `{feature}`, and runs without it");
            let at = running.at().key("enableFeatures").index(index);
            sink.report(
                Diagnostic::new(&UNKNOWN_ARGUMENT, at, message)
                    .help(format!("did you mean `{meant}`?")),
            );
        }
    }
}
