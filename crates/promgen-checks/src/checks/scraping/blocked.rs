//! Targets that NetworkPolicies keep from their Prometheus.

use std::collections::BTreeSet;

use promgen_model::model::World;
use promgen_model::scraping::needs::{JobOrigin, ScrapingServer};
use promgen_model::scraping::ways::{self, BlockedTarget, ScraperPods};
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds monitors with a job none of whose targets its Prometheus can reach: the NetworkPolicies in the input isolate the pods
    /// of the Prometheus, or those of the targets, and none of them allows the port.
    ///
    /// Blocks of addresses, pods with `hostNetwork`, labels of namespaces that are not in the input and policies of other kinds
    /// are unknown, and no finding.
    ///
    /// ## Why is this bad?
    /// Every scrape ends in a timeout.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: monitoring}
    /// spec: {podMonitorSelector: {}, podMonitorNamespaceSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: networking.k8s.io/v1
    /// kind: NetworkPolicy
    /// metadata: {name: default-deny, namespace: shop}
    /// spec: {podSelector: {}}
    /// ```
    /// Use instead: a policy that allows it, too.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: monitoring}
    /// spec: {podMonitorSelector: {}, podMonitorNamespaceSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: networking.k8s.io/v1
    /// kind: NetworkPolicy
    /// metadata: {name: default-deny, namespace: shop}
    /// spec: {podSelector: {}}
    /// ---
    /// apiVersion: networking.k8s.io/v1
    /// kind: NetworkPolicy
    /// metadata: {name: from-monitoring, namespace: shop}
    /// spec:
    ///   podSelector: {matchLabels: {app: cart}}
    ///   ingress:
    ///   - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
    ///     ports: [{port: metrics}]
    /// ```
    BLOCKED_BY_POLICY = "PG132" "blocked-by-policy" Warning: "a monitor whose targets NetworkPolicies keep from its Prometheus";
}

/// Checks the jobs of all workloads.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    if model.access().policies.is_empty() {
        return;
    }
    for scraper in ScrapingServer::all(model) {
        let pods = ScraperPods::of(scraper);
        let mut known = pods.ways(model);
        let mut reported = BTreeSet::new();
        for job in scraper.jobs() {
            let Some(origin) = JobOrigin::of(job) else {
                continue;
            };
            let Some(ways) =
                ways::of_job(scraper, job, &mut known).filter(|ways| ways.is_blocked())
            else {
                continue;
            };

            if let (Some(doc), true, Some(first)) = (
                origin.doc(model.cluster()),
                reported.insert(origin.resource()),
                ways.blocked.as_deref(),
            ) {
                sink.report(finding(scraper, At::name(doc), &origin.what(), first));
            }
        }
    }
}

fn finding(
    scraper: ScrapingServer<'_>,
    place: At,
    monitor: &str,
    first: &BlockedTarget<'_>,
) -> Diagnostic {
    let message = format!("{monitor}: {}", ways::why(scraper, first));

    let mut diagnostic =
        Diagnostic::new(&BLOCKED_BY_POLICY, place, message).help(ways::remedy(scraper, first));
    for policy in &first.policies {
        diagnostic = diagnostic.related_some(policy.span.map(Place::Span), "isolates them");
    }
    diagnostic
}
