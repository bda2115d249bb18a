//! Claims for persistent storage.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::reference::{TypedLocalObjectReference, TypedObjectReference};
use crate::api::meta::{LabelSelector, PrunedMetadata};
use crate::api::scalar::{Quantity, Time};
use crate::api::unset;

/// Kubernetes: core/v1.PersistentVolumeClaimSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaimSpec {
    #[serde(skip_serializing_if = "unset")]
    pub access_modes: Option<Vec<String>>,
    pub data_source: Option<TypedLocalObjectReference>,
    pub data_source_ref: Option<TypedObjectReference>,
    pub resources: Option<VolumeResourceRequirements>,
    pub selector: Option<LabelSelector>,
    pub storage_class_name: Option<String>,
    pub volume_attributes_class_name: Option<String>,
    pub volume_mode: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub volume_name: Option<String>,
}

/// Kubernetes: core/v1.VolumeResourceRequirements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeResourceRequirements {
    #[serde(skip_serializing_if = "unset")]
    pub limits: Option<BTreeMap<String, Quantity>>,
    #[serde(skip_serializing_if = "unset")]
    pub requests: Option<BTreeMap<String, Quantity>>,
}

/// Kubernetes: core/v1.PersistentVolumeClaimStatus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaimStatus {
    #[serde(skip_serializing_if = "unset")]
    pub access_modes: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub allocated_resource_statuses: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "unset")]
    pub allocated_resources: Option<BTreeMap<String, Quantity>>,
    #[serde(skip_serializing_if = "unset")]
    pub capacity: Option<BTreeMap<String, Quantity>>,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Option<Vec<PersistentVolumeClaimCondition>>,
    pub current_volume_attributes_class_name: Option<String>,
    pub modify_volume_status: Option<ModifyVolumeStatus>,
    #[serde(skip_serializing_if = "unset")]
    pub phase: Option<String>,
}

/// Kubernetes: core/v1.PersistentVolumeClaimCondition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaimCondition {
    pub last_probe_time: Option<Time>,
    pub last_transition_time: Option<Time>,
    #[serde(skip_serializing_if = "unset")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub reason: Option<String>,
    pub status: String,
    pub r#type: String,
}

/// Kubernetes: core/v1.ModifyVolumeStatus.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModifyVolumeStatus {
    pub status: String,
    #[serde(skip_serializing_if = "unset")]
    pub target_volume_attributes_class_name: Option<String>,
}

/// Kubernetes: core/v1.PersistentVolumeClaimTemplate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaimTemplate {
    pub metadata: Option<PrunedMetadata>,
    pub spec: PersistentVolumeClaimSpec,
}

/// Kubernetes: core/v1.EphemeralVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EphemeralVolumeSource {
    pub volume_claim_template: Option<PersistentVolumeClaimTemplate>,
}

/// Kubernetes: core/v1.EmptyDirVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmptyDirVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub medium: Option<String>,
    pub size_limit: Option<Quantity>,
}

/// Kubernetes: apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatefulSetPersistentVolumeClaimRetentionPolicy {
    #[serde(skip_serializing_if = "unset")]
    pub when_deleted: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub when_scaled: Option<String>,
}
