//! Pieces of the pods and StatefulSets of every workload.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::{
    EmptyDirVolumeSource, EphemeralVolumeSource, PersistentVolumeClaimSpec, PersistentVolumeClaimStatus,
};
use crate::api::meta::LabelSelector;
use crate::api::scalar::IntOrString;
use crate::api::{rules, string_enum, unset};

/// Operator: monitoring/v1.EmbeddedObjectMetadata.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedObjectMetadata {
    pub annotations: Option<BTreeMap<String, String>>,
    pub labels: Option<BTreeMap<String, String>>,
    pub name: Option<String>,
}

/// Operator: monitoring/v1.Argument.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Argument {
    #[schemars(length(min = 1))]
    pub name: String,
    pub value: Option<String>,
}

/// Operator: monitoring/v1.HostAlias.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostAlias {
    pub hostnames: Vec<String>,
    pub ip: String,
}

/// Operator: monitoring/v1.PodDNSConfig.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodDnsConfig {
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub nameservers: Option<Vec<String>>,
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub options: Option<Vec<PodDnsConfigOption>>,
    #[schemars(inner(length(min = 1)), extend("x-kubernetes-list-type" = "set"))]
    pub searches: Option<Vec<String>>,
}

/// Operator: monitoring/v1.PodDNSConfigOption.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodDnsConfigOption {
    #[schemars(length(min = 1))]
    pub name: String,
    pub value: Option<String>,
}

/// Operator: monitoring/v1.StatefulSetUpdateStrategy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("x-kubernetes-validations" = rules::UPDATE_STRATEGY))]
pub struct StatefulSetUpdateStrategy {
    pub rolling_update: Option<RollingUpdateStatefulSetStrategy>,
    pub r#type: UpdateStrategyType,
}

/// Operator: monitoring/v1.RollingUpdateStatefulSetStrategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RollingUpdateStatefulSetStrategy {
    pub max_unavailable: Option<IntOrString>,
}

/// Operator: monitoring/v1.TopologySpreadConstraint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopologySpreadConstraint {
    pub additional_label_selectors: Option<AdditionalLabelSelectors>,
    pub label_selector: Option<LabelSelector>,
    #[serde(skip_serializing_if = "unset")]
    pub match_label_keys: Option<Vec<String>>,
    pub max_skew: i32,
    pub min_domains: Option<i32>,
    pub node_affinity_policy: Option<String>,
    pub node_taints_policy: Option<String>,
    pub topology_key: String,
    pub when_unsatisfiable: String,
}

/// Operator: monitoring/v1.StorageSpec.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageSpec {
    pub disable_mount_sub_path: Option<bool>,
    pub empty_dir: Option<EmptyDirVolumeSource>,
    pub ephemeral: Option<EphemeralVolumeSource>,
    pub volume_claim_template: Option<EmbeddedPersistentVolumeClaim>,
}

/// Operator: monitoring/v1.EmbeddedPersistentVolumeClaim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddedPersistentVolumeClaim {
    pub api_version: Option<String>,
    pub kind: Option<String>,
    pub metadata: Option<EmbeddedObjectMetadata>,
    pub spec: Option<PersistentVolumeClaimSpec>,
    pub status: Option<PersistentVolumeClaimStatus>,
}

string_enum! {
    /// One of the allowed values.
    pub enum DnsPolicy {
        /// `ClusterFirstWithHostNet`.
        ClusterFirstWithHostNet = "ClusterFirstWithHostNet",
        /// `ClusterFirst`.
        ClusterFirst = "ClusterFirst",
        /// `Default`.
        Default = "Default",
        /// `None`.
        None = "None",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum PullPolicy {
        /// ``.
        Empty = "",
        /// `Always`.
        Always = "Always",
        /// `Never`.
        Never = "Never",
        /// `IfNotPresent`.
        IfNotPresent = "IfNotPresent",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum PodManagementPolicy {
        /// `OrderedReady`.
        OrderedReady = "OrderedReady",
        /// `Parallel`.
        Parallel = "Parallel",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum AdditionalLabelSelectors {
        /// `OnResource`.
        OnResource = "OnResource",
        /// `OnShard`.
        OnShard = "OnShard",
    }
}

string_enum! {
    /// One of the allowed values.
    pub enum UpdateStrategyType {
        /// `OnDelete`.
        OnDelete = "OnDelete",
        /// `RollingUpdate`.
        RollingUpdate = "RollingUpdate",
    }
}
