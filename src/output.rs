//! What a run gives, and how it is written down.

use crate::diag::{Diagnostic, Level};
use crate::plan::Plan;
use crate::source::Sources;
use crate::yaml::Value;

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

/// What part of the output an object belongs to: `--emit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The configuration: the Secrets that carry it.
    Config,
    /// Everything that runs or serves it: StatefulSets, Services, other Secrets, ConfigMaps.
    Workloads,
    /// The custom resource with its expected status.
    Status,
}

/// A Kubernetes object of the output.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// What it is part of.
    pub part: Part,
    /// Its file in the output tree, without folder and `.yaml`: `statefulset-0`, `service-prometheus-operated`.
    pub file: String,
    /// The object, keys in the conventional order.
    pub value: Value,
}

/// A Prometheus configuration, rendered once, with the operator's `$(...)` placeholders where shards differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The text with placeholders.
    pub text: String,
}

/// One workload, compiled.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Which one.
    pub id: WorkloadId,
    /// Its shards.
    pub plan: Plan,
    /// Its configuration. `None` if the operator would not write one.
    pub config: Option<Config>,
    /// Its objects, in the order in which they are printed.
    pub objects: Vec<Object>,
    /// The custom resource as it was given, without status.
    pub resource: Value,
    /// The status that it should end up with.
    pub status: Value,
    /// The error with which the operator stops, in its words.
    pub error: Option<String>,
}

/// The result of a run.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Workloads by kind, namespace, name.
    pub workloads: Vec<Workload>,
    /// Findings by file, place, code; those without a place first.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings point into.
    pub sources: Sources,
}

impl Output {
    /// The gravest level among the findings.
    #[must_use]
    pub fn worst_level(&self) -> Option<Level> {
        self.diagnostics.iter().map(|d| d.level).max()
    }
}
