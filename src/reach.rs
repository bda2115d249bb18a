//! What leads where: from a workload to the resources that it selects, from those to services, and from there to pods.
//!
//! In: the objects of a run, those beside them that promgen does not compile, and what was generated. Out: what matches,
//! and where nothing does, what comes nearest. Both what `lint` says of a break and what `explain` shows of it come from
//! here. Reports nothing by itself.

pub(crate) mod choose;
pub(crate) mod labelled;
pub(crate) mod near;
pub(crate) mod others;
pub(crate) mod port;
mod service;

use std::collections::BTreeSet;

use crate::api::{LabelSelector, NamespaceSelector, PodMonitor, ServiceMonitor};
use crate::cluster::{Cluster, Object};
use crate::labels::Selector;
use crate::output::Workload;
use choose::Chooser;
use labelled::{Found, Labelled, Scope};
use near::Near;
use others::{Others, Pods};
pub(crate) use service::{Service, ServicePort};

/// The ways from workloads to pods.
#[derive(Debug)]
pub(crate) struct Reach<'a> {
    /// Every selector of every workload.
    pub(crate) choosers: Vec<Chooser<'a>>,
    /// Services: of the input, then those that are generated.
    pub(crate) services: Labelled<Service>,
    /// Pods, and templates of pods: of the input, then those that are generated.
    pub(crate) pods: Labelled<Pods>,
    /// What else the input holds.
    pub(crate) others: &'a Others,
}

/// Who looks for targets: namespace, name, and what it says of namespaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeker<'m> {
    /// Its namespace.
    pub(crate) namespace: &'m str,
    /// Its name.
    pub(crate) name: &'m str,
    /// The namespaces that it looks into.
    pub(crate) namespaces: Option<&'m NamespaceSelector>,
    /// The labels that it looks for.
    pub(crate) selector: &'m LabelSelector,
}

impl<'m> Seeker<'m> {
    /// A ServiceMonitor.
    pub(crate) fn of_services(monitor: &'m Object<ServiceMonitor>) -> Self {
        let spec = &monitor.value.spec;
        Self {
            namespace: monitor.namespace(),
            name: &monitor.value.metadata.name,
            namespaces: spec.namespace_selector.as_ref(),
            selector: &spec.selector,
        }
    }

    /// A PodMonitor.
    pub(crate) fn of_pods(monitor: &'m Object<PodMonitor>) -> Self {
        let spec = &monitor.value.spec;
        Self {
            namespace: monitor.namespace(),
            name: &monitor.value.metadata.name,
            namespaces: spec.namespace_selector.as_ref(),
            selector: &spec.selector,
        }
    }

    /// The namespaces that it looks into. A workload may confine it to its own.
    pub(crate) fn scope(&self, is_confined: bool) -> Scope<'m> {
        let own = || Scope::Names(BTreeSet::from([self.namespace]));
        match self.namespaces {
            Some(_) if is_confined => own(),
            Some(namespaces) if namespaces.any == Some(true) => Scope::Any,
            Some(NamespaceSelector { match_names: Some(names), .. }) if !names.is_empty() => {
                Scope::Names(names.iter().map(String::as_str).collect())
            }
            Some(_) | None => own(),
        }
    }
}

impl<'a> Reach<'a> {
    /// Makes the indexes.
    pub(crate) fn new(cluster: &'a Cluster, others: &'a Others, workloads: &[Workload]) -> Self {
        let given = cluster.services.values().map(Service::of_object);
        let objects = || workloads.iter().flat_map(|workload| &workload.objects);
        let services = objects().filter(|object| object.body.kind() == "Service");
        let services = services.filter_map(|object| Service::of_value(&object.value()));
        let pods = objects().filter(|object| matches!(object.body.kind(), "StatefulSet" | "DaemonSet"));
        let pods = pods.filter_map(|object| Pods::of_value(&object.value()));
        Self {
            choosers: choose::choosers(cluster),
            services: Labelled::new(given.chain(services).collect()),
            pods: Labelled::new(others.pods.iter().cloned().chain(pods).collect()),
            others,
        }
    }

    /// The services that a ServiceMonitor selects. Nothing if its selector does not parse.
    pub(crate) fn services_of(&self, seeker: &Seeker<'_>, scope: &Scope<'_>) -> Found {
        Selector::new(seeker.selector).map(|selector| self.services.find(scope, &selector)).unwrap_or_default()
    }

    /// The pods that a PodMonitor selects.
    pub(crate) fn pods_of(&self, seeker: &Seeker<'_>, scope: &Scope<'_>) -> Found {
        Selector::new(seeker.selector).map(|selector| self.pods.find(scope, &selector)).unwrap_or_default()
    }

    /// The pods behind a service. Nothing where it names none, as somebody else tells its addresses then.
    pub(crate) fn pods_behind(&self, service: &Service) -> Found {
        let Some(selector) = service.pod_selector() else { return Found::default() };
        self.pods.find(&Scope::one(&service.namespace), &selector)
    }

    /// The pods that come nearest to those behind a service.
    pub(crate) fn near_pods_behind(&self, service: &Service) -> Option<Near<'_, Pods>> {
        let selector = service.pod_selector()?;
        near::nearest(&self.pods, &Scope::one(&service.namespace), &selector, &service.name)
    }
}
