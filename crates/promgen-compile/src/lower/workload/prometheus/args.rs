//! The command lines of servers and agents.
//!
//! In: the settings of a workload. Out: arguments in the operator's order. An argument that the version does not
//! support is omitted; the finding about its field is reported where fields are checked against versions.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::args::{Args, log_format, log_level};
use crate::lower::workload::prometheus::facts::{
    CONFIG_OUT_FILE, Compaction, UPLOADED_BLOCKS_FILE, reloads_by_http, route_prefix, uploads,
};
use crate::lower::workload::prometheus::volumes::STORAGE_DIR;
use promgen_resources::api::servers::prometheus::{PrometheusSpec, QuerySpec, RulesAlert};
use promgen_resources::api::servers::remote::RemoteWriteMessageVersion;
use promgen_resources::api::servers::settings::FloatEncoding;
use promgen_resources::gates::{self, Generation};

/// The default retention if the user sets neither time nor size.
const DEFAULT_RETENTION: &str = "24h";

/// The arguments of a server, without `web.config.file` and those after it. Operator: `buildServerArgs`.
pub fn server(cx: &WorkloadContext<'_>, spec: &PrometheusSpec) -> Args {
    let mut args = common(cx);
    retention(cx, spec, &mut args);
    args.value("storage.tsdb.path", STORAGE_DIR);
    if spec.enable_admin_api == Some(true) {
        args.flag("web.enable-admin-api");
    }
    if let Some(alert) = spec.rules.as_ref().and_then(|r| r.alert.as_ref()) {
        rules(cx, alert, &mut args);
    }
    if let Some(settings) = &spec.query {
        query(cx, settings, &mut args);
    }
    if spec.allow_overlapping_blocks == Some(true) && cx.has(&gates::ALLOW_OVERLAPPING_BLOCKS) {
        args.flag("storage.tsdb.allow-overlapping-blocks");
    }
    if cx.has(&gates::WAL_COMPRESSION) {
        wal_compression(cx, "storage.tsdb.wal-compression", &mut args);
    }
    args
}

/// The flag that keeps a server from compacting blocks that overlap.
const NO_OVERLAPPING: &str = "no-storage.tsdb.allow-overlapping-compaction";

/// The arguments about compaction.
pub fn compaction(cx: &WorkloadContext<'_>, spec: &PrometheusSpec, args: &mut Args) {
    let compaction = Compaction::of(cx, spec);
    if compaction == Compaction::Disabled {
        let block_size = spec
            .thanos
            .as_ref()
            .map(|t| t.block_size.as_str())
            .filter(|s| !s.trim().is_empty());
        let block_size = block_size.unwrap_or("2h");
        args.value("storage.tsdb.max-block-duration", block_size);
        args.value("storage.tsdb.min-block-duration", block_size);
    }
    if compaction == Compaction::Delayed {
        args.value(
            "storage.tsdb.delay-compact-file.path",
            format!("{STORAGE_DIR}/{UPLOADED_BLOCKS_FILE}"),
        );
    }
    // The operator sets the flag for delayed compaction too.
    let is_restricted =
        spec.disable_compaction == Some(true) || spec.thanos.as_ref().is_some_and(uploads);
    let out_of_order = cx
        .common
        .tsdb
        .as_ref()
        .is_some_and(|t| t.out_of_order_time_window.is_some());
    if out_of_order && is_restricted && cx.has(&gates::ALLOW_OVERLAPPING_COMPACTION) {
        let is_negated = cx.has(&gates::NEGATED_COMPACTION_FLAG);
        args.flag(if is_negated {
            NO_OVERLAPPING
        } else {
            NO_OVERLAPPING.trim_start_matches("no-")
        });
    }
}

/// The arguments of an agent, less `web.config.file`. Operator: `buildAgentArgs`.
pub fn agent(cx: &WorkloadContext<'_>) -> Args {
    let mut args = common(cx);
    // Prometheus 3 made a flag of the feature.
    match cx.versions.generation() {
        Some(Generation::V2) => args.value("enable-feature", "agent"),
        Some(Generation::V3) | None => args.flag("agent"),
    }
    args.value("storage.agent.path", STORAGE_DIR);
    wal_compression(cx, "storage.agent.wal-compression", &mut args);
    args
}

/// The common arguments of servers and agents. Operator: `BuildCommonPrometheusArgs`.
fn common(cx: &WorkloadContext<'_>) -> Args {
    let mut args = Args::default();
    let are_consoles_first = cx.has(&gates::CONSOLES_FIRST);
    if are_consoles_first {
        consoles(&mut args);
    }
    args.value("config.file", CONFIG_OUT_FILE);
    // The images of Prometheus 3 have no consoles.
    if !are_consoles_first && cx.versions.generation() == Some(Generation::V2) {
        consoles(&mut args);
    }
    if reloads_by_http(cx) {
        args.flag("web.enable-lifecycle");
    }
    web(cx, &mut args);
    receivers(cx, &mut args);
    let stuck = stuck(cx);
    otlp(cx, stuck, &mut args);
    features(cx, stuck, &mut args);
    args.filled("web.external-url", cx.common.external_url.as_deref());
    args.value("web.route-prefix", route_prefix(cx));
    if let Some(level) = log_level(cx.common.log_level) {
        args.value("log.level", level);
    }
    if let Some(format) =
        log_format(cx.common.log_format).filter(|_| !stuck && cx.has(&gates::LOG_FORMAT))
    {
        args.value("log.format", format);
    }
    if cx.common.listen_local == Some(true) {
        args.value("web.listen-address", "127.0.0.1:9090");
    }
    args
}

fn consoles(args: &mut Args) {
    args.value("web.console.templates", "/etc/prometheus/consoles");
    args.value("web.console.libraries", "/etc/prometheus/console_libraries");
}

fn web(cx: &WorkloadContext<'_>, args: &mut Args) {
    let Some(web) = &cx.common.web else { return };
    if let Some(title) = web
        .page_title
        .as_deref()
        .filter(|_| cx.has(&gates::PAGE_TITLE))
    {
        args.value("web.page-title", title);
    }
    if let Some(connections) = web.max_connections {
        args.value("web.max-connections", connections.to_string());
    }
}

/// The arguments about remote write and its receiver.
fn receivers(cx: &WorkloadContext<'_>, args: &mut Args) {
    let common = cx.common;
    if common.enable_remote_write_receiver == Some(true) {
        if cx.has(&gates::REMOTE_WRITE_RECEIVER) {
            args.flag("web.enable-remote-write-receiver");
        }
        let versions = common
            .remote_write_receiver_message_versions
            .as_deref()
            .unwrap_or_default();
        if !versions.is_empty() && cx.has(&gates::RECEIVER_MESSAGE_VERSIONS) {
            let messages: Vec<_> = versions.iter().map(|v| message(*v)).collect();
            args.value(
                "web.remote-write-receiver.accepted-protobuf-messages",
                messages.join(","),
            );
        }
    }
    let is_always = cx.has(&gates::METADATA_WAL_RECORDS_ALWAYS) && cx.has(&gates::REMOTE_WRITE_V2);
    if sends_v2(cx) && (cx.has(&gates::METADATA_WAL_RECORDS) || is_always) {
        args.value("enable-feature", "metadata-wal-records");
    }
}

/// Returns whether anything is sent by version 2 of remote write.
fn sends_v2(cx: &WorkloadContext<'_>) -> bool {
    let writes = cx.common.remote_write.as_deref().unwrap_or_default();
    writes
        .iter()
        .any(|w| w.message_version == Some(RemoteWriteMessageVersion::V2))
}

/// Returns whether the following arguments that depend on the version are omitted. Operator: once the version does not
/// support version 2 of remote write, it counts as too old for the rest of the common arguments.
fn stuck(cx: &WorkloadContext<'_>) -> bool {
    sends_v2(cx) && !cx.has(&gates::REMOTE_WRITE_V2)
}

fn otlp(cx: &WorkloadContext<'_>, stuck: bool, args: &mut Args) {
    // Settings for OTLP switch the receiver on, unless the user switches it off.
    if stuck
        || !cx
            .common
            .enable_otlp_receiver
            .unwrap_or(cx.common.otlp.is_some())
    {
        return;
    }
    if cx.versions.generation() == Some(Generation::V3) {
        args.flag("web.enable-otlp-receiver");
    } else if cx.has(&gates::OTLP_RECEIVER_FEATURE) {
        args.value("enable-feature", "otlp-write-receiver");
    }
}

/// The protobuf message of a version of remote write.
const fn message(version: RemoteWriteMessageVersion) -> &'static str {
    match version {
        RemoteWriteMessageVersion::V1 => "prometheus.WriteRequest",
        RemoteWriteMessageVersion::V2 => "io.prometheus.write.v2.Request",
    }
}

fn features(cx: &WorkloadContext<'_>, stuck: bool, args: &mut Args) {
    const XOR2: &str = "xor2-encoding";
    const EXTRA_METRICS: &str = "extra-scrape-metrics";
    let features = cx.common.enable_features.as_deref().unwrap_or_default();
    if !features.is_empty() && !stuck && cx.has(&gates::ENABLE_FEATURE) {
        args.value("enable-feature", features.join(","));
    }
    let encoding = cx
        .common
        .tsdb
        .as_ref()
        .and_then(|t| t.chunk_encoding.as_ref())
        .and_then(|c| c.floats);
    // The user may have listed the feature, and an argument must not be there twice.
    let is_listed = |feature: &str| features.iter().any(|listed| listed == feature);
    let is_flag =
        cx.has(&gates::EXTRA_SCRAPE_METRICS_FEATURE) && !cx.has(&gates::EXTRA_SCRAPE_METRICS);
    if cx.common.extra_scrape_metrics == Some(true) && is_flag && !is_listed(EXTRA_METRICS) {
        args.value("enable-feature", EXTRA_METRICS);
    }
    if encoding == Some(FloatEncoding::Xor2) && !is_listed(XOR2) && cx.has(&gates::CHUNK_ENCODING) {
        args.value("enable-feature", XOR2);
    }
}

/// The retention, on versions that do not read it from the configuration.
fn retention(cx: &WorkloadContext<'_>, spec: &PrometheusSpec, args: &mut Args) {
    if cx.has(&gates::RETENTION_IN_CONFIG) {
        return;
    }
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
    if cx.has(&gates::RETENTION_SIZE) {
        // A size alone is a limit, so that the default of the time does not apply.
        let default = size.is_none().then_some(DEFAULT_RETENTION);
        args.filled("storage.tsdb.retention.time", time.or(default));
        args.filled("storage.tsdb.retention.size", size);
    } else {
        args.value("storage.tsdb.retention", time.unwrap_or(DEFAULT_RETENTION));
    }
}

fn rules(cx: &WorkloadContext<'_>, alert: &RulesAlert, args: &mut Args) {
    if cx.has(&gates::RULE_ALERT_FLAGS) {
        args.filled(
            "rules.alert.for-outage-tolerance",
            alert.for_outage_tolerance.as_deref(),
        );
        args.filled(
            "rules.alert.for-grace-period",
            alert.for_grace_period.as_deref(),
        );
        args.filled("rules.alert.resend-delay", alert.resend_delay.as_deref());
    }
}

fn query(cx: &WorkloadContext<'_>, query: &QuerySpec, args: &mut Args) {
    if let Some(delta) = query.lookback_delta.as_deref() {
        args.value("query.lookback-delta", delta);
    }
    if let Some(samples) = query
        .max_samples
        .filter(|n| *n > 0 && cx.has(&gates::QUERY_MAX_SAMPLES))
    {
        args.value("query.max-samples", samples.to_string());
    }
    if let Some(concurrency) = query.max_concurrency.filter(|n| *n > 0) {
        args.value("query.max-concurrency", concurrency.to_string());
    }
    if let Some(timeout) = &query.timeout {
        args.value("query.timeout", timeout.as_str());
    }
}

fn wal_compression(cx: &WorkloadContext<'_>, name: &str, args: &mut Args) {
    match cx.common.wal_compression {
        Some(true) => args.flag(name),
        Some(false) => args.flag(&format!("no-{name}")),
        None => {}
    }
}
