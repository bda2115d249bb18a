//! The verdicts of a workload on the resources that it selects, and the two files that contain them.
//!
//! `selection.json` holds the verdict on every selected resource with the events that the operator raises; `bindings.yaml`
//! what it writes into the status of each. There is no clock here, so conditions have no `lastTransitionTime`.

use crate::output::WorkloadId;
use promgen_text::route::ValueRoute;
use promgen_text::yaml::{Map, NodeText, Value};

/// The reason of a refusal. Operator: `InvalidConfiguration`.
const INVALID_CONFIGURATION: &str = "InvalidConfiguration";

/// The API group of workloads. Operator: `monitoring.GroupName`.
const GROUP: &str = "monitoring.coreos.com";

/// The resources that a workload selects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// By kind, every kind that the workload can select, in the order of their names.
    pub kinds: Vec<SelectedKind>,
    /// The error with which selection itself fails, in the operator's words.
    pub error: Option<String>,
    /// The operator writes the verdicts into the status of the resources.
    pub is_bound: bool,
    /// The operator stops before it raises events.
    pub is_silent: bool,
}

/// The selected resources of a kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedKind {
    /// Group and version.
    pub api_version: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The resources, by `namespace/name`.
    pub resources: Vec<SelectedResource>,
}

/// A selected resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectedResource {
    /// Its namespace.
    pub namespace: NodeText,
    /// Its name.
    pub name: NodeText,
    /// Its generation; 0 if it has none, as in a file.
    pub generation: i64,
    /// Why it is refused. `None` if it is accepted.
    pub refusal: Option<Box<RefusalReason>>,
}

/// Why a resource is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusalReason {
    /// The operator's words.
    pub message: String,
    /// The kind of reason.
    pub cause: Cause,
}

/// A Secret, a ConfigMap or a key of one, that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingReference {
    /// `Secret` or `ConfigMap`.
    pub kind: &'static str,
    /// The field that refers to it.
    pub field: ValueRoute,
    /// The missing part, in the operator's words.
    pub detail: String,
}

/// The kind of reason for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A Secret, a ConfigMap or a key of one does not exist.
    Reference(Box<MissingReference>),
    /// It reads a file of the pod, which the workload forbids. In the operator's words.
    FileSystem(String),
    /// Anything else.
    Other,
}

impl SelectedResource {
    /// `namespace/name`, as the objects of a cluster are found.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.namespace, self.name)
    }
}

impl Selected {
    /// The resources, each with its kind.
    pub fn resources(&self) -> impl Iterator<Item = (&'static str, &SelectedResource)> {
        let kinds = self.kinds.iter();
        kinds.flat_map(|kind| kind.resources.iter().map(move |one| (kind.kind, one)))
    }

    /// The resources that the operator accepts, each with its kind.
    pub fn accepted(&self) -> impl Iterator<Item = (&'static str, &SelectedResource)> {
        self.resources().filter(|(_, one)| one.refusal.is_none())
    }

    /// The resources of a kind that the operator accepts.
    pub fn accepted_of(&self, kind: &str) -> impl Iterator<Item = &SelectedResource> {
        self.accepted()
            .filter_map(move |(of, one)| (of == kind).then_some(one))
    }

    /// Returns whether the operator writes the status of a resource.
    pub(super) fn has_bindings(&self) -> bool {
        self.is_bound && self.kinds.iter().any(|kind| !kind.resources.is_empty())
    }

    /// The value of `selection.json`.
    pub(super) fn to_value(&self) -> Value {
        let mut out = Map::new();
        out.push_some("error", self.error.clone());
        out.push("events", self.events());
        if self.error.is_none() {
            for kind in &self.kinds {
                out.push(kind.key(), kind.verdicts());
            }
        }
        out.into()
    }

    fn events(&self) -> Vec<Value> {
        if self.is_silent {
            return Vec::new();
        }
        let all = self
            .kinds
            .iter()
            .flat_map(|kind| kind.resources.iter().map(move |resource| (kind, resource)));
        all.filter_map(|(kind, resource)| {
            Some(
                kind.event(resource, &resource.refusal.as_ref()?.message)
                    .into(),
            )
        })
        .collect()
    }

    /// The documents of `bindings.yaml`.
    pub(super) fn bindings(&self, id: &WorkloadId) -> Vec<Value> {
        let document = |kind: &SelectedKind, resource: &SelectedResource| {
            let metadata = Map::new()
                .with("name", resource.name.clone())
                .with("namespace", resource.namespace.clone());
            Map::new()
                .with("apiVersion", kind.api_version)
                .with("kind", kind.kind)
                .with("metadata", metadata)
                .with(
                    "status",
                    Map::new().with("bindings", vec![resource.binding(id)]),
                )
                .into()
        };
        self.kinds
            .iter()
            .flat_map(|kind| {
                kind.resources
                    .iter()
                    .map(|resource| document(kind, resource))
            })
            .collect()
    }
}

impl SelectedKind {
    /// `serviceMonitors`: the kind in lower camel case, plural.
    fn key(&self) -> String {
        let (first, rest) = self.kind.split_at(1);
        format!("{}{rest}s", first.to_ascii_lowercase())
    }

    fn verdicts(&self) -> Map {
        let entry = |resource: &SelectedResource| {
            let verdict = resource.verdict(self.has_conditions());
            (
                format!("{}/{}", resource.namespace, resource.name),
                verdict.into(),
            )
        };
        self.resources.iter().map(entry).collect()
    }

    /// Returns whether the operator writes the verdict into the status of such a resource.
    fn has_conditions(&self) -> bool {
        self.kind != "AlertmanagerConfig"
    }

    /// The event of the operator about a refusal; rules have another wording.
    fn event(&self, resource: &SelectedResource, refusal: &str) -> Map {
        let (namespace, name) = (&resource.namespace, &resource.name);
        let (action, subject) = match self.kind {
            "PrometheusRule" => (
                "SelectingPrometheusRuleResources",
                format!("PrometheusRule {name}"),
            ),
            "AlertmanagerConfig" => (
                "SelectingAlertmanagerConfigResources",
                format!("AlertmanagerConfig {name}"),
            ),
            _ => (
                "SelectingConfigurationResources",
                format!("\"{namespace}/{name}\""),
            ),
        };
        Map::new()
            .with("kind", self.kind)
            .with("namespace", namespace.clone())
            .with("name", name.clone())
            .with("type", "Warning")
            .with("reason", INVALID_CONFIGURATION)
            .with("action", action)
            .with(
                "note",
                format!("{subject} was rejected due to invalid configuration: {refusal}"),
            )
    }
}

impl SelectedResource {
    fn verdict(&self, with_conditions: bool) -> Map {
        let mut out = Map::new().with("accepted", self.refusal.is_none());
        if let Some(refusal) = &self.refusal {
            out.push("reason", INVALID_CONFIGURATION);
            out.push("message", refusal.message.clone());
        }
        if with_conditions {
            out.push("conditions", vec![Value::Map(self.condition())]);
        }
        out
    }

    fn condition(&self) -> Map {
        let mut out = Map::new();
        out.push_some(
            "message",
            self.refusal.as_ref().map(|refusal| refusal.message.clone()),
        );
        out.push_some(
            "observedGeneration",
            (self.generation != 0).then_some(self.generation),
        );
        out.push_some(
            "reason",
            self.refusal.as_ref().map(|_| INVALID_CONFIGURATION),
        );
        out.with(
            "status",
            if self.refusal.is_none() {
                "True"
            } else {
                "False"
            },
        )
        .with("type", "Accepted")
    }

    /// The binding to one workload that the operator writes into its status.
    pub fn binding(&self, id: &WorkloadId) -> Map {
        Map::new()
            .with("conditions", vec![Value::Map(self.condition())])
            .with("group", GROUP)
            .with("name", id.name.clone())
            .with("namespace", id.namespace.clone())
            .with("resource", id.kind.plural())
    }
}
