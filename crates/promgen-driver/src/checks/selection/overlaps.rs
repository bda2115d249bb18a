//! The ports of pods to which two ways lead that one workload scrapes.

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::View;
use crate::checks::scraping::ways;
use crate::checks::selection::annotated::{AnnotationJob, Asking};
use crate::checks::selection::confined::confinement;
use promgen_compile::cluster::{Candidate, Object};
use promgen_compile::output::Workload;
use promgen_prometheus::relabel::Action;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{
    Endpoint, IntOrString, PodMetricsEndpoint, PodMonitor, ServiceMonitor, ServicePort,
};
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::{AskedScrape, PodSource};
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{Confinement, ResolvedService, Seeker};
use promgen_text::route::At;

/// The most targets of a workload that are compared.
const MAX_TARGETS: usize = 100_000;

/// The subject of a scrape: the number of the pods, the port, and the rest of the request.
type ScrapedKey = (usize, i64, String);

/// A way to a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScrapeWay {
    /// `ServiceMonitor shop/cart`
    resource: String,
    /// The number of its endpoint, and whether that has no port, so that it takes all.
    endpoint: (usize, bool),
    /// `Service shop/cart`; empty for pods.
    service: String,
    /// The number of its place.
    place: usize,
}

/// A port of pods that is scraped twice.
#[derive(Debug)]
pub(crate) struct Overlap {
    /// The port.
    pub(crate) port: i64,
    /// `Deployment shop/cart`
    pub(crate) pods: String,
    /// The places of both ways.
    pub(crate) places: [At; 2],
    ways: [ScrapeWay; 2],
}

impl Overlap {
    /// Both ways.
    pub(crate) fn by(&self) -> String {
        let [first, other] = &self.ways;
        let way = |one: &ScrapeWay| match one.service.as_str() {
            "" => one.resource.clone(),
            service => format!("{} through {service}", one.resource),
        };
        match first.resource == other.resource {
            true if first.endpoint != other.endpoint => {
                format!(
                    "endpoints {} and {} of {}",
                    first.endpoint.0, other.endpoint.0, first.resource
                )
            }
            true => format!(
                "{} through {} and {}",
                first.resource, first.service, other.service
            ),
            false => format!("{} and {}", way(first), way(other)),
        }
    }

    /// The remedy.
    pub(crate) fn help(&self) -> String {
        let [first, other] = &self.ways;
        match self.ways.iter().find(|way| way.endpoint.1) {
            Some(way) => {
                let number = way.endpoint.0;
                format!(
                    "endpoint {number} of {} has no port, so it takes all: give it one, or remove it",
                    way.resource
                )
            }
            None if first.resource == other.resource && first.endpoint == other.endpoint => {
                "select one of the Services, by a label that the other one lacks".to_owned()
            }
            None => "remove one of them, or let each keep other targets".to_owned(),
        }
    }
}

/// The ways to each target of a workload.
struct Uses<'m, 'a> {
    model: &'m View<'a>,
    confinement: Confinement,
    by_target: BTreeMap<ScrapedKey, Vec<ScrapeWay>>,
    places: Vec<At>,
    n: usize,
}

/// The ports of pods that a workload scrapes twice: one for each pair of ways, whatever the number of pods.
pub(crate) fn overlaps(model: &View<'_>, workload: &Workload) -> Vec<Overlap> {
    let mut uses = Uses::new(model, workload);
    for kind in &workload.selected.kinds {
        for resource in kind
            .resources
            .iter()
            .filter(|resource| resource.refusal.is_none())
        {
            uses.monitor(
                kind.kind,
                &format!("{}/{}", resource.namespace, resource.name),
            );
        }
    }
    uses.annotations(workload);
    uses.pairs()
}

/// Those of them to which a monitor leads.
pub(crate) fn overlaps_of(
    model: &View<'_>,
    workload: &Workload,
    monitor: &Candidate<'_>,
) -> Vec<Overlap> {
    let (kind, key) = (
        monitor.kind.as_str(),
        format!("{}/{}", monitor.namespace(), monitor.metadata.name),
    );
    let mut own = Uses::new(model, workload);
    own.monitor(kind, &key);
    // What leads to no pod shares none, and the others need not be asked.
    if own.by_target.is_empty() {
        return Vec::new();
    }
    let resource = format!("{kind} {key}");
    let is_own = |overlap: &Overlap| overlap.ways.iter().any(|way| way.resource == resource);
    overlaps(model, workload)
        .into_iter()
        .filter(is_own)
        .collect()
}

impl<'m, 'a> Uses<'m, 'a> {
    fn new(model: &'m View<'a>, workload: &Workload) -> Self {
        let confinement = confinement(model.cluster, &workload.id);
        Self {
            model,
            confinement,
            by_target: BTreeMap::new(),
            places: Vec::new(),
            n: 0,
        }
    }

    /// A monitor of that kind, namespace and name.
    fn monitor(&mut self, kind: &str, key: &str) {
        match kind {
            "ServiceMonitor" => {
                let monitor = self.model.cluster.service_monitors.get(key);
                monitor
                    .into_iter()
                    .for_each(|monitor| self.service_monitor(monitor));
            }
            "PodMonitor" => {
                let monitor = self.model.cluster.pod_monitors.get(key);
                monitor
                    .into_iter()
                    .for_each(|monitor| self.pod_monitor(monitor));
            }
            _ => {}
        }
    }

    fn service_monitor(&mut self, monitor: &Object<ServiceMonitor>) {
        let seeker = Seeker::of_services(monitor, self.model.reach.others);
        let found = self
            .model
            .reach
            .services_of(&seeker, &seeker.scope_under(self.confinement));
        if found.is_cut || seeker.is_anywhere {
            return;
        }
        let services: Vec<&ResolvedService> = self.model.reach.services.all(&found);
        let at = At::doc(monitor.doc).key("spec").key("endpoints");
        let who = format!(
            "ServiceMonitor {}/{}",
            monitor.namespace(),
            monitor.value.metadata.name
        );
        for (index, endpoint) in monitor.value.spec.endpoints.iter().enumerate() {
            if is_choosy(
                endpoint.relabelings.as_deref(),
                endpoint.metric_relabelings.as_deref(),
            ) {
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
                    let is_open = MonitorPort::of_endpoint(endpoint).is_none();
                    self.add(number, ports, &request, (&who, (index, is_open), name));
                }
            }
        }
    }

    /// The ports of pods to which an endpoint leads through a Service.
    fn ports_of_service(
        &self,
        endpoint: &Endpoint,
        service: &ResolvedService,
        number: usize,
    ) -> Vec<i64> {
        let pods = self.model.reach.pods.get(number);
        let Some(port) = MonitorPort::of_endpoint(endpoint) else {
            return all_ports(service, pods);
        };
        let listed = port.in_service(service);
        let numbers = listed
            .into_iter()
            .filter_map(|index| target(&service.ports()[index], pods));
        // The port of a container is one to which the Service leads.
        let fits =
            |number: &i64| port.field == "port" || port.numbers_in_pods(pods).contains(number);
        numbers.filter(fits).collect()
    }

    fn pod_monitor(&mut self, monitor: &Object<PodMonitor>) {
        let seeker = Seeker::of_pods(monitor, self.model.reach.others);
        let found = self
            .model
            .reach
            .pods_of(&seeker, &seeker.scope_under(self.confinement));
        if found.is_cut || seeker.is_anywhere {
            return;
        }
        let at = At::doc(monitor.doc).key("spec").key("podMetricsEndpoints");
        let who = format!(
            "PodMonitor {}/{}",
            monitor.namespace(),
            monitor.value.metadata.name
        );
        for (index, endpoint) in monitor
            .value
            .spec
            .pod_metrics_endpoints
            .iter()
            .flatten()
            .enumerate()
        {
            let PodMetricsEndpoint {
                relabelings,
                metric_relabelings,
                path,
                scheme,
                params,
                ..
            } = endpoint;
            if is_choosy(relabelings.as_deref(), metric_relabelings.as_deref()) {
                continue;
            }
            let port = MonitorPort::of_pod_endpoint(endpoint);
            let request = request(
                path.as_deref(),
                scheme.as_ref().map(|scheme| scheme.as_str()),
                params.as_ref(),
            );
            self.places.push(at.clone().index(index));
            for number in &found.items {
                let pods = self.model.reach.pods.get(*number);
                let ports = port
                    .as_ref()
                    .map_or_else(|| declared(pods), |port| port.numbers_in_pods(pods));
                self.add(
                    *number,
                    ports,
                    &request,
                    (&who, (index, port.is_none()), String::new()),
                );
            }
        }
    }

    /// The jobs that scrape what asks for it by annotations.
    fn annotations(&mut self, workload: &Workload) {
        for job in AnnotationJob::all(self.model, workload) {
            self.places.push(job.place.clone());
            match job.asking {
                Asking::Pods => self.asking_pods(&job),
                Asking::Services => self.asking_services(&job),
            }
        }
    }

    fn asking_pods(&mut self, job: &AnnotationJob) {
        for (number, pods) in self
            .model
            .reach
            .pods
            .iter()
            .enumerate()
            .filter(|(_, pods)| !pods.is_anywhere())
        {
            let asked = pods.asked_scrape();
            let scraped = job.scraped(pods.namespace(), asked.as_ref(), declared(pods));
            let Some((ports, path, scheme)) = scraped else {
                continue;
            };
            let request = request(Some(path), Some(scheme), None);
            self.add(
                number,
                ports,
                &request,
                (&job.who, (0, false), String::new()),
            );
        }
    }

    fn asking_services(&mut self, job: &AnnotationJob) {
        for service in self
            .model
            .reach
            .services
            .iter()
            .filter(|service| !service.is_anywhere())
        {
            let annotations = service.annotations();
            let asked = AskedScrape::read(|name| {
                annotations
                    .and_then(|all| all.get(name))
                    .map(|value| &**value)
            });
            if asked.is_none() {
                continue;
            }
            let pods = self.model.reach.pods_behind(service);
            for number in pods.items.into_iter().filter(|_| !pods.is_cut) {
                let ports = all_ports(service, self.model.reach.pods.get(number));
                let Some((ports, path, scheme)) =
                    job.scraped(service.namespace(), asked.as_ref(), ports)
                else {
                    continue;
                };
                let request = request(Some(path), Some(scheme), None);
                let name = format!("Service {}/{}", service.namespace(), service.name());
                self.add(number, ports, &request, (&job.who, (0, false), name));
            }
        }
    }

    fn add(
        &mut self,
        pods: usize,
        ports: Vec<i64>,
        request: &str,
        (resource, endpoint, service): (&str, (usize, bool), String),
    ) {
        let ports: BTreeSet<i64> = ports.into_iter().collect();
        for port in ports {
            if self.n >= MAX_TARGETS {
                return;
            }
            self.n += 1;
            let place = self.places.len() - 1;
            let uses = self
                .by_target
                .entry((pods, port, request.to_owned()))
                .or_default();
            uses.push(ScrapeWay {
                resource: resource.to_owned(),
                endpoint,
                service: service.clone(),
                place,
            });
        }
    }

    fn pairs(self) -> Vec<Overlap> {
        let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
        for ((pods, port, _), uses) in &self.by_target {
            let [first, others @ ..] = uses.as_slice() else {
                continue;
            };
            for other in others {
                if seen.insert((first.clone(), other.clone())) {
                    let ways = [first.clone(), other.clone()];
                    let places = ways.each_ref().map(|way| self.places[way.place].clone());
                    let pods = self.model.reach.pods.get(*pods).what();
                    found.push(Overlap {
                        port: *port,
                        pods,
                        places,
                        ways,
                    });
                }
            }
        }
        found
    }
}

/// The ports that pods declare.
fn declared(pods: &PodSource) -> Vec<i64> {
    pods.ports()
        .filter(|port| port.is_tcp)
        .map(|port| port.number)
        .collect()
}

/// The ports of the targets that Prometheus makes of pods behind a Service: those to which it leads, and those that the pods
/// declare.
fn all_ports(service: &ResolvedService, pods: &PodSource) -> Vec<i64> {
    let led = service.ports().iter().filter_map(|port| target(port, pods));
    led.chain(declared(pods)).collect()
}

/// The port of pods to which a port of a Service leads.
fn target(port: &ServicePort, pods: &PodSource) -> Option<i64> {
    match port.target_port.as_ref() {
        None | Some(IntOrString::Int(0)) => Some(port.port.into()),
        Some(IntOrString::Int(number)) => Some(*number),
        Some(IntOrString::String(name)) => pods
            .ports()
            .find(|own| own.name == *name)
            .map(|own| own.number),
    }
}

/// The part that tells requests to one port apart.
pub(super) fn request(
    path: Option<&str>,
    scheme: Option<&str>,
    params: Option<&BTreeMap<String, Vec<String>>>,
) -> String {
    let path = path.filter(|path| !path.is_empty()).unwrap_or("/metrics");
    let scheme = scheme.unwrap_or("http").to_ascii_lowercase();
    format!(
        "{scheme} {path} {params:?}",
        params = params.filter(|params| !params.is_empty())
    )
}

/// Returns whether rules may keep other targets or metrics than those of another endpoint, or scrape another address.
pub(super) fn is_choosy(
    targets: Option<&[RelabelConfig]>,
    samples: Option<&[RelabelConfig]>,
) -> bool {
    let writes = |rule: &RelabelConfig| {
        let target = rule.target_label.as_deref().unwrap_or_default();
        target.starts_with("__")
            || target.contains('$')
            || ways::action(rule) == Some(Action::LabelMap)
    };
    ways::is_choosy(targets)
        || targets.unwrap_or_default().iter().any(writes)
        || ways::is_choosy(samples)
}
