//! Volumes of particular storage systems. promgen only hands them through.

use std::collections::BTreeMap;

use promgen_derive::Decode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api::core::reference::LocalObjectReference;
use crate::api::unset;

/// A disk of AWS.
///
/// Kubernetes: core/v1.AWSElasticBlockStoreVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AwsElasticBlockStoreVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The partition. Default the whole disk.
    #[serde(skip_serializing_if = "unset")]
    pub partition: Option<i32>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The disk.
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// A disk of Azure.
///
/// Kubernetes: core/v1.AzureDiskVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureDiskVolumeSource {
    /// How the host caches: `None`, `ReadOnly`, `ReadWrite`.
    pub caching_mode: Option<String>,
    /// The disk.
    pub disk_name: String,
    /// Where it is stored.
    #[serde(rename = "diskURI")]
    pub disk_uri: String,
    /// The file system to mount. Default `ext4`.
    #[serde(default = "ext4")]
    pub fs_type: String,
    /// `Shared`, `Dedicated` or `Managed`. Default `Shared`.
    pub kind: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(default)]
    pub read_only: bool,
}

/// A file share of Azure.
///
/// Kubernetes: core/v1.AzureFileVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AzureFileVolumeSource {
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with the account.
    pub secret_name: String,
    /// The share.
    pub share_name: String,
}

/// A Ceph file system.
///
/// Kubernetes: core/v1.CephFSVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CephFsVolumeSource {
    /// The monitors.
    pub monitors: Vec<String>,
    /// The path within. Default `/`.
    #[serde(skip_serializing_if = "unset")]
    pub path: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The file of the node with the key.
    #[serde(skip_serializing_if = "unset")]
    pub secret_file: Option<String>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The user. Default `admin`.
    #[serde(skip_serializing_if = "unset")]
    pub user: Option<String>,
}

/// A disk of OpenStack.
///
/// Kubernetes: core/v1.CinderVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CinderVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The disk.
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// A disk over Fibre Channel.
///
/// Kubernetes: core/v1.FCVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FcVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The number of the unit.
    pub lun: Option<i32>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The world-wide names of targets.
    #[serde(rename = "targetWWNs", skip_serializing_if = "unset")]
    pub target_wwns: Option<Vec<String>>,
    /// The world-wide identifiers, instead of names and number.
    #[serde(skip_serializing_if = "unset")]
    pub wwids: Option<Vec<String>>,
}

/// A volume of an exec driver.
///
/// Kubernetes: core/v1.FlexVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlexVolumeSource {
    /// The driver.
    pub driver: String,
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// What the driver wants to know.
    #[serde(skip_serializing_if = "unset")]
    pub options: Option<BTreeMap<String, String>>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
}

/// A Flocker dataset.
///
/// Kubernetes: core/v1.FlockerVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlockerVolumeSource {
    /// Its name.
    #[serde(skip_serializing_if = "unset")]
    pub dataset_name: Option<String>,
    /// Its id.
    #[serde(rename = "datasetUUID", skip_serializing_if = "unset")]
    pub dataset_uuid: Option<String>,
}

/// A disk of Google Cloud.
///
/// Kubernetes: core/v1.GCEPersistentDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GcePersistentDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The partition. Default the whole disk.
    #[serde(skip_serializing_if = "unset")]
    pub partition: Option<i32>,
    /// The disk.
    pub pd_name: String,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
}

/// A clone of a git repository.
///
/// Kubernetes: core/v1.GitRepoVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GitRepoVolumeSource {
    /// The folder to clone into.
    #[serde(skip_serializing_if = "unset")]
    pub directory: Option<String>,
    /// The repository's URL.
    pub repository: String,
    /// The commit.
    #[serde(skip_serializing_if = "unset")]
    pub revision: Option<String>,
}

/// A Gluster volume.
///
/// Kubernetes: core/v1.GlusterfsVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlusterfsVolumeSource {
    /// The Endpoints object of its servers.
    pub endpoints: String,
    /// The volume.
    pub path: String,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
}

/// A disk over iSCSI.
///
/// Kubernetes: core/v1.ISCSIVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IscsiVolumeSource {
    /// Whether discovery needs CHAP. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub chap_auth_discovery: Option<bool>,
    /// Whether the session needs CHAP. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub chap_auth_session: Option<bool>,
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The name of this side.
    pub initiator_name: Option<String>,
    /// The name of the target.
    pub iqn: String,
    /// The interface. Default `default`.
    #[serde(default = "default_interface")]
    pub iscsi_interface: String,
    /// The number of the unit.
    pub lun: i32,
    /// Further addresses of the target.
    #[serde(skip_serializing_if = "unset")]
    pub portals: Option<Vec<String>>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The address of the target.
    pub target_portal: String,
}

/// A disk of a Photon controller.
///
/// Kubernetes: core/v1.PhotonPersistentDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhotonPersistentDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The disk.
    #[serde(rename = "pdID")]
    pub pd_id: String,
}

/// A Portworx volume.
///
/// Kubernetes: core/v1.PortworxVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortworxVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The volume.
    #[serde(rename = "volumeID")]
    pub volume_id: String,
}

/// A Quobyte volume.
///
/// Kubernetes: core/v1.QuobyteVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QuobyteVolumeSource {
    /// The group to act as.
    #[serde(skip_serializing_if = "unset")]
    pub group: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The addresses of the registry, `host:port`, with commas.
    pub registry: String,
    /// The tenant.
    #[serde(skip_serializing_if = "unset")]
    pub tenant: Option<String>,
    /// The user to act as. Default the one of the service account.
    #[serde(skip_serializing_if = "unset")]
    pub user: Option<String>,
    /// The volume.
    pub volume: String,
}

/// A Ceph block device.
///
/// Kubernetes: core/v1.RBDVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RbdVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The image.
    pub image: String,
    /// The file of the node with the key. Default `/etc/ceph/keyring`.
    #[serde(default = "ceph_keyring")]
    pub keyring: String,
    /// The monitors.
    pub monitors: Vec<String>,
    /// The pool. Default `rbd`.
    #[serde(default = "rbd_pool")]
    pub pool: String,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The user. Default `admin`.
    #[serde(default = "ceph_admin")]
    pub user: String,
}

/// A ScaleIO volume.
///
/// Kubernetes: core/v1.ScaleIOVolumeSource.
#[derive(Clone, Debug, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScaleIoVolumeSource {
    /// The file system to mount. Default `xfs`.
    #[serde(default = "xfs")]
    pub fs_type: String,
    /// The address of the gateway.
    pub gateway: String,
    /// The protection domain.
    #[serde(skip_serializing_if = "unset")]
    pub protection_domain: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: LocalObjectReference,
    /// Whether the gateway speaks TLS. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub ssl_enabled: Option<bool>,
    /// `ThickProvisioned` or `ThinProvisioned`. Default `ThinProvisioned`.
    #[serde(default = "thin_provisioned")]
    pub storage_mode: String,
    /// The storage pool.
    #[serde(skip_serializing_if = "unset")]
    pub storage_pool: Option<String>,
    /// The storage system.
    pub system: String,
    /// The volume.
    #[serde(skip_serializing_if = "unset")]
    pub volume_name: Option<String>,
}

/// A StorageOS volume.
///
/// Kubernetes: core/v1.StorageOSVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageOsVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The volume, once per namespace.
    #[serde(skip_serializing_if = "unset")]
    pub volume_name: Option<String>,
    /// Its namespace within StorageOS. Default the pod's.
    #[serde(skip_serializing_if = "unset")]
    pub volume_namespace: Option<String>,
}

/// A disk of vSphere.
///
/// Kubernetes: core/v1.VsphereVirtualDiskVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VsphereVirtualDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[serde(skip_serializing_if = "unset")]
    pub fs_type: Option<String>,
    /// The id of the storage policy.
    #[serde(rename = "storagePolicyID", skip_serializing_if = "unset")]
    pub storage_policy_id: Option<String>,
    /// The storage policy.
    #[serde(skip_serializing_if = "unset")]
    pub storage_policy_name: Option<String>,
    /// The disk.
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
