//! Volumes of particular storage systems. promgen only hands them through.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::reference::LocalObjectReference;
use crate::api::unset;

/// Kubernetes: core/v1.AWSElasticBlockStoreVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AwsElasticBlockStoreVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub partition: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// Kubernetes: core/v1.AzureDiskVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureDiskVolumeSource {
    pub caching_mode: Option<String>,
    pub disk_name: String,
    #[serde(rename = "diskURI")]
    pub disk_uri: String,
    #[serde(default = "ext4")]
    pub fs_type: String,
    pub kind: Option<String>,
    #[serde(default)]
    pub read_only: bool,
}

/// Kubernetes: core/v1.AzureFileVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureFileVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_name: String,
    pub share_name: String,
}

/// Kubernetes: core/v1.CephFSVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CephFsVolumeSource {
    pub monitors: Vec<String>,
    #[serde(skip_serializing_if = "unset")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub secret_file: Option<String>,
    pub secret_ref: Option<LocalObjectReference>,
    #[serde(skip_serializing_if = "unset")]
    pub user: Option<String>,
}

/// Kubernetes: core/v1.CinderVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CinderVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: Option<LocalObjectReference>,
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// Kubernetes: core/v1.FCVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FcVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    pub lun: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    #[serde(rename = "targetWWNs", skip_serializing_if = "unset")]
    pub target_wwns: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub wwids: Option<Vec<String>>,
}

/// Kubernetes: core/v1.FlexVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlexVolumeSource {
    pub driver: String,
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub options: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: Option<LocalObjectReference>,
}

/// Kubernetes: core/v1.FlockerVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlockerVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub dataset_name: Option<String>,
    #[serde(rename = "datasetUUID", skip_serializing_if = "unset")]
    pub dataset_uuid: Option<String>,
}

/// Kubernetes: core/v1.GCEPersistentDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcePersistentDiskVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub partition: Option<i32>,
    pub pd_name: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
}

/// Kubernetes: core/v1.GitRepoVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitRepoVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub directory: Option<String>,
    pub repository: String,
    #[serde(skip_serializing_if = "unset")]
    pub revision: Option<String>,
}

/// Kubernetes: core/v1.GlusterfsVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlusterfsVolumeSource {
    pub endpoints: String,
    pub path: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
}

/// Kubernetes: core/v1.ISCSIVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IscsiVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub chap_auth_discovery: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub chap_auth_session: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    pub initiator_name: Option<String>,
    pub iqn: String,
    #[serde(default = "default_interface")]
    pub iscsi_interface: String,
    pub lun: i32,
    #[serde(skip_serializing_if = "unset")]
    pub portals: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: Option<LocalObjectReference>,
    pub target_portal: String,
}

/// Kubernetes: core/v1.PhotonPersistentDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhotonPersistentDiskVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(rename = "pdID")]
    pub pd_id: String,
}

/// Kubernetes: core/v1.PortworxVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortworxVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// Kubernetes: core/v1.QuobyteVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuobyteVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub registry: String,
    #[serde(skip_serializing_if = "unset")]
    pub tenant: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub user: Option<String>,
    pub volume: String,
}

/// Kubernetes: core/v1.RBDVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RbdVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    pub image: String,
    #[serde(default = "ceph_keyring")]
    pub keyring: String,
    pub monitors: Vec<String>,
    #[serde(default = "rbd_pool")]
    pub pool: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: Option<LocalObjectReference>,
    #[serde(default = "ceph_admin")]
    pub user: String,
}

/// Kubernetes: core/v1.ScaleIOVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScaleIoVolumeSource {
    #[serde(default = "xfs")]
    pub fs_type: String,
    pub gateway: String,
    #[serde(skip_serializing_if = "unset")]
    pub protection_domain: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: LocalObjectReference,
    #[serde(skip_serializing_if = "unset")]
    pub ssl_enabled: Option<bool>,
    #[serde(default = "thin_provisioned")]
    pub storage_mode: String,
    #[serde(skip_serializing_if = "unset")]
    pub storage_pool: Option<String>,
    pub system: String,
    #[serde(skip_serializing_if = "unset")]
    pub volume_name: Option<String>,
}

/// Kubernetes: core/v1.StorageOSVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageOsVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub secret_ref: Option<LocalObjectReference>,
    #[serde(skip_serializing_if = "unset")]
    pub volume_name: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub volume_namespace: Option<String>,
}

/// Kubernetes: core/v1.VsphereVirtualDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VsphereVirtualDiskVolumeSource {
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    #[serde(rename = "storagePolicyID", skip_serializing_if = "unset")]
    pub storage_policy_id: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub storage_policy_name: Option<String>,
    pub volume_path: String,
}

fn ext4() -> String {
    "ext4".to_owned()
}

fn default_interface() -> String {
    "default".to_owned()
}

fn ceph_keyring() -> String {
    "/etc/ceph/keyring".to_owned()
}

fn rbd_pool() -> String {
    "rbd".to_owned()
}

fn ceph_admin() -> String {
    "admin".to_owned()
}

fn xfs() -> String {
    "xfs".to_owned()
}

fn thin_provisioned() -> String {
    "ThinProvisioned".to_owned()
}
