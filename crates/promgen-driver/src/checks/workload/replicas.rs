//! Numbers of pods that are too low, or add up.

use crate::checks::workload::{Running, Spec};
use promgen_text::diag::{Diagnostic, Sink, rule};

rule! {
    /// ## What it does
    /// Finds Alertmanagers with one replica and no further peers.
    ///
    /// An even number of replicas is as good as an odd one: Alertmanagers need no majority. Each goes on by itself when it loses
    /// its peers, and rather notifies twice than not at all. So nothing is said of two or four.
    ///
    /// ## Why is this bad?
    /// While its pod moves, nobody is notified of any alert. Where that is short enough, or alerts about alerting come from
    /// elsewhere, one is enough.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 1
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main}
    /// spec:
    ///   replicas: 2
    /// ```
    ///
    /// ## Source
    /// Alertmanager's documentation, "High Availability": a cluster that falls apart fails open.
    pub(super) static LONELY_ALERTMANAGER = "PG513" "lonely-alertmanager" {
        summary: "an Alertmanager without a second one", level: Info, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds remote writes without `queueConfig` of servers and agents that have several shards.
    ///
    /// ## Why is this bad?
    /// It may be right: the limits of Prometheus suit many. But they hold for each pod, so the other side must bear as many
    /// requests at a time as they allow, times replicas, times shards; when it is slow, all queues grow at once, and with them the
    /// memory of all pods.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 8
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    /// ```
    /// Use instead: limits that the other side can bear from all pods together.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 8
    ///   remoteWrite:
    ///   - url: https://metrics.example.com/api/v1/push
    ///     queueConfig: {maxShards: 10, capacity: 5000}
    /// ```
    ///
    /// ## Source
    /// Prometheus' documentation, "Remote write tuning".
    pub(super) static DEFAULT_QUEUE = "PG515" "default-queue" {
        summary: "many pods that send samples without limits of their own", level: Info, since: "0.1.0",
    }
}

/// Looks whether an Alertmanager is alone.
pub(super) fn alertmanager(running: &Running<'_>, sink: &mut Sink) {
    let Spec::Alertmanager(spec) = running.spec else { return };
    let has_peers = spec.additional_peers.as_ref().is_some_and(|peers| !peers.is_empty());
    if spec.replicas.unwrap_or(1) != 1 || has_peers || spec.force_enable_cluster_mode == Some(true) {
        return;
    }
    let message = format!("{} has one replica: nobody is notified while its pod moves", running.what());
    let diagnostic = Diagnostic::new(&LONELY_ALERTMANAGER, running.at().key("replicas"), message);
    sink.report(
        diagnostic.help("use two or more, unless such a gap does no harm; an even number is as good as an odd one"),
    );
}

/// Looks at the queues of a workload with several shards.
pub(super) fn queues(running: &Running<'_>, sink: &mut Sink) {
    let Some(common) = running.common().filter(|common| common.shards > 1) else { return };
    let n_pods = i64::from(common.shards) * i64::from(common.replicas.unwrap_or(1).max(1));
    let remotes = running.remote_write().iter().enumerate();
    for (index, _) in remotes.filter(|(_, remote)| remote.queue_config.is_none()) {
        let message =
            format!("{n_pods} pods of {} send samples, and no limits are set for their queues", running.what());
        let at = running.at().key("remoteWrite").index(index).key("queueConfig");
        let help =
            "set `queueConfig.maxShards` and `capacity`, unless the other side bears what Prometheus' own limits allow";
        sink.report(Diagnostic::new(&DEFAULT_QUEUE, at, message).help(help));
    }
}
