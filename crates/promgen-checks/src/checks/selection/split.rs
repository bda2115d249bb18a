//! Endpoints that one dash too many splits in two.

use promgen_model::model::World;
use promgen_resources::api::Kind;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;
use promgen_text::yaml::Node;

rules! {
    /// ## What it does
    /// Finds endpoints of a ServiceMonitor or PodMonitor that have no port, beside one that has no field in common with them.
    ///
    /// ## Why is this bad?
    /// Each dash begins an endpoint. The one without a port scrapes every port of the pods, and the settings that stand there do not
    /// apply to the other one.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///   - interval: 30s
    /// ```
    /// Use instead: one endpoint.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     interval: 30s
    /// ```
    SPLIT_ENDPOINT = "PG143" "split-endpoint" Warning: "an endpoint without a port beside one that it may belong to";
}

/// The fields that say which ports an endpoint scrapes.
const PORTS: [&str; 3] = ["port", "targetPort", "portNumber"];

/// Checks the monitors.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for document in model.documents() {
        let list = match document.kind {
            Kind::ServiceMonitor => "endpoints",
            Kind::PodMonitor => "podMetricsEndpoints",
            _ => continue,
        };
        let endpoints = document.node.items_at(&["spec", list]);
        for (index, pair) in endpoints.windows(2).enumerate() {
            let [first, second] = pair else { continue };
            let (number, own) = if has_port(first) {
                (index + 1, second)
            } else {
                (index, first)
            };
            let is_split = has_port(first) != has_port(second)
                && !shares(first, second)
                && !own.entries().is_empty();
            if is_split {
                let message = format!(
                    "endpoint {number} has no port: it scrapes every port, and its settings do not apply to another"
                );
                let at = At::spec(document.id).key(list).index(number);
                let finding = Diagnostic::new(&SPLIT_ENDPOINT, at, message);
                sink.report(
                    finding.help("each dash begins an endpoint: remove it if this belongs to the endpoint beside it"),
                );
            }
        }
    }
}

fn has_port(endpoint: &Node) -> bool {
    PORTS.iter().any(|port| endpoint.get(port).is_some())
}

/// Returns whether both have a field.
fn shares(first: &Node, second: &Node) -> bool {
    first
        .entries()
        .iter()
        .any(|entry| second.get(&entry.key).is_some())
}
