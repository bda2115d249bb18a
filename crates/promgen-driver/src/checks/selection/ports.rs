//! Whether the ports that monitors name are there.

use crate::checks::Model;
use crate::checks::selection::services::Named;
use promgen_compile::cluster::Object;
use promgen_resources::api::{IntOrString, PodMonitor, ServiceMonitor, ServicePort};
use promgen_resources::http_config::filled;
use promgen_targets::resolve::Service;
use promgen_targets::resolve::others::Pods;
use promgen_targets::resolve::port::{Of, Wanted};
use promgen_text::diag::{Diagnostic, Place, Sink, rule};
use promgen_text::route::At;
use promgen_text::suggest;

rule! {
    /// ## What it does
    /// Finds endpoints of monitors that name a port which nothing has that the monitor selects. `port` of a ServiceMonitor
    /// is the name of a port of the Service; `targetPort`, and `port` of a PodMonitor, that of a port which a container
    /// declares.
    ///
    /// ## Why is this bad?
    /// Every target is dropped, in silence. It is fine if something that is not in the input has the port.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metric}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, labels: {app: cart}}
    /// spec:
    ///   selector: {app: cart}
    ///   ports: [{name: metrics, port: 8080}]
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
    /// ```
    pub(super) static UNKNOWN_PORT = "PG123" "unknown-port" {
        summary: "a monitor that names a port which nothing has that it selects", level: Warning, since: "0.1.0",
    }
}

rule! {
    /// ## What it does
    /// Finds Services whose port leads, by name, to a port that no container of their pods declares, where a monitor asks
    /// for that port.
    ///
    /// ## Why is this bad?
    /// A port without a number gives no endpoint, and nothing is scraped. It is fine if other pods, which are not in the
    /// input, have the port.
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
    ///   selector: {app: cart}
    ///   ports: [{name: metrics, port: 8080, targetPort: metrics}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers:
    ///       - {name: cart, image: cart, ports: [{name: http-metrics, containerPort: 8080}]}
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
    ///   ports: [{name: metrics, port: 8080, targetPort: http-metrics}]
    /// ---
    /// apiVersion: apps/v1
    /// kind: Deployment
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   template:
    ///     metadata: {labels: {app: cart}}
    ///     spec:
    ///       containers:
    ///       - {name: cart, image: cart, ports: [{name: http-metrics, containerPort: 8080}]}
    /// ```
    pub(super) static UNKNOWN_TARGET_PORT = "PG126" "unknown-target-port" {
        summary: "a port of a monitored Service that leads to no port of its pods", level: Warning, since: "0.1.0",
    }
}

/// Most names of ports that a message lists.
const MAX_NAMES: usize = 8;
/// Most things that a finding points at besides.
const MAX_RELATED: usize = 3;

/// Looks at the endpoints of a ServiceMonitor that selects services.
pub(super) fn of_services(model: &Model<'_>, monitor: &Object<ServiceMonitor>, services: &[&Service], sink: &mut Sink) {
    for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
        let Some(wanted) = Wanted::of_endpoint(endpoint) else { continue };
        let at = At::doc(monitor.doc).key("spec").key("endpoints").index(index).key(wanted.field);
        match wanted.of {
            Of::Service => of_service(model, &wanted, at, services, sink),
            Of::Pod => {
                let mut pods = Vec::new();
                for service in services {
                    let found = model.reach.pods_behind(service);
                    if found.items.is_empty() || found.is_cut {
                        // Whether it has the port is not known.
                        return;
                    }
                    pods.extend(model.reach.pods.all(&found));
                }
                no_pod_has(&wanted, at, &pods, sink);
            }
        }
    }
}

/// Looks at the endpoints of a PodMonitor that selects pods.
pub(super) fn of_pods(monitor: &Object<PodMonitor>, pods: &[&Pods], sink: &mut Sink) {
    for (index, endpoint) in monitor.value.spec.pod_metrics_endpoints.iter().flatten().enumerate() {
        if let Some(wanted) = Wanted::of_pod_endpoint(endpoint) {
            let at = At::doc(monitor.doc).key("spec").key("podMetricsEndpoints").index(index).key(wanted.field);
            no_pod_has(&wanted, at, pods, sink);
        }
    }
}

/// A port of services: whether one has it, and whether it leads to a port of the pods.
fn of_service(model: &Model<'_>, wanted: &Wanted, at: At, services: &[&Service], sink: &mut Sink) {
    let with_port: Vec<_> = services.iter().map(|service| (*service, wanted.in_service(service))).collect();
    if with_port.iter().all(|(_, ports)| ports.is_empty()) {
        // The addresses of a service without selector, and their ports, stand elsewhere.
        if !services.iter().any(|service| service.has_no_selector() && service.ports().is_empty()) {
            sink.report(no_service_has(wanted, at, services));
        }
        return;
    }
    for (service, ports) in with_port {
        for index in ports {
            leads_nowhere(model, service, index, &at, sink);
        }
    }
}

fn no_service_has(wanted: &Wanted, at: At, services: &[&Service]) -> Diagnostic {
    let who = match services {
        [one] => format!("no port of {}", one.what()),
        many => format!("no port of the {} Services that are selected", many.len()),
    };
    let message = format!("{who} is called \"{}\"", wanted.text);
    let names = services.iter().flat_map(|service| service.port_names());
    let mut diagnostic = Diagnostic::new(&UNKNOWN_PORT, at, message).label(these(names));
    for service in services.iter().take(MAX_RELATED) {
        if let Some(doc) = service.doc {
            let ports = At::doc(doc).key("spec").key("ports");
            diagnostic = diagnostic.related(Place::Key(ports), "its ports");
        }
    }
    let ports = || services.iter().flat_map(|service| service.ports());
    if let Some(help) = ports().find_map(|port| meant_by(&wanted.text, port)) {
        return diagnostic.help(help);
    }
    match wanted.meant(ports().filter_map(|port| port.name.as_deref())) {
        Some(meant) => diagnostic.help(format!("did you mean \"{meant}\"?")),
        None => diagnostic.help("if a Service that is not in the input has the port, there is nothing to do"),
    }
}

/// What was meant, if a number or the port of the pods stands where the name of the Service's port should.
fn meant_by(text: &str, port: &ServicePort) -> Option<String> {
    let target = port.target_port.as_ref().map(ToString::to_string);
    let is_number = text.parse() == Ok(port.port);
    if !is_number && target.as_deref() != Some(text) {
        return None;
    }
    let why = match (is_number, text.parse::<i64>()) {
        (true, _) => format!("{text} is the number of that port, and `port` wants its name"),
        (false, Ok(_)) => format!("{text} is the number of the pods' port, and `port` wants the name of the Service's"),
        (false, Err(_)) => format!("\"{text}\" is the pods' port, and `port` wants the name of the Service's"),
    };
    Some(match filled(port.name.as_deref()) {
        Some(name) => format!("{why}: \"{name}\""),
        None => format!("{why}: give the Service's port {} a name", port.port),
    })
}

/// A port of a service that names a port which its pods do not have.
fn leads_nowhere(model: &Model<'_>, service: &Service, index: usize, wanted_at: &At, sink: &mut Sink) {
    let port = &service.ports()[index];
    let Some((doc, IntOrString::String(target))) = service.doc.zip(port.target_port.as_ref()) else { return };
    if target.parse::<i64>().is_ok() {
        return;
    }
    let found = model.reach.pods_behind(service);
    let pods = model.reach.pods.all(&found);
    let has = |pods: &&Pods| pods.ports.iter().any(|port| port.name == *target);
    if pods.is_empty() || found.is_cut || pods.iter().any(has) {
        return;
    }
    let at = At::doc(doc).key("spec").key("ports").index(index).key("targetPort");
    let message = format!("no container behind {} declares a port \"{target}\"", service.what());
    let mut diagnostic = Diagnostic::new(&UNKNOWN_TARGET_PORT, at, message)
        .label(these(pods.iter().flat_map(|pods| pods.port_names())))
        .related(wanted_at.clone(), "this monitor asks for it");
    for pods in pods.iter().take(MAX_RELATED) {
        diagnostic = diagnostic.related_some(Named::place(*pods), "its pods");
    }
    let names = pods.iter().flat_map(|pods| pods.ports.iter().map(|port| port.name.as_str()));
    let help = match suggest::closest(target, names.filter(|name| !name.is_empty())) {
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "name the port of the container, or say its number here".to_owned(),
    };
    sink.report(diagnostic.help(help));
}

/// A port that no container declares.
fn no_pod_has(wanted: &Wanted, at: At, pods: &[&Pods], sink: &mut Sink) {
    if pods.is_empty() || pods.iter().any(|pods| wanted.is_in_pods(pods)) {
        return;
    }
    let who = match pods {
        [one] => format!("no container of {}", one.what()),
        many => format!("no container of the {} sorts of pods that are selected", many.len()),
    };
    let message = format!("{who} declares the port {wanted}");
    let mut diagnostic = Diagnostic::new(&UNKNOWN_PORT, at, message);
    diagnostic = diagnostic.label(these(pods.iter().flat_map(|pods| pods.port_names())));
    for pods in pods.iter().take(MAX_RELATED) {
        diagnostic = diagnostic.related_some(Named::place(*pods), "these pods are selected");
    }
    let ports = || pods.iter().flat_map(|pods| pods.ports.iter());
    let by_number = ports().find(|port| wanted.text.parse() == Ok(port.number) && !port.name.is_empty());
    let help = match (by_number, wanted.meant(ports().map(|port| port.name.as_str()))) {
        (Some(port), _) => {
            format!("{} is its number, and `{}` wants its name: \"{}\"", wanted.text, wanted.field, port.name)
        }
        (None, Some(meant)) => format!("did you mean \"{meant}\"?"),
        (None, None) => "only ports that a container declares under `ports` can be told apart".to_owned(),
    };
    sink.report(diagnostic.help(help));
}

/// The names that there are instead.
fn these(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    match names.len() {
        0 => "there are no ports".to_owned(),
        _ => format!("there are {}{more}", names[..names.len().min(MAX_NAMES)].join(", ")),
    }
}
