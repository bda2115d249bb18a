//! The `storage` section.

use crate::lower::Scope;
use crate::lower::prometheus::http::text;
use crate::lower::prometheus::scrape::limits::{float, number};
use crate::lower::prometheus::write;
use crate::paths::SPEC;
use crate::section::{SectionField, lower, plain, to};
use crate::select::admit::{InField, Refusal, Refuse};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::settings::FloatEncoding;
use promgen_resources::gates::{self, Gate};
use promgen_text::go::quantity;
use promgen_text::go::quote::quote;
use promgen_text::route::Path;
use promgen_text::yaml::encode::object;
use promgen_text::yaml::{Map, MapEntry, Value};

/// The default retention of Prometheus if the user sets neither time nor size.
const DEFAULT_RETENTION: &str = "24h";

/// The feature flag of Prometheus that stores start timestamps.
const START_TIMESTAMPS: &str = "st-storage";

/// The sections `storage` of a server: none or one.
///
/// # Errors
/// Settings that contradict each other.
pub fn server(scope: &mut Scope<'_>) -> Result<Option<Map>, Refusal> {
    let Some(spec) = scope.cx.server else {
        return Ok(None);
    };
    check(scope).within("generating storage_settings configuration failed")?;
    let exemplars = spec.exemplars.is_some();
    let share = share(scope, spec).within("generating storage_settings configuration failed")?;
    if !scope.allowed(&gates::STORAGE_SECTION, exemplars, || {
        SPEC.key("exemplars").to_route()
    }) {
        // Reports fields without effect.
        settings(scope, &gates::OUT_OF_ORDER_TIME_WINDOW);
        return Ok(None);
    }
    let mut out = Map::new();
    if let Some(size) = spec.exemplars.as_ref().and_then(|e| e.max_size) {
        out.push("exemplars", Map::new().with("max_exemplars", size));
    }
    let mut tsdb = settings(scope, &gates::OUT_OF_ORDER_TIME_WINDOW);
    tsdb.push_some("retention", retention(scope, share));
    if !tsdb.is_empty() {
        out.push("tsdb", tsdb);
    }
    Ok((!out.is_empty()).then_some(out))
}

/// The sections `storage` of an agent: one for each setting. Operator: that is how it writes them, although Prometheus
/// refuses a key that occurs twice.
///
/// # Errors
/// Settings that contradict each other.
pub fn agent(scope: &mut Scope<'_>) -> Result<Vec<Map>, Refusal> {
    // Without the prefix that the error of a server has.
    check(scope)?;
    let settings = settings(scope, &gates::AGENT_OUT_OF_ORDER_TIME_WINDOW);
    if settings.len() > 1 {
        let what = format!(
            "{} sections `storage`, one for each of these settings",
            settings.len()
        );
        scope.refused(SPEC.key("tsdb").to_route(), &what, "keep one of them");
    }
    let alone = |(key, value): &MapEntry| Map::new().with(key.clone(), value.clone());
    Ok(settings
        .iter()
        .map(|setting| Map::new().with("tsdb", alone(setting)))
        .collect())
}

/// Checks the settings of the TSDB. The operator checks them even if the version does not read them.
fn check(scope: &Scope<'_>) -> Result<(), Refusal> {
    let Some(tsdb) = &scope.cx.common.tsdb else {
        return Ok(());
    };
    let path = SPEC.key("tsdb");
    if let Some(threshold) = &tsdb.stale_series_compaction_threshold {
        check_threshold(&path.key("staleSeriesCompactionThreshold"), threshold)?;
    }
    let floats = tsdb.chunk_encoding.as_ref().and_then(|c| c.floats);
    let starts = scope
        .cx
        .common
        .enable_features
        .iter()
        .flatten()
        .any(|feature| feature == START_TIMESTAMPS);
    if floats != Some(FloatEncoding::Xor) || !starts {
        return Ok(());
    }
    let xor = FloatEncoding::Xor.as_str();
    let message = format!(
        "chunk encoding {xor:?} is incompatible with --enable-feature={START_TIMESTAMPS} (XOR chunks do not store start \
         timestamps)"
    );
    path.key("chunkEncoding").key("floats").refuse(message)
}

/// Operator: `TSDBSpec.Validate`.
fn check_threshold(path: &Path<'_>, threshold: &Quantity) -> Result<(), Refusal> {
    if (0.0..=1.0).contains(&float(threshold)) {
        return Ok(());
    }
    let current = canonical(threshold);
    let message = format!(
        "`staleSeriesCompactionThreshold` must be between 0 and 1. The current value is {current}"
    );
    path.refuse(message)
}

/// A quantity as Kubernetes writes it again.
fn canonical(quantity: &Quantity) -> String {
    quantity::ParsedQuantity::parse(quantity.as_str())
        .map_or_else(|_| quantity.0.clone(), |q| q.to_string())
}

/// The settings of the TSDB. Servers and agents have the window for samples out of order since different versions.
#[rustfmt::skip]
pub(super) const fn tsdb(window: &'static Gate) -> [SectionField; 3] {
    [
        plain("outOfOrderTimeWindow", "out_of_order_time_window").needs(window),
        to("staleSeriesCompactionThreshold", "stale_series_compaction_threshold", number).needs(&gates::STALE_SERIES_COMPACTION),
        to("chunkEncoding", "chunk_encoding", chunk_encoding).needs(&gates::CHUNK_ENCODING),
    ]
}

fn chunk_encoding(encoding: &Value) -> Option<Value> {
    Some(
        Map::new()
            .with("floats", encoding.get("floats").and_then(lower)?)
            .into(),
    )
}

/// TSDB settings that the target supports.
fn settings(scope: &mut Scope<'_>, window: &'static Gate) -> Map {
    let Some(tsdb) = &scope.cx.common.tsdb else {
        return Map::new();
    };
    let (root, spec) = (Path::root(), "spec");
    write::section(
        scope,
        &root.key(spec).key("tsdb"),
        &object(tsdb).into(),
        &self::tsdb(window),
    )
}

/// The share of the volume that samples may take, in percent, on versions that read it. The operator checks it whatever the
/// version.
fn share(scope: &mut Scope<'_>, spec: &PrometheusSpec) -> Result<Option<f64>, Refusal> {
    let Some(share) = &spec.retention_percentage else {
        return Ok(None);
    };
    let path = SPEC.key("retentionPercentage");
    let percent = float(share);
    if !(0.0..=100.0).contains(&percent) {
        let message = format!(
            "`retentionPercentage` must be between 0 and 100 (the current value is {})",
            quote(&canonical(share))
        );
        return path.refuse(message);
    }
    Ok(
        scope.gated(&gates::RETENTION_PERCENTAGE, Some(percent), || {
            path.to_route()
        }),
    )
}

/// `retention`, on versions that read it here rather than from the command line.
fn retention(scope: &Scope<'_>, share: Option<f64>) -> Option<Map> {
    let spec = scope
        .cx
        .server
        .filter(|_| scope.has(&gates::RETENTION_IN_CONFIG))?;
    let time = spec
        .retention
        .as_ref()
        .map(|r| r.as_str())
        .filter(|r| !r.is_empty());
    let size = spec
        .retention_size
        .as_ref()
        .map(|r| r.as_str())
        .filter(|r| !r.is_empty());
    // A limit of the size alone leaves the time to Prometheus.
    let is_limited = size.is_some() || share.is_some_and(|share| share > 0.0);
    let time = time.or(if is_limited {
        None
    } else {
        Some(DEFAULT_RETENTION)
    });
    let mut out = Map::new();
    out.push_some("time", time.map(text));
    out.push_some("size", size.map(text));
    out.push_some("percentage", share.map(Value::Float));
    Some(out)
}
