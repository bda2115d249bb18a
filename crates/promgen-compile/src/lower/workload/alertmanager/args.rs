//! The command line of an Alertmanager.
//!
//! An argument that the version does not support is omitted; the finding about its field is reported elsewhere.

use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::alertmanager::facts::{CONFIG_OUT_FILE, STORAGE_DIR, route_prefix};
use crate::lower::workload::alertmanager::names;
use crate::lower::workload::pod::args::{Args, log_format, log_level};
use promgen_resources::api::notifying::alertmanager::AlertmanagerLimitsSpec;
use promgen_resources::api::scalar::GoDuration;
use promgen_resources::gates;
use promgen_resources::gates::flags::OperatorFlag;
use promgen_text::go::bytesize;

/// The time until a cluster forgets a lost peer. Operator: less than Alertmanager's own 6h, so that pods that restart
/// with another address are forgotten soon.
const RECONNECT_TIMEOUT: &str = "5m";
/// Alertmanager's default retention.
const DEFAULT_RETENTION: &str = "120h";

/// The arguments, less those of the web server and of TLS among peers.
pub(super) fn arguments(am: &AlertmanagerContext<'_>) -> Args {
    let spec = am.spec;
    let mut args = Args::default();
    args.value("config.file", CONFIG_OUT_FILE);
    args.value("storage.path", STORAGE_DIR);
    args.value(
        "data.retention",
        in_effect(am, Some(&spec.retention)).unwrap_or(DEFAULT_RETENTION),
    );
    listen(am, &mut args);
    args.filled("web.external-url", spec.external_url.as_deref());
    let features = spec.enable_features.as_deref().unwrap_or_default();
    if !features.is_empty() && am.has(&gates::AM_ENABLE_FEATURE) {
        args.value("enable-feature", features.join(","));
    }
    args.value("web.route-prefix", route_prefix(am));
    web_limits(am, &mut args);
    if let Some(limits) = spec
        .limits
        .as_ref()
        .filter(|_| am.has(&gates::AM_SILENCE_LIMITS))
    {
        silences(limits, &mut args);
    }
    start_delay(am, &mut args);
    if let Some(level) = log_level(spec.log_level) {
        args.value("log.level", level);
    }
    // The level has no gate: Alertmanager knew it before the format.
    if let Some(format) = log_format(spec.log_format).filter(|_| am.has(&gates::AM_LOG_FORMAT)) {
        args.value("log.format", format);
    }
    cluster(am, &mut args);
    args
}

fn listen(am: &AlertmanagerContext<'_>, args: &mut Args) {
    if am.replicas() == 1 && am.spec.force_enable_cluster_mode != Some(true) {
        // Operator: the sign of equality is part of the name, because an empty value would lose it.
        args.flag("cluster.listen-address=");
    } else {
        args.value("cluster.listen-address", "[$(POD_IP)]:9094");
    }
    let local = am.spec.listen_local == Some(true);
    args.value(
        "web.listen-address",
        if local { "127.0.0.1:9093" } else { ":9093" },
    );
}

fn web_limits(am: &AlertmanagerContext<'_>, args: &mut Args) {
    let Some(web) = am
        .spec
        .web
        .as_ref()
        .filter(|_| am.has(&gates::AM_WEB_LIMITS))
    else {
        return;
    };
    if let Some(n) = web.get_concurrency {
        args.value("web.get-concurrency", n.to_string());
    }
    if let Some(seconds) = web.timeout {
        args.value("web.timeout", seconds.to_string());
    }
}

fn silences(limits: &AlertmanagerLimitsSpec, args: &mut Args) {
    if let Some(n) = limits.max_silences {
        args.value("silences.max-silences", n.to_string());
    }
    if let Some(size) = limits
        .max_per_silence_bytes
        .as_ref()
        .filter(|s| !s.as_str().is_empty())
    {
        // Operator: what is no size counts as none.
        let bytes = bytesize::parse(size.as_str()).unwrap_or_default();
        args.value("silences.max-per-silence-bytes", bytes.to_string());
    }
}

/// The time a pod waits before it notifies, so that its peers can send it their state. The user's own argument wins.
fn start_delay(am: &AlertmanagerContext<'_>, args: &mut Args) {
    const NAME: &str = "dispatch.start-delay";
    let own = am.spec.additional_args.iter().flatten();
    // `no-` before a flag of Go's is its opposite, and counts as setting it.
    let is_set = own
        .into_iter()
        .any(|a| a.name.strip_prefix("no-").unwrap_or(&a.name) == NAME);
    if let Some(seconds) = am
        .spec
        .min_ready_seconds
        .filter(|_| !is_set && am.has(&gates::AM_START_DELAY))
    {
        args.value(NAME, format!("{seconds}s"));
    }
}

/// A duration, unless it is empty or the operator ignores it.
fn in_effect<'d>(
    am: &AlertmanagerContext<'_>,
    duration: Option<&'d GoDuration>,
) -> Option<&'d str> {
    let duration = duration.filter(|duration| !duration.as_str().is_empty())?;
    (!(am.has(&gates::ZERO_DURATIONS_IGNORED) && is_zero(duration))).then_some(duration.as_str())
}

fn is_zero(duration: &GoDuration) -> bool {
    duration.length().is_ok_and(|length| length.nanos <= 0)
}

/// The fields with durations that the operator ignores because they are zero.
pub(crate) fn ignored_durations(am: &AlertmanagerContext<'_>) -> Vec<&'static str> {
    let spec = am.spec;
    let fields = [
        ("retention", Some(&spec.retention)),
        (
            "clusterGossipInterval",
            spec.cluster_gossip_interval.as_ref(),
        ),
        (
            "clusterPushpullInterval",
            spec.cluster_pushpull_interval.as_ref(),
        ),
        ("clusterPeerTimeout", spec.cluster_peer_timeout.as_ref()),
    ];
    let zero = fields
        .into_iter()
        .filter(|(_, duration)| duration.is_some_and(is_zero));
    let zero = zero.map(|(field, _)| field);
    if am.has(&gates::ZERO_DURATIONS_IGNORED) {
        zero.collect()
    } else {
        Vec::new()
    }
}

fn cluster(am: &AlertmanagerContext<'_>, args: &mut Args) {
    let spec = am.spec;
    args.filled(
        "cluster.advertise-address",
        spec.cluster_advertise_address.as_deref(),
    );
    args.filled(
        "cluster.gossip-interval",
        in_effect(am, spec.cluster_gossip_interval.as_ref()),
    );
    args.filled(
        "cluster.pushpull-interval",
        in_effect(am, spec.cluster_pushpull_interval.as_ref()),
    );
    args.filled(
        "cluster.peer-timeout",
        in_effect(am, spec.cluster_peer_timeout.as_ref()),
    );
    if am.has(&gates::AM_PEER_NAME) {
        args.value(
            "cluster.peer-name",
            spec.cluster_peer_name.as_deref().unwrap_or("$(POD_NAME)"),
        );
    }
    if am.has(&gates::AM_CLUSTER_LABEL) {
        let own = || format!("{}/{}", am.namespace(), am.name());
        args.value(
            "cluster.label",
            spec.cluster_label.clone().unwrap_or_else(own),
        );
    }
    let (prefixed, service) = (am.prefixed(), names::service(am));
    // Without a domain, the search path of the pod's resolver completes the name.
    let service = match am.parent.target.flags.get(OperatorFlag::ClusterDomain) {
        "" => service.to_owned(),
        domain => format!("{service}.{}.svc.{domain}.", am.namespace()),
    };
    for i in 0..am.replicas() {
        // Even for a single replica, which then is its own peer.
        args.value("cluster.peer", format!("{prefixed}-{i}.{service}:9094"));
    }
    for peer in spec.additional_peers.iter().flatten() {
        args.value("cluster.peer", peer.as_str());
    }
    args.value("cluster.reconnect-timeout", RECONNECT_TIMEOUT);
}
