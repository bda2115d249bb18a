//! Services of Alertmanagers that a server reports to.

use std::collections::BTreeSet;

use crate::checks::View;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_targets::resolve::labelled::{Matches, NamespaceScope, Selectable as _};
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;
use promgen_text::suggest;

rule! {
    /// ## What it does
    /// Finds members of `alerting.alertmanagers` that name no Service, although the input has an Alertmanager and a Service
    /// with almost that name.
    ///
    /// ## Why is this bad?
    /// Prometheus discovers no Alertmanager, and alerts notify nobody. Nothing in the cluster reports it but a metric.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   alerting:
    ///     alertmanagers: [{name: alertmanager-operatd, port: web}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s, namespace: shop}
    /// spec:
    ///   alerting:
    ///     alertmanagers: [{name: alertmanager-operated, port: web}]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {}
    /// ```
    pub(super) static UNKNOWN_ALERTMANAGER = "PG128" "unknown-alertmanager" {
        summary: "a Service of Alertmanagers that is not in the input", level: Warning, since: "0.1.0",
    }
}

/// Checks every server, if the input has an Alertmanager.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    let homes: BTreeSet<&str> = model.cluster.alertmanagers.values().map(|object| object.namespace()).collect();
    if homes.is_empty() {
        return;
    }
    for server in model.cluster.prometheuses.values() {
        let endpoints = server.value.spec.alerting.iter().flat_map(|alerting| &alerting.alertmanagers);
        for (index, endpoint) in endpoints.enumerate() {
            let at = At::doc(server.doc).key("spec").key("alerting").key("alertmanagers").index(index);
            let found = unknown(model, endpoint, (server.namespace(), &homes), &at);
            found.into_iter().for_each(|diagnostic| sink.report(diagnostic));
        }
    }
}

/// A member whose name or namespace is that of a Service but for a slip. Any other may be what a chart makes.
fn unknown(
    model: &View<'_>,
    endpoint: &AlertmanagerEndpoints,
    (own, homes): (&str, &BTreeSet<&str>),
    at: &At,
) -> Option<Diagnostic> {
    let namespace = endpoint.namespace.as_deref().unwrap_or(own);
    let names = |scope: &NamespaceScope<'_>| {
        let services = &model.reach.services;
        let all = Matches { items: services.numbers(scope), is_cut: false };
        services.all(&all).into_iter().map(|service| (service.name(), service.namespace())).collect::<Vec<_>>()
    };
    let there = names(&NamespaceScope::one(namespace));
    if there.iter().any(|(name, _)| *name == endpoint.name) {
        return None;
    }
    let finding = |field: &'static str, meant: &str| {
        let message = format!("no Service in the input is named {namespace}/{}", endpoint.name);
        let diagnostic = Diagnostic::new(&UNKNOWN_ALERTMANAGER, at.clone().key(field), message);
        diagnostic
            .help(format!("did you mean \"{meant}\"?"))
            .help("ignore this if something that is not in the input creates it")
    };
    if homes.contains(namespace) {
        let is_slip = |name: &&str| suggest::is_slip(&endpoint.name, name);
        let near = there.iter().map(|(name, _)| *name).filter(is_slip);
        return suggest::closest(&endpoint.name, near).map(|meant| finding("name", meant));
    }
    endpoint.namespace.as_ref()?;
    let elsewhere = names(&NamespaceScope::Any);
    let same_name = elsewhere.iter().filter(|(name, _)| *name == endpoint.name).map(|(_, namespace)| *namespace);
    let near = same_name.filter(|other| suggest::is_slip(namespace, other));
    suggest::closest(namespace, near).map(|meant| finding("namespace", meant))
}
