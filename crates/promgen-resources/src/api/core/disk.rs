//! Volumes of particular storage systems. promgen only hands them through.

use promgen_derive::api;

use crate::api::core::reference::LocalObjectReference;
use promgen_text::yaml::StringMap;

/// A disk of AWS.
#[api(of = "core/v1.AWSElasticBlockStoreVolumeSource", omit_empty)]
pub struct AwsElasticBlockStoreVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// The partition. Default the whole disk.
    pub partition: Option<i32>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The disk.
    pub volume_id: String,
}

/// A disk of Azure.
#[api(of = "core/v1.AzureDiskVolumeSource")]
pub struct AzureDiskVolumeSource {
    /// How the host caches: `None`, `ReadOnly`, `ReadWrite`.
    pub caching_mode: Option<String>,
    /// The disk.
    pub disk_name: String,
    /// Where it is stored.
    pub disk_uri: String,
    /// The file system to mount. Default `ext4`.
    #[api(default = ext4)]
    pub fs_type: String,
    /// `Shared`, `Dedicated` or `Managed`. Default `Shared`.
    pub kind: Option<String>,
    /// Whether it is read-only. Default false.
    #[api(default)]
    pub read_only: bool,
}

/// A file share of Azure.
#[api(of = "core/v1.AzureFileVolumeSource")]
pub struct AzureFileVolumeSource {
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
    /// The Secret with the account.
    pub secret_name: String,
    /// The share.
    pub share_name: String,
}

/// A Ceph file system.
#[api(of = "core/v1.CephFSVolumeSource", omit_empty)]
pub struct CephFsVolumeSource {
    /// The monitors.
    pub monitors: Vec<String>,
    /// The path within. Default `/`.
    pub path: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The file of the node with the key.
    pub secret_file: Option<String>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The user. Default `admin`.
    pub user: Option<String>,
}

/// A disk of OpenStack.
#[api(of = "core/v1.CinderVolumeSource", omit_empty)]
pub struct CinderVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The disk.
    pub volume_id: String,
}

/// A disk over Fibre Channel.
#[api(of = "core/v1.FCVolumeSource")]
pub struct FcVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[api(omit_empty)]
    pub fs_type: Option<String>,
    /// The number of the unit.
    pub lun: Option<i32>,
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
    /// The world-wide names of targets.
    #[api(omit_empty)]
    pub target_wwns: Option<Vec<String>>,
    /// The world-wide identifiers, instead of names and number.
    #[api(omit_empty)]
    pub wwids: Option<Vec<String>>,
}

/// A volume of an exec driver.
#[api(of = "core/v1.FlexVolumeSource", omit_empty)]
pub struct FlexVolumeSource {
    /// The driver.
    pub driver: String,
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// Parameters of the driver.
    pub options: Option<StringMap>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
}

/// A Flocker dataset.
#[api(of = "core/v1.FlockerVolumeSource")]
pub struct FlockerVolumeSource {
    /// Its name.
    #[api(omit_empty)]
    pub dataset_name: Option<String>,
    /// Its id.
    #[api(omit_empty)]
    pub dataset_uuid: Option<String>,
}

/// A disk of Google Cloud.
#[api(of = "core/v1.GCEPersistentDiskVolumeSource", omit_empty)]
pub struct GcePersistentDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// The partition. Default the whole disk.
    pub partition: Option<i32>,
    /// The disk.
    pub pd_name: String,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
}

/// A clone of a git repository.
#[api(of = "core/v1.GitRepoVolumeSource", omit_empty)]
pub struct GitRepoVolumeSource {
    /// The folder to clone into.
    pub directory: Option<String>,
    /// The repository's URL.
    pub repository: String,
    /// The commit.
    pub revision: Option<String>,
}

/// A Gluster volume.
#[api(of = "core/v1.GlusterfsVolumeSource")]
pub struct GlusterfsVolumeSource {
    /// The Endpoints object of its servers.
    pub endpoints: String,
    /// The volume.
    pub path: String,
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
}

/// A disk over iSCSI.
#[api(of = "core/v1.ISCSIVolumeSource")]
pub struct IscsiVolumeSource {
    /// Whether discovery requires CHAP. Default false.
    #[api(omit_empty)]
    pub chap_auth_discovery: Option<bool>,
    /// Whether the session requires CHAP. Default false.
    #[api(omit_empty)]
    pub chap_auth_session: Option<bool>,
    /// The file system to mount. Default the storage system's choice.
    #[api(omit_empty)]
    pub fs_type: Option<String>,
    /// The name of this side.
    pub initiator_name: Option<String>,
    /// The name of the target.
    pub iqn: String,
    /// The interface. Default `default`.
    #[api(default = default_interface)]
    pub iscsi_interface: String,
    /// The number of the unit.
    pub lun: i32,
    /// Further addresses of the target.
    #[api(omit_empty)]
    pub portals: Option<Vec<String>>,
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The address of the target.
    pub target_portal: String,
}

/// A disk of a Photon controller.
#[api(of = "core/v1.PhotonPersistentDiskVolumeSource")]
pub struct PhotonPersistentDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    #[api(omit_empty)]
    pub fs_type: Option<String>,
    /// The disk.
    pub pd_id: String,
}

/// A Portworx volume.
#[api(of = "core/v1.PortworxVolumeSource", omit_empty)]
pub struct PortworxVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The volume.
    pub volume_id: String,
}

/// A Quobyte volume.
#[api(of = "core/v1.QuobyteVolumeSource", omit_empty)]
pub struct QuobyteVolumeSource {
    /// The group to act as.
    pub group: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The addresses of the registry, `host:port`, with commas.
    pub registry: String,
    /// The tenant.
    pub tenant: Option<String>,
    /// The user to act as. Default the one of the service account.
    pub user: Option<String>,
    /// The volume.
    pub volume: String,
}

/// A Ceph block device.
#[api(of = "core/v1.RBDVolumeSource", omit_empty)]
pub struct RbdVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// The image.
    pub image: String,
    /// The file of the node with the key. Default `/etc/ceph/keyring`.
    #[api(default = ceph_keyring)]
    pub keyring: String,
    /// The monitors.
    pub monitors: Vec<String>,
    /// The pool. Default `rbd`.
    #[api(default = rbd_pool)]
    pub pool: String,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The user. Default `admin`.
    #[api(default = ceph_admin)]
    pub user: String,
}

/// A ScaleIO volume.
#[api(of = "core/v1.ScaleIOVolumeSource", omit_empty)]
pub struct ScaleIoVolumeSource {
    /// The file system to mount. Default `xfs`.
    #[api(default = xfs)]
    pub fs_type: String,
    /// The address of the gateway.
    pub gateway: String,
    /// The protection domain.
    pub protection_domain: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: LocalObjectReference,
    /// Whether the gateway uses TLS. Default false.
    pub ssl_enabled: Option<bool>,
    /// `ThickProvisioned` or `ThinProvisioned`. Default `ThinProvisioned`.
    #[api(default = thin_provisioned)]
    pub storage_mode: String,
    /// The storage pool.
    pub storage_pool: Option<String>,
    /// The storage system.
    pub system: String,
    /// The volume.
    pub volume_name: Option<String>,
}

/// A StorageOS volume.
#[api(of = "core/v1.StorageOSVolumeSource", omit_empty)]
pub struct StorageOsVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// The Secret with its credentials.
    pub secret_ref: Option<LocalObjectReference>,
    /// The volume, once per namespace.
    pub volume_name: Option<String>,
    /// Its namespace within StorageOS. Default the pod's.
    pub volume_namespace: Option<String>,
}

/// A disk of vSphere.
#[api(of = "core/v1.VsphereVirtualDiskVolumeSource", omit_empty)]
pub struct VsphereVirtualDiskVolumeSource {
    /// The file system to mount. Default the storage system's choice.
    pub fs_type: Option<String>,
    /// The id of the storage policy.
    pub storage_policy_id: Option<String>,
    /// The storage policy.
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
