//! Volumes that gather several sources in one folder.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::volume::{DownwardApiVolumeFile, KeyToPath};
use crate::api::meta::LabelSelector;
use crate::api::unset;

/// Kubernetes: core/v1.ProjectedVolumeSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectedVolumeSource {
    pub default_mode: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub sources: Option<Vec<VolumeProjection>>,
}

/// Kubernetes: core/v1.VolumeProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeProjection {
    pub cluster_trust_bundle: Option<ClusterTrustBundleProjection>,
    pub config_map: Option<ConfigMapProjection>,
    #[serde(rename = "downwardAPI")]
    pub downward_api: Option<DownwardApiProjection>,
    pub pod_certificate: Option<PodCertificateProjection>,
    pub secret: Option<SecretProjection>,
    pub service_account_token: Option<ServiceAccountTokenProjection>,
}

/// Kubernetes: core/v1.ClusterTrustBundleProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClusterTrustBundleProjection {
    pub label_selector: Option<LabelSelector>,
    pub name: Option<String>,
    pub optional: Option<bool>,
    pub path: String,
    pub signer_name: Option<String>,
}

/// Kubernetes: core/v1.ConfigMapProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapProjection {
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<KeyToPath>>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.SecretProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretProjection {
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<KeyToPath>>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.DownwardAPIProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DownwardApiProjection {
    #[serde(skip_serializing_if = "unset")]
    pub items: Option<Vec<DownwardApiVolumeFile>>,
}

/// Kubernetes: core/v1.PodCertificateProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodCertificateProjection {
    #[serde(skip_serializing_if = "unset")]
    pub certificate_chain_path: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub credential_bundle_path: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub key_path: Option<String>,
    pub key_type: String,
    pub max_expiration_seconds: Option<i32>,
    pub signer_name: String,
    #[serde(skip_serializing_if = "unset")]
    pub user_annotations: Option<BTreeMap<String, String>>,
}

/// Kubernetes: core/v1.ServiceAccountTokenProjection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountTokenProjection {
    #[serde(skip_serializing_if = "unset")]
    pub audience: Option<String>,
    pub expiration_seconds: Option<i64>,
    pub path: String,
}
