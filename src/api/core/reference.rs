//! References from one object to another, or to a key of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::scalar::Quantity;
use crate::api::unset;

/// Kubernetes: core/v1.SecretKeySelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretKeySelector {
    pub key: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.ConfigMapKeySelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapKeySelector {
    pub key: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.LocalObjectReference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LocalObjectReference {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
}

/// Kubernetes: core/v1.TypedLocalObjectReference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypedLocalObjectReference {
    pub api_group: Option<String>,
    pub kind: String,
    pub name: String,
}

/// Kubernetes: core/v1.TypedObjectReference.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TypedObjectReference {
    pub api_group: Option<String>,
    pub kind: String,
    pub name: String,
    pub namespace: Option<String>,
}

/// Kubernetes: core/v1.ObjectFieldSelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectFieldSelector {
    #[serde(skip_serializing_if = "unset")]
    pub api_version: Option<String>,
    pub field_path: String,
}

/// Kubernetes: core/v1.ResourceFieldSelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceFieldSelector {
    #[serde(skip_serializing_if = "unset")]
    pub container_name: Option<String>,
    pub divisor: Option<Quantity>,
    pub resource: String,
}

/// Kubernetes: core/v1.FileKeySelector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileKeySelector {
    pub key: String,
    #[serde(default)]
    pub optional: bool,
    pub path: String,
    pub volume_name: String,
}
