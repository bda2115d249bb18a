//! The relabel rules of all kinds of jobs, and their origins.

use std::sync::LazyLock;

use crate::lower::{Scope, WorkloadContext};
use crate::paths::SPEC;
use crate::sharding::SharingRule;
use promgen_prometheus::config::{self, RelabelRule, RelabelRules, sanitize};
use promgen_resources::api::meta::LabelSelector;
use promgen_resources::api::scalar::IntOrString;
use promgen_resources::api::scraping::scrape::{RelabelConfig, ServiceDiscoveryRole};
use promgen_resources::api::servers::settings::ObjectReference;
use promgen_resources::http_config::filled;
use promgen_text::route::{At, DocId, Path};
use promgen_text::yaml::{Map, Value};

/// A job, and the origins of its relabel rules.
#[derive(Clone, Debug)]
pub struct LoweredJob {
    /// The job.
    pub section: Map,
    /// The place of each rule; empty unless requested.
    pub origins: Vec<At>,
}

/// `relabel_configs` under construction. Places are collected on request only.
#[derive(Debug)]
pub struct RelabelBuilder {
    /// The resource of the job.
    doc: DocId,
    is_traced: bool,
    rules: RelabelRules,
    origins: Vec<At>,
}

impl RelabelBuilder {
    /// No rules.
    pub fn new(scope: &Scope<'_>) -> Self {
        Self {
            doc: scope.doc,
            is_traced: scope.cx.traces_rules,
            rules: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// The rules so far.
    pub fn as_slice(&self) -> &[RelabelRule] {
        &self.rules
    }

    /// Adds a rule that is made from a field of the job's resource.
    pub fn push(&mut self, path: &Path<'_>, rule: RelabelRule) {
        self.add(rule, |doc| At::path(doc, path));
    }

    /// Adds a rule for each item of a list of the job's resource.
    pub fn extend(&mut self, path: &Path<'_>, rules: impl IntoIterator<Item = RelabelRule>) {
        for (index, rule) in rules.into_iter().enumerate() {
            self.push(&path.index(index), rule);
        }
    }

    /// Adds the rules that a user wrote into the job's resource.
    pub(crate) fn extend_users(&mut self, path: &Path<'_>, rules: Option<&Vec<RelabelConfig>>) {
        self.extend(path, config::users(rules));
    }

    /// Adds a rule that is made from a field of the workload.
    pub(crate) fn push_of_workload(
        &mut self,
        cx: &WorkloadContext<'_>,
        path: &Path<'_>,
        rule: RelabelRule,
    ) {
        self.add(rule, |_| At::path(cx.doc, path));
    }

    /// Adds the rules that share targets among the shards of the workload.
    pub fn share(&mut self, cx: &WorkloadContext<'_>, sharing: &[SharingRule]) {
        for SharingRule { rule, field } in sharing {
            self.add(rule.clone(), |_| At {
                doc: cx.doc,
                route: field.clone(),
            });
        }
    }

    fn add(&mut self, rule: RelabelRule, at: impl FnOnce(DocId) -> At) {
        self.rules.push(rule);
        if self.is_traced {
            self.origins.push(at(self.doc));
        }
    }

    /// Writes the rules into a job, and returns their places.
    pub fn write(self, out: &mut Map) -> Vec<At> {
        out.push("relabel_configs", value(self.rules));
        self.origins
    }
}

/// The places of the rules of a job that a user brings along: the job's own, then those of the rules that share targets.
pub(crate) fn origins_of_brought(
    cx: &WorkloadContext<'_>,
    job: &Map,
    origin: &At,
    sharing: &[SharingRule],
) -> Vec<At> {
    if !cx.traces_rules {
        return Vec::new();
    }
    let n_rules = job
        .get("relabel_configs")
        .and_then(Value::as_seq)
        .map_or(0, <[Value]>::len);
    let own = std::iter::repeat_n(origin.clone(), n_rules.saturating_sub(sharing.len()));
    // The rules that share targets are the last ones of the job.
    own.chain(sharing.iter().map(|sharing| At {
        doc: cx.doc,
        route: sharing.field.clone(),
    }))
    .collect()
}

/// The first rule of every job: keeps the job's name where later rules cannot overwrite it.
pub fn job_name() -> RelabelRule {
    static RULE: LazyLock<RelabelRule> = LazyLock::new(|| {
        RelabelRule::new()
            .source_labels(["job"])
            .target_label("__tmp_prometheus_job_name")
    });
    RULE.clone()
}

/// Copies one label to another.
pub fn copy(from: &'static str, to: &'static str) -> RelabelRule {
    RelabelRule::new().source_labels([from]).target_label(to)
}

/// Keeps targets whose discovered object has the labels of the selector. `object` is the kind in the meta labels:
/// `service`, `pod`, `ingress`; `path` is the place of the selector.
pub fn selector(
    rules: &mut RelabelBuilder,
    path: &Path<'_>,
    object: &str,
    selector: &LabelSelector,
) {
    let meta = |key: &str| {
        let key = sanitize(key);
        [
            format!("__meta_kubernetes_{object}_label_{key}"),
            format!("__meta_kubernetes_{object}_labelpresent_{key}"),
        ]
    };
    let (labels, expressions) = (path.key("matchLabels"), path.key("matchExpressions"));
    for (key, value) in selector.match_labels.iter().flatten() {
        // The operator does not escape the value: a `.` in it matches any character.
        rules.push(
            &labels.key(key),
            keep()
                .source_labels(meta(key))
                .regex(format!("({value});true")),
        );
    }
    for (index, requirement) in selector.match_expressions.iter().flatten().enumerate() {
        let [label, present] = meta(&requirement.key);
        let any = || {
            format!(
                "({});true",
                requirement.values.as_deref().unwrap_or_default().join("|")
            )
        };
        let rule = match requirement.operator.as_str() {
            "In" => keep().source_labels([label, present]).regex(any()),
            "NotIn" => drop().source_labels([label, present]).regex(any()),
            "Exists" => keep().source_labels([present]).regex("true"),
            "DoesNotExist" => drop().source_labels([present]).regex("true"),
            // Any other operator was refused at selection.
            _ => continue,
        };
        rules.push(&expressions.index(index), rule);
    }
}

/// A rule that keeps what matches.
pub fn keep() -> RelabelRule {
    RelabelRule::new().action("keep")
}

/// A rule that drops what matches.
pub fn drop() -> RelabelRule {
    RelabelRule::new().action("drop")
}

/// Drops pods that have ended.
pub(crate) fn running_pods() -> RelabelRule {
    static RULE: LazyLock<RelabelRule> = LazyLock::new(|| {
        drop()
            .source_labels(["__meta_kubernetes_pod_phase"])
            .regex("(Failed|Succeeded)")
    });
    RULE.clone()
}

/// Copies a label of the discovered object, if it has a value.
pub(crate) fn transfer(object: &str, label: &str) -> RelabelRule {
    label_as(sanitize(label), object, label)
}

/// Copies a label of an object to a label, if it has a value.
fn label_as(target: String, object: &str, label: &str) -> RelabelRule {
    let label = sanitize(label);
    RelabelRule::new()
        .source_labels([format!("__meta_kubernetes_{object}_label_{label}")])
        .target_label(target)
        .regex("(.+)")
        .replacement("${1}")
}

/// The label with the name of a port of a Service, by the role of the discovery.
pub(crate) fn port_name_label(role: &str) -> &'static str {
    match role {
        "endpointslice" => "__meta_kubernetes_endpointslice_port_name",
        _ => "__meta_kubernetes_endpoint_port_name",
    }
}

/// The role that discovers the pods of Services.
pub(crate) fn service_role(
    cx: &WorkloadContext<'_>,
    wanted: Option<ServiceDiscoveryRole>,
) -> &'static str {
    if wanted == Some(ServiceDiscoveryRole::EndpointSlice) && cx.has_endpoint_slices() {
        "endpointslice"
    } else {
        "endpoints"
    }
}

/// Keeps the targets of a port of containers, by its name or number, which is written as an integer. Go sees 0 where a port is not
/// set.
pub(crate) fn container_port(port: &IntOrString) -> Option<RelabelRule> {
    match port {
        IntOrString::String(name) if name.is_empty() => None,
        IntOrString::String(name) => Some(
            keep()
                .source_labels(["__meta_kubernetes_pod_container_port_name"])
                .regex(name.clone()),
        ),
        IntOrString::Int(0) => None,
        IntOrString::Int(number) => Some(
            keep()
                .source_labels(["__meta_kubernetes_pod_container_port_number"])
                .regex_number(*number),
        ),
    }
}

/// The label `endpoint`: the port, or else the target port, with the field that says so.
pub(crate) fn endpoint_label(
    port: Option<&str>,
    target_port: Option<&IntOrString>,
) -> Option<(&'static str, RelabelRule)> {
    let (field, name) = match (filled(port), target_port) {
        (Some(port), _) => ("port", port.to_owned()),
        (None, Some(port)) if !port.to_string().is_empty() => ("targetPort", port.to_string()),
        (None, _) => return None,
    };
    let rule = RelabelRule::new().target_label("endpoint");
    Some((field, rule.replacement(name)))
}

/// Copies labels of the pod: those that the monitor lists, then those that the workload lists.
pub fn pod_target_labels(
    rules: &mut RelabelBuilder,
    cx: &WorkloadContext<'_>,
    own: Option<&[String]>,
) {
    let path = SPEC.key("podTargetLabels");
    rules.extend(
        &path,
        own.into_iter()
            .flatten()
            .map(|label| transfer("pod", label)),
    );
    for (index, label) in cx.common.pod_target_labels.iter().flatten().enumerate() {
        rules.push_of_workload(cx, &path.index(index), transfer("pod", label));
    }
}

/// Sets `job` from a label of the discovered object, if it has a value.
pub(crate) fn job_from(object: &str, label: &str) -> RelabelRule {
    label_as("job".to_owned(), object, label)
}

/// Adds the rule that forces the namespace label, if there is one.
pub(crate) fn enforce_namespace(
    rules: &mut RelabelBuilder,
    scope: &Scope<'_>,
    resource: &str,
    name: &str,
) {
    if let Some(rule) = enforced_namespace(scope.cx, resource, scope.namespace, name) {
        rules.push_of_workload(scope.cx, &SPEC.key("enforcedNamespaceLabel"), rule);
    }
}

/// The rule that forces the namespace label, unless the workload excludes this object from it.
/// `resource` is the plural of its kind.
pub(crate) fn enforced_namespace(
    cx: &WorkloadContext<'_>,
    resource: &str,
    namespace: &str,
    name: &str,
) -> Option<RelabelRule> {
    let label = cx
        .common
        .enforced_namespace_label
        .as_deref()
        .filter(|l| !l.is_empty())?;
    let excluded = cx.common.excluded_from_enforcement.iter().flatten();
    if excluded
        .into_iter()
        .any(|reference| refers_to(reference, resource, namespace, name))
    {
        return None;
    }
    Some(
        RelabelRule::new()
            .target_label(label.to_owned())
            .replacement(namespace.to_owned()),
    )
}

fn refers_to(reference: &ObjectReference, resource: &str, namespace: &str, name: &str) -> bool {
    reference.resource.as_str() == resource
        && reference.namespace == namespace
        && reference
            .name
            .as_deref()
            .is_none_or(|n| n.is_empty() || n == name)
}

/// Rules as the value of `relabel_configs`.
pub fn value(rules: RelabelRules) -> Value {
    Value::Seq(rules.into_iter().map(Value::from).collect())
}
