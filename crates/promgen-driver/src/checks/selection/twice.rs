//! Ports of pods that one workload scrapes twice.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::View;
use crate::checks::scraping::ways;
use crate::checks::selection::annotated::AnnotationJob;
use promgen_compile::cluster::Object;
use promgen_compile::output::Workload;
use promgen_prometheus::relabel::Action;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{Endpoint, IntOrString, PodMetricsEndpoint, PodMonitor, ServiceMonitor, ServicePort};
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::PodSource;
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{ResolvedService, Seeker};
use promgen_text::diag::{Diagnostic, Sink, rule};
use promgen_text::route::At;

rule! {
    /// ## What it does
    /// Finds ports of pods that one Prometheus or PrometheusAgent scrapes by two endpoints, or by two Services of one endpoint:
    /// a headless Service beside a normal one, a ServiceMonitor beside a PodMonitor, or a monitor beside a job that scrapes the
    /// pods whose annotations ask for it. A job in a Secret has its number there, unless its name is one that Prometheus or its
    /// chart publish, such as `kubernetes-pods`.
    ///
    /// Endpoints with another path, scheme or parameters are different, and so are those whose `relabelings` keep or drop targets
    /// or write the address.
    ///
    /// ## Why is this bad?
    /// Prometheus stores every series of the pod under two values of `service` or `job`: sums count it twice, and scrapes and
    /// storage cost twice as much.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, podMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ---
    /// apiVersion: v1
    /// kind: Pod
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart-pods, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, podMetricsEndpoints: [{port: metrics}]}
    /// ```
    /// Use instead: one of them.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: main, namespace: shop}
    /// spec: {serviceMonitorSelector: {}, podMonitorSelector: {}}
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {selector: {app: cart}, ports: [{name: metrics, port: 8080}]}
    /// ---
    /// apiVersion: v1
    /// kind: Pod
    /// metadata: {name: cart, namespace: shop, labels: {app: cart}}
    /// spec: {containers: [{name: cart, image: cart, ports: [{name: metrics, containerPort: 8080}]}]}
    /// ---
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart, namespace: shop}
    /// spec: {selector: {matchLabels: {app: cart}}, endpoints: [{port: metrics}]}
    /// ```
    pub(super) static SCRAPED_TWICE = "PG130" "scraped-twice" {
        summary: "a port of a pod that one workload scrapes twice", level: Warning, since: "0.1.0",
    }
}

/// The most targets of a workload that are compared.
const MAX_TARGETS: usize = 100_000;

/// What is scraped: the number of the pods, the port, and the rest of the request.
type ScrapedKey = (usize, i64, String);

/// A way to a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ScrapeWay {
    /// `ServiceMonitor shop/cart`
    monitor: String,
    /// `Service shop/cart`; empty for a PodMonitor.
    service: String,
    /// The number of the monitor's document, and that of its endpoint.
    place: (usize, usize),
}

/// The ways to each target of a workload.
struct Uses<'m, 'a> {
    model: &'m View<'a>,
    by_target: BTreeMap<ScrapedKey, Vec<ScrapeWay>>,
    places: Vec<At>,
    n: usize,
}

/// Checks every workload.
pub(super) fn check(model: &View<'_>, sink: &mut Sink) {
    for workload in model.workloads.iter().filter(|workload| !workload.is_stand_in) {
        let mut uses = Uses { model, by_target: BTreeMap::new(), places: Vec::new(), n: 0 };
        for kind in &workload.selected.kinds {
            for resource in kind.resources.iter().filter(|resource| resource.refusal.is_none()) {
                let key = format!("{}/{}", resource.namespace, resource.name);
                match kind.kind {
                    "ServiceMonitor" => {
                        let monitor = model.cluster.service_monitors.get(key.as_str());
                        monitor.into_iter().for_each(|monitor| uses.service_monitor(monitor));
                    }
                    "PodMonitor" => {
                        let monitor = model.cluster.pod_monitors.get(key.as_str());
                        monitor.into_iter().for_each(|monitor| uses.pod_monitor(monitor));
                    }
                    _ => {}
                }
            }
        }
        uses.annotations(workload);
        uses.report(workload, sink);
    }
}

impl Uses<'_, '_> {
    fn service_monitor(&mut self, monitor: &Object<ServiceMonitor>) {
        let seeker = Seeker::of_services(monitor, self.model.reach.others);
        let found = self.model.reach.services_of(&seeker, &seeker.scope());
        if found.is_cut || seeker.is_anywhere {
            return;
        }
        let services: Vec<&ResolvedService> = self.model.reach.services.all(&found);
        let at = At::doc(monitor.doc).key("spec").key("endpoints");
        let who = format!("ServiceMonitor {}/{}", monitor.namespace(), monitor.value.metadata.name);
        for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
            if is_choosy(endpoint.relabelings.as_deref(), endpoint.metric_relabelings.as_deref()) {
                continue;
            }
            let request = request(
                endpoint.path.as_deref(),
                endpoint.scheme.as_ref().map(|scheme| scheme.as_str()),
                endpoint.params.as_ref(),
            );
            self.places.push(at.clone().index(index));
            for service in services.iter().filter(|service| !service.is_anywhere()) {
                let pods = self.model.reach.pods_behind(service);
                if pods.is_cut {
                    continue;
                }
                for number in pods.items {
                    let ports = self.ports_of_service(endpoint, service, number);
                    let name = format!("Service {}/{}", service.namespace(), service.name());
                    self.add(number, ports, &request, (&who, name));
                }
            }
        }
    }

    /// The ports of pods to which an endpoint leads through a Service.
    fn ports_of_service(&self, endpoint: &Endpoint, service: &ResolvedService, number: usize) -> Vec<i64> {
        let Some(port) = MonitorPort::of_endpoint(endpoint) else { return Vec::new() };
        let pods = self.model.reach.pods.get(number);
        let listed = port.in_service(service);
        let numbers = listed.into_iter().filter_map(|index| target(&service.ports()[index], pods));
        // The port of a container is one to which the Service leads.
        let fits = |number: &i64| port.field == "port" || port.numbers_in_pods(pods).contains(number);
        numbers.filter(fits).collect()
    }

    fn pod_monitor(&mut self, monitor: &Object<PodMonitor>) {
        let seeker = Seeker::of_pods(monitor, self.model.reach.others);
        let found = self.model.reach.pods_of(&seeker, &seeker.scope());
        if found.is_cut || seeker.is_anywhere {
            return;
        }
        let at = At::doc(monitor.doc).key("spec").key("podMetricsEndpoints");
        let who = format!("PodMonitor {}/{}", monitor.namespace(), monitor.value.metadata.name);
        for (index, endpoint) in monitor.value.spec.pod_metrics_endpoints.iter().flatten().enumerate() {
            let PodMetricsEndpoint { relabelings, metric_relabelings, path, scheme, params, .. } = endpoint;
            if is_choosy(relabelings.as_deref(), metric_relabelings.as_deref()) {
                continue;
            }
            let Some(port) = MonitorPort::of_pod_endpoint(endpoint) else { continue };
            let request = request(path.as_deref(), scheme.as_ref().map(|scheme| scheme.as_str()), params.as_ref());
            self.places.push(at.clone().index(index));
            for number in &found.items {
                let ports = port.numbers_in_pods(self.model.reach.pods.get(*number));
                self.add(*number, ports, &request, (&who, String::new()));
            }
        }
    }

    /// The jobs that scrape the pods which ask for it.
    fn annotations(&mut self, workload: &Workload) {
        for job in AnnotationJob::all(self.model, workload) {
            self.places.push(job.place.clone());
            for (number, pods) in self.model.reach.pods.iter().enumerate().filter(|(_, pods)| !pods.is_anywhere()) {
                let Some((ports, path, scheme)) = job.scraped(pods) else { continue };
                let request = request(Some(path), Some(scheme), None);
                self.add(number, ports, &request, (&job.who, String::new()));
            }
        }
    }

    fn add(&mut self, pods: usize, ports: Vec<i64>, request: &str, (monitor, service): (&str, String)) {
        let ports: BTreeSet<i64> = ports.into_iter().collect();
        for port in ports {
            if self.n >= MAX_TARGETS {
                return;
            }
            self.n += 1;
            let place = (self.places.len() - 1, 0);
            let uses = self.by_target.entry((pods, port, request.to_owned())).or_default();
            uses.push(ScrapeWay { monitor: monitor.to_owned(), service: service.clone(), place });
        }
    }

    /// One finding for each pair of ways, whatever the number of pods.
    fn report(self, workload: &Workload, sink: &mut Sink) {
        let mut seen = BTreeSet::new();
        for ((pods, port, _), uses) in &self.by_target {
            let [first, others @ ..] = uses.as_slice() else { continue };
            for other in others {
                let is_one = first.monitor == other.monitor;
                if !seen.insert((first.clone(), other.clone())) {
                    continue;
                }
                let pods = self.model.reach.pods.get(*pods);
                let way = |one: &ScrapeWay| match one.service.as_str() {
                    "" => one.monitor.clone(),
                    service => format!("{} through {service}", one.monitor),
                };
                let by = match is_one && !first.service.is_empty() && first.service != other.service {
                    true => format!("{} through {} and {}", first.monitor, first.service, other.service),
                    false => format!("{} and {}", way(first), way(other)),
                };
                let id = &workload.id;
                let message = format!(
                    "{} {}/{} scrapes port {port} of {} twice: {by}",
                    id.kind.kind(),
                    id.namespace,
                    id.name,
                    pods.what()
                );
                let at = self.places[other.place.0].clone();
                let finding = Diagnostic::new(&SCRAPED_TWICE, at, message);
                let finding = match first.place == other.place {
                    true => finding,
                    false => finding.related(self.places[first.place.0].clone(), "it is scraped here, too"),
                };
                sink.report(finding.help(match is_one {
                    true => "select one of the Services, by a label that the other one lacks",
                    false => "remove one of them, or let each keep other targets",
                }));
            }
        }
    }
}

/// The port of pods to which a port of a Service leads.
fn target(port: &ServicePort, pods: &PodSource) -> Option<i64> {
    match port.target_port.as_ref() {
        None | Some(IntOrString::Int(0)) => Some(port.port.into()),
        Some(IntOrString::Int(number)) => Some(*number),
        Some(IntOrString::String(name)) => pods.ports.iter().find(|own| own.name == *name).map(|own| own.number),
    }
}

/// What tells requests to one port apart.
fn request(path: Option<&str>, scheme: Option<&str>, params: Option<&BTreeMap<String, Vec<String>>>) -> String {
    let path = path.filter(|path| !path.is_empty()).unwrap_or("/metrics");
    let scheme = scheme.unwrap_or("http").to_ascii_lowercase();
    format!("{scheme} {path} {params:?}", params = params.filter(|params| !params.is_empty()))
}

/// Whether rules may keep other targets or metrics than those of another endpoint, or scrape another address.
fn is_choosy(targets: Option<&[RelabelConfig]>, samples: Option<&[RelabelConfig]>) -> bool {
    let writes = |rule: &RelabelConfig| {
        let target = rule.target_label.as_deref().unwrap_or_default();
        target.starts_with("__") || target.contains('$') || ways::action(rule) == Some(Action::LabelMap)
    };
    ways::is_choosy(targets) || targets.unwrap_or_default().iter().any(writes) || ways::is_choosy(samples)
}
