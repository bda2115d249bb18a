//! StatefulSets and DaemonSets as the operator writes them.
//!
//! Beside [`kubernetes`](super::kubernetes), which declares what is read of such objects. Fields stand in the order
//! in which they are printed; those that Go leaves out when they are empty are left out here too.

use promgen_derive::Encode;

use crate::api::core::{
    Affinity, Container, LocalObjectReference, PersistentVolumeClaimSpec,
    PlainTopologySpreadConstraint, PodSecurityContext,
    StatefulSetPersistentVolumeClaimRetentionPolicy, Toleration, Volume,
};
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::servers::workload::{HostAlias, StatefulSetUpdateStrategy};
use promgen_text::yaml::StringMap;

/// Kubernetes: apps/v1.StatefulSet.
#[derive(Clone, Debug, PartialEq, Encode)]
pub struct GeneratedStatefulSet {
    /// Always `apps/v1`.
    pub api_version: &'static str,
    /// Always `StatefulSet`.
    pub kind: &'static str,
    /// Name, namespace, labels.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: GeneratedStatefulSetSpec,
}

/// Kubernetes: apps/v1.StatefulSetSpec.
#[derive(Clone, Debug, PartialEq, Encode)]
pub struct GeneratedStatefulSetSpec {
    /// Seconds that a pod is ready before it counts as available.
    #[api(omit_empty)]
    pub min_ready_seconds: Option<i32>,
    /// What happens to the claims of pods that are deleted or scaled down.
    pub persistent_volume_claim_retention_policy:
        Option<StatefulSetPersistentVolumeClaimRetentionPolicy>,
    /// Whether pods start in order or in parallel.
    pub pod_management_policy: &'static str,
    /// The number of pods. `None` leaves it to the cluster.
    pub replicas: Option<i32>,
    /// The selector of its pods.
    pub selector: LabelSelector,
    /// The Service that names its pods.
    pub service_name: String,
    /// The template of its pods.
    pub template: PodTemplateSpec,
    /// The update strategy.
    pub update_strategy: StatefulSetUpdateStrategy,
    /// The claims of each pod.
    #[api(omit_empty)]
    pub volume_claim_templates: Vec<PersistentVolumeClaim>,
}

/// Kubernetes: apps/v1.DaemonSet.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct GeneratedDaemonSet {
    /// Always `apps/v1`.
    pub api_version: &'static str,
    /// Always `DaemonSet`.
    pub kind: &'static str,
    /// Name, namespace, labels.
    pub metadata: ObjectMeta,
    /// The desired state.
    pub spec: GeneratedDaemonSetSpec,
}

/// Kubernetes: apps/v1.DaemonSetSpec.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct GeneratedDaemonSetSpec {
    /// Seconds that a pod is ready before it counts as available.
    #[api(omit_empty)]
    pub min_ready_seconds: Option<i32>,
    /// The selector of its pods.
    pub selector: LabelSelector,
    /// The template of its pods.
    pub template: PodTemplateSpec,
}

/// Kubernetes: core/v1.PodTemplateSpec.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct PodTemplateSpec {
    /// Labels and annotations of the pods.
    pub metadata: TemplateMeta,
    /// The spec of a pod.
    pub spec: GeneratedPodSpec,
}

/// The metadata of a template, which has no name of its own.
///
/// Kubernetes: meta/v1.ObjectMeta.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct TemplateMeta {
    /// Notes that tools read.
    #[api(omit_empty)]
    pub annotations: StringMap,
    /// Labels, which selectors match.
    #[api(omit_empty)]
    pub labels: StringMap,
}

/// Kubernetes: core/v1.PodSpec, as far as the operator fills it in.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct GeneratedPodSpec {
    /// Where it may, should or must not run.
    pub affinity: Option<Affinity>,
    /// Whether the token of its service account is mounted.
    pub automount_service_account_token: Option<bool>,
    /// Its containers.
    pub containers: Vec<Container>,
    /// Its DNS settings.
    pub dns_config: Option<GeneratedPodDnsConfig>,
    /// Its DNS policy.
    #[api(omit_empty)]
    pub dns_policy: Option<String>,
    /// Whether services become environment variables.
    pub enable_service_links: Option<bool>,
    /// Further lines of `/etc/hosts`.
    #[api(omit_empty)]
    pub host_aliases: Vec<HostAlias>,
    /// Whether it uses the network of its node.
    #[api(omit_empty)]
    pub host_network: Option<bool>,
    /// Whether it uses the user namespace of its node.
    pub host_users: Option<bool>,
    /// Secrets to pull images with.
    #[api(omit_empty)]
    pub image_pull_secrets: Option<Vec<LocalObjectReference>>,
    /// Containers that run before.
    #[api(omit_empty)]
    pub init_containers: Vec<Container>,
    /// Labels that its node must have.
    #[api(omit_empty)]
    pub node_selector: StringMap,
    /// Its priority class.
    #[api(omit_empty)]
    pub priority_class_name: Option<String>,
    /// The scheduler that assigns it to a node.
    #[api(omit_empty)]
    pub scheduler_name: Option<String>,
    /// Its user, its groups and other privileges.
    pub security_context: Option<PodSecurityContext>,
    /// Its service account.
    #[api(omit_empty)]
    pub service_account_name: Option<String>,
    /// Whether its containers share a process namespace.
    pub share_process_namespace: Option<bool>,
    /// Seconds that it may take to shut down.
    pub termination_grace_period_seconds: Option<i64>,
    /// Taints that it tolerates.
    #[api(omit_empty)]
    pub tolerations: Option<Vec<Toleration>>,
    /// How pods spread over zones or nodes.
    #[api(omit_empty)]
    pub topology_spread_constraints: Vec<PlainTopologySpreadConstraint>,
    /// Its volumes.
    #[api(omit_empty)]
    pub volumes: Vec<Volume>,
}

/// Kubernetes: core/v1.PodDNSConfig.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct GeneratedPodDnsConfig {
    /// Addresses of name servers.
    #[api(omit_empty)]
    pub nameservers: Option<Vec<String>>,
    /// Options of the resolver.
    #[api(omit_empty)]
    pub options: Vec<crate::api::servers::workload::PodDnsConfigOption>,
    /// Domains to search in.
    #[api(omit_empty)]
    pub searches: Option<Vec<String>>,
}

/// Kubernetes: core/v1.PersistentVolumeClaim, as a template of a StatefulSet.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct PersistentVolumeClaim {
    /// As the user wrote it.
    #[api(omit_empty)]
    pub api_version: Option<String>,
    /// As the user wrote it.
    #[api(omit_empty)]
    pub kind: Option<String>,
    /// Name, labels, annotations.
    pub metadata: ClaimMeta,
    /// The requested volume.
    pub spec: PersistentVolumeClaimSpec,
}

/// The metadata of a claim.
///
/// Kubernetes: meta/v1.ObjectMeta.
#[derive(Clone, Debug, Default, PartialEq, Encode)]
pub struct ClaimMeta {
    /// Notes that tools read.
    #[api(omit_empty)]
    pub annotations: Option<StringMap>,
    /// Labels, which selectors match.
    #[api(omit_empty)]
    pub labels: Option<StringMap>,
    /// Its name; pods get one of this name and their own.
    pub name: String,
}
