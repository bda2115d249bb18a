//! What a run gives, and how it is written down.
//!
//! In: compiled [`Workload`]s, each with one rendered configuration and the shells of its objects. Out: a stream of
//! documents ([`Output::write_stream`]) or the files of a tree ([`Output::files`]), written to any [`std::io::Write`].
//! Configurations of many shards are big, so they are expanded while they are written and never held all at once.
//! Names no path of this machine and opens no file: that is the caller's part.

mod annotate;
mod body;
mod document;
mod expand;
pub mod generated;
mod json;
mod normal;
#[doc(hidden)]
pub mod sample;
mod selected;
mod status;
mod tree;

use std::collections::BTreeSet;
use std::fmt;
use std::io;

use crate::prometheus::relabel::NameScheme;
use crate::routing::Tree;
use crate::sharding::plan::Plan;
use promgen_resources::api::Kind;
use promgen_text::diag::{Diagnostic, Level, Rule, rule};
use promgen_text::source::{Sources, Span};
use promgen_text::version::Version;
use promgen_text::yaml::{Map, Value};

pub use annotate::{Origin, RuleOrigin};
pub use body::Body;
pub use document::Document;
pub use expand::{Expanded, expand, expand_value};
pub use generated::Generated;
pub use selected::{Cause, Refused, Selected, SelectedKind, SelectedResource};
pub use status::StatusDocument;
pub use tree::{File, Folder, KUSTOMIZATION, RULES_FOLDER, is_generated, parts_of_file};

rule! {
    /// ## What it does
    /// Says that values of Secrets were left out of what was printed.
    ///
    /// ## Why is this bad?
    /// The output shows what would run, but it does not run: where a password stood there is a placeholder. With
    /// `--reveal-secrets` the values are printed as they are; keep that output out of logs and repositories.
    ///
    /// ## Example
    /// `promgen render` of a Prometheus whose remote write has a password in a Secret of the input.
    ///
    /// Use instead: `--reveal-secrets`, if what is printed is to be deployed.
    pub static REDACTED_SECRETS = "PG501" "redacted-secrets" {
        summary: "values of Secrets were left out, so that the output cannot be deployed",
        level: Warning, since: "0.1.0",
    }
}

/// The rules of this module.
pub static RULES: &[&Rule] = &[&REDACTED_SECRETS];

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
    pub const ALL: [Self; 4] = [Self::Prometheus, Self::PrometheusAgent, Self::Alertmanager, Self::ThanosRuler];

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

    /// The kind of its resource.
    #[must_use]
    pub fn resource(self) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.as_str() == self.kind())
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

    /// Whether its configuration differs from shard to shard.
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

/// Which workload.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkloadId {
    /// Kind.
    pub kind: WorkloadKind,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl fmt::Display for WorkloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.kind.kind(), self.namespace, self.name)
    }
}

/// What part of the output an object belongs to: `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The configuration: the Secrets that carry it.
    Config,
    /// Everything that runs or serves it: StatefulSets, Services, other Secrets, ConfigMaps.
    Workloads,
    /// The custom resource with its expected status.
    Status,
    /// Files for review that hold no objects: configurations, web configurations, rule files. Only in a folder.
    Raw,
    /// Reports on what a workload selects. Only in a folder.
    Selection,
}

impl Part {
    /// Whether it consists of objects, which a stream can hold.
    #[must_use]
    pub const fn is_objects(self) -> bool {
        match self {
            Self::Config | Self::Workloads | Self::Status => true,
            Self::Raw | Self::Selection => false,
        }
    }
}

/// A Kubernetes object of the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is part of.
    pub part: Part,
    /// Its file in the output tree, without folder and `.yaml`: `statefulset-0`, `service-prometheus-operated`.
    pub file: String,
    /// The object. See [`Object::value`].
    pub body: Body,
    /// What a configuration Secret carries besides. What such an object has of `data` or `stringData` of its own stands at
    /// its end.
    pub payload: Option<Payload>,
}

/// The workload's configuration, as a Secret carries it. It is put in when the object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// As the shard of that index reads it: readable, in `stringData`, placeholders filled in.
    Shard(u32),
    /// As the operator writes it: in `data`, placeholders kept, gzip and base64, the key ends in `.gz`.
    Gzip,
}

/// How the objects of a workload are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One Secret per shard, placeholders filled in.
    #[default]
    PerShard,
    /// As the operator writes them: one Secret, placeholders.
    Operator,
}

/// The syntax of objects. A configuration is YAML in either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// YAML, as the operator's libraries write it.
    #[default]
    Yaml,
    /// JSON, indented by two.
    Json,
}

/// What to write of an [`Output`], and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The parts to write.
    pub parts: BTreeSet<Part>,
    /// The syntax of objects.
    pub format: Format,
    /// The layout that the output was compiled for.
    pub layout: Layout,
}

impl Emission {
    /// Whether a folder gets that part. The operator's layout shows a configuration and a status in full: with the file
    /// that a Secret carries, and with what was selected.
    #[must_use]
    pub fn has(&self, part: Part) -> bool {
        let is_implied = match part {
            Part::Raw => self.parts.contains(&Part::Config),
            Part::Selection => self.parts.contains(&Part::Status),
            Part::Config | Part::Workloads | Part::Status => false,
        };
        self.parts.contains(&part) || self.layout == Layout::Operator && is_implied
    }
}

impl Emission {
    /// The parts that go out of date with this run: those that it writes, and what shows them for review.
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

/// A Prometheus configuration, rendered once, with the operator's `$(...)` placeholders where shards differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The text with placeholders.
    pub text: String,
    /// Where its pieces come from, in the order of the text: jobs of Prometheus; routes, receivers and the like of
    /// Alertmanager.
    pub pieces: Vec<Origin>,
    /// Its section `global`.
    pub global: Map,
    /// Its jobs before they were printed, in the order of the text. Only runs that look at targets or lint keep them.
    pub jobs: Vec<Job>,
}

/// A scrape job of a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// Its name: `serviceMonitor/shop/web/0`.
    pub name: String,
    /// Everything that stands in it, placeholders kept.
    pub section: Map,
    /// What it is made of.
    pub origin: Option<Span>,
    /// What each of its relabel rules is made of. Only runs that look at targets gather that.
    pub rule_origins: Vec<RuleOrigin>,
}

impl Job {
    /// Its relabel rules, with placeholders where shards differ.
    #[must_use]
    pub fn rules(&self) -> &[Value] {
        self.section.get("relabel_configs").and_then(Value::as_seq).unwrap_or_default()
    }

    /// How many rules at its end share targets among shards, given those of the workload: none if it ends otherwise, as it
    /// goes its own way. The last one tells: those before it may hash another label.
    #[must_use]
    pub fn n_sharing(&self, of_workload: &[Value]) -> Option<usize> {
        (self.rules().last() == of_workload.last()).then_some(of_workload.len())
    }
}

/// How many bytes the values of a Secret may have together: 1 MiB. Kubernetes: `MaxSecretSize`.
pub const MAX_SECRET_BYTES: usize = 1 << 20;

impl Config {
    /// Whether it is too large to be held by a Secret as it is, for any of the shards.
    #[must_use]
    pub fn exceeds_secret(&self, plan: &Plan) -> bool {
        // A placeholder may become longer than it is, but not by more than a zone's name.
        let may_grow = self.text.len() > MAX_SECRET_BYTES / 4;
        may_grow && plan.shards.iter().any(|shard| self.expand(shard).text().len() > MAX_SECRET_BYTES)
    }

    /// The number of bytes that it takes compressed, if that is more than a Secret can hold.
    #[must_use]
    pub fn packed_excess(&self) -> Option<usize> {
        if self.text.len() <= MAX_SECRET_BYTES {
            return None;
        }
        Some(document::gzip(&self.text).len()).filter(|size| *size > MAX_SECRET_BYTES)
    }
}

/// A file of alerting and recording rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFile {
    /// Its name, `<namespace>-<name>-<uid>.yaml` of the PrometheusRule.
    pub name: String,
    /// What stands in it.
    pub text: String,
    /// Where its groups come from, in the order of the text.
    pub groups: Vec<Origin>,
}

/// One workload, compiled.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Which one.
    pub id: WorkloadId,
    /// The version of Prometheus that it runs; none for kinds that run none.
    pub prometheus: Option<Version>,
    /// Its shards.
    pub plan: Plan,
    /// The rules that share targets among its shards, with placeholders, as they end most jobs.
    pub sharding_rules: Vec<Value>,
    /// Where its sharding lets the pods of each shard run: what it adds to `nodeSelector` and `affinity`. Empty for kinds
    /// without shards.
    pub placements: Vec<Value>,
    /// Its configuration. `None` if the operator would not write one.
    pub config: Option<Config>,
    /// Its routing tree, if it is an Alertmanager with a configuration.
    pub routing: Option<Tree>,
    /// The configuration of its web server. `None` if the operator would not write one.
    pub web_config: Option<String>,
    /// Its rule files, by name.
    pub rule_files: Vec<RuleFile>,
    /// What it made of the resources that it selects.
    pub selected: Selected,
    /// Its objects, in the order in which they are printed.
    pub objects: Vec<Object>,
    /// The custom resource as it was given, without status.
    pub resource: Value,
    /// The status that it should end up with.
    pub status: Value,
    /// The error with which the operator stops, in its words.
    pub error: Option<String>,
}

impl Workload {
    /// Which label names its Prometheus takes for names.
    #[must_use]
    pub fn name_scheme(&self) -> NameScheme {
        self.prometheus.as_ref().map_or(NameScheme::Utf8, NameScheme::of)
    }
}

/// A resource that workloads select, and what they made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceStatus {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The resource as it was given, without status.
    pub resource: Value,
    /// The status that it should end up with.
    pub status: Value,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Workloads by kind, namespace, name.
    pub workloads: Vec<Workload>,
    /// The resources that workloads select and whose status the profile has them write, by kind, namespace, name.
    pub resources: Vec<ResourceStatus>,
    /// Findings by file, place, code; those without a place first.
    pub diagnostics: Vec<Diagnostic>,
    /// Findings that the manifests allow, by comments and annotations; only where everything is looked for.
    pub suppressed: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: Sources,
    /// How many values of Secrets were replaced by a placeholder.
    pub redacted: usize,
    /// What was left out of the input because promgen had written it.
    pub generated: Generated,
}

impl Output {
    /// The gravest level among the findings.
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

    /// The same stream as YAML text, with every part. For tests and small inputs: `write_stream` holds less.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut bytes = Vec::new();
        self.write_stream(&Emission::default(), &mut bytes).expect("a vector takes every byte");
        String::from_utf8(bytes).expect("everything written is text")
    }

    /// The same as files of a tree: `<kind>/<namespace>/<name>/<object>.yaml`, in the order of their paths' workloads.
    #[must_use]
    pub fn files<'o>(&'o self, emission: &Emission) -> Vec<File<'o>> {
        tree::files(self, emission)
    }

    /// The files of rules of a workload, as [`Output::files`] has them.
    #[must_use]
    pub fn rule_files(workload: &Workload) -> Vec<File<'_>> {
        tree::rule_files(workload)
    }

    /// Puts the file and line that each job and each group of rules comes from into a comment at its head. What objects
    /// carry stays as the operator writes it.
    pub fn annotate(&mut self) {
        for workload in &mut self.workloads {
            workload.config = workload.config.take().map(|config| config.annotated(&self.sources));
            for file in &mut workload.rule_files {
                *file = file.annotated(&self.sources);
            }
        }
    }

    /// The folder of every workload and of every resource that they select, relative to the root of the tree.
    #[must_use]
    pub fn folders(&self) -> Vec<Folder> {
        let selected = self.resources.iter().map(Folder::of_resource);
        self.workloads.iter().map(|w| Folder::of(&w.id)).chain(selected).collect()
    }
}
