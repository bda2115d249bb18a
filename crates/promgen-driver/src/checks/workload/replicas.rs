//! Numbers of pods.

use crate::running::{RunningWorkload, Spec, pod_field};
use promgen_compile::output::Workload;
use promgen_text::diag::{Diagnostic, Level, Sink, rule};

rule! {
    /// ## What it does
    /// Finds Alertmanagers with one replica and no additional peers.
    ///
    /// An even number of replicas is as good as an odd one: Alertmanagers need no majority. An Alertmanager that loses its
    /// peers continues alone, and prefers duplicate notifications to none. So two or four replicas are not reported.
    ///
    /// ## Why is this bad?
    /// While its pod is rescheduled, no notifications are sent. One replica is enough if such a gap is acceptable, or if another
    /// system monitors the alerting.
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
    /// Alertmanager's documentation, "High Availability": a partitioned cluster fails open.
    pub(super) static LONELY_ALERTMANAGER = "PG513" "lonely-alertmanager" {
        summary: "an Alertmanager with one replica", level: Info,
    }
}

rule! {
    /// ## What it does
    /// Finds a negative number of replicas.
    ///
    /// ## Why is this bad?
    /// Nobody runs less than no pod. The operator runs one pod of a Prometheus or PrometheusAgent and none of an Alertmanager; for
    /// a ThanosRuler it writes a StatefulSet that the API server refuses.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: -1
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    /// ```
    pub(super) static NEGATIVE_REPLICAS = "PG517" "negative-replicas" {
        summary: "a negative number of replicas", level: Error,
    }
}

rule! {
    /// ## What it does
    /// Finds remote writes without `queueConfig` of servers and agents that have several shards.
    ///
    /// ## Why is this bad?
    /// The default limits of Prometheus apply to each pod. So the remote endpoint must handle that number of concurrent
    /// requests, times replicas, times shards. If it is slow, all queues grow at once, and so does the memory of all pods.
    /// Ignore this if the default limits are sufficient.
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
    /// Use instead: limits that the remote endpoint can handle for all pods together.
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
        summary: "remote write from several shards without a queueConfig", level: Info,
    }
}

/// Checks whether an Alertmanager has peers.
pub(super) fn alertmanager(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Spec::Alertmanager(spec) = running.spec else {
        return;
    };
    let has_peers = spec
        .additional_peers
        .as_ref()
        .is_some_and(|peers| !peers.is_empty());
    if spec.replicas.unwrap_or(1) != 1 || has_peers || spec.force_enable_cluster_mode == Some(true)
    {
        return;
    }
    let message = format!(
        "{} has one replica: it sends no notifications while its pod is rescheduled",
        running.what()
    );
    let diagnostic = Diagnostic::new(&LONELY_ALERTMANAGER, running.at().key("replicas"), message);
    sink.report(diagnostic.help(
        "use two or more, unless such a gap is acceptable; an even number is as good as an odd one",
    ));
}

rule! {
    /// ## What it does
    /// Finds workloads of several replicas with an empty `replicaExternalLabelName` that send samples, or upload blocks.
    ///
    /// The level is warning with an object store, and info with remote write only: some receivers merge the samples of replicas
    /// that have the same labels.
    ///
    /// ## Why is this bad?
    /// The label tells replicas apart. Without it, all send the same series: a receiver refuses samples that come twice, and
    /// Thanos finds blocks that overlap.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   replicaExternalLabelName: ""
    ///   remoteWrite: [{url: "https://metrics.example.org/write"}]
    /// ```
    /// Use instead: leave the field out, or name a label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   replicas: 2
    ///   remoteWrite: [{url: "https://metrics.example.org/write"}]
    /// ```
    pub(super) static SAME_SERIES = "PG526" "same-series" {
        summary: "replicas that nothing tells apart where their samples go", level: Info,
    }
}

/// Checks that replicas which send samples are told apart.
pub(super) fn same_series(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Some(common) = running.common() else {
        return;
    };
    let replicas = common.replicas.unwrap_or(1);
    let is_nameless = common.replica_external_label_name.as_deref() == Some("");
    let uploads = matches!(running.spec, Spec::Server(spec) if spec.thanos.as_ref().is_some_and(|thanos| thanos.object_storage_config.is_some()));
    if replicas < 2 || !is_nameless || !uploads && running.remote_write().is_empty() {
        return;
    }
    let (does, level) = if uploads {
        ("upload", Level::Warning)
    } else {
        ("send", Level::Info)
    };
    let message = format!(
        "the {replicas} replicas of {} {does} the same series: no label tells them apart",
        running.what()
    );
    let found = Diagnostic::new(
        &SAME_SERIES,
        running.at().key("replicaExternalLabelName"),
        message,
    )
    .level(level);
    let found = found.help("leave `replicaExternalLabelName` out, or name a label");
    sink.report(if uploads {
        found
    } else {
        found.help("ignore this if the receiver merges samples of replicas")
    });
}

/// Checks that the number of replicas is none below zero.
pub(super) fn negative(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let becomes = match running.spec {
        Spec::Server(_) | Spec::Agent(_) => "the operator runs 1",
        Spec::Alertmanager(_) => "the operator runs none",
        Spec::Ruler(_) => "the API server refuses the StatefulSet",
    };
    if let Some(replicas) = pod_field!(running.spec, replicas).filter(|replicas| *replicas < 0) {
        let message = format!(
            "`replicas: {replicas}` of {} is negative: {becomes}",
            running.what()
        );
        let diagnostic = Diagnostic::new(&NEGATIVE_REPLICAS, running.at().key("replicas"), message);
        sink.report(diagnostic.help("set the number of pods; 0 stops them"));
    }
}

rule! {
    /// ## What it does
    /// Finds workloads with `paused: true` or `replicas: 0`.
    ///
    /// ## Why is this bad?
    /// It is not, if it is on purpose; it is easily forgotten. The operator changes nothing of a paused workload: new monitors, rules
    /// and receivers have no effect. A workload without pods scrapes, evaluates and notifies nothing.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   paused: true
    /// ```
    /// Use instead: leave the field out.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {}
    /// ```
    pub(super) static IDLE_WORKLOAD = "PG535" "idle-workload" {
        summary: "a workload that is paused, or has no pods", level: Info,
    }
}

/// Reports a workload that is paused, or has no pods.
pub(super) fn idle(running: &RunningWorkload<'_>, compiled: &Workload, sink: &mut Sink) {
    if let Some(idle) = compiled.idle() {
        let (field, help) = if compiled.is_paused() {
            ("paused", "remove `paused` for its configuration to follow")
        } else {
            ("replicas", "set the number of pods")
        };
        let message = format!("{} has {idle}", running.what());
        let found = Diagnostic::new(&IDLE_WORKLOAD, running.at().key(field), message);
        sink.report(found.help(format!("{help}, or ignore this if it is on purpose")));
    }
}

/// Checks the queues of a workload with several shards.
pub(super) fn queues(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Some(common) = running.common().filter(|common| common.shards > 1) else {
        return;
    };
    let n_pods = i64::from(common.shards) * i64::from(common.replicas.unwrap_or(1).max(1));
    let remotes = running.remote_write().iter().enumerate();
    for (index, _) in remotes.filter(|(_, remote)| remote.queue_config.is_none()) {
        let message = format!(
            "{n_pods} pods of {} send samples, and their queues have no limits set",
            running.what()
        );
        let at = running
            .at()
            .key("remoteWrite")
            .index(index)
            .key("queueConfig");
        let help = "set `queueConfig.maxShards` and `capacity`, unless the remote endpoint can handle the default limits of Prometheus";
        sink.report(Diagnostic::new(&DEFAULT_QUEUE, at, message).help(help));
    }
}
