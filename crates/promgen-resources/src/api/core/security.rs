//! Security contexts of pods and containers.

use promgen_derive::api;

/// Privileges of a container, which take precedence over the pod's.
#[api(of = "core/v1.SecurityContext")]
pub struct SecurityContext {
    /// Whether a process may gain more privileges than its parent.
    pub allow_privilege_escalation: Option<bool>,
    /// The AppArmor profile.
    pub app_armor_profile: Option<AppArmorProfile>,
    /// Linux capabilities to add and drop.
    pub capabilities: Option<Capabilities>,
    /// Whether it runs privileged. Default false.
    pub privileged: Option<bool>,
    /// The mount of `/proc`: `Default` or `Unmasked`.
    pub proc_mount: Option<String>,
    /// Whether its root file system is read-only. Default false.
    pub read_only_root_filesystem: Option<bool>,
    /// The group of its first process.
    pub run_as_group: Option<i64>,
    /// Whether the kubelet refuses to run it as root.
    pub run_as_non_root: Option<bool>,
    /// The user of its first process.
    pub run_as_user: Option<i64>,
    /// The SELinux context.
    pub se_linux_options: Option<SeLinuxOptions>,
    /// The seccomp profile.
    pub seccomp_profile: Option<SeccompProfile>,
    /// Options for Windows.
    pub windows_options: Option<WindowsSecurityContextOptions>,
}

/// Privileges of all containers of a pod.
#[api(of = "core/v1.PodSecurityContext")]
pub struct PodSecurityContext {
    /// The AppArmor profile.
    pub app_armor_profile: Option<AppArmorProfile>,
    /// The group that owns the files of volumes.
    pub fs_group: Option<i64>,
    /// When their owner is changed: `OnRootMismatch` or `Always`.
    pub fs_group_change_policy: Option<String>,
    /// The group of the first processes.
    pub run_as_group: Option<i64>,
    /// Whether the kubelet refuses to run containers as root.
    pub run_as_non_root: Option<bool>,
    /// The user of the first processes.
    pub run_as_user: Option<i64>,
    /// How the SELinux label of volumes is applied: `MountOption` or `Recursive`.
    pub se_linux_change_policy: Option<String>,
    /// The SELinux context.
    pub se_linux_options: Option<SeLinuxOptions>,
    /// The seccomp profile.
    pub seccomp_profile: Option<SeccompProfile>,
    /// Further groups of the first processes.
    #[api(omit_empty)]
    pub supplemental_groups: Option<Vec<i64>>,
    /// How they combine with those of the image: `Merge` or `Strict`.
    pub supplemental_groups_policy: Option<String>,
    /// Kernel parameters.
    #[api(omit_empty)]
    pub sysctls: Option<Vec<Sysctl>>,
    /// Options for Windows.
    pub windows_options: Option<WindowsSecurityContextOptions>,
}

/// Linux capabilities.
#[api(of = "core/v1.Capabilities", omit_empty)]
pub struct Capabilities {
    /// Added capabilities.
    pub add: Option<Vec<String>>,
    /// Dropped capabilities.
    pub drop: Option<Vec<String>>,
}

/// An AppArmor profile.
#[api(of = "core/v1.AppArmorProfile")]
pub struct AppArmorProfile {
    /// The profile of the node, with type `Localhost`.
    pub localhost_profile: Option<String>,
    /// `Localhost`, `RuntimeDefault` or `Unconfined`.
    pub r#type: String,
}

/// A seccomp profile.
#[api(of = "core/v1.SeccompProfile")]
pub struct SeccompProfile {
    /// The file on the node, with type `Localhost`.
    pub localhost_profile: Option<String>,
    /// `Localhost`, `RuntimeDefault` or `Unconfined`.
    pub r#type: String,
}

/// An SELinux context.
#[api(of = "core/v1.SELinuxOptions", omit_empty)]
pub struct SeLinuxOptions {
    /// Its level.
    pub level: Option<String>,
    /// Its role.
    pub role: Option<String>,
    /// Its type.
    pub r#type: Option<String>,
    /// Its user.
    pub user: Option<String>,
}

/// Privileges on Windows.
#[api(of = "core/v1.WindowsSecurityContextOptions")]
pub struct WindowsSecurityContextOptions {
    /// The group managed service account, spelled out.
    pub gmsa_credential_spec: Option<String>,
    /// The name of the GMSA credential spec.
    pub gmsa_credential_spec_name: Option<String>,
    /// Whether it runs on the host itself.
    pub host_process: Option<bool>,
    /// The user of its first process.
    pub run_as_user_name: Option<String>,
}

/// A kernel parameter.
#[api(of = "core/v1.Sysctl")]
pub struct Sysctl {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}
