//! Prometheus' service discovery: targets with their labels before relabeling.
//!
//! In: the Kubernetes objects of a run, and the query of a job. Out: target groups as Prometheus' own
//! `discovery/kubernetes` creates them, label for label, in a fixed order. [`job`] discovers the targets of a whole job
//! of a configuration, with static targets and the labels of the scrape; [`given`] reads targets from a file. Neither
//! relabels targets or assigns shards.
//!
//! Two things differ from a live server: defaults of the API server, such as the protocol of a port, are not filled in,
//! as recorded objects contain them; and there is only one API server.

use promgen_text::CollectOrdered;
pub(crate) mod derived;
mod role;

pub mod given;
pub mod job;
mod needed;
mod object;
pub mod query;
mod scope;
pub mod shared;
mod store;
#[cfg(test)]
mod tests;
mod text;

use crate::discovery::role::endpoints;
use crate::discovery::role::endpointslice;
use crate::discovery::role::ingress;
use crate::discovery::role::node;
use crate::discovery::role::pod;
use crate::discovery::role::service;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use promgen_compile::cluster::{Cluster, Key};
use promgen_resources::api::{Namespace, Pod, Service, ServicePort};
use promgen_resources::document::Manifests;
use promgen_text::shared::Shared;
use promgen_text::source::Span;

use needed::{NeededLabels, ServicesByLabel};
use object::{
    DiscoveredEndpointSlice, DiscoveredEndpoints, DiscoveredIngress, DiscoveredJob, DiscoveredNode,
    DiscoveredObject as _, DiscoveredReplicaSet,
};
pub use query::{AttachedMetadata, DiscoveryRole, Query};
use scope::QueryScope;
pub use text::{TargetLabels, Text, label_set};

/// The label that carries the address of a target.
pub const ADDRESS: &str = "__address__";

/// The label of an EndpointSlice with the name of its Service.
pub(crate) const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// An object, and the labels from its metadata.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LabelledObject<T> {
    object: Shared<T>,
    labels: TargetLabels,
}

/// Objects of a kind. Sorts as the sources of groups do.
pub(crate) type DiscoveredObjects<T> = BTreeMap<Key, LabelledObject<T>>;

/// The objects of discovery.
///
/// ```
/// use promgen_compile::cluster::Cluster;
/// use promgen_resources::document::Manifests;
/// use promgen_resources::release::CURRENT;
/// use promgen_resources::schema::Definitions;
/// use promgen_text::diag::Sink;
/// use promgen_targets::discovery::{Discovery, Query, DiscoveryRole};
/// use promgen_text::source::FileId;
///
/// let text = "{apiVersion: v1, kind: Service, metadata: {name: api, namespace: shop}, spec: {ports: [{port: 80}]}}";
/// let parsed = promgen_text::yaml::read::read(FileId::new(0), text, &mut Sink::default());
/// let manifests = Manifests::read(parsed, "default", &mut Sink::default());
/// let definitions = Definitions::default();
/// let cluster = Cluster::load(&manifests.documents, &CURRENT.version, &definitions, &mut Sink::default());
/// let discovery = Discovery::new(&manifests, &cluster);
/// let groups = discovery.targets(&Query::new(DiscoveryRole::Service));
/// assert_eq!(groups[0].source, "svc/shop/api");
/// assert_eq!(&*groups[0].targets[0]["__address__"], "api.shop.svc:80");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Discovery {
    pods: DiscoveredObjects<Pod>,
    services: DiscoveredObjects<Service>,
    endpoints: DiscoveredObjects<DiscoveredEndpoints>,
    slices: DiscoveredObjects<DiscoveredEndpointSlice>,
    ingresses: DiscoveredObjects<DiscoveredIngress>,
    nodes: DiscoveredObjects<DiscoveredNode>,
    namespaces: DiscoveredObjects<Namespace>,
    replica_sets: DiscoveredObjects<DiscoveredReplicaSet>,
    jobs: DiscoveredObjects<DiscoveredJob>,
    services_by_label: OnceLock<ServicesByLabel>,
    refused: Vec<InvalidObject>,
}

/// An object that does not fit its kind and is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidObject {
    /// `Kind/name`.
    pub resource: String,
    /// Its text.
    pub span: Span,
    /// Where, and what does not fit.
    pub why: String,
}

/// Targets that share labels: those of one object, or of one entry of `static_configs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetGroup {
    /// Its name in Prometheus: `pod/namespace/name`, or the index of an entry.
    pub source: String,
    /// The labels of all targets, but for those that a target has itself.
    pub labels: TargetLabels,
    /// The labels of each target.
    pub targets: Vec<TargetLabels>,
    /// Targets were left out because there were too many to hold, which no real object has.
    pub is_cut: bool,
}

impl TargetGroup {
    /// Each target with the labels of the group; a label of the target wins, even an empty one.
    pub fn merged(&self) -> impl Iterator<Item = TargetLabels> {
        self.targets.iter().map(|target| {
            let mut labels = self.labels.clone();
            labels.extend(
                target
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
            labels
        })
    }
}

impl Discovery {
    /// The objects of a run: Pods and Services of its cluster, and those of the manifests that only discovery reads.
    #[must_use]
    pub fn new(manifests: &Manifests, cluster: &Cluster) -> Self {
        store::ObjectReader::read(manifests, cluster).discovery
    }

    /// The same, with the Endpoints and EndpointSlices that a cluster of these objects has.
    #[must_use]
    pub fn completed(manifests: &Manifests, cluster: &Cluster) -> Self {
        let mut reader = store::ObjectReader::read(manifests, cluster);
        reader.complete();
        reader.discovery
    }

    /// The names of the ports at the addresses of a Service, from its Endpoints and EndpointSlices; an empty one for a port
    /// without a name. `None`: the input has no addresses of it.
    #[must_use]
    pub fn endpoint_ports(&self, namespace: &str, service: &str) -> Option<BTreeSet<&str>> {
        let endpoints = self
            .endpoints
            .get(&Key::new(namespace, service))
            .map(|endpoints| &endpoints.object.subsets);
        let of_endpoints = endpoints
            .iter()
            .flat_map(|subsets| subsets.iter())
            .flat_map(|subset| &subset.ports);
        let is_own = |slice: &&LabelledObject<DiscoveredEndpointSlice>| {
            slice.object.namespace() == namespace && slice.object.service_name() == Some(service)
        };
        let mut slices = self.slices.values().filter(is_own).peekable();
        if endpoints.is_none() && slices.peek().is_none() {
            return None;
        }
        let of_slices = slices
            .flat_map(|slice| &slice.object.ports)
            .map(|port| port.name.as_deref().unwrap_or_default());
        Some(
            of_endpoints
                .map(|port| port.name.as_deref().unwrap_or_default())
                .chain(of_slices)
                .collect_set(),
        )
    }

    /// The first Endpoints of a namespace that belong to no Service in the input, and have one of these ports.
    #[must_use]
    pub fn stray_endpoints(&self, namespace: &str, ports: &[ServicePort]) -> Option<&str> {
        let has_port = |endpoints: &DiscoveredEndpoints| {
            let own = endpoints.subsets.iter().flat_map(|subset| &subset.ports);
            own.into_iter()
                .any(|own| ports.iter().any(|port| port.port == own.port))
        };
        let is_stray = |endpoints: &&LabelledObject<DiscoveredEndpoints>| {
            let is_there = endpoints.object.namespace() == namespace && has_port(&endpoints.object);
            is_there
                && !self
                    .services
                    .contains_key(&Key::new(namespace, &endpoints.object.metadata.name))
        };
        self.endpoints
            .values()
            .find(is_stray)
            .map(|endpoints| endpoints.object.metadata.name.as_str())
    }

    /// The objects that were left out, in input order.
    #[must_use]
    pub fn refused(&self) -> &[InvalidObject] {
        &self.refused
    }

    /// Returns whether there is no object that could be discovered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pods.is_empty()
            && self.services.is_empty()
            && self.endpoints.is_empty()
            && self.slices.is_empty()
            && self.ingresses.is_empty()
            && self.nodes.is_empty()
    }

    /// The target groups of a query, sorted by source. An object without targets has a group without targets, as in
    /// Prometheus.
    #[must_use]
    pub fn targets(&self, query: &Query) -> Vec<TargetGroup> {
        self.needed_targets(query, &NeededLabels::default())
    }

    /// The same, without groups that lack what is needed.
    fn needed_targets(&self, query: &Query, needed: &NeededLabels) -> Vec<TargetGroup> {
        let scope = QueryScope::new(self, query, needed);
        match query.role {
            DiscoveryRole::Pod => scope.each(&self.pods, pod::group),
            DiscoveryRole::Service => scope.each(&self.services, service::group),
            DiscoveryRole::Endpoints => scope.each(&self.endpoints, endpoints::group),
            DiscoveryRole::EndpointSlice => scope.each(&self.slices, endpointslice::group),
            DiscoveryRole::Ingress => scope.each(&self.ingresses, ingress::group),
            DiscoveryRole::Node => scope.each(&self.nodes, node::group),
        }
    }
}
