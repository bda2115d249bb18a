//! Volumes of the pods, and where the containers mount them.

use crate::lower::workload::names;
use crate::lower::workload::pod::canonical;
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use promgen_resources::api::apps::{ClaimMeta, PersistentVolumeClaim};
use promgen_resources::api::core::{
    ConfigMapVolumeSource, EmptyDirVolumeSource, ProjectedVolumeSource, SecretProjection,
    SecretVolumeSource, Volume, VolumeMount, VolumeProjection,
};
use promgen_resources::api::servers::workload::{EmbeddedPersistentVolumeClaim, StorageSpec};

/// Volumes of a pod, with their mounts in the container of the workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct Volumes {
    /// The volumes.
    pub volumes: Vec<Volume>,
    /// The mounts.
    pub mounts: Vec<VolumeMount>,
}

impl Volumes {
    /// Adds a volume that is mounted.
    pub(crate) fn add(&mut self, volume: Volume, mount: VolumeMount) {
        self.volumes.push(volume);
        self.mounts.push(mount);
    }

    /// Adds volumes that are mounted.
    pub(crate) fn extend(&mut self, mounted: impl IntoIterator<Item = (Volume, VolumeMount)>) {
        mounted
            .into_iter()
            .for_each(|(volume, mount)| self.add(volume, mount));
    }
}

/// The Secrets and ConfigMaps that the user lists, each in a folder of its own below `dir`.
///
/// # Errors
/// A name gives no name of a volume; in the operator's words.
pub(crate) fn listed(
    secrets: Option<&[String]>,
    config_maps: Option<&[String]>,
    dir: &str,
) -> Result<Vec<(Volume, VolumeMount)>, Refusal> {
    let refuse = |field: &'static str, index: usize, message: String| {
        Refusal::new(&SPEC.key(field).index(index), message)
    };
    let mut out = Vec::new();
    for (i, name) in secrets.into_iter().flatten().enumerate() {
        let volume = names::volume("secret", name).map_err(|e| refuse("secrets", i, e))?;
        out.push((
            secret(&volume, name),
            read_only(&volume, &format!("{dir}/secrets/{name}")),
        ));
    }
    for (i, name) in config_maps.into_iter().flatten().enumerate() {
        let volume = names::volume("configmap", name).map_err(|e| refuse("configMaps", i, e))?;
        out.push((
            config_map(&volume, name, None),
            read_only(&volume, &format!("{dir}/configmaps/{name}")),
        ));
    }
    Ok(out)
}

/// The place where a StatefulSet keeps its data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Storage<'a> {
    /// The user's settings.
    pub spec: Option<&'a StorageSpec>,
    /// The default name of the volume.
    pub name: &'a str,
    /// The place where it is mounted.
    pub dir: &'a str,
    /// The folder of the volume that is mounted, if the user sets storage. Empty for the whole volume.
    pub sub_path: &'a str,
}

impl Storage<'_> {
    /// The mount of the data.
    pub(crate) fn mount(&self) -> VolumeMount {
        let name = self
            .spec
            .and_then(|s| s.volume_claim_template.as_ref())
            .and_then(claim_name);
        // A folder that is deleted with its pod is mounted as a whole.
        let whole = self.sub_path.is_empty()
            || self
                .spec
                .is_none_or(|s| s.disable_mount_sub_path == Some(true));
        VolumeMount {
            sub_path: (!whole).then(|| self.sub_path.to_owned()),
            ..mount(name.unwrap_or(self.name), self.dir)
        }
    }

    /// Adds the volume with the data, or returns the claim of each pod. Operator: an empty folder by default.
    pub(crate) fn place(&self, volumes: &mut Vec<Volume>) -> Option<PersistentVolumeClaim> {
        let Some(spec) = self.spec else {
            volumes.push(empty_dir(self.name, EmptyDirVolumeSource::default()));
            return None;
        };
        // In this order if several are set.
        if let Some(source) = &spec.empty_dir {
            volumes.push(empty_dir(self.name, source.clone()));
            return None;
        }
        if let Some(source) = &spec.ephemeral {
            let name = self.name.to_owned();
            volumes.push(Volume {
                name,
                ephemeral: Some(source.clone()),
                ..Volume::default()
            });
            return None;
        }
        Some(canonical::claim(claim(
            self.name,
            spec.volume_claim_template.as_ref(),
        )))
    }
}

fn claim(
    default_name: &str,
    template: Option<&EmbeddedPersistentVolumeClaim>,
) -> PersistentVolumeClaim {
    let template = template.cloned().unwrap_or_default();
    let name = claim_name(&template).unwrap_or(default_name).to_owned();
    let metadata = template.metadata.unwrap_or_default();
    let mut spec = template.spec.unwrap_or_default();
    spec.access_modes
        .get_or_insert_with(|| vec!["ReadWriteOnce".to_owned()]);
    PersistentVolumeClaim {
        api_version: template.api_version,
        kind: template.kind,
        metadata: ClaimMeta {
            annotations: metadata.annotations,
            labels: metadata.labels,
            name,
        },
        spec,
    }
}

fn claim_name(template: &EmbeddedPersistentVolumeClaim) -> Option<&str> {
    template
        .metadata
        .as_ref()?
        .name
        .as_deref()
        .filter(|n| !n.is_empty())
}

/// The volume with certificates and keys, out of so many Secrets.
pub(crate) fn tls_assets(prefixed: &str, count: usize) -> Volume {
    let source = |i| VolumeProjection {
        secret: Some(SecretProjection {
            name: names::tls_assets(prefixed, i),
            ..SecretProjection::default()
        }),
        ..VolumeProjection::default()
    };
    Volume {
        name: "tls-assets".to_owned(),
        projected: Some(ProjectedVolumeSource {
            sources: Some((0..count).map(source).collect()),
            ..ProjectedVolumeSource::default()
        }),
        ..Volume::default()
    }
}

/// A volume with the keys of a Secret.
pub(crate) fn secret(name: &str, secret: &str) -> Volume {
    let source = SecretVolumeSource {
        secret_name: Some(secret.to_owned()),
        ..SecretVolumeSource::default()
    };
    Volume {
        name: name.to_owned(),
        secret: Some(source),
        ..Volume::default()
    }
}

/// A volume with the keys of a ConfigMap.
pub(crate) fn config_map(name: &str, config_map: &str, optional: Option<bool>) -> Volume {
    let source = ConfigMapVolumeSource {
        name: config_map.to_owned(),
        optional,
        ..ConfigMapVolumeSource::default()
    };
    Volume {
        name: name.to_owned(),
        config_map: Some(source),
        ..Volume::default()
    }
}

/// A folder that is deleted with its pod.
pub(crate) fn empty_dir(name: &str, source: EmptyDirVolumeSource) -> Volume {
    Volume {
        name: name.to_owned(),
        empty_dir: Some(source),
        ..Volume::default()
    }
}

/// A mount.
pub(crate) fn mount(name: &str, path: &str) -> VolumeMount {
    VolumeMount {
        name: name.to_owned(),
        mount_path: path.to_owned(),
        ..VolumeMount::default()
    }
}

/// A mount that cannot be written to.
pub(crate) fn read_only(name: &str, path: &str) -> VolumeMount {
    VolumeMount {
        read_only: Some(true),
        ..mount(name, path)
    }
}

/// A folder in memory, where the configuration is with its secrets.
pub(crate) fn memory(name: &str) -> Volume {
    empty_dir(
        name,
        EmptyDirVolumeSource {
            medium: Some("Memory".to_owned()),
            ..EmptyDirVolumeSource::default()
        },
    )
}
