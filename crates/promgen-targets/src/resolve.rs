//! Follows selectors: from a workload to the resources that it selects, from these to services, and from services to
//! pods.
//!
//! In: the objects of a run, other objects in the input, and generated objects. Out: the matches of a selector, or else
//! the nearest candidates. Both `lint` and `explain` use this. Reports no findings.

pub mod built_in;
pub mod labelled;
pub mod near;
pub mod others;
pub mod port;
mod service;

use labelled::{LabelIndex, Matches, NamespaceScope, Selectable};
use near::Near;
use others::{IngressSource, Others, PodSource};
use promgen_compile::cluster::{Cluster, Object};
use promgen_compile::output::Workload;
use promgen_compile::select::selector::{WorkloadSelector, selectors};
use promgen_prometheus::labels::Selector;
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::{
    LabelSelector, NamespaceSelector, PodMonitor, Probe, Resource, ServiceMonitor,
};
use promgen_text::route::{At, DocId};
pub use service::ResolvedService;

/// The ways from workloads to pods.
#[derive(Debug)]
pub struct WorkloadPaths<'a> {
    /// Every selector of every workload.
    pub selectors: Vec<WorkloadSelector<'a>>,
    /// The selectors of workloads that the API server refuses.
    pub refused: Vec<WorkloadSelector<'a>>,
    /// Services: in the input, then those that are generated.
    pub services: LabelIndex<ResolvedService>,
    /// Pods, and templates of pods: in the input, then those that are generated.
    pub pods: LabelIndex<PodSource>,
    /// Ingresses in the input.
    pub ingresses: LabelIndex<IngressSource>,
    /// The other objects in the input.
    pub others: &'a Others,
}

/// The namespaces that a workload lets its monitors look into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// The namespaces that the monitor selects.
    None,
    /// The monitor's own, whatever it selects: `ignoreNamespaceSelectors`.
    OwnNamespace,
}

impl Confinement {
    /// That of a Prometheus or agent.
    #[must_use]
    pub fn of(common: &CommonPrometheusFields) -> Self {
        match common.ignore_namespace_selectors {
            Some(true) => Self::OwnNamespace,
            Some(false) | None => Self::None,
        }
    }
}

/// A monitor: its namespace, its name, and its namespace selector.
#[derive(Clone, Copy, Debug)]
pub struct Seeker<'m> {
    /// Its namespace.
    pub namespace: &'m str,
    /// Its name.
    pub name: &'m str,
    /// It may be in any namespace, because nobody says in which one.
    pub is_anywhere: bool,
    /// The namespaces that it looks into.
    pub namespaces: Option<&'m NamespaceSelector>,
    /// Its label selector.
    pub selector: &'m LabelSelector,
    /// The fields below its specification that both selectors stand in.
    fields: &'static [&'static str],
}

impl<'m> Seeker<'m> {
    fn of<T: Resource>(
        monitor: &'m Object<T>,
        others: &Others,
        namespaces: Option<&'m NamespaceSelector>,
        selector: &'m LabelSelector,
    ) -> Self {
        Self {
            namespace: monitor.namespace(),
            is_anywhere: others.adrift.contains(&monitor.doc),
            name: &monitor.value.metadata().name,
            namespaces,
            selector,
            fields: &[],
        }
    }

    /// A Probe. `None` if it selects no Ingresses.
    pub fn of_ingresses(monitor: &'m Object<Probe>, others: &Others) -> Option<Self> {
        let targets = monitor.value.spec.targets.as_ref()?;
        let ingress = targets.ingress.as_ref();
        let ingress = ingress.filter(|_| targets.static_config.is_none())?;
        let namespaces = ingress.namespace_selector.as_ref();
        Some(Self {
            fields: &["targets", "ingress"],
            ..Self::of(monitor, others, namespaces, ingress.selector.as_ref()?)
        })
    }

    /// The place of its label selector, in the document of the monitor.
    #[must_use]
    pub fn selector_at(&self, monitor: DocId) -> At {
        self.at(monitor, "selector")
    }

    /// The place of its namespace selector, in the document of the monitor.
    #[must_use]
    pub fn namespaces_at(&self, monitor: DocId) -> At {
        self.at(monitor, "namespaceSelector")
    }

    fn at(&self, monitor: DocId, field: &'static str) -> At {
        let fields = self.fields.iter();
        fields
            .fold(At::spec(monitor), |at, field| at.key(*field))
            .key(field)
    }

    /// A ServiceMonitor.
    pub fn of_services(monitor: &'m Object<ServiceMonitor>, others: &Others) -> Self {
        let spec = &monitor.value.spec;
        Self::of(
            monitor,
            others,
            spec.namespace_selector.as_deref(),
            &spec.selector,
        )
    }

    /// A PodMonitor.
    pub fn of_pods(monitor: &'m Object<PodMonitor>, others: &Others) -> Self {
        let spec = &monitor.value.spec;
        Self::of(
            monitor,
            others,
            spec.namespace_selector.as_deref(),
            &spec.selector,
        )
    }

    /// The namespaces that it looks into, as far as it says.
    pub fn scope(&self) -> NamespaceScope<'m> {
        self.scope_under(Confinement::None)
    }

    /// The namespaces that it looks into, for a workload that may confine it to its own.
    pub fn scope_under(&self, confinement: Confinement) -> NamespaceScope<'m> {
        let own = || match self.is_anywhere {
            true => NamespaceScope::Any,
            false => NamespaceScope::one(self.namespace),
        };
        match self.namespaces {
            Some(_) if confinement == Confinement::OwnNamespace => own(),
            Some(namespaces) if namespaces.any == Some(true) => NamespaceScope::Any,
            Some(NamespaceSelector {
                match_names: Some(names),
                ..
            }) if !names.is_empty() => {
                NamespaceScope::Names(names.iter().map(String::as_str).collect())
            }
            Some(_) | None => own(),
        }
    }

    /// What it selects in a place. Nothing if its selector does not parse.
    pub fn find<T: Selectable>(
        &self,
        things: &LabelIndex<T>,
        scope: &NamespaceScope<'_>,
    ) -> Matches {
        Selector::new(self.selector)
            .map(|selector| things.find(scope, &selector))
            .unwrap_or_default()
    }
}

impl<'a> WorkloadPaths<'a> {
    /// Makes the indexes.
    pub fn new(cluster: &'a Cluster, others: &'a Others, workloads: &[&Workload]) -> Self {
        let given = cluster
            .services
            .values()
            .map(|service| ResolvedService::of_object(service, &others.adrift));
        let objects = || {
            workloads
                .iter()
                .flat_map(|of| of.objects.iter().map(|object| (object, &*of.id.namespace)))
        };
        let services = objects().filter(|(object, _)| object.body.kind() == "Service");
        let services = services.filter_map(|(object, namespace)| {
            ResolvedService::of_value(&object.value(), namespace)
        });
        let pods = objects().filter(|(object, _)| object.makes_pods());
        let pods =
            pods.filter_map(|(object, namespace)| PodSource::of_value(&object.value(), namespace));
        Self {
            selectors: selectors(cluster),
            refused: cluster
                .refused
                .workloads()
                .map(selectors)
                .unwrap_or_default(),
            services: LabelIndex::new(given.chain(services).collect()),
            pods: LabelIndex::new(others.pods.iter().cloned().chain(pods).collect()),
            ingresses: LabelIndex::new(others.ingresses.clone()),
            others,
        }
    }

    /// The pods that a service selects. None for a service without a selector: its addresses come from elsewhere.
    pub fn pods_behind(&self, service: &ResolvedService) -> Matches {
        let Some(selector) = service.pod_selector() else {
            return Matches::default();
        };
        self.pods.find(&service.scope(), &selector)
    }

    /// The pods behind a service that every cluster has.
    pub fn built_in_pods_behind(
        &self,
        service: &ResolvedService,
    ) -> Option<&'static built_in::BuiltIn> {
        built_in::pods(&service.scope(), &service.pod_selector()?)
    }

    /// The pods that almost match the selector of a service.
    pub fn near_pods_behind(&self, service: &ResolvedService) -> Option<Near<'_, PodSource>> {
        let selector = service.pod_selector()?;
        let scope = service.scope();
        near::nearest(&self.pods, &scope, &selector, service.name(), &|_| true)
            .or_else(|| near::generated(&self.pods, &scope, &selector))
    }
}
