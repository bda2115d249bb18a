//! Several Alertmanagers behind one address.

use promgen_model::model::World;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds servers that send their alerts to the address of a Service with several pods of an Alertmanager behind it, or
    /// of a headless one without `dns+` or `dnssrv+` in front: in `alertmanagersUrl`, or in static targets of `additionalAlertManagerConfigs` or `alertmanagersConfig`.
    ///
    /// ## Why is this bad?
    /// Each alert reaches one of the replicas. Alertmanager expects every alert from every server at all of them: they tell each other
    /// of notifications, not of alerts. A replica that lacks an alert does not notify when the other one is gone.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ThanosRuler
    /// metadata: {name: main, namespace: shop}
    /// spec:
    ///   queryEndpoints: [query]
    ///   alertmanagersUrl: ["http://alertmanager.shop.svc:9093"]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {replicas: 3}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: alertmanager, namespace: shop}
    /// spec:
    ///   selector: {alertmanager: main}
    ///   ports: [{name: web, port: 9093}]
    /// ```
    /// Use instead: the headless Service that the operator makes, which leads to each of them.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ThanosRuler
    /// metadata: {name: main, namespace: shop}
    /// spec:
    ///   queryEndpoints: [query]
    ///   alertmanagersUrl: ["dnssrv+http://_web._tcp.alertmanager-operated.shop.svc"]
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Alertmanager
    /// metadata: {name: main, namespace: shop}
    /// spec: {replicas: 3}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: alertmanager, namespace: shop}
    /// spec:
    ///   selector: {alertmanager: main}
    ///   ports: [{name: web, port: 9093}]
    /// ```
    ///
    /// ## Source
    /// Alertmanager's documentation: do not load balance between Prometheus and its Alertmanagers.
    BALANCED_ALERTMANAGERS = "PG635" "balanced-alertmanagers" Warning: "several Alertmanagers behind one address";
}

/// Checks the addresses of all servers that send alerts.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    for (server, doc, service) in model.senders().services() {
        let Some(field) = service.balances else {
            continue;
        };
        for id in &service.alertmanagers {
            let alertmanager = model.cluster().alertmanagers.get(id.key().as_str());
            let replicas = alertmanager.and_then(|of| of.value.spec.replicas);
            let Some(replicas @ 2..) = replicas else {
                continue;
            };
            let message = format!(
                "{server} sends each alert to one of the {replicas} replicas of {}: the address of {} leads to one of them",
                id.what(),
                service.what
            );
            let help = match field {
                "alertmanagersUrl" | "additionalArgs" => format!(
                    "name each of them: dnssrv+http://_web._tcp.alertmanager-operated.{}.svc",
                    id.namespace
                ),
                _ => "name a headless Service with `dns_sd_configs`, or each pod".to_owned(),
            };
            let at = At::spec(doc).key(field);
            sink.report(Diagnostic::new(&BALANCED_ALERTMANAGERS, at, message).help(help));
        }
    }
}
