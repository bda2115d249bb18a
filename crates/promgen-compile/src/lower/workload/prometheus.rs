//! The Kubernetes objects of a server or an agent.
//!
//! In: a workload, its shards, and its configuration. Out: the objects in the order in which they are printed, and the
//! error with which the operator stops before it has written all of them. The content of the configuration plays no
//! role.

pub mod args;
mod facts;
mod image;
pub mod names;
mod pod;
mod probes;
mod reloader;
mod thanos;
mod volumes;

use std::collections::BTreeMap;

use crate::cluster::assets::TlsFile;
use crate::context::WorkloadContext;
use crate::lower::workload::object::{self, Owner, Parent};
use crate::lower::workload::pod::runner::{self, Runner};
use crate::lower::workload::service::{self, GoverningService};
use crate::lower::workload::{WorkloadObjects, names as common, rule_files, tls_assets};
use crate::output::{Layout, OutputObject, Part, Payload};
use crate::select::admit::{InField, Refusal};
use crate::sharding::plan::Shard;
use crate::sharding::template::Placement;
use promgen_resources::api::apps::{GeneratedDaemonSet, GeneratedDaemonSetSpec};
use promgen_resources::api::kubernetes;
use promgen_resources::api::meta::LabelSelector;
use promgen_resources::gates;
use promgen_text::yaml::{StringMap, to_value};

/// The inputs of the objects of a workload besides its [`WorkloadContext`].
#[derive(Clone, Copy, Debug)]
pub struct ServerFacts<'a> {
    /// The custom resource, and how its objects are laid out.
    pub parent: Parent<'a>,
    /// The manager of the configuration, or the operator's error about it.
    pub config: Result<ConfigManager, &'a Refusal>,
    /// The operator's error about the StorageClass of an agent.
    pub storage_class: Option<&'a Refusal>,
    /// Certificates and keys that the configuration names, by file name; as they may be shown.
    pub(crate) tls_assets: &'a BTreeMap<String, TlsFile>,
    /// The rule files of each ConfigMap. Servers have at least one ConfigMap, even if there are no files.
    pub rule_files: &'a [BTreeMap<String, String>],
    /// The user has a Secret of the name that the operator's configuration has.
    pub(crate) has_config_secret: bool,
    /// The Service named by `serviceName`, if there is one.
    pub(crate) governing_service: Option<&'a kubernetes::Service>,
}

/// The manager of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigManager {
    /// The operator.
    Generated,
    /// The user, because there are no selectors.
    Unmanaged,
}

/// The key of the configuration in the operator's own Secret.
const OPERATOR_FILE: &str = "prometheus.yaml.gz";

/// The place where pods find their configuration.
struct ConfigSource {
    secret: String,
    file: &'static str,
}

impl ServerFacts<'_> {
    fn config_source(&self, cx: &WorkloadContext<'_>, shard: u32) -> ConfigSource {
        match (self.parent.packs_config, self.config) {
            (false, Ok(ConfigManager::Generated)) => ConfigSource {
                secret: names::stateful_set(cx, shard),
                file: "prometheus.yaml",
            },
            _ => ConfigSource {
                secret: names::prefixed(cx),
                file: OPERATOR_FILE,
            },
        }
    }

    /// The ConfigMaps that a server mounts, some of which need not exist.
    fn rule_file_names(&self, cx: &WorkloadContext<'_>) -> Vec<String> {
        if cx.server.is_none() {
            return Vec::new();
        }
        rule_file_names(cx, self.rule_files.len())
    }

    fn n_tls_assets(&self) -> usize {
        tls_assets::split(self.tls_assets).len()
    }
}

/// The names of the ConfigMaps with rule files that a server mounts and reads, sorted as text, so that 10 comes before
/// 2. Operator: there are always a few spare ones, so that growing rules do not restart pods.
pub(crate) fn rule_file_names(cx: &WorkloadContext<'_>, n_used: usize) -> Vec<String> {
    const MOUNTED: usize = 3;
    let mut names: Vec<_> = (0..n_used)
        .map(|i| common::rule_files(&names::prefixed(cx), i))
        .collect();
    names.sort_unstable();
    let n_mounted = if cx.has(&gates::SPARE_RULE_FILES) {
        MOUNTED
    } else {
        n_used.max(1)
    };
    names.extend((n_used..n_mounted).map(|i| common::rule_files(&names::prefixed(cx), i)));
    names
}

/// The objects of a workload.
pub fn objects(cx: &WorkloadContext<'_>, facts: &ServerFacts<'_>) -> WorkloadObjects {
    WorkloadObjects::write(|out| write(cx, facts, out))
}

/// Everything, in the operator's order. Operator: `sync`.
fn write(
    cx: &WorkloadContext<'_>,
    facts: &ServerFacts<'_>,
    out: &mut WorkloadObjects,
) -> Result<(), Refusal> {
    if cx.server.is_some() {
        let label = ("prometheus-name", cx.name);
        out.objects.extend(rule_files::config_maps(
            &facts.parent,
            &names::prefixed(cx),
            label,
            facts.rule_files,
        ));
    }
    // The operator writes rule files before it generates the configuration: an error there leaves them behind.
    let configured = facts.config.map_err(Clone::clone)?;
    out.objects.extend(config_secrets(cx, facts, configured));
    out.objects.extend(tls_assets::secrets(
        &facts.parent,
        &names::prefixed(cx),
        facts.tls_assets,
    ));
    let (secret, web_config) = facts::web_server(cx)
        .secret(&facts.parent, names::web_config(cx))
        .within("synchronizing web config secret failed: failed to initialize web config")?;
    out.objects.push(secret);
    out.web_config = Some(web_config);
    if cx.server.is_some() {
        out.objects.push(thanos_client(cx, facts));
    }
    // A DaemonSet has no governing Service: its pods have no stable names.
    if cx.daemon_set {
        out.objects
            .push(daemon_set(cx, facts).within("making daemonset failed: make DaemonSet spec")?);
        return Ok(());
    }
    if let Some(refusal) = facts.storage_class {
        return Err(refusal.clone());
    }
    out.objects.extend(governing_service(cx, facts)?);
    let first = out.objects.len();
    for (shard, placement) in cx.sharding.plan.shards.iter().zip(&cx.sharding.placements) {
        let object = stateful_set(cx, facts, shard, placement)
            .within("making statefulset failed: make StatefulSet spec")?;
        // It is made as a whole, though only what differs is kept.
        cx.account.spend(object.body.weight() / 2);
        // Shards differ in few values, so each is kept as its difference from the first one.
        out.objects.push(object.beside(out.objects.get(first)));
        if cx.account.excess().is_some() {
            break;
        }
    }
    Ok(())
}

/// The Secrets with the configuration: the operator's one, or one for each shard.
fn config_secrets(
    cx: &WorkloadContext<'_>,
    facts: &ServerFacts<'_>,
    configured: ConfigManager,
) -> Vec<OutputObject> {
    let secret = |name: String, payload: Option<Payload>| {
        object::config_secret(
            &object::metadata(&facts.parent, name, StringMap::new(), Owner::Manager),
            payload,
        )
    };
    match (facts.parent.layout, configured) {
        (_, ConfigManager::Generated) if facts.parent.packs_config => {
            vec![secret(names::prefixed(cx), Some(Payload::Gzip))]
        }
        // The user's own Secret, which an empty one must not replace.
        (_, ConfigManager::Unmanaged) if facts.has_config_secret => Vec::new(),
        (Layout::Operator, ConfigManager::Unmanaged) => vec![secret(names::prefixed(cx), None)],
        (Layout::PerShard, ConfigManager::Unmanaged) => vec![empty_config_secret(cx, facts)],
        (_, ConfigManager::Generated) if cx.daemon_set => {
            vec![secret(names::prefixed(cx), Some(Payload::Shard(0)))]
        }
        (_, ConfigManager::Generated) => {
            let mut secrets: Vec<OutputObject> = Vec::new();
            for shard in &cx.sharding.plan.shards {
                let secret = secret(
                    names::stateful_set(cx, shard.index),
                    Some(Payload::Shard(shard.index)),
                );
                secrets.push(secret.beside(secrets.first()));
            }
            secrets
        }
    }
}

/// The name of the Secret that the operator writes the configuration to.
pub(crate) fn config_secret_name(cx: &WorkloadContext<'_>) -> String {
    names::prefixed(cx)
}

/// The configuration of an unmanaged workload, for its pods to mount. Operator: creates it only if it does not exist.
fn empty_config_secret(cx: &WorkloadContext<'_>, facts: &ServerFacts<'_>) -> OutputObject {
    /// No text, compressed.
    const EMPTY_GZIP: [u8; 20] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ];
    let values = BTreeMap::from([(OPERATOR_FILE.to_owned(), EMPTY_GZIP.to_vec())]);
    let metadata = object::metadata(
        &facts.parent,
        names::prefixed(cx),
        StringMap::new(),
        Owner::Manager,
    );
    // The layout that compresses.
    OutputObject {
        part: Part::Config,
        ..object::secret(&metadata, Layout::Operator, &values)
    }
}

/// Operator: it is there whether there is a sidecar or not.
fn thanos_client(cx: &WorkloadContext<'_>, facts: &ServerFacts<'_>) -> OutputObject {
    let values = BTreeMap::from([(
        thanos::CLIENT_FILE.to_owned(),
        thanos::CLIENT_CONFIG.as_bytes().to_vec(),
    )]);
    let mut metadata = object::metadata(
        &facts.parent,
        names::thanos_client(cx),
        StringMap::new(),
        Owner::Manager,
    );
    metadata.namespace = Some(cx.namespace.into());
    object::secret(&metadata, facts.parent.layout, &values)
}

/// The Service that names the pods: the operator's, or none if the user has one that fits.
fn governing_service(
    cx: &WorkloadContext<'_>,
    facts: &ServerFacts<'_>,
) -> Result<Option<OutputObject>, Refusal> {
    if let Some(name) = cx.common.service_name.as_deref() {
        let labels = names::selector_labels(cx);
        return service::check_custom(&facts.parent, name, facts.governing_service, &labels)
            .map(|()| None);
    }
    let port = |name, number| service::port(name, number, None, name);
    let mut ports = vec![port(facts::port_name(cx), 9090)];
    // For the queriers of Thanos, which find the sidecars by this Service.
    if cx.server.is_some_and(|s| s.thanos.is_some()) {
        ports.push(port("grpc", 10901));
    }
    let governing = GoverningService {
        name: names::governing_service(cx),
        label: ("operated-prometheus", "true"),
        ports,
        publish_not_ready_addresses: false,
        selector: common::labels([(common::APP_LABEL, names::application(cx))]),
    };
    Ok(Some(governing.object(&facts.parent)))
}

/// The label that distinguishes the modes, on the sets.
fn mode(cx: &WorkloadContext<'_>) -> StringMap {
    common::labels([(
        names::MODE_LABEL,
        if cx.server.is_some() {
            "server"
        } else {
            "agent"
        },
    )])
}

fn stateful_set(
    cx: &WorkloadContext<'_>,
    facts: &ServerFacts<'_>,
    shard: &Shard,
    placement: &Placement,
) -> Result<OutputObject, Refusal> {
    let (template, claim) = pod::shard_template(cx, facts, shard, placement)?;
    let runner = Runner {
        min_ready_seconds: cx.common.min_ready_seconds,
        persistent_volume_claim_retention_policy: cx
            .common
            .persistent_volume_claim_retention_policy
            .as_ref(),
        pod_management_policy: cx.common.pod_management_policy,
        update_strategy: cx.common.update_strategy.as_ref(),
        name: names::stateful_set(cx, shard.index),
        labels: mode(cx),
        replicas: Some(replicas(cx)),
        selector: names::shard_labels(cx, shard.index),
        service_name: cx
            .common
            .service_name
            .as_deref()
            .unwrap_or(names::governing_service(cx)),
        template,
        claim,
    };
    let object = runner::stateful_set(&facts.parent, runner);
    Ok(OutputObject {
        file: format!("statefulset-{}", shard.index),
        ..object
    })
}

/// The pods of each shard. Operator: one by default. `ReplicasNumberPtr`.
pub fn replicas(cx: &WorkloadContext<'_>) -> i32 {
    cx.common.replicas.filter(|n| *n >= 0).unwrap_or(1)
}

fn daemon_set(cx: &WorkloadContext<'_>, facts: &ServerFacts<'_>) -> Result<OutputObject, Refusal> {
    let shard = Shard {
        index: 0,
        zone: None,
        in_zone: 0,
    };
    let (template, _) = pod::shard_template(cx, facts, &shard, &Placement::default())?;
    let selector = names::shard_labels(cx, 0);
    let object = GeneratedDaemonSet {
        api_version: "apps/v1",
        kind: "DaemonSet",
        metadata: runner::metadata(&facts.parent, names::prefixed(cx), mode(cx), &selector),
        spec: GeneratedDaemonSetSpec {
            min_ready_seconds: cx.common.min_ready_seconds,
            selector: LabelSelector {
                match_expressions: None,
                match_labels: Some(selector),
            },
            template,
        },
    };
    Ok(OutputObject {
        file: "daemonset".to_owned(),
        ..object::object("daemonset", to_value(&object))
    })
}
