//! The objects of Kubernetes that promgen reads besides the operator's, with only the fields that it reads.
//!
//! Their schemas accept unknown fields, so that only these fields are checked.

use std::fmt;

use promgen_derive::{Decode, Encode, api};

use crate::api::{IntOrString, LabelSelector, ObjectMeta, Resource, fill_in};
use promgen_text::yaml::StringMap;

/// Declares a kind: what is read of it, its names, what the server tells, and what else the server fills in.
macro_rules! object {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$field_meta:meta])* pub $field:ident: $ty:ty,)* } $api_version:literal, $plural:literal $(, $observed:ident $(, $part:ident.$filled:ident)*)?) => {
        $(#[$meta])*
        #[derive(Clone, Default, PartialEq, Decode, Encode)]
        #[api(open)]
        pub struct $name {
            /// Name, namespace, labels.
            pub metadata: ObjectMeta,
            $($(#[$field_meta])* pub $field: $ty,)*
        }

        impl Resource for $name {
            $crate::api::names!($name, $api_version, $plural);

            $(fn take_status(&mut self, from: &mut Self) {
                self.$observed = std::mem::take(&mut from.$observed);
                $(fill_in(&mut self.$part.$filled, &mut from.$part.$filled);)*
            })?
        }
    };
}

object! {
    /// A namespace.
    ///
    /// Kubernetes: core/v1.Namespace.
    #[derive(Debug)]
    pub struct Namespace {} "v1", "namespaces"
}

object! {
    /// Values that are secret. Its `Debug` does not show them.
    ///
    /// Kubernetes: core/v1.Secret.
    pub struct Secret {
        /// Values in base64.
        pub data: Option<StringMap>,
        /// Values as they are; they win over `data`.
        pub string_data: Option<StringMap>,
    } "v1", "secrets"
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret")
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

object! {
    /// Values that are not secret.
    ///
    /// Kubernetes: core/v1.ConfigMap.
    #[derive(Debug)]
    pub struct ConfigMap {
        /// Values that are text.
        pub data: Option<StringMap>,
        /// Other values, in base64.
        pub binary_data: Option<StringMap>,
    } "v1", "configmaps"
}

object! {
    /// A name for a set of pods.
    ///
    /// Kubernetes: core/v1.Service.
    #[derive(Debug)]
    pub struct Service {
        /// The desired state.
        #[api(default)]
        pub spec: ServiceSpec,
        /// The observed state.
        #[api(default)]
        pub status: ServiceStatus,
    } "v1", "services", status, spec.cluster_ip, spec.ip_families, spec.ip_family_policy, spec.r#type
}

/// The spec of a service.
///
/// Kubernetes: core/v1.ServiceSpec.
#[api(open)]
pub struct ServiceSpec {
    /// The address within the cluster; `None` for a headless service.
    #[api(name = "clusterIP", default)]
    pub cluster_ip: String,
    /// The host of type `ExternalName`.
    #[api(default)]
    pub external_name: String,
    /// Its families of addresses, the first one first.
    #[api(default)]
    pub ip_families: Vec<String>,
    /// The number of families that it has.
    #[api(default)]
    pub ip_family_policy: String,
    /// The address that its load balancer is to have.
    #[api(name = "loadBalancerIP", default)]
    pub load_balancer_ip: String,
    /// Its ports.
    #[api(default)]
    pub ports: Vec<ServicePort>,
    /// The labels of its pods.
    #[api(default)]
    pub selector: StringMap,
    /// Its type. Empty: `ClusterIP`.
    #[api(default)]
    pub r#type: String,
}

/// The status of a service.
///
/// Kubernetes: core/v1.ServiceStatus.
#[api(open)]
pub struct ServiceStatus {
    /// Its load balancer.
    #[api(default)]
    pub load_balancer: LoadBalancerStatus,
}

/// The status of a load balancer.
///
/// Kubernetes: core/v1.LoadBalancerStatus.
#[api(open)]
pub struct LoadBalancerStatus {
    /// Its addresses.
    #[api(default)]
    pub ingress: Vec<LoadBalancerIngress>,
}

/// An address of a load balancer.
///
/// Kubernetes: core/v1.LoadBalancerIngress.
#[api(open)]
pub struct LoadBalancerIngress {
    /// The address. Empty if it has a host name.
    #[api(default)]
    pub ip: String,
}

/// A port of a service.
///
/// Kubernetes: core/v1.ServicePort.
#[api(open)]
pub struct ServicePort {
    /// Its name, by which monitors refer to it.
    pub name: Option<String>,
    /// Its number.
    #[api(default)]
    pub port: i32,
    /// The protocol. Default `TCP`.
    pub protocol: Option<String>,
    /// The pod's port, by number or name. Default the same number.
    pub target_port: Option<IntOrString>,
}

object! {
    /// A pod, with the fields that statuses and simulations depend on.
    ///
    /// Kubernetes: core/v1.Pod.
    #[derive(Debug)]
    pub struct Pod {
        /// The desired state.
        #[api(default)]
        pub spec: PodSpec,
        /// The observed state.
        #[api(default)]
        pub status: PodStatus,
    } "v1", "pods", status, spec.node_name
}

/// The spec of a pod.
///
/// Kubernetes: core/v1.PodSpec.
#[api(open)]
pub struct PodSpec {
    /// Its containers.
    #[api(default)]
    pub containers: Vec<PodContainer>,
    /// It uses the network of its node.
    #[api(default)]
    pub host_network: bool,
    /// The containers that run before them.
    #[api(default)]
    pub init_containers: Vec<PodContainer>,
    /// Its node, once it has one.
    #[api(default)]
    pub node_name: String,
    /// `Always`, `OnFailure` or `Never`.
    #[api(default)]
    pub restart_policy: String,
    /// What chooses its node.
    #[api(default)]
    pub scheduler_name: String,
    /// Its service account.
    #[api(default)]
    pub service_account_name: String,
}

/// A container of a pod.
#[api(open)]
#[api(of = "core/v1.Container")]
pub struct PodContainer {
    /// Its image.
    #[api(default)]
    pub image: String,
    /// Its name.
    #[api(default)]
    pub name: String,
    /// Its ports.
    #[api(default)]
    pub ports: Vec<DeclaredPort>,
}

/// A port that a container of a pod declares.
#[api(open)]
#[api(of = "core/v1.ContainerPort")]
pub struct DeclaredPort {
    /// Its number; 0 where it does not fit.
    #[api(default, required)]
    pub container_port: i32,
    /// Its name, by which services and monitors refer to it.
    #[api(default)]
    pub name: String,
    /// `TCP`, `UDP` or `SCTP`. Empty: `TCP`.
    #[api(default)]
    pub protocol: String,
}

/// The status of a pod.
///
/// Kubernetes: core/v1.PodStatus.
#[api(open)]
pub struct PodStatus {
    /// Facts with reasons.
    #[api(default)]
    pub conditions: Vec<PodCondition>,
    /// The status of its containers.
    #[api(default)]
    pub container_statuses: Vec<ContainerStatus>,
    /// The address of its node.
    #[api(name = "hostIP", default)]
    pub host_ip: String,
    /// The status of its init containers.
    #[api(default)]
    pub init_container_statuses: Vec<ContainerStatus>,
    /// The node that it is to get once others have left it.
    #[api(default)]
    pub nominated_node_name: String,
    /// `Pending`, `Running`, `Succeeded`, `Failed`, `Unknown`.
    #[api(default)]
    pub phase: String,
    /// Its address.
    #[api(name = "podIP", default)]
    pub pod_ip: String,
    /// The reason for its phase.
    pub reason: Option<String>,
}

/// A condition of a pod.
///
/// Kubernetes: core/v1.PodCondition.
#[api(open)]
pub struct PodCondition {
    /// Details.
    pub message: Option<String>,
    /// The reason.
    pub reason: Option<String>,
    /// `True`, `False`, `Unknown`.
    #[api(default)]
    pub status: String,
    /// The type of the condition.
    #[api(default)]
    pub r#type: String,
}

/// The status of a container.
///
/// Kubernetes: core/v1.ContainerStatus.
#[api(open)]
pub struct ContainerStatus {
    /// The id that the runtime gave it.
    #[api(name = "containerID", default)]
    pub container_id: String,
    /// Its name.
    #[api(default)]
    pub name: String,
    /// Its state.
    #[api(default)]
    pub state: ContainerState,
}

/// The state of a container.
///
/// Kubernetes: core/v1.ContainerState.
#[api(open)]
pub struct ContainerState {
    /// It is waiting.
    pub waiting: Option<WaitingContainer>,
}

/// Why a container waits.
///
/// Kubernetes: core/v1.ContainerStateWaiting.
#[api(open)]
pub struct WaitingContainer {
    /// The reason.
    pub reason: Option<String>,
}

object! {
    /// A StatefulSet, with the fields that statuses depend on.
    ///
    /// Kubernetes: apps/v1.StatefulSet.
    #[derive(Debug)]
    pub struct StatefulSet {
        /// The desired state.
        #[api(default)]
        pub spec: StatefulSetSpec,
        /// The observed state.
        #[api(default)]
        pub status: StatefulSetStatus,
    } "apps/v1", "statefulsets", status
}

/// The spec of a StatefulSet.
///
/// Kubernetes: apps/v1.StatefulSetSpec.
#[api(open)]
pub struct StatefulSetSpec {
    /// The number of pods. Default 1.
    pub replicas: Option<i32>,
    /// The selector of its pods.
    pub selector: Option<LabelSelector>,
}

/// The status of a StatefulSet.
///
/// Kubernetes: apps/v1.StatefulSetStatus.
#[api(open)]
pub struct StatefulSetStatus {
    /// Pods that have been ready long enough.
    #[api(default)]
    pub available_replicas: i32,
    /// Revision of the pods that are not updated yet.
    pub current_revision: Option<String>,
    /// Pods of that revision.
    #[api(default)]
    pub current_replicas: i32,
    /// The generation that the status refers to.
    pub observed_generation: Option<i64>,
    /// Pods that are ready.
    #[api(default)]
    pub ready_replicas: i32,
    /// Pods that exist.
    #[api(default)]
    pub replicas: i32,
    /// Revision of the pods that are updated.
    pub update_revision: Option<String>,
    /// Pods of that revision.
    #[api(default)]
    pub updated_replicas: i32,
}

object! {
    /// A DaemonSet, with the fields that statuses depend on.
    ///
    /// Kubernetes: apps/v1.DaemonSet.
    #[derive(Debug)]
    pub struct DaemonSet {
        /// The desired state.
        #[api(default)]
        pub spec: DaemonSetSpec,
        /// The observed state.
        #[api(default)]
        pub status: DaemonSetStatus,
    } "apps/v1", "daemonsets", status
}

/// The spec of a DaemonSet.
///
/// Kubernetes: apps/v1.DaemonSetSpec.
#[api(open)]
pub struct DaemonSetSpec {
    /// The selector of its pods.
    pub selector: Option<LabelSelector>,
}

/// The status of a DaemonSet.
///
/// Kubernetes: apps/v1.DaemonSetStatus.
#[api(open)]
pub struct DaemonSetStatus {
    /// Nodes that should run a pod of it.
    #[api(default)]
    pub desired_number_scheduled: i32,
    /// Nodes with a pod that has been ready long enough.
    #[api(default)]
    pub number_available: i32,
    /// Nodes with a pod of the newest revision.
    #[api(default)]
    pub updated_number_scheduled: i32,
}
