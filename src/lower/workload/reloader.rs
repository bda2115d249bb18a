//! The config reloader: once before Prometheus starts, then beside it.
//!
//! It unpacks the configuration, fills in environment variables, and has Prometheus read it again after a change.

use crate::api::core::{
    Container, ContainerPort, EnvVar, EnvVarSource, ObjectFieldSelector, ResourceRequirements, VolumeMount,
};
use crate::api::scalar::Quantity;
use crate::context::Ctx;
use crate::lower::workload::args::{self, CONFIG_OUT_FILE};
use crate::lower::workload::volumes::CONFIG_DIR;
use crate::lower::workload::{image, path, pod, volumes};
use crate::plan::Shard;

/// What the reloaders of one pod are given.
#[derive(Clone, Debug)]
pub(crate) struct Reloader<'a> {
    /// The file to read, in [`CONFIG_DIR`].
    pub(crate) config_file: &'a str,
    /// The ConfigMaps with rule files.
    pub(crate) rule_files: &'a [String],
    /// The mounts of the web configuration, for those that talk to a server with TLS.
    pub(crate) web_mounts: Vec<VolumeMount>,
    /// The file by which they find out how to talk to it.
    pub(crate) web_config_file: Option<String>,
    /// The shard.
    pub(crate) shard: &'a Shard,
}

/// When a reloader runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Run {
    /// Once, before Prometheus starts.
    Once,
    /// As long as Prometheus runs.
    Beside,
}

impl Reloader<'_> {
    /// The container. Operator: `BuildConfigReloader`, `CreateConfigReloader`.
    pub(crate) fn container(&self, cx: &Ctx<'_>, run: Run) -> Container {
        let (name, port_name, port) = match run {
            Run::Once => ("init-config-reloader", "reloader-init", 8081),
            Run::Beside => ("config-reloader", "reloader-web", 8080),
        };
        let listens = !listens_locally(cx, run);
        let port = ContainerPort { name: Some(port_name.to_owned()), ..pod::port(port) };
        Container {
            args: Some(self.args(cx, run, &port)),
            command: Some(vec!["/bin/prometheus-config-reloader".to_owned()]),
            env: Some(self.env(cx)),
            image: Some(image::RELOADER.to_owned()),
            image_pull_policy: pod::pull_policy(cx),
            name: name.to_owned(),
            ports: listens.then(|| vec![port]),
            resources: Some(resources()),
            security_context: Some(pod::container_security()),
            termination_message_policy: Some(pod::TERMINATION_MESSAGE.to_owned()),
            volume_mounts: Some(self.mounts()),
            ..Container::default()
        }
    }

    fn mounts(&self) -> Vec<VolumeMount> {
        let rules = self.rule_files.iter().map(|name| volumes::mount(name, &volumes::rules_dir(name)));
        volumes::reloader_mounts().into_iter().chain(self.web_mounts.iter().cloned()).chain(rules).collect()
    }

    fn args(&self, cx: &Ctx<'_>, run: Run, port: &ContainerPort) -> Vec<String> {
        let host = if listens_locally(cx, run) { "localhost" } else { "" };
        let listen = format!("--listen-address={host}:{}", port.container_port);
        let mut out = match run {
            Run::Once => vec!["--watch-interval=0".to_owned(), listen],
            Run::Beside => vec![listen],
        };
        if run == Run::Beside {
            out.extend(self.web_config_file.iter().map(|file| format!("--web-config-file={file}")));
            out.extend(reload(cx));
        }
        out.push(format!("--config-file={CONFIG_DIR}/{}", self.config_file));
        out.push(format!("--config-envsubst-file={CONFIG_OUT_FILE}"));
        out.extend(self.rule_files.iter().map(|name| format!("--watched-dir={}", volumes::rules_dir(name))));
        out.push(format!("--watched-dir={CONFIG_DIR}"));
        out.extend(args::log_level(cx.common.log_level).map(|level| format!("--log-level={level}")));
        out.extend(args::log_format(cx.common.log_format).map(|format| format!("--log-format={format}")));
        out
    }

    /// The values of the configuration's placeholders.
    fn env(&self, cx: &Ctx<'_>) -> Vec<EnvVar> {
        let mut out = vec![field("POD_NAME", "metadata.name")];
        if cx.daemon_set {
            out.push(field("NODE_NAME", "spec.nodeName"));
        }
        out.push(value("SHARD", self.shard.index.to_string()));
        if let Some(zone) = &self.shard.zone {
            out.push(value("TOPOLOGY_ZONE", zone.clone()));
            out.push(value("INZONE_SHARD", self.shard.in_zone.to_string()));
        }
        out
    }
}

/// Whether it listens on the loopback interface only. Operator: not if it reloads by signal.
fn listens_locally(cx: &Ctx<'_>, run: Run) -> bool {
    run == Run::Beside && cx.common.listen_local == Some(true) && args::reloads_by_http(cx)
}

/// How Prometheus is made to reload.
fn reload(cx: &Ctx<'_>) -> Vec<String> {
    let url = |at: &str| {
        let path = path::clean(&format!("{}{at}", args::route_prefix(cx)));
        format!("{}://localhost:9090{path}", pod::scheme(cx))
    };
    if args::reloads_by_http(cx) {
        return vec![format!("--reload-url={}", url("/-/reload"))];
    }
    vec!["--reload-method=signal".to_owned(), format!("--runtimeinfo-url={}", url("/api/v1/status/runtimeinfo"))]
}

fn value(name: &str, value: String) -> EnvVar {
    EnvVar { name: name.to_owned(), value: Some(value), value_from: None }
}

fn field(name: &str, path: &str) -> EnvVar {
    let field_ref = ObjectFieldSelector { api_version: None, field_path: path.to_owned() };
    let source = EnvVarSource { field_ref: Some(field_ref), ..EnvVarSource::default() };
    EnvVar { name: name.to_owned(), value: None, value_from: Some(source) }
}

/// The operator's defaults: little, and never more.
fn resources() -> ResourceRequirements {
    let amounts = || {
        let pairs = [("cpu", "10m"), ("memory", "50Mi")];
        Some(pairs.map(|(name, amount)| (name.to_owned(), Quantity::from(amount))).into())
    };
    ResourceRequirements { claims: None, limits: amounts(), requests: amounts() }
}
