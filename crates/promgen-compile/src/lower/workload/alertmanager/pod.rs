//! The pods of an Alertmanager.

use crate::lower::alertmanager::AlertmanagerContext;
use crate::lower::workload::alertmanager::cluster_tls::ClusterTls;
use crate::lower::workload::alertmanager::facts::{CONFIG_OUT_FILE, STORAGE_DIR, route_prefix};
use crate::lower::workload::alertmanager::{AlertmanagerFacts, args, names};
use crate::lower::workload::image::{ALERTMANAGER, Image, filled};
use crate::lower::workload::names as common;
use crate::lower::workload::pod::args::Args;
use crate::lower::workload::pod::container::{self, web_port_name};
use crate::lower::workload::pod::reloader::{self, ConfigFiles, NO_SHARD, Reloader, ReloaderMode};
use crate::lower::workload::pod::volumes::{
    Storage, Volumes, listed, memory, mount, read_only, secret, tls_assets,
};
use crate::lower::workload::pod::{PodFields, path, pod_fields, template};
use crate::lower::workload::web_config::Web;
use crate::paths::SPEC;
use crate::select::admit::{InField, Refusal};
use promgen_resources::api::apps::{GeneratedPodSpec, PersistentVolumeClaim, PodTemplateSpec};
use promgen_resources::api::auth::SecretOrConfigMap;
use promgen_resources::api::core::{
    ConfigMapProjection, Container, ContainerPort, EnvVar, HttpGetAction, KeyToPath, Probe,
    ProjectedVolumeSource, ResourceRequirements, SecretProjection, Volume, VolumeMount,
    VolumeProjection,
};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::gates;
use promgen_resources::gates::flags::OperatorFlag;
use promgen_text::route::Path;

/// The port of the peers, by protocol.
pub(super) const MESH_TCP: &str = "mesh-tcp";
/// The name of the cluster port for UDP.
pub(super) const MESH_UDP: &str = "mesh-udp";

/// The folder of everything that is mounted but the data.
const DIR: &str = "/etc/alertmanager";
/// The place where the reloader finds the configuration.
const CONFIG_DIR: &str = "/etc/alertmanager/config";
/// The folder of the configuration with replaced placeholders.
const CONFIG_OUT_DIR: &str = "/etc/alertmanager/config_out";
/// The place of templates of notifications.
const TEMPLATES_DIR: &str = "/etc/alertmanager/templates";
/// The container of Alertmanager.
const ALERTMANAGER_CONTAINER: &str = "alertmanager";
/// Seconds that Alertmanager may take to stop.
const TERMINATION_GRACE_SECONDS: i64 = 120;
/// The default memory request.
const DEFAULT_MEMORY: &str = "200Mi";

/// The fields of the spec about pods.
fn fields<'a>(am: &AlertmanagerContext<'a>) -> PodFields<'a> {
    PodFields {
        automount_service_account_token: am.spec.automount_service_account_token,
        host_network: am.spec.host_network,
        ..pod_fields!(am.spec, am)
    }
}

/// The user's settings of the web server.
pub(super) fn web_server<'a>(am: &AlertmanagerContext<'a>) -> Web<'a> {
    let web = am.spec.web.as_ref();
    Web {
        tls: web.and_then(|w| w.tls_config.as_ref()),
        http: web.and_then(|w| w.http_config.as_ref()),
        dir: "/etc/alertmanager/web_config",
    }
}

/// Returns whether the web server speaks TLS.
fn has_tls(am: &AlertmanagerContext<'_>) -> bool {
    web_server(am).tls.is_some() && am.has(&gates::AM_WEB_CONFIG)
}

/// Volumes of the pod, as its two kinds of container see them.
struct Mounted {
    /// The volumes, with their mounts in Alertmanager.
    volumes: Volumes,
    /// The mounts of the reloader.
    reloader: Vec<VolumeMount>,
    /// The folders that the reloader watches.
    watched: Vec<String>,
}

impl Mounted {
    /// Adds a volume that both see and that makes Alertmanager reload.
    fn watch(&mut self, volume: Volume, mount: VolumeMount) {
        self.watched.push(mount.mount_path.clone());
        self.reloader.push(mount.clone());
        self.volumes.add(volume, mount);
    }
}

/// The pods, and the claim that each of them has.
///
/// # Errors
/// Something in the spec cannot be made into a pod, in the operator's words.
pub(super) fn template_and_claim(
    am: &AlertmanagerContext<'_>,
    facts: &AlertmanagerFacts<'_>,
) -> Result<(PodTemplateSpec, Option<PersistentVolumeClaim>), Refusal> {
    let (image, fields) = (image(am)?, fields(am));
    let mut args = args::arguments(am);
    let storage_name = names::storage(am);
    let storage = Storage {
        spec: am.spec.storage.as_ref(),
        name: &storage_name,
        dir: STORAGE_DIR,
        sub_path: "alertmanager-db",
    };
    let mut mounted = mounted(am, facts, &storage)?;
    let web_config_file = web(am, &mut args, &mut mounted)?;
    cluster_tls(am, &mut args, &mut mounted)?;
    let reloader = reloader(am, web_config_file, &mounted);
    let Volumes {
        mut volumes,
        mounts,
    } = mounted.volumes;
    let containers = vec![
        alertmanager(am, image, args, mounts)?,
        reloader.container(ReloaderMode::Beside),
    ];
    let containers = fields.merge(containers)?;
    let init_containers = fields.merge_init(vec![reloader.container(ReloaderMode::Once)])?;
    // The user's volumes come last, behind that of the data.
    let claim = storage.place(&mut volumes);
    volumes.extend(fields.volumes.into_iter().flatten().cloned());
    let spec = GeneratedPodSpec {
        containers,
        init_containers,
        topology_spread_constraints: am
            .spec
            .topology_spread_constraints
            .clone()
            .unwrap_or_default(),
        volumes,
        ..fields.spec(TERMINATION_GRACE_SECONDS)
    };
    let version = am.versions.alertmanager.to_string();
    let metadata = fields.pinned_metadata(
        ALERTMANAGER_CONTAINER,
        Some(&version),
        names::selector_labels(am.name()),
    );
    Ok((template(metadata, spec), claim))
}

fn image(am: &AlertmanagerContext<'_>) -> Result<String, Refusal> {
    let spec = am.spec;
    let text = |field: &'_ Option<String>| field.clone().filter(|t| filled(t).is_some());
    let (base, sha, tag) = (text(&spec.base_image), text(&spec.sha), text(&spec.tag));
    let image = Image {
        image: spec.image.as_deref(),
        base: base.as_deref().unwrap_or(*ALERTMANAGER),
        sha: sha.as_deref(),
        tag: tag.as_deref(),
        version: am.tag,
    };
    image.reference().map_err(|e| {
        Refusal::new(
            &SPEC.key("baseImage"),
            format!("failed to build image path: {e}"),
        )
    })
}

/// Everything that is mounted, less the web server and TLS among peers.
fn mounted(
    am: &AlertmanagerContext<'_>,
    facts: &AlertmanagerFacts<'_>,
    storage: &Storage<'_>,
) -> Result<Mounted, Refusal> {
    let mut out = Mounted {
        volumes: Volumes {
            volumes: vec![
                secret("config-volume", &names::generated(am)),
                tls_assets(&am.prefixed(), facts.n_tls_assets()),
                memory("config-out"),
            ],
            mounts: vec![
                mount("config-volume", CONFIG_DIR),
                read_only("config-out", CONFIG_OUT_DIR),
                read_only("tls-assets", "/etc/alertmanager/certs"),
                storage.mount(),
            ],
        },
        reloader: vec![
            read_only("config-volume", CONFIG_DIR),
            mount("config-out", CONFIG_OUT_DIR),
        ],
        watched: vec![CONFIG_DIR.to_owned()],
    };
    let templates = am
        .spec
        .alertmanager_configuration
        .as_ref()
        .and_then(|c| c.templates.as_deref());
    if let Some(templates) = templates.filter(|t| !t.is_empty()) {
        out.watch(
            notification_templates(templates),
            read_only("notification-templates", TEMPLATES_DIR),
        );
    }
    for (volume, mount) in listed(
        am.spec.secrets.as_deref(),
        am.spec.config_maps.as_deref(),
        DIR,
    )? {
        out.watch(volume, mount);
    }
    // Mounts in Alertmanager only: the reloader does not see them.
    out.volumes
        .mounts
        .extend(am.spec.volume_mounts.iter().flatten().cloned());
    Ok(out)
}

/// The volume with templates of notifications. Of those with the same key the first one counts.
fn notification_templates(templates: &[SecretOrConfigMap]) -> Volume {
    let mut keys: Vec<&str> = Vec::new();
    let mut sources = Vec::new();
    let item = |key: &str| {
        Some(vec![KeyToPath {
            key: key.to_owned(),
            path: key.to_owned(),
            ..KeyToPath::default()
        }])
    };
    for template in templates {
        if let Some(map) = &template.config_map {
            // Operator: a key that is there already makes it skip the Secret of the same entry too.
            if keys.contains(&&*map.key) {
                continue;
            }
            keys.push(&map.key);
            let name = map.name.clone();
            let config_map = ConfigMapProjection {
                items: item(&map.key),
                name,
                ..ConfigMapProjection::default()
            };
            sources.push(VolumeProjection {
                config_map: Some(config_map),
                ..VolumeProjection::default()
            });
        }
        if let Some(of) = template
            .secret
            .as_ref()
            .filter(|s| !keys.contains(&&*s.key))
        {
            keys.push(&of.key);
            let name = of.name.clone();
            let secret = SecretProjection {
                items: item(&of.key),
                name,
                ..SecretProjection::default()
            };
            sources.push(VolumeProjection {
                secret: Some(secret),
                ..VolumeProjection::default()
            });
        }
    }
    let projected = ProjectedVolumeSource {
        sources: Some(sources),
        ..ProjectedVolumeSource::default()
    };
    Volume {
        name: "notification-templates".to_owned(),
        projected: Some(projected),
        ..Volume::default()
    }
}

/// Mounts the configuration of the web server, and returns its path. Operator: always, on versions that read it, so
/// that pods need not restart when TLS is switched on.
fn web(
    am: &AlertmanagerContext<'_>,
    args: &mut Args,
    mounted: &mut Mounted,
) -> Result<Option<String>, Refusal> {
    if !am.has(&gates::AM_WEB_CONFIG) {
        return Ok(None);
    }
    let web = web_server(am);
    web.text()?;
    args.value("web.config.file", web.file_path());
    let volumes = web.mounts(&common::web_config(&am.prefixed()));
    mounted
        .reloader
        .extend(volumes.iter().map(|(_, mount)| mount.clone()));
    mounted.volumes.extend(volumes);
    Ok(Some(web.file_path()))
}

/// Mounts the configuration of TLS among peers. Operator: always, on versions that read it.
fn cluster_tls(
    am: &AlertmanagerContext<'_>,
    args: &mut Args,
    mounted: &mut Mounted,
) -> Result<(), Refusal> {
    if !am.has(&gates::AM_CLUSTER_TLS) {
        return Ok(());
    }
    let tls = ClusterTls::new(am).within("failed to create the cluster TLS configuration")?;
    // Without settings the file is mounted, but no argument names it.
    if am.spec.cluster_tls.is_some() {
        args.value("cluster.tls-config", ClusterTls::file_path());
    }
    mounted.volumes.extend(tls.mounts(&names::cluster_tls(am)));
    Ok(())
}

fn alertmanager(
    am: &AlertmanagerContext<'_>,
    image: String,
    args: Args,
    mounts: Vec<VolumeMount>,
) -> Result<Container, Refusal> {
    let path = Path::root();
    let (spec_path, local) = (path.key("spec"), am.spec.listen_local == Some(true));
    let probes = if local { None } else { Some(probes(am)) };
    let (liveness_probe, readiness_probe) = probes.unzip();
    Ok(Container {
        args: Some(args.build(
            am.spec.additional_args.as_deref(),
            &spec_path.key("additionalArgs"),
            am.parent.target,
        )?),
        env: Some(env(am)),
        image: Some(image),
        image_pull_policy: fields(am).pull_policy(),
        liveness_probe,
        ports: Some(ports(am, local)),
        readiness_probe,
        resources: Some(resources(am)),
        volume_mounts: Some(mounts),
        ..container::bare(ALERTMANAGER_CONTAINER)
    })
}

/// The variables that the arguments refer to.
fn env(am: &AlertmanagerContext<'_>) -> Vec<EnvVar> {
    let mut env = vec![container::env_field("POD_IP", "status.podIP")];
    if am.has(&gates::AM_PEER_NAME) {
        env.push(container::env_field("POD_NAME", "metadata.name"));
    }
    env
}

fn ports(am: &AlertmanagerContext<'_>, local: bool) -> Vec<ContainerPort> {
    let web = (!local).then(|| container::port(web_port_name(&am.spec.port_name), 9093, "TCP"));
    let mesh = [
        container::port(MESH_TCP, 9094, "TCP"),
        container::port(MESH_UDP, 9094, "UDP"),
    ];
    web.into_iter().chain(mesh).collect()
}

/// The probes for life and for readiness. Operator: there are none if it listens on the loopback only.
fn probes(am: &AlertmanagerContext<'_>) -> (Probe, Probe) {
    let get = |at: &str| -> HttpGetAction {
        let path = path::clean(&format!("{}{at}", route_prefix(am)));
        container::get(path, web_port_name(&am.spec.port_name), has_tls(am))
    };
    let probe = |at| Probe {
        http_get: Some(get(at)),
        failure_threshold: Some(10),
        timeout_seconds: Some(3),
        ..Probe::default()
    };
    let readiness = Probe {
        initial_delay_seconds: Some(3),
        period_seconds: Some(5),
        ..probe("/-/ready")
    };
    (probe("/-/healthy"), readiness)
}

fn resources(am: &AlertmanagerContext<'_>) -> ResourceRequirements {
    let mut resources = am.spec.resources.clone().unwrap_or_default();
    let requests = resources.requests.get_or_insert_default();
    // A request for CPU alone keeps the default for memory.
    requests
        .entry("memory".to_owned())
        .or_insert_with(|| Quantity::from(DEFAULT_MEMORY));
    resources
}

fn reloader(
    am: &AlertmanagerContext<'_>,
    web_config_file: Option<String>,
    mounted: &Mounted,
) -> Reloader {
    let scheme = if has_tls(am) { "https" } else { "http" };
    let path = path::clean(&format!("{}/-/reload", route_prefix(am)));
    let flags = &am.parent.target.flags;
    let file = if am.parent.packs_config {
        "alertmanager.yaml.gz"
    } else {
        "alertmanager.yaml"
    };
    Reloader {
        image: am.parent.target.reloader_image(),
        flags: flags.clone(),
        init_port: reloader::init_port(am.parent.target),
        env: vec![container::env_value("SHARD", NO_SHARD.to_owned())],
        listens_locally: am.spec.listen_local == Some(true),
        web_config_file,
        reload: vec![format!(
            "--reload-url={}",
            container::local_url(scheme, flags.get(OperatorFlag::Localhost), 9093, &path)
        )],
        config: Some(ConfigFiles {
            from: format!("{CONFIG_DIR}/{file}"),
            to: CONFIG_OUT_FILE.to_owned(),
        }),
        watched_dirs: mounted.watched.clone(),
        mounts: mounted.reloader.clone(),
        log_level: am.spec.log_level,
        log_format: am.spec.log_format,
        image_pull_policy: fields(am).pull_policy(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::core::{ConfigMapKeySelector, SecretKeySelector};

    #[test]
    fn of_templates_with_one_key_the_first_is_mounted() {
        let of_secret = |name: &str, key: &str| SecretOrConfigMap {
            secret: Some(SecretKeySelector {
                name: name.to_owned(),
                key: key.to_owned(),
                optional: None,
            }),
            config_map: None,
        };
        let of_map = |name: &str, key: &str| SecretOrConfigMap {
            secret: None,
            config_map: Some(ConfigMapKeySelector {
                name: name.to_owned(),
                key: key.to_owned(),
                optional: None,
            }),
        };
        let listed = [
            of_secret("a", "k"),
            of_map("b", "l"),
            of_map("c", "k"),
            of_secret("d", "l"),
            of_secret("e", "m"),
        ];
        let volume = notification_templates(&listed);
        assert_eq!(volume.name, "notification-templates");
        let sources = volume
            .projected
            .and_then(|projected| projected.sources)
            .unwrap();
        let items = |items: Option<Vec<KeyToPath>>| {
            items
                .into_iter()
                .flatten()
                .map(|item| (item.key, item.path))
        };
        let named = sources
            .into_iter()
            .map(|source| match (source.secret, source.config_map) {
                (Some(secret), _) => (secret.name, items(secret.items).collect::<Vec<_>>()),
                (_, Some(map)) => (map.name, items(map.items).collect()),
                (None, None) => unreachable!("a source names a Secret or a ConfigMap"),
            });
        let expected = [("a", "k"), ("b", "l"), ("e", "m")]
            .map(|(name, k)| (name.to_owned(), vec![(k.to_owned(), k.to_owned())]));
        assert_eq!(named.collect::<Vec<_>>(), expected);
    }
}
