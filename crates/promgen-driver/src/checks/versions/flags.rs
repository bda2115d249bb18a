//! Arguments and feature flags of Prometheus that a version removed.

use crate::checks::View;
use promgen_compile::workload;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::gates::{self, Versions};
use promgen_text::diag::{Diagnostic, Level, Sink, rule};
use promgen_text::route::{At, DocId};

rule! {
    /// ## What it does
    /// Finds arguments in `additionalArgs`, and flags in `enableFeatures`, that the target version of Prometheus has removed.
    ///
    /// The level is error for an argument, warning for a feature that another setting now enables, and info for a feature that
    /// is always on.
    ///
    /// ## Why is this bad?
    /// Prometheus does not start with an unknown argument. It ignores an unknown feature and logs a warning.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   additionalArgs:
    ///   - {name: alertmanager.timeout, value: 10s}
    /// ```
    /// Use instead: an argument of that version.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   version: v3.5.0
    ///   additionalArgs:
    ///   - {name: alertmanager.notification-queue-capacity, value: "20000"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: the migration guide and the changelog of 3.0.
    pub(in crate::checks) static REMOVED_FLAG = "PG305" "removed-flag" {
        summary: "an argument or feature flag that the target version has removed", level: Error, since: "0.1.0",
    }
}

/// Arguments that Prometheus 3 does not support, and their replacements.
static ARGUMENTS: &[(&str, &str)] = &[
    ("alertmanager.timeout", "set `timeout` of the Alertmanager under `alerting.alertmanagers`"),
    ("storage.tsdb.allow-overlapping-blocks", "remove it: blocks may always overlap"),
    ("storage.tsdb.retention", "set `retention` of the resource"),
];

/// Features that Prometheus 3 does not support, their replacements, and the level.
static FEATURES: &[(&str, &str, Level)] = &[
    ("agent", "use a PrometheusAgent", Level::Warning),
    ("auto-gomaxprocs", ALWAYS_ON, Level::Info),
    ("auto-gomemlimit", ALWAYS_ON, Level::Info),
    ("expand-external-labels", ALWAYS_ON, Level::Info),
    ("new-service-discovery-manager", ALWAYS_ON, Level::Info),
    ("no-default-scrape-port", ALWAYS_ON, Level::Info),
    ("otlp-write-receiver", "set `enableOTLPReceiver: true`", Level::Warning),
    ("promql-at-modifier", ALWAYS_ON, Level::Info),
    ("promql-negative-offset", ALWAYS_ON, Level::Info),
    ("remote-write-receiver", "set `enableRemoteWriteReceiver: true`", Level::Warning),
    ("utf8-names", ALWAYS_ON, Level::Info),
];

const ALWAYS_ON: &str = "remove it: it is always on";

/// Checks every server and agent.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    for object in model.cluster.prometheuses.values() {
        let spec = &object.value.spec;
        one(model, object.doc, &spec.common, Some(spec), sink);
    }
    for object in model.cluster.prometheus_agents.values() {
        one(model, object.doc, &object.value.spec.common, None, sink);
    }
}

fn one(
    model: &View<'_>,
    doc: DocId,
    common: &CommonPrometheusFields,
    server: Option<&PrometheusSpec>,
    sink: &mut Sink,
) {
    let Ok(versions) = workload::versions(&model.options.target, common, server) else { return };
    if versions.has(&gates::ARGUMENTS_BEFORE_3) {
        return;
    }
    let spec = At::doc(doc).key("spec");
    for (index, argument) in common.additional_args.iter().flatten().enumerate() {
        if let Some((name, help)) = ARGUMENTS.iter().find(|(name, _)| *name == argument.name) {
            let at = spec.clone().key("additionalArgs").index(index).key("name");
            let message = format!("{} does not support the argument `{name}`", product(&versions));
            sink.report(Diagnostic::new(&REMOVED_FLAG, at, message).label("Prometheus does not start").help(*help));
        }
    }
    for (index, feature) in common.enable_features.iter().flatten().enumerate() {
        if let Some((name, help, level)) = FEATURES.iter().find(|(name, _, _)| name == feature) {
            let at = spec.clone().key("enableFeatures").index(index);
            let message = format!("{} does not support the feature flag `{name}`", product(&versions));
            sink.report(Diagnostic::new(&REMOVED_FLAG, at, message).level(*level).help(*help));
        }
    }
}

fn product(versions: &Versions) -> String {
    format!("Prometheus {}", versions.prometheus)
}
