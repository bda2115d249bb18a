//! Volumes that cannot be in the zone of their shard.

use promgen_model::words::quoted;
use std::collections::BTreeSet;

use promgen_model::scraping::needs::ScrapingServer;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds workloads that shard by zone, with volumes of a StorageClass whose `allowedTopologies` leave out the zone of a shard.
    ///
    /// ## Why is this bad?
    /// The pods of a shard run in its zone. A volume that may not be in that zone is never bound to them: they stay pending, and
    /// nobody scrapes the targets of the shard.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    ///   storage: {volumeClaimTemplate: {spec: {storageClassName: fast, resources: {requests: {storage: 50Gi}}}}}
    /// ---
    /// apiVersion: storage.k8s.io/v1
    /// kind: StorageClass
    /// metadata: {name: fast}
    /// provisioner: csi.example.com
    /// allowedTopologies:
    /// - matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [a]}]
    /// ```
    /// Use instead: a class for all zones.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   shards: 2
    ///   shardingStrategy: {mode: Topology, topology: {values: [a, b]}}
    ///   storage: {volumeClaimTemplate: {spec: {storageClassName: fast, resources: {requests: {storage: 50Gi}}}}}
    /// ---
    /// apiVersion: storage.k8s.io/v1
    /// kind: StorageClass
    /// metadata: {name: fast}
    /// provisioner: csi.example.com
    /// volumeBindingMode: WaitForFirstConsumer
    /// ```
    ///
    /// ## Source
    /// Kubernetes: storage/v1.StorageClass, `allowedTopologies`.
    VOLUME_ELSEWHERE = "PG225" "volume-of-other-zones" Warning: "volumes that may not be in the zone of their shard";
}

/// Checks the StorageClass of a workload that shards by zone.
pub(super) fn check(server: ScrapingServer<'_>, sink: &mut Sink) {
    let plan = &server.workload.plan;
    let storage = server
        .own
        .common
        .storage
        .as_ref()
        .filter(|_| !plan.zones.is_empty());
    let Some(template) = storage.and_then(|storage| storage.volume_claim_template.as_ref()) else {
        return;
    };
    let named = template
        .spec
        .as_ref()
        .and_then(|spec| spec.storage_class_name.as_deref());
    let is_used = |name: &str, is_default: bool| named.map_or(is_default, |named| named == name);
    let mut classes = server
        .model
        .reach
        .others
        .storage_classes
        .iter()
        .filter(|class| is_used(&class.name, class.is_default));
    // Several environments may have one of that name each.
    let (Some(class), None) = (classes.next(), classes.next()) else {
        return;
    };
    let Some(zones) = &class.zones else { return };
    let of_shards: BTreeSet<&String> = plan
        .shards
        .iter()
        .filter_map(|shard| shard.zone.as_ref())
        .collect_set();
    let left_out: Vec<&String> = of_shards
        .into_iter()
        .filter(|zone| !zones.contains(*zone))
        .collect();
    if left_out.is_empty() {
        return;
    }
    let message = format!(
        "no volume of StorageClass {} may be in {}: the pods of their shards of {} stay pending",
        class.name,
        quoted(&left_out),
        server.what()
    );
    let at = server
        .spec()
        .key("storage")
        .key("volumeClaimTemplate")
        .key("spec")
        .key("storageClassName");
    let found = Diagnostic::new(&VOLUME_ELSEWHERE, at, message)
        .related(class.span, "its volumes are in these zones only");
    sink.report(found.help("add the zones to `allowedTopologies`, or use a class for all zones"));
}
