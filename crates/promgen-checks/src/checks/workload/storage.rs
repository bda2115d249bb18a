//! Workloads without persistent storage, or with one of a class that is almost another.

use crate::checks::workload::is_given;
use promgen_model::model::World;
use promgen_model::running::{RunningWorkload, Spec};
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::go::duration::PromDuration;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds workloads without `storage`. Their data is in an `emptyDir`, which is deleted with the pod.
    ///
    /// The level is warning for a Prometheus whose manifest or values set a `retention` of a week or more, and which sends samples
    /// nowhere else, neither with `remoteWrite` nor with its Thanos sidecar: the default of a chart asks for nothing. Otherwise it
    /// is info: a Prometheus may be short-lived, and an agent, or a ThanosRuler with a bucket, can only lose what it has not sent
    /// yet.
    ///
    /// Not reported: an Alertmanager with peers, which send their state to a new pod; a ThanosRuler with `remoteWrite`, which
    /// stores nothing; a workload with `storage.emptyDir`, which is explicit; an agent in DaemonSet mode, which cannot have
    /// storage.
    ///
    /// ## Why is this bad?
    /// When a pod moves to another node or is deleted, its samples, silences or pending alerts are lost.
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
    /// Operator: without `storage`, the data volume is an `emptyDir`.
    NO_STORAGE = "PG511" "no-storage" Info: "a workload whose data is lost with its pod";

    /// ## What it does
    /// Finds workloads with a `storageClassName` that the input does not have, where it has one of almost that name.
    ///
    /// ## Why is this bad?
    /// Without the StorageClass, the operator does not reconcile the workload. A class may be installed by the provider, a driver
    /// or a chart, so that it stands in no manifest: that it is missing is known of a dump of the cluster's classes, and with
    /// `--assume missing`. It is an error then.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   storage: {volumeClaimTemplate: {spec: {storageClassName: fast-sdd}}}
    /// ---
    /// apiVersion: storage.k8s.io/v1
    /// kind: StorageClass
    /// metadata: {name: fast-ssd}
    /// provisioner: csi.example.com
    /// ```
    /// Use instead: the name of the class.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   storage: {volumeClaimTemplate: {spec: {storageClassName: fast-ssd}}}
    /// ---
    /// apiVersion: storage.k8s.io/v1
    /// kind: StorageClass
    /// metadata: {name: fast-ssd}
    /// provisioner: csi.example.com
    /// ```
    UNKNOWN_CLASS = "PG528" "unknown-storage-class" Warning: "a StorageClass that is almost one in the input";
}

/// A retention from which on samples are meant to outlast a pod, in milliseconds.
const WEEK: u64 = 7 * 24 * 60 * 60 * 1000;

const CLAIM: &str =
    "set `storage.volumeClaimTemplate`, or `storage.emptyDir: {}` if this is intended";

/// Checks for storage.
pub(super) fn check(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    // A volume of the user with this suffix may be the data volume.
    let has_own = running
        .volumes()
        .iter()
        .any(|volume| volume.name.ends_with("-db"));
    if running.storage().is_some() || has_own || running.is_daemon_set() {
        return;
    }
    let Some((level, lost)) = lost(model, running) else {
        return;
    };
    let message = format!(
        "{} has no storage: {lost} when a pod is deleted or moves",
        running.what()
    );
    sink.report(
        Diagnostic::new(&NO_STORAGE, running.at().key("storage"), message)
            .level(level)
            .help(CLAIM),
    );
}

/// Compares the StorageClass with those in the input.
pub(super) fn class(model: &World<'_>, running: &RunningWorkload<'_>, sink: &mut Sink) {
    let template = running
        .storage()
        .and_then(|storage| storage.volume_claim_template.as_ref());
    let named = template.and_then(|template| template.spec.as_ref()?.storage_class_name.as_deref());
    let there = model
        .reach
        .others
        .storage_classes
        .iter()
        .map(|class| class.name.as_str());
    let Some((name, meant)) =
        named.and_then(|name| Some((name, suggest::slip_of_name(name, there)?)))
    else {
        return;
    };
    let message = format!(
        "the volumes of {} are of StorageClass `{name}`, which is not in the input",
        running.what()
    );
    let at = running
        .at()
        .key("storage")
        .key("volumeClaimTemplate")
        .key("spec")
        .key("storageClassName");
    let finding = Diagnostic::new(&UNKNOWN_CLASS, at.clone(), message).fix(Fix::value(at, meant));
    sink.report(finding.help(format!("did you mean `{meant}`?")));
}

/// The level, and what is lost.
fn lost(model: &World<'_>, running: &RunningWorkload<'_>) -> Option<(Level, &'static str)> {
    let is_sent = !running.remote_write().is_empty();
    let unsent = (Level::Info, "unsent samples are lost");
    match running.spec {
        Spec::Server(spec) => {
            let thanos = spec.thanos.as_ref();
            let is_uploaded = thanos.is_some_and(|t| {
                t.object_storage_config.is_some() || t.object_storage_config_file.is_some()
            });
            let retention = spec
                .retention
                .as_ref()
                .and_then(|text| PromDuration::parse(text.as_str()).ok());
            let is_to_last = retention.is_some_and(|of| of.millis >= WEEK)
                && is_given(running, model, "retention");
            let level = if is_to_last {
                Level::Warning
            } else {
                Level::Info
            };
            Some(if is_sent || is_uploaded {
                unsent
            } else {
                (level, "its samples are lost")
            })
        }
        Spec::Agent(_) => Some(unsent),
        Spec::Alertmanager(spec) => {
            let has_peers = spec.replicas.is_some_and(|replicas| replicas > 1)
                || spec.additional_peers.is_some();
            (!has_peers).then_some((Level::Info, "silences and the notification log are lost"))
        }
        Spec::Ruler(spec) => {
            let is_uploaded =
                spec.object_storage_config.is_some() || spec.object_storage_config_file.is_some();
            let lost = if is_uploaded {
                unsent
            } else {
                (Level::Info, "the samples of its rules are lost")
            };
            (!is_sent).then_some(lost)
        }
    }
}
