//! Volumes of the pods of Prometheus, and where the containers mount them.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::path;
use crate::lower::workload::pod::volumes::{
    Storage, Volumes, config_map, empty_dir, listed, memory, mount, read_only, secret, tls_assets,
};
use crate::lower::workload::prometheus::names;
use crate::select::admit::Refusal;
use promgen_resources::api::core::{EmptyDirVolumeSource, VolumeMount};
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::gates;

/// The place where Prometheus keeps its data.
pub(super) const STORAGE_DIR: &str = "/prometheus";
/// The folder of everything that is mounted but the data.
const DIR: &str = "/etc/prometheus";
/// The place where the reloader finds the configuration.
pub(super) const CONFIG_DIR: &str = "/etc/prometheus/config";
/// The folder of the configuration with replaced placeholders.
const CONFIG_OUT_DIR: &str = "/etc/prometheus/config_out";
/// The place of rule files.
const RULES_DIR: &str = "/etc/prometheus/rules";
/// The place of log files without a folder of their own.
const LOG_DIR: &str = "/var/log/prometheus";
/// The volume of log files in the default folder.
const LOG_VOLUME: &str = "log-file";

/// The volumes that servers and agents share. Operator: `BuildCommonVolumes`.
///
/// # Errors
/// The name of a Secret or ConfigMap gives no name of a volume; in the operator's words.
pub(super) fn common(
    cx: &WorkloadContext<'_>,
    config_secret: &str,
    n_tls_assets: usize,
) -> Result<Volumes, Refusal> {
    let mut out = Volumes {
        volumes: vec![
            secret("config", config_secret),
            tls_assets(&names::prefixed(cx), n_tls_assets),
            memory("config-out"),
        ],
        mounts: vec![
            read_only("config-out", CONFIG_OUT_DIR),
            read_only("tls-assets", "/etc/prometheus/certs"),
        ],
    };
    if !cx.daemon_set {
        out.mounts.push(storage(cx, |storage| storage.mount()));
    }
    out.mounts
        .extend(cx.common.volume_mounts.iter().flatten().cloned());
    out.extend(listed(
        cx.common.secrets.as_deref(),
        cx.common.config_maps.as_deref(),
        DIR,
    )?);
    if has_no_folder(cx.common.scrape_failure_log_file.as_deref()) {
        out.add(
            empty_dir(LOG_VOLUME, EmptyDirVolumeSource::default()),
            mount(LOG_VOLUME, LOG_DIR),
        );
    }
    Ok(out)
}

/// Does something with the place where the data are.
pub(super) fn storage<T>(cx: &WorkloadContext<'_>, then: impl FnOnce(&Storage<'_>) -> T) -> T {
    let name = names::storage(cx);
    then(&Storage {
        spec: cx.common.storage.as_ref(),
        name: &name,
        dir: STORAGE_DIR,
        sub_path: "prometheus-db",
    })
}

/// Adds what only servers have: the query log and rule files. Operator: `appendServerVolumes`.
pub(super) fn server(
    cx: &WorkloadContext<'_>,
    spec: &PrometheusSpec,
    rule_files: &[String],
    out: &mut Volumes,
) {
    // Two volumes cannot share a folder. The log of failed scrapes takes precedence, in any folder.
    let query_log = has_no_folder(spec.query_log_file.as_deref())
        && cx.common.scrape_failure_log_file.is_none();
    if query_log {
        out.volumes
            .push(empty_dir(LOG_VOLUME, EmptyDirVolumeSource::default()));
    }
    let is_optional = cx.has(&gates::SPARE_RULE_FILES);
    let mounted = if is_optional { read_only } else { mount };
    out.volumes.extend(
        rule_files
            .iter()
            .map(|name| config_map(name, name, is_optional.then_some(true))),
    );
    out.mounts.extend(
        rule_files
            .iter()
            .map(|name| mounted(name, &rules_dir(name))),
    );
    if query_log {
        out.mounts.push(mount(LOG_VOLUME, LOG_DIR));
    }
}

/// The mounts of the reloader.
pub(super) fn reloader_mounts() -> Vec<VolumeMount> {
    vec![
        mount("config", CONFIG_DIR),
        mount("config-out", CONFIG_OUT_DIR),
    ]
}

/// The place of the rule files of a ConfigMap.
pub(super) fn rules_dir(config_map: &str) -> String {
    format!("{RULES_DIR}/{config_map}")
}

/// Returns whether it is a file name alone, which Prometheus is given a folder for. Operator: `UsesDefaultFileVolume`.
fn has_no_folder(file: Option<&str>) -> bool {
    file.is_some_and(|f| {
        !f.is_empty() && path::clean(&f[..f.rfind('/').map_or(0, |i| i + 1)]) == "."
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_alone_has_no_folder() {
        let files = [
            "a.log",
            "./a.log",
            "b/../a.log",
            "/a.log",
            "b/a.log",
            "",
            "../a.log",
        ];
        let alone: Vec<_> = files
            .into_iter()
            .filter(|f| has_no_folder(Some(f)))
            .collect();
        assert_eq!(alone, ["a.log", "./a.log", "b/../a.log"]);
    }
}
