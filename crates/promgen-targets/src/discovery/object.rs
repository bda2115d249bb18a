//! The objects that discovery reads: those of a cluster, and kinds that discovery alone reads.
//!
//! Of the latter, every field is optional, and other fields are ignored: the output of `kubectl get` works as well as a manifest.
//! These types are not those of [`api`](promgen_resources::api), which are checked against a schema.

use crate::resolve::labelled::NO_LABELS;
use promgen_derive::Decode;
use promgen_resources::api::{
    Namespace, ObjectMeta, OwnerReference, Pod, Resource, Service, ServicePort, fill_in,
};
use promgen_text::yaml::StringMap;

/// An object of a kind.
pub(crate) trait DiscoveredObject: Resource {
    /// The kind in the names of meta labels.
    const WORD: &'static str;
    /// The fields that the API server selects by, other than name and namespace.
    const FIELDS: &'static [&'static str];

    /// The value of one of [`FIELDS`](Self::FIELDS).
    fn field(&self, field: &str) -> Option<&str>;

    /// Its namespace; empty if its kind lives in none.
    fn namespace(&self) -> &str {
        self.metadata().namespace.as_deref().unwrap_or_default()
    }

    /// Its labels.
    fn labels(&self) -> &StringMap {
        self.metadata().labels.as_ref().unwrap_or(&NO_LABELS)
    }

    /// The object that manages it.
    fn controller(&self) -> Option<&OwnerReference> {
        self.metadata()
            .owner_references
            .as_deref()
            .into_iter()
            .flatten()
            .find(|owner| owner.controller == Some(true))
    }
}

macro_rules! object {
    ($name:ident, $word:literal, |$this:ident| { $($field:literal => $value:expr,)* }) => {
        impl DiscoveredObject for $name {
            const WORD: &'static str = $word;
            const FIELDS: &'static [&'static str] = &[$($field),*];

            fn field(&self, field: &str) -> Option<&str> {
                let $this = self;
                match field {
                    $($field => Some($value),)*
                    _ => None,
                }
            }
        }
    };
}

object!(Pod, "pod", |pod| {
    "spec.hostNetwork" => bool_word(pod.spec.host_network),
    "spec.nodeName" => &pod.spec.node_name,
    "spec.restartPolicy" => &pod.spec.restart_policy,
    "spec.schedulerName" => &pod.spec.scheduler_name,
    "spec.serviceAccountName" => &pod.spec.service_account_name,
    "status.nominatedNodeName" => &pod.status.nominated_node_name,
    "status.phase" => &pod.status.phase,
    "status.podIP" => &pod.status.pod_ip,
});
object!(Service, "service", |service| {
    "spec.clusterIP" => &service.spec.cluster_ip,
    "spec.type" => &service.spec.r#type,
});
object!(DiscoveredNode, "node", |node| { "spec.unschedulable" => bool_word(node.spec.unschedulable), });
object!(DiscoveredEndpoints, "endpoints", |_none| {});
object!(DiscoveredEndpointSlice, "endpointslice", |_none| {});
object!(DiscoveredIngress, "ingress", |_none| {});
object!(Namespace, "namespace", |_none| {});
object!(DiscoveredReplicaSet, "replicaset", |_none| {});
object!(DiscoveredJob, "job", |_none| {});

/// Declares a kind that discovery alone reads, with what it takes from the live object.
macro_rules! kind {
    ($name:ident, $api_version:literal, $kind:literal, $plural:literal $(, |$own:ident, $live:ident| $take:expr)?) => {
        impl Resource for $name {
            const API_VERSION: &'static str = $api_version;
            const KIND: &'static str = $kind;
            const PLURAL: &'static str = $plural;

            promgen_resources::has_metadata!();

            $(fn take_status(&mut self, $live: &mut Self) {
                let $own = self;
                $take
            })?
        }
    };
}

kind!(DiscoveredEndpoints, "v1", "Endpoints", "endpoints");
kind!(
    DiscoveredEndpointSlice,
    "discovery.k8s.io/v1",
    "EndpointSlice",
    "endpointslices"
);
kind!(
    DiscoveredIngress,
    "networking.k8s.io/v1",
    "Ingress",
    "ingresses"
);
kind!(DiscoveredJob, "batch/v1", "Job", "jobs");
kind!(DiscoveredReplicaSet, "apps/v1", "ReplicaSet", "replicasets");
kind!(DiscoveredNode, "v1", "Node", "nodes", |node, live| {
    fill_in(&mut node.spec.provider_id, &mut live.spec.provider_id);
    node.status = std::mem::take(&mut live.status);
});

const fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

promgen_text::lenient! {(pub(crate))
    /// Kubernetes: core/v1.Endpoints.
    struct DiscoveredEndpoints {
        metadata: ObjectMeta,
        subsets: Vec<Subset>,
    }

    struct Subset {
        addresses: Vec<Address>,
        not_ready_addresses: Vec<Address>,
        ports: Vec<ServicePort>,
    }

    struct Address {
        ip: String,
        hostname: String,
        node_name: Option<String>,
        target_ref: Option<TargetRef>,
    }

    /// Kubernetes: core/v1.ObjectReference.
    struct TargetRef {
        kind: String,
        namespace: String,
        name: String,
    }

    /// Kubernetes: discovery/v1.EndpointSlice.
    struct DiscoveredEndpointSlice {
        metadata: ObjectMeta,
        address_type: String,
        endpoints: Vec<DiscoveredEndpoint>,
        ports: Vec<EndpointPort>,
    }

    struct DiscoveredEndpoint {
        addresses: Vec<String>,
        conditions: EndpointConditions,
        hostname: Option<String>,
        node_name: Option<String>,
        zone: Option<String>,
        target_ref: Option<TargetRef>,
        deprecated_topology: StringMap,
    }

    struct EndpointConditions {
        ready: Option<bool>,
        serving: Option<bool>,
        terminating: Option<bool>,
    }

    struct EndpointPort {
        name: Option<String>,
        port: Option<i32>,
        protocol: Option<String>,
        app_protocol: Option<String>,
    }

    /// Kubernetes: networking/v1.Ingress.
    struct DiscoveredIngress {
        metadata: ObjectMeta,
        spec: IngressSpec,
    }

    struct IngressSpec {
        ingress_class_name: Option<String>,
        tls: Vec<IngressTls>,
        rules: Vec<IngressRule>,
    }

    struct IngressTls {
        hosts: Vec<String>,
    }

    struct IngressRule {
        host: String,
        http: Option<IngressHttp>,
    }

    struct IngressHttp {
        paths: Vec<IngressPath>,
    }

    struct IngressPath {
        path: String,
    }

    /// Kubernetes: core/v1.Node.
    struct DiscoveredNode {
        metadata: ObjectMeta,
        spec: NodeSpec,
        status: NodeStatus,
    }

    struct NodeSpec {
        #[api(name = "providerID")]
        provider_id: String,
        unschedulable: bool,
    }

    struct NodeStatus {
        addresses: Vec<NodeAddress>,
        conditions: Vec<NodeCondition>,
        daemon_endpoints: DaemonEndpoints,
    }

    struct NodeCondition {
        r#type: String,
        status: String,
    }

    struct NodeAddress {
        r#type: String,
        address: String,
    }

    struct DaemonEndpoints {
        kubelet_endpoint: KubeletEndpoint,
    }

    struct KubeletEndpoint {
        #[api(name = "Port")]
        port: i32,
    }

    /// Kubernetes: apps/v1.ReplicaSet.
    struct DiscoveredReplicaSet {
        metadata: ObjectMeta,
    }

    /// Kubernetes: batch/v1.Job.
    struct DiscoveredJob {
        metadata: ObjectMeta,
    }
}
