//! Ports of monitors that do not exist.

use promgen_model::model::World;
use promgen_model::monitors::Monitor;
use promgen_model::selection::named::Named;
use promgen_model::selection::ports::{UnresolvedPort, unresolved, unresolved_words};
use promgen_resources::api::ServicePort;
use promgen_resources::http_config::filled;
use promgen_resources::unknown::is_later_text;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::{LabelIndex, Selectable};
use promgen_targets::resolve::others::{PodPort, PodSource};
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_text::diag::fix::Fix;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::route::At;
use promgen_text::suggest;

rules! {
    /// ## What it does
    /// Finds endpoints of monitors whose port does not exist in any Service or pod that the monitor selects. `port` of a
    /// ServiceMonitor is the name of a port of the Service. `targetPort`, and `port` of a PodMonitor, refer to a port that
    /// a container declares. While an object of a kustomization that is not built has the port, it may be the one that is selected.
    ///
    /// ## Why is this bad?
    /// Every target is dropped without an error. Ignore this if a Service or pod that is not in the input has the port.
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
    UNKNOWN_PORT = "PG123" "unknown-port" Warning: "a monitor whose port does not exist in what it selects";

    /// ## What it does
    /// Finds Services with a named `targetPort` that no container of their pods declares with the same protocol, if a monitor uses
    /// that port.
    ///
    /// ## Why is this bad?
    /// A named port that does not resolve to a number has no endpoint, and nothing is scraped. Ignore this if pods that are
    /// not in the input have the port.
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
    UNKNOWN_TARGET_PORT = "PG126" "unknown-target-port" Warning: "a port of a monitored Service whose targetPort no pod declares";
}

/// The maximum number of port names in a message.
const MAX_NAMES: usize = 8;
/// The maximum number of related places of a finding.
const MAX_RELATED: usize = 3;

/// Checks the endpoints of a ServiceMonitor that selects Services. `is_meant`: its selector picks them out, and not whatever is
/// there.
pub(super) fn of_services(
    model: &World<'_>,
    monitor: Monitor<'_>,
    services: &[&ResolvedService],
    is_meant: bool,
    sink: &mut Sink,
) {
    for endpoint in monitor.endpoints() {
        let Some(wanted) = endpoint.port() else {
            continue;
        };
        let at = endpoint.at().key(wanted.field);
        match wanted.of {
            PortOwner::Service => of_service(model, &wanted, at, services, is_meant, sink),
            PortOwner::Pod if !is_meant => {}
            PortOwner::Pod => {
                // Whether others have the port is unknown.
                let Some(pods) = pods_behind(model, services) else {
                    return;
                };
                no_pod_has(model, &wanted, at, &pods, sink);
            }
        }
    }
}

/// The pods behind Services. `None`: those of one are not known.
pub(super) fn pods_behind<'w>(
    model: &World<'w>,
    services: &[&ResolvedService],
) -> Option<Vec<&'w PodSource>> {
    let mut pods = Vec::new();
    for service in services {
        let found = model.reach.pods_behind(service);
        if found.items.is_empty() || found.is_cut {
            return None;
        }
        pods.extend(model.reach.pods.all(&found));
    }
    Some(pods)
}

/// Checks the endpoints of a PodMonitor that selects pods.
pub(super) fn of_pods(
    model: &World<'_>,
    monitor: Monitor<'_>,
    pods: &[&PodSource],
    sink: &mut Sink,
) {
    for endpoint in monitor.endpoints() {
        if let Some(wanted) = endpoint.port() {
            let at = endpoint.at().key(wanted.field);
            no_pod_has(model, &wanted, at, pods, sink);
        }
    }
}

/// A port of Services: whether a Service has it, and whether it resolves to a port of the pods.
fn of_service(
    model: &World<'_>,
    wanted: &MonitorPort,
    at: At,
    services: &[&ResolvedService],
    is_meant: bool,
    sink: &mut Sink,
) {
    let with_port: Vec<_> = services
        .iter()
        .map(|service| (*service, wanted.in_service(service)))
        .collect();
    if with_port.iter().all(|(_, ports)| ports.is_empty()) {
        // The addresses and ports of a Service without selector are in EndpointSlices.
        let has_others =
            |service: &&ResolvedService| service.has_no_selector() && service.ports().is_empty();
        let is_later = |service: &&ResolvedService| {
            service.port_names().iter().any(|name| is_later_text(name))
        };
        let mut services_of = services.iter().copied();
        let is_open = services_of.any(|of| has_others(&of) || is_later(&of));
        let has_port = || is_in_open(model, &model.reach.services, wanted);
        if is_meant && !is_open && !is_later_text(&wanted.text) && !has_port() {
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

/// Returns whether something has the port that a kustomization may change which is not built: it may be what is selected then.
fn is_in_open<T: Selectable + Named>(
    model: &World<'_>,
    things: &LabelIndex<T>,
    wanted: &MonitorPort,
) -> bool {
    let is_open = |place: Place| model.unknowns().is_in_open(model.documents(), &place);
    let mut with_port = things.iter().filter(|thing| thing.has_port(wanted));
    with_port.any(|thing| thing.place().is_some_and(is_open))
}

fn no_service_has(wanted: &MonitorPort, at: At, services: &[&ResolvedService]) -> Diagnostic {
    let who = match services {
        [one] => format!("no port of {}", one.what()),
        many => format!("no port of the {} selected Services", many.len()),
    };
    let message = format!("{who} is named \"{}\"", wanted.text);
    let names = services.iter().flat_map(|service| service.port_names());
    let mut diagnostic = Diagnostic::new(&UNKNOWN_PORT, at.clone(), message).label(these(names));
    for service in services.iter().take(MAX_RELATED) {
        if let Some(doc) = service.doc {
            let ports = At::spec(doc).key("ports");
            diagnostic = diagnostic.related(Place::Key(ports), "its ports");
        }
    }
    let ports = || services.iter().flat_map(|service| service.ports());
    if let Some((help, meant)) = ports().find_map(|port| meant_by(&wanted.text, port)) {
        return with_fix(diagnostic.help(help), at, meant);
    }
    let nameless = ports().find(|port| filled(port.name.as_deref()).is_none());
    match (
        wanted.closest_name(ports().filter_map(|port| port.name.as_deref())),
        nameless,
    ) {
        (Some(meant), _) => with_fix(
            diagnostic.help(format!("did you mean \"{meant}\"?")),
            at,
            Some(meant),
        ),
        (None, Some(port)) => {
            let help = format!(
                "port {} of the Service has no name: add `name: {}` to it",
                port.port, wanted.text
            );
            diagnostic.help(help)
        }
        (None, None) => {
            diagnostic.help("ignore this if a Service that is not in the input has the port")
        }
    }
}

/// A finding with the name that was most likely meant, as a fix.
fn with_fix(diagnostic: Diagnostic, at: At, meant: Option<&str>) -> Diagnostic {
    match meant {
        Some(meant) => diagnostic.fix(Fix::value(at, meant)),
        None => diagnostic,
    }
}

/// The help, if `port` is a number or the port of the pods instead of the name of the Service's port; and that name.
fn meant_by<'p>(text: &str, port: &'p ServicePort) -> Option<(String, Option<&'p str>)> {
    let target = port.target_port.as_ref().map(ToString::to_string);
    let is_number = text.parse() == Ok(port.port);
    if !is_number && target.as_deref() != Some(text) {
        return None;
    }
    let why = match (is_number, text.parse::<i64>()) {
        (true, _) => format!("{text} is the number of that port, but `port` requires its name"),
        (false, Ok(_)) => {
            format!(
                "{text} is the number of the pods' port, but `port` requires the name of the Service's port"
            )
        }
        (false, Err(_)) => format!(
            "\"{text}\" is the pods' port, but `port` requires the name of the Service's port"
        ),
    };
    let name = filled(port.name.as_deref());
    let help = match name {
        Some(name) => format!("{why}: \"{name}\""),
        None => format!("{why}: add a name to port {} of the Service", port.port),
    };
    Some((help, name))
}

/// A port of a Service whose named `targetPort` its pods do not declare.
fn leads_nowhere(
    model: &World<'_>,
    service: &ResolvedService,
    index: usize,
    wanted_at: &At,
    sink: &mut Sink,
) {
    let port = &service.ports()[index];
    let found = model.reach.pods_behind(service);
    let pods = model.reach.pods.all(&found);
    let unresolved = unresolved(port, &pods).filter(|_| !found.is_cut);
    let Some((
        doc,
        UnresolvedPort {
            target,
            protocol,
            other,
        },
    )) = service.doc.zip(unresolved)
    else {
        return;
    };
    let at = At::spec(doc).key("ports").index(index).key("targetPort");
    let message = unresolved_words(
        &service.what(),
        &UnresolvedPort {
            target,
            protocol,
            other,
        },
    );
    let mut diagnostic = Diagnostic::new(&UNKNOWN_TARGET_PORT, at.clone(), message)
        .label(these(pods.iter().flat_map(|pods| pods.port_names())))
        .related(wanted_at.clone(), "this monitor uses it");
    for pods in pods.iter().take(MAX_RELATED) {
        diagnostic = diagnostic.related_some(Named::place(*pods), "its pods");
    }
    let names = pods
        .iter()
        .flat_map(|pods| pods.ports().map(|port| port.name));
    let meant = suggest::closest(
        target,
        names.filter(|name| !name.is_empty() && *name != target),
    );
    let help = match meant {
        _ if other.is_some() => format!(
            "set `protocol: {protocol}` at the port of the container, or add a {protocol} port"
        ),
        Some(meant) => format!("did you mean \"{meant}\"?"),
        None => "add this name to the port of the container, or set the number here".to_owned(),
    };
    sink.report(with_fix(diagnostic.help(help), at, meant));
}

/// A port that no container declares.
fn no_pod_has(
    model: &World<'_>,
    wanted: &MonitorPort,
    at: At,
    pods: &[&PodSource],
    sink: &mut Sink,
) {
    if pods.is_empty()
        || pods.iter().any(|pods| wanted.is_in_pods(pods))
        || is_in_open(model, &model.reach.pods, wanted)
    {
        return;
    }
    let who = match pods {
        [one] => format!("no container of {}", one.what()),
        many => format!("no container of the {} selected groups of pods", many.len()),
    };
    let message = format!("{who} declares the port {wanted}");
    let mut diagnostic = Diagnostic::new(&UNKNOWN_PORT, at.clone(), message);
    diagnostic = diagnostic.label(these(pods.iter().flat_map(|pods| pods.port_names())));
    for pods in pods.iter().take(MAX_RELATED) {
        diagnostic = diagnostic.related_some(Named::place(*pods), "selected pods");
    }
    let ports = || pods.iter().flat_map(|pods| pods.ports());
    let by_number =
        ports().find(|port| wanted.text.parse() == Ok(port.number) && !port.name.is_empty());
    let (help, meant) = match (
        by_number,
        wanted.closest_name(ports().map(|port| port.name)),
    ) {
        (Some(PodPort { name, .. }), _) => {
            let help = format!(
                "{} is its number, but `{}` requires its name: \"{name}\"",
                wanted.text, wanted.field
            );
            (help, Some(name))
        }
        (None, Some(meant)) => (format!("did you mean \"{meant}\"?"), Some(meant)),
        (None, None) => (
            "the port must be declared under `ports` of a container".to_owned(),
            None,
        ),
    };
    sink.report(with_fix(diagnostic.help(help), at, meant));
}

/// The names of the existing ports.
fn these(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > MAX_NAMES { ", …" } else { "" };
    match names.len() {
        0 => "no ports exist".to_owned(),
        _ => format!(
            "existing ports: {}{more}",
            names[..names.len().min(MAX_NAMES)].join(", ")
        ),
    }
}
