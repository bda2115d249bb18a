//! Facts of a server or an agent that several parts of its pods share: its web server, its files, its compaction.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::{PodFields, container, pod_fields};
use crate::lower::workload::web_config::Web;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::settings::ReloadStrategy;
use promgen_resources::api::servers::thanos::ThanosSpec;
use promgen_resources::gates;

/// The place where Prometheus serves HTTP.
pub(crate) const WEB_PORT: i32 = 9090;
/// The configuration that Prometheus reads, written by the reloader.
pub(crate) const CONFIG_OUT_FILE: &str = "/etc/prometheus/config_out/prometheus.env.yaml";
/// The file of uploaded blocks: the sidecar lists there which blocks Prometheus may compact.
pub(crate) const UPLOADED_BLOCKS_FILE: &str = "thanos.shipper.json";

/// The fields of the spec about pods.
pub(crate) fn fields<'a>(cx: &WorkloadContext<'a>) -> PodFields<'a> {
    PodFields {
        automount_service_account_token: Some(
            cx.common.automount_service_account_token.unwrap_or(true),
        ),
        host_network: cx.common.host_network,
        ..pod_fields!(cx.common, cx)
    }
}

/// The user's settings of the web server.
pub(crate) fn web_server<'a>(cx: &WorkloadContext<'a>) -> Web<'a> {
    let web = cx.common.web.as_ref();
    Web {
        tls: web.and_then(|w| w.tls_config.as_ref()),
        http: web.and_then(|w| w.http_config.as_ref()),
        dir: "/etc/prometheus/web_config",
    }
}

/// The name of the web port.
pub(crate) fn port_name<'a>(cx: &WorkloadContext<'a>) -> &'a str {
    container::web_port_name(&cx.common.port_name)
}

/// Returns whether the web server speaks TLS.
pub(crate) fn has_tls(cx: &WorkloadContext<'_>) -> bool {
    web_server(cx).tls.is_some()
}

/// The URL scheme of Prometheus: `http` or `https`. Operator: `PrometheusURIScheme`.
pub(crate) fn scheme(cx: &WorkloadContext<'_>) -> &'static str {
    if has_tls(cx) { "https" } else { "http" }
}

/// The path below which Prometheus serves. Operator: `WebRoutePrefix`.
pub(crate) fn route_prefix<'a>(cx: &WorkloadContext<'a>) -> &'a str {
    cx.common
        .route_prefix
        .as_deref()
        .filter(|p| !p.is_empty())
        .unwrap_or("/")
}

/// Returns whether Prometheus reloads when asked over HTTP, rather than by a signal.
pub(crate) fn reloads_by_http(cx: &WorkloadContext<'_>) -> bool {
    cx.common.reload_strategy.unwrap_or(ReloadStrategy::Http) == ReloadStrategy::Http
}

/// Returns whether the sidecar uploads blocks.
pub(crate) const fn uploads(spec: &ThanosSpec) -> bool {
    spec.object_storage_config.is_some() || spec.object_storage_config_file.is_some()
}

/// Whether and when a server compacts its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compaction {
    /// As it sees fit.
    Free,
    /// Not before the sidecar has uploaded them.
    Delayed,
    /// Not at all.
    Disabled,
}

impl Compaction {
    /// Operator: a sidecar that uploads blocks requires uncompacted ones.
    pub(crate) fn of(cx: &WorkloadContext<'_>, spec: &PrometheusSpec) -> Self {
        let uploads = spec.thanos.as_ref().is_some_and(uploads);
        let can_wait =
            cx.has(&gates::DELAYED_COMPACTION) && cx.has(&gates::THANOS_DELAYED_COMPACTION);
        match (spec.disable_compaction == Some(true), uploads, can_wait) {
            (true, _, _) | (false, true, false) => Self::Disabled,
            (false, true, true) => Self::Delayed,
            (false, false, _) => Self::Free,
        }
    }
}
