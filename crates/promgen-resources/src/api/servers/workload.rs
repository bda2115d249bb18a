//! Pieces of the pods and StatefulSets of every workload.

use promgen_derive::api;

use crate::api::core::{
    EmptyDirVolumeSource, EphemeralVolumeSource, PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus, PlainTopologySpreadConstraint,
};
use crate::api::scalar::IntOrString;
use crate::api::{rules, string_enum};
use promgen_text::yaml::StringMap;

/// Metadata for objects that the operator makes.
#[api(of = "monitoring/v1.EmbeddedObjectMetadata")]
pub struct EmbeddedObjectMetadata {
    /// Annotations to add.
    pub annotations: Option<StringMap>,
    /// Labels to add.
    pub labels: Option<StringMap>,
    /// The name.
    pub name: Option<String>,
}

/// An argument of the command line.
#[api(of = "monitoring/v1.Argument")]
pub struct Argument {
    /// Its name, without dashes.
    pub name: String,
    /// Its value; none for a bare switch.
    pub value: Option<String>,
}

/// Names for an address, in `/etc/hosts`.
#[api(of = "monitoring/v1.HostAlias")]
pub struct HostAlias {
    /// The names.
    pub hostnames: Vec<String>,
    /// The address.
    pub ip: String,
}

/// DNS settings of a pod, in addition to the policy.
#[api(of = "monitoring/v1.PodDNSConfig")]
pub struct PodDnsConfig {
    /// Addresses of name servers. Each once.
    pub nameservers: Option<Vec<String>>,
    /// Options of the resolver. Each name once.
    pub options: Option<Vec<PodDnsConfigOption>>,
    /// Domains to look names up in. Each once.
    pub searches: Option<Vec<String>>,
}

/// An option of the resolver.
#[api(of = "monitoring/v1.PodDNSConfigOption")]
pub struct PodDnsConfigOption {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Option<String>,
}

/// The update strategy of a StatefulSet.
#[api(validations = rules::UPDATE_STRATEGY)]
#[api(of = "monitoring/v1.StatefulSetUpdateStrategy")]
pub struct StatefulSetUpdateStrategy {
    /// Settings of a rolling update, with type `RollingUpdate`.
    pub rolling_update: Option<RollingUpdateStatefulSetStrategy>,
    /// `RollingUpdate` or `OnDelete`.
    pub r#type: UpdateStrategyType,
}

/// Settings of a rolling update.
///
/// Operator: monitoring/v1.StatefulSetUpdateStrategy, its `rollingUpdate`.
#[api]
pub struct RollingUpdateStatefulSetStrategy {
    /// The maximum number of unavailable pods, as a number or `10%`. Default 1.
    pub max_unavailable: Option<IntOrString>,
}

/// How evenly pods spread over zones or nodes.
#[api(of = "monitoring/v1.TopologySpreadConstraint")]
pub struct TopologySpreadConstraint {
    /// The constraint of the pods.
    #[api(flatten)]
    pub of_pods: PlainTopologySpreadConstraint,
    /// Which labels the operator adds to the selector: those of the resource, or of the shard too.
    pub additional_label_selectors: Option<AdditionalLabelSelectors>,
}

/// Where a workload stores its data: one of these.
#[api(of = "monitoring/v1.StorageSpec")]
pub struct StorageSpec {
    /// Without effect; kept for old manifests.
    pub disable_mount_sub_path: Option<bool>,
    /// A folder that is deleted with its pod.
    pub empty_dir: Option<EmptyDirVolumeSource>,
    /// A volume that is deleted with its pod.
    pub ephemeral: Option<EphemeralVolumeSource>,
    /// In a claim per pod that stays.
    pub volume_claim_template: Option<EmbeddedPersistentVolumeClaim>,
}

/// A claim per pod.
#[api(of = "monitoring/v1.EmbeddedPersistentVolumeClaim")]
pub struct EmbeddedPersistentVolumeClaim {
    /// Group and version; filled in by the operator.
    pub api_version: Option<String>,
    /// Kind; filled in by the operator.
    pub kind: Option<String>,
    /// Name, labels and annotations of the claim.
    pub metadata: Option<EmbeddedObjectMetadata>,
    /// The spec of the claim.
    pub spec: Option<PersistentVolumeClaimSpec>,
    /// Without effect; kept because the type has it.
    pub status: Option<PersistentVolumeClaimStatus>,
}

string_enum! {
    /// Where pods resolve names.
    pub enum DnsPolicy {
        /// In the cluster, for pods on the node's network.
        ClusterFirstWithHostNet = "ClusterFirstWithHostNet",
        /// In the cluster.
        ClusterFirst = "ClusterFirst",
        /// As the node does.
        Default = "Default",
        /// Only the settings of `dnsConfig`.
        None = "None",
    }
}

string_enum! {
    /// When images are pulled.
    pub enum PullPolicy {
        /// Kubernetes' default.
        Empty = "",
        /// At every start.
        Always = "Always",
        /// Never.
        Never = "Never",
        /// When the node lacks them.
        IfNotPresent = "IfNotPresent",
    }
}

string_enum! {
    /// The order in which pods of a StatefulSet start and stop.
    pub enum PodManagementPolicy {
        /// One by one.
        OrderedReady = "OrderedReady",
        /// All at once.
        Parallel = "Parallel",
    }
}

string_enum! {
    /// Which labels the operator adds to a selector of pods.
    pub enum AdditionalLabelSelectors {
        /// Those of the resource.
        OnResource = "OnResource",
        /// Those of the resource and the shard.
        OnShard = "OnShard",
    }
}

string_enum! {
    /// The update strategy of a StatefulSet.
    pub enum UpdateStrategyType {
        /// When someone deletes them.
        OnDelete = "OnDelete",
        /// One after the other.
        RollingUpdate = "RollingUpdate",
    }
}
