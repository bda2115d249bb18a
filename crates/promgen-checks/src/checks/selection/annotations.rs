//! Annotations that ask for scrapes, and that nothing reads.

use promgen_model::monitors::Monitor;
use promgen_model::servers::ServerSpec;
use std::collections::BTreeSet;

use crate::checks::selection::confined::ConfinedMonitors;
use promgen_model::model::World;
use promgen_model::selection::named::Named;

use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds Services and pods with the annotation `prometheus.io/scrape: "true"` that no monitor selects, where no job of a
    /// workload in the input reads the annotation.
    ///
    /// ## Why is this bad?
    /// The operator does not read such annotations: nothing scrapes the pods.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata:
    ///   name: cart
    ///   namespace: shop
    ///   annotations: {prometheus.io/scrape: "true"}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ```
    /// Use instead: a monitor.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    UNREAD_ANNOTATION = "PG135" "unread-annotation" Info: "an annotation that asks for scrapes, and that nothing reads";
}

/// The annotation.
const SCRAPE: &str = "prometheus.io/scrape";

/// What jobs call it.
const AS_LABEL: &str = "annotation_prometheus_io_";

/// The most findings.
const MAX_FOUND: usize = 20;

/// Checks Services and pods.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    // To look through configurations takes time.
    let any = model.reach.services.iter().any(asks)
        || model
            .reach
            .pods
            .iter()
            .any(|pod| pod.asked_scrape().is_some());
    if !any || is_read(model) {
        return;
    }
    let (services, pods) = selected(model);
    let mut found = Vec::new();
    for (number, service) in model.reach.services.iter().enumerate() {
        if asks(service) && service.is_given() && !services.contains(&number) {
            found.push((service.what(), service.place()));
        }
    }
    for (number, source) in model.reach.pods.iter().enumerate() {
        if source.is_given() && source.asked_scrape().is_some() && !pods.contains(&number) {
            found.push((source.what(), source.place()));
        }
    }
    for (what, place) in found.into_iter().take(MAX_FOUND) {
        let message =
            format!("nothing reads the annotation `{SCRAPE}` of {what}: no monitor selects it");
        let finding = Diagnostic::at_some(&UNREAD_ANNOTATION, place, message);
        sink.report(
            finding.help("write a ServiceMonitor or PodMonitor, or a job in `additionalScrapeConfigs` that reads it"),
        );
    }
}

/// Returns whether a Service has the annotation that asks for scrapes.
fn asks(service: &ResolvedService) -> bool {
    service
        .annotations()
        .and_then(|all| all.get(SCRAPE))
        .is_some_and(|value| value == "true")
}

/// Returns whether a job may read the annotation, or no workload in the input says.
fn is_read(model: &World<'_>) -> bool {
    let cluster = model.cluster();
    let mut servers = model
        .workloads
        .iter()
        .filter(|workload| workload.id.kind.has_shards() && !workload.is_stand_in)
        .peekable();
    servers.peek().is_none()
        || ServerSpec::all(cluster).any(|of| of.common.additional_scrape_configs.is_some())
        || !cluster.refused.objects.is_empty()
        || servers.any(|server| {
            server
                .config
                .as_ref()
                .is_none_or(|config| config.has_text(|text| text.contains(AS_LABEL)))
        })
}

/// The Services that monitors select, and the pods that they lead to.
fn selected(model: &World<'_>) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let (reach, confined) = (model.reach, ConfinedMonitors::of(model));
    let (mut services, mut pods) = (BTreeSet::new(), BTreeSet::new());
    for monitor in Monitor::all(model.cluster()) {
        let seeker = monitor.seeker(reach.others);
        let scope = seeker.scope_under(confined.confinement(monitor.doc()));
        let found = monitor.matches(reach, &seeker, &scope).items;
        match monitor {
            Monitor::OfServices(_) => services.extend(found),
            Monitor::OfPods(_) => pods.extend(found),
        }
    }
    for number in &services {
        pods.extend(reach.pods_behind(reach.services.get(*number)).items);
    }
    // A Service whose pods are scraped is answered for.
    for (number, service) in reach.services.iter().enumerate() {
        let behind = reach.pods_behind(service).items;
        if behind.iter().any(|pod| pods.contains(pod)) {
            services.insert(number);
        }
    }
    (services, pods)
}
