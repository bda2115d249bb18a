//! Volumes, and the sources that monitoring stacks use every day.

use promgen_derive::api;

use crate::api::core::disk::{
    AwsElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource,
    CephFsVolumeSource, CinderVolumeSource, FcVolumeSource, FlexVolumeSource, FlockerVolumeSource,
    GcePersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource, IscsiVolumeSource,
    PhotonPersistentDiskVolumeSource, PortworxVolumeSource, QuobyteVolumeSource, RbdVolumeSource,
    ScaleIoVolumeSource, StorageOsVolumeSource, VsphereVirtualDiskVolumeSource,
};
use crate::api::core::projected::ProjectedVolumeSource;
use crate::api::core::reference::{
    LocalObjectReference, ObjectFieldSelector, ResourceFieldSelector,
};
use crate::api::core::storage::{EmptyDirVolumeSource, EphemeralVolumeSource};
use promgen_text::yaml::StringMap;

/// A volume of a pod: a name, and one source.
#[api(of = "core/v1.Volume")]
pub struct Volume {
    /// A disk of AWS.
    pub aws_elastic_block_store: Option<AwsElasticBlockStoreVolumeSource>,
    /// A disk of Azure.
    pub azure_disk: Option<AzureDiskVolumeSource>,
    /// A file share of Azure.
    pub azure_file: Option<AzureFileVolumeSource>,
    /// A Ceph file system.
    pub cephfs: Option<CephFsVolumeSource>,
    /// A disk of OpenStack.
    pub cinder: Option<CinderVolumeSource>,
    /// The keys of a ConfigMap, as files.
    pub config_map: Option<ConfigMapVolumeSource>,
    /// A volume of a CSI driver that is deleted with its pod.
    pub csi: Option<CsiVolumeSource>,
    /// Fields of the pod, as files.
    pub downward_api: Option<DownwardApiVolumeSource>,
    /// A folder that is empty at first.
    pub empty_dir: Option<EmptyDirVolumeSource>,
    /// A claim that is deleted with its pod.
    pub ephemeral: Option<EphemeralVolumeSource>,
    /// A disk over Fibre Channel.
    pub fc: Option<FcVolumeSource>,
    /// A volume of an exec driver.
    pub flex_volume: Option<FlexVolumeSource>,
    /// A Flocker dataset.
    pub flocker: Option<FlockerVolumeSource>,
    /// A disk of Google Cloud.
    pub gce_persistent_disk: Option<GcePersistentDiskVolumeSource>,
    /// A clone of a git repository.
    pub git_repo: Option<GitRepoVolumeSource>,
    /// A Gluster volume.
    pub glusterfs: Option<GlusterfsVolumeSource>,
    /// A path of the node.
    pub host_path: Option<HostPathVolumeSource>,
    /// The files of an image.
    pub image: Option<ImageVolumeSource>,
    /// A disk over iSCSI.
    pub iscsi: Option<IscsiVolumeSource>,
    /// Its name, once per pod.
    pub name: String,
    /// An NFS share.
    pub nfs: Option<NfsVolumeSource>,
    /// A claim in the same namespace.
    pub persistent_volume_claim: Option<PersistentVolumeClaimVolumeSource>,
    /// A disk of a Photon controller.
    pub photon_persistent_disk: Option<PhotonPersistentDiskVolumeSource>,
    /// A Portworx volume.
    pub portworx_volume: Option<PortworxVolumeSource>,
    /// Several sources in one folder.
    pub projected: Option<ProjectedVolumeSource>,
    /// A Quobyte volume.
    pub quobyte: Option<QuobyteVolumeSource>,
    /// A Ceph block device.
    pub rbd: Option<RbdVolumeSource>,
    /// A ScaleIO volume.
    pub scale_io: Option<ScaleIoVolumeSource>,
    /// The keys of a Secret, as files.
    pub secret: Option<SecretVolumeSource>,
    /// A StorageOS volume.
    pub storageos: Option<StorageOsVolumeSource>,
    /// A disk of vSphere.
    pub vsphere_volume: Option<VsphereVirtualDiskVolumeSource>,
}

/// The keys of a ConfigMap, as files.
#[api(of = "core/v1.ConfigMapVolumeSource")]
pub struct ConfigMapVolumeSource {
    /// Mode bits of the files. Default 0644.
    pub default_mode: Option<i32>,
    /// The user that owns the files, by number.
    pub default_user: Option<i64>,
    /// The keys and their paths. Default all, each under its name.
    #[api(omit_empty)]
    pub items: Option<Vec<KeyToPath>>,
    /// The ConfigMap.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether the ConfigMap or the keys are optional.
    pub optional: Option<bool>,
}

/// The keys of a Secret, as files.
#[api(of = "core/v1.SecretVolumeSource")]
pub struct SecretVolumeSource {
    /// Mode bits of the files. Default 0644.
    pub default_mode: Option<i32>,
    /// The user that owns the files, by number.
    pub default_user: Option<i64>,
    /// The keys and their paths. Default all, each under its name.
    #[api(omit_empty)]
    pub items: Option<Vec<KeyToPath>>,
    /// Whether the Secret or the keys are optional.
    pub optional: Option<bool>,
    /// The Secret.
    #[api(omit_empty)]
    pub secret_name: Option<String>,
}

/// A key, and its file.
#[api(of = "core/v1.KeyToPath")]
pub struct KeyToPath {
    /// The key.
    pub key: String,
    /// Mode bits of the file. Default those of the volume.
    pub mode: Option<i32>,
    /// The file, relative to the volume.
    pub path: String,
    /// The user that owns the file, by number. Default that of the volume.
    pub user: Option<i64>,
}

/// Fields of the pod, as files.
#[api(of = "core/v1.DownwardAPIVolumeSource")]
pub struct DownwardApiVolumeSource {
    /// Mode bits of the files. Default 0644.
    pub default_mode: Option<i32>,
    /// The user that owns the files, by number.
    pub default_user: Option<i64>,
    /// The fields and their paths.
    #[api(omit_empty)]
    pub items: Option<Vec<DownwardApiVolumeFile>>,
}

/// A field of the pod, and its file.
#[api(of = "core/v1.DownwardAPIVolumeFile")]
pub struct DownwardApiVolumeFile {
    /// The field: annotations, labels, name, namespace or uid.
    pub field_ref: Option<ObjectFieldSelector>,
    /// Mode bits of the file. Default those of the volume.
    pub mode: Option<i32>,
    /// The file, relative to the volume.
    pub path: String,
    /// A limit or request of a container, instead of a field.
    pub resource_field_ref: Option<ResourceFieldSelector>,
    /// The user that owns the file, by number. Default that of the volume.
    pub user: Option<i64>,
}

/// A path of the node.
#[api(of = "core/v1.HostPathVolumeSource")]
pub struct HostPathVolumeSource {
    /// The path.
    pub path: String,
    /// The type that is checked, such as `Directory`. Default empty: no check.
    pub r#type: Option<String>,
}

/// The files of an image.
#[api(of = "core/v1.ImageVolumeSource", omit_empty)]
pub struct ImageVolumeSource {
    /// When to pull it: `Always`, `IfNotPresent`, `Never`.
    pub pull_policy: Option<String>,
    /// The image.
    pub reference: Option<String>,
}

/// A claim in the same namespace.
#[api(of = "core/v1.PersistentVolumeClaimVolumeSource")]
pub struct PersistentVolumeClaimVolumeSource {
    /// The claim.
    pub claim_name: String,
    /// Whether it is mounted read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
}

/// A volume of a CSI driver that is deleted with its pod.
#[api(of = "core/v1.CSIVolumeSource")]
pub struct CsiVolumeSource {
    /// The driver.
    pub driver: String,
    /// The file system to mount. Default the driver's choice.
    pub fs_type: Option<String>,
    /// The Secret for the driver.
    pub node_publish_secret_ref: Option<LocalObjectReference>,
    /// Whether it is read-only. Default false.
    pub read_only: Option<bool>,
    /// Parameters of the driver.
    #[api(omit_empty)]
    pub volume_attributes: Option<StringMap>,
}

/// An NFS share.
#[api(of = "core/v1.NFSVolumeSource")]
pub struct NfsVolumeSource {
    /// The path that the server exports.
    pub path: String,
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
    /// The server.
    pub server: String,
}
