//! What the pods of a workload are made of.

use std::collections::BTreeMap;

use crate::api::apps::{
    PersistentVolumeClaim, PodDnsConfig, PodSpec, PodTemplateSpec, TemplateMeta, TopologySpreadConstraint,
};
use crate::api::core::{Capabilities, Container, ContainerPort, EnvVar, SecurityContext, Volume, VolumeMount};
use crate::api::workload::AdditionalLabelSelectors;
use crate::context::Ctx;
use crate::gates;
use crate::lower::workload::args::{self, Args, Compaction};
use crate::lower::workload::names::{SHARD_LABEL, VERSION_LABEL};
use crate::lower::workload::probes::{self, port_name};
use crate::lower::workload::reloader::{Reloader, Run};
use crate::lower::workload::volumes::{self, Storage, Volumes};
use crate::lower::workload::{Facts, canonical, image, merge, names, placement, thanos, web_config};
use crate::plan::Shard;
use crate::route::Path;
use crate::select::admit::Refusal;
use crate::template::Placement;

/// The container of Prometheus.
const PROMETHEUS: &str = "prometheus";
/// What the last words of a container are, if it leaves no message.
pub(crate) const TERMINATION_MESSAGE: &str = "FallbackToLogsOnError";
/// Seconds that Prometheus may take to write down what it has in memory.
const TERMINATION_GRACE_SECONDS: i64 = 600;
/// Tells `kubectl` which container is meant.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The pods of a shard, and the claims that each of them has.
///
/// # Errors
/// Something in the spec cannot be made into a pod, in the operator's words.
pub(crate) fn template(
    cx: &Ctx<'_>,
    facts: &Facts<'_>,
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
    let mut reloader = Reloader {
        config_file: config.file,
        rule_files: &rule_files,
        web_mounts: Vec::new(),
        web_config_file: None,
        shard,
    };
    web(cx, &mut args, &mut volumes, &mut reloader)?;
    let mut sidecars = Vec::new();
    if let Some(spec) = cx.server {
        if let Some(thanos) = &spec.thanos {
            let (container, volume) = thanos::sidecar(cx, thanos, Compaction::of(cx, spec))?;
            sidecars.push(container);
            volumes.volumes.extend(volume);
        }
        args::compaction(cx, spec, &mut args);
    }
    let init = merge::containers(vec![reloader.container(cx, Run::Once)], cx.common.init_containers.as_deref())
        .map_err(|e| unmergeable("initContainers", format!("failed to merge init containers spec: {e}")))?;
    let mut containers = vec![prometheus(cx, image, args, volumes.mounts)?, reloader.container(cx, Run::Beside)];
    containers.append(&mut sidecars);
    let containers = merge::containers(containers, cx.common.containers.as_deref())
        .map_err(|e| unmergeable("containers", format!("failed to merge containers spec: {e}")))?;
    let claim = store(cx, &mut volumes.volumes);
    let selector = names::shard_labels(cx, shard.index);
    let mut template = PodTemplateSpec {
        spec: PodSpec { containers, init_containers: init, volumes: volumes.volumes, ..spec(cx, &selector, placed) },
        metadata: metadata(cx, selector),
    };
    canonical::pod(&mut template.spec);
    Ok((template, claim.map(canonical::claim)))
}

fn unmergeable(field: &'static str, message: String) -> Refusal {
    Refusal::new(&Path::root().key("spec").key(field), message)
}

/// Mounts the configuration of the web server. Operator: not on versions that do not read it, except in a DaemonSet.
fn web(cx: &Ctx<'_>, args: &mut Args, volumes: &mut Volumes, reloader: &mut Reloader<'_>) -> Result<(), Refusal> {
    if !cx.daemon_set && !cx.has(&gates::WEB_CONFIG) {
        return Ok(());
    }
    let settings = cx.common.web.as_ref();
    web_config::text(settings)?;
    args.value("web.config.file", web_config::file_path());
    let (web_volumes, mounts): (Vec<_>, Vec<_>) =
        web_config::mounts(settings, &names::web_config(cx)).into_iter().unzip();
    volumes.volumes.extend(web_volumes);
    volumes.mounts.extend(mounts.iter().cloned());
    if settings.is_some() || cx.daemon_set {
        reloader.web_mounts = mounts;
        reloader.web_config_file = Some(web_config::file_path());
    }
    Ok(())
}

/// Adds the volume with the data, or gives the claim, and then the user's volumes. A DaemonSet keeps its data in the
/// container.
fn store(cx: &Ctx<'_>, volumes: &mut Vec<Volume>) -> Option<PersistentVolumeClaim> {
    if cx.daemon_set {
        return None;
    }
    let claim = match volumes::storage(cx) {
        Storage::Volume(volume) => {
            volumes.push(*volume);
            None
        }
        Storage::Claim(claim) => Some(*claim),
    };
    volumes.extend(cx.common.volumes.iter().flatten().cloned());
    claim
}

fn prometheus(cx: &Ctx<'_>, image: String, args: Args, mounts: Vec<VolumeMount>) -> Result<Container, Refusal> {
    let probes = probes::prometheus(cx);
    let web = ContainerPort { name: Some(port_name(cx).to_owned()), ..port(9090) };
    Ok(Container {
        args: Some(args.build(cx.common.additional_args.as_deref(), &Path::root().key("spec").key("additionalArgs"))?),
        env: Some(garbage_collection(cx)),
        image: Some(image),
        image_pull_policy: pull_policy(cx),
        liveness_probe: Some(probes.liveness),
        name: PROMETHEUS.to_owned(),
        ports: (cx.common.listen_local != Some(true)).then(|| vec![web]),
        readiness_probe: Some(probes.readiness),
        resources: cx.common.resources.clone(),
        security_context: Some(container_security()),
        startup_probe: Some(probes.startup),
        termination_message_policy: Some(TERMINATION_MESSAGE.to_owned()),
        volume_mounts: Some(mounts),
        ..Container::default()
    })
}

/// `GOGC`, on servers whose configuration cannot set it.
fn garbage_collection(cx: &Ctx<'_>) -> Vec<EnvVar> {
    let setting = cx.common.runtime.as_ref().and_then(|r| r.go_gc);
    let by_env = setting.filter(|_| cx.server.is_some() && !cx.has(&gates::RUNTIME));
    let variable = |n: i32| EnvVar { name: "GOGC".to_owned(), value: Some(n.to_string()), value_from: None };
    by_env.into_iter().map(variable).collect()
}

fn metadata(cx: &Ctx<'_>, selector: BTreeMap<String, String>) -> TemplateMeta {
    let mut annotations = names::labels([(DEFAULT_CONTAINER, PROMETHEUS)]);
    let mut labels = names::labels([(VERSION_LABEL, &cx.versions.prometheus.to_string())]);
    if let Some(pod) = &cx.common.pod_metadata {
        annotations.extend(pod.annotations.clone().unwrap_or_default());
        labels.extend(pod.labels.clone().unwrap_or_default());
    }
    labels.extend(selector);
    TemplateMeta { annotations, labels }
}

/// Everything of a pod except containers and volumes.
fn spec(cx: &Ctx<'_>, selector: &BTreeMap<String, String>, placed: &Placement) -> PodSpec {
    let common = cx.common;
    let mut node_selector = common.node_selector.clone().unwrap_or_default();
    node_selector.extend(placed.node_selector.clone().unwrap_or_default());
    let host_network = common.host_network == Some(true);
    let dns_policy = common.dns_policy.map(|p| p.as_str()).or(host_network.then_some("ClusterFirstWithHostNet"));
    PodSpec {
        affinity: placement::affinity(common.affinity.clone(), placed.affinity.clone()),
        automount_service_account_token: Some(common.automount_service_account_token.unwrap_or(true)),
        dns_config: common.dns_config.as_ref().map(|dns| PodDnsConfig {
            nameservers: dns.nameservers.clone(),
            options: dns.options.clone().unwrap_or_default(),
            searches: dns.searches.clone(),
        }),
        dns_policy: dns_policy.map(str::to_owned),
        enable_service_links: common.enable_service_links,
        host_aliases: common.host_aliases.clone().unwrap_or_default(),
        host_network: common.host_network,
        host_users: common.host_users,
        image_pull_secrets: common.image_pull_secrets.clone(),
        node_selector,
        priority_class_name: common.priority_class_name.clone(),
        scheduler_name: common.scheduler_name.clone(),
        security_context: common.security_context.clone(),
        service_account_name: common.service_account_name.clone(),
        share_process_namespace: Some(!args::reloads_by_http(cx)),
        termination_grace_period_seconds: Some(
            common.termination_grace_period_seconds.unwrap_or(TERMINATION_GRACE_SECONDS),
        ),
        tolerations: common.tolerations.clone(),
        topology_spread_constraints: spread(cx, selector),
        ..PodSpec::default()
    }
}

/// Operator: `MakeK8sTopologySpreadConstraint`.
fn spread(cx: &Ctx<'_>, selector: &BTreeMap<String, String>) -> Vec<TopologySpreadConstraint> {
    let constraints = cx.common.topology_spread_constraints.iter().flatten();
    constraints
        .map(|constraint| {
            let mut label_selector = constraint.label_selector.clone();
            if let Some(additional) = constraint.additional_label_selectors {
                let with_shard = additional == AdditionalLabelSelectors::OnShard;
                let labels = selector.iter().filter(|(key, _)| with_shard || *key != SHARD_LABEL);
                let labels = labels.map(|(key, value)| (key.clone(), value.clone()));
                label_selector.get_or_insert_default().match_labels.get_or_insert_default().extend(labels);
            }
            TopologySpreadConstraint {
                label_selector,
                match_label_keys: constraint.match_label_keys.clone(),
                max_skew: constraint.max_skew,
                min_domains: constraint.min_domains,
                node_affinity_policy: constraint.node_affinity_policy.clone(),
                node_taints_policy: constraint.node_taints_policy.clone(),
                topology_key: constraint.topology_key.clone(),
                when_unsatisfiable: constraint.when_unsatisfiable.clone(),
            }
        })
        .collect()
}

/// A port of a container.
pub(crate) fn port(number: i32) -> ContainerPort {
    ContainerPort { container_port: number, host_ip: None, host_port: None, name: None, protocol: "TCP".to_owned() }
}

/// When images are pulled, if the user says so.
pub(crate) fn pull_policy(cx: &Ctx<'_>) -> Option<String> {
    cx.common.image_pull_policy.map(|p| p.as_str().to_owned())
}

/// No privileges, and nothing to write to but the volumes.
pub(crate) fn container_security() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        capabilities: Some(Capabilities { add: None, drop: Some(vec!["ALL".to_owned()]) }),
        read_only_root_filesystem: Some(true),
        ..SecurityContext::default()
    }
}

/// How to talk to Prometheus: `http` or `https`. Operator: `PrometheusURIScheme`.
pub(crate) fn scheme(cx: &Ctx<'_>) -> &'static str {
    if cx.common.web.as_ref().is_some_and(|w| w.tls_config.is_some()) { "https" } else { "http" }
}
