//! What every phase of one workload needs to know.

mod account;

pub use account::Account;
pub(crate) use account::{ORIGIN, weight_of_job};

use crate::access;
use crate::cluster::assets::AssetStore;
use crate::sharding::{Sharding, own_label};
use promgen_resources::api::servers::common::CommonPrometheusFields;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::api::servers::sharding::ShardingStrategy;
use promgen_resources::gates::{self, Gate, Target, Versions};
use promgen_text::route::DocId;
use promgen_text::yaml::{Map, Value};

/// What a run keeps of jobs beside their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Nothing: they are only printed.
    Text,
    /// The jobs before they were printed, as far as checks ask for them: most lack their rules ([`KeptPart`]).
    Asked,
    /// The whole jobs and the other sections, and the groups of rule files, which are compared; a big text only packed.
    Compared,
    /// The same, and all of the text.
    Sections,
    /// All of these, and where each relabel rule comes from.
    Origins,
}

impl Kept {
    /// Whether nobody reads a big text, but asks for its size.
    pub(crate) const fn packs_text(self) -> bool {
        match self {
            Self::Asked | Self::Compared => true,
            Self::Text | Self::Sections | Self::Origins => false,
        }
    }
}

/// The part of a job that a run keeps.
#[derive(Clone, Debug, Default)]
pub struct KeptPart {
    /// Its sections.
    pub section: Map,
    /// Whether it lacks some, the relabel rules among them.
    pub is_abridged: bool,
    /// How it reaches its targets.
    pub way: JobWay,
}

/// How a job reaches its targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobWay {
    /// The path that it scrapes with the token of the service account.
    pub path_with_token: Option<String>,
    /// Whether it asks others than it discovers: its rules change addresses, or there is a proxy.
    pub is_detour: bool,
}

impl JobWay {
    fn of(job: &Map) -> Self {
        let rules = job.get("relabel_configs").and_then(Value::as_seq).unwrap_or_default();
        let changes = |rule: &Value| {
            let target = rule.get("target_label").and_then(Value::as_str);
            target.is_some_and(|label| matches!(label, "__address__" | "__scheme__" | "__metrics_path__"))
        };
        let has_proxy = ["proxy_url", "proxy_from_environment"].iter().any(|key| job.get(key).is_some());
        let path_with_token = access::credentials(job).map(str::to_owned);
        Self { path_with_token, is_detour: has_proxy || rules.iter().any(changes) }
    }
}

/// What the targets of a job are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobTargetKind {
    /// Pods: those of ServiceMonitors and PodMonitors.
    Pods,
    /// Anything.
    Any,
}

/// The sections of a job that checks ask for, whatever its targets are: where they come from, and how often they are scraped.
fn is_always_asked(section: &str) -> bool {
    matches!(section, "job_name" | "scrape_interval" | "static_configs") || section.ends_with("_sd_configs")
}

/// A workload, and the run that it is compiled in.
#[derive(Debug)]
pub struct Ctx<'a> {
    /// The document of the workload.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The versions that it is compiled for.
    pub versions: &'a Versions,
    /// Operator feature gates.
    pub target: &'a Target,
    /// The fields that Prometheus and PrometheusAgent share.
    pub common: &'a CommonPrometheusFields,
    /// The fields of a server. `None` for an agent.
    pub server: Option<&'a PrometheusSpec>,
    /// Whether the agent runs as a DaemonSet.
    pub(crate) daemon_set: bool,
    /// What is kept of jobs beside their text.
    pub kept: Kept,
    /// Secrets and ConfigMaps, as far as this workload reads them.
    pub assets: &'a AssetStore<'a>,
    /// The sharding rules, rendered once.
    pub sharding: &'a Sharding,
    /// The memory that the run may take.
    pub account: &'a Account,
}

impl Ctx<'_> {
    /// Whether the agent runs on every node, and scrapes the pods of its own.
    pub const fn is_daemon_set(&self) -> bool {
        self.daemon_set
    }

    /// Whether the operator leaves the configuration to the user: a server with none of the four monitor selectors.
    pub(crate) fn is_unmanaged(&self) -> bool {
        let common = self.common;
        let selectors = [
            &common.service_monitor_selector,
            &common.pod_monitor_selector,
            &common.probe_selector,
            &common.scrape_config_selector,
        ];
        self.server.is_some() && selectors.iter().all(|s| s.is_none())
    }

    /// Whether the target has what the gate stands for.
    pub fn has(&self, gate: &Gate) -> bool {
        self.versions.has(gate)
    }

    /// Whether discovery may use endpoint slices: cluster and Prometheus have to know them.
    pub(crate) fn has_endpoint_slices(&self) -> bool {
        self.has(&gates::ENDPOINT_SLICE_API) && self.has(&gates::ENDPOINT_SLICE_ROLE)
    }

    /// The part of a job to keep. Checks ask which series the jobs of a server have. The rules of an agent's job whose targets
    /// are pods matter only if the agent hashes a label that rules have to set.
    pub(crate) fn part_to_keep(&self, job: Map, targets: JobTargetKind) -> KeptPart {
        match self.kept {
            Kept::Text => KeptPart::default(),
            Kept::Compared | Kept::Sections | Kept::Origins => {
                KeptPart { way: JobWay::of(&job), section: job, is_abridged: false }
            }
            Kept::Asked => {
                if self.server.is_some() || targets == JobTargetKind::Any || self.hashes_own_label() {
                    return KeptPart { way: JobWay::of(&job), section: job, is_abridged: false };
                }
                let way = JobWay::of(&job);
                // Most of a job is its rules: those of 10,000 monitors take 25 MB.
                let mut entries = job.into_entries();
                entries.retain(|(section, _)| is_always_asked(section));
                entries.shrink_to_fit();
                KeptPart { section: entries.into_iter().collect(), is_abridged: true, way }
            }
        }
    }

    fn hashes_own_label(&self) -> bool {
        match &self.common.sharding_strategy {
            Some(ShardingStrategy::Proposal(proposal)) => own_label(proposal).is_some(),
            Some(ShardingStrategy::Operator(_)) | None => false,
        }
    }

    /// Whether zones are told by the label of nodes, because the pods of this cluster do not carry it.
    pub(crate) fn needs_node_metadata(&self) -> bool {
        self.sharding.by_topology && !self.has(&gates::POD_ZONE_LABEL)
    }
}
