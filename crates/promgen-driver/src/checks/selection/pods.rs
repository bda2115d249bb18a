//! Monitored Services without pods.

use crate::checks::View;
use crate::checks::selection::services::Named;
use promgen_compile::cluster::Object;
use promgen_resources::api::ServiceMonitor;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::{NamespaceScope, Selectable};
use promgen_text::diag::{Diagnostic, Level, Place, Sink, rule};
use promgen_text::route::At;

rule! {
    /// ## What it does
    /// Finds Services that a ServiceMonitor selects and whose selector matches no pod and no pod template in the input,
    /// although the input has some in that namespace.
    ///
    /// The level is warning if a template almost matches, so that a typo is likely, and info otherwise.
    ///
    /// ## Why is this bad?
    /// The Service has no endpoints, and nothing is scraped. Ignore this if the pods are not in the input.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, labels: {app: cart}}
    /// spec:
    ///   selector: {app: carts}
    ///   ports: [{name: metrics, port: 8080}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers: [{name: cart, image: cart}]
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, labels: {app: cart}}
    /// spec:
    ///   selector: {app: cart}
    ///   ports: [{name: metrics, port: 8080}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers: [{name: cart, image: cart}]
    /// ```
    pub(super) static NO_PODS = "PG125" "service-without-pods" {
        summary: "a monitored Service whose selector matches no pod in the input", level: Warning, since: "0.1.0",
    }
}

/// Checks the Services that a monitor selects.
pub(super) fn behind(
    model: &View<'_>,
    monitor: &Object<ServiceMonitor>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    for service in services {
        let Some(doc) = service.doc else { continue };
        let has_pods = || model.reach.pods.count(&NamespaceScope::one(service.namespace())) > 0;
        let is_built_in = model.reach.built_in_pods_behind(service).is_some();
        if is_built_in || service.has_no_selector() || !model.reach.pods_behind(service).items.is_empty() {
            continue;
        }
        let near = model.reach.near_pods_behind(service);
        // The labels of pods that the operator makes are known, even if the input has no other pods.
        if !has_pods() && near.as_ref().is_none_or(|near| near.thing.is_given()) {
            continue;
        }
        let selected_by = At::doc(monitor.doc).key("metadata").key("name");
        let selector = At::doc(doc).key("spec").key("selector");
        let what = service.what();
        let finding = |place: Place, why: &str| {
            let message = format!("the selector of {what} matches no pod in the input{why}");
            Diagnostic::new(&NO_PODS, place, message).related(selected_by, "this monitor selects it")
        };
        let diagnostic = match near {
            Some(near) => {
                let has: Vec<_> = near.misses.iter().map(ToString::to_string).collect();
                let why = format!(", but {} almost matches: it {}", near.thing.what(), has.join(", "));
                let key = near.misses.first().map(|miss| selector.clone().key(miss.required.key.clone()));
                let diagnostic = finding(key.unwrap_or(selector).into(), &why);
                match near.thing.span {
                    Some(span) => diagnostic.related(span, "almost matches"),
                    None => diagnostic,
                }
            }
            None => finding(Place::Key(selector), &format!(" in namespace {}", service.namespace())).level(Level::Info),
        };
        sink.report(diagnostic.help("ignore this if its pods are not in the input"));
    }
}
