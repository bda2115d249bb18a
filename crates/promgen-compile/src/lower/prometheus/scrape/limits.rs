//! Limits of a job: the monitor's, capped by the workload's.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use promgen_resources::api::scalar::{ByteSize, Duration, Quantity};
use promgen_resources::api::scraping::scrape::{NativeHistogramConfig, ScrapeProtocol};
use promgen_resources::api::{Kind, PodMonitorSpec, ProbeSpec, ScrapeConfigSpec, ServiceMonitorSpec};
use promgen_resources::gates::{self, Gate};
use promgen_text::go::{bytesize, quantity};
use promgen_text::route::Path;
use promgen_text::yaml::encode::{EncodeFields, value_of};
use promgen_text::yaml::{Map, Value};

/// The limits that a monitor sets.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScrapeLimits {
    /// Most samples of a scrape.
    pub sample_limit: Option<i64>,
    /// Most targets of a job.
    pub target_limit: Option<i64>,
    /// Most labels of a sample.
    pub label_limit: Option<i64>,
    /// Most bytes of a label's name.
    pub label_name_length_limit: Option<i64>,
    /// Most bytes of a label's value.
    pub label_value_length_limit: Option<i64>,
    /// Most dropped targets that are remembered.
    pub keep_dropped_targets: Option<i64>,
}

/// Takes the limits out of specs, which name them all alike.
macro_rules! limits_of {
    ($($spec:ty),+ $(,)?) => {
        $(
            impl From<&$spec> for ScrapeLimits {
                fn from(spec: &$spec) -> Self {
                    Self {
                        sample_limit: spec.sample_limit,
                        target_limit: spec.target_limit,
                        label_limit: spec.label_limit,
                        label_name_length_limit: spec.label_name_length_limit,
                        label_value_length_limit: spec.label_value_length_limit,
                        keep_dropped_targets: spec.keep_dropped_targets,
                    }
                }
            }
        )+
    };
}
limits_of!(ServiceMonitorSpec, PodMonitorSpec, ProbeSpec, ScrapeConfigSpec);

/// Writes a limit by the operator's rule: the smaller of what the user sets and what is enforced, where 0 is no limit;
/// a job without a limit of its own inherits the global one, where Prometheus has those.
fn limit(out: &mut Map, scope: &Scope<'_>, key: &'static str, user: Option<i64>, enforced: Option<i64>) {
    let enforced = enforced.filter(|e| *e > 0);
    let value = match (user.filter(|u| *u > 0), enforced) {
        // A 0 of the user is written if nothing is enforced.
        (_, None) => user,
        (None, Some(enforced)) => (!scope.has(&gates::GLOBAL_LIMITS)).then_some(enforced),
        (Some(user), Some(enforced)) => Some(user.min(enforced)),
    };
    out.push_some(key, value);
}

/// The limits, in the order that ServiceMonitors, PodMonitors, Probes and ScrapeConfigs share.
pub fn limits(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, limits: &ScrapeLimits) {
    let common = scope.cx.common;
    let at = |key: &'static str| path.key(key).to_route();
    limit(out, scope, "sample_limit", limits.sample_limit, common.enforced_sample_limit);
    if scope.allowed(&gates::TARGET_LIMIT, limits.target_limit.is_some(), || at("targetLimit")) {
        limit(out, scope, "target_limit", limits.target_limit, common.enforced_target_limit);
    }
    if scope.allowed(&gates::LABEL_LIMITS, limits.label_limit.is_some(), || at("labelLimit")) {
        limit(out, scope, "label_limit", limits.label_limit, common.enforced_label_limit);
        let (user, enforced) = (limits.label_name_length_limit, common.enforced_label_name_length_limit);
        limit(out, scope, "label_name_length_limit", user, enforced);
        let (user, enforced) = (limits.label_value_length_limit, common.enforced_label_value_length_limit);
        limit(out, scope, "label_value_length_limit", user, enforced);
    }
    if scope.allowed(&gates::KEEP_DROPPED_TARGETS, limits.keep_dropped_targets.is_some(), || at("keepDroppedTargets")) {
        let enforced = common.enforced_keep_dropped_targets;
        limit(out, scope, "keep_dropped_targets", limits.keep_dropped_targets, enforced);
    }
}

/// Native histograms.
pub(crate) fn native_histograms(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    histograms: &NativeHistogramConfig,
) {
    let at = |key: &'static str| path.key(key).to_route();
    out.push_some(
        "scrape_native_histograms",
        scope.gated(&gates::SCRAPE_NATIVE_HISTOGRAMS, histograms.scrape_native_histograms, || {
            at("scrapeNativeHistograms")
        }),
    );
    let bucket_limit = histograms.native_histogram_bucket_limit;
    out.push_some(
        "native_histogram_bucket_limit",
        scope.gated(&gates::NATIVE_HISTOGRAM_BUCKET_LIMIT, bucket_limit, || at("nativeHistogramBucketLimit")),
    );
    let factor = histograms.native_histogram_min_bucket_factor.as_ref().map(float);
    out.push_some(
        "native_histogram_min_bucket_factor",
        scope.gated(&gates::NATIVE_HISTOGRAM_MIN_BUCKET_FACTOR, factor, || at("nativeHistogramMinBucketFactor")),
    );
    let classic = histograms.scrape_classic_histograms;
    // Prometheus 3 renamed the key.
    let (key, gate): (_, &Gate) = if scope.has(&gates::ALWAYS_SCRAPE_CLASSIC) {
        ("always_scrape_classic_histograms", &gates::ALWAYS_SCRAPE_CLASSIC)
    } else {
        ("scrape_classic_histograms", &gates::SCRAPE_CLASSIC_HISTOGRAMS)
    };
    out.push_some(key, scope.gated(gate, classic, || at("scrapeClassicHistograms")));
}

/// The fields of an object at that place that gates say to write as they are.
pub(crate) fn passed(
    out: &mut Map,
    scope: &mut Scope<'_>,
    (kind, place): (Kind, &'static str),
    (path, object): (&Path<'_>, &dyn EncodeFields),
) {
    for field in gates::fields::written(kind, place) {
        let at = || path.key(field.name).to_route();
        out.push_some(field.key, scope.gated(field.gate, value_of(object, field.name), at));
    }
}

/// `scrape_protocols`, without those that the target does not support.
pub fn scrape_protocols(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, protocols: Option<&[ScrapeProtocol]>) {
    let protocols = protocols.filter(|p| !p.is_empty());
    let at = || path.key("scrapeProtocols").to_route();
    let Some(protocols) = scope.gated(&gates::SCRAPE_PROTOCOLS, protocols, at) else { return };
    let text_1_0 = scope.has(&gates::PROMETHEUS_TEXT_1_0);
    let newer = protocols.iter().position(|p| *p == ScrapeProtocol::PrometheusText100);
    let at = || path.key("scrapeProtocols").index(newer.unwrap_or_default()).to_route();
    scope.dropped_if(&gates::PROMETHEUS_TEXT_1_0, !text_1_0 && newer.is_some(), at);
    // The list is written even if nothing is left of it.
    let known = protocols.iter().filter(|p| text_1_0 || **p != ScrapeProtocol::PrometheusText100);
    out.push("scrape_protocols", Value::Seq(known.map(|p| text(p.as_str())).collect()));
}

/// `fallback_scrape_protocol`.
pub(crate) fn fallback_protocol(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    protocol: Option<ScrapeProtocol>,
) {
    let at = || path.key("fallbackScrapeProtocol").to_route();
    let protocol = scope.gated(&gates::FALLBACK_SCRAPE_PROTOCOL, protocol, at);
    out.push_some("fallback_scrape_protocol", protocol.map(|p| text(p.as_str())));
}

/// `body_size_limit`: the smaller of the user's and the enforced one.
pub fn body_size_limit(out: &mut Map, scope: &mut Scope<'_>, path: &Path<'_>, user: Option<&ByteSize>) {
    let user = user.map(ByteSize::as_str).filter(|u| !u.is_empty());
    let enforced = scope.cx.common.enforced_body_size_limit.as_ref().map(ByteSize::as_str).filter(|e| !e.is_empty());
    let value = match (user, enforced) {
        (Some(user), Some(enforced)) => {
            let bytes = |size: &str| bytesize::parse(size).unwrap_or_default();
            Some(if bytes(user) > bytes(enforced) { enforced } else { user })
        }
        (user, enforced) => user.or(enforced),
    };
    let value = scope.gated(&gates::BODY_SIZE_LIMIT, value, || path.key("bodySizeLimit").to_route());
    out.push_some("body_size_limit", value.map(text));
}

/// A duration as the user wrote it.
pub fn duration(out: &mut Map, key: &'static str, duration: Option<&Duration>) {
    out.push_some(key, duration.map(Duration::as_str).filter(|d| !d.is_empty()).map(text));
}

/// A quantity as a float, as Kubernetes approximates it.
pub fn float(quantity: &Quantity) -> f64 {
    quantity::ParsedQuantity::parse(quantity.as_str()).map_or(0.0, |q| q.as_f64())
}
