//! Targets that NetworkPolicies keep from their Prometheus.

use crate::words::and;
use std::collections::BTreeSet;

use crate::checks::scraping::needs::{JobOrigin, ScrapingServer};
use crate::checks::scraping::ways::{self, BlockedTarget, ScraperPods};
use crate::model::World;
use promgen_targets::network::{Direction, Policy};
use promgen_text::diag::{Diagnostic, Place, Sink, rule};
use promgen_text::route::At;

rule! {
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
    pub(super) static BLOCKED_BY_POLICY = "PG132" "blocked-by-policy" {
        summary: "a monitor whose targets NetworkPolicies keep from its Prometheus", level: Warning,
    }
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
                sink.report(finding(scraper, At::name(doc), (&origin.what(), first)));
            }
        }
    }
}

fn finding(
    scraper: ScrapingServer<'_>,
    place: At,
    (monitor, first): (&str, &BlockedTarget<'_>),
) -> Diagnostic {
    let message = format!("{monitor}: {}", why(scraper, first));

    let mut diagnostic =
        Diagnostic::new(&BLOCKED_BY_POLICY, place, message).help(remedy(scraper, first));
    for policy in &first.policies {
        diagnostic = diagnostic.related_some(policy.span.map(Place::Span), "isolates them");
    }
    diagnostic
}

/// Why a target cannot be reached.
pub(crate) fn why(scraper: ScrapingServer<'_>, target: &BlockedTarget<'_>) -> String {
    let BlockedTarget {
        pods,
        port,
        direction,
        policies,
        n_policies,
        ..
    } = target;
    let mut names: Vec<String> = policies.iter().map(|policy| full_name(policy)).collect();
    if *n_policies > policies.len() {
        names.push(format!("{} more", n_policies - policies.len()));
    }
    let (kind, isolate) = if *n_policies == 1 {
        ("NetworkPolicy", "isolates")
    } else {
        ("NetworkPolicies", "isolate")
    };
    let names = and(&names);
    match direction {
        Direction::Ingress => {
            format!(
                "{kind} {names} {isolate} the pods of {pods}: nothing allows port {port} from {}",
                scraper.what()
            )
        }
        Direction::Egress => {
            format!(
                "{kind} {names} {isolate} the pods of {}: nothing allows port {port} of {pods}",
                scraper.what()
            )
        }
    }
}

fn full_name(policy: &Policy) -> String {
    format!("{}/{}", policy.namespace, policy.name)
}

/// The rule that would allow it.
pub(crate) fn remedy(scraper: ScrapingServer<'_>, target: &BlockedTarget<'_>) -> String {
    let BlockedTarget {
        namespace,
        port,
        direction,
        ..
    } = target;
    let own = &scraper.workload.id.namespace;
    let (namespace, rule, peers, other) = match direction {
        Direction::Ingress => (namespace, "ingress", "from", own),
        Direction::Egress => (own, "egress", "to", namespace),
    };
    let peer =
        format!("{{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {other}}}}}}}");
    format!(
        "a NetworkPolicy of {namespace} allows it with `{rule}: [{{{peers}: [{peer}], ports: [{{port: {port}}}]}}]`"
    )
}
