//! Claims for persistent storage.

use std::collections::BTreeMap;

use promgen_derive::api;

use crate::api::core::reference::{TypedLocalObjectReference, TypedObjectReference};
use crate::api::meta::{LabelSelector, PrunedMetadata};
use crate::api::scalar::{Quantity, Time};
use crate::api::string_enum;
use promgen_text::yaml::StringMap;

/// The spec of a claim.
#[api(of = "core/v1.PersistentVolumeClaimSpec")]
pub struct PersistentVolumeClaimSpec {
    /// How the volume may be mounted: `ReadWriteOnce`, `ReadOnlyMany`, `ReadWriteMany`, `ReadWriteOncePod`.
    #[api(omit_empty)]
    pub access_modes: Option<Vec<String>>,
    /// What it starts as a copy of, in the same namespace.
    pub data_source: Option<TypedLocalObjectReference>,
    /// What it starts from, of any kind.
    pub data_source_ref: Option<TypedObjectReference>,
    /// How big it has to be.
    pub resources: Option<VolumeResourceRequirements>,
    /// The selector of existing volumes.
    pub selector: Option<LabelSelector>,
    /// The storage class. Absent means the cluster's default, empty means none.
    pub storage_class_name: Option<String>,
    /// The class of attributes that can change later.
    pub volume_attributes_class_name: Option<String>,
    /// `Filesystem` or `Block`. Default `Filesystem`.
    pub volume_mode: Option<String>,
    /// The volume that it is bound to.
    #[api(omit_empty)]
    pub volume_name: Option<String>,
}

/// The size of a volume: requests and limits.
#[api(of = "core/v1.VolumeResourceRequirements", omit_empty)]
pub struct VolumeResourceRequirements {
    /// At most, by resource.
    pub limits: Option<BTreeMap<String, Quantity>>,
    /// At least, by resource: `storage`.
    pub requests: Option<BTreeMap<String, Quantity>>,
}

/// The status of a claim.
#[api(of = "core/v1.PersistentVolumeClaimStatus")]
pub struct PersistentVolumeClaimStatus {
    /// How the bound volume may be mounted.
    #[api(omit_empty)]
    pub access_modes: Option<Vec<String>>,
    /// The progress of a resize, by resource.
    #[api(omit_empty)]
    pub allocated_resource_statuses: Option<StringMap>,
    /// The allocated amounts during a resize.
    #[api(omit_empty)]
    pub allocated_resources: Option<BTreeMap<String, Quantity>>,
    /// The real size of the bound volume.
    #[api(omit_empty)]
    pub capacity: Option<BTreeMap<String, Quantity>>,
    /// The conditions. Each type once.
    #[api(omit_empty)]
    pub conditions: Option<Vec<PersistentVolumeClaimCondition>>,
    /// The class of attributes that holds now.
    pub current_volume_attributes_class_name: Option<String>,
    /// What its driver reports of the bound volume.
    pub health_status: Option<VolumeHealthStatus>,
    /// The progress of a change of attributes.
    pub modify_volume_status: Option<ModifyVolumeStatus>,
    /// `Pending`, `Bound` or `Lost`.
    #[api(omit_empty)]
    pub phase: Option<String>,
}

/// Something that is going on with a claim.
#[api(of = "core/v1.PersistentVolumeClaimCondition")]
pub struct PersistentVolumeClaimCondition {
    /// The time of the last probe.
    pub last_probe_time: Option<Time>,
    /// When it changed last.
    pub last_transition_time: Option<Time>,
    /// Details.
    #[api(omit_empty)]
    pub message: Option<String>,
    /// The reason, in one word.
    #[api(omit_empty)]
    pub reason: Option<String>,
    /// `True`, `False` or `Unknown`.
    pub status: String,
    /// The type.
    pub r#type: String,
}

/// What the driver of a volume reports of it.
///
/// Kubernetes: core/v1.PersistentVolumeClaimStatus, its `healthStatus`.
#[api]
pub struct VolumeHealthStatus {
    /// What is wrong with it. Each status and reason once.
    #[api(omit_empty, unique("status", "reason"))]
    pub health_conditions: Option<Vec<VolumeHealthCondition>>,
    /// When the first of them appeared.
    pub last_transition_time: Option<Time>,
}

/// Something that is wrong with a volume.
#[api(of = "core/v1.VolumeHealthCondition")]
pub struct VolumeHealthCondition {
    /// Details.
    #[api(omit_empty)]
    pub message: Option<String>,
    /// The reason, in one word.
    pub reason: String,
    /// How bad it is.
    pub status: VolumeHealth,
}

string_enum! {
    /// How bad it is with a volume.
    pub enum VolumeHealth {
        /// Data is lost.
        DataLoss = "DataLoss",
        /// It works in part.
        Degraded = "Degraded",
        /// Nothing can be read.
        Inaccessible = "Inaccessible",
    }
}

/// The progress of a change of attributes.
#[api(of = "core/v1.ModifyVolumeStatus")]
pub struct ModifyVolumeStatus {
    /// `Pending`, `InProgress` or `Infeasible`.
    pub status: String,
    /// The class that is to hold.
    #[api(omit_empty)]
    pub target_volume_attributes_class_name: Option<String>,
}

/// A claim that is created and deleted with its pod.
#[api(of = "core/v1.PersistentVolumeClaimTemplate")]
pub struct PersistentVolumeClaimTemplate {
    /// The CRD drops its content.
    pub metadata: Option<PrunedMetadata>,
    /// The spec of the claim.
    pub spec: PersistentVolumeClaimSpec,
}

/// A volume that is created and deleted with its pod.
#[api(of = "core/v1.EphemeralVolumeSource")]
pub struct EphemeralVolumeSource {
    /// The claim to make for it.
    pub volume_claim_template: Option<PersistentVolumeClaimTemplate>,
}

/// A folder that is empty at first and is deleted with its pod.
#[api(of = "core/v1.EmptyDirVolumeSource")]
pub struct EmptyDirVolumeSource {
    /// Its medium: empty for the node's disk, `Memory` for memory.
    #[api(omit_empty)]
    pub medium: Option<String>,
    /// Mode bits of the folder. Default 0777.
    pub mode: Option<i32>,
    /// The most it may hold.
    pub size_limit: Option<Quantity>,
}

/// What happens to the claims of a StatefulSet.
#[api(
    of = "apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
    omit_empty
)]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    /// When it is deleted: `Retain` or `Delete`. Default `Retain`.
    pub when_deleted: Option<String>,
    /// When it shrinks: `Retain` or `Delete`. Default `Retain`.
    pub when_scaled: Option<String>,
}
