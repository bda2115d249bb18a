//! The pods of a Thanos Ruler.

use crate::lower::thanos_ruler::Ruler;
use crate::lower::workload::image::{Image, THANOS};
use crate::lower::workload::names;
use crate::lower::workload::pod::reloader::{self, NO_SHARD, Reloader, ReloaderMode};
use crate::lower::workload::pod::volumes::{self, Storage, Volumes, mount, read_only};
use crate::lower::workload::pod::{PodFields, container, path, pod_fields, template};
use crate::lower::workload::thanos_ruler::facts::{RULES_DIR, STORAGE_DIR};
use crate::lower::workload::thanos_ruler::{args, pod_selector, port_name, prefixed};
use crate::lower::workload::web_config::Web;
use crate::paths::SPEC;
use crate::select::admit::{Refusal, Refuse};
use promgen_resources::api::apps::{GeneratedPodSpec, PersistentVolumeClaim, PodTemplateSpec};
use promgen_resources::api::core::{
    Container, ContainerPort, ResourceRequirements, Volume, VolumeMount,
};
use promgen_resources::api::scalar::Quantity;
use promgen_resources::gates;
use promgen_resources::gates::flags::OperatorFlag;
use promgen_text::diag::Sink;

/// The container of Thanos Ruler.
const THANOS_RULER: &str = "thanos-ruler";
/// The place where it serves HTTP.
pub(super) const HTTP_PORT: i32 = 10902;
/// The place where it serves gRPC.
pub(super) const GRPC_PORT: i32 = 10901;
/// The place of certificates and keys.
const TLS_ASSETS_DIR: &str = "/etc/thanos/certs";
/// Seconds that a pod may take to stop.
const TERMINATION_GRACE_SECONDS: i64 = 120;
/// The default memory request.
const MEMORY: &str = "200Mi";

/// The pods, and the claims that each of them has. `rule_files` are the ConfigMaps with rule files.
///
/// # Errors
/// Something in the spec cannot be made into a pod, in the operator's words.
pub(super) fn pod_template(
    ruler: &Ruler<'_>,
    rule_files: &[String],
    n_tls_assets: usize,
    sink: &mut Sink,
) -> Result<(PodTemplateSpec, Option<PersistentVolumeClaim>), Refusal> {
    queries(ruler)?;
    let (spec, fields, image) = (ruler.spec, pod_fields!(ruler.spec, ruler), image(ruler)?);
    let (args, mut volumes) = args::arguments(ruler, sink);
    let args = args.build(
        spec.additional_args.as_deref(),
        &SPEC.key("additionalArgs"),
        ruler.target,
    )?;
    let mut args: Vec<String> = std::iter::once("rule".to_owned()).chain(args).collect();
    volumes.add(
        volumes::tls_assets(&prefixed(ruler), n_tls_assets),
        read_only("tls-assets", TLS_ASSETS_DIR),
    );
    let mut reloader = reloader(ruler, rule_files);
    serve(ruler, &mut args, &mut volumes, &mut reloader, sink)?;
    let data = format!("{}-data", prefixed(ruler));
    let storage = Storage {
        spec: spec.storage.as_ref(),
        name: &data,
        dir: STORAGE_DIR,
        sub_path: "",
    };
    volumes.mounts.push(storage.mount());
    volumes.extend(rule_files.iter().map(|name| rules(ruler, name)));
    volumes
        .mounts
        .extend(spec.volume_mounts.iter().flatten().cloned());
    let main = thanos(ruler, &fields, image, args, volumes.mounts);
    let containers = fields.merge(vec![main, reloader.container(ReloaderMode::Beside)])?;
    let claim = storage.place(&mut volumes.volumes);
    volumes
        .volumes
        .extend(spec.volumes.iter().flatten().cloned());
    let pod = GeneratedPodSpec {
        containers,
        init_containers: spec.init_containers.clone().unwrap_or_default(),
        topology_spread_constraints: spec.topology_spread_constraints.clone().unwrap_or_default(),
        volumes: volumes.volumes,
        ..fields.spec(TERMINATION_GRACE_SECONDS)
    };
    let version = ruler.versions.thanos.to_string();
    let version = ruler.has(&gates::RULER_VERSION_LABEL).then_some(&*version);
    let metadata = fields.pinned_metadata(THANOS_RULER, version, pod_selector(ruler));
    Ok((template(metadata, pod), claim))
}

/// Mounts the configuration of the web server, if the version reads it. Operator: its argument cannot conflict with a
/// user's one.
fn serve(
    ruler: &Ruler<'_>,
    args: &mut Vec<String>,
    volumes: &mut Volumes,
    reloader: &mut Reloader,
    sink: &mut Sink,
) -> Result<(), Refusal> {
    let (web, gate) = (web_server(ruler), &gates::RULER_WEB_CONFIG);
    let route = SPEC.key("web").key("tlsConfig").to_route();
    ruler.gated(gate, web.tls, route, sink);
    if !ruler.has(gate) {
        return Ok(());
    }
    web.text()?;
    args.push(format!("--http.config={}", web.file_path()));
    let mounted = web.mounts(&names::web_config(&prefixed(ruler)));
    reloader
        .mounts
        .extend(mounted.iter().map(|(_, mount)| mount.clone()));
    reloader.web_config_file = Some(web.file_path());
    volumes.extend(mounted);
    Ok(())
}

/// A ConfigMap with rule files, which need not be there.
fn rules(ruler: &Ruler<'_>, config_map: &str) -> (Volume, VolumeMount) {
    let is_optional = ruler.has(&gates::SPARE_RULE_FILES);
    let mounted = if is_optional { read_only } else { mount };
    let volume = volumes::config_map(config_map, config_map, is_optional.then_some(true));
    (volume, mounted(config_map, &rules_dir(config_map)))
}

/// Returns whether rules can read anything.
fn queries(ruler: &Ruler<'_>) -> Result<(), Refusal> {
    let spec = ruler.spec;
    if spec.query_config.is_some()
        || spec
            .query_endpoints
            .as_ref()
            .is_some_and(|endpoints| !endpoints.is_empty())
    {
        return Ok(());
    }
    let requirement =
        "thanos ruler requires query config or at least one query endpoint to be specified";
    SPEC.refuse(format!("{}: {requirement}", ruler.name()))
}

fn image(ruler: &Ruler<'_>) -> Result<String, Refusal> {
    let image = Image {
        image: ruler.spec.image.as_deref(),
        base: *THANOS,
        sha: None,
        tag: None,
        version: ruler.tag,
    };
    image.reference().map_err(|e| {
        Refusal::new(
            &SPEC.key("image"),
            format!("failed to build image path: {e}"),
        )
    })
}

/// The user's settings of the web server.
pub(super) fn web_server<'a>(ruler: &Ruler<'a>) -> Web<'a> {
    let web = ruler.spec.web.as_ref();
    Web {
        tls: web.and_then(|w| w.tls_config.as_ref()),
        http: web.and_then(|w| w.http_config.as_ref()),
        dir: "/etc/thanos/web_config",
    }
}

fn rules_dir(config_map: &str) -> String {
    format!("{RULES_DIR}/{config_map}")
}

/// The reloader, without a configuration: it watches rule files only. The operator sets no `imagePullPolicy` on it.
fn reloader(ruler: &Ruler<'_>, rule_files: &[String]) -> Reloader {
    let spec = ruler.spec;
    let has_tls = web_server(ruler).tls.is_some() && ruler.has(&gates::RULER_WEB_CONFIG);
    let scheme = if has_tls { "https" } else { "http" };
    let flags = &ruler.target.flags;
    let path = path::clean(&format!(
        "{}/-/reload",
        spec.route_prefix.as_deref().unwrap_or_default()
    ));
    Reloader {
        image: ruler.target.reloader_image(),
        flags: flags.clone(),
        init_port: reloader::init_port(ruler.target),
        env: vec![container::env_value("SHARD", NO_SHARD.to_owned())],
        listens_locally: spec.listen_local == Some(true),
        web_config_file: None,
        reload: vec![format!(
            "--reload-url={}",
            container::local_url(scheme, flags.get(OperatorFlag::Localhost), HTTP_PORT, &path)
        )],
        config: None,
        watched_dirs: rule_files.iter().map(|name| rules_dir(name)).collect(),
        mounts: rule_files
            .iter()
            .map(|name| mount(name, &rules_dir(name)))
            .collect(),
        log_level: spec.log_level,
        log_format: spec.log_format,
        image_pull_policy: None,
    }
}

fn thanos(
    ruler: &Ruler<'_>,
    fields: &PodFields<'_>,
    image: String,
    args: Vec<String>,
    mounts: Vec<VolumeMount>,
) -> Container {
    Container {
        args: Some(args),
        env: Some(vec![container::env_field("POD_NAME", "metadata.name")]),
        image: Some(image),
        image_pull_policy: fields.pull_policy(),
        ports: Some(ports(ruler)),
        resources: Some(resources(ruler)),
        volume_mounts: Some(mounts),
        ..container::bare(THANOS_RULER)
    }
}

fn ports(ruler: &Ruler<'_>) -> Vec<ContainerPort> {
    let mut ports = vec![container::port("grpc", GRPC_PORT, "TCP")];
    // Only HTTP moves to localhost; gRPC stays reachable.
    if ruler.spec.listen_local != Some(true) {
        ports.push(container::port(port_name(ruler), HTTP_PORT, "TCP"));
    }
    ports
}

/// The user's resources, with a default memory request.
fn resources(ruler: &Ruler<'_>) -> ResourceRequirements {
    let mut resources = ruler.spec.resources.clone().unwrap_or_default();
    let requests = resources.requests.get_or_insert_default();
    requests
        .entry("memory".to_owned())
        .or_insert_with(|| Quantity::from(MEMORY));
    resources
}
