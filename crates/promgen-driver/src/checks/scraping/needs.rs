//! What each job of a workload needs of the API server, and what its account lacks.

use std::collections::{BTreeMap, BTreeSet};

use crate::access::{Authority, DEFAULT_ACCOUNT};
use crate::checks::View;
use crate::secret_jobs::SecretJobs;
use promgen_compile::access::{
    AccessVerdict, CLUSTER, Need, ServiceAccount, TokenTarget, of_alerting, of_job, path_with_token,
};
use promgen_compile::cluster::Object;
use promgen_compile::output::job::KubernetesDiscovery;
use promgen_compile::output::{Job, Workload, WorkloadKind};
use promgen_prometheus::labels::Selector;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::{IntOrString, Kind, ServiceMonitor};
use promgen_resources::document;
use promgen_resources::http_config::filled;
use promgen_targets::resolve::labelled::Selectable as _;
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{Confinement, ResolvedService, Seeker, built_in};
use promgen_text::route::{At, DocId};

/// A workload that scrapes, as it is written.
#[derive(Clone, Copy)]
pub(crate) struct ScrapingServer<'v> {
    pub(crate) model: &'v View<'v>,
    pub(crate) workload: &'v Workload,
    pub(crate) doc: DocId,
    pub(crate) common: &'v CommonPrometheusFields,
}

/// The source of a job: a resource, and the number of its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobOrigin<'j> {
    pub(crate) kind: Kind,
    /// `namespace/name`.
    pub(crate) key: &'j str,
    pub(crate) endpoint: usize,
}

impl<'j> JobOrigin<'j> {
    /// The resource of a job. `None` for one that the user brings.
    pub(crate) fn of(job: &'j Job) -> Option<Self> {
        let (kind, rest) = job.name.split_once('/')?;
        let kind = match kind {
            "serviceMonitor" => Kind::ServiceMonitor,
            "podMonitor" => Kind::PodMonitor,
            "probe" => Kind::Probe,
            "scrapeConfig" => Kind::ScrapeConfig,
            _ => return None,
        };
        match kind {
            Kind::ServiceMonitor | Kind::PodMonitor => {
                let (key, endpoint) = rest.rsplit_once('/')?;
                Some(Self {
                    kind,
                    key,
                    endpoint: endpoint.parse().ok()?,
                })
            }
            _ => Some(Self {
                kind,
                key: rest,
                endpoint: 0,
            }),
        }
    }
}

impl<'v> ScrapingServer<'v> {
    /// The workloads that scrape, but for those that stand in for others.
    pub(crate) fn all(model: &'v View<'v>) -> impl Iterator<Item = Self> {
        model
            .workloads
            .iter()
            .filter_map(|workload| Self::of(model, workload))
    }

    /// A workload that scrapes.
    pub(crate) fn of(model: &'v View<'v>, workload: &'v Workload) -> Option<Self> {
        let key = format!("{}/{}", workload.id.namespace, workload.id.name);
        let (doc, common) = match workload.id.kind {
            _ if workload.is_stand_in => return None,
            WorkloadKind::Prometheus => {
                let object = model.cluster.prometheuses.get(key.as_str())?;
                (object.doc, &object.value.spec.common)
            }
            WorkloadKind::PrometheusAgent => {
                let object = model.cluster.prometheus_agents.get(key.as_str())?;
                (object.doc, &object.value.spec.common)
            }
            WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => return None,
        };
        Some(Self {
            model,
            workload,
            doc,
            common,
        })
    }

    /// `Prometheus mon/main`.
    pub(crate) fn what(self) -> String {
        let id = &self.workload.id;
        format!("{} {}/{}", id.kind.kind(), id.namespace, id.name)
    }

    /// The spec of a server. `None` for an agent.
    pub(crate) fn server(self) -> Option<&'v PrometheusSpec> {
        let key = format!("{}/{}", self.workload.id.namespace, self.workload.id.name);
        let server = self.model.cluster.prometheuses.get(key.as_str())?;
        (self.workload.id.kind == WorkloadKind::Prometheus).then_some(&server.value.spec)
    }

    /// The jobs that it takes from a Secret in the input.
    pub(crate) fn secret_jobs(self) -> Option<&'v SecretJobs> {
        self.model.lineage.input.secret_jobs.get(&self.doc)
    }

    /// Its service account.
    pub(crate) fn account(self) -> ServiceAccount {
        let name = filled(self.common.service_account_name.as_deref()).unwrap_or(DEFAULT_ACCOUNT);
        ServiceAccount {
            namespace: self.workload.id.namespace.clone(),
            name: name.to_owned(),
        }
    }

    /// The permissions of its service account.
    pub(crate) fn authority(self) -> Authority<'v> {
        self.model.access.authority(self.account(), self.doubt())
    }

    /// Why it is not known what its service account is, or may do.
    fn doubt(self) -> Option<String> {
        let View {
            access,
            documents,
            doubts,
            reach,
            ..
        } = self.model;
        let at = |route: fn(At) -> At| route(At::doc(self.doc));
        let account = at(|doc| doc.key("spec").key("serviceAccountName"));
        let namespace = at(|doc| doc.key("metadata").key("namespace"));
        if reach.others.adrift.contains(&self.doc) {
            return Some("its namespace is not known".to_owned());
        }
        if self.common.automount_service_account_token == Some(false) {
            return Some("its pods have no token of the service account".to_owned());
        }
        if doubts.is_open(documents, self.doc) {
            return Some("a part of its kustomization is not built".to_owned());
        }
        let document = document::find(documents, self.doc);
        let strange = document
            .and_then(|document| access.why_unknown(document))
            .map(str::to_owned);
        strange.or_else(|| {
            [account, namespace]
                .iter()
                .find_map(|at| doubts.why(documents, at))
        })
    }

    /// Returns whether a chart or another environment makes it, with its permissions.
    pub(crate) fn is_made_elsewhere(self) -> bool {
        let document = document::find(self.model.documents, self.doc);
        document.is_some_and(|document| self.model.access.why_unknown(document).is_some())
    }

    /// Its jobs.
    pub(crate) fn jobs(self) -> &'v [Job] {
        self.workload
            .config
            .as_ref()
            .map_or(&[], |config| &config.jobs)
    }

    /// The namespaces that its monitors may select from.
    pub(crate) fn confinement(self) -> Confinement {
        Confinement::of(self.common)
    }

    /// The needs of a job.
    pub(crate) fn needs(self, job: &Job) -> Vec<Need> {
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
    pub(crate) fn all_needs(self) -> BTreeSet<Need> {
        self.jobs()
            .iter()
            .flat_map(|job| self.needs(job))
            .chain(self.alerting_needs())
            .collect()
    }

    /// The needs of the discovery of its Alertmanagers.
    pub(crate) fn alerting_needs(self) -> Vec<Need> {
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
        let doc = JobOrigin::of(job).and_then(|origin| doc_of(self.model, origin));
        doc.is_none_or(|doc| adrift.contains(&doc))
    }

    /// What the targets of a job are, if they ask the API server who may scrape them.
    fn scraped(self, job: &Job) -> Option<TokenTarget> {
        let is_node = |discovery: KubernetesDiscovery<'_>| discovery.role() == Some("node");
        if job.kubernetes().next().is_some() && job.kubernetes().all(is_node) {
            return Some(TokenTarget::Kubelets);
        }
        let origin = JobOrigin::of(job).filter(|origin| origin.kind == Kind::ServiceMonitor)?;
        let monitor = self.model.cluster.service_monitors.get(origin.key)?;
        self.scraped_by(monitor, origin.endpoint)
    }

    fn scraped_by(self, monitor: &Object<ServiceMonitor>, endpoint: usize) -> Option<TokenTarget> {
        let reach = self.model.reach;
        let seeker = Seeker::of_services(monitor, reach.others);
        let scope = seeker.scope_under(self.confinement());
        let wanted = MonitorPort::of_endpoint(monitor.value.spec.endpoints.get(endpoint)?);
        let found = reach.services_of(&seeker, &scope);
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

/// The document of the resource of a job.
pub(crate) fn doc_of(model: &View<'_>, origin: JobOrigin<'_>) -> Option<DocId> {
    let (cluster, key) = (model.cluster, origin.key);
    match origin.kind {
        Kind::ServiceMonitor => cluster.service_monitors.get(key).map(|object| object.doc),
        Kind::PodMonitor => cluster.pod_monitors.get(key).map(|object| object.doc),
        Kind::Probe => cluster.probes.get(key).map(|object| object.doc),
        Kind::ScrapeConfig => cluster.scrape_configs.get(key).map(|object| object.doc),
        _ => None,
    }
}

/// Requests, each with one of the verbs of its need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests(pub(crate) BTreeSet<(Need, &'static str)>);

/// Answers to needs, each asked once.
pub(crate) struct Answers<'a> {
    pub(crate) authority: Authority<'a>,
    known: BTreeMap<Need, Vec<(&'static str, AccessVerdict)>>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(authority: Authority<'a>) -> Self {
        Self {
            authority,
            known: BTreeMap::new(),
        }
    }

    /// The answer for each verb.
    pub(crate) fn of(&mut self, need: &Need) -> &[(&'static str, AccessVerdict)] {
        if !self.known.contains_key(need) {
            let answer = |verb: &&'static str| (*verb, self.authority.may(verb, need));
            let answers = need.verbs().iter().map(answer).collect();
            self.known.insert(need.clone(), answers);
        }
        self.known.get(need).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is denied.
    pub(crate) fn lacks(&mut self, needs: impl IntoIterator<Item = Need>) -> Requests {
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

/// The maximum number of namespaces that a message names.
const MAX_NAMESPACES: usize = 6;

impl Requests {
    /// All that is needed.
    pub(crate) fn of(needs: &[Need]) -> Self {
        Self(
            needs
                .iter()
                .flat_map(|need| need.verbs().iter().map(|verb| (need.clone(), *verb)))
                .collect(),
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `list and watch endpoints, services and pods in shop; get the non-resource URL /metrics`.
    pub(crate) fn text(&self) -> String {
        let mut verbs: BTreeMap<&Need, Vec<&str>> = BTreeMap::new();
        for (need, verb) in &self.0 {
            verbs.entry(need).or_default().push(*verb);
        }
        // What is the same in several namespaces is said once.
        let mut in_namespace: BTreeMap<&str, BTreeMap<Vec<&str>, Vec<String>>> = BTreeMap::new();
        for (need, verbs) in verbs {
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

/// `a, b and c`.
pub(crate) fn and<T: AsRef<str>>(items: &[T]) -> String {
    let mut items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.pop() {
        None => String::new(),
        Some(last) if items.is_empty() => last.to_owned(),
        Some(last) => format!("{} and {last}", items.join(", ")),
    }
}

/// `ServiceMonitor shop/app`.
pub(crate) fn named(origin: JobOrigin<'_>) -> String {
    format!("{} {}", origin.kind.as_str(), origin.key)
}
