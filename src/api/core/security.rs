//! Security contexts of pods and containers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::unset;

/// Kubernetes: core/v1.SecurityContext.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecurityContext {
    pub allow_privilege_escalation: Option<bool>,
    pub app_armor_profile: Option<AppArmorProfile>,
    pub capabilities: Option<Capabilities>,
    pub privileged: Option<bool>,
    pub proc_mount: Option<String>,
    pub read_only_root_filesystem: Option<bool>,
    pub run_as_group: Option<i64>,
    pub run_as_non_root: Option<bool>,
    pub run_as_user: Option<i64>,
    pub se_linux_options: Option<SeLinuxOptions>,
    pub seccomp_profile: Option<SeccompProfile>,
    pub windows_options: Option<WindowsSecurityContextOptions>,
}

/// Kubernetes: core/v1.PodSecurityContext.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PodSecurityContext {
    pub app_armor_profile: Option<AppArmorProfile>,
    pub fs_group: Option<i64>,
    pub fs_group_change_policy: Option<String>,
    pub run_as_group: Option<i64>,
    pub run_as_non_root: Option<bool>,
    pub run_as_user: Option<i64>,
    pub se_linux_change_policy: Option<String>,
    pub se_linux_options: Option<SeLinuxOptions>,
    pub seccomp_profile: Option<SeccompProfile>,
    #[serde(skip_serializing_if = "unset")]
    pub supplemental_groups: Option<Vec<i64>>,
    pub supplemental_groups_policy: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub sysctls: Option<Vec<Sysctl>>,
    pub windows_options: Option<WindowsSecurityContextOptions>,
}

/// Kubernetes: core/v1.Capabilities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    #[serde(skip_serializing_if = "unset")]
    pub add: Option<Vec<String>>,
    #[serde(skip_serializing_if = "unset")]
    pub drop: Option<Vec<String>>,
}

/// Kubernetes: core/v1.AppArmorProfile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppArmorProfile {
    pub localhost_profile: Option<String>,
    pub r#type: String,
}

/// Kubernetes: core/v1.SeccompProfile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeccompProfile {
    pub localhost_profile: Option<String>,
    pub r#type: String,
}

/// Kubernetes: core/v1.SELinuxOptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeLinuxOptions {
    #[serde(skip_serializing_if = "unset")]
    pub level: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub r#type: Option<String>,
    #[serde(skip_serializing_if = "unset")]
    pub user: Option<String>,
}

/// Kubernetes: core/v1.WindowsSecurityContextOptions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WindowsSecurityContextOptions {
    pub gmsa_credential_spec: Option<String>,
    pub gmsa_credential_spec_name: Option<String>,
    pub host_process: Option<bool>,
    pub run_as_user_name: Option<String>,
}

/// Kubernetes: core/v1.Sysctl.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sysctl {
    pub name: String,
    pub value: String,
}
