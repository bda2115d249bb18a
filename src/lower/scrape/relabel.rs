//! The relabel rules that every kind of job is made of.

use crate::api::meta::LabelSelector;
use crate::api::settings::ObjectReference;
use crate::lower::Ctx;
use crate::prom::{RelabelRule, RelabelRules, sanitize};
use crate::yaml::Value;

/// The first rule of every job: keeps the job's name where later rules cannot overwrite it.
pub(crate) fn job_name() -> RelabelRule {
    RelabelRule::new().source_labels(["job"]).target_label("__tmp_prometheus_job_name")
}

/// Copies one label to another.
pub(crate) fn copy(from: &'static str, to: &'static str) -> RelabelRule {
    RelabelRule::new().source_labels([from]).target_label(to)
}

/// Keeps targets whose discovered object carries the labels of the selector. `object` is the word in the meta labels:
/// `service`, `pod`, `ingress`.
pub(crate) fn selector(rules: &mut RelabelRules, object: &str, selector: &LabelSelector) {
    let meta = |key: &str| {
        let key = sanitize(key);
        [format!("__meta_kubernetes_{object}_label_{key}"), format!("__meta_kubernetes_{object}_labelpresent_{key}")]
    };
    for (key, value) in selector.match_labels.iter().flatten() {
        rules.push(keep().source_labels(meta(key)).regex(format!("({value});true")));
    }
    for requirement in selector.match_expressions.iter().flatten() {
        let [label, present] = meta(&requirement.key);
        let any = || format!("({});true", requirement.values.as_deref().unwrap_or_default().join("|"));
        rules.push(match requirement.operator.as_str() {
            "In" => keep().source_labels([label, present]).regex(any()),
            "NotIn" => drop().source_labels([label, present]).regex(any()),
            "Exists" => keep().source_labels([present]).regex("true"),
            "DoesNotExist" => drop().source_labels([present]).regex("true"),
            _ => continue,
        });
    }
}

/// A rule that keeps what matches.
pub(crate) fn keep() -> RelabelRule {
    RelabelRule::new().action("keep")
}

/// A rule that drops what matches.
pub(crate) fn drop() -> RelabelRule {
    RelabelRule::new().action("drop")
}

/// Drops pods that have ended.
pub(crate) fn running_pods() -> RelabelRule {
    drop().source_labels(["__meta_kubernetes_pod_phase"]).regex("(Failed|Succeeded)")
}

/// Copies a label of the discovered object, if it has a value.
pub(crate) fn transfer(object: &str, label: &str) -> RelabelRule {
    let label = sanitize(label);
    RelabelRule::new()
        .source_labels([format!("__meta_kubernetes_{object}_label_{label}")])
        .target_label(label)
        .regex("(.+)")
        .replacement("${1}")
}

/// Sets `job` from a label of the discovered object, if it has a value.
pub(crate) fn job_from(object: &str, label: &str) -> RelabelRule {
    RelabelRule::new()
        .source_labels([format!("__meta_kubernetes_{object}_label_{}", sanitize(label))])
        .target_label("job")
        .regex("(.+)")
        .replacement("${1}")
}

/// The rule that forces the namespace label, unless the workload excludes this object from it.
/// `resource` is the plural of its kind.
pub(crate) fn enforced_namespace(cx: &Ctx<'_>, resource: &str, namespace: &str, name: &str) -> Option<RelabelRule> {
    let label = cx.common.enforced_namespace_label.as_deref().filter(|l| !l.is_empty())?;
    let excluded = cx.common.excluded_from_enforcement.iter().flatten();
    if excluded.into_iter().any(|reference| refers_to(reference, resource, namespace, name)) {
        return None;
    }
    Some(RelabelRule::new().target_label(label.to_owned()).replacement(namespace.to_owned()))
}

fn refers_to(reference: &ObjectReference, resource: &str, namespace: &str, name: &str) -> bool {
    reference.resource.as_str() == resource
        && reference.namespace == namespace
        && reference.name.as_deref().is_none_or(|n| n.is_empty() || n == name)
}

/// Rules as the value of `relabel_configs`.
pub(crate) fn value(rules: RelabelRules) -> Value {
    Value::Seq(rules.into_iter().map(Value::from).collect())
}
