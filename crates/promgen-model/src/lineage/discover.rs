//! The targets that jobs can discover in Kubernetes, as far as the input tells: from Services and pods, or templates of pods.
//!
//! In: an entry of `kubernetes_sd_configs`, and the objects in the input. Out: labels before relabeling, once for each sort of
//! targets. Where the input has no Services or pods of a namespace, there is one sort of which nothing but the namespace is
//! known.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use crate::lineage::exporters::{ExporterProgram, KnownExporter, has_own_metrics, name_and_tag};
use crate::lineage::labels::SeriesLabels;
use crate::lineage::values::LabelValues;
use promgen_compile::cluster::Cluster;
use promgen_prometheus::config::sanitize;
use promgen_prometheus::labels::{Operator, Selector};
use promgen_resources::api::{IntOrString, ServicePort};
use promgen_resources::http_config::filled;
use promgen_targets::discovery::{DiscoveryRole, Query};
use promgen_targets::resolve::built_in;
use promgen_targets::resolve::labelled::{NamespaceScope, Selectable};
use promgen_targets::resolve::others::{OF_CONTROLLERS, PodPort, PodSource};
use promgen_targets::resolve::{ResolvedService, WorkloadPaths};

/// The prefix of the labels of Kubernetes.
const META: &str = "__meta_kubernetes_";

/// The longest name of a workload whose pods surely begin with it: a longer one is cut.
const MAX_NAME: usize = 40;

/// The labels that a controller or the cluster adds, of which a template tells nothing.
const OPEN_FAMILIES: &[&str] = &[
    "__meta_kubernetes_endpoints_",
    "__meta_kubernetes_endpointslice_label",
    "__meta_kubernetes_endpointslice_annotation",
    "__meta_kubernetes_namespace_",
    "__meta_kubernetes_node_",
    "__meta_kubernetes_pod_annotation",
];

/// The objects that jobs discover from.
#[derive(Clone, Copy, Debug)]
pub struct DiscoverableObjects<'a> {
    /// The typed objects.
    pub cluster: &'a Cluster,
    /// Services and pods.
    pub reach: &'a WorkloadPaths<'a>,
    /// The namespaces of which the input may lack Services or pods, though it has some.
    pub open_namespaces: &'a BTreeSet<String>,
    /// The exporters of which the input says what they make.
    pub exporters: &'a [Arc<KnownExporter>],
}

/// A program of which it is known what it exposes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exporter {
    /// Any other.
    Unknown,
    /// One that is known to expose nothing that begins with `kube_` or `node_`.
    OfOwnMetrics,
    /// kube-state-metrics: metrics that begin with `kube_`, without the labels `job` and `instance`.
    StateMetrics,
    /// One whose release and arguments are known.
    Known(Arc<KnownExporter>),
    /// The kubelet and its cAdvisor: metrics without the labels `job` and `instance`.
    Kubelet,
}

impl Exporter {
    /// Returns whether it may expose a metric.
    #[must_use]
    pub fn may_expose(&self, metric: &str) -> bool {
        let is_of_state_metrics = || metric.starts_with("kube_");
        match self {
            Self::Unknown | Self::Kubelet => true,
            Self::OfOwnMetrics => !is_of_state_metrics() && !metric.starts_with("node_"),
            Self::StateMetrics => is_of_state_metrics(),
            Self::Known(known) => match known.program {
                ExporterProgram::StateMetrics => {
                    is_of_state_metrics() && known.lack(metric).is_none()
                }
                // Without text files, all that it collects begins with `node_`.
                ExporterProgram::Node => !is_of_state_metrics() && known.lack(metric).is_none(),
            },
        }
    }

    /// Returns whether it may expose a label.
    #[must_use]
    pub fn may_label(&self, label: &str) -> bool {
        let is_any = match self {
            Self::Unknown | Self::OfOwnMetrics => true,
            Self::Known(known) => known.program == ExporterProgram::Node,
            Self::StateMetrics | Self::Kubelet => false,
        };
        is_any || !matches!(label, "job" | "instance")
    }

    /// The exporter whose release and arguments are known, if it is one.
    #[must_use]
    pub fn known(&self) -> Option<&KnownExporter> {
        match self {
            Self::Known(known) => Some(known),
            Self::Unknown | Self::OfOwnMetrics | Self::StateMetrics | Self::Kubelet => None,
        }
    }
}

/// Targets of one sort.
#[derive(Clone, Debug)]
pub struct TargetSort {
    /// Their labels before relabeling.
    pub labels: SeriesLabels,
    /// Their kind, if it is known.
    pub exporter: Exporter,
    /// The input does not tell whether there is any.
    pub is_guess: bool,
    /// There is none: `replicas: 0`, and no autoscaler starts some.
    pub is_stopped: bool,
}

/// The objects that a monitor selects.
#[derive(Clone, Debug)]
pub struct SoughtObjects {
    /// Its selector.
    pub selector: Selector,
}

impl SoughtObjects {
    /// Sets the labels that every selected object has.
    fn demand(&self, labels: &mut SeriesLabels, word: &str) {
        for requirement in self.selector.requirements() {
            if !matches!(requirement.operator, Operator::Equals | Operator::In) {
                continue;
            }
            let values = LabelValues::of(requirement.values.iter().cloned());
            set_metadata(labels, &format!("{word}_label"), &requirement.key, values);
        }
    }
}

/// Sets a label of an object, or an annotation, and that it is there.
fn set_metadata(labels: &mut SeriesLabels, family: &str, name: &str, values: LabelValues) {
    let name = sanitize(name);
    labels.set(format!("{META}{family}_{name}"), values);
    labels.set_text(format!("{META}{family}present_{name}"), "true");
}

impl TargetSort {
    /// Targets that the input has.
    fn known(labels: SeriesLabels, exporter: &Exporter) -> Self {
        Self {
            labels,
            exporter: exporter.clone(),
            is_guess: false,
            is_stopped: false,
        }
    }
}

/// The word of a role in the labels of addresses.
fn address_word(role: DiscoveryRole) -> &'static str {
    if role == DiscoveryRole::EndpointSlice {
        "endpointslice"
    } else {
        "endpoint"
    }
}

impl DiscoverableObjects<'_> {
    /// The sorts of targets of a query. `sought`: what the first rules of the job keep.
    #[must_use]
    pub fn sorts(&self, query: &Query, sought: Option<&SoughtObjects>) -> Vec<TargetSort> {
        let scope = match query.namespaces.is_empty() {
            true => NamespaceScope::Any,
            false => NamespaceScope::Names(query.namespaces.iter().map(String::as_str).collect()),
        };
        let mut sorts = match query.role {
            DiscoveryRole::Endpoints | DiscoveryRole::EndpointSlice | DiscoveryRole::Service => {
                self.of_services(query.role, &scope, sought)
            }
            DiscoveryRole::Pod => self.of_pods(&scope, sought),
            DiscoveryRole::Ingress | DiscoveryRole::Node => Vec::new(),
        };
        let is_found = !sorts.is_empty();
        sorts.extend(self.unknown(query.role, &scope, sought, is_found));
        sorts
    }

    /// The sorts of which the input has nothing.
    fn unknown(
        &self,
        role: DiscoveryRole,
        scope: &NamespaceScope<'_>,
        sought: Option<&SoughtObjects>,
        is_found: bool,
    ) -> Vec<TargetSort> {
        let is_pod = role == DiscoveryRole::Pod;
        let is_other = matches!(role, DiscoveryRole::Ingress | DiscoveryRole::Node);
        let is_built_in = |scope: &NamespaceScope<'_>| match sought {
            Some(sought) if is_pod => built_in::pods(scope, &sought.selector).is_some(),
            Some(sought) => built_in::service(scope, &sought.selector).is_some(),
            None => match scope {
                NamespaceScope::Any => true,
                NamespaceScope::Names(names) => {
                    names.contains("kube-system") || names.contains("default")
                }
            },
        };
        let has_some = |scope: &NamespaceScope<'_>| match is_pod {
            true => self.reach.pods.count(scope) > 0,
            false => self.reach.services.count(scope) > 0,
        };
        let kubelet = sought
            .filter(|_| !is_pod)
            .and_then(|sought| built_in::service(scope, &sought.selector));
        let is_kubelet = kubelet.is_some_and(|service| service.name == "kubelet");
        let exporter = if is_kubelet {
            Exporter::Kubelet
        } else {
            Exporter::Unknown
        };
        let guess = |namespace: LabelValues| {
            let mut labels = SeriesLabels::closed();
            labels.leave_open(META);
            labels.set("__address__", LabelValues::something());
            labels.set(format!("{META}namespace"), namespace);
            sought.into_iter().for_each(|sought| {
                sought.demand(&mut labels, if is_pod { "pod" } else { "service" })
            });
            without_endpoints(&mut labels, role);
            TargetSort {
                labels,
                exporter: exporter.clone(),
                is_guess: true,
                is_stopped: false,
            }
        };
        match scope {
            NamespaceScope::Any => {
                let is_known = !is_other && is_found && sought.is_some() && !is_built_in(scope);
                if is_known {
                    Vec::new()
                } else {
                    vec![guess(LabelValues::something())]
                }
            }
            NamespaceScope::Names(names) => {
                let is_known = |name: &&&str| {
                    let one = NamespaceScope::one(name);
                    let is_whole = !self.open_namespaces.contains(**name);
                    !is_other && is_whole && has_some(&one) && !is_built_in(&one)
                };
                names
                    .iter()
                    .filter(|name| !is_known(name))
                    .map(|name| guess(LabelValues::exact(name)))
                    .collect()
            }
        }
    }

    fn of_services(
        &self,
        role: DiscoveryRole,
        scope: &NamespaceScope<'_>,
        sought: Option<&SoughtObjects>,
    ) -> Vec<TargetSort> {
        let services = &self.reach.services;
        let selector = sought.map(|sought| &sought.selector);
        let found = services.matching(scope, selector);
        found
            .flat_map(|service| self.of_service(role, service))
            .collect()
    }

    fn of_service(&self, role: DiscoveryRole, service: &ResolvedService) -> Vec<TargetSort> {
        let shared = service_labels(service);
        if role == DiscoveryRole::Service {
            let mut labels = shared;
            labels.leave_open("__meta_kubernetes_service_");
            return vec![TargetSort::known(labels, &Exporter::Unknown)];
        }
        let behind = self.reach.pods_behind(service);
        let pods = self.reach.pods.all(&behind);
        let is_state_metrics = service
            .labels()
            .get("app.kubernetes.io/name")
            .is_some_and(|n| n == "kube-state-metrics");
        let exporter = if is_state_metrics {
            Exporter::StateMetrics
        } else {
            Exporter::Unknown
        };
        if pods.is_empty() {
            let of_port = |port| {
                let mut labels = shared.clone();
                name_port(&mut labels, role, port);
                labels.leave_open("__meta_kubernetes_pod_");
                labels.leave_open("__meta_kubernetes_endpoint_address_");
                labels.leave_open("__meta_kubernetes_endpointslice_address_");
                TargetSort::known(labels, &exporter)
            };
            return service.ports().iter().map(of_port).collect();
        }
        let of_pod = |pod| of_service_and_pod(role, service, &shared, pod, &self.exporter(pod));
        pods.into_iter().flat_map(of_pod).collect()
    }

    fn of_pods(
        &self,
        scope: &NamespaceScope<'_>,
        sought: Option<&SoughtObjects>,
    ) -> Vec<TargetSort> {
        let pods = &self.reach.pods;
        let found = pods.matching(scope, sought.map(|sought| &sought.selector));
        found
            .flat_map(|pod| of_pod(pod, &self.exporter(pod)))
            .collect()
    }

    /// The programs that pods run.
    fn exporter(&self, pod: &PodSource) -> Exporter {
        let program = pod
            .containers()
            .find_map(|container| ExporterProgram::of_image(&container.image));
        let is_kept = is_kept_by_controller(&pod.kind);
        let is_whole = is_kept && pod.containers().all(|of| is_part(&of.image));
        let has_known_images = |pod: &PodSource| {
            let mut images = pod.containers().map(|of| &*of.image);
            pod.containers().next().is_some()
                && images.all(|image| is_part(image) || has_own_metrics(image))
        };
        let known = self
            .exporters
            .iter()
            .find(|known| is_whole && Some(known.program) == program);
        match (known, program) {
            (Some(known), _) => Exporter::Known(Arc::clone(known)),
            (None, Some(ExporterProgram::StateMetrics)) => Exporter::StateMetrics,
            (None, None) if is_kept && has_known_images(pod) => Exporter::OfOwnMetrics,
            (None, Some(ExporterProgram::Node) | None) => Exporter::Unknown,
        }
    }
}

/// Returns whether a container is an exporter of the table, or a proxy in front of one, which exposes nothing of
/// either.
fn is_part(image: &str) -> bool {
    let is_proxy = matches!(name_and_tag(image).0, "kube-rbac-proxy" | "oauth2-proxy");
    is_proxy || ExporterProgram::of_image(image).is_some()
}

/// Returns whether the pods of a kind are those of the exporters in the input.
#[must_use]
pub fn is_kept_by_controller(kind: &str) -> bool {
    matches!(kind, "Deployment" | "StatefulSet" | "DaemonSet")
}

/// The targets of a pod behind a Service.
fn of_service_and_pod(
    role: DiscoveryRole,
    service: &ResolvedService,
    shared: &SeriesLabels,
    pod: &PodSource,
    exporter: &Exporter,
) -> Vec<TargetSort> {
    let (mut sorts, mut covered) = (Vec::new(), BTreeSet::new());
    let word = address_word(role);
    let mut add = |port: Option<&ServicePort>, own: Option<PodPort<'_>>| {
        let mut labels = shared.clone();
        pod_labels(&mut labels, pod);
        if let Some(port) = port {
            name_port(&mut labels, role, port);
            labels.set_text(format!("{META}{word}_address_target_kind"), "Pod");
            labels.set(format!("{META}{word}_address_target_name"), pod_name(pod));
        }
        if let Some(own) = own {
            container_labels(&mut labels, pod, own.container);
            port_labels(&mut labels, own);
        }
        let known = TargetSort::known(labels, exporter);
        sorts.push(TargetSort {
            is_stopped: pod.is_stopped,
            ..known
        });
    };
    for port in service.ports() {
        if let Some(number) = number_of(port, pod) {
            covered.insert(number);
            add(Some(port), pod.ports().find(|own| own.number == number));
        }
    }
    // Prometheus adds the ports of the pods that the Service does not have.
    let others = pod.ports().filter(|own| !covered.contains(&own.number));
    others.for_each(|own| add(None, Some(own)));
    sorts
}

fn of_pod(pod: &PodSource, exporter: &Exporter) -> Vec<TargetSort> {
    let mut shared = base(pod.namespace(), pod.is_anywhere());
    pod_labels(&mut shared, pod);
    let mut sorts = Vec::new();
    for container in pod.containers() {
        let mut labels = shared.clone();
        container_labels(&mut labels, pod, &container.name);
        let mut ports = pod
            .ports()
            .filter(|port| port.container == container.name)
            .peekable();
        if ports.peek().is_none() {
            sorts.push(TargetSort::known(labels, exporter));
            continue;
        }
        for port in ports {
            let mut labels = labels.clone();
            port_labels(&mut labels, port);
            sorts.push(TargetSort::known(labels, exporter));
        }
    }
    for sort in &mut sorts {
        sort.is_stopped = pod.is_stopped;
    }
    sorts
}

fn base(namespace: &str, is_anywhere: bool) -> SeriesLabels {
    let mut labels = SeriesLabels::closed();
    let namespace = if is_anywhere {
        LabelValues::something()
    } else {
        LabelValues::exact(namespace)
    };
    labels.set(format!("{META}namespace"), namespace);
    labels.set("__address__", LabelValues::something());
    OPEN_FAMILIES
        .iter()
        .for_each(|family| labels.leave_open(family));
    labels
}

fn service_labels(service: &ResolvedService) -> SeriesLabels {
    let mut labels = base(service.namespace(), service.is_anywhere());
    labels.set_text(format!("{META}service_name"), service.name());
    for (word, entries) in [
        ("label", Some(service.labels())),
        ("annotation", service.annotations()),
    ] {
        for (name, value) in entries.into_iter().flatten() {
            let values = LabelValues::exact(value);
            set_metadata(&mut labels, &format!("service_{word}"), name, values);
        }
    }
    labels
}

/// The name of a port of a Service.
fn name_port(labels: &mut SeriesLabels, role: DiscoveryRole, port: &ServicePort) {
    let name = filled(port.name.as_deref()).unwrap_or_default();
    let protocol = filled(port.protocol.as_deref()).unwrap_or("TCP");
    let word = address_word(role);
    labels.set_text(format!("{META}{word}_port_name"), name);
    labels.set_text(format!("{META}{word}_port_protocol"), protocol);
    labels.set(format!("{META}{word}_port"), LabelValues::anything());
    for open in [
        "endpoint_ready",
        "endpoint_node_name",
        "endpoint_hostname",
        "endpointslice_name",
    ] {
        labels.set(format!("{META}{open}"), LabelValues::anything());
    }
    labels.leave_open("__meta_kubernetes_endpointslice_endpoint_");
    labels.leave_open("__meta_kubernetes_endpointslice_address_type");
    without_endpoints(labels, role);
}

/// Takes away the labels of Endpoints, which a role of slices lacks.
fn without_endpoints(labels: &mut SeriesLabels, role: DiscoveryRole) {
    const OF_ENDPOINTS: [&str; 8] = [
        "endpoint_address_target_kind",
        "endpoint_address_target_name",
        "endpoint_hostname",
        "endpoint_node_name",
        "endpoint_port_name",
        "endpoint_port_protocol",
        "endpoint_ready",
        "endpoints_name",
    ];
    if role == DiscoveryRole::EndpointSlice {
        let names = OF_ENDPOINTS.iter().map(|name| format!("{META}{name}"));
        names.for_each(|name| labels.set(name, LabelValues::absent()));
    }
}

/// The number of the port of a pod that a port of its Service leads to. `None` if it has no port of that name.
fn number_of(port: &ServicePort, pod: &PodSource) -> Option<i64> {
    match &port.target_port {
        None | Some(IntOrString::Int(0)) => Some(port.port.into()),
        Some(IntOrString::Int(number)) => Some(*number),
        Some(IntOrString::String(text)) => match text.parse() {
            Ok(number) => Some(number),
            Err(_) => pod
                .ports()
                .find(|own| own.name == *text)
                .map(|own| own.number),
        },
    }
}

/// The labels of which a pod in the input says nothing, with what they may be.
static OF_RUNNING_PODS: LazyLock<Vec<(String, LabelValues)>> = LazyLock::new(|| {
    let something = ["ip", "host_ip", "uid", "node_name", "ready"];
    let anything = [
        "controller_kind",
        "controller_name",
        "deployment_name",
        "job_name",
        "cronjob_name",
        "container_id",
    ];
    let of_controllers = OF_CONTROLLERS.iter().map(|name| sanitize(name));
    let of_controllers =
        of_controllers.flat_map(|name| [format!("label_{name}"), format!("labelpresent_{name}")]);
    let anything = anything
        .map(str::to_owned)
        .into_iter()
        .chain(of_controllers);
    let something = something.map(|name| (format!("{META}pod_{name}"), LabelValues::something()));
    let anything = anything.map(|name| (format!("{META}pod_{name}"), LabelValues::anything()));
    something.into_iter().chain(anything).collect()
});

fn pod_labels(labels: &mut SeriesLabels, pod: &PodSource) {
    labels.set(format!("{META}pod_name"), pod_name(pod));
    labels.set_text(format!("{META}pod_phase"), "Running");
    for (name, value) in pod.labels() {
        set_metadata(labels, "pod_label", name, LabelValues::exact(value));
    }
    for (name, values) in &*OF_RUNNING_PODS {
        labels.set(name.clone(), values.clone());
    }
}

/// The names of pods: what makes them adds to its own.
fn pod_name(pod: &PodSource) -> LabelValues {
    match pod.kind.as_str() {
        "Pod" => LabelValues::exact(pod.name()),
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob"
            if pod.name().len() <= MAX_NAME =>
        {
            LabelValues::beginning(&format!("{}-", pod.name()))
        }
        _ => LabelValues::something(),
    }
}

fn container_labels(labels: &mut SeriesLabels, pod: &PodSource, container: &str) {
    labels.set_text(format!("{META}pod_container_name"), container);
    labels.set(
        format!("{META}pod_container_init"),
        LabelValues::of(["true".to_owned(), "false".to_owned()]),
    );
    let image = pod
        .containers()
        .find(|of| of.name == container)
        .map(|of| of.image.as_str());
    labels.set_text(
        format!("{META}pod_container_image"),
        image.unwrap_or_default(),
    );
}

fn port_labels(labels: &mut SeriesLabels, port: PodPort<'_>) {
    labels.set_text(format!("{META}pod_container_port_name"), port.name);
    labels.set_text(
        format!("{META}pod_container_port_number"),
        &port.number.to_string(),
    );
    labels.set(
        format!("{META}pod_container_port_protocol"),
        LabelValues::something(),
    );
}

/// Returns whether an image is that of kube-state-metrics.
#[must_use]
pub fn is_state_metrics_image(image: &str) -> bool {
    ExporterProgram::of_image(image) == Some(ExporterProgram::StateMetrics)
}
