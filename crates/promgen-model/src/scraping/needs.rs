//! What each job of a workload needs of the API server, and what its account lacks.

use crate::monitors::Monitor;
use crate::servers::ServerSpec;
use crate::words::and;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::World;
use crate::model::access::{Authority, DEFAULT_ACCOUNT};
use crate::model::secret_jobs::SecretJobs;
use promgen_compile::access::{
    AccessVerdict, CLUSTER, Need, ServiceAccount, TokenTarget, of_alerting, of_job, path_with_token,
};
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::output::job::KubernetesDiscovery;
use promgen_compile::output::{Job, Workload};
use promgen_prometheus::labels::Selector;
use promgen_resources::api::{IntOrString, Kind, ServiceMonitor};
use promgen_resources::document;
use promgen_resources::http_config::filled;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{Confinement, ResolvedService, Seeker, built_in};
use promgen_text::CollectOrdered;
use promgen_text::route::{At, DocId};

/// A workload that scrapes, as it is written.
#[derive(Clone, Copy)]
pub struct ScrapingServer<'v> {
    /// Everything.
    pub model: &'v World<'v>,
    /// What it is compiled to.
    pub workload: &'v Workload,
    /// What it is given.
    pub own: ServerSpec<'v>,
}

/// The source of a job: a resource, and the number of its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobOrigin<'j> {
    /// The kind of the resource.
    pub kind: Kind,
    /// `namespace/name`.
    pub key: &'j str,
    /// The number of the endpoint.
    pub endpoint: usize,
}

impl<'j> JobOrigin<'j> {
    /// The resource of a job. `None` for one that the user brings.
    pub fn of(job: &'j Job) -> Option<Self> {
        let (kind, rest) = job.name.split_once('/')?;
        let (kind, has_endpoints) = match kind {
            "serviceMonitor" => (Kind::ServiceMonitor, true),
            "podMonitor" => (Kind::PodMonitor, true),
            "probe" => (Kind::Probe, false),
            "scrapeConfig" => (Kind::ScrapeConfig, false),
            _ => return None,
        };
        let (key, endpoint) = match has_endpoints {
            true => {
                let (key, endpoint) = rest.rsplit_once('/')?;
                (key, endpoint.parse().ok()?)
            }
            false => (rest, 0),
        };
        Some(Self {
            kind,
            key,
            endpoint,
        })
    }

    /// The resource alone, whatever the endpoint.
    pub fn resource(self) -> Self {
        Self {
            endpoint: 0,
            ..self
        }
    }

    /// `ServiceMonitor shop/cart`
    pub fn what(self) -> String {
        format!("{} {}", self.kind.as_str(), self.key)
    }

    /// The document of the resource.
    pub fn doc(self, cluster: &Cluster) -> Option<DocId> {
        let key = self.key;
        match self.kind {
            Kind::Probe => cluster.probes.get(key).map(|object| object.doc),
            Kind::ScrapeConfig => cluster.scrape_configs.get(key).map(|object| object.doc),
            kind => Monitor::find(cluster, kind, key).map(Monitor::doc),
        }
    }
}

impl<'v> ScrapingServer<'v> {
    /// The workloads that scrape, but for those that stand in for others.
    pub fn all(model: &'v World<'v>) -> impl Iterator<Item = Self> {
        model
            .workloads
            .iter()
            .filter_map(|workload| Self::of(model, workload))
    }

    /// A workload that scrapes.
    pub fn of(model: &'v World<'v>, workload: &'v Workload) -> Option<Self> {
        let own = ServerSpec::find(model.cluster(), workload.id.kind, &workload.id.key())?;
        (!workload.is_stand_in).then_some(Self {
            model,
            workload,
            own,
        })
    }

    /// `Prometheus mon/main`.
    pub fn what(self) -> String {
        self.workload.id.what()
    }

    /// The place of its specification.
    pub fn spec(self) -> At {
        self.own.spec()
    }

    /// The jobs that it takes from a Secret in the input.
    pub fn secret_jobs(self) -> Option<&'v SecretJobs> {
        self.model.secret_jobs().get(&self.own.doc)
    }

    /// Its service account.
    pub fn account(self) -> ServiceAccount {
        let name =
            filled(self.own.common.service_account_name.as_deref()).unwrap_or(DEFAULT_ACCOUNT);
        ServiceAccount {
            namespace: self.workload.id.namespace.clone(),
            name: name.to_owned(),
        }
    }

    /// The permissions of its service account.
    pub fn authority(self) -> Authority<'v> {
        self.model
            .access()
            .authority(self.account(), self.why_unknown())
    }

    /// Why it is not known what its service account is, or may do.
    fn why_unknown(self) -> Option<String> {
        let (doc, documents) = (self.own.doc, self.model.documents());
        if self.model.reach.others.adrift.contains(&doc) {
            return Some("its namespace is not known".to_owned());
        }
        if self.own.common.automount_service_account_token == Some(false) {
            return Some("its pods have no token of the service account".to_owned());
        }
        if self.model.unknowns().is_open(documents, doc) {
            return Some("a part of its kustomization is not built".to_owned());
        }
        let strange =
            document::find(documents, doc).and_then(|of| self.model.access().why_unknown(of));
        strange.map(str::to_owned).or_else(|| {
            let account = self.spec().key("serviceAccountName");
            let namespace = At::doc(doc).key("metadata").key("namespace");
            [account, namespace]
                .iter()
                .find_map(|at| self.model.unknowns().why(documents, at))
        })
    }

    /// Returns whether a chart or another environment makes it, with its permissions.
    pub fn is_made_elsewhere(self) -> bool {
        document::find(self.model.documents(), self.own.doc)
            .is_some_and(|document| self.model.access().why_unknown(document).is_some())
    }

    /// Its jobs.
    pub fn jobs(self) -> &'v [Job] {
        self.workload.jobs()
    }

    /// The namespaces that its monitors may select from.
    pub fn confinement(self) -> Confinement {
        self.own.confinement()
    }

    /// The needs of a job.
    pub fn needs(self, job: &Job) -> Vec<Need> {
        if self.is_adrift(job) {
            return Vec::new();
        }
        let mut needs = of_job(job, &self.workload.id.namespace);
        if let Some(path) = path_with_token(job) {
            needs.extend(self.scraped(job).and_then(|scraped| scraped.need(path)));
        }
        needs
    }

    /// All that its configuration needs.
    pub fn all_needs(self) -> BTreeSet<Need> {
        self.jobs()
            .iter()
            .flat_map(|job| self.needs(job))
            .chain(self.alerting_needs())
            .collect_set()
    }

    /// The needs of the discovery of its Alertmanagers.
    pub fn alerting_needs(self) -> Vec<Need> {
        let alerting = self
            .workload
            .config
            .as_ref()
            .and_then(|config| config.sections.get("alerting"));
        alerting
            .map(|alerting| of_alerting(alerting, &self.workload.id.namespace))
            .unwrap_or_default()
    }

    /// Returns whether nobody says in which namespace the resource of a job is.
    fn is_adrift(self, job: &Job) -> bool {
        let adrift = &self.model.reach.others.adrift;
        if adrift.is_empty() {
            return false;
        }
        let doc = JobOrigin::of(job).and_then(|origin| origin.doc(self.model.cluster()));
        doc.is_none_or(|doc| adrift.contains(&doc))
    }

    /// What the targets of a job are, if they ask the API server who may scrape them.
    fn scraped(self, job: &Job) -> Option<TokenTarget> {
        let is_node = |discovery: KubernetesDiscovery<'_>| discovery.role() == Some("node");
        if job.kubernetes().next().is_some() && job.kubernetes().all(is_node) {
            return Some(TokenTarget::Kubelets);
        }
        let origin = JobOrigin::of(job).filter(|origin| origin.kind == Kind::ServiceMonitor)?;
        let monitor = self.model.cluster().service_monitors.get(origin.key)?;
        self.scraped_by(monitor, origin.endpoint)
    }

    fn scraped_by(self, monitor: &Object<ServiceMonitor>, endpoint: usize) -> Option<TokenTarget> {
        let reach = self.model.reach;
        let seeker = Seeker::of_services(monitor, reach.others);
        let scope = seeker.scope_under(self.confinement());
        let wanted = MonitorPort::of_endpoint(monitor.value.spec.endpoints.get(endpoint)?);
        let found = seeker.find(&reach.services, &scope);
        if found.items.is_empty() {
            let service = built_in::service(&scope, &Selector::new(seeker.selector).ok()?)?;
            let is_of_kubelets = wanted.is_some_and(|wanted| wanted.text == KUBELET_PORT_NAME);
            return match service.namespace {
                "default" => Some(TokenTarget::ApiServer),
                _ => is_of_kubelets.then_some(TokenTarget::Kubelets),
            };
        }
        let mut services = reach
            .services
            .all(&found)
            .into_iter()
            .map(|service| kind_of(service, wanted.as_ref()));
        let first = services.next()??;
        (!found.is_cut && services.all(|other| other == Some(first))).then_some(first)
    }
}

/// The port of kubelets, and its name in the Service that the operator makes for them.
const KUBELET_PORT: i64 = 10250;
const KUBELET_PORT_NAME: &str = "https-metrics";

/// What is behind a Service, if it is no pods.
fn kind_of(service: &ResolvedService, wanted: Option<&MonitorPort>) -> Option<TokenTarget> {
    if (service.namespace(), service.name()) == ("default", "kubernetes") {
        return Some(TokenTarget::ApiServer);
    }
    let ports = match wanted {
        Some(wanted) => wanted.in_service(service),
        None => (0..service.ports().len()).collect(),
    };
    let number = |index: &usize| {
        let port = &service.ports()[*index];
        match &port.target_port {
            Some(IntOrString::Int(number)) => *number,
            Some(IntOrString::String(_)) | None => i64::from(port.port),
        }
    };
    let is_kubelet = service.has_no_selector()
        && !ports.is_empty()
        && ports.iter().all(|port| number(port) == KUBELET_PORT);
    is_kubelet.then_some(TokenTarget::Kubelets)
}

/// Requests, each with one of the verbs of its need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests(pub BTreeSet<(Need, &'static str)>);

/// Answers to needs, each asked once.
pub struct Answers<'a> {
    /// The permissions of the account.
    pub authority: Authority<'a>,
    known: BTreeMap<Need, Vec<(&'static str, AccessVerdict)>>,
}

impl<'a> Answers<'a> {
    /// Answers by these permissions. Nothing is asked yet.
    pub fn new(authority: Authority<'a>) -> Self {
        Self {
            authority,
            known: BTreeMap::new(),
        }
    }

    /// The answer for each verb.
    pub fn of(&mut self, need: &Need) -> &[(&'static str, AccessVerdict)] {
        if !self.known.contains_key(need) {
            let answer = |verb: &&'static str| (*verb, self.authority.may(verb, need));
            let answers = need.verbs().iter().map(answer).collect();
            self.known.insert(need.clone(), answers);
        }
        self.known.get(need).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is denied.
    pub fn lacks(&mut self, needs: impl IntoIterator<Item = Need>) -> Requests {
        let mut lacks = BTreeSet::new();
        for need in needs {
            let denied = self
                .of(&need)
                .iter()
                .filter(|(_, verdict)| *verdict == AccessVerdict::Denied);
            let denied: Vec<&'static str> = denied.map(|(verb, _)| *verb).collect();
            lacks.extend(denied.into_iter().map(|verb| (need.clone(), verb)));
        }
        Requests(lacks)
    }
}

/// The verbs of each need.
pub fn by_need<'r>(
    requests: impl IntoIterator<Item = &'r (Need, &'static str)>,
) -> BTreeMap<&'r Need, Vec<&'static str>> {
    let mut verbs: BTreeMap<&Need, Vec<&'static str>> = BTreeMap::new();
    for (need, verb) in requests {
        verbs.entry(need).or_default().push(*verb);
    }
    verbs
}

/// The maximum number of namespaces that a message names.
const MAX_NAMESPACES: usize = 6;

impl Requests {
    /// All that is needed.
    pub fn of(needs: &[Need]) -> Self {
        Self(
            needs
                .iter()
                .flat_map(|need| need.verbs().iter().map(|verb| (need.clone(), *verb)))
                .collect_set(),
        )
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `list and watch endpoints, services and pods in shop; get the non-resource URL /metrics`.
    pub fn text(&self) -> String {
        // What is the same in several namespaces is said once.
        let mut in_namespace: BTreeMap<&str, BTreeMap<Vec<&str>, Vec<String>>> = BTreeMap::new();
        for (need, verbs) in by_need(&self.0) {
            let of_verbs = in_namespace.entry(need.namespace()).or_default();
            of_verbs.entry(verbs).or_default().push(need.what());
        }
        let mut clauses: Vec<(String, Vec<&str>)> = Vec::new();
        for (namespace, lacking) in in_namespace {
            let lacking = lacking
                .into_iter()
                .map(|(verbs, what)| format!("{} {}", and(&verbs), and(&what)));
            let lacking = lacking.collect::<Vec<_>>().join(", and ");
            match clauses
                .iter_mut()
                .find(|(text, of)| *text == lacking && of[0] != CLUSTER)
            {
                Some((_, namespaces)) => namespaces.push(namespace),
                None => clauses.push((lacking, vec![namespace])),
            }
        }
        let clause = |(text, namespaces): &(String, Vec<&str>)| match namespaces.as_slice() {
            [CLUSTER] => format!("{text} in the whole cluster"),
            [one] => format!("{text} in namespace {one}"),
            _ => {
                let mut named: Vec<String> = namespaces
                    .iter()
                    .take(MAX_NAMESPACES)
                    .map(|n| (*n).to_owned())
                    .collect();
                if namespaces.len() > MAX_NAMESPACES {
                    named.push(format!("{} more", namespaces.len() - MAX_NAMESPACES));
                }
                format!("{text} in namespaces {}", and(&named))
            }
        };
        clauses.iter().map(clause).collect::<Vec<_>>().join("; ")
    }
}

/// The rule that would grant what is lacking.
pub fn remedy(lacks: &Requests) -> String {
    let mut by_namespace: BTreeMap<&str, Vec<&(Need, &'static str)>> = BTreeMap::new();
    for request in &lacks.0 {
        by_namespace
            .entry(request.0.namespace())
            .or_default()
            .push(request);
    }
    let of_namespace = |(namespace, requests): (&str, Vec<&(Need, &'static str)>)| {
        let rules = rules(&requests);
        match namespace {
            CLUSTER => format!("a ClusterRole with {rules} and its ClusterRoleBinding"),
            _ => format!("a Role in {namespace} with {rules} and its RoleBinding"),
        }
    };
    let roles: Vec<String> = by_namespace.into_iter().map(of_namespace).collect();
    let more = if roles.len() > MAX_ROLES {
        format!(", and {} more", roles.len() - MAX_ROLES)
    } else {
        String::new()
    };
    format!(
        "add {}{more}",
        roles
            .iter()
            .take(MAX_ROLES)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", and ")
    )
}

/// The maximum number of Roles that a help spells out.
const MAX_ROLES: usize = 3;

/// The rules that grant requests, as they are written.
fn rules(requests: &[&(Need, &'static str)]) -> String {
    let mut alike: BTreeMap<(Option<&str>, Vec<&str>), Vec<&str>> = BTreeMap::new();
    for (need, verbs) in by_need(requests.iter().copied()) {
        match need {
            Need::Resource {
                group, resource, ..
            } => alike
                .entry((Some(*group), verbs))
                .or_default()
                .push(*resource),
            Need::Url(path) => alike.entry((None, verbs)).or_default().push(path.as_str()),
        }
    }
    let rule = |((group, verbs), what): ((Option<&str>, Vec<&str>), Vec<&str>)| {
        let (what, verbs) = (what.join(", "), verbs.join(", "));
        match group {
            Some(group) => {
                format!("`{{apiGroups: [\"{group}\"], resources: [{what}], verbs: [{verbs}]}}`")
            }
            None => format!("`{{nonResourceURLs: [{what}], verbs: [{verbs}]}}`"),
        }
    };
    alike.into_iter().map(rule).collect::<Vec<_>>().join(", ")
}
