//! Volumes, and the sources that monitoring stacks use every day.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::disk::{
    AwsElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CephFsVolumeSource,
    CinderVolumeSource, FcVolumeSource, FlexVolumeSource, FlockerVolumeSource, GcePersistentDiskVolumeSource,
    GitRepoVolumeSource, GlusterfsVolumeSource, IscsiVolumeSource, PhotonPersistentDiskVolumeSource,
    PortworxVolumeSource, QuobyteVolumeSource, RbdVolumeSource, ScaleIoVolumeSource, StorageOsVolumeSource,
    VsphereVirtualDiskVolumeSource,
};
use crate::api::core::projected::ProjectedVolumeSource;
use crate::api::core::reference::{LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector};
use crate::api::core::storage::{EmptyDirVolumeSource, EphemeralVolumeSource};
use crate::api::unset;

/// Kubernetes: core/v1.Volume.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    pub aws_elastic_block_store: Option<AwsElasticBlockStoreVolumeSource>,
    pub azure_disk: Option<AzureDiskVolumeSource>,
    pub azure_file: Option<AzureFileVolumeSource>,
    pub cephfs: Option<CephFsVolumeSource>,
    pub cinder: Option<CinderVolumeSource>,
    pub config_map: Option<ConfigMapVolumeSource>,
    pub csi: Option<CsiVolumeSource>,
    #[serde(rename = "downwardAPI")]
    pub downward_api: Option<DownwardApiVolumeSource>,
    pub empty_dir: Option<EmptyDirVolumeSource>,
    pub ephemeral: Option<EphemeralVolumeSource>,
    pub fc: Option<FcVolumeSource>,
    pub flex_volume: Option<FlexVolumeSource>,
    pub flocker: Option<FlockerVolumeSource>,
    pub gce_persistent_disk: Option<GcePersistentDiskVolumeSource>,
    pub git_repo: Option<GitRepoVolumeSource>,
    pub glusterfs: Option<GlusterfsVolumeSource>,
    pub host_path: Option<HostPathVolumeSource>,
    pub image: Option<ImageVolumeSource>,
    pub iscsi: Option<IscsiVolumeSource>,
    pub name: String,
    pub nfs: Option<NfsVolumeSource>,
    pub persistent_volume_claim: Option<PersistentVolumeClaimVolumeSource>,
    pub photon_persistent_disk: Option<PhotonPersistentDiskVolumeSource>,
    pub portworx_volume: Option<PortworxVolumeSource>,
    pub projected: Option<ProjectedVolumeSource>,
    pub quobyte: Option<QuobyteVolumeSource>,
    pub rbd: Option<RbdVolumeSource>,
    #[serde(rename = "scaleIO")]
    pub scale_io: Option<ScaleIoVolumeSource>,
    pub secret: Option<SecretVolumeSource>,
    pub storageos: Option<StorageOsVolumeSource>,
    pub vsphere_volume: Option<VsphereVirtualDiskVolumeSource>,
}

/// Kubernetes: core/v1.ConfigMapVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapVolumeSource {
    pub default_mode: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<KeyToPath>>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.SecretVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretVolumeSource {
    pub default_mode: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<KeyToPath>>,
    pub optional: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub secret_name: Option<String>,
}

/// Kubernetes: core/v1.KeyToPath.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyToPath {
    pub key: String,
    pub mode: Option<i32>,
    pub path: String,
}

/// Kubernetes: core/v1.DownwardAPIVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DownwardApiVolumeSource {
    pub default_mode: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<DownwardApiVolumeFile>>,
}

/// Kubernetes: core/v1.DownwardAPIVolumeFile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DownwardApiVolumeFile {
    pub field_ref: Option<ObjectFieldSelector>,
    pub mode: Option<i32>,
    pub path: String,
    pub resource_field_ref: Option<ResourceFieldSelector>,
}

/// Kubernetes: core/v1.HostPathVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostPathVolumeSource {
    pub path: String,
    pub r#type: Option<String>,
}

/// Kubernetes: core/v1.ImageVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub pull_policy: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub reference: Option<String>,
}

/// Kubernetes: core/v1.PersistentVolumeClaimVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersistentVolumeClaimVolumeSource {
    pub claim_name: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
}

/// Kubernetes: core/v1.CSIVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CsiVolumeSource {
    pub driver: String,
    pub fs_type: Option<String>,
    pub node_publish_secret_ref: Option<LocalObjectReference>,
    pub read_only: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub volume_attributes: Option<BTreeMap<String, String>>,
}

/// Kubernetes: core/v1.NFSVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NfsVolumeSource {
    pub path: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub server: String,
}
