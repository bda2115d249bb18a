//! The Kubernetes objects of a server or an agent.
//!
//! In: a workload, its shards, what its configuration is. Out: the objects in the order in which they are printed, and
//! the error with which the operator stops before it has written all of them.
//! Knows nothing of what a configuration says.

mod args;
mod canonical;
mod image;
mod merge;
pub(crate) mod names;
mod object;
mod path;
mod placement;
mod pod;
mod probes;
mod reloader;
mod thanos;
mod tls_assets;
mod volumes;
mod web_config;

use std::collections::BTreeMap;

use crate::api::apps::{DaemonSet, DaemonSetSpec, Service, ServicePort, ServiceSpec, StatefulSet, StatefulSetSpec};
use crate::api::kubernetes;
use crate::api::meta::{LabelSelector, ObjectMeta};
use crate::api::scalar::IntOrString;
use crate::api::workload::{PodManagementPolicy, StatefulSetUpdateStrategy, UpdateStrategyType};
use crate::context::Ctx;
use crate::go::quote::quote;
use crate::options::Assume;
use crate::output::{Layout, Object, Payload};
use crate::plan::Shard;
use crate::route::Path;
use crate::select::admit::Refusal;
use crate::template::Placement;
use crate::yaml::to_value;
use object::Owner;

/// What the objects of a workload depend on beside its [`Ctx`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    /// Labels, annotations, uid of the custom resource.
    pub(crate) metadata: &'a ObjectMeta,
    /// How objects are laid out.
    pub(crate) layout: Layout,
    /// What holds for what is not in the input.
    pub(crate) assume: Assume,
    /// Who writes the configuration, or the error with which the operator failed to.
    pub(crate) config: Result<Configured, &'a Refusal>,
    /// Certificates and keys that the configuration names, by file name; as they may be shown.
    pub(crate) tls_assets: &'a BTreeMap<String, Vec<u8>>,
    /// The rule files of each ConfigMap. Servers have at least one ConfigMap, even if there are no files.
    pub(crate) rule_files: &'a [BTreeMap<String, String>],
    /// The Service named by `serviceName`, if there is one.
    pub(crate) governing_service: Option<&'a kubernetes::Service>,
}

/// Who writes the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Configured {
    /// The operator.
    Generated,
    /// The user, because nothing is to be selected.
    Unmanaged,
}

/// Where pods find their configuration.
struct ConfigSource {
    secret: String,
    file: &'static str,
}

impl Facts<'_> {
    fn config_source(&self, cx: &Ctx<'_>, shard: u32) -> ConfigSource {
        match (self.layout, self.config) {
            (Layout::PerShard, Ok(Configured::Generated)) => {
                ConfigSource { secret: names::stateful_set(cx, shard), file: "prometheus.yaml" }
            }
            (Layout::PerShard | Layout::Operator, _) => {
                ConfigSource { secret: names::prefixed(cx), file: "prometheus.yaml.gz" }
            }
        }
    }

    /// The ConfigMaps that a server mounts, some of which need not exist.
    fn rule_file_names(&self, cx: &Ctx<'_>) -> Vec<String> {
        if cx.server.is_none() {
            return Vec::new();
        }
        rule_file_names(cx, self.rule_files.len())
    }

    fn n_tls_assets(&self) -> usize {
        tls_assets::split(self.tls_assets).len()
    }
}

/// The names of the ConfigMaps with rule files that a server mounts and reads: those that it uses sorted as text, so that
/// 10 comes before 2. Operator: there are always some more than there need be, so that pods do not restart whenever rules
/// grow.
pub(crate) fn rule_file_names(cx: &Ctx<'_>, n_used: usize) -> Vec<String> {
    const MOUNTED: usize = 3;
    let mut names: Vec<_> = (0..n_used).map(|i| names::rule_files(cx, i)).collect();
    names.sort_unstable();
    names.extend((n_used..MOUNTED).map(|i| names::rule_files(cx, i)));
    names
}

/// What the operator would write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// The objects, in the order in which they are printed.
    pub(crate) objects: Vec<Object>,
    /// The configuration of the web server, a file of its own in the output tree. `None` if it is not written.
    pub(crate) web_config: Option<String>,
    /// The error with which the operator stops, in its words.
    pub(crate) error: Option<Refusal>,
}

impl Objects {
    /// Nothing but an error.
    pub(crate) fn stopped(error: Refusal) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

/// The objects of a workload.
pub(crate) fn objects(cx: &Ctx<'_>, facts: &Facts<'_>) -> Objects {
    let mut out = Objects::default();
    out.error = write(cx, facts, &mut out).err();
    // Written in the operator's order, so that what comes before an error is known; printed by kind.
    out.objects.sort_by_key(|object| {
        let kinds = ["secret", "configmap", "service"];
        kinds.iter().position(|kind| object.file.starts_with(kind)).unwrap_or(kinds.len())
    });
    out
}

/// Everything, in the operator's order. Operator: `sync`.
fn write(cx: &Ctx<'_>, facts: &Facts<'_>, out: &mut Objects) -> Result<(), Refusal> {
    if cx.server.is_some() {
        out.objects.extend(rule_files(cx, facts));
    }
    let configured = facts.config.map_err(Clone::clone)?;
    out.objects.extend(config_secrets(cx, facts, configured));
    out.objects.extend(tls_assets::secrets(cx, facts));
    let web_config = web_config::text(cx.common.web.as_ref())
        .map_err(|e| e.within("synchronizing web config secret failed: failed to initialize web config"))?;
    let values = BTreeMap::from([(web_config::FILE.to_owned(), web_config.clone().into_bytes())]);
    let metadata = object::metadata(cx, facts, names::web_config(cx), BTreeMap::new(), Owner::Manager);
    out.objects.push(object::secret(&metadata, facts.layout, &values));
    out.web_config = Some(web_config);
    if cx.server.is_some() {
        out.objects.push(thanos_client(cx, facts));
    }
    if cx.daemon_set {
        out.objects.push(daemon_set(cx, facts).map_err(|e| e.within("making daemonset failed: make DaemonSet spec"))?);
        return Ok(());
    }
    out.objects.extend(governing_service(cx, facts)?);
    for (shard, placement) in cx.sharding.plan.shards.iter().zip(&cx.sharding.placements) {
        let object = stateful_set(cx, facts, shard, placement)
            .map_err(|e| e.within("making statefulset failed: make StatefulSet spec"))?;
        out.objects.push(object);
    }
    Ok(())
}

/// The ConfigMaps with rule files. Operator: one at least. A stream for a cluster without operator has no empty ones, so
/// that it takes nothing away; the pods do without.
fn rule_files(cx: &Ctx<'_>, facts: &Facts<'_>) -> Vec<Object> {
    let empty = [BTreeMap::new()];
    let maps = match (facts.layout, facts.rule_files) {
        (Layout::Operator, []) => &empty,
        (Layout::Operator | Layout::PerShard, maps) => maps,
    };
    let object = |(i, files): (usize, &BTreeMap<String, String>)| {
        let labels = names::labels([("prometheus-name", cx.name)]);
        let metadata = object::metadata(cx, facts, names::rule_files(cx, i), labels, Owner::Manager);
        object::config_map(&metadata, files)
    };
    maps.iter().enumerate().map(object).collect()
}

/// The Secrets with the configuration: the operator's one, or one for each shard.
fn config_secrets(cx: &Ctx<'_>, facts: &Facts<'_>, configured: Configured) -> Vec<Object> {
    let secret = |name: String, payload: Option<Payload>| {
        object::config_secret(&object::metadata(cx, facts, name, BTreeMap::new(), Owner::Manager), payload)
    };
    match (facts.layout, configured) {
        (Layout::Operator, Configured::Generated) => vec![secret(names::prefixed(cx), Some(Payload::Gzip))],
        (Layout::Operator, Configured::Unmanaged) => vec![secret(names::prefixed(cx), None)],
        // The user's own Secret, which an empty one must not replace.
        (Layout::PerShard, Configured::Unmanaged) => Vec::new(),
        (Layout::PerShard, Configured::Generated) if cx.daemon_set => {
            vec![secret(names::prefixed(cx), Some(Payload::Shard(0)))]
        }
        (Layout::PerShard, Configured::Generated) => {
            let shards = cx.sharding.plan.shards.iter();
            shards.map(|s| secret(names::stateful_set(cx, s.index), Some(Payload::Shard(s.index)))).collect()
        }
    }
}

/// Operator: it is there whether there is a sidecar or not.
fn thanos_client(cx: &Ctx<'_>, facts: &Facts<'_>) -> Object {
    let values = BTreeMap::from([(thanos::CLIENT_FILE.to_owned(), thanos::CLIENT_CONFIG.as_bytes().to_vec())]);
    let mut metadata = object::metadata(cx, facts, names::thanos_client(cx), BTreeMap::new(), Owner::Manager);
    metadata.namespace = Some(cx.namespace.to_owned());
    object::secret(&metadata, facts.layout, &values)
}

/// The Service that names the pods: the operator's, or none if the user has one that fits.
fn governing_service(cx: &Ctx<'_>, facts: &Facts<'_>) -> Result<Option<Object>, Refusal> {
    if let Some(name) = cx.common.service_name.as_deref() {
        return check_governing_service(cx, facts, name).map(|()| None);
    }
    let port_name = probes::port_name(cx);
    let port = |name: &str, port| ServicePort { name: name.to_owned(), port, target_port: IntOrString::from(name) };
    let mut ports = vec![port(port_name, 9090)];
    if cx.server.is_some_and(|s| s.thanos.is_some()) {
        ports.push(port("grpc", 10901));
    }
    let labels = names::labels([("operated-prometheus", "true")]);
    let name = names::governing_service(cx).to_owned();
    let service = Service {
        api_version: "v1",
        kind: "Service",
        metadata: object::metadata(cx, facts, name, labels, Owner::OneOfSeveral),
        spec: ServiceSpec {
            cluster_ip: "None",
            ports,
            selector: names::labels([(names::APP_LABEL, names::application(cx))]),
        },
    };
    Ok(Some(object::object("service", to_value(&service))))
}

/// Operator: `EnsureCustomGoverningService`.
fn check_governing_service(cx: &Ctx<'_>, facts: &Facts<'_>, name: &str) -> Result<(), Refusal> {
    let refuse = |message: String| Err(Refusal::new(&Path::root().key("spec").key("serviceName"), message));
    let at = format!("{}/{name}", cx.namespace);
    let Some(service) = facts.governing_service else {
        return match facts.assume {
            Assume::Ready => Ok(()),
            Assume::Missing => {
                let name = quote(name);
                refuse(format!("failed to get custom governing service {at}: services {name} not found"))
            }
        };
    };
    let selector = service.spec.selector.clone().unwrap_or_default();
    let labels = names::selector_labels(cx);
    if selector.iter().all(|(key, value)| labels.get(key) == Some(value)) {
        return Ok(());
    }
    let print = |labels: &BTreeMap<String, String>| {
        labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    };
    let (selector, labels) = (quote(&print(&selector)), quote(&print(&labels)));
    refuse(format!("custom governing service {at} with selector {selector} does not select pods with labels {labels}"))
}

/// The metadata of what runs pods: labels of the custom resource, of the pods, and the mode.
fn runner_metadata(cx: &Ctx<'_>, facts: &Facts<'_>, name: String, selector: &BTreeMap<String, String>) -> ObjectMeta {
    let mut labels = facts.metadata.labels.clone().unwrap_or_default();
    let mode = if cx.server.is_some() { "server" } else { "agent" };
    labels.insert(names::MODE_LABEL.to_owned(), mode.to_owned());
    labels.extend(selector.clone());
    let metadata = object::metadata(cx, facts, name, labels, Owner::Manager);
    ObjectMeta { annotations: object::inherited_annotations(facts), ..metadata }
}

fn stateful_set(cx: &Ctx<'_>, facts: &Facts<'_>, shard: &Shard, placement: &Placement) -> Result<Object, Refusal> {
    let (template, claim) = pod::template(cx, facts, shard, placement)?;
    let selector = names::shard_labels(cx, shard.index);
    let policy = cx.common.pod_management_policy.unwrap_or(PodManagementPolicy::Parallel);
    let service = cx.common.service_name.as_deref().unwrap_or(names::governing_service(cx));
    let rolling = StatefulSetUpdateStrategy { rolling_update: None, r#type: UpdateStrategyType::RollingUpdate };
    let object = StatefulSet {
        api_version: "apps/v1",
        kind: "StatefulSet",
        metadata: runner_metadata(cx, facts, names::stateful_set(cx, shard.index), &selector),
        spec: StatefulSetSpec {
            min_ready_seconds: cx.common.min_ready_seconds,
            persistent_volume_claim_retention_policy: cx.common.persistent_volume_claim_retention_policy.clone(),
            pod_management_policy: policy.as_str(),
            replicas: replicas(cx),
            selector: LabelSelector { match_expressions: None, match_labels: Some(selector) },
            service_name: service.to_owned(),
            template,
            update_strategy: cx.common.update_strategy.clone().unwrap_or(rolling),
            volume_claim_templates: claim.into_iter().collect(),
        },
    };
    Ok(Object { file: format!("statefulset-{}", shard.index), ..object::object("statefulset", to_value(&object)) })
}

/// The pods of each shard. Operator: one, unless the user says how many. `ReplicasNumberPtr`.
pub(crate) fn replicas(cx: &Ctx<'_>) -> i32 {
    cx.common.replicas.filter(|n| *n >= 0).unwrap_or(1)
}

fn daemon_set(cx: &Ctx<'_>, facts: &Facts<'_>) -> Result<Object, Refusal> {
    let shard = Shard { index: 0, zone: None, in_zone: 0 };
    let (template, _) = pod::template(cx, facts, &shard, &Placement::default())?;
    let selector = names::shard_labels(cx, 0);
    let object = DaemonSet {
        api_version: "apps/v1",
        kind: "DaemonSet",
        metadata: runner_metadata(cx, facts, names::prefixed(cx), &selector),
        spec: DaemonSetSpec {
            min_ready_seconds: cx.common.min_ready_seconds,
            selector: LabelSelector { match_expressions: None, match_labels: Some(selector) },
            template,
        },
    };
    Ok(Object { file: "daemonset".to_owned(), ..object::object("daemonset", to_value(&object)) })
}
