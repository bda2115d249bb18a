//! Services that a monitor selects and that have no address, or none with its port.

use promgen_compile::cluster::Object;
use promgen_model::model::World;
use promgen_model::selection::named::Named as _;
use promgen_resources::api::ServiceMonitor;
use promgen_resources::http_config::filled;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds Services of a ServiceMonitor that certainly have no address with its port: those of type `ExternalName`; those
    /// without a selector whose Endpoints have another name, or lack the name of the port.
    ///
    /// ## Why is this bad?
    /// Prometheus scrapes addresses of Endpoints and EndpointSlices. Endpoints belong to the Service of the same name; a port is
    /// known by the name that it has there.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: db, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: db}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: db, namespace: shop, labels: {app: db}}
    /// spec:
    ///   ports: [{name: metrics, port: 9187}]
    /// ---
    /// apiVersion: v1
    /// kind: Endpoints
    /// metadata: {name: db-external, namespace: shop}
    /// subsets:
    /// - addresses: [{ip: 192.0.2.7}]
    ///   ports: [{name: metrics, port: 9187}]
    /// ```
    /// Use instead: the name of the Service.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: db, namespace: shop}
    /// spec:
    ///   selector: {matchLabels: {app: db}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: db, namespace: shop, labels: {app: db}}
    /// spec:
    ///   ports: [{name: metrics, port: 9187}]
    /// ---
    /// apiVersion: v1
    /// kind: Endpoints
    /// metadata: {name: db, namespace: shop}
    /// subsets:
    /// - addresses: [{ip: 192.0.2.7}]
    ///   ports: [{name: metrics, port: 9187}]
    /// ```
    WITHOUT_ADDRESS = "PG139" "service-without-address" Warning: "a monitored Service that has no address";
}

/// Checks the Services that a monitor selects.
pub(super) fn check(
    model: &World<'_>,
    monitor: &Object<ServiceMonitor>,
    services: &[&ResolvedService],
    sink: &mut Sink,
) {
    let own: Place = At::name(monitor.doc).into();
    for service in services.iter().filter(|service| !service.is_anywhere()) {
        let Some(doc) = service.doc.filter(|_| service.has_no_selector()) else {
            continue;
        };
        let at = At::doc(doc);
        if service.is_external_name() {
            let message = format!(
                "{} is of type ExternalName: it has no address to scrape",
                service.what()
            );
            let found = Diagnostic::new(&WITHOUT_ADDRESS, at.key("spec").key("type"), message)
                .related(own.clone(), "selected here");
            sink.report(found.help("scrape the host with `staticConfigs` of a ScrapeConfig"));
            continue;
        }
        let (namespace, name) = (service.namespace(), service.name());
        let Some(ports) = model.discovery().endpoint_ports(namespace, name) else {
            if let Some(stray) = model
                .discovery()
                .stray_endpoints(namespace, service.ports())
            {
                let message = format!(
                    "{} has no selector, and the input no Endpoints of its name",
                    service.what()
                );
                let found =
                    Diagnostic::new(&WITHOUT_ADDRESS, at.key("metadata").key("name"), message);
                let help = format!(
                    "Endpoints belong to the Service of the same name: rename {namespace}/{stray} to `{name}`"
                );
                sink.report(found.related(own.clone(), "selected here").help(help));
            }
            continue;
        };
        for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
            let Some(port) = filled(endpoint.port.as_deref()).filter(|port| !ports.contains(port))
            else {
                continue;
            };
            if !service.port_names().iter().any(|name| name == port) {
                continue;
            }
            let at = At::spec(monitor.doc)
                .key("endpoints")
                .index(index)
                .key("port");
            let message = format!(
                "no port of the Endpoints of {} is named \"{port}\"",
                service.what()
            );
            let known: Vec<String> = ports
                .iter()
                .filter(|name| !name.is_empty())
                .map(|name| format!("\"{name}\""))
                .collect();
            let help = match known.is_empty() {
                true => {
                    format!("add `name: {port}` to the port of the Endpoints, as in the Service")
                }
                false => format!(
                    "the Endpoints have {}: use the names of the ports of the Service",
                    known.join(", ")
                ),
            };
            sink.report(Diagnostic::new(&WITHOUT_ADDRESS, at, message).help(help));
        }
    }
}
