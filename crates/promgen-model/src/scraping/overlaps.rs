//! The ports of pods to which two ways lead that one workload scrapes.

use crate::monitors::Monitor;
use crate::selection::named::Named as _;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::World;
use crate::scraping::annotated::{AnnotationJob, Asking};
use crate::scraping::ways;
use crate::servers::confinement;
use promgen_compile::cluster::Candidate;
use promgen_compile::output::Workload;
use promgen_prometheus::relabel::Action;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{IntOrString, Kind, ServicePort};
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::others::{AskedScrape, PodSource};
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{Confinement, ResolvedService};
use promgen_text::CollectOrdered;
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
pub struct Overlap {
    /// The port.
    pub port: i64,
    /// `Deployment shop/cart`
    pub pods: String,
    /// The places of both ways.
    pub places: [At; 2],
    ways: [ScrapeWay; 2],
}

impl Overlap {
    /// Both ways.
    pub fn by(&self) -> String {
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
    pub fn help(&self) -> String {
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
    model: &'m World<'a>,
    confinement: Confinement,
    by_target: BTreeMap<ScrapedKey, Vec<ScrapeWay>>,
    places: Vec<At>,
    n: usize,
}

/// An endpoint, or a job that annotations ask for, and what it requests.
struct EndpointWay<'w> {
    resource: &'w str,
    /// The number of the endpoint, and whether it accepts any port.
    endpoint: (usize, bool),
    request: String,
}

impl<'w> EndpointWay<'w> {
    fn of_annotation(job: &'w AnnotationJob, path: &str, scheme: &str) -> Self {
        Self {
            resource: &job.who,
            endpoint: (0, false),
            request: request(Some(path), Some(scheme), None),
        }
    }
}

/// The ports of pods that a workload scrapes twice: one for each pair of ways, whatever the number of pods.
pub fn overlaps(model: &World<'_>, workload: &Workload) -> Vec<Overlap> {
    let mut uses = Uses::new(model, workload);
    for (kind, resource) in workload.selected.accepted() {
        uses.monitor(kind, &resource.key());
    }
    uses.annotations(workload);
    uses.pairs()
}

/// Those of them to which a monitor leads.
pub fn overlaps_of(
    model: &World<'_>,
    workload: &Workload,
    monitor: &Candidate<'_>,
) -> Vec<Overlap> {
    let (kind, key) = (monitor.kind.as_str(), monitor.key());
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
    fn new(model: &'m World<'a>, workload: &Workload) -> Self {
        let confinement = confinement(model.cluster(), &workload.id);
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
        let reach = self.model.reach;
        let monitor =
            Kind::named(kind).and_then(|kind| Monitor::find(self.model.cluster(), kind, key));
        let Some(monitor) = monitor else { return };
        let seeker = monitor.seeker(reach.others);
        let found = monitor.matches(reach, &seeker, &seeker.scope_under(self.confinement));
        if found.is_cut || seeker.is_anywhere {
            return;
        }
        let who = format!("{kind} {key}");
        for endpoint in monitor.endpoints() {
            let [targets, samples] = [endpoint.relabelings, endpoint.metric_relabelings];
            if is_choosy(targets.map(Vec::as_slice), samples.map(Vec::as_slice)) {
                continue;
            }
            let port = endpoint.port();
            let way = EndpointWay {
                resource: &who,
                endpoint: (endpoint.index, port.is_none()),
                request: request(endpoint.path, endpoint.scheme, endpoint.params),
            };
            self.places.push(endpoint.at());
            match monitor {
                Monitor::OfServices(_) => {
                    for service in reach.services.all(&found) {
                        self.service(service, port.as_ref(), &way);
                    }
                }
                Monitor::OfPods(_) => {
                    for number in &found.items {
                        let pods = reach.pods.get(*number);
                        let ports = port
                            .as_ref()
                            .map_or_else(|| declared(pods), |port| port.numbers_in_pods(pods));
                        self.add(*number, ports, &way, "");
                    }
                }
            }
        }
    }

    fn service(
        &mut self,
        service: &ResolvedService,
        port: Option<&MonitorPort>,
        way: &EndpointWay<'_>,
    ) {
        let pods = self.model.reach.pods_behind(service);
        if pods.is_cut || service.is_anywhere() {
            return;
        }
        for number in pods.items {
            let pods = self.model.reach.pods.get(number);
            let ports = port.map_or_else(
                || all_ports(service, pods),
                |port| ports_of_service(port, service, pods),
            );
            self.add(number, ports, way, &service.what());
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
        for (number, pods) in self.model.reach.pods.iter().enumerate() {
            let asked = pods.asked_scrape().filter(|_| !pods.is_anywhere());
            let scraped = job.scraped(pods.namespace(), asked.as_ref(), declared(pods));
            if let Some((ports, path, scheme)) = scraped {
                self.add(
                    number,
                    ports,
                    &EndpointWay::of_annotation(job, path, scheme),
                    "",
                );
            }
        }
    }

    fn asking_services(&mut self, job: &AnnotationJob) {
        let reach = self.model.reach;
        for service in reach.services.iter().filter(|of| !of.is_anywhere()) {
            let annotations = service.annotations();
            let asked = AskedScrape::read(|name| {
                annotations
                    .and_then(|all| all.get(name))
                    .map(|value| &**value)
            });
            if asked.is_none() {
                continue;
            }
            let pods = reach.pods_behind(service);
            for number in pods.items.into_iter().filter(|_| !pods.is_cut) {
                let ports = all_ports(service, reach.pods.get(number));
                let scraped = job.scraped(service.namespace(), asked.as_ref(), ports);
                if let Some((ports, path, scheme)) = scraped {
                    let way = EndpointWay::of_annotation(job, path, scheme);
                    self.add(number, ports, &way, &service.what());
                }
            }
        }
    }

    fn add(&mut self, pods: usize, ports: Vec<i64>, way: &EndpointWay<'_>, service: &str) {
        let ports: BTreeSet<i64> = ports.into_iter().collect_set();
        for port in ports {
            if self.n >= MAX_TARGETS {
                return;
            }
            self.n += 1;
            let key = (pods, port, way.request.clone());
            self.by_target.entry(key).or_default().push(ScrapeWay {
                resource: way.resource.to_owned(),
                endpoint: way.endpoint,
                service: service.to_owned(),
                place: self.places.len() - 1,
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

/// The ports of pods to which a named port of a Service leads.
fn ports_of_service(port: &MonitorPort, service: &ResolvedService, pods: &PodSource) -> Vec<i64> {
    let listed = port.in_service(service).into_iter();
    let numbers = listed.filter_map(|index| target(&service.ports()[index], pods));
    // The port of a container is one to which the Service leads.
    let fits = |number: &i64| port.field == "port" || port.numbers_in_pods(pods).contains(number);
    numbers.filter(fits).collect()
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
pub fn request(
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
pub fn is_choosy(targets: Option<&[RelabelConfig]>, samples: Option<&[RelabelConfig]>) -> bool {
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
