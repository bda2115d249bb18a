//! Prometheuses and PrometheusAgents, as those see them who do not ask which.
//!
//! In: the objects of a run. Out: what both have, with the place of it.

use promgen_compile::cluster::{Cluster, Key, Object};
use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::{Prometheus, PrometheusAgent};
use promgen_targets::resolve::Confinement;
use promgen_text::route::{At, DocId};

/// A Prometheus or PrometheusAgent of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ServerSpec<'c> {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its namespace and name.
    pub key: &'c Key,
    /// Its document.
    pub doc: DocId,
    /// What both kinds have.
    pub common: &'c CommonPrometheusFields,
    /// The whole, of a Prometheus.
    pub server: Option<&'c PrometheusSpec>,
}

impl<'c> ServerSpec<'c> {
    fn prometheus((key, object): (&'c Key, &'c Object<Prometheus>)) -> Self {
        let spec = &object.value.spec;
        Self {
            kind: WorkloadKind::Prometheus,
            key,
            doc: object.doc,
            common: &spec.common,
            server: Some(spec),
        }
    }

    fn agent((key, object): (&'c Key, &'c Object<PrometheusAgent>)) -> Self {
        Self {
            kind: WorkloadKind::PrometheusAgent,
            key,
            doc: object.doc,
            common: &object.value.spec.common,
            server: None,
        }
    }

    /// All of them: servers, then agents.
    pub fn all(cluster: &'c Cluster) -> impl Iterator<Item = Self> {
        let servers = cluster.prometheuses.iter().map(Self::prometheus);
        servers.chain(cluster.prometheus_agents.iter().map(Self::agent))
    }

    /// The one of that kind and `namespace/name`.
    pub fn find(cluster: &'c Cluster, kind: WorkloadKind, key: &str) -> Option<Self> {
        match kind {
            WorkloadKind::Prometheus => {
                let found = cluster.prometheuses.get_key_value(key);
                found.map(Self::prometheus)
            }
            WorkloadKind::PrometheusAgent => {
                let found = cluster.prometheus_agents.get_key_value(key);
                found.map(Self::agent)
            }
            WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => None,
        }
    }

    /// The place of its specification.
    pub fn spec(self) -> At {
        At::spec(self.doc)
    }

    /// The namespaces that it lets its monitors look into.
    pub fn confinement(self) -> Confinement {
        Confinement::of(self.common)
    }
}

/// The namespaces that a workload lets its monitors look into.
pub fn confinement(cluster: &Cluster, id: &WorkloadId) -> Confinement {
    ServerSpec::find(cluster, id.kind, &id.key()).map_or(Confinement::None, ServerSpec::confinement)
}
