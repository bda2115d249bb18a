//! The names of the objects of a server or an agent, and the labels that select them.

use promgen_text::yaml::StringMap;

use crate::context::WorkloadContext;
use crate::lower::workload::names;

/// Names the workload on its StatefulSets and pods.
pub(crate) const NAME_LABEL: &str = "operator.prometheus.io/name";
/// Tells the shard of a StatefulSet and its pods.
pub(crate) const SHARD_LABEL: &str = "operator.prometheus.io/shard";
/// Tells servers from agents.
pub(crate) const MODE_LABEL: &str = "operator.prometheus.io/mode";

/// `prometheus-<name>` or `prom-agent-<name>`. Operator: `PrefixedName`.
pub(crate) fn prefixed(cx: &WorkloadContext<'_>) -> String {
    let prefix = if cx.server.is_some() {
        "prometheus"
    } else {
        "prom-agent"
    };
    format!("{prefix}-{}", cx.name)
}

/// The StatefulSet of a shard. Operator: `prometheusNameByShard`.
pub(crate) fn stateful_set(cx: &WorkloadContext<'_>, shard: u32) -> String {
    let prefixed = prefixed(cx);
    // The first shard has the name from before there were shards, so that a workload keeps its volumes.
    if shard == 0 {
        prefixed
    } else {
        format!("{prefixed}-shard-{shard}")
    }
}

/// The Secret with the web server's configuration.
pub fn web_config(cx: &WorkloadContext<'_>) -> String {
    names::web_config(&prefixed(cx))
}

/// The volume with the data, and its claims, unless the user names them otherwise.
pub fn storage(cx: &WorkloadContext<'_>) -> String {
    format!("{}-db", prefixed(cx))
}

/// The Secret by which the Thanos sidecar finds out how to talk to Prometheus.
pub(crate) fn thanos_client(cx: &WorkloadContext<'_>) -> String {
    format!("{}-{}", prefixed(cx), THANOS_CLIENT)
}

/// The volume of that Secret.
pub(crate) const THANOS_CLIENT: &str = "thanos-prometheus-http-client-file";

/// The Service that names the pods, unless the user has one.
pub(crate) const fn governing_service(cx: &WorkloadContext<'_>) -> &'static str {
    if cx.server.is_some() {
        "prometheus-operated"
    } else {
        "prometheus-agent-operated"
    }
}

/// The application: the value of `names::APP_LABEL`.
pub const fn application(cx: &WorkloadContext<'_>) -> &'static str {
    if cx.server.is_some() {
        "prometheus"
    } else {
        "prometheus-agent"
    }
}

/// The labels of all pods of the workload. Operator: `makeSelectorLabels`.
pub(crate) fn selector_labels(cx: &WorkloadContext<'_>) -> StringMap {
    let mut selector = names::pod_labels(application(cx), cx.name);
    selector.insert(NAME_LABEL.into(), cx.name.into());
    if cx.server.is_some() {
        selector.insert("prometheus".into(), cx.name.into());
    }
    selector
}

/// The labels of all pods of a shard. DaemonSets have no shards.
pub(crate) fn shard_labels(cx: &WorkloadContext<'_>, shard: u32) -> StringMap {
    let mut selector = selector_labels(cx);
    if !cx.daemon_set {
        selector.insert(SHARD_LABEL.into(), shard.to_string().into());
    }
    selector
}
