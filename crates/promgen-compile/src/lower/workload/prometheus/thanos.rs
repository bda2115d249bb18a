//! The Thanos sidecar of a server.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::args::Args;
use crate::lower::workload::pod::container::{self, env_secret};
use crate::lower::workload::pod::{grpc, path, volumes};
use crate::lower::workload::prometheus::facts::{
    self, Compaction, UPLOADED_BLOCKS_FILE, route_prefix, uploads,
};
use crate::lower::workload::prometheus::volumes::{STORAGE_DIR, storage};
use crate::lower::workload::prometheus::{image, names};
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use promgen_resources::api::core::{Container, EnvVar, Volume, VolumeMount};
use promgen_resources::api::servers::thanos::ThanosSpec;
use promgen_resources::gates;
use promgen_resources::gates::flags::OperatorFlag;
use promgen_text::version::Version;

/// The place where the sidecar finds out how to talk to Prometheus.
const CONFIG_DIR: &str = "/etc/thanos/config";
/// The file there, and its key in the Secret.
pub(crate) const CLIENT_FILE: &str = "prometheus.http-client-file.yaml";
/// It connects to its own pod, so the name in the certificate does not matter.
pub(crate) const CLIENT_CONFIG: &str = "tls_config:\n  insecure_skip_verify: true\n";

/// The sidecar, and the volume that it adds to the pod. Operator: `createThanosContainer`.
///
/// # Errors
/// Its image or its arguments cannot be made out, in the operator's words.
pub(super) fn sidecar(
    cx: &WorkloadContext<'_>,
    spec: &ThanosSpec,
    compaction: Compaction,
) -> Result<(Container, Option<Volume>), Refusal> {
    let (spec_path, image) = (SPEC, image::thanos(cx, spec)?);
    let path = spec_path.key("thanos");
    if let Some(version) = spec.version.as_deref() {
        Version::parse_tolerant(version).map_err(|e| {
            Refusal::new(
                &path.key("version"),
                format!("failed to parse Thanos version: {e}"),
            )
        })?;
    }
    let knows_client_file = cx.has(&gates::THANOS_HTTP_CLIENT);
    let mut args = addresses(cx, spec);
    let mut env = Vec::new();
    let mut mounts: Vec<VolumeMount> = spec.volume_mounts.iter().flatten().map(plain).collect();
    if let Some(tls) = &spec.grpc_server_tls_config {
        grpc::tls(cx.versions, tls, &mut args);
    }
    if uploads(spec) {
        object_storage(spec, compaction, &mut args, &mut env);
        mounts.push(storage(cx, |storage| storage.mount()));
    }
    tracing(spec, &mut args, &mut env);
    settings(cx, spec, &mut args);
    if knows_client_file {
        args.value(
            "prometheus.http-client-file",
            format!("{CONFIG_DIR}/{CLIENT_FILE}"),
        );
        mounts.push(volumes::mount(names::THANOS_CLIENT, CONFIG_DIR));
    }
    let args = args.build(
        spec.additional_args.as_deref(),
        &path.key("additionalArgs"),
        cx.target,
    )?;
    let container = Container {
        args: Some(std::iter::once("sidecar".to_owned()).chain(args).collect()),
        env: Some(env),
        image: Some(image),
        image_pull_policy: facts::fields(cx).pull_policy(),
        // Operator: without a protocol, which the API server fills in.
        ports: Some(vec![
            container::port("http", 10902, ""),
            container::port("grpc", 10901, ""),
        ]),
        resources: spec.resources.clone(),
        volume_mounts: Some(mounts),
        ..container::bare("thanos-sidecar")
    };
    let volume =
        knows_client_file.then(|| volumes::secret(names::THANOS_CLIENT, &names::thanos_client(cx)));
    Ok((container, volume))
}

/// A mount by name and path alone. Operator: ignores other fields of the user's mount.
fn plain(mount: &VolumeMount) -> VolumeMount {
    volumes::mount(&mount.name, &mount.mount_path)
}

fn addresses(cx: &WorkloadContext<'_>, spec: &ThanosSpec) -> Args {
    let host = |local: Option<bool>| {
        if spec.listen_local == Some(true) || local == Some(true) {
            "127.0.0.1"
        } else {
            ""
        }
    };
    let prefix = path::clean(route_prefix(cx));
    let mut args = Args::default();
    args.value(
        "prometheus.url",
        format!(
            "{}://{}:9090{prefix}",
            facts::scheme(cx),
            cx.target.flags.get(OperatorFlag::Localhost)
        ),
    );
    args.value(
        "grpc-address",
        format!("{}:10901", host(spec.grpc_listen_local)),
    );
    args.value(
        "http-address",
        format!("{}:10902", host(spec.http_listen_local)),
    );
    args
}

fn object_storage(
    spec: &ThanosSpec,
    compaction: Compaction,
    args: &mut Args,
    env: &mut Vec<EnvVar>,
) {
    match (
        &spec.object_storage_config_file,
        &spec.object_storage_config,
    ) {
        (Some(file), _) => args.value("objstore.config-file", file.clone()),
        (None, Some(secret)) => {
            args.value("objstore.config", "$(OBJSTORE_CONFIG)");
            env.push(env_secret("OBJSTORE_CONFIG", secret));
        }
        (None, None) => {}
    }
    args.value("tsdb.path", STORAGE_DIR);
    if compaction == Compaction::Delayed {
        args.value("shipper.meta-file-name", UPLOADED_BLOCKS_FILE);
        args.flag("shipper.ignore-unequal-block-size");
    }
}

fn tracing(spec: &ThanosSpec, args: &mut Args, env: &mut Vec<EnvVar>) {
    let file = spec
        .tracing_config_file
        .as_deref()
        .filter(|f| !f.is_empty());
    match (file, &spec.tracing_config) {
        (Some(file), _) => args.value("tracing.config-file", file),
        (None, Some(secret)) => {
            args.value("tracing.config", "$(TRACING_CONFIG)");
            env.push(env_secret("TRACING_CONFIG", secret));
        }
        (None, None) => {}
    }
}

/// Log settings, with those of Prometheus as defaults, and time-outs.
fn settings(cx: &WorkloadContext<'_>, spec: &ThanosSpec, args: &mut Args) {
    let either = |own: Option<&'static str>, prometheus: Option<&'static str>| {
        own.filter(|t| !t.is_empty()).or(prometheus)
    };
    let level = either(
        spec.log_level.map(|l| l.as_str()),
        cx.common.log_level.map(|l| l.as_str()),
    );
    let format = either(
        spec.log_format.map(|f| f.as_str()),
        cx.common.log_format.map(|f| f.as_str()),
    );
    args.filled("log.level", level);
    args.filled("log.format", format);
    args.filled("min-time", spec.min_time.as_deref());
    args.filled(
        "prometheus.ready_timeout",
        spec.ready_timeout.as_ref().map(|d| d.as_str()),
    );
    if cx.has(&gates::THANOS_GET_CONFIG) {
        args.filled(
            "prometheus.get_config_timeout",
            spec.get_config_timeout.as_ref().map(|d| d.as_str()),
        );
        args.filled(
            "prometheus.get_config_interval",
            spec.get_config_interval.as_ref().map(|d| d.as_str()),
        );
    }
}
