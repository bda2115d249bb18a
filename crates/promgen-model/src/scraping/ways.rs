//! The way from the pods of a Prometheus to the pods of a job, by NetworkPolicies.

use crate::monitors::Monitor;
use crate::selection::named::Named as _;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::model::World;
use crate::model::network::pods_of;
use crate::scraping::needs::{JobOrigin, ScrapingServer};
use crate::words::and;
use promgen_compile::output::Job;
use promgen_prometheus::relabel::Action;
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{IntOrString, ServicePort};
use promgen_targets::network::{Direction, NetworkWay, Policy, ScrapingPods, TargetPort};
use promgen_targets::resolve::labelled::{Matches, Selectable as _};
use promgen_targets::resolve::others::{PodPort, PodSource};
use promgen_targets::resolve::port::{MonitorPort, PortOwner};
use promgen_targets::resolve::{ResolvedService, WorkloadPaths};

/// The pods of a workload that scrapes, one for each sort of shard.
pub struct ScraperPods {
    pods: Vec<PodSource>,
}

/// The ways from the pods of a workload. Each is found once, however many jobs lead there.
pub struct WorkloadWays<'a> {
    from: Vec<ScrapingPods<'a>>,
    /// Those that are known, by the number of the pods and their port.
    known: BTreeMap<(usize, i64), TargetWay<'a>>,
}

/// A way to pods at a port.
#[derive(Clone)]
enum TargetWay<'a> {
    Open,
    Blocked(Rc<BlockedTarget<'a>>),
    Unknown(Rc<str>),
}

/// Whether the targets of a job can be reached.
#[derive(Default)]
pub struct JobWays<'a> {
    /// The first target that cannot be reached.
    pub blocked: Option<Rc<BlockedTarget<'a>>>,
    /// The number of those that can.
    pub n_open: usize,
    /// Why nobody knows of the others.
    pub unknown: Option<String>,
    n_asked: usize,
}

/// Pods that cannot be reached at a port.
pub struct BlockedTarget<'a> {
    /// `Deployment shop/app`.
    pub pods: String,
    /// Their namespace.
    pub namespace: String,
    /// The port.
    pub port: i64,
    /// The end that is isolated, seen from its pods.
    pub(crate) direction: Direction,
    /// The first policies that isolate it.
    pub policies: Vec<&'a Policy>,
    /// The number of all of them.
    pub(crate) n_policies: usize,
}

/// The number of policies of a target that are kept.
const MAX_NAMED: usize = 3;

impl<'a> JobWays<'a> {
    fn unknown(&mut self, why: impl Into<String>) {
        self.unknown.get_or_insert_with(|| why.into());
    }

    fn add(&mut self, way: TargetWay<'a>) {
        self.n_asked += 1;
        match way {
            TargetWay::Open => self.n_open += 1,
            TargetWay::Unknown(why) => self.unknown(&*why),
            TargetWay::Blocked(target) => drop(self.blocked.get_or_insert(target)),
        }
    }

    /// Returns whether no target can be reached.
    pub fn is_blocked(&self) -> bool {
        self.blocked.is_some() && self.n_open == 0 && self.unknown.is_none()
    }
}

/// The kinds whose pods have the labels of their template, and those of controllers.
const PLAIN: &[&str] = &[
    "CronJob",
    "DaemonSet",
    "Deployment",
    "Job",
    "Pod",
    "ReplicaSet",
    "ReplicationController",
    "Rollout",
    "StatefulSet",
];

impl ScraperPods {
    /// The pods of a workload.
    pub fn of(scraper: ScrapingServer<'_>) -> Self {
        Self {
            pods: pods_of(scraper.workload),
        }
    }

    /// The ways from them.
    pub fn ways<'a>(&'a self, model: &'a World<'_>) -> WorkloadWays<'a> {
        let from = self
            .pods
            .iter()
            .map(|pods| model.access().policies.scraping(model.network(pods)))
            .collect();
        WorkloadWays {
            from,
            known: BTreeMap::new(),
        }
    }
}

/// The pods in the input that a job finds.
#[derive(Default)]
pub struct JobPods<'a> {
    /// The pods.
    pub pods: Vec<FoundPods<'a>>,
    /// Rules of the endpoint may keep a part of them alone.
    pub is_choosy: bool,
    /// Why there may be others.
    unknown: Option<String>,
}

/// Pods that a job finds.
pub struct FoundPods<'a> {
    /// Their number among those of the input.
    number: usize,
    /// The pods.
    pub source: &'a PodSource,
    /// The ports that are scraped.
    pub ports: Vec<i64>,
}

/// Returns whether the labels and the namespace of pods are known.
pub fn is_plain(pods: &PodSource) -> bool {
    !pods.is_anywhere() && PLAIN.contains(&pods.kind.as_str())
}

/// The pods in the input that a job of a ServiceMonitor or a PodMonitor finds. `None` for other jobs.
pub fn pods_of_job<'a>(scraper: ScrapingServer<'a>, job: &Job) -> Option<JobPods<'a>> {
    let origin = JobOrigin::of(job)?;
    let monitor = Monitor::find(scraper.model.cluster(), origin.kind, origin.key)?;
    let endpoint = monitor.endpoints().nth(origin.endpoint)?;
    let reach = scraper.model.reach;
    let seeker = monitor.seeker(reach.others);
    let scope = seeker.scope_under(scraper.confinement());
    let wanted = endpoint.port();
    let matches = monitor.matches(reach, &seeker, &scope);
    let mut found = JobPods {
        is_choosy: is_choosy(endpoint.relabelings.map(Vec::as_slice)),
        ..JobPods::default()
    };
    let is_open = matches.is_cut || seeker.is_anywhere || matches.items.is_empty();
    match monitor {
        Monitor::OfServices(_) => {
            if is_open {
                found.unknown("the input does not have all of its Services");
            }
            for service in reach.services.all(&matches) {
                if found.pods.len() > MAX_TARGETS {
                    break;
                }
                found.service(reach, service, wanted.as_ref());
            }
        }
        Monitor::OfPods(_) => {
            if is_open {
                found.unknown("the input does not have all of its pods");
            }
            found.add(reach, &matches, |pods| match &wanted {
                Some(wanted) => wanted.of_pods(pods).map(|port| port.number).collect(),
                None => pods.ports().map(|port| port.number).collect(),
            });
        }
    }
    Some(found)
}

impl<'a> JobPods<'a> {
    fn unknown(&mut self, why: impl Into<String>) {
        self.unknown.get_or_insert_with(|| why.into());
    }

    fn service(
        &mut self,
        reach: &'a WorkloadPaths<'a>,
        service: &ResolvedService,
        wanted: Option<&MonitorPort>,
    ) {
        let found = reach.pods_behind(service);
        if found.is_cut || service.is_anywhere() || found.items.is_empty() {
            self.unknown(format!("the input has no pods behind {}", service.what()));
            return;
        }
        let of_service = wanted.filter(|wanted| wanted.of != PortOwner::Pod);
        let in_service = of_service.map_or_else(
            || (0..service.ports().len()).collect(),
            |wanted| wanted.in_service(service),
        );
        self.add(reach, &found, |pods| match wanted {
            Some(wanted) if wanted.of == PortOwner::Pod => {
                wanted.of_pods(pods).map(|port| port.number).collect()
            }
            _ => in_service
                .iter()
                .flat_map(|index| ports_behind(&service.ports()[*index], pods))
                .collect(),
        });
    }

    fn add(
        &mut self,
        reach: &'a WorkloadPaths<'a>,
        found: &Matches,
        ports: impl Fn(&PodSource) -> Vec<i64>,
    ) {
        let of = |(number, source): (&usize, &'a PodSource)| FoundPods {
            number: *number,
            source,
            ports: ports(source),
        };
        self.pods
            .extend(found.items.iter().zip(reach.pods.all(found)).map(of));
    }
}

/// The effect of a rule. `None` if Prometheus refuses it.
pub fn action(rule: &RelabelConfig) -> Option<Action> {
    match rule.action.as_str() {
        "" => Some(Action::Replace),
        text => Action::parse(text),
    }
}

/// Returns whether rules may drop targets or samples.
pub fn is_choosy(rules: Option<&[RelabelConfig]>) -> bool {
    let chooses = |rule: &RelabelConfig| {
        matches!(
            action(rule),
            None | Some(Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual)
        )
    };
    rules.unwrap_or_default().iter().any(chooses)
}

/// The maximum number of targets of a job that are looked at.
const MAX_TARGETS: usize = 1000;

/// The ways to the targets of a job of a ServiceMonitor or a PodMonitor. `None` for other jobs.
pub fn of_job<'a>(
    scraper: ScrapingServer<'a>,
    job: &Job,
    known: &mut WorkloadWays<'a>,
) -> Option<JobWays<'a>> {
    let found = pods_of_job(scraper, job)?;
    let mut ways = JobWays {
        unknown: found.unknown,
        ..JobWays::default()
    };
    let model = scraper.model;
    for pods in &found.pods {
        if !is_plain(pods.source) {
            let what = pods.source.what();
            ways.unknown(format!(
                "the labels or the namespace of the pods of {what} are not known"
            ));
            continue;
        }
        for port in &pods.ports {
            if ways.n_asked == MAX_TARGETS {
                ways.unknown("it has too many targets to look at each");
                break;
            }
            ways.add(known.to(model, pods, *port));
        }
    }
    if known.from.is_empty() {
        ways.unknown("the pods of the workload are not known");
    }
    if model.access().has_partial_policies() {
        ways.unknown("a part of the build is lacking, and policies may be there");
    }
    if job.is_detour() {
        ways.unknown("its rules or a proxy lead elsewhere");
    }
    if scraper.is_made_elsewhere() {
        ways.unknown("its workload is made elsewhere, perhaps with policies");
    }
    Some(ways)
}

impl<'a> WorkloadWays<'a> {
    /// The way to pods at a port.
    fn to(&mut self, model: &'a World<'_>, pods: &FoundPods<'_>, port: i64) -> TargetWay<'a> {
        let Self { from, known } = self;
        known
            .entry((pods.number, port))
            .or_insert_with(|| target(model, from, pods.source, port))
            .clone()
    }
}

fn target<'a>(
    model: &'a World<'_>,
    from: &[ScrapingPods<'a>],
    pods: &PodSource,
    port: i64,
) -> TargetWay<'a> {
    let to = model.network(pods);
    let (mut blocked, mut unknown) = (None, None);
    for from in from {
        match model
            .access()
            .policies
            .way(from, &to, TargetPort { number: port })
        {
            NetworkWay::Open => return TargetWay::Open,
            NetworkWay::Unknown(why) => unknown = Some(why),
            NetworkWay::Blocked(direction, policies) => blocked = Some((direction, policies)),
        }
    }
    match (unknown, blocked) {
        (None, None) => TargetWay::Open,
        (Some(why), _) => TargetWay::Unknown(why.into()),
        (None, Some((direction, policies))) => TargetWay::Blocked(Rc::new(BlockedTarget {
            pods: pods.what(),
            namespace: pods.namespace().to_owned(),
            port,
            direction,
            n_policies: policies.len(),
            policies: policies.into_iter().take(MAX_NAMED).collect(),
        })),
    }
}

/// The ports of pods that a port of a Service leads to. A name that they do not have leads nowhere.
fn ports_behind(port: &ServicePort, pods: &PodSource) -> Vec<i64> {
    match &port.target_port {
        None | Some(IntOrString::Int(0)) => vec![port.port.into()],
        Some(IntOrString::Int(number)) => vec![*number],
        Some(IntOrString::String(name)) => {
            let named = |own: &PodPort<'_>| own.is_tcp && own.name == *name;
            pods.ports().filter(named).map(|own| own.number).collect()
        }
    }
}

/// Why a target cannot be reached.
pub fn why(scraper: ScrapingServer<'_>, target: &BlockedTarget<'_>) -> String {
    let BlockedTarget {
        pods,
        port,
        direction,
        policies,
        n_policies,
        ..
    } = target;
    let mut names: Vec<String> = policies.iter().map(|policy| full_name(policy)).collect();
    if *n_policies > policies.len() {
        names.push(format!("{} more", n_policies - policies.len()));
    }
    let (kind, isolate) = if *n_policies == 1 {
        ("NetworkPolicy", "isolates")
    } else {
        ("NetworkPolicies", "isolate")
    };
    let names = and(&names);
    match direction {
        Direction::Ingress => {
            format!(
                "{kind} {names} {isolate} the pods of {pods}: nothing allows port {port} from {}",
                scraper.what()
            )
        }
        Direction::Egress => {
            format!(
                "{kind} {names} {isolate} the pods of {}: nothing allows port {port} of {pods}",
                scraper.what()
            )
        }
    }
}

fn full_name(policy: &Policy) -> String {
    format!("{}/{}", policy.namespace, policy.name)
}

/// The rule that would allow it.
pub fn remedy(scraper: ScrapingServer<'_>, target: &BlockedTarget<'_>) -> String {
    let BlockedTarget {
        namespace,
        port,
        direction,
        ..
    } = target;
    let own = &scraper.workload.id.namespace;
    let (namespace, rule, peers, other) = match direction {
        Direction::Ingress => (namespace, "ingress", "from", own),
        Direction::Egress => (own, "egress", "to", namespace),
    };
    let peer =
        format!("{{namespaceSelector: {{matchLabels: {{kubernetes.io/metadata.name: {other}}}}}}}");
    format!(
        "a NetworkPolicy of {namespace} allows it with `{rule}: [{{{peers}: [{peer}], ports: [{{port: {port}}}]}}]`"
    )
}
