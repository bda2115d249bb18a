//! The `global` and `runtime` sections.

use std::collections::BTreeMap;

use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::limits::{LIMITS, own_limits, scrape_protocols};
use crate::lower::prometheus::sections::{GLOBAL, SERVER, TIMING};
use crate::lower::prometheus::write;
use crate::lower::{Scope, WorkloadContext};
use crate::section::lower;
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
    write::rows(&mut out, scope, &spec, common, TIMING);
    scrape_protocols(&mut out, scope, &spec, common.scrape_protocols.as_deref());
    out.push("external_labels", external_labels(cx));
    limits(&mut out, scope);
    write::rows(&mut out, scope, &spec, common, GLOBAL);
    // Before the key there is a feature flag.
    if scope.has(&gates::EXTRA_SCRAPE_METRICS) || !scope.has(&gates::EXTRA_SCRAPE_METRICS_FEATURE) {
        let extra = scope.gated(
            &gates::EXTRA_SCRAPE_METRICS,
            common.extra_scrape_metrics,
            || at("extraScrapeMetrics"),
        );
        out.push_some("extra_scrape_metrics", extra);
    }
    if let Some(server) = cx.server {
        write::rows(&mut out, scope, &spec, server, SERVER);
    }
    out
}

/// Limits that jobs inherit.
fn limits(out: &mut Map, scope: &mut Scope<'_>) {
    let common = scope.cx.common;
    let (root, spec) = (Path::root(), "spec");
    let at = |field: &'static str| root.key(spec).key(field).to_route();
    let body = |size: &Option<ByteSize>| {
        size.as_ref()
            .map(ByteSize::as_str)
            .filter(|s| !s.is_empty())
            .map(text)
    };
    let own = body(&common.body_size_limit);
    if scope.allowed(&gates::GLOBAL_LIMITS, own.is_some(), || at("bodySizeLimit")) {
        // Unlike the other limits, an enforced size does not cap a bigger one of the user.
        out.push_some(
            "body_size_limit",
            own.or_else(|| body(&common.enforced_body_size_limit)),
        );
    }
    let limits = own_limits(common);
    for row in &LIMITS {
        let own = row.of(&limits);
        let is_later = row.key == "keep_dropped_targets";
        let gate = if is_later {
            &gates::KEEP_DROPPED_TARGETS
        } else {
            &gates::GLOBAL_LIMITS
        };
        if scope.allowed(gate, own.is_some(), || at(row.field)) {
            out.push_some(row.key, smaller(own, (row.enforced)(common)));
        }
    }
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

/// The configuration's name of an escaping scheme.
pub(super) fn escaping_scheme(scheme: &Value) -> Option<Value> {
    if scheme.as_str() == Some("AllowUTF8") {
        Some("allow-utf-8".into())
    } else {
        lower(scheme)
    }
}

/// Labels of everything that leaves this Prometheus. The user cannot set the operator's own.
fn external_labels(cx: &WorkloadContext<'_>) -> Map {
    let common = cx.common;
    let own = format!("{}/{}", cx.namespace, cx.name);
    let zone = zone_label(cx);
    let reserved = [
        (server_label(common), own),
        (replica_label(cx), "$(POD_NAME)".to_owned()),
        (zone.unwrap_or_default(), TOPOLOGY_ZONE.to_owned()),
    ];
    let mut labels: BTreeMap<&str, String> = BTreeMap::new();
    for (name, value) in common.external_labels.iter().flatten() {
        labels.insert(name, value.to_string());
    }
    // Inserted last, so that they win over labels of the user with the same names.
    for (name, value) in reserved {
        // A name that is set to nothing removes the label.
        if !name.is_empty() {
            labels.insert(name, value);
        }
    }
    labels
        .into_iter()
        .map(|(k, v)| (k.to_owned(), Value::from(v)))
        .collect()
}

/// The name of the label with the Prometheus itself, `monitoring/k8s`; empty if there is none.
#[must_use]
pub fn server_label(common: &CommonPrometheusFields) -> &str {
    let name = common.prometheus_external_label_name.as_deref();
    name.unwrap_or("prometheus")
}

/// The name of the label that distinguishes replicas; empty if there is none.
pub(crate) fn replica_label<'a>(cx: &WorkloadContext<'a>) -> &'a str {
    cx.common
        .replica_external_label_name
        .as_deref()
        .unwrap_or(REPLICA)
}

/// The name of the label that distinguishes zones, under the operator's topology sharding.
fn zone_label<'a>(cx: &WorkloadContext<'a>) -> Option<&'a str> {
    let Some(ShardingStrategy::Operator(strategy)) = &cx.common.sharding_strategy else {
        return None;
    };
    let enabled = strategy.mode == Some(ShardingMode::Topology)
        && cx.target.enabled(&gates::TOPOLOGY_SHARDING);
    // The label is there as soon as `topology` is, even if it lists no zone.
    let topology = strategy.topology.as_ref().filter(|_| enabled)?;
    Some(topology.external_label_name.as_deref().unwrap_or("zone"))
}

/// The path of a log: a file name without a folder is in the pod's folder for logs.
pub(super) fn log_path(file: &Value) -> Option<Value> {
    let file = file.as_str().filter(|file| !file.is_empty())?;
    let (folder, name) = file.rsplit_once('/').unwrap_or(("", file));
    // `./name` is a mere name too, but `/name` is not.
    let is_here = !file.starts_with('/') && folder.split('/').all(|step| matches!(step, "" | "."));
    Some(
        if is_here {
            format!("/var/log/prometheus/{name}")
        } else {
            file.to_owned()
        }
        .into(),
    )
}

/// The section `runtime`. An empty `spec.runtime` has an empty section.
pub fn runtime(scope: &mut Scope<'_>) -> Option<Map> {
    let runtime = scope.cx.common.runtime.as_ref();
    let (root, spec) = (Path::root(), "spec");
    let runtime = scope.gated(&gates::RUNTIME, runtime, || {
        root.key(spec).key("runtime").to_route()
    })?;
    let mut out = Map::new();
    out.push_some("gogc", runtime.go_gc.map(i64::from));
    Some(out)
}
