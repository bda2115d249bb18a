//! Containers, their environment, ports and resources.

use std::collections::BTreeMap;

use promgen_derive::api;

use crate::api::core::probe::{Lifecycle, Probe};
use crate::api::core::reference::{
    ConfigMapKeySelector, FileKeySelector, ObjectFieldSelector, ResourceFieldSelector,
    SecretKeySelector,
};
use crate::api::core::security::SecurityContext;
use crate::api::scalar::Quantity;

/// A program that a pod runs.
#[api(of = "core/v1.Container")]
pub struct Container {
    /// Arguments, in place of those of the image.
    #[api(omit_empty)]
    pub args: Option<Vec<String>>,
    /// Program and first arguments, in place of the image's entry point.
    #[api(omit_empty)]
    pub command: Option<Vec<String>>,
    /// Environment variables. Each name once.
    #[api(omit_empty)]
    pub env: Option<Vec<EnvVar>>,
    /// Sources of which each key becomes a variable; `env` takes precedence.
    #[api(omit_empty)]
    pub env_from: Option<Vec<EnvFromSource>>,
    /// The image. Empty in a patch of a container that the operator makes.
    #[api(omit_empty)]
    pub image: Option<String>,
    /// When to pull the image: `Always`, `IfNotPresent`, `Never`.
    #[api(omit_empty)]
    pub image_pull_policy: Option<String>,
    /// Actions after start and before stop.
    pub lifecycle: Option<Lifecycle>,
    /// Restarts the container when it fails.
    pub liveness_probe: Option<Probe>,
    /// Its name, once per pod. The operator's own names patch the operator's own containers.
    pub name: String,
    /// Ports that it listens on, for the reader and for names. Each pair of port and protocol once.
    #[api(omit_empty)]
    pub ports: Option<Vec<ContainerPort>>,
    /// Takes the pod out of services while it fails.
    pub readiness_probe: Option<Probe>,
    /// Whether a change of resources restarts the container.
    #[api(omit_empty)]
    pub resize_policy: Option<Vec<ContainerResizePolicy>>,
    /// Requests and limits.
    pub resources: Option<ResourceRequirements>,
    /// `Always` makes an init container a sidecar.
    pub restart_policy: Option<String>,
    /// Rules by exit code, which take precedence over `restartPolicy`.
    #[api(omit_empty)]
    pub restart_policy_rules: Option<Vec<ContainerRestartRule>>,
    /// Privileges and users of this container; wins over the pod's.
    pub security_context: Option<SecurityContext>,
    /// Holds the other probes back until it succeeds.
    pub startup_probe: Option<Probe>,
    /// Whether to allocate standard input. Default false.
    #[api(omit_empty)]
    pub stdin: Option<bool>,
    /// Whether standard input closes after the first client. Default false.
    #[api(omit_empty)]
    pub stdin_once: Option<bool>,
    /// The file of the termination message. Default `/dev/termination-log`.
    #[api(omit_empty)]
    pub termination_message_path: Option<String>,
    /// The source of the termination message: `File` or `FallbackToLogsOnError`.
    #[api(omit_empty)]
    pub termination_message_policy: Option<String>,
    /// Whether to allocate a terminal. Default false.
    #[api(omit_empty)]
    pub tty: Option<bool>,
    /// Block devices. Each path once.
    #[api(omit_empty)]
    pub volume_devices: Option<Vec<VolumeDevice>>,
    /// Where volumes appear. Each path once.
    #[api(omit_empty)]
    pub volume_mounts: Option<Vec<VolumeMount>>,
    /// The working directory, in place of the image's.
    #[api(omit_empty)]
    pub working_dir: Option<String>,
}

/// A port of a container.
#[api(of = "core/v1.ContainerPort", omit_empty)]
pub struct ContainerPort {
    /// Its number, 1 to 65535.
    pub container_port: i32,
    /// The address of the node to bind, with `hostPort`.
    pub host_ip: Option<String>,
    /// The number on the node.
    pub host_port: Option<i32>,
    /// Its name, by which services and monitors refer to it.
    pub name: Option<String>,
    /// `TCP`, `UDP` or `SCTP`. Default `TCP`.
    #[api(default = tcp, omit_empty)]
    pub protocol: String,
}

/// An environment variable.
#[api(of = "core/v1.EnvVar")]
pub struct EnvVar {
    /// Its name.
    pub name: String,
    /// Its value, with `$(OTHER)` replaced.
    #[api(omit_empty)]
    pub value: Option<String>,
    /// The source of its value, instead of `value`.
    pub value_from: Option<EnvVarSource>,
}

/// The source of a value: one of these fields.
#[api(of = "core/v1.EnvVarSource")]
pub struct EnvVarSource {
    /// A key of a ConfigMap.
    pub config_map_key_ref: Option<ConfigMapKeySelector>,
    /// A field of the pod.
    pub field_ref: Option<ObjectFieldSelector>,
    /// A variable of an env file.
    pub file_key_ref: Option<FileKeySelector>,
    /// A limit or request of a container.
    pub resource_field_ref: Option<ResourceFieldSelector>,
    /// A key of a Secret.
    pub secret_key_ref: Option<SecretKeySelector>,
}

/// A source of which each key becomes a variable.
#[api(of = "core/v1.EnvFromSource")]
pub struct EnvFromSource {
    /// A ConfigMap.
    pub config_map_ref: Option<ConfigMapEnvSource>,
    /// The prefix of each name.
    #[api(omit_empty)]
    pub prefix: Option<String>,
    /// A Secret.
    pub secret_ref: Option<SecretEnvSource>,
}

/// A Secret of which each key becomes a variable.
#[api(of = "core/v1.SecretEnvSource")]
pub struct SecretEnvSource {
    /// The Secret.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether it is optional.
    pub optional: Option<bool>,
}

/// A ConfigMap of which each key becomes a variable.
#[api(of = "core/v1.ConfigMapEnvSource")]
pub struct ConfigMapEnvSource {
    /// The ConfigMap.
    #[api(default, omit_empty)]
    pub name: String,
    /// Whether it is optional.
    pub optional: Option<bool>,
}

/// Whether a change of a resource restarts the container.
#[api(of = "core/v1.ContainerResizePolicy")]
pub struct ContainerResizePolicy {
    /// `cpu` or `memory`.
    pub resource_name: String,
    /// `NotRequired` or `RestartContainer`.
    pub restart_policy: String,
}

/// The action after some exit codes.
#[api(of = "core/v1.ContainerRestartRule")]
pub struct ContainerRestartRule {
    /// The action: `Restart`.
    pub action: String,
    /// After which exits.
    pub exit_codes: Option<ContainerRestartRuleOnExitCodes>,
}

/// A set of exit codes.
#[api(of = "core/v1.ContainerRestartRuleOnExitCodes")]
pub struct ContainerRestartRuleOnExitCodes {
    /// `In` or `NotIn`.
    pub operator: String,
    /// The codes, at most 255 of them.
    #[api(omit_empty)]
    pub values: Option<Vec<i32>>,
}

/// The resource requests and limits of a container.
#[api(of = "core/v1.ResourceRequirements", omit_empty)]
pub struct ResourceRequirements {
    /// Devices that it uses. Each name once.
    pub claims: Option<Vec<ResourceClaim>>,
    /// The most it may use, by resource.
    pub limits: Option<BTreeMap<String, Quantity>>,
    /// The reserved amounts, by resource. Default the limits.
    pub requests: Option<BTreeMap<String, Quantity>>,
}

/// A device that a container uses.
#[api(of = "core/v1.ResourceClaim")]
pub struct ResourceClaim {
    /// The claim of the pod.
    pub name: String,
    /// The request of the claim; absent means all.
    #[api(omit_empty)]
    pub request: Option<String>,
}

/// A block device in a container.
#[api(of = "core/v1.VolumeDevice")]
pub struct VolumeDevice {
    /// Where it appears.
    pub device_path: String,
    /// The claim of the pod.
    pub name: String,
}

/// A volume in a container.
#[api(of = "core/v1.VolumeMount")]
pub struct VolumeMount {
    /// Further options of the bind mount: `noexec`, `nodev`, `nosuid`. Each once.
    #[api(omit_empty)]
    pub bind_mount_options: Option<Vec<String>>,
    /// Where it appears; no colon.
    pub mount_path: String,
    /// The propagation of mounts between node and container. Default `None`.
    pub mount_propagation: Option<String>,
    /// The volume of the pod.
    pub name: String,
    /// Whether it is read-only. Default false.
    #[api(omit_empty)]
    pub read_only: Option<bool>,
    /// Whether mounts below it are read-only too: `Disabled`, `IfPossible`, `Enabled`.
    pub recursive_read_only: Option<String>,
    /// A path within the volume, instead of all of it.
    #[api(omit_empty)]
    pub sub_path: Option<String>,
    /// The sub-path with environment variables expanded.
    #[api(omit_empty)]
    pub sub_path_expr: Option<String>,
}

fn tcp() -> String {
    "TCP".to_owned()
}
