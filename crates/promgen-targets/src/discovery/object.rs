//! The fields of Kubernetes objects that discovery reads.
//!
//! Every field is optional, and other fields are ignored: the output of `kubectl get` works as well as a manifest.
//! These types are not those of [`api`](promgen_resources::api), which are checked against a schema.

use std::collections::BTreeMap;

use promgen_derive::Decode;
use promgen_resources::api::IntOrString;

/// Declares what is read of an object: plain structs whose fields may all be missing.
macro_rules! lenient {
    ($($(#[$doc:meta])* struct $name:ident { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Decode)]
            #[api(default)]
            pub(crate) struct $name {
                $($(#[$attribute])* pub(crate) $field: $ty,)*
            }
        )+
    };
}

/// An object of a kind.
pub(crate) trait DiscoveredObject {
    /// The kind in the names of meta labels.
    const WORD: &'static str;
    /// The fields that the API server selects by, other than name and namespace.
    const FIELDS: &'static [&'static str];

    fn metadata(&self) -> &Meta;

    fn metadata_mut(&mut self) -> &mut Meta;

    /// Takes over from the live object what a manifest does not have: its identity, and what the cluster fills in.
    fn observe(&mut self, live: Self);

    /// The value of one of [`FIELDS`](Self::FIELDS).
    fn field(&self, field: &str) -> Option<&str>;
}

macro_rules! object {
    ($name:ident, $word:literal, |$this:ident| { $($field:literal => $value:expr,)* }) => {
        object!($name, $word, |$this| { $($field => $value,)* }, |_manifest, _live| {});
    };
    ($name:ident, $word:literal, |$this:ident| { $($field:literal => $value:expr,)* }, $fill:expr) => {
        impl DiscoveredObject for $name {
            const WORD: &'static str = $word;
            const FIELDS: &'static [&'static str] = &[$($field),*];

            fn metadata(&self) -> &Meta {
                &self.metadata
            }

            fn metadata_mut(&mut self) -> &mut Meta {
                &mut self.metadata
            }

            fn observe(&mut self, mut live: Self) {
                let (own, live_own) = (&mut self.metadata, std::mem::take(&mut live.metadata));
                own.uid = live_own.uid;
                own.resource_version = live_own.resource_version;
                filled_in(&mut own.owner_references, live_own.owner_references, Vec::is_empty);
                let fill: fn(&mut Self, Self) = $fill;
                fill(self, live);
            }

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

object!(DiscoveredPod, "pod", |pod| {
    "spec.hostNetwork" => bool_word(pod.spec.host_network),
    "spec.nodeName" => &pod.spec.node_name,
    "spec.restartPolicy" => &pod.spec.restart_policy,
    "spec.schedulerName" => &pod.spec.scheduler_name,
    "spec.serviceAccountName" => &pod.spec.service_account_name,
    "status.nominatedNodeName" => &pod.status.nominated_node_name,
    "status.phase" => &pod.status.phase,
    "status.podIP" => &pod.status.pod_ip,
}, |manifest, live| {
    filled_in(&mut manifest.spec.node_name, live.spec.node_name, String::is_empty);
    manifest.status = live.status;
});
object!(DiscoveredService, "service", |service| {
    "spec.clusterIP" => &service.spec.cluster_ip,
    "spec.type" => &service.spec.r#type,
}, |manifest, live| {
    let (spec, of_live) = (&mut manifest.spec, live.spec);
    filled_in(&mut spec.r#type, of_live.r#type, String::is_empty);
    filled_in(&mut spec.cluster_ip, of_live.cluster_ip, String::is_empty);
    filled_in(&mut spec.ip_family_policy, of_live.ip_family_policy, String::is_empty);
    filled_in(&mut spec.ip_families, of_live.ip_families, Vec::is_empty);
    manifest.status = live.status;
});
object!(DiscoveredNode, "node", |node| { "spec.unschedulable" => bool_word(node.spec.unschedulable), }, |manifest, live| {
    filled_in(&mut manifest.spec.provider_id, live.spec.provider_id, String::is_empty);
    manifest.status = live.status;
});
object!(DiscoveredEndpoints, "endpoints", |_none| {});
object!(DiscoveredEndpointSlice, "endpointslice", |_none| {});
object!(DiscoveredIngress, "ingress", |_none| {});
object!(DiscoveredNamespace, "namespace", |_none| {});
object!(DiscoveredReplicaSet, "replicaset", |_none| {});
object!(DiscoveredJob, "job", |_none| {});

/// Takes the value of the live object if the manifest leaves it to the cluster.
fn filled_in<T>(own: &mut T, live: T, is_empty: impl Fn(&T) -> bool) {
    if is_empty(own) {
        *own = live;
    }
}

const fn bool_word(value: bool) -> &'static str {
    if value { "true" } else { "false" }
}

lenient! {
    /// Kubernetes: meta/v1.ObjectMeta.
    struct Meta {
        name: String,
        namespace: String,
        uid: String,
        resource_version: String,
        labels: BTreeMap<String, String>,
        annotations: BTreeMap<String, String>,
        owner_references: Vec<DiscoveredOwner>,
    }

    /// Kubernetes: meta/v1.OwnerReference.
    struct DiscoveredOwner {
        kind: String,
        name: String,
        controller: bool,
    }

    /// Kubernetes: core/v1.Pod.
    struct DiscoveredPod {
        metadata: Meta,
        spec: DiscoveredPodSpec,
        status: DiscoveredPodStatus,
    }

    struct DiscoveredPodSpec {
        node_name: String,
        containers: Vec<DiscoveredContainer>,
        init_containers: Vec<DiscoveredContainer>,
        restart_policy: String,
        scheduler_name: String,
        service_account_name: String,
        host_network: bool,
    }

    struct DiscoveredContainer {
        name: String,
        image: String,
        ports: Vec<DiscoveredContainerPort>,
    }

    struct DiscoveredContainerPort {
        name: String,
        container_port: i32,
        protocol: String,
    }

    struct DiscoveredPodStatus {
        phase: String,
        #[api(name = "hostIP")]
        host_ip: String,
        #[api(name = "podIP")]
        pod_ip: String,
        nominated_node_name: String,
        conditions: Vec<DiscoveredCondition>,
        container_statuses: Vec<DiscoveredContainerStatus>,
        init_container_statuses: Vec<DiscoveredContainerStatus>,
    }

    struct DiscoveredCondition {
        r#type: String,
        status: String,
    }

    struct DiscoveredContainerStatus {
        name: String,
        #[api(name = "containerID")]
        container_id: String,
    }

    /// Kubernetes: core/v1.Service.
    struct DiscoveredService {
        metadata: Meta,
        spec: DiscoveredServiceSpec,
        status: DiscoveredServiceStatus,
    }

    struct DiscoveredServiceSpec {
        /// The labels of its pods.
        selector: BTreeMap<String, String>,
        r#type: String,
        #[api(name = "clusterIP")]
        cluster_ip: String,
        external_name: String,
        #[api(name = "loadBalancerIP")]
        load_balancer_ip: String,
        ip_family_policy: String,
        ip_families: Vec<String>,
        ports: Vec<DiscoveredServicePort>,
    }

    struct DiscoveredServicePort {
        name: String,
        port: i32,
        protocol: String,
        /// The port of its pods, by name or number.
        target_port: Option<IntOrString>,
    }

    struct DiscoveredServiceStatus {
        load_balancer: LoadBalancer,
    }

    struct LoadBalancer {
        ingress: Vec<LoadBalancerIngress>,
    }

    struct LoadBalancerIngress {
        ip: String,
    }

    /// Kubernetes: core/v1.Endpoints.
    struct DiscoveredEndpoints {
        metadata: Meta,
        subsets: Vec<Subset>,
    }

    struct Subset {
        addresses: Vec<Address>,
        not_ready_addresses: Vec<Address>,
        ports: Vec<DiscoveredServicePort>,
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
        metadata: Meta,
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
        deprecated_topology: BTreeMap<String, String>,
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
        metadata: Meta,
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
        metadata: Meta,
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
        conditions: Vec<DiscoveredCondition>,
        daemon_endpoints: DaemonEndpoints,
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

    /// Kubernetes: core/v1.Namespace.
    struct DiscoveredNamespace {
        metadata: Meta,
    }

    /// Kubernetes: apps/v1.ReplicaSet.
    struct DiscoveredReplicaSet {
        metadata: Meta,
    }

    /// Kubernetes: batch/v1.Job.
    struct DiscoveredJob {
        metadata: Meta,
    }
}

impl Meta {
    /// The object that manages this one.
    pub(crate) fn controller(&self) -> Option<&DiscoveredOwner> {
        self.owner_references.iter().find(|owner| owner.controller)
    }
}

impl DiscoveredPodSpec {
    /// Its containers, then those that run before them, each with whether it is of the latter.
    pub(crate) fn all_containers(&self) -> impl Iterator<Item = (&DiscoveredContainer, bool)> {
        let (main, init) = (self.containers.iter(), self.init_containers.iter());
        main.map(|container| (container, false)).chain(init.map(|container| (container, true)))
    }
}
