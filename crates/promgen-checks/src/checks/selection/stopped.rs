//! Monitors of pods that are scaled to zero.

use crate::checks::selection::ports::pods_behind;
use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::selection::named::Named as _;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::others::PodSource;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds monitors of which all pods in the input have `replicas: 0`. Pods that an autoscaler in the input starts are right.
    ///
    /// ## Why is this bad?
    /// No pod runs, so there is no target: an alert on `up == 0` sees no series, and does not fire. Ignore this if it is on purpose.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints: [{port: web}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   replicas: 0
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers:
    ///       - {name: cart, image: cart, ports: [{name: web, containerPort: 8080}]}
    /// ```
    /// Use instead: pods that run.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints: [{port: web}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   replicas: 2
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers:
    ///       - {name: cart, image: cart, ports: [{name: web, containerPort: 8080}]}
    /// ```
    STOPPED_PODS = "PG413" "stopped-pods" Info: "a monitor of pods that are scaled to zero";
}

/// Checks a ServiceMonitor that selects Services.
pub(super) fn of_services(
    model: &World<'_>,
    monitor: Monitor<'_>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    if let Some(pods) = pods_behind(model, services) {
        of_pods(monitor, &pods, sink);
    }
}

/// Checks a monitor by the pods that it selects.
pub(super) fn of_pods(monitor: Monitor<'_>, pods: &[&PodSource], sink: &mut Sink) {
    let [first, others @ ..] = pods else { return };
    if !pods.iter().all(|pods| pods.is_stopped) {
        return;
    }
    let who = match others.len() {
        0 => first.what(),
        n => format!("{} and {n} more", first.what()),
    };
    let message = format!("it has no targets: {who} has `replicas: 0`");
    let at = At::spec(monitor.doc()).key("selector");
    let found =
        Diagnostic::new(&STOPPED_PODS, at, message).related_some(first.place(), "no pod runs");
    sink.report(found.help(
        "an alert on `up == 0` sees no series: use `absent()`, or ignore this if it is on purpose",
    ));
}
