//! Autoscalers that also set the number of shards.

use crate::checks::View;
use crate::checks::sharding::Scalable;
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, Sink, rule};

rule! {
    /// ## What it does
    /// Finds workloads whose manifest sets the number of shards while a HorizontalPodAutoscaler or a ScaledObject of KEDA also
    /// sets it.
    ///
    /// ## Why is this bad?
    /// Every time the manifest is applied, the number of shards is reset, and targets move to other shards.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {shards: 2}
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: {name: k8s}
    /// spec:
    ///   scaleTargetRef: {apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: k8s}
    ///   maxReplicas: 8
    /// ```
    /// Use instead: no number in the manifest.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {}
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: {name: k8s}
    /// spec:
    ///   scaleTargetRef: {apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: k8s}
    ///   maxReplicas: 8
    /// ```
    pub(super) static PINNED_SHARDS = "PG211" "pinned-shards" {
        summary: "a number of shards in the manifest that an autoscaler also sets", level: Warning, since: "0.1.0",
    }
}

/// Checks for an autoscaler of the workload.
pub(super) fn check(model: &View<'_>, workload: &Scalable<'_>, sink: &mut Sink) {
    let id = &workload.compiled.id;
    let is_pinned = document::find(model.documents, workload.doc)
        .is_some_and(|document| document.node.find(&["spec", "shards"]).is_some_and(|shards| !shards.is_null()));
    let mut scalers = model.reach.others.autoscalers.iter();
    let scales = scalers
        .find(|scaler| scaler.kind == id.kind.kind() && scaler.name == id.name && scaler.namespace == id.namespace);
    let Some(scaler) = scales.filter(|_| is_pinned) else { return };
    let message = format!("{} and the manifest both set the number of shards of {}", scaler.what, workload.what());
    let diagnostic = Diagnostic::new(&PINNED_SHARDS, workload.spec().key("shards"), message);
    sink.report(diagnostic.related(scaler.span, "scaled here").help("remove `shards` from the manifest"));
}
