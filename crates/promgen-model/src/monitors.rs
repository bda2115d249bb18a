//! ServiceMonitors and PodMonitors, as those see them who do not ask which.
//!
//! In: the objects of a run. Out: what both have, with the places of it, and what they select.

use std::collections::BTreeMap;

use promgen_compile::cluster::{Cluster, Object};
use promgen_resources::api::scraping::scrape::RelabelConfig;
use promgen_resources::api::{Kind, PodMonitor, ServiceMonitor};
use promgen_targets::resolve::labelled::{Matches, NamespaceScope};
use promgen_targets::resolve::others::Others;
use promgen_targets::resolve::port::MonitorPort;
use promgen_targets::resolve::{Seeker, WorkloadPaths};
use promgen_text::route::{At, DocId};

/// Returns whether jobs are made of resources of that kind.
pub const fn makes_jobs(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ServiceMonitor | Kind::PodMonitor | Kind::Probe | Kind::ScrapeConfig
    )
}

/// A ServiceMonitor or PodMonitor of a cluster.
#[derive(Clone, Copy, Debug)]
pub enum Monitor<'c> {
    /// It selects Services.
    OfServices(&'c Object<ServiceMonitor>),
    /// It selects pods.
    OfPods(&'c Object<PodMonitor>),
}

/// An endpoint of a monitor.
#[derive(Clone, Copy, Debug)]
pub struct MonitorEndpoint<'c> {
    monitor: Monitor<'c>,
    /// Its number in the list.
    pub index: usize,
    /// The rules for its targets.
    pub relabelings: Option<&'c Vec<RelabelConfig>>,
    /// The rules for the samples of its targets.
    pub metric_relabelings: Option<&'c Vec<RelabelConfig>>,
    /// The path that it requests.
    pub path: Option<&'c str>,
    /// The scheme of its requests.
    pub scheme: Option<&'c str>,
    /// The parameters of its requests.
    pub params: Option<&'c BTreeMap<String, Vec<String>>>,
}

impl<'c> Monitor<'c> {
    /// All of them: those of Services, then those of pods.
    pub fn all(cluster: &'c Cluster) -> impl Iterator<Item = Self> {
        let of_services = cluster.service_monitors.values().map(Self::OfServices);
        of_services.chain(cluster.pod_monitors.values().map(Self::OfPods))
    }

    /// The one of that kind and `namespace/name`.
    pub fn find(cluster: &'c Cluster, kind: Kind, key: &str) -> Option<Self> {
        match kind {
            Kind::ServiceMonitor => cluster.service_monitors.get(key).map(Self::OfServices),
            Kind::PodMonitor => cluster.pod_monitors.get(key).map(Self::OfPods),
            _ => None,
        }
    }

    /// Its document.
    pub const fn doc(self) -> DocId {
        match self {
            Self::OfServices(object) => object.doc,
            Self::OfPods(object) => object.doc,
        }
    }

    /// Its kind.
    pub const fn kind(self) -> Kind {
        match self {
            Self::OfServices(_) => Kind::ServiceMonitor,
            Self::OfPods(_) => Kind::PodMonitor,
        }
    }

    /// The field of its specification that lists its endpoints.
    pub const fn list(self) -> &'static str {
        match self {
            Self::OfServices(_) => "endpoints",
            Self::OfPods(_) => "podMetricsEndpoints",
        }
    }

    /// The class of its jobs, if it names one.
    pub fn class(self) -> Option<&'c str> {
        match self {
            Self::OfServices(object) => object.value.spec.scrape_class.as_deref(),
            Self::OfPods(object) => object.value.spec.scrape_class.as_deref(),
        }
    }

    /// What it looks for, and where.
    pub fn seeker(self, others: &Others) -> Seeker<'c> {
        match self {
            Self::OfServices(object) => Seeker::of_services(object, others),
            Self::OfPods(object) => Seeker::of_pods(object, others),
        }
    }

    /// The Services or pods that it selects.
    pub fn matches(
        self,
        reach: &WorkloadPaths<'_>,
        seeker: &Seeker<'_>,
        scope: &NamespaceScope<'_>,
    ) -> Matches {
        match self {
            Self::OfServices(_) => seeker.find(&reach.services, scope),
            Self::OfPods(_) => seeker.find(&reach.pods, scope),
        }
    }

    /// Its endpoints.
    pub fn endpoints(self) -> impl Iterator<Item = MonitorEndpoint<'c>> {
        let (of_services, of_pods) = match self {
            Self::OfServices(object) => (&*object.value.spec.endpoints, &[][..]),
            Self::OfPods(object) => {
                let endpoints = object.value.spec.pod_metrics_endpoints.as_deref();
                (&[][..], endpoints.unwrap_or_default())
            }
        };
        macro_rules! endpoint {
            ($index:ident, $endpoint:ident) => {
                MonitorEndpoint {
                    monitor: self,
                    index: $index,
                    relabelings: $endpoint.relabelings.as_ref(),
                    metric_relabelings: $endpoint.metric_relabelings.as_ref(),
                    path: $endpoint.path.as_deref(),
                    scheme: $endpoint.scheme.as_ref().map(|scheme| scheme.as_str()),
                    params: $endpoint.params.as_ref(),
                }
            };
        }
        let of_services = of_services.iter().enumerate();
        let of_services = of_services.map(move |(index, endpoint)| endpoint!(index, endpoint));
        let of_pods = of_pods.iter().enumerate();
        of_services.chain(of_pods.map(move |(index, endpoint)| endpoint!(index, endpoint)))
    }
}

impl MonitorEndpoint<'_> {
    /// Its place.
    pub fn at(&self) -> At {
        let spec = At::spec(self.monitor.doc());
        spec.key(self.monitor.list()).index(self.index)
    }

    /// The port that it names. `None` if it accepts any.
    pub fn port(&self) -> Option<MonitorPort> {
        match self.monitor {
            Monitor::OfServices(object) => {
                MonitorPort::of_endpoint(object.value.spec.endpoints.get(self.index)?)
            }
            Monitor::OfPods(object) => {
                let endpoints = object.value.spec.pod_metrics_endpoints.as_ref()?;
                MonitorPort::of_pod_endpoint(endpoints.get(self.index)?)
            }
        }
    }
}
