//! Additional arguments and features that the program does not know.

use crate::checks::versions::flags;
use crate::checks::workload::image::{self, PublishedProgram};
use promgen_compile::workload::{self, alertmanager};
use promgen_model::model::World;
use promgen_model::running::{RunningWorkload, Spec, pod_field};
use promgen_resources::api::CommonPrometheusFields;
use promgen_resources::api::ThanosSpec;
use promgen_resources::api::servers::agent::PrometheusAgentSpec;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::arguments::{self, ArgumentVerdict};
use promgen_resources::gates::{Axis, Versions};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::suggest;
use promgen_text::version::Version;

rules! {
    /// ## What it does
    /// Finds arguments in `additionalArgs`, and in `args` of the program's container, that begin with a dash, that the version of the
    /// program does not take, or that are not for its mode, such as those of a server for an agent. Finds names in `enableFeatures` of
    /// a Prometheus or agent that are almost those of a feature.
    ///
    /// With an image that is not of the project, only names that are almost those of an argument are reported.
    ///
    /// ## Why is this bad?
    /// The operator writes `--` before the name. The program does not start with an argument that it does not know. Prometheus logs
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
    UNKNOWN_ARGUMENT = "PG525" "unknown-argument" Warning: "an argument or a feature that the program does not know";
}

/// The feature flags of Alertmanager, of all versions.
const OF_ALERTMANAGER: [&str; 9] = [
    "alert-names-in-metrics",
    "auto-gomaxprocs",
    "auto-gomemlimit",
    "classic-mode",
    "event-recorder",
    "group-key-in-metrics",
    "muted-alerts-in-nflog",
    "receiver-name-in-metrics",
    "utf8-strict-mode",
];

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
pub(super) fn check(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let of_program = StartedProgram::of(model, running);
    for (index, argument) in running.additional_args().iter().enumerate() {
        let at = running.at().key("additionalArgs").index(index).key("name");
        of_program.check(&argument.name, at, sink);
    }
    for (index, container) in running.containers()[0].1.iter().enumerate() {
        let is_its = container.name == of_program.published.container;
        let args = container.args.iter().flatten().filter(|_| is_its);
        for (n, arg) in args.enumerate().filter(|(_, arg)| arg.starts_with("--")) {
            let at = running.at().key("containers").index(index);
            of_program.check(&arg[2..], at.key("args").index(n), sink);
        }
    }
    if let Spec::Server(PrometheusSpec {
        thanos: Some(thanos),
        ..
    }) = running.spec
    {
        let sidecar = of_program.sidecar(thanos);
        for (index, argument) in thanos.additional_args.iter().flatten().enumerate() {
            let at = running.at().key("thanos").key("additionalArgs");
            sidecar.check(&argument.name, at.index(index).key("name"), sink);
        }
    }
    features(running, sink);
}

/// A program of a workload, and its arguments.
struct StartedProgram<'r> {
    running: &'r RunningWorkload<'r>,
    versions: Option<Versions>,
    axis: Axis,
    published: &'static PublishedProgram,
    image: Option<&'r str>,
}

impl<'r> StartedProgram<'r> {
    fn of(model: &World<'_>, running: &'r RunningWorkload<'_>) -> Self {
        let target = &model.options().target;
        let (versions, axis, published) = match running.spec {
            Spec::Server(spec) => {
                let versions = workload::versions(target, &spec.common, Some(spec));
                (versions.ok(), Axis::Prometheus, &image::PROMETHEUS)
            }
            Spec::Agent(spec) => {
                let versions = workload::versions(target, &spec.common, None);
                (versions.ok(), Axis::Prometheus, &image::PROMETHEUS)
            }
            Spec::Alertmanager(spec) => {
                let versions = alertmanager::versions(target, spec).ok();
                (versions, Axis::Alertmanager, &image::ALERTMANAGER)
            }
            Spec::Ruler(spec) => {
                let mut versions = Versions::of_target(target);
                let own = spec.version.as_deref().and_then(Version::parse);
                versions.thanos = own.unwrap_or(versions.thanos);
                (Some(versions), Axis::Thanos, &image::THANOS)
            }
        };
        Self {
            running,
            versions,
            axis,
            published,
            image: pod_field!(running.spec, image).as_deref(),
        }
    }

    /// The Thanos sidecar beside it.
    fn sidecar(&self, thanos: &'r ThanosSpec) -> Self {
        Self {
            running: self.running,
            versions: self.versions.clone(),
            axis: Axis::Thanos,
            published: &image::THANOS,
            image: thanos.image.as_deref(),
        }
    }

    /// Reports an argument that the program does not take.
    fn check(&self, argument: &str, at: At, sink: &mut Sink) {
        let bare = argument.trim_start_matches('-');
        let what = self.running.what();
        let found = if bare.len() < argument.len() {
            let message = format!("the operator writes `--{argument}`: {what} does not start");
            Some((message, format!("write `{bare}`")))
        } else {
            self.not_taken(argument.split('=').next().unwrap_or_default())
        };
        if let Some((message, help)) = found {
            sink.report(Diagnostic::new(&UNKNOWN_ARGUMENT, at, message).help(help));
        }
    }

    /// Why the program does not start with an argument, and what helps. `None` if it may start.
    fn not_taken(&self, name: &str) -> Option<(String, String)> {
        let versions = self.versions.as_ref()?;
        let product = self.axis.product();
        let known = arguments::of(&product.to_lowercase())?;
        let of_image = self.image.map(|image| self.published.version(image));
        let version = of_image.clone().flatten();
        let version = version.unwrap_or_else(|| versions.of(self.axis).clone());
        let is_foreign = of_image == Some(None) && !self.published.is_of(self.image?);
        let is_old = self.axis == Axis::Prometheus && flags::is_old(name, versions);
        if name.is_empty() || name.contains('$') || is_old {
            return None;
        }
        let what = self.running.what();
        let verdict = known.verdict(name, &version);
        let meant = suggest::closest(
            name,
            known
                .names()
                .filter(|other| !is_foreign || suggest::is_slip(name, other)),
        );
        let is_agent = matches!(self.running.spec, Spec::Agent(_));
        let (why, help) = match verdict {
            ArgumentVerdict::Unknown if is_foreign && meant.is_none() => return None,
            ArgumentVerdict::Unknown => {
                let help = match meant {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => format!("remove it: no release of {product} takes it"),
                };
                (
                    format!("{product} {version} knows no argument `--{name}`"),
                    help,
                )
            }
            ArgumentVerdict::OfOthers if !is_foreign => {
                let (first, last) = known.range(name)?;
                let help = format!(
                    "{product} has it from {first} to {last}: remove it, or set another version"
                );
                (
                    format!("{product} {version} knows no argument `--{name}`"),
                    help,
                )
            }
            ArgumentVerdict::OfServers if is_agent => (
                format!("`--{name}` is for servers, and Prometheus refuses it as an agent"),
                "remove it".to_owned(),
            ),
            ArgumentVerdict::OfAgents if matches!(self.running.spec, Spec::Server(spec) if !is_agent_by_feature(&spec.common)) => {
                (
                    format!("`--{name}` is for agents, and Prometheus refuses it as a server"),
                    "remove it, or use a PrometheusAgent".to_owned(),
                )
            }
            _ => return None,
        };
        Some((format!("{why}: {what} does not start"), help))
    }
}

fn is_agent_by_feature(common: &CommonPrometheusFields) -> bool {
    let mut features = common.enable_features.iter().flatten();
    features.any(|feature| feature.as_str() == "agent")
}

/// Checks the features of a server, an agent or an Alertmanager, which does not start with an unknown one.
fn features(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let (given, known, effect) = match running.spec {
        Spec::Server(PrometheusSpec { common, .. })
        | Spec::Agent(PrometheusAgentSpec { common, .. }) => (
            &common.enable_features,
            &FEATURES[..],
            "Prometheus knows no feature `{}`, and runs without it",
        ),
        Spec::Alertmanager(spec) => (
            &spec.enable_features,
            &OF_ALERTMANAGER[..],
            "Alertmanager knows no feature `{}`, and does not start with it",
        ),
        Spec::Ruler(_) => return,
    };
    for (index, feature) in given.iter().flatten().enumerate() {
        let meant = suggest::closest(feature, known.iter().copied());
        let Some(meant) = meant.filter(|_| !known.contains(&feature.as_str())) else {
            continue;
        };
        let message = effect.replace("{}", feature);
        let at = running.at().key("enableFeatures").index(index);
        let finding = Diagnostic::new(&UNKNOWN_ARGUMENT, at, message);
        sink.report(finding.help(format!("did you mean `{meant}`?")));
    }
}

#[cfg(test)]
mod tests {
    use crate::checks::found::found;

    #[test]
    fn arguments_are_those_of_the_version_and_the_mode() {
        for (kind, spec, help) in [
            (
                "Prometheus",
                "version: v3.5.0, additionalArgs: [{name: web.max-connection}]",
                Some("did you mean `web.max-connections`?"),
            ),
            (
                "Prometheus",
                "version: v3.5.0, additionalArgs: [{name: web.max-connections}]",
                None,
            ),
            (
                "Prometheus",
                "version: v2.40.0, additionalArgs: [{name: auto-gomemlimit.ratio}]",
                Some("Prometheus has it from 2.51.2 to 3.16.0: remove it, or set another version"),
            ),
            (
                "Prometheus",
                "version: v3.5.0, additionalArgs: [{name: no-storage.tsdb.wal-compression}]",
                None,
            ),
            (
                "Prometheus",
                "version: v9.9.0, additionalArgs: [{name: a.b.c}]",
                None,
            ),
            (
                "Prometheus",
                "image: example.com/own/prometheus-fork:v1, additionalArgs: [{name: own.flag}]",
                None,
            ),
            (
                "Prometheus",
                "image: example.com/own/prometheus-fork:v1, additionalArgs: [{name: web.max-connection}]",
                Some("did you mean `web.max-connections`?"),
            ),
            (
                "Prometheus",
                "image: 'quay.io/prometheus/prometheus:v3.5.0', additionalArgs: [{name: own.flag}]",
                Some("remove it: no release of Prometheus takes it"),
            ),
            (
                "Prometheus",
                "containers: [{name: prometheus, args: ['--web.max-connection=5']}]",
                Some("did you mean `web.max-connections`?"),
            ),
            (
                "Prometheus",
                "containers: [{name: other, args: ['--web.max-connection=5']}]",
                None,
            ),
            (
                "ThanosRuler",
                "queryEndpoints: [a], additionalArgs: [{name: tsdb.block-durations}]",
                Some("did you mean `tsdb.block-duration`?"),
            ),
            (
                "Alertmanager",
                "enableFeatures: [utf8-strict-mod]",
                Some("did you mean `utf8-strict-mode`?"),
            ),
            ("Alertmanager", "enableFeatures: [classic-mode]", None),
            (
                "PrometheusAgent",
                "version: v3.5.0, additionalArgs: [{name: query.timeout}]",
                Some("remove it"),
            ),
            (
                "Alertmanager",
                "version: v0.28.0, additionalArgs: [{name: cluster.gosip-interval}]",
                Some("did you mean `cluster.gossip-interval`?"),
            ),
            (
                "ThanosRuler",
                "version: v0.40.0, queryEndpoints: [a], additionalArgs: [{name: tsdb.block-durations}]",
                Some("did you mean `tsdb.block-duration`?"),
            ),
            (
                "Prometheus",
                "thanos: {version: v0.40.0, additionalArgs: [{name: shipper.upload-compactd}]}",
                Some("did you mean `shipper.upload-compacted`?"),
            ),
        ] {
            let version = if kind == "PrometheusAgent" {
                "v1alpha1"
            } else {
                "v1"
            };
            let told = found(
                &["PG525"],
                &format!(
                    "apiVersion: monitoring.coreos.com/{version}\nkind: {kind}\nmetadata: {{name: k}}\nspec: {{{spec}}}\n"
                ),
            );
            let helps: Vec<&str> = told
                .iter()
                .filter_map(|line| line.split(" | ").nth(1))
                .collect();
            assert_eq!(helps, Vec::from_iter(help), "{kind} {spec}");
        }
    }
}
