//! The `global` and `runtime` sections.

use std::collections::BTreeMap;

use crate::lower::prometheus::http::{filled, text};
use crate::lower::prometheus::scrape::limits::{duration, scrape_protocols};
use crate::lower::{Ctx, Scope};
use crate::sharding::TOPOLOGY_ZONE;
use promgen_resources::api::scalar::ByteSize;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::sharding::{ShardingMode, ShardingStrategy};
use promgen_resources::gates;
use promgen_text::route::Path;
use promgen_text::yaml::{Map, Value};

/// The label that distinguishes replicas, unless it is renamed or removed.
const REPLICA: &str = "prometheus_replica";

/// The section `global`.
pub fn global(scope: &mut Scope<'_>) -> Map {
    let (cx, root) = (scope.cx, Path::root());
    let (common, spec) = (cx.common, root.key("spec"));
    let at = |key: &'static str| spec.key(key).to_route();
    let mut out = Map::new();
    // Written even if it is empty: the default of 30s is the API server's, not the operator's.
    out.push("scrape_interval", text(common.scrape_interval.as_str()));
    duration(&mut out, "scrape_timeout", common.scrape_timeout.as_ref());
    scrape_protocols(&mut out, scope, &spec, common.scrape_protocols.as_deref());
    out.push("external_labels", external_labels(cx));
    limits(&mut out, scope);
    let log = filled(common.scrape_failure_log_file.as_deref()).map(log_path);
    out.push_some(
        "scrape_failure_log_file",
        scope.gated(&gates::SCRAPE_FAILURE_LOG_FILE, log, || at("scrapeFailureLogFile")),
    );
    let scheme = common.name_validation_scheme.map(|s| s.as_str().to_lowercase());
    out.push_some(
        "metric_name_validation_scheme",
        scope.gated(&gates::NAME_VALIDATION_SCHEME, scheme, || at("nameValidationScheme")),
    );
    let scheme = common.name_escaping_scheme.map(escaping_scheme);
    out.push_some(
        "metric_name_escaping_scheme",
        scope.gated(&gates::NAME_ESCAPING_SCHEME, scheme, || at("nameEscapingScheme")),
    );
    histograms(&mut out, scope);
    // Before the key there is a feature flag.
    if scope.has(&gates::EXTRA_SCRAPE_METRICS) || !scope.has(&gates::EXTRA_SCRAPE_METRICS_FEATURE) {
        let extra = scope.gated(&gates::EXTRA_SCRAPE_METRICS, common.extra_scrape_metrics, || at("extraScrapeMetrics"));
        out.push_some("extra_scrape_metrics", extra);
    }
    if let Some(server) = cx.server {
        out.push("evaluation_interval", text(server.evaluation_interval.as_str()));
        let offset = server.rule_query_offset.as_ref().map(|o| o.as_str());
        let offset = scope.gated(&gates::RULE_QUERY_OFFSET, offset, || at("ruleQueryOffset"));
        out.push_some("rule_query_offset", offset.map(text));
        let log = filled(server.query_log_file.as_deref()).map(log_path);
        out.push_some("query_log_file", scope.gated(&gates::QUERY_LOG_FILE, log, || at("queryLogFile")));
    }
    out
}

/// Limits that jobs inherit.
fn limits(out: &mut Map, scope: &mut Scope<'_>) {
    let common = scope.cx.common;
    let (root, spec) = (Path::root(), "spec");
    let at = |field: &'static str| root.key(spec).key(field).to_route();
    let body = |size: &Option<ByteSize>| size.as_ref().map(ByteSize::as_str).filter(|s| !s.is_empty()).map(text);
    let own = body(&common.body_size_limit);
    if scope.allowed(&gates::GLOBAL_LIMITS, own.is_some(), || at("bodySizeLimit")) {
        // Unlike the other limits, an enforced size does not cap a bigger one of the user.
        out.push_some("body_size_limit", own.or_else(|| body(&common.enforced_body_size_limit)));
    }
    for (key, field, own, enforced) in limit_fields(common) {
        let gate = match key {
            "keep_dropped_targets" => &gates::KEEP_DROPPED_TARGETS,
            _ => &gates::GLOBAL_LIMITS,
        };
        if scope.allowed(gate, own.is_some(), || at(field)) {
            out.push_some(key, smaller(own, enforced));
        }
    }
}

/// A limit: key, field, the user's value, the enforced one.
type LimitField = (&'static str, &'static str, Option<i64>, Option<i64>);

/// Limits in the order of the section.
const fn limit_fields(common: &CommonPrometheusFields) -> [LimitField; 6] {
    [
        ("sample_limit", "sampleLimit", common.sample_limit, common.enforced_sample_limit),
        ("target_limit", "targetLimit", common.target_limit, common.enforced_target_limit),
        ("label_limit", "labelLimit", common.label_limit, common.enforced_label_limit),
        (
            "label_name_length_limit",
            "labelNameLengthLimit",
            common.label_name_length_limit,
            common.enforced_label_name_length_limit,
        ),
        (
            "label_value_length_limit",
            "labelValueLengthLimit",
            common.label_value_length_limit,
            common.enforced_label_value_length_limit,
        ),
        (
            "keep_dropped_targets",
            "keepDroppedTargets",
            common.keep_dropped_targets,
            common.enforced_keep_dropped_targets,
        ),
    ]
}

/// The smaller of two limits, where 0 is no limit.
fn smaller(own: Option<i64>, enforced: Option<i64>) -> Option<i64> {
    let (own, enforced) = (own.filter(|l| *l > 0), enforced.filter(|l| *l > 0));
    match (own, enforced) {
        (Some(own), Some(enforced)) => Some(own.min(enforced)),
        // 0 from the user does not lift an enforced limit.
        (own, enforced) => own.or(enforced),
    }
}

fn histograms(out: &mut Map, scope: &mut Scope<'_>) {
    let common = scope.cx.common;
    let (root, spec) = (Path::root(), "spec");
    let at = |key: &'static str| root.key(spec).key(key).to_route();
    let fields = [
        (
            "convert_classic_histograms_to_nhcb",
            &gates::GLOBAL_CONVERT_CLASSIC_HISTOGRAMS,
            common.convert_classic_histograms_to_nhcb,
            "convertClassicHistogramsToNHCB",
        ),
        (
            "always_scrape_classic_histograms",
            &gates::GLOBAL_SCRAPE_CLASSIC_HISTOGRAMS,
            common.scrape_classic_histograms,
            "scrapeClassicHistograms",
        ),
        (
            "scrape_native_histograms",
            &gates::SCRAPE_NATIVE_HISTOGRAMS,
            common.scrape_native_histograms,
            "scrapeNativeHistograms",
        ),
    ];
    for (key, gate, value, field) in fields {
        out.push_some(key, scope.gated(gate, value, || at(field)));
    }
}

/// The configuration's name of an escaping scheme.
pub(crate) fn escaping_scheme(scheme: promgen_resources::api::scraping::scrape::NameEscapingScheme) -> &'static str {
    use promgen_resources::api::scraping::scrape::NameEscapingScheme as Scheme;
    match scheme {
        Scheme::AllowUtf8 => "allow-utf-8",
        Scheme::Underscores => "underscores",
        Scheme::Dots => "dots",
        Scheme::Values => "values",
    }
}

/// Labels of everything that leaves this Prometheus. The user cannot set the operator's own.
fn external_labels(cx: &Ctx<'_>) -> Map {
    let common = cx.common;
    let own = format!("{}/{}", cx.namespace, cx.name);
    let zone = zone_label(cx);
    let reserved = [
        (common.prometheus_external_label_name.as_deref().unwrap_or("prometheus"), own),
        (replica_label(cx), "$(POD_NAME)".to_owned()),
        (zone.unwrap_or_default(), TOPOLOGY_ZONE.to_owned()),
    ];
    let mut labels: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in common.external_labels.iter().flatten() {
        labels.insert(name, value.clone());
    }
    // Inserted last, so that they win over labels of the user with the same names.
    for (name, value) in reserved {
        // A name that is set to nothing removes the label.
        if !name.is_empty() {
            labels.insert(name, value);
        }
    }
    labels.into_iter().map(|(k, v)| (k.to_owned().into(), Value::from(v))).collect()
}

/// The name of the label that distinguishes replicas; empty if there is none.
pub(crate) fn replica_label<'a>(cx: &Ctx<'a>) -> &'a str {
    cx.common.replica_external_label_name.as_deref().unwrap_or(REPLICA)
}

/// The name of the label that distinguishes zones, under the operator's topology sharding.
fn zone_label<'a>(cx: &Ctx<'a>) -> Option<&'a str> {
    let Some(ShardingStrategy::Operator(strategy)) = &cx.common.sharding_strategy else { return None };
    let enabled = strategy.mode == Some(ShardingMode::Topology) && cx.target.enabled(&gates::TOPOLOGY_SHARDING);
    // The label is there as soon as `topology` is, even if it lists no zone.
    let topology = strategy.topology.as_ref().filter(|_| enabled)?;
    Some(topology.external_label_name.as_deref().unwrap_or("zone"))
}

/// The path of a log: a file name without a folder is in the pod's folder for logs.
fn log_path(file: &str) -> String {
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    // `./name` is a mere name too, but `/name` is not.
    let is_here = !file.starts_with('/') && folder.split('/').all(|step| matches!(step, "" | "."));
    if is_here { format!("/var/log/prometheus/{name}") } else { file.to_owned() }
}

/// The section `runtime`. An empty `spec.runtime` has an empty section.
pub fn runtime(scope: &mut Scope<'_>) -> Option<Map> {
    let runtime = scope.cx.common.runtime.as_ref();
    let (root, spec) = (Path::root(), "spec");
    let runtime = scope.gated(&gates::RUNTIME, runtime, || root.key(spec).key("runtime").to_route())?;
    let mut out = Map::new();
    out.push_some("gogc", runtime.go_gc.map(i64::from));
    Some(out)
}
