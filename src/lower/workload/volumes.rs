//! Volumes of the pods, and where the containers mount them.

use crate::api::apps::{ClaimMeta, PersistentVolumeClaim};
use crate::api::core::{
    ConfigMapVolumeSource, EmptyDirVolumeSource, ProjectedVolumeSource, SecretProjection, SecretVolumeSource, Volume,
    VolumeMount, VolumeProjection,
};
use crate::api::prometheus::PrometheusSpec;
use crate::api::workload::EmbeddedPersistentVolumeClaim;
use crate::context::Ctx;
use crate::lower::workload::{names, path};
use crate::route::Path;
use crate::select::admit::Refusal;

/// Where Prometheus keeps its data.
pub(crate) const STORAGE_DIR: &str = "/prometheus";
/// Where the reloader finds the configuration.
pub(crate) const CONFIG_DIR: &str = "/etc/prometheus/config";
/// Where the reloader puts it, placeholders filled in.
const CONFIG_OUT_DIR: &str = "/etc/prometheus/config_out";
/// Where rule files are.
const RULES_DIR: &str = "/etc/prometheus/rules";
/// Where log files without a folder of their own are.
const LOG_DIR: &str = "/var/log/prometheus";
/// The volume of such log files.
const LOG_VOLUME: &str = "log-file";

/// Volumes of a pod, with their mounts in the container of Prometheus.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volumes {
    /// The volumes.
    pub(crate) volumes: Vec<Volume>,
    /// The mounts.
    pub(crate) mounts: Vec<VolumeMount>,
}

impl Volumes {
    fn add(&mut self, volume: Volume, mount: VolumeMount) {
        self.volumes.push(volume);
        self.mounts.push(mount);
    }
}

/// The volumes that servers and agents share. Operator: `BuildCommonVolumes`.
///
/// # Errors
/// The name of a Secret or ConfigMap gives no name of a volume; in the operator's words.
pub(crate) fn common(cx: &Ctx<'_>, config_secret: &str, n_tls_assets: usize) -> Result<Volumes, Refusal> {
    let mut out = Volumes {
        volumes: vec![
            secret("config", config_secret),
            tls_assets(cx, n_tls_assets),
            empty_dir("config-out", EmptyDirVolumeSource { medium: Some("Memory".to_owned()), size_limit: None }),
        ],
        mounts: vec![read_only("config-out", CONFIG_OUT_DIR), read_only("tls-assets", "/etc/prometheus/certs")],
    };
    if !cx.daemon_set {
        out.mounts.push(storage_mount(cx));
    }
    out.mounts.extend(cx.common.volume_mounts.iter().flatten().cloned());
    let root = Path::root();
    let refuse = |field: &'static str, index: usize, message: String| {
        Refusal::new(&root.key("spec").key(field).index(index), message)
    };
    for (i, name) in cx.common.secrets.iter().flatten().enumerate() {
        let volume = names::volume("secret", name).map_err(|e| refuse("secrets", i, e))?;
        out.add(secret(&volume, name), read_only(&volume, &format!("/etc/prometheus/secrets/{name}")));
    }
    for (i, name) in cx.common.config_maps.iter().flatten().enumerate() {
        let volume = names::volume("configmap", name).map_err(|e| refuse("configMaps", i, e))?;
        out.add(config_map(&volume, name, None), read_only(&volume, &format!("/etc/prometheus/configmaps/{name}")));
    }
    if has_no_folder(cx.common.scrape_failure_log_file.as_deref()) {
        out.add(empty_dir(LOG_VOLUME, EmptyDirVolumeSource::default()), mount(LOG_VOLUME, LOG_DIR));
    }
    Ok(out)
}

/// Adds what only servers have: the query log and rule files. Operator: `appendServerVolumes`.
pub(crate) fn server(cx: &Ctx<'_>, spec: &PrometheusSpec, rule_files: &[String], out: &mut Volumes) {
    // Two volumes cannot share a folder. The log of failed scrapes goes first, wherever it is.
    let query_log = has_no_folder(spec.query_log_file.as_deref()) && cx.common.scrape_failure_log_file.is_none();
    if query_log {
        out.volumes.push(empty_dir(LOG_VOLUME, EmptyDirVolumeSource::default()));
    }
    out.volumes.extend(rule_files.iter().map(|name| config_map(name, name, Some(true))));
    out.mounts.extend(rule_files.iter().map(|name| read_only(name, &rules_dir(name))));
    if query_log {
        out.mounts.push(mount(LOG_VOLUME, LOG_DIR));
    }
}

/// The mounts of the reloader.
pub(crate) fn reloader_mounts() -> Vec<VolumeMount> {
    vec![mount("config", CONFIG_DIR), mount("config-out", CONFIG_OUT_DIR)]
}

/// Where the rule files of a ConfigMap are.
pub(crate) fn rules_dir(config_map: &str) -> String {
    format!("{RULES_DIR}/{config_map}")
}

/// The mount of the data.
pub(crate) fn storage_mount(cx: &Ctx<'_>) -> VolumeMount {
    let storage = cx.common.storage.as_ref();
    let name = storage.and_then(|s| s.volume_claim_template.as_ref()).and_then(claim_name);
    let whole = storage.is_none_or(|s| s.disable_mount_sub_path == Some(true));
    VolumeMount {
        sub_path: (!whole).then(|| "prometheus-db".to_owned()),
        ..mount(name.unwrap_or(&names::storage(cx)), STORAGE_DIR)
    }
}

/// Where a StatefulSet keeps its data.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// In a volume of the pod.
    Volume(Box<Volume>),
    /// In a claim of each pod.
    Claim(Box<PersistentVolumeClaim>),
}

/// Where the data are kept. Operator: an empty folder unless the user asks for something else.
pub(crate) fn storage(cx: &Ctx<'_>) -> Storage {
    let name = names::storage(cx);
    let Some(storage) = &cx.common.storage else {
        return Storage::Volume(Box::new(empty_dir(&name, EmptyDirVolumeSource::default())));
    };
    if let Some(source) = &storage.empty_dir {
        return Storage::Volume(Box::new(empty_dir(&name, source.clone())));
    }
    if let Some(source) = &storage.ephemeral {
        return Storage::Volume(Box::new(Volume { name, ephemeral: Some(source.clone()), ..Volume::default() }));
    }
    Storage::Claim(Box::new(claim(name, storage.volume_claim_template.as_ref())))
}

fn claim(default_name: String, template: Option<&EmbeddedPersistentVolumeClaim>) -> PersistentVolumeClaim {
    let template = template.cloned().unwrap_or_default();
    let name = claim_name(&template).map_or(default_name, str::to_owned);
    let metadata = template.metadata.unwrap_or_default();
    let mut spec = template.spec.unwrap_or_default();
    spec.access_modes.get_or_insert_with(|| vec!["ReadWriteOnce".to_owned()]);
    PersistentVolumeClaim {
        api_version: template.api_version,
        kind: template.kind,
        metadata: ClaimMeta { annotations: metadata.annotations, labels: metadata.labels, name },
        spec,
    }
}

fn claim_name(template: &EmbeddedPersistentVolumeClaim) -> Option<&str> {
    template.metadata.as_ref()?.name.as_deref().filter(|n| !n.is_empty())
}

/// Whether it is a file name alone, which Prometheus is given a folder for. Operator: `UsesDefaultFileVolume`.
fn has_no_folder(file: Option<&str>) -> bool {
    file.is_some_and(|f| !f.is_empty() && path::clean(&f[..f.rfind('/').map_or(0, |i| i + 1)]) == ".")
}

fn tls_assets(cx: &Ctx<'_>, count: usize) -> Volume {
    let source = |i| VolumeProjection {
        secret: Some(SecretProjection { name: names::tls_assets(cx, i), ..SecretProjection::default() }),
        ..VolumeProjection::default()
    };
    Volume {
        name: "tls-assets".to_owned(),
        projected: Some(ProjectedVolumeSource { default_mode: None, sources: Some((0..count).map(source).collect()) }),
        ..Volume::default()
    }
}

/// A volume with the keys of a Secret.
pub(crate) fn secret(name: &str, secret: &str) -> Volume {
    let source = SecretVolumeSource { secret_name: Some(secret.to_owned()), ..SecretVolumeSource::default() };
    Volume { name: name.to_owned(), secret: Some(source), ..Volume::default() }
}

/// A volume with the keys of a ConfigMap.
pub(crate) fn config_map(name: &str, config_map: &str, optional: Option<bool>) -> Volume {
    let source = ConfigMapVolumeSource { name: config_map.to_owned(), optional, ..ConfigMapVolumeSource::default() };
    Volume { name: name.to_owned(), config_map: Some(source), ..Volume::default() }
}

fn empty_dir(name: &str, source: EmptyDirVolumeSource) -> Volume {
    Volume { name: name.to_owned(), empty_dir: Some(source), ..Volume::default() }
}

/// A mount.
pub(crate) fn mount(name: &str, path: &str) -> VolumeMount {
    VolumeMount { name: name.to_owned(), mount_path: path.to_owned(), ..VolumeMount::default() }
}

/// A mount that cannot be written to.
pub(crate) fn read_only(name: &str, path: &str) -> VolumeMount {
    VolumeMount { read_only: Some(true), ..mount(name, path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_alone_has_no_folder() {
        let files = ["a.log", "./a.log", "b/../a.log", "/a.log", "b/a.log", "", "../a.log"];
        let alone: Vec<_> = files.into_iter().filter(|f| has_no_folder(Some(f))).collect();
        assert_eq!(alone, ["a.log", "./a.log", "b/../a.log"]);
    }
}
