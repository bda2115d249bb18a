//! Volumes that gather several sources in one folder.

use promgen_derive::api;

use crate::api::core::volume::{DownwardApiVolumeFile, KeyToPath};
use crate::api::meta::LabelSelector;
use promgen_text::yaml::StringMap;

/// Several sources in one folder.
#[api(of = "core/v1.ProjectedVolumeSource")]
pub struct ProjectedVolumeSource {
    /// Mode bits of the files. Default 0644.
    pub default_mode: Option<i32>,
    /// The user that owns the files, by number.
    pub default_user: Option<i64>,
    /// The sources.
    #[api(omit_empty)]
    pub sources: Option<Vec<VolumeProjection>>,
}

/// A source of a projected volume: one of these.
#[api(of = "core/v1.VolumeProjection")]
pub struct VolumeProjection {
    /// Certificates of a trust bundle.
    pub cluster_trust_bundle: Option<ClusterTrustBundleProjection>,
    /// Keys of a ConfigMap.
    pub config_map: Option<ConfigMapProjection>,
    /// Fields of the pod.
    pub downward_api: Option<DownwardApiProjection>,
    /// A key and a certificate made for the pod.
    pub pod_certificate: Option<PodCertificateProjection>,
    /// Keys of a Secret.
    pub secret: Option<SecretProjection>,
    /// A token of the pod's service account.
    pub service_account_token: Option<ServiceAccountTokenProjection>,
}

/// Certificates of trust bundles, as one file.
#[api(of = "core/v1.ClusterTrustBundleProjection")]
pub struct ClusterTrustBundleProjection {
    /// The selector of the signer's bundles.
    pub label_selector: Option<LabelSelector>,
    /// The name of the bundle, instead of a signer.
    pub name: Option<String>,
    /// Whether the bundles are optional.
    pub optional: Option<bool>,
    /// The file, relative to the volume.
    pub path: String,
    /// The signer of the bundles.
    pub signer_name: Option<String>,
    /// The user that owns the file, by number. Default that of the volume.
    pub user: Option<i64>,
}

/// Keys of a ConfigMap, as files.
#[api(of = "core/v1.ConfigMapProjection")]
pub struct ConfigMapProjection {
    /// The keys and their paths. Default all, each under its name.
    #[api(omit_empty)]
    pub items: Option<Vec<KeyToPath>>,
    /// The ConfigMap.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether the ConfigMap or the keys are optional.
    pub optional: Option<bool>,
}

/// Keys of a Secret, as files.
#[api(of = "core/v1.SecretProjection")]
pub struct SecretProjection {
    /// The keys and their paths. Default all, each under its name.
    #[api(omit_empty)]
    pub items: Option<Vec<KeyToPath>>,
    /// The Secret.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether the Secret or the keys are optional.
    pub optional: Option<bool>,
}

/// Fields of the pod, as files.
#[api(of = "core/v1.DownwardAPIProjection")]
pub struct DownwardApiProjection {
    /// The fields and their paths.
    #[api(omit_empty)]
    pub items: Option<Vec<DownwardApiVolumeFile>>,
}

/// A key and a certificate made for the pod.
#[api(of = "core/v1.PodCertificateProjection")]
pub struct PodCertificateProjection {
    /// The file of the certificate chain.
    #[api(omit_empty)]
    pub certificate_chain_path: Option<String>,
    /// The file of key and chain together.
    #[api(omit_empty)]
    pub credential_bundle_path: Option<String>,
    /// The file of the key.
    #[api(omit_empty)]
    pub key_path: Option<String>,
    /// The type of the key, such as `ED25519`.
    pub key_type: String,
    /// The longest life of the certificate, in seconds. Default 86400.
    pub max_expiration_seconds: Option<i32>,
    /// The signer.
    pub signer_name: String,
    /// The user that owns the file, by number. Default that of the volume.
    pub user: Option<i64>,
    /// Annotations for the signer.
    #[api(omit_empty)]
    pub user_annotations: Option<StringMap>,
}

/// A token of the pod's service account, renewed in time.
#[api(of = "core/v1.ServiceAccountTokenProjection")]
pub struct ServiceAccountTokenProjection {
    /// Its audience. Default the API server.
    #[api(omit_empty)]
    pub audience: Option<String>,
    /// Its life in seconds, at least 600. Default 3600.
    pub expiration_seconds: Option<i64>,
    /// The file, relative to the volume.
    pub path: String,
    /// The user that owns the file, by number. Default that of the volume.
    pub user: Option<i64>,
}
