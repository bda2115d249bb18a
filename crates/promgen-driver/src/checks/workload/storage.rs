//! Where data goes.

use crate::checks::workload::{Running, Spec};
use promgen_text::diag::{Diagnostic, Level, Sink, rule};

rule! {
    /// ## What it does
    /// Finds workloads without `storage`. Their data is in a folder that goes with its pod.
    ///
    /// It is a warning for a Prometheus that says by `retention` or `retentionSize` how much it is to keep, and sends samples
    /// nowhere else, neither by `remoteWrite` nor by its Thanos sidecar. For the others it is information: a Prometheus may be
    /// meant for a short while, and what an agent, or a ThanosRuler with a bucket, can lose is what it has not sent yet. Nothing
    /// is said of an Alertmanager that has peers, which tell a new pod what it does not know; of a ThanosRuler with
    /// `remoteWrite`, which stores nothing; of `storage.emptyDir`, which says that it is meant so; and of an agent in DaemonSet
    /// mode, which may have no storage.
    ///
    /// ## Why is this bad?
    /// When a pod moves to another node, or is deleted, its samples, silences or pending alerts are gone.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   retention: 30d
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   retention: 30d
    ///   storage:
    ///     volumeClaimTemplate:
    ///       spec: {resources: {requests: {storage: 50Gi}}}
    /// ```
    ///
    /// ## Source
    /// Operator: without `storage` the volume of the data is an `emptyDir`.
    pub(super) static NO_STORAGE = "PG511" "no-storage" {
        summary: "a workload whose data goes with its pod", level: Info, since: "0.1.0",
    }
}

const CLAIM: &str = "set `storage.volumeClaimTemplate`, or `storage.emptyDir: {}` if it is meant so";

/// Looks for storage.
pub(super) fn check(running: &Running<'_>, sink: &mut Sink) {
    // A volume of one's own may be the one that data goes to; the names of those end so.
    let has_own = running.volumes().iter().any(|volume| volume.name.ends_with("-db"));
    if running.storage().is_some() || has_own || running.is_daemon_set() {
        return;
    }
    let Some((level, lost)) = lost(running) else { return };
    let message = format!("{} has no storage: {lost} when a pod is deleted or moves", running.what());
    sink.report(Diagnostic::new(&NO_STORAGE, running.at().key("storage"), message).level(level).help(CLAIM));
}

/// How grave it is, and what is lost.
fn lost(running: &Running<'_>) -> Option<(Level, &'static str)> {
    let is_sent = !running.remote_write().is_empty();
    let unsent = (Level::Info, "samples that are not sent yet are lost");
    match running.spec {
        Spec::Server(spec) => {
            let thanos = spec.thanos.as_ref();
            let is_uploaded =
                thanos.is_some_and(|t| t.object_storage_config.is_some() || t.object_storage_config_file.is_some());
            let is_to_last = spec.retention.is_some() || spec.retention_size.is_some();
            let level = if is_to_last { Level::Warning } else { Level::Info };
            Some(if is_sent || is_uploaded { unsent } else { (level, "its samples are lost") })
        }
        Spec::Agent(_) => Some(unsent),
        Spec::Alertmanager(spec) => {
            let has_peers = spec.replicas.is_some_and(|replicas| replicas > 1) || spec.additional_peers.is_some();
            (!has_peers).then_some((Level::Info, "silences, and what was notified, are lost"))
        }
        Spec::Ruler(spec) => {
            let is_uploaded = spec.object_storage_config.is_some() || spec.object_storage_config_file.is_some();
            let lost = if is_uploaded { unsent } else { (Level::Info, "what its rules recorded is lost") };
            (!is_sent).then_some(lost)
        }
    }
}
