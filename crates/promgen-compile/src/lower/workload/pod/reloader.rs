//! The config reloader: once before a workload starts, then as a sidecar.
//!
//! It unpacks the configuration, fills in environment variables, and triggers a reload after a change.

use std::collections::BTreeMap;

use crate::lower::workload::pod::{args, container};
use promgen_resources::api::core::{Container, EnvVar, ResourceRequirements, VolumeMount};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::api::servers::settings::{LogFormat, LogLevel};
use promgen_resources::gates::flags::{OperatorFlag, OperatorFlags};
use promgen_resources::gates::{self, Target};
use promgen_text::CollectOrdered;

/// The settings of the reloaders of one pod.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reloader {
    /// Its image.
    pub image: String,
    /// The flags of the operator: the resources that it takes, and the host that it listens on.
    pub flags: OperatorFlags,
    /// The name of the port of the one that runs first.
    pub init_port: &'static str,
    /// The variables that it replaces, besides the pod's name.
    pub env: Vec<EnvVar>,
    /// The one that stays listens on the loopback interface only.
    pub(crate) listens_locally: bool,
    /// The file by which the one that stays finds out how to talk to the workload.
    pub(crate) web_config_file: Option<String>,
    /// The arguments of the sidecar that define how to reload the workload.
    pub reload: Vec<String>,
    /// The file to read, and the one to write.
    pub config: Option<ConfigFiles>,
    /// Further folders whose changes make it reload.
    pub(crate) watched_dirs: Vec<String>,
    /// Its mounts.
    pub mounts: Vec<VolumeMount>,
    pub log_level: Option<LogLevel>,
    pub log_format: Option<LogFormat>,
    pub image_pull_policy: Option<String>,
}

/// A configuration, before and after variables are filled in.
#[derive(Clone, Debug)]
pub(crate) struct ConfigFiles {
    /// The file to read.
    pub from: String,
    /// The file to write.
    pub to: String,
}

/// The shard of workloads that have none.
pub(crate) const NO_SHARD: &str = "-1";

/// The name of the port of the reloader that stays.
const WEB_PORT: &str = "reloader-web";

/// When a reloader runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReloaderMode {
    /// Once, before the workload starts.
    Once,
    /// As long as the workload runs.
    Beside,
}

/// The name of the port of the reloader that runs first.
pub(crate) fn init_port(target: &Target) -> &'static str {
    if target.has(&gates::RELOADER_INIT_PORT) {
        "reloader-init"
    } else {
        WEB_PORT
    }
}

impl Reloader {
    /// The container. Operator: `CreateConfigReloader`.
    pub(crate) fn container(&self, run: ReloaderMode) -> Container {
        let (name, port_name, port) = match run {
            ReloaderMode::Once => ("init-config-reloader", self.init_port, 8081),
            ReloaderMode::Beside => ("config-reloader", WEB_PORT, 8080),
        };
        // The one that runs first listens on all interfaces in any case, as the operator has it.
        let local = run == ReloaderMode::Beside && self.listens_locally;
        let env = std::iter::once(container::env_field("POD_NAME", "metadata.name"));
        Container {
            args: Some(self.args(run, local, port)),
            command: Some(vec!["/bin/prometheus-config-reloader".to_owned()]),
            env: Some(env.chain(self.env.iter().cloned()).collect()),
            image: Some(self.image.clone()),
            image_pull_policy: self.image_pull_policy.clone(),
            ports: (!local).then(|| vec![container::port(port_name, port, "TCP")]),
            resources: Some(self.resources()),
            volume_mounts: Some(self.mounts.clone()),
            ..container::bare(name)
        }
    }

    /// The resources of the operator's flags: little by default, and never more. An amount of 0 is left out.
    fn resources(&self) -> ResourceRequirements {
        let amounts = |cpu, memory| {
            let pairs = [
                ("cpu", self.flags.get(cpu)),
                ("memory", self.flags.get(memory)),
            ];
            let given = pairs
                .into_iter()
                .filter(|(_, amount)| !matches!(*amount, "" | "0"));
            let amounts: BTreeMap<_, _> = given
                .map(|(name, text)| (name.to_owned(), Quantity::from(text)))
                .collect_map();
            (!amounts.is_empty()).then_some(amounts)
        };
        ResourceRequirements {
            claims: None,
            limits: amounts(
                OperatorFlag::ReloaderCpuLimit,
                OperatorFlag::ReloaderMemoryLimit,
            ),
            requests: amounts(
                OperatorFlag::ReloaderCpuRequest,
                OperatorFlag::ReloaderMemoryRequest,
            ),
        }
    }

    fn args(&self, run: ReloaderMode, local: bool, port: i32) -> Vec<String> {
        let host = if local {
            self.flags.get(OperatorFlag::Localhost)
        } else {
            ""
        };
        let mut out = Vec::new();
        match run {
            ReloaderMode::Once => {
                out.push("--watch-interval=0".to_owned());
                out.push(format!("--listen-address={host}:{port}"));
            }
            ReloaderMode::Beside => {
                out.push(format!("--listen-address={host}:{port}"));
                out.extend(
                    self.web_config_file
                        .iter()
                        .map(|file| format!("--web-config-file={file}")),
                );
                out.extend(self.reload.iter().cloned());
            }
        }
        if let Some(config) = &self.config {
            out.push(format!("--config-file={}", config.from));
            out.push(format!("--config-envsubst-file={}", config.to));
        }
        out.extend(
            self.watched_dirs
                .iter()
                .map(|dir| format!("--watched-dir={dir}")),
        );
        out.extend(args::log_level(self.log_level).map(|level| format!("--log-level={level}")));
        out.extend(
            args::log_format(self.log_format).map(|format| format!("--log-format={format}")),
        );
        out
    }
}
