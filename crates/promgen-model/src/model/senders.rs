//! Which Alertmanagers in the input get the alerts of a server: by its `alerting`, the Services that this names, and their pods.
//!
//! In: a [`World`]. Out: [`AlertSenders`], which answers for a PrometheusRule and an Alertmanager. What the input does not
//! show, such as a Secret or a Service that is elsewhere, is unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::model::World;
use crate::model::network::WorkloadWay;
use promgen_compile::cluster::Cluster;
use promgen_compile::cluster::assets::secret_key;
use promgen_compile::output::{Workload, WorkloadId, WorkloadKind};
use promgen_compile::select::selector::SelectionResult;
use promgen_compile::workload::{self, alertmanager};
use promgen_prometheus::routing::{Alert, RouteNode, RoutingTree};
use promgen_resources::api::core::SecretKeySelector;
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::servers::alerting::AlertmanagerEndpoints;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::thanos_ruler::ThanosRulerSpec;
use promgen_resources::api::servers::workload::Argument;
use promgen_resources::api::{Kind, PrometheusRule, Resource as _, ServicePort};
use promgen_resources::gates;
use promgen_resources::unknown::is_later_text;
use promgen_targets::resolve::ResolvedService;
use promgen_targets::resolve::labelled::{Matches, NamespaceScope, Selectable as _};
use promgen_text::CollectOrdered;
use promgen_text::route::DocId;
use promgen_text::yaml::{Node, read};

/// The port of an Alertmanager at which alerts arrive.
const WEB_PORT: i64 = 9093;

/// The name of that port.
const WEB: &str = "web";

/// The port of an Alertmanager's pods at which alerts arrive. `None`: nobody knows. If Alertmanager itself is not reached from
/// outside of its pod, a container beside it has the port.
#[must_use]
pub fn web_port(world: &World<'_>, alertmanager: &WorkloadId) -> Option<i64> {
    let of = world
        .cluster()
        .alertmanagers
        .get(alertmanager.key().as_str());
    let Some(spec) = of
        .map(|of| &of.value.spec)
        .filter(|spec| spec.listen_local == Some(true))
    else {
        return Some(WEB_PORT);
    };
    let ports = spec
        .containers
        .iter()
        .flatten()
        .flat_map(|container| container.ports.iter().flatten());
    let mut named = ports.filter(|port| port.name.as_deref() == Some(WEB));
    named.next().map(|port| i64::from(port.container_port))
}

/// Whether an Alertmanager gets an alert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlertReach {
    /// It does.
    Yes,
    /// It does not, with the reason.
    No(String),
    /// Nobody knows, with the reason.
    Unknown(String),
}

impl AlertReach {
    /// The best of several ways: one that leads there, else one that may.
    #[must_use]
    pub fn best(ways: impl IntoIterator<Item = Self>) -> Option<Self> {
        let rank = |reach: &Self| match reach {
            Self::Yes => 0,
            Self::Unknown(_) => 1,
            Self::No(_) => 2,
        };
        ways.into_iter().min_by_key(rank)
    }
}

/// The servers that evaluate alerts, and the Alertmanagers that each sends its alerts to.
#[derive(Clone, Debug, Default)]
pub struct AlertSenders {
    senders: Vec<AlertSender>,
    /// The servers that select a PrometheusRule, each with whether it accepts it.
    selecting: BTreeMap<String, Vec<(usize, bool)>>,
    /// Why it is not known whether a server evaluates a PrometheusRule: one that the API server refuses selects it.
    refused: BTreeMap<String, String>,
    /// The same for all PrometheusRules that no other server selects.
    hidden: Option<String>,
    /// The input has no server that evaluates rules: what is known then, with the document of an agent that evaluates none.
    unserved: Option<(AlertReach, Option<DocId>)>,
}

/// A server that evaluates rules.
#[derive(Clone, Debug)]
struct AlertSender {
    /// `Prometheus monitoring/k8s`
    what: String,
    kind: WorkloadKind,
    /// Its document.
    doc: DocId,
    ways: Vec<AlertWay>,
    /// The Alertmanagers that policies keep it from, or may: each with the reason.
    barred: BTreeMap<WorkloadId, AlertReach>,
    /// Why its alerts go nowhere: it names nothing that they could go to.
    nowhere: Option<String>,
    /// It has no pods, or is left as it is.
    idle: Option<AlertReach>,
}

/// What becomes of alerts at a workload that has no pods, or that the operator leaves as it is. `None`: it runs as it is compiled.
fn idle(workload: &Workload) -> Option<AlertReach> {
    let why = format!("{} has {}", workload.id.what(), workload.idle()?);
    Some(match workload.is_paused() {
        true => AlertReach::Unknown(why),
        false => AlertReach::No(why),
    })
}

/// A Service that a server names, and the Alertmanagers behind it.
#[derive(Clone, Debug)]
pub struct NotifiedService {
    /// `Service monitoring/alertmanager-main`
    pub what: String,
    /// The Alertmanagers whose pods it selects.
    pub alertmanagers: BTreeSet<WorkloadId>,
    /// Why it does not lead to others.
    why: String,
    /// The field with its address, if that is one of several pods.
    pub balances: Option<&'static str>,
}

/// A way of a server to Alertmanagers: a Service that it names, an address, or a Secret.
#[derive(Clone, Debug)]
enum AlertWay {
    To(NotifiedService),
    /// Nobody knows, with the reason.
    Unknown(String),
}

impl AlertSender {
    fn reach(&self, alertmanager: &WorkloadId) -> AlertReach {
        match (&self.idle, self.way(alertmanager)) {
            (Some(idle), AlertReach::Yes | AlertReach::Unknown(_)) => idle.clone(),
            (_, way) => way,
        }
    }

    fn way(&self, alertmanager: &WorkloadId) -> AlertReach {
        let of_way = |way: &AlertWay| match way {
            AlertWay::To(service) if service.alertmanagers.contains(alertmanager) => {
                let barred = self.barred.get(alertmanager).cloned();
                barred.unwrap_or(AlertReach::Yes)
            }
            AlertWay::To(service) => AlertReach::No(format!("{} {}", self.what, service.why)),
            AlertWay::Unknown(why) => AlertReach::Unknown(format!("{} {why}", self.what)),
        };
        let nowhere = self.nowhere.iter();
        let nowhere = nowhere.map(|why| AlertReach::No(format!("{} {why}", self.what)));
        AlertReach::best(self.ways.iter().map(of_way).chain(nowhere)).unwrap_or(AlertReach::Yes)
    }
}

impl AlertSenders {
    /// Those of a model.
    pub fn of(world: &World<'_>) -> Self {
        let mut found = Self::default();
        found.refused_by(world);
        for workload in world
            .workloads
            .iter()
            .filter(|workload| !workload.is_stand_in)
        {
            let Some((doc, ways, nowhere)) = ways(world, workload) else {
                continue;
            };
            let rules = workload.selected.resources();
            for (_, rule) in rules.filter(|(kind, _)| *kind == PrometheusRule::KIND) {
                let by = found.selecting.entry(rule.key()).or_default();
                by.push((found.senders.len(), rule.refusal.is_none()));
            }
            let reached = ways.iter().filter_map(|way| match way {
                AlertWay::To(service) => Some(&service.alertmanagers),
                AlertWay::Unknown(_) => None,
            });
            let barred = reached
                .flatten()
                .filter_map(|id| Some((id.clone(), barred(world, workload, id)?)));
            found.senders.push(AlertSender {
                barred: barred.collect_map(),
                what: workload.id.what(),
                kind: workload.id.kind,
                idle: idle(workload),
                doc,
                nowhere: ways.is_empty().then(|| nowhere.to_owned()),
                ways,
            });
        }
        found.unserved = found.senders.is_empty().then(|| unserved(world));
        found
    }

    /// Takes note of the servers that the API server refuses: the cluster keeps their old state.
    fn refused_by(&mut self, world: &World<'_>) {
        let (cluster, kind) = (world.cluster(), Kind::PrometheusRule);
        let selectors: Vec<_> = world.refused_selectors_of(kind).collect();
        let mut hiding = cluster.refused.hiding_selectors_of(kind);
        let why =
            |what: &str| format!("the API server refuses {what}, which may evaluate its rule");
        self.hidden = hiding.next().map(|refused| why(&refused.to_string()));
        if selectors.is_empty() {
            return;
        }
        for rule in cluster
            .candidates()
            .filter(|candidate| candidate.kind == kind)
        {
            let mut taking = selectors
                .iter()
                .filter(|selector| selector.choose(&rule, cluster) == SelectionResult::Taken);
            if let Some(by) = taking.next() {
                self.refused.insert(rule.key(), why(&by.by.to_string()));
            }
        }
    }

    /// Why it is not known whether a server evaluates the alerts of a PrometheusRule that no other server takes.
    #[must_use]
    pub fn why_unknown(&self, rule: &str) -> Option<&str> {
        let is_taken = self.selecting.contains_key(rule);
        let why = self.refused.get(rule).or(self.hidden.as_ref());
        why.map(String::as_str).filter(|_| !is_taken)
    }

    /// Whether a server evaluates the alerts of a PrometheusRule.
    #[must_use]
    pub fn evaluated(&self, rule: &str) -> AlertReach {
        if let Some(why) = self.why_unknown(rule) {
            return AlertReach::Unknown(why.to_owned());
        }
        match (self.selecting.get(rule), &self.unserved) {
            (None, Some((known, _))) => known.clone(),
            (None, None) => AlertReach::No("no workload selects its rule".to_owned()),
            (Some(by), _) if by.iter().any(|(_, is_accepted)| *is_accepted) => AlertReach::Yes,
            (Some(_), _) => AlertReach::No("its rule is rejected".to_owned()),
        }
    }

    /// Returns whether the input has a server that evaluates rules.
    #[must_use]
    pub const fn has_servers(&self) -> bool {
        self.unserved.is_none()
    }

    /// The Services that servers name, each with the server and its document.
    pub fn services(&self) -> impl Iterator<Item = (&str, DocId, &NotifiedService)> {
        self.senders.iter().flat_map(|sender| {
            let services = sender.ways.iter().filter_map(|way| match way {
                AlertWay::To(service) => Some(service),
                AlertWay::Unknown(_) => None,
            });
            services.map(|service| (sender.what.as_str(), sender.doc, service))
        })
    }

    /// The ThanosRulers that evaluate the rules of a PrometheusRule, each with its document.
    pub fn rulers(&self, rule: &str) -> impl Iterator<Item = (&str, DocId)> {
        let of_rule = self.evaluators(rule);
        let rulers = of_rule.filter(|sender| sender.kind == WorkloadKind::ThanosRuler);
        rulers.map(|sender| (sender.what.as_str(), sender.doc))
    }

    /// The documents of the servers that evaluate the rules of a PrometheusRule.
    pub(super) fn docs(&self, rule: &str) -> BTreeSet<DocId> {
        self.evaluators(rule).map(|sender| sender.doc).collect_set()
    }

    fn evaluators(&self, rule: &str) -> impl Iterator<Item = &AlertSender> {
        let by = self.selecting.get(rule).into_iter().flatten();
        by.filter(|(_, is_accepted)| *is_accepted)
            .map(|(number, _)| &self.senders[*number])
    }

    /// Whether an Alertmanager gets the alerts of a PrometheusRule.
    #[must_use]
    pub fn reach(&self, rule: &str, alertmanager: &WorkloadId) -> AlertReach {
        match self.evaluated(rule) {
            AlertReach::Yes => {
                AlertReach::best(self.evaluators(rule).map(|of| of.reach(alertmanager)))
                    .unwrap_or(AlertReach::Yes)
            }
            other => other,
        }
    }

    /// Why the alerts of a PrometheusRule notify nobody, if these are the Alertmanagers in the input.
    #[must_use]
    pub fn nobody(&self, rule: &str, alertmanagers: &[&WorkloadId]) -> Option<String> {
        match self.evaluated(rule) {
            AlertReach::No(why) => Some(why),
            AlertReach::Unknown(_) => None,
            AlertReach::Yes => self.silence(rule, alertmanagers).map(|(_, why)| why),
        }
    }

    /// The routes of an Alertmanager that may notify somebody of an alert, each with whether it does.
    #[must_use]
    pub fn ends<'t>(
        &self,
        alert: &Alert,
        id: &WorkloadId,
        tree: &'t RoutingTree,
    ) -> Vec<(&'t RouteNode, AlertReach)> {
        let reach = self.reach(&alert.resource, id);
        let of_node = |(node, why)| match (&reach, why) {
            (AlertReach::Yes, Some(why)) => (node, AlertReach::Unknown(why)),
            _ => (node, reach.clone()),
        };
        tree.ends(alert).into_iter().map(of_node).collect()
    }

    /// Why no Alertmanager gets the alerts of a PrometheusRule that are evaluated, with the document of the server: none of
    /// these do, and no server names another one. If there is but an agent, its document.
    pub fn silence(&self, rule: &str, alertmanagers: &[&WorkloadId]) -> Option<(DocId, String)> {
        if let (AlertReach::No(why), Some((_, agent))) = (self.evaluated(rule), &self.unserved) {
            return agent.map(|agent| (agent, why));
        }
        let mut first = None;
        for sender in self.evaluators(rule) {
            let mut ways = alertmanagers.iter().map(|of| sender.reach(of));
            let why = match (&sender.nowhere, ways.next()) {
                (None, None) => return None,
                (Some(why), None) => format!("{} {why}", sender.what),
                (_, Some(AlertReach::No(why))) => why,
                (_, Some(_)) => return None,
            };
            if !ways.all(|way| matches!(way, AlertReach::No(_))) {
                return None;
            }
            first.get_or_insert((sender.doc, why));
        }
        first
    }
}

/// What is known of alerts if the input has no server that evaluates rules: nobody evaluates them beside an agent, unless a part of
/// the input is not read.
fn unserved(world: &World<'_>) -> (AlertReach, Option<DocId>) {
    let agents = world.cluster().prometheus_agents.values();
    match (agents.into_iter().next(), world.unseen()) {
        (None, _) => {
            let why = "no server in the input evaluates it".to_owned();
            (AlertReach::Unknown(why), None)
        }
        (Some(_), Some(unseen)) => {
            let why = format!("no server in the input evaluates it, and {unseen}");
            (AlertReach::Unknown(why), None)
        }
        (Some(agent), None) => {
            let (namespace, name) = (agent.namespace(), &agent.value.metadata.name);
            let why = format!(
                "no server evaluates it: PrometheusAgent {namespace}/{name} has no `ruleSelector`"
            );
            (AlertReach::No(why), Some(agent.doc))
        }
    }
}

/// What policies say of the way from a server to the pods of an Alertmanager. `None` if it is open.
fn barred(world: &World<'_>, server: &Workload, id: &WorkloadId) -> Option<AlertReach> {
    let alertmanager = world.workload(id)?;
    if let Some(idle) = idle(alertmanager) {
        return Some(idle);
    }
    let Some(port) = web_port(world, id) else {
        let why = format!("{} listens on its own pod alone", id.what());
        let of = world.cluster().alertmanagers.get(id.key().as_str());
        return Some(
            match of.is_some_and(|of| of.value.spec.containers.is_some()) {
                true => AlertReach::Unknown(why),
                false => AlertReach::No(why),
            },
        );
    };
    match world.way(server, alertmanager, port) {
        WorkloadWay::Open => None,
        WorkloadWay::Unknown(why) => Some(AlertReach::Unknown(why)),
        WorkloadWay::Blocked(policies) => {
            let (policy, _) = policies.first()?;
            Some(AlertReach::No(format!(
                "{policy} keeps {} from port {port} of {}",
                server.id.what(),
                id.what()
            )))
        }
    }
}

/// The ways of a workload to Alertmanagers, and what it lacks if there is none. `None` if it evaluates no rules.
fn ways(world: &World<'_>, workload: &Workload) -> Option<(DocId, Vec<AlertWay>, &'static str)> {
    let id = &workload.id;
    let (key, cluster) = (id.key(), world.cluster());
    let ways = WayFinder {
        world,
        namespace: &id.namespace,
    };
    match id.kind {
        WorkloadKind::Prometheus => {
            let server = cluster.prometheuses.get(key.as_str())?;
            let nowhere = "sends its alerts nowhere: it has no `alerting.alertmanagers`";
            let own = format!("{}/prometheus-{}", id.namespace, id.name);
            // Of a server without selectors of monitors, the operator writes an empty configuration if there is none.
            let is_by_hand =
                workload.config.is_none() && cluster.secrets.contains_key(own.as_str());
            let found = if is_by_hand {
                vec![AlertWay::Unknown(format!(
                    "has its configuration in Secret {own}, which the operator does not write"
                ))]
            } else {
                ways.of_prometheus(&server.value.spec)
            };
            Some((server.doc, found, nowhere))
        }
        WorkloadKind::ThanosRuler => {
            let ruler = cluster.thanos_rulers.get(key.as_str())?;
            let nowhere = "sends its alerts nowhere: it has neither `alertmanagersUrl` nor `alertmanagersConfig`";
            Some((ruler.doc, ways.of_ruler(&ruler.value.spec), nowhere))
        }
        WorkloadKind::PrometheusAgent | WorkloadKind::Alertmanager => None,
    }
}

/// Finds the ways of a server.
struct WayFinder<'w> {
    world: &'w World<'w>,
    /// That of the server.
    namespace: &'w str,
}

impl WayFinder<'_> {
    fn of_prometheus(&self, spec: &PrometheusSpec) -> Vec<AlertWay> {
        let members = spec.alerting.iter().flat_map(|of| &of.alertmanagers);
        let target = &self.world.options().target;
        let versions = workload::versions(target, &spec.common, Some(spec));
        let has_first = versions.is_ok_and(|of| !of.has(&gates::ALERTMANAGER_API_V2_ONLY));
        let mut ways: Vec<AlertWay> = members
            .map(|member| self.of_member(member, has_first))
            .collect();
        if let Some(secret) = &spec.additional_alert_manager_configs {
            ways.extend(self.of_secret("additionalAlertManagerConfigs", secret, &[]));
        }
        ways
    }

    fn of_ruler(&self, spec: &ThanosRulerSpec) -> Vec<AlertWay> {
        let mut ways = Vec::new();
        match (&spec.alertmanagers_config, &spec.alertmanagers_url) {
            (Some(secret), _) => {
                ways.extend(self.of_secret("alertmanagersConfig", secret, &["alertmanagers"]))
            }
            (None, urls) => ways.extend(
                urls.iter()
                    .flatten()
                    .map(|url| self.of_address(url, "alertmanagersUrl", None)),
            ),
        }
        for Argument { name, value } in spec.additional_args.iter().flatten() {
            match (name.trim_start_matches('-'), value) {
                ("alertmanagers.url", Some(url)) => {
                    ways.push(self.of_address(url, "additionalArgs", None));
                }
                (name, _) if name.starts_with("alertmanagers.config") => {
                    let why = format!("may send its alerts elsewhere: its argument `{name}`");
                    ways.push(AlertWay::Unknown(why));
                }
                _ => {}
            }
        }
        ways
    }

    /// `has_first`: the server may talk by the first version of the API.
    fn of_member(&self, member: &AlertmanagerEndpoints, has_first: bool) -> AlertWay {
        let namespace = member.namespace.as_deref().unwrap_or(self.namespace);
        if member
            .relabelings
            .as_ref()
            .is_some_and(|rules| !rules.is_empty())
        {
            let name = &member.name;
            let why = format!("chooses among {namespace}/{name} by `relabelings`");
            return AlertWay::Unknown(why);
        }
        let port = match &member.port {
            IntOrString::String(name) if !name.is_empty() => Some(AskedPort::Named(name)),
            _ => None,
        };
        let version = member.api_version.as_ref().map_or("", |of| of.as_str());
        let asked = AlertRequest {
            port,
            scheme: Some(member.scheme.as_ref().map_or("http", |of| of.as_str())),
            path: Some((
                "`pathPrefix`",
                member.path_prefix.as_deref().unwrap_or_default(),
            )),
            is_first: has_first && version.eq_ignore_ascii_case("v1"),
        };
        let mut way = self.to_service(namespace, &member.name, port);
        let found = self.find(namespace, &member.name);
        if let (AlertWay::To(service), Some(found)) = (&mut way, found) {
            self.keep_answering(&asked, found, service);
        }
        way
    }

    /// Takes the Alertmanagers from the way that do not answer what is asked of them.
    fn keep_answering(
        &self,
        asked: &AlertRequest<'_>,
        of: &ResolvedService,
        way: &mut NotifiedService,
    ) {
        let unanswered = |id: &WorkloadId| self.unanswered(asked, of, id);
        if let Some(why) = way.alertmanagers.iter().find_map(unanswered) {
            way.why = format!("sends its alerts to {}, but {why}", way.what);
        }
        way.alertmanagers.retain(|id| unanswered(id).is_none());
    }

    /// Why an Alertmanager behind a Service does not answer what is asked of it. A container of its own may do so.
    fn unanswered(
        &self,
        request: &AlertRequest<'_>,
        service: &ResolvedService,
        id: &WorkloadId,
    ) -> Option<String> {
        let of = self.world.cluster().alertmanagers.get(id.key().as_str())?;
        let (spec, what) = (&of.value.spec, id.what());
        if spec.containers.is_some() {
            return None;
        }
        let own = spec.route_prefix.as_deref().unwrap_or_default();
        let own = own.trim_matches('/');
        if let Some((field, asked)) = request.path {
            let asked = asked.trim_matches('/');
            if own != asked && !is_later_text(own) && !is_later_text(asked) {
                return Some(format!(
                    "{what} answers below `/{own}`, and {field} is `/{asked}`"
                ));
            }
        }
        let has_tls = spec
            .web
            .as_ref()
            .is_some_and(|web| web.tls_config.is_some());
        let scheme = if has_tls { "https" } else { "http" };
        let others = ["http", "https"].into_iter().filter(|of| *of != scheme);
        let is_other = |asked: &str| others.clone().any(|of| asked.eq_ignore_ascii_case(of));
        if let Some(asked) = request.scheme.filter(|asked| is_other(asked)) {
            let web = if has_tls { "has" } else { "has no" };
            return Some(format!(
                "{what} {web} `web.tlsConfig`, and the scheme is {asked}"
            ));
        }
        let versions = alertmanager::versions(&self.world.options().target, spec);
        if request.is_first && versions.is_ok_and(|of| of.has(&gates::AM_API_V2_ONLY)) {
            return Some(format!("{what} has no version 1 of the API, since 0.27"));
        }
        let target = request.port?.target(service)?;
        let is_heard = target == WEB_PORT.to_string() || target == spec.port_name;
        if spec.listen_local == Some(true) {
            return Some(format!("{what} listens on its own pod alone"));
        }
        (!is_heard && !is_later_text(&target))
            .then(|| format!("{what} does not listen at port {target} of its pods"))
    }

    /// A way through a Service, whose port must have a name if one is asked for.
    fn to_service(&self, namespace: &str, name: &str, port: Option<AskedPort<'_>>) -> AlertWay {
        let what = format!("Service {namespace}/{name}");
        let Some(service) = self.find(namespace, name) else {
            return AlertWay::Unknown(format!(
                "sends its alerts to {what}, which is not in the input"
            ));
        };
        if service.has_no_selector() {
            return AlertWay::Unknown(format!("sends its alerts to {what}, which has no selector"));
        }
        match port.filter(|port| port.target(service).is_none()) {
            Some(port) => AlertWay::To(NotifiedService {
                why: format!("sends its alerts to {what}, which has no port `{port}`"),
                what,
                alertmanagers: BTreeSet::new(),
                balances: None,
            }),
            None => self.behind(service, what),
        }
    }

    /// The Alertmanagers whose pods a Service selects.
    fn behind(&self, service: &ResolvedService, what: String) -> AlertWay {
        let matches = self.world.reach.pods_behind(service);
        if matches.is_cut || service.is_anywhere() {
            return AlertWay::Unknown(format!(
                "sends its alerts to {what}, whose pods are not known"
            ));
        }
        let pods = self.world.reach.pods.all(&matches);
        let has_pods = |workload: &&&Workload| {
            workload.id.kind == WorkloadKind::Alertmanager
                && pods.iter().any(|pods| {
                    pods.span.is_none()
                        && pods.namespace() == workload.id.namespace
                        && pods.name().strip_prefix("alertmanager-") == Some(&workload.id.name)
                })
        };
        let reached = self.world.workloads.iter().filter(has_pods);
        let reached: BTreeSet<_> = reached.map(|workload| workload.id.clone()).collect_set();
        // The pods of one that is paused stay as they are.
        let mut own = self.world.workloads.iter().filter(|of| {
            of.id.kind == WorkloadKind::Alertmanager && of.id.namespace == service.namespace()
        });
        let paused = own.find(|of| of.is_paused() && !reached.contains(&of.id));
        if let Some(why) =
            paused.and_then(|of| Some(format!("{} has {}", of.id.what(), of.idle()?)))
        {
            return AlertWay::Unknown(format!("sends its alerts to {what}, and {why}"));
        }
        let whose = if reached.is_empty() { "no" } else { "another" };
        AlertWay::To(NotifiedService {
            why: format!(
                "sends its alerts to {what}, which selects the pods of {whose} Alertmanager"
            ),
            what,
            alertmanagers: reached,
            balances: None,
        })
    }

    /// A way to an address: that of a Service in the cluster, or another one, which nobody knows.
    fn of_address(&self, address: &str, field: &'static str, secret: Option<&str>) -> AlertWay {
        // Of a URL without a scheme, Go takes what stands before the colon for one, and no host is left. A list of hosts has none.
        if secret.is_none() && !address.contains("://") && !is_later_text(address) {
            return AlertWay::To(NotifiedService {
                why: format!("sends its alerts nowhere: an address in `{field}` has no scheme"),
                what: field.to_owned(),
                alertmanagers: BTreeSet::new(),
                balances: None,
            });
        }
        let service = ServiceAddress::of(address).map(|of| {
            let namespace = of.namespace.unwrap_or(self.namespace);
            // Nothing of a Secret is quoted, but the Service that the input has.
            let is_shown = secret.is_none();
            let asked = AlertRequest {
                port: of.port.filter(|_| is_shown),
                scheme: of.scheme.filter(|_| is_shown),
                path: is_shown.then_some(("the path of the address", of.path)),
                is_first: false,
            };
            let mut way = self.to_service(namespace, of.name, asked.port);
            if let (AlertWay::To(service), Some(found)) = (&mut way, self.find(namespace, of.name))
            {
                self.keep_answering(&asked, found, service);
                service.alertmanagers.retain(|id| of.is_of(id));
                let is_each = of.pod.is_some() || found.is_headless() && of.is_looked_up;
                service.balances = (!is_each).then_some(field);
            }
            way
        });
        match (service, secret) {
            (Some(AlertWay::To(service)), _) => AlertWay::To(service),
            // Of a Secret, only what the input has is named.
            (_, Some(of)) => AlertWay::Unknown(format!("sends its alerts to an address in {of}")),
            (Some(unknown), None) => unknown,
            (None, None) => {
                AlertWay::Unknown(format!("sends its alerts to {address}, which may be any"))
            }
        }
    }

    fn find(&self, namespace: &str, name: &str) -> Option<&ResolvedService> {
        let services = &self.world.reach.services;
        let all = services.all(&Matches {
            items: services.numbers(&NamespaceScope::one(namespace)),
            is_cut: false,
        });
        all.into_iter().find(|service| service.name() == name)
    }

    /// The ways in a Secret: the list at a path of its value.
    fn of_secret(
        &self,
        field: &'static str,
        selector: &SecretKeySelector,
        path: &[&str],
    ) -> Vec<AlertWay> {
        let of = format!("`{field}` in Secret {}/{}", self.namespace, selector.name);
        let cluster = self.world.cluster();
        let Some((_, root)) = in_secret(cluster, self.namespace, selector) else {
            let why = unread_secret(cluster, self.namespace, selector);
            let why = format!("sends its alerts where {of} says, which {why}");
            return vec![AlertWay::Unknown(why)];
        };
        let items = root.find(path).map_or(&[][..], Node::items);
        let ways = items.iter().flat_map(|item| self.of_item(item, field, &of));
        let mut ways: Vec<AlertWay> = ways.collect();
        if ways.is_empty() {
            let why = format!("sends its alerts where {of} says, in which no address was found");
            ways.push(AlertWay::Unknown(why));
        }
        ways
    }

    fn of_item(&self, item: &Node, field: &'static str, of: &str) -> Vec<AlertWay> {
        let mut ways = Vec::new();
        for entry in item.entries() {
            let targets = entry.value.items().iter();
            match &*entry.key {
                "static_configs" => {
                    // Thanos lists the addresses themselves, Prometheus lists of them.
                    let addresses = targets.flat_map(|of| match of.get("targets") {
                        Some(list) => list.items(),
                        None => std::slice::from_ref(of),
                    });
                    let addresses = addresses.filter_map(Node::as_str);
                    ways.extend(addresses.map(|of_one| self.of_address(of_one, field, Some(of))));
                }
                key if key.ends_with("_sd_configs") || key == "relabel_configs" => {
                    ways.push(AlertWay::Unknown(format!(
                        "sends its alerts where {of} says"
                    )));
                }
                _ => {}
            }
        }
        ways
    }
}

/// The value of a key of a Secret in the input, as YAML.
pub(crate) fn in_secret(
    cluster: &Cluster,
    namespace: &str,
    selector: &SecretKeySelector,
) -> Option<(String, Node)> {
    let key = format!("{namespace}/{}", selector.name);
    let secret = cluster.secrets.get(key.as_str())?;
    let parse = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).ok()?;
        Some((text.to_owned(), read::read_slices(text).ok()??))
    };
    let content = secret_key(&secret.value, &selector.key)?;
    content.check(|bytes| Ok(parse(bytes))).ok()?
}

/// Why a key of a Secret is not read.
pub(crate) fn unread_secret(
    cluster: &Cluster,
    namespace: &str,
    selector: &SecretKeySelector,
) -> String {
    let key = format!("{namespace}/{}", selector.name);
    let secret = cluster.secrets.get(key.as_str());
    match secret.map(|secret| secret_key(&secret.value, &selector.key)) {
        None => "is not in the input".to_owned(),
        Some(None) => format!("has no key `{}`", selector.key),
        Some(Some(_)) => "is no list".to_owned(),
    }
}

/// What a server asks of the Alertmanagers behind a Service, as far as it is known.
struct AlertRequest<'a> {
    port: Option<AskedPort<'a>>,
    scheme: Option<&'a str>,
    /// The path below which they have to answer, and what says it.
    path: Option<(&'static str, &'a str)>,
    /// By the first version of the API.
    is_first: bool,
}

/// A port of a Service that a server asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AskedPort<'a> {
    Named(&'a str),
    Numbered(u16),
}

impl AskedPort<'_> {
    /// The port of the pods to which it leads. `None` if the Service lacks it: a headless one leads to any.
    fn target(self, service: &ResolvedService) -> Option<String> {
        let port = |is_it: &dyn Fn(&ServicePort) -> bool| {
            let port = service.ports().iter().find(|port| is_it(port))?;
            let own = i64::from(port.port).into();
            Some(port.target_port.clone().unwrap_or(own).to_string())
        };
        match self {
            Self::Named(name) => port(&|port| port.name.as_deref() == Some(name)),
            Self::Numbered(number) if service.is_headless() => Some(number.to_string()),
            Self::Numbered(number) => port(&|port| port.port == i32::from(number)),
        }
    }
}

impl fmt::Display for AskedPort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Numbered(number) => write!(f, "{number}"),
        }
    }
}

/// An address that names a Service of the cluster, or a pod of it: `http://am.monitoring.svc:9093/am`,
/// `dnssrv+http://_web._tcp.am.monitoring`, `am-0.am.monitoring.svc:9093`.
struct ServiceAddress<'a> {
    scheme: Option<&'a str>,
    /// Each address behind the name is asked: `dns+` or the like stands in front.
    is_looked_up: bool,
    pod: Option<&'a str>,
    name: &'a str,
    namespace: Option<&'a str>,
    port: Option<AskedPort<'a>>,
    path: &'a str,
}

impl<'a> ServiceAddress<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let split = address.split_once("://");
        let (head, rest) = split.map_or(("", address), |(head, rest)| (head, rest));
        let (lookup, scheme) = head.split_once('+').unwrap_or(("", head));
        let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (before, host) = host.split_once('+').unwrap_or(("", host));
        let (host, number) = host.split_once(':').unwrap_or((host, ""));
        let mut parts = host.trim_end_matches('.').split('.').peekable();
        let record = parts.next_if(|part| part.starts_with('_'));
        while parts.next_if(|part| part.starts_with('_')).is_some() {}
        let parts: Vec<&str> = parts.collect();
        let (pod, name, namespace) = match parts[..] {
            [name] => (None, name, None),
            [name, namespace]
            | [name, namespace, "svc"]
            | [name, namespace, "svc", "cluster", "local"] => (None, name, Some(namespace)),
            [pod, name, namespace, "svc"] | [pod, name, namespace, "svc", "cluster", "local"] => {
                (Some(pod), name, Some(namespace))
            }
            _ => return None,
        };
        let record = record.and_then(|record| record.strip_prefix('_'));
        let numbered = number.parse().ok().map(AskedPort::Numbered);
        let is_address = name.parse::<u8>().is_ok() || name.is_empty();
        (!is_address).then_some(Self {
            scheme: Some(scheme).filter(|scheme| !scheme.is_empty()),
            is_looked_up: !lookup.is_empty() || !before.is_empty(),
            pod,
            name,
            namespace,
            port: record.map(AskedPort::Named).or(numbered),
            path,
        })
    }

    /// Returns whether it may lead to the pods of an Alertmanager.
    fn is_of(&self, id: &WorkloadId) -> bool {
        self.pod.is_none_or(|pod| {
            let own = pod.strip_prefix("alertmanager-");
            own.and_then(|own| own.rsplit_once('-'))
                .is_some_and(|(name, _)| name == id.name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_services_of_the_cluster() {
        let monitoring = Some(("am", Some("monitoring")));
        for (address, expected) in [
            ("http://am.monitoring.svc:9093/prefix", monitoring),
            (
                "dnssrv+http://_web._tcp.am.monitoring.svc.cluster.local",
                monitoring,
            ),
            ("dns+am.monitoring.svc.cluster.local.:9093", monitoring),
            ("am.monitoring:9093", monitoring),
            ("http://user@am:9093", Some(("am", None))),
            ("https://am.example.org", None),
            ("10.0.0.1:9093", None),
        ] {
            let found = ServiceAddress::of(address);
            let found = found.map(|of| (of.name, of.namespace));
            assert_eq!(found, expected, "{address}");
        }
    }

    #[test]
    fn addresses_say_how_the_pods_are_asked() {
        let (web, port) = (AskedPort::Named("web"), AskedPort::Numbered(9094));
        for (address, pod, is_looked_up, asked, path) in [
            ("http://am.a.svc:9094/x", None, false, Some(port), "x"),
            (
                "dnssrv+https://_web._tcp.am.a.svc",
                None,
                true,
                Some(web),
                "",
            ),
            ("dns+am.a.svc:9094", None, true, Some(port), ""),
            (
                "http://am-0.am.a.svc:9094",
                Some("am-0"),
                false,
                Some(port),
                "",
            ),
            ("http://am:${PORT}", None, false, None, ""),
        ] {
            let of = ServiceAddress::of(address).expect("it names a Service");
            let found = (of.pod, of.is_looked_up, of.port, of.path);
            assert_eq!(found, (pod, is_looked_up, asked, path), "{address}");
        }
    }
}
