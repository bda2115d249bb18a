//! The output of a run, and its serialization.
//!
//! In: compiled [`Workload`]s, each with one rendered configuration and the shells of its objects. Out: a stream of
//! documents ([`Output::write_stream`]) or the files of a tree ([`Output::files`]), written to any [`std::io::Write`].
//! Configurations of many shards are large, so they are expanded while they are written, one at a time. The caller opens
//! files.

mod annotate;
mod body;
mod compare;
mod config;
mod document;
mod expand;
pub mod generated;
pub mod job;
mod json;
pub(crate) mod normal;
mod origins;
#[doc(hidden)]
pub mod sample;
mod selected;
mod size;
mod status;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::{fmt, io};

pub use crate::options::Layout;
use crate::sharding::plan::Plan;
use promgen_prometheus::relabel::NameScheme;
use promgen_prometheus::routing::RoutingTree;
use promgen_resources::api::{
    Alertmanager, Kind, Prometheus, PrometheusAgent, Resource as _, ThanosRuler,
};
use promgen_text::diag::{Diagnostic, Level, rules};
use promgen_text::source::Sources;
use promgen_text::version::Version;
use promgen_text::yaml::{Value, read};

pub use annotate::Origin;
pub use body::Body;
pub use compare::FileSubject;
pub use config::Config;
pub use document::OutputDocument;
pub use expand::{Expandable, ShardConfig, expand, expand_value};
pub use generated::Generated;
pub use job::Job;
pub use origins::{RuleOrigin, RuleOrigins};
pub use selected::{
    Cause, MissingReference, RefusalReason, Selected, SelectedKind, SelectedResource,
};
pub use size::PackedSize;
pub use status::StatusDocument;
pub use tree::{
    Folder, KUSTOMIZATION, OutputFile, RULES_FOLDER, below_workload, is_generated, is_same_service,
    parts_of_file,
};

rules! {
    /// ## What it does
    /// Reports that the output omits values of Secrets.
    ///
    /// ## Why is this bad?
    /// The output cannot be deployed: each password is replaced with a placeholder. With `--reveal-secrets`, promgen prints
    /// the values; keep that output out of logs and repositories.
    ///
    /// ## Example
    /// `promgen render` of a Prometheus whose remote write has a password in a Secret in the input.
    ///
    /// Use instead: `--reveal-secrets`, to deploy the output.
    REDACTED_SECRETS = "PG501" "redacted-secrets" Warning: "output that cannot be deployed, because values of Secrets are omitted";
}

/// The kinds of workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkloadKind {
    /// `Prometheus`.
    Prometheus,
    /// `PrometheusAgent`.
    PrometheusAgent,
    /// `Alertmanager`.
    Alertmanager,
    /// `ThanosRuler`.
    ThanosRuler,
}

impl WorkloadKind {
    /// All of them, in the order of the output.
    pub const ALL: [Self; 4] = [
        Self::Prometheus,
        Self::PrometheusAgent,
        Self::Alertmanager,
        Self::ThanosRuler,
    ];

    /// The kind, as manifests spell it.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Prometheus => "Prometheus",
            Self::PrometheusAgent => "PrometheusAgent",
            Self::Alertmanager => "Alertmanager",
            Self::ThanosRuler => "ThanosRuler",
        }
    }

    /// The kind that a user means, as [`Kind::of_word`] reads it.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let kind = Kind::of_word(word)?;
        Self::ALL
            .into_iter()
            .find(|known| known.resource() == Some(kind))
    }

    /// The kind of its resource.
    #[must_use]
    pub fn resource(self) -> Option<Kind> {
        Kind::ALL
            .iter()
            .copied()
            .find(|kind| kind.as_str() == self.kind())
    }

    /// The kind in lower case: the folder of the output tree.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Prometheus => "prometheus",
            Self::PrometheusAgent => "prometheusagent",
            Self::Alertmanager => "alertmanager",
            Self::ThanosRuler => "thanosruler",
        }
    }

    /// The plural of its kind, as the API server names it: `prometheuses`.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Prometheus => Prometheus::PLURAL,
            Self::PrometheusAgent => PrometheusAgent::PLURAL,
            Self::Alertmanager => Alertmanager::PLURAL,
            Self::ThanosRuler => ThanosRuler::PLURAL,
        }
    }

    /// Returns whether its configuration differs from shard to shard.
    #[must_use]
    pub const fn has_shards(self) -> bool {
        match self {
            Self::Prometheus | Self::PrometheusAgent => true,
            Self::Alertmanager | Self::ThanosRuler => false,
        }
    }

    /// The name of its configuration file, without `.yaml`; in a Secret it is the key.
    #[must_use]
    pub const fn config_stem(self) -> &'static str {
        match self {
            Self::Prometheus | Self::PrometheusAgent => "prometheus",
            Self::Alertmanager => "alertmanager",
            Self::ThanosRuler => "remote-write",
        }
    }
}

/// The identity of a workload.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadId {
    /// Kind.
    pub kind: WorkloadKind,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl WorkloadId {
    /// The workload of that kind, namespace and name.
    #[must_use]
    pub fn new(kind: WorkloadKind, namespace: &str, name: &str) -> Self {
        Self {
            kind,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }

    /// `namespace/name`, as the objects of a cluster are found.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }

    /// `Prometheus shop/main`, as messages name it.
    #[must_use]
    pub fn what(&self) -> String {
        format!("{} {}", self.kind.kind(), self.key())
    }
}

impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kind.kind(), self.namespace, self.name)
    }
}

/// The part of the output of an object: `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The configuration: the Secrets that carry it.
    Config,
    /// The other objects: StatefulSets, Services, other Secrets, ConfigMaps.
    Workloads,
    /// The custom resource with its expected status.
    Status,
    /// The Roles and bindings that a Prometheus needs to discover its targets.
    Rbac,
    /// Files for review without objects: configurations, web configurations, rule files. Only in a folder.
    Raw,
    /// Reports on what a workload selects. Only in a folder.
    Selection,
}

impl Part {
    /// Returns whether it consists of objects, which a stream can contain.
    #[must_use]
    pub const fn is_objects(self) -> bool {
        match self {
            Self::Config | Self::Workloads | Self::Status | Self::Rbac => true,
            Self::Raw | Self::Selection => false,
        }
    }
}

/// A Kubernetes object of the output.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputObject {
    /// Its part.
    pub part: Part,
    /// Its file in the output tree, without folder and `.yaml`: `statefulset-0`, `service-prometheus-operated`.
    pub file: String,
    /// The object. See [`OutputObject::value`].
    pub body: Body,
    /// The payload of a configuration Secret. The object's own `data` or `stringData` is at its end.
    pub payload: Option<Payload>,
}

/// The workload's configuration, as the payload of a Secret. It is inserted when the object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// As the shard of that index reads it: readable, in `stringData`, placeholders filled in.
    Shard(u32),
    /// As the operator writes it: in `data`, placeholders kept, gzip and base64, the key ends in `.gz`.
    Gzip,
}

/// The format of objects. A configuration is always YAML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// YAML, as the operator's libraries write it.
    #[default]
    Yaml,
    /// JSON, indented by two: a `List`.
    Json,
    /// The same objects in an object of the command: its JSON, as other commands print theirs.
    Answer(AnswerHead),
}

/// The fields before the objects of a command's JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerHead {
    /// The version of the format.
    pub version: u32,
    /// The command.
    pub command: &'static str,
}

/// The parts of an [`Output`] to write, and their form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The parts to write.
    pub parts: BTreeSet<Part>,
    /// The format of objects.
    pub format: Format,
    /// The layout that the output was compiled for.
    pub layout: Layout,
}

impl Emission {
    /// Returns whether a folder contains that part. In the operator's layout, a configuration includes the file in the
    /// Secret, and a status includes the selection.
    #[must_use]
    pub fn has(&self, part: Part) -> bool {
        let is_implied = match part {
            Part::Raw => self.parts.contains(&Part::Config),
            Part::Selection => self.parts.contains(&Part::Status),
            Part::Config | Part::Workloads | Part::Status | Part::Rbac => false,
        };
        self.parts.contains(&part) || self.layout == Layout::Operator && is_implied
    }
}

impl Emission {
    /// The parts that this run makes outdated: those that it writes, and their review files.
    #[must_use]
    pub fn outdated(&self) -> BTreeSet<Part> {
        let mut parts = self.parts.clone();
        for (part, shown) in [(Part::Config, Part::Raw), (Part::Status, Part::Selection)] {
            if parts.contains(&part) {
                parts.insert(shown);
            }
        }
        parts
    }
}

impl Default for Emission {
    /// Everything, as YAML, per shard.
    fn default() -> Self {
        Self {
            parts: BTreeSet::from([Part::Config, Part::Workloads, Part::Status]),
            format: Format::default(),
            layout: Layout::default(),
        }
    }
}

/// The maximum total size of the values of a Secret: 1 MiB. Kubernetes: `MaxSecretSize`.
pub const MAX_SECRET_BYTES: usize = 1 << 20;

/// A file of alerting and recording rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleFile {
    /// Its name, `<namespace>-<name>-<uid>.yaml` of the PrometheusRule.
    pub name: String,
    /// Its content.
    pub text: String,
    /// Where its groups come from, in the order of the text.
    pub groups: Vec<Origin>,
}

impl RuleFile {
    /// Its groups.
    #[must_use]
    pub fn content(&self) -> Vec<Value> {
        let read = read::read_slices(&self.text)
            .ok()
            .flatten()
            .map(|node| node.to_value());
        read.and_then(|file| Some(file.get("groups")?.as_seq()?.to_vec()))
            .unwrap_or_default()
    }
}

/// One workload, compiled.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Its identity.
    pub id: WorkloadId,
    /// It is in no manifest, and stands in for workloads that are elsewhere.
    pub is_stand_in: bool,
    /// The number of values of Secrets in it that are replaced with a placeholder.
    pub redacted: usize,
    /// The version of Prometheus; `None` for kinds that do not run Prometheus.
    pub prometheus: Option<Version>,
    /// Its shards.
    pub plan: Plan,
    /// The sharding rules, with placeholders; most jobs end with them.
    pub sharding_rules: Vec<Value>,
    /// The placement of the pods of each shard: what sharding adds to `nodeSelector` and `affinity`. Empty for kinds
    /// without shards.
    pub placements: Vec<Value>,
    /// Its configuration. `None` if the operator writes none.
    pub config: Option<Config>,
    /// Its routing tree, if it is an Alertmanager with a configuration.
    pub routing: Option<RoutingTree>,
    /// The configuration of its web server. `None` if the operator writes none.
    pub web_config: Option<String>,
    /// Its rule files, by name.
    pub rule_files: Vec<RuleFile>,
    /// Its verdicts on the resources that it selects.
    pub selected: Selected,
    /// Its objects, in the order in which they are printed.
    pub objects: Vec<OutputObject>,
    /// The custom resource as written, without status.
    pub resource: Value,
    /// The expected status.
    pub status: Value,
    /// The error with which the operator stops, in its words.
    pub error: Option<String>,
}

impl OutputObject {
    /// Returns whether the workload's pods are made of it.
    pub fn makes_pods(&self) -> bool {
        matches!(self.body.kind(), "StatefulSet" | "DaemonSet")
    }
}

impl Workload {
    /// A workload that has nothing yet.
    pub(crate) fn new(id: WorkloadId) -> Self {
        Self {
            id,
            is_stand_in: false,
            redacted: 0,
            prometheus: None,
            plan: Plan::address(1),
            sharding_rules: Vec::new(),
            placements: Vec::new(),
            config: None,
            routing: None,
            web_config: None,
            rule_files: Vec::new(),
            selected: Selected::default(),
            objects: Vec::new(),
            resource: Value::Null,
            status: Value::Null,
            error: None,
        }
    }

    /// The objects that its pods are made of, one for each sort of shard.
    pub fn sets(&self) -> impl Iterator<Item = &OutputObject> {
        self.objects.iter().filter(|object| object.makes_pods())
    }

    /// The jobs of its configuration; none if it has no configuration.
    #[must_use]
    pub fn jobs(&self) -> &[Job] {
        self.config.as_ref().map_or(&[], |config| &config.jobs)
    }

    /// Returns whether the operator leaves its objects alone: `spec.paused`.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        let paused = self
            .resource
            .get("spec")
            .and_then(|spec| spec.get("paused"));
        paused == Some(&Value::Bool(true))
    }

    /// Why nothing becomes of what it selects now: it is paused, or has no pods.
    #[must_use]
    pub fn idle(&self) -> Option<&'static str> {
        let of = |field| self.resource.get("spec").and_then(|spec| spec.get(field));
        let is_set = of("mode").and_then(Value::as_str) != Some("DaemonSet");
        match of("replicas") {
            _ if self.is_paused() => {
                Some("`paused: true`: the operator leaves its objects as they are")
            }
            Some(Value::Int(0)) if is_set => Some("`replicas: 0`: it has no pods"),
            _ => None,
        }
    }

    /// Which label names its Prometheus takes for names.
    #[must_use]
    pub fn name_scheme(&self) -> NameScheme {
        self.prometheus
            .as_ref()
            .map_or(NameScheme::Utf8, NameScheme::of)
    }
}

/// A resource that workloads select, and its expected status.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceStatus {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The resource as written, without status.
    pub resource: Value,
    /// The expected status.
    pub status: Value,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Workloads by kind, namespace, name.
    pub workloads: Vec<Arc<Workload>>,
    /// The resources that workloads select and whose status they write in the profile, by kind, namespace, name.
    pub resources: Vec<ResourceStatus>,
    /// The workloads that the API server refuses, each with the reason.
    pub refused: Vec<(WorkloadId, String)>,
    /// Findings by file, place, code; those without a place first.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings that comments and annotations of the manifests allow; only for `lint`.
    pub suppressed: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: Sources,
    /// The number of values of Secrets that are replaced with a placeholder.
    pub redacted: usize,
    /// The number of these that are copies of a Secret's values in other objects, so that nothing is said of what they
    /// are.
    pub copies: usize,
    /// The documents in the input that are skipped because promgen generated them.
    pub generated: Generated,
    /// The number of findings that are left out because they do not concern the operator.
    pub n_out_of_scope: usize,
    /// The scope of a lint.
    pub checked: CheckedCounts,
    /// A sentence about charts whose objects are not known, if there are some: workloads may be among these.
    pub unread_charts: Option<String>,
}

/// The number of resources that a lint looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckedCounts {
    /// Recording and alerting rules.
    pub rules: usize,
    /// Those that a workload selects.
    pub selected_rules: usize,
    /// Monitors of all four kinds.
    pub monitors: usize,
    /// Those that a workload selects.
    pub selected_monitors: usize,
    /// AlertmanagerConfigs.
    pub alertmanager_configs: usize,
    /// Servers, agents and Thanos Rulers.
    pub selecting: usize,
    /// Resources of the operator, of any kind.
    pub resources: usize,
    /// Resources of other operators that have the name of a kind of this one, by group: they are not looked at.
    pub lookalikes: BTreeMap<String, usize>,
    /// What each policy was asked about, by its name.
    pub policies: BTreeMap<String, PolicyCount>,
}

/// What a policy was asked about.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct PolicyCount {
    /// The number of things: of alerts, endpoints, objects.
    pub judged: usize,
    /// Those about which a fact decides that nobody knows.
    pub not_decided: usize,
    /// The first of these, with the reason: `alert Down: no Alertmanager in the input gets it`.
    pub first: Option<String>,
}

impl Output {
    /// The compiled workloads.
    pub fn each_workload(&self) -> impl Iterator<Item = &Workload> {
        self.workloads.iter().map(|workload| &**workload)
    }

    /// The highest level of the findings.
    #[must_use]
    pub fn worst_level(&self) -> Option<Level> {
        self.diagnostics.iter().map(|d| d.level).max()
    }

    /// Writes everything as one stream: YAML documents between `---` lines, or a JSON `List`.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_stream(&self, emission: &Emission, out: &mut dyn io::Write) -> io::Result<()> {
        document::write_stream(self, emission, out)
    }

    /// The number of documents that [`Output::write_stream`] writes.
    #[must_use]
    pub fn n_documents(&self, emission: &Emission) -> usize {
        document::count(self, emission)
    }

    /// The same stream as YAML text, with every part. For tests and small inputs: `write_stream` uses less memory.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut bytes = Vec::new();
        self.write_stream(&Emission::default(), &mut bytes)
            .expect("a vector takes every byte");
        String::from_utf8(bytes).expect("everything written is text")
    }

    /// The same as files of a tree: `<kind>/<namespace>/<name>/<object>.yaml`, in the order of their paths' workloads.
    #[must_use]
    pub fn files<'o>(&'o self, emission: &Emission) -> Vec<OutputFile<'o>> {
        tree::files(self, emission)
    }

    /// The files of rules of a workload, as [`Output::files`] has them.
    #[must_use]
    pub fn rule_files(workload: &Workload) -> Vec<OutputFile<'_>> {
        tree::rule_files(workload)
    }

    /// Adds a comment with file and line before each job and each group of rules. The payload of objects stays as the
    /// operator writes it.
    pub fn annotate(&mut self) {
        for workload in &mut self.workloads {
            let workload = Arc::make_mut(workload);
            workload.config = workload
                .config
                .take()
                .map(|config| config.annotated(&self.sources));
            for file in &mut workload.rule_files {
                *file = file.annotated(&self.sources);
            }
        }
    }

    /// The folder of every workload and of every resource that they select, relative to the root of the tree.
    #[must_use]
    pub fn folders(&self) -> Vec<Folder> {
        let selected = self.resources.iter().map(Folder::of_resource);
        self.workloads
            .iter()
            .map(|w| Folder::of(&w.id))
            .chain(selected)
            .collect()
    }
}
