//! Arguments and feature flags of Prometheus and Alertmanager that a version removed or deprecates.

use promgen_compile::workload::{self, alertmanager};
use promgen_model::model::World;
use promgen_model::servers::ServerSpec;
use promgen_resources::gates::{self, Gate, UnsupportedEffect, Versions};
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::{At, DocId};

rules! {
    /// ## What it does
    /// Finds arguments in `additionalArgs`, and flags in `enableFeatures`, that the target version of Prometheus or Alertmanager has
    /// removed or deprecates.
    ///
    /// The level is error where the program does not start, warning for a feature that another setting now enables, and info for
    /// a feature that is always on and for what is deprecated.
    ///
    /// ## Why is this bad?
    /// Prometheus does not start with an unknown argument. It ignores an unknown feature and logs a warning. Alertmanager does not
    /// start with an unknown feature.
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
    /// Prometheus: the migration guide of 3.0, and the changelog. Alertmanager: the changelog of 0.33.
    REMOVED_FLAG = "PG305" "removed-flag" Error: "an argument or feature flag that the target version has removed or deprecates";
}

/// An argument or a feature flag, and what to do without it.
struct OldFlag {
    name: &'static str,
    /// The versions that have it.
    gate: &'static Gate,
    help: &'static str,
    level: Level,
}

const fn old(name: &'static str, gate: &'static Gate, help: &'static str, level: Level) -> OldFlag {
    OldFlag {
        name,
        gate,
        help,
        level,
    }
}

const fn always_on(name: &'static str, gate: &'static Gate) -> OldFlag {
    old(name, gate, ALWAYS_ON, Level::Info)
}

/// Arguments of Prometheus.
static ARGUMENTS: &[OldFlag] = &[
    old(
        "alertmanager.timeout",
        &gates::ARGUMENTS_BEFORE_3,
        "set `timeout` of the Alertmanager under `alerting.alertmanagers`",
        Level::Error,
    ),
    old(
        "storage.tsdb.allow-overlapping-blocks",
        &gates::ARGUMENTS_BEFORE_3,
        "remove it: blocks may always overlap",
        Level::Error,
    ),
    old(
        "storage.tsdb.retention",
        &gates::ARGUMENTS_BEFORE_3,
        "set `retention` of the resource",
        Level::Error,
    ),
    old(
        "log.level",
        &gates::LOG_LEVEL_ARGUMENT,
        "set `logLevel` of the resource",
        Level::Info,
    ),
];

/// Feature flags of Prometheus.
static FEATURES: &[OldFlag] = &[
    old(
        "agent",
        &gates::ARGUMENTS_BEFORE_3,
        "use a PrometheusAgent",
        Level::Warning,
    ),
    always_on("auto-gomaxprocs", &gates::ARGUMENTS_BEFORE_3),
    always_on("auto-gomemlimit", &gates::ARGUMENTS_BEFORE_3),
    always_on("expand-external-labels", &gates::ARGUMENTS_BEFORE_3),
    old(
        "native-histograms",
        &gates::FEATURE_NATIVE_HISTOGRAMS,
        "set `scrapeNativeHistograms: true`",
        Level::Warning,
    ),
    always_on("new-service-discovery-manager", &gates::ARGUMENTS_BEFORE_3),
    always_on("no-default-scrape-port", &gates::ARGUMENTS_BEFORE_3),
    always_on("ooo-native-histograms", &gates::FEATURE_OOO_HISTOGRAMS),
    old(
        "otlp-write-receiver",
        &gates::ARGUMENTS_BEFORE_3,
        "set `enableOTLPReceiver: true`",
        Level::Warning,
    ),
    always_on("promql-at-modifier", &gates::ARGUMENTS_BEFORE_3),
    always_on("promql-duration-expr", &gates::FEATURE_DURATION_EXPRESSIONS),
    always_on(
        "promql-extended-range-selectors",
        &gates::FEATURE_RANGE_SELECTORS,
    ),
    always_on("promql-negative-offset", &gates::ARGUMENTS_BEFORE_3),
    old(
        "remote-write-receiver",
        &gates::ARGUMENTS_BEFORE_3,
        "set `enableRemoteWriteReceiver: true`",
        Level::Warning,
    ),
    always_on("utf8-names", &gates::ARGUMENTS_BEFORE_3),
    old(
        "xor2-encoding",
        &gates::FEATURE_XOR2,
        "set `tsdb.chunkEncoding.floats: Xor2`",
        Level::Info,
    ),
];

/// Feature flags of Alertmanager, which refuses the ones that it does not know.
static ALERTMANAGER_FEATURES: &[OldFlag] = &[old(
    "auto-gomaxprocs",
    &gates::AM_FEATURE_GOMAXPROCS,
    ALWAYS_ON,
    Level::Error,
)];

const ALWAYS_ON: &str = "remove it: it is always on";

/// Returns whether it is an argument of Prometheus that is reported here.
pub(in crate::checks) fn is_old(name: &str, versions: &Versions) -> bool {
    OldFlag::find(ARGUMENTS, name, versions).is_some()
}

/// Checks every server, agent and Alertmanager.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for server in ServerSpec::all(model.cluster()) {
        of_prometheus(model, server, sink);
    }
    for object in model.cluster().alertmanagers.values() {
        let spec = &object.value.spec;
        let Ok(versions) = alertmanager::versions(&model.options().target, spec) else {
            continue;
        };
        let set = spec.enable_features.as_deref();
        features(ALERTMANAGER_FEATURES, object.doc, set, &versions, sink);
    }
}

fn of_prometheus(model: &World<'_>, server: ServerSpec<'_>, sink: &mut Sink) {
    let ServerSpec {
        doc,
        common,
        server,
        ..
    } = server;
    let Ok(versions) = workload::versions(&model.options().target, common, server) else {
        return;
    };
    for (index, argument) in common.additional_args.iter().flatten().enumerate() {
        if let Some(flag) = OldFlag::find(ARGUMENTS, &argument.name, &versions) {
            let at = At::spec(doc).key("additionalArgs").index(index).key("name");
            sink.report(flag.finding("argument", at, &versions));
        }
    }
    let set = common.enable_features.as_deref();
    features(FEATURES, doc, set, &versions, sink);
}

fn features(
    table: &[OldFlag],
    doc: DocId,
    set: Option<&[String]>,
    versions: &Versions,
    sink: &mut Sink,
) {
    for (index, feature) in set.unwrap_or_default().iter().enumerate() {
        if let Some(flag) = OldFlag::find(table, feature, versions) {
            let at = At::spec(doc).key("enableFeatures").index(index);
            sink.report(flag.finding("feature flag", at, versions));
        }
    }
}

impl OldFlag {
    /// Returns whether a version that had it is behind.
    fn find<'t>(table: &'t [Self], name: &str, versions: &Versions) -> Option<&'t Self> {
        let is_over = |flag: &&Self| flag.gate.is_over(versions.of(flag.gate.axis));
        table.iter().filter(|flag| flag.name == name).find(is_over)
    }

    fn finding(&self, what: &str, at: At, versions: &Versions) -> Diagnostic {
        let product = format!(
            "{} {}",
            self.gate.axis.product(),
            versions.of(self.gate.axis)
        );
        let verb = if self.gate.miss == UnsupportedEffect::Fallback {
            "deprecates"
        } else {
            "does not support"
        };
        let message = format!("{product} {verb} the {what} `{}`", self.name);
        let found = Diagnostic::new(&REMOVED_FLAG, at, message)
            .level(self.level)
            .help(self.help);
        match self.level {
            Level::Error => found.label(format!("{} does not start", self.gate.axis.product())),
            Level::Warning | Level::Info => found,
        }
    }
}
