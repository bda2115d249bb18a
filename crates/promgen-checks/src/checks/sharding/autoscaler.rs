//! Autoscalers that also set the number of shards.

use promgen_model::scraping::needs::ScrapingServer;
use promgen_model::words::and;
use promgen_resources::document;
use promgen_targets::resolve::others::Autoscaler;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
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
    PINNED_SHARDS = "PG211" "pinned-shards" Warning: "a number of shards in the manifest that an autoscaler also sets";

    /// ## What it does
    /// Finds autoscalers that may set fewer shards than there are zones.
    ///
    /// ## Why is this bad?
    /// Each zone has shards of its own: with fewer shards than zones, nobody scrapes the targets of the last zones.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: {name: k8s}
    /// spec:
    ///   scaleTargetRef: {apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: k8s}
    ///   minReplicas: 1
    ///   maxReplicas: 8
    /// ```
    /// Use instead: at least as many shards as zones.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    /// ---
    /// apiVersion: autoscaling/v2
    /// kind: HorizontalPodAutoscaler
    /// metadata: {name: k8s}
    /// spec:
    ///   scaleTargetRef: {apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: k8s}
    ///   minReplicas: 2
    ///   maxReplicas: 8
    /// ```
    FEWER_THAN_ZONES = "PG223" "fewer-shards-than-zones" Warning: "an autoscaler that may set fewer shards than there are zones";
}

/// Reports an autoscaler that may set fewer shards than there are zones.
fn below_zones(server: ScrapingServer<'_>, scaler: &Autoscaler, sink: &mut Sink) {
    let zones = &server.workload.plan.zones;
    // A HorizontalPodAutoscaler that sets none means one; a ScaledObject means none.
    let least = usize::try_from(scaler.least.unwrap_or(1)).unwrap_or_default();
    let Some(unserved) = zones.get(least..).filter(|unserved| !unserved.is_empty()) else {
        return;
    };
    let message = format!(
        "{} may set {} of {}, below the number of its zones: nobody scrapes {}",
        scaler.what,
        counted(least, "shard"),
        server.what(),
        and(unserved)
    );
    let help = format!("set `{}` to {}", scaler.least_field, zones.len());
    sink.report(Diagnostic::new(&FEWER_THAN_ZONES, scaler.span, message).help(help));
}

/// Checks for an autoscaler of the workload.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let id = &server.workload.id;
    let is_pinned =
        document::find(server.model.documents(), server.own.doc).is_some_and(|document| {
            document
                .node
                .find(&["spec", "shards"])
                .is_some_and(|shards| !shards.is_null())
        });
    let mut scalers = server.model.reach.others.autoscalers.iter();
    let scales = scalers.find(|scaler| {
        scaler.kind == id.kind.kind() && scaler.name == id.name && scaler.namespace == id.namespace
    });
    let Some(scaler) = scales else { return };
    below_zones(server, scaler, sink);
    if !is_pinned {
        return;
    }
    let message = format!(
        "{} and the manifest both set the number of shards of {}",
        scaler.what,
        server.what()
    );
    let diagnostic = Diagnostic::new(&PINNED_SHARDS, server.spec().key("shards"), message);
    let document = document::find(server.model.documents(), server.own.doc);
    // The chart writes `shards`, whether a value names it or not.
    let help = if document.is_some_and(|document| document.origin.release().is_some()) {
        "set `shards: null` beside the other values of the workload: from 88.5 on, the chart then leaves `shards` out"
    } else {
        "remove `shards` from the manifest"
    };
    sink.report(diagnostic.related(scaler.span, "scaled here").help(help));
}
