//! Limits of a job: the monitor's, capped by the workload's.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use promgen_resources::api::scalar::{ByteSize, Quantity};
use promgen_resources::api::scraping::scrape::ScrapeProtocol;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::gates::{self, Gate};
use promgen_text::go::{bytesize, quantity};
use promgen_text::route::Path;
use promgen_text::yaml::encode::{EncodeFields, fields_of};
use promgen_text::yaml::{Map, Value};

/// A limit that monitors and the workload set, and that the workload enforces.
pub(crate) struct ScrapeLimit {
    /// Its field, in monitors and in the workload.
    pub field: &'static str,
    /// Its key.
    pub key: &'static str,
    /// The settings that the workload enforces.
    pub enforced: fn(&CommonPrometheusFields) -> Option<i64>,
    /// The versions that have it in a job.
    gate: Option<&'static Gate>,
}

/// The limits, in the order that all sections share.
#[rustfmt::skip]
pub(crate) static LIMITS: [ScrapeLimit; 6] = [
    row("sampleLimit", "sample_limit", None, |all| all.enforced_sample_limit),
    row("targetLimit", "target_limit", Some(&gates::TARGET_LIMIT), |all| all.enforced_target_limit),
    row("labelLimit", "label_limit", Some(&gates::LABEL_LIMITS), |all| all.enforced_label_limit),
    row("labelNameLengthLimit", "label_name_length_limit", Some(&gates::LABEL_LIMITS), |all| all.enforced_label_name_length_limit),
    row("labelValueLengthLimit", "label_value_length_limit", Some(&gates::LABEL_LIMITS), |all| all.enforced_label_value_length_limit),
    row("keepDroppedTargets", "keep_dropped_targets", Some(&gates::KEEP_DROPPED_TARGETS), |all| all.enforced_keep_dropped_targets),
];

const fn row(
    field: &'static str,
    key: &'static str,
    gate: Option<&'static Gate>,
    enforced: fn(&CommonPrometheusFields) -> Option<i64>,
) -> ScrapeLimit {
    ScrapeLimit {
        field,
        key,
        enforced,
        gate,
    }
}

impl ScrapeLimit {
    /// The limit among those that an object [sets](own_limits).
    pub(crate) fn of(&self, own: &Map) -> Option<i64> {
        match own.get(self.field) {
            Some(Value::Int(limit)) => Some(*limit),
            _ => None,
        }
    }
}

/// The limits that an object sets.
pub(crate) fn own_limits(object: &dyn EncodeFields) -> Map {
    fields_of(object, |name| LIMITS.iter().any(|row| row.field == name))
}

/// Writes a limit by the operator's rule: the smaller of what the user sets and what is enforced, where 0 is no limit;
/// a job without a limit of its own inherits the global one, where Prometheus has those.
fn limit(
    out: &mut Map,
    scope: &Scope<'_>,
    key: &'static str,
    user: Option<i64>,
    enforced: Option<i64>,
) {
    let enforced = enforced.filter(|e| *e > 0);
    let value = match (user.filter(|u| *u > 0), enforced) {
        // A 0 of the user is written if nothing is enforced.
        (_, None) => user,
        (None, Some(enforced)) => (!scope.has(&gates::GLOBAL_LIMITS)).then_some(enforced),
        (Some(user), Some(enforced)) => Some(user.min(enforced)),
    };
    out.push_some(key, value);
}

/// The limits of a monitor, whose spec stands at a path.
pub(crate) fn limits(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    spec: &dyn EncodeFields,
) {
    let own = own_limits(spec);
    for row in &LIMITS {
        let (user, enforced) = (row.of(&own), (row.enforced)(scope.cx.common));
        let at = || path.key(row.field).to_route();
        if row
            .gate
            .is_none_or(|gate| scope.allowed(gate, user.is_some(), at))
        {
            limit(out, scope, row.key, user, enforced);
        }
    }
}

/// `scrape_protocols`, without those that the target does not support.
pub fn scrape_protocols(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    protocols: Option<&[ScrapeProtocol]>,
) {
    let protocols = protocols.filter(|p| !p.is_empty());
    let at = || path.key("scrapeProtocols").to_route();
    let Some(protocols) = scope.gated(&gates::SCRAPE_PROTOCOLS, protocols, at) else {
        return;
    };
    let text_1_0 = scope.has(&gates::PROMETHEUS_TEXT_1_0);
    let newer = protocols
        .iter()
        .position(|p| *p == ScrapeProtocol::PrometheusText100);
    let at = || {
        path.key("scrapeProtocols")
            .index(newer.unwrap_or_default())
            .to_route()
    };
    scope.dropped_if(
        &gates::PROMETHEUS_TEXT_1_0,
        !text_1_0 && newer.is_some(),
        at,
    );
    // The list is written even if nothing is left of it.
    let known = protocols
        .iter()
        .filter(|p| text_1_0 || **p != ScrapeProtocol::PrometheusText100);
    out.push(
        "scrape_protocols",
        Value::Seq(known.map(|p| text(p.as_str())).collect()),
    );
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
    out.push_some(
        "fallback_scrape_protocol",
        protocol.map(|p| text(p.as_str())),
    );
}

/// `body_size_limit`: the smaller of the user's and the enforced one.
pub fn body_size_limit(
    out: &mut Map,
    scope: &mut Scope<'_>,
    path: &Path<'_>,
    user: Option<&ByteSize>,
) {
    let user = user.map(ByteSize::as_str).filter(|u| !u.is_empty());
    let enforced = scope
        .cx
        .common
        .enforced_body_size_limit
        .as_ref()
        .map(ByteSize::as_str)
        .filter(|e| !e.is_empty());
    let value = match (user, enforced) {
        (Some(user), Some(enforced)) => {
            let bytes = |size: &str| bytesize::parse(size).unwrap_or_default();
            Some(if bytes(user) > bytes(enforced) {
                enforced
            } else {
                user
            })
        }
        (user, enforced) => user.or(enforced),
    };
    let value = scope.gated(&gates::BODY_SIZE_LIMIT, value, || {
        path.key("bodySizeLimit").to_route()
    });
    out.push_some("body_size_limit", value.map(text));
}

/// A quantity as a number.
pub(crate) fn number(quantity: &Value) -> Option<Value> {
    Some(float(&quantity.as_str()?.into()).into())
}

/// A quantity as a float, as Kubernetes approximates it.
pub fn float(quantity: &Quantity) -> f64 {
    quantity::ParsedQuantity::parse(quantity.as_str()).map_or(0.0, |q| q.as_f64())
}
