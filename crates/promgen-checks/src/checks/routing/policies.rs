//! NetworkPolicies in the way of alerts, and between the replicas of an Alertmanager.

use promgen_compile::output::Workload;
use promgen_model::model::World;
use promgen_model::model::network::WorkloadWay;
use promgen_model::model::senders::web_port;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;

/// The port at which the replicas of an Alertmanager tell each other what they know.
const MESH_PORT: i64 = 9094;

/// The number of policies whose places are shown.
const MAX_NAMED: usize = 3;

rules! {
    /// ## What it does
    /// Finds servers that send alerts to an Alertmanager which they cannot reach, and Alertmanagers whose replicas cannot reach one
    /// another: the NetworkPolicies in the input isolate the pods, and none of them allows the port 9093 or 9094.
    ///
    /// ## Why is this bad?
    /// The alerts notify nobody. Replicas that do not hear of one another each send every notification.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {replicas: 3}
    /// ---
    /// apiVersion: networking.k8s.io/v1
    /// kind: NetworkPolicy
    /// metadata: {name: alertmanager, namespace: shop}
    /// spec:
    ///   podSelector: {matchLabels: {app.kubernetes.io/name: alertmanager}}
    ///   ingress:
    ///   - from: [{podSelector: {matchLabels: {app.kubernetes.io/name: prometheus}}}]
    ///     ports: [{port: 9093}]
    /// ```
    /// Use instead: a policy that also allows the replicas.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {replicas: 3}
    /// ---
    /// apiVersion: networking.k8s.io/v1
    /// kind: NetworkPolicy
    /// metadata: {name: alertmanager, namespace: shop}
    /// spec:
    ///   podSelector: {matchLabels: {app.kubernetes.io/name: alertmanager}}
    ///   ingress:
    ///   - from: [{podSelector: {matchLabels: {app.kubernetes.io/name: prometheus}}}]
    ///     ports: [{port: 9093}]
    ///   - from: [{podSelector: {matchLabels: {app.kubernetes.io/name: alertmanager}}}]
    ///     ports: [{port: 9094}, {port: 9094, protocol: UDP}]
    /// ```
    BLOCKED_ALERTS = "PG637" "blocked-alerts" Warning: "policies between a server and its Alertmanager, or between the replicas of one";
}

/// Checks all servers and Alertmanagers.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    if model.access().policies.is_empty() {
        return;
    }
    let find = |what: &str| model.workloads.iter().find(|of| of.id.what() == what);
    for (server, doc, service) in model.senders().services() {
        for id in &service.alertmanagers {
            let ways = find(server).zip(find(&id.what()));
            let Some(((from, to), port)) = ways.zip(web_port(model, id)) else {
                continue;
            };
            let said = format!("{server} sends its alerts to {}, and", id.what());
            sink.extend(finding(model, from, to, port, &said, At::spec(doc)));
        }
    }
    for alertmanager in model.cluster().alertmanagers.values() {
        if alertmanager.value.spec.replicas.is_none_or(|n| n < 2) {
            continue;
        }
        let own = &alertmanager.value.metadata.name;
        let what = format!("Alertmanager {}/{own}", alertmanager.namespace());
        if let Some(of) = find(&what) {
            let said = format!("replicas of {what} each send every notification:");
            sink.extend(finding(
                model,
                of,
                of,
                MESH_PORT,
                &said,
                At::spec(alertmanager.doc),
            ));
        }
    }
}

fn finding(
    model: &World<'_>,
    from: &Workload,
    to: &Workload,
    port: i64,
    said: &str,
    at: At,
) -> Option<Diagnostic> {
    let WorkloadWay::Blocked(policies) = model.way(from, to, port) else {
        return None;
    };
    let named: Vec<&str> = policies.iter().map(|(name, _)| name.as_str()).collect();
    let message = format!("{said} {} is in the way to port {port}", named.join(", "));
    let help = format!("allow port {port} to the pods of {}", to.id.what());
    let found = Diagnostic::new(&BLOCKED_ALERTS, at, message).help(help);
    let places = policies.into_iter().take(MAX_NAMED);
    Some(places.fold(found, |found, (_, span)| {
        found.related_some(span.map(Place::Span), "isolates them")
    }))
}
