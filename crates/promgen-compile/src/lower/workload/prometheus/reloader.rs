//! The config reloader of Prometheus.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::container::{env_field, env_value, local_url};
use crate::lower::workload::pod::path;
use crate::lower::workload::pod::reloader::{self, ConfigFiles, Reloader};
use crate::lower::workload::pod::volumes::mount;
use crate::lower::workload::prometheus::facts::{self, CONFIG_OUT_FILE, WEB_PORT};
use crate::lower::workload::prometheus::volumes::{self, CONFIG_DIR};
use crate::sharding::plan::Shard;
use crate::sharding::zone_pattern;
use promgen_resources::api::core::{EnvVar, VolumeMount};
use promgen_resources::gates;
use promgen_resources::gates::flags::OperatorFlag;

/// The settings of the reloaders of one pod besides those of the workload.
#[derive(Clone, Debug)]
pub(super) struct ReloaderSettings<'a> {
    /// The file to read, in [`CONFIG_DIR`].
    pub(super) config_file: &'a str,
    /// The ConfigMaps with rule files.
    pub(super) rule_files: &'a [String],
    /// The mounts of the web configuration, for those that talk to a server with TLS.
    pub(super) web_mounts: Vec<VolumeMount>,
    /// The file by which they find out how to talk to it.
    pub(super) web_config_file: Option<String>,
    /// The shard.
    pub(super) shard: &'a Shard,
}

/// The reloader. Operator: `BuildConfigReloader`.
pub(super) fn reloader(cx: &WorkloadContext<'_>, given: &ReloaderSettings<'_>) -> Reloader {
    let rules = given
        .rule_files
        .iter()
        .map(|name| mount(name, &volumes::rules_dir(name)));
    let rule_dirs = given.rule_files.iter().map(|name| volumes::rules_dir(name));
    let config_dir = cx
        .has(&gates::WATCHED_CONFIG_DIR)
        .then(|| CONFIG_DIR.to_owned());
    Reloader {
        image: cx.target.reloader_image(),
        flags: cx.target.flags.clone(),
        init_port: reloader::init_port(cx.target),
        env: env(cx, given.shard),
        // Operator: not if it reloads by signal.
        listens_locally: cx.common.listen_local == Some(true) && facts::reloads_by_http(cx),
        web_config_file: given.web_config_file.clone(),
        reload: reload(cx),
        config: Some(ConfigFiles {
            from: format!("{CONFIG_DIR}/{}", given.config_file),
            to: CONFIG_OUT_FILE.to_owned(),
        }),
        watched_dirs: rule_dirs.chain(config_dir).collect(),
        mounts: volumes::reloader_mounts()
            .into_iter()
            .chain(given.web_mounts.iter().cloned())
            .chain(rules)
            .collect(),
        log_level: cx.common.log_level,
        log_format: cx.common.log_format,
        image_pull_policy: facts::fields(cx).pull_policy(),
    }
}

/// The values of the configuration's placeholders.
fn env(cx: &WorkloadContext<'_>, shard: &Shard) -> Vec<EnvVar> {
    let mut out = Vec::new();
    if cx.daemon_set {
        out.push(env_field("NODE_NAME", "spec.nodeName"));
    }
    out.push(env_value("SHARD", shard.index.to_string()));
    if let Some(zone) = &shard.zone {
        out.push(env_value("TOPOLOGY_ZONE", zone.clone()));
        if cx.sharding.has_zone_patterns {
            out.push(env_value("TOPOLOGY_ZONE_PATTERN", zone_pattern(zone)));
        }
        out.push(env_value("INZONE_SHARD", shard.in_zone.to_string()));
    }
    out
}

/// The arguments that define how to reload Prometheus.
fn reload(cx: &WorkloadContext<'_>) -> Vec<String> {
    let url = |at: &str| {
        let path = path::clean(&format!("{}{at}", facts::route_prefix(cx)));
        local_url(
            facts::scheme(cx),
            cx.target.flags.get(OperatorFlag::Localhost),
            WEB_PORT,
            &path,
        )
    };
    if facts::reloads_by_http(cx) {
        return vec![format!("--reload-url={}", url("/-/reload"))];
    }
    vec![
        "--reload-method=signal".to_owned(),
        format!("--runtimeinfo-url={}", url("/api/v1/status/runtimeinfo")),
    ]
}
