//! The pods of a server or an agent.

use crate::context::WorkloadContext;
use crate::lower::workload::pod::args::Args;
use crate::lower::workload::pod::reloader::ReloaderMode;
use crate::lower::workload::pod::volumes::Volumes;
use crate::lower::workload::pod::{container, placement, template};
use crate::lower::workload::prometheus::facts::{
    Compaction, WEB_PORT, fields, port_name, reloads_by_http, web_server,
};
use crate::lower::workload::prometheus::names::SHARD_LABEL;
use crate::lower::workload::prometheus::reloader::{self, ReloaderSettings};
use crate::lower::workload::prometheus::{
    ServerFacts, args, image, names, probes, thanos, volumes,
};
use crate::paths::SPEC;
use crate::select::admit::Refusal;
use crate::sharding::plan::Shard;
use crate::sharding::template::Placement;
use promgen_resources::api::apps::{GeneratedPodSpec, PersistentVolumeClaim, PodTemplateSpec};
use promgen_resources::api::core::{
    Container, EnvVar, PlainTopologySpreadConstraint, Volume, VolumeMount,
};
use promgen_resources::api::servers::workload::AdditionalLabelSelectors;
use promgen_resources::gates;
use promgen_text::yaml::StringMap;

/// The container of Prometheus.
const PROMETHEUS: &str = "prometheus";
/// Seconds that Prometheus may take to write down what it has in memory.
const TERMINATION_GRACE_SECONDS: i64 = 600;

/// The pods of a shard, and the claims that each of them has.
///
/// # Errors
/// Something in the spec cannot be made into a pod, in the operator's words.
pub(super) fn shard_template(
    cx: &WorkloadContext<'_>,
    facts: &ServerFacts<'_>,
    shard: &Shard,
    placed: &Placement,
) -> Result<(PodTemplateSpec, Option<PersistentVolumeClaim>), Refusal> {
    let image = image::prometheus(cx)?;
    let config = facts.config_source(cx, shard.index);
    let rule_files = facts.rule_file_names(cx);
    let mut volumes = volumes::common(cx, &config.secret, facts.n_tls_assets())?;
    let mut args = match cx.server {
        Some(spec) => {
            volumes::server(cx, spec, &rule_files, &mut volumes);
            args::server(cx, spec)
        }
        None => args::agent(cx),
    };
    let mut given = ReloaderSettings {
        config_file: config.file,
        rule_files: &rule_files,
        web_mounts: Vec::new(),
        web_config_file: None,
        shard,
    };
    web(cx, &mut args, &mut volumes, &mut given)?;
    let mut sidecars = Vec::new();
    if let Some(spec) = cx.server {
        if let Some(thanos) = &spec.thanos {
            let (container, volume) = thanos::sidecar(cx, thanos, Compaction::of(cx, spec))?;
            sidecars.push(container);
            volumes.volumes.extend(volume);
        }
        // Behind `web.config.file`: the operator appends these arguments last.
        args::compaction(cx, spec, &mut args);
    }
    let (fields, reloader) = (fields(cx), reloader::reloader(cx, &given));
    let init_containers = fields.merge_init(vec![reloader.container(ReloaderMode::Once)])?;
    let mut containers = vec![
        prometheus(cx, image, args, volumes.mounts)?,
        reloader.container(ReloaderMode::Beside),
    ];
    containers.append(&mut sidecars);
    let containers = fields.merge(containers)?;
    let claim = store(cx, &mut volumes.volumes);
    let selector = names::shard_labels(cx, shard.index);
    let spec = GeneratedPodSpec {
        containers,
        init_containers,
        volumes: volumes.volumes,
        ..spec(cx, &selector, placed)
    };
    let metadata = fields.metadata(
        PROMETHEUS,
        Some(&cx.versions.prometheus.to_string()),
        selector,
    );
    Ok((template(metadata, spec), claim))
}

/// Mounts the configuration of the web server. Operator: not on versions that do not read it, except in a DaemonSet.
fn web(
    cx: &WorkloadContext<'_>,
    args: &mut Args,
    volumes: &mut Volumes,
    given: &mut ReloaderSettings<'_>,
) -> Result<(), Refusal> {
    if !cx.daemon_set && !cx.has(&gates::WEB_CONFIG) {
        return Ok(());
    }
    let web = web_server(cx);
    web.text()?;
    args.value("web.config.file", web.file_path());
    let mounted = web.mounts(&names::web_config(cx));
    if cx.common.web.is_some() || cx.daemon_set {
        given.web_mounts = mounted.iter().map(|(_, mount)| mount.clone()).collect();
        given.web_config_file = Some(web.file_path());
    }
    volumes.extend(mounted);
    Ok(())
}

/// Adds the volume with the data, or returns the claim, and adds the user's volumes. A DaemonSet keeps its data in the
/// container.
fn store(cx: &WorkloadContext<'_>, volumes: &mut Vec<Volume>) -> Option<PersistentVolumeClaim> {
    if cx.daemon_set {
        return None;
    }
    let claim = volumes::storage(cx, |storage| storage.place(volumes));
    volumes.extend(fields(cx).volumes.into_iter().flatten().cloned());
    claim
}

fn prometheus(
    cx: &WorkloadContext<'_>,
    image: String,
    args: Args,
    mounts: Vec<VolumeMount>,
) -> Result<Container, Refusal> {
    let probes = probes::prometheus(cx);
    let web = container::port(port_name(cx), WEB_PORT, "TCP");
    Ok(Container {
        args: Some(args.build(
            cx.common.additional_args.as_deref(),
            &SPEC.key("additionalArgs"),
            cx.target,
        )?),
        env: Some(garbage_collection(cx)),
        image: Some(image),
        image_pull_policy: fields(cx).pull_policy(),
        liveness_probe: Some(probes.liveness),
        ports: (cx.common.listen_local != Some(true)).then(|| vec![web]),
        readiness_probe: Some(probes.readiness),
        resources: cx.common.resources.clone(),
        startup_probe: Some(probes.startup),
        volume_mounts: Some(mounts),
        ..container::bare(PROMETHEUS)
    })
}

/// `GOGC`, on servers whose configuration cannot set it.
fn garbage_collection(cx: &WorkloadContext<'_>) -> Vec<EnvVar> {
    let setting = cx.common.runtime.as_ref().and_then(|r| r.go_gc);
    let by_env = setting.filter(|_| cx.server.is_some() && !cx.has(&gates::RUNTIME));
    by_env
        .into_iter()
        .map(|n| container::env_value("GOGC", n.to_string()))
        .collect()
}

/// Everything of a pod except containers and volumes.
fn spec(cx: &WorkloadContext<'_>, selector: &StringMap, placed: &Placement) -> GeneratedPodSpec {
    let common = fields(cx).spec(TERMINATION_GRACE_SECONDS);
    let mut node_selector = common.node_selector;
    node_selector.extend(placed.node_selector.clone().unwrap_or_default());
    GeneratedPodSpec {
        affinity: placement::affinity(common.affinity, placed.affinity.clone()),
        node_selector,
        share_process_namespace: Some(!reloads_by_http(cx)),
        topology_spread_constraints: spread(cx, selector),
        ..common
    }
}

/// Operator: `MakeK8sTopologySpreadConstraint`.
fn spread(cx: &WorkloadContext<'_>, selector: &StringMap) -> Vec<PlainTopologySpreadConstraint> {
    let constraints = cx.common.topology_spread_constraints.iter().flatten();
    constraints
        .map(|constraint| {
            let mut of_pods = constraint.of_pods.clone();
            if let Some(additional) = constraint.additional_label_selectors {
                let with_shard = additional == AdditionalLabelSelectors::OnShard;
                let labels = selector
                    .iter()
                    .filter(|(key, _)| with_shard || *key != SHARD_LABEL);
                let labels = labels.map(|(key, value)| (key.clone(), value.clone()));
                of_pods
                    .label_selector
                    .get_or_insert_default()
                    .match_labels
                    .get_or_insert_default()
                    .extend(labels);
            }
            of_pods
        })
        .collect()
}
