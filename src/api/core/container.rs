//! Containers, their environment, ports and resources.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::core::probe::{Lifecycle, Probe};
use crate::api::core::reference::{
    ConfigMapKeySelector, FileKeySelector, ObjectFieldSelector, ResourceFieldSelector, SecretKeySelector,
};
use crate::api::core::security::SecurityContext;
use crate::api::scalar::Quantity;
use crate::api::unset;

/// Kubernetes: core/v1.Container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Container {
    #[serde(skip_serializing_if = "unset")]
    pub args: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub command: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub env: Option<Vec<EnvVar>>,
    #[serde(skip_serializing_if = "unset")]
    pub env_from: Option<Vec<EnvFromSource>>,
    #[serde(skip_serializing_if = "unset")]
    pub image: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub image_pull_policy: Option<String>,
    pub lifecycle: Option<Lifecycle>,
    pub liveness_probe: Option<Probe>,
    pub name: String,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["containerPort", "protocol"]))]
    pub ports: Option<Vec<ContainerPort>>,
    pub readiness_probe: Option<Probe>,
    #[serde(skip_serializing_if = "unset")]
    pub resize_policy: Option<Vec<ContainerResizePolicy>>,
    pub resources: Option<ResourceRequirements>,
    pub restart_policy: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub restart_policy_rules: Option<Vec<ContainerRestartRule>>,
    pub security_context: Option<SecurityContext>,
    pub startup_probe: Option<Probe>,
    #[serde(skip_serializing_if = "unset")]
    pub stdin: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub stdin_once: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    pub termination_message_path: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub termination_message_policy: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub tty: Option<bool>,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["devicePath"]))]
    pub volume_devices: Option<Vec<VolumeDevice>>,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["mountPath"]))]
    pub volume_mounts: Option<Vec<VolumeMount>>,
    #[serde(skip_serializing_if = "unset")]
    pub working_dir: Option<String>,
}

/// Kubernetes: core/v1.ContainerPort.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerPort {
    pub container_port: i32,
    #[serde(rename = "hostIP", skip_serializing_if = "unset")]
    pub host_ip: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub host_port: Option<i32>,
    #[serde(skip_serializing_if = "unset")]
    pub name: Option<String>,
    #[serde(default = "tcp")]
    pub protocol: String,
}

/// Kubernetes: core/v1.EnvVar.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvVar {
    pub name: String,
    #[serde(skip_serializing_if = "unset")]
    pub value: Option<String>,
    pub value_from: Option<EnvVarSource>,
}

/// Kubernetes: core/v1.EnvVarSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvVarSource {
    pub config_map_key_ref: Option<ConfigMapKeySelector>,
    pub field_ref: Option<ObjectFieldSelector>,
    pub file_key_ref: Option<FileKeySelector>,
    pub resource_field_ref: Option<ResourceFieldSelector>,
    pub secret_key_ref: Option<SecretKeySelector>,
}

/// Kubernetes: core/v1.EnvFromSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EnvFromSource {
    pub config_map_ref: Option<ConfigMapEnvSource>,
    #[serde(skip_serializing_if = "unset")]
    pub prefix: Option<String>,
    pub secret_ref: Option<SecretEnvSource>,
}

/// Kubernetes: core/v1.SecretEnvSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretEnvSource {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.ConfigMapEnvSource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigMapEnvSource {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(extend("default" = ""))]
    pub name: String,
    pub optional: Option<bool>,
}

/// Kubernetes: core/v1.ContainerResizePolicy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerResizePolicy {
    pub resource_name: String,
    pub restart_policy: String,
}

/// Kubernetes: core/v1.ContainerRestartRule.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerRestartRule {
    pub action: String,
    pub exit_codes: Option<ContainerRestartRuleOnExitCodes>,
}

/// Kubernetes: core/v1.ContainerRestartRuleOnExitCodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContainerRestartRuleOnExitCodes {
    pub operator: String,
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "set"))]
    pub values: Option<Vec<i32>>,
}

/// Kubernetes: core/v1.ResourceRequirements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceRequirements {
    #[serde(skip_serializing_if = "unset")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub claims: Option<Vec<ResourceClaim>>,
    #[serde(skip_serializing_if = "unset")]
    pub limits: Option<BTreeMap<String, Quantity>>,
    #[serde(skip_serializing_if = "unset")]
    pub requests: Option<BTreeMap<String, Quantity>>,
}

/// Kubernetes: core/v1.ResourceClaim.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceClaim {
    pub name: String,
    #[serde(skip_serializing_if = "unset")]
    pub request: Option<String>,
}

/// Kubernetes: core/v1.VolumeDevice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeDevice {
    pub device_path: String,
    pub name: String,
}

/// Kubernetes: core/v1.VolumeMount.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VolumeMount {
    pub mount_path: String,
    pub mount_propagation: Option<String>,
    pub name: String,
    #[serde(skip_serializing_if = "unset")]
    pub read_only: Option<bool>,
    pub recursive_read_only: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub sub_path: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub sub_path_expr: Option<String>,
}

fn tcp() -> String {
    "TCP".to_owned()
}
