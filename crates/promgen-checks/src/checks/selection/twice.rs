//! Ports of pods and targets that one workload scrapes twice.

use crate::alternatives::are_variants;
use crate::checks::selection::written_targets::{WrittenTwice, written_twice};
use promgen_model::model::World;
use promgen_model::scraping::overlaps::{Overlap, overlaps};
use promgen_resources::document::{self, Document};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::Entry;

rules! {
    /// ## What it does
    /// Finds ports of pods that one Prometheus or PrometheusAgent scrapes by two endpoints, or by two Services of one endpoint:
    /// a headless Service beside a normal one, a ServiceMonitor beside a PodMonitor, or a monitor beside a job that scrapes the
    /// pods whose annotations ask for it. A job in a Secret has its number there, unless its name is one that Prometheus or its
    /// chart publish, such as `kubernetes-pods`. Finds targets, too, that two ScrapeConfigs or two Probes name.
    ///
    /// Endpoints with another path, scheme or parameters are different, and so are those whose `relabelings` keep or drop targets
    /// or write the address. A program chooses one of two monitors with different values of a label `…/collection-profile`, or in files
    /// such as `monitor.yaml` and `minimal-monitor.yaml`. Targets that are named are the same only with the same labels, credentials, proxy and scrape class, and
    /// with the same prober and module.
    ///
    /// ## Why is this bad?
    /// Prometheus stores every series of the pod under two values of `service` or `job`: sums count it twice, and scrapes and
    /// storage cost twice as much.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, podMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ---
    /// apiVersion: v1
    /// kind: Pod
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart-pods, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ```
    /// Use instead: one of them.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, podMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ---
    /// apiVersion: v1
    /// kind: Pod
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    SCRAPED_TWICE = "PG130" "scraped-twice" Warning: "a port of a pod, or a target, that one workload scrapes twice";
}

/// Checks every workload.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for workload in model
        .workloads
        .iter()
        .filter(|workload| !workload.is_stand_in)
    {
        let id = &workload.id;
        let who = id.what();
        let is_meant = |overlap: &Overlap| !are_alternatives(model, &overlap.places);
        for overlap in overlaps(model, workload).into_iter().filter(is_meant) {
            let Overlap {
                port,
                pods,
                places: [first, other],
                ..
            } = &overlap;
            let message = format!(
                "{who} scrapes port {port} of {pods} twice: {}",
                overlap.by()
            );
            let finding = Diagnostic::new(&SCRAPED_TWICE, other.clone(), message);
            let finding = match first == other {
                true => finding,
                false => finding.related(first.clone(), "it is scraped here, too"),
            };
            sink.report(finding.help(overlap.help()));
        }
        for WrittenTwice {
            target,
            resources: [first, other],
            places,
        } in written_twice(model, workload)
        {
            let [there, here] = places;
            let message = format!("{who} scrapes the target `{target}` twice: {first} and {other}");
            let finding = Diagnostic::new(&SCRAPED_TWICE, here, message)
                .related(there, "it is scraped here, too");
            sink.report(finding.help("remove it from one of them"));
        }
    }
}

/// Returns whether a program chooses one of the resources at two places: a label says which profile of scraping each is for, or their
/// files are variants of one.
fn are_alternatives(model: &World<'_>, places: &[At; 2]) -> bool {
    let [first, other] = places
        .each_ref()
        .map(|at| document::find(model.documents(), at.doc));
    let Some((first, other)) = first
        .zip(other)
        .filter(|(first, other)| first.id != other.id)
    else {
        return false;
    };
    let labels = |of: &Document| of.node.entries_at(&["metadata", "labels"]).to_vec();
    let others = labels(other);
    let is_profile = |own: &Entry| {
        let value = others.iter().find(|entry| entry.key == own.key);
        own.key.ends_with(PROFILE)
            && value.is_some_and(|other| other.value.as_str() != own.value.as_str())
    };
    let name = |of: &Document| model.sources().file(of.node.span.file).name.as_str();
    labels(first).iter().any(is_profile) || are_variants(name(first), name(other))
}

/// The end of labels by which a program chooses among monitors.
const PROFILE: &str = "collection-profile";
