//! Rules of monitors that drop every target that the input makes.

use std::collections::BTreeSet;

use promgen_compile::output::Job;
use promgen_model::model::World;
use promgen_model::model::lineage::target_rule;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds `keep` and `drop` in the relabelings of a monitor that leave it no target: all pods and Services that it selects
    /// are in the input, and the labels of none pass the rule.
    ///
    /// ## Why is this bad?
    /// Nothing is scraped, without an error. A pattern matches a whole value: `cart` does not match `cart-v2`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__meta_kubernetes_pod_label_track], regex: stable, action: keep}
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart, track: stable-2}}
    ///     spec:
    ///       containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]
    /// ```
    /// Use instead: a pattern that the pods match.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {podMonitorSelector: {}}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__meta_kubernetes_pod_label_track], regex: stable-.+, action: keep}
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart, track: stable-2}}
    ///     spec:
    ///       containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]
    /// ```
    KEEPS_NOTHING = "PG412" "keeps-nothing" Warning: "a relabeling that drops every target of a monitor";
}

/// Checks the jobs of all servers.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    if !has_choice(model) {
        return;
    }
    let mut reported = BTreeSet::new();
    for server in &model.lineage().servers {
        let compiled = model.workload(&server.id);
        let Some(config) = compiled.and_then(|workload| workload.config.as_ref()) else {
            continue;
        };
        for scraped in &server.server.jobs {
            let Some(index) = scraped.dropped_by else {
                continue;
            };
            let Some(job) = config.jobs.iter().find(|job| job.name == scraped.name) else {
                continue;
            };
            let Some(at) =
                target_rule(model.cluster(), job, index).filter(|at| reported.insert(at.clone()))
            else {
                continue;
            };
            let message = format!("this drops every target in the input of {}", of(job));
            let help = "a pattern matches the whole value; ignore this if targets that are not in the input pass";
            sink.report(Diagnostic::new(&KEEPS_NOTHING, at, message).help(help));
        }
    }
}

/// `serviceMonitor/shop/cart`
fn of(job: &Job) -> String {
    job.name.split('/').take(3).collect::<Vec<_>>().join("/")
}

/// Returns whether a monitor has a rule that chooses targets.
fn has_choice(model: &World<'_>) -> bool {
    let chooses = |rules: Option<&Vec<RelabelConfig>>| {
        rules.into_iter().flatten().any(|rule| {
            let action = rule.action.as_str();
            action.eq_ignore_ascii_case("keep") || action.eq_ignore_ascii_case("drop")
        })
    };
    let cluster = model.cluster();
    cluster.service_monitors.values().any(|monitor| {
        monitor
            .value
            .spec
            .endpoints
            .iter()
            .any(|endpoint| chooses(endpoint.relabelings.as_ref()))
    }) || cluster.pod_monitors.values().any(|monitor| {
        let endpoints = monitor.value.spec.pod_metrics_endpoints.iter().flatten();
        endpoints
            .into_iter()
            .any(|endpoint| chooses(endpoint.relabelings.as_ref()))
    })
}
