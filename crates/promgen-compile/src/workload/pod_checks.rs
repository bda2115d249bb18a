//! The faults of the pods of a workload that the API server refuses: Kubernetes' rules for pod templates, on the set as the operator
//! writes it.
//!
//! In: a StatefulSet or DaemonSet. Out: what is wrong, in Kubernetes' words. Objects that the operator's own types cannot
//! express are not looked at.

mod containers;
mod place;
mod probes;
mod resources;
mod scheduling;
mod security;
mod text;
mod volumes;

use std::collections::BTreeSet;

use crate::options::Assume;
use crate::output::{OutputObject, WorkloadId};
use crate::workload::Run;
use promgen_resources::document;
use promgen_text::diag::{Diagnostic, LintRule, Sink, rule};
use promgen_text::go::quote::quote;
use promgen_text::route::{At, DocId, Path, ValueRoute};
use promgen_text::yaml::Value;

rule! {
    /// ## What it does
    /// Checks the pods that the operator writes for a workload as the API server does: names of volumes, ports and labels that
    /// are wrong or taken, mounts of volumes that do not exist, two mounts at one path, requests above limits, tolerations,
    /// affinities, probes, access modes of claims.
    ///
    /// ## Why is this bad?
    /// The API server refuses the StatefulSet or DaemonSet, so there are no pods. The CustomResourceDefinition lets the resource
    /// pass, so that the error stands in the operator's log and in the status alone.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   volumeMounts:
    ///   - {name: certs, mountPath: /etc/certs}
    /// ```
    /// Use instead: a volume of that name.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   volumes:
    ///   - {name: certs, secret: {secretName: certs}}
    ///   volumeMounts:
    ///   - {name: certs, mountPath: /etc/certs}
    /// ```
    pub static REFUSED_PODS = "PG520" "refused-pods" {
        summary: "pods that the API server refuses", level: Error, since: "0.1.0",
    }
}

/// Rules of this module.
pub static RULES: &[&LintRule] = &[&REFUSED_PODS];

/// The most faults of a set that are reported.
const MAX_FAULTS: usize = 16;

/// Something that the API server refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PodFault {
    /// Where in the set.
    route: ValueRoute,
    /// Why, in Kubernetes' words.
    why: String,
}

/// The findings so far.
#[derive(Debug, Default)]
struct PodFaults(Vec<PodFault>);

impl PodFaults {
    fn push(&mut self, at: &Path<'_>, why: String) {
        self.0.push(PodFault {
            route: at.to_route(),
            why,
        });
    }

    fn required(&mut self, at: &Path<'_>, why: &str) {
        let why = if why.is_empty() {
            "Required value".to_owned()
        } else {
            format!("Required value: {why}")
        };
        self.push(at, why);
    }

    fn invalid(&mut self, at: &Path<'_>, value: &str, why: &str) {
        self.push(at, format!("Invalid value: {}: {why}", quote(value)));
    }

    fn invalid_number(&mut self, at: &Path<'_>, value: i64, why: &str) {
        self.push(at, format!("Invalid value: {value}: {why}"));
    }

    fn forbidden(&mut self, at: &Path<'_>, why: &str) {
        self.push(at, format!("Forbidden: {why}"));
    }

    fn duplicate(&mut self, at: &Path<'_>, value: &str) {
        self.push(at, format!("Duplicate value: {}", quote(value)));
    }

    fn not_found(&mut self, at: &Path<'_>, value: &str) {
        self.push(at, format!("Not found: {}", quote(value)));
    }

    /// Reports a text that is none of those that Kubernetes knows.
    fn one_of(&mut self, at: &Path<'_>, value: Option<&Value>, supported: &[&str]) {
        if let Some(Value::Str(text)) = value
            && !supported.contains(&text.as_ref())
        {
            let supported: Vec<String> = supported.iter().map(|text| quote(text)).collect();
            let supported = supported.join(", ");
            self.push(
                at,
                format!(
                    "Unsupported value: {}: supported values: {supported}",
                    quote(text)
                ),
            );
        }
    }

    /// Reports all complaints about a text.
    fn complaints(&mut self, at: &Path<'_>, value: &str, complaints: &[String]) {
        complaints
            .iter()
            .for_each(|why| self.invalid(at, value, why));
    }
}

/// Everything that the API server refuses of a StatefulSet or DaemonSet.
pub(crate) fn faults(set: &Value) -> Vec<PodFault> {
    let mut out = PodFaults::default();
    let (Some(spec), root) = (set.get("spec"), Path::root()) else {
        return Vec::new();
    };
    let at = root.key("spec");
    let claims: BTreeSet<&str> = items(spec.get("volumeClaimTemplates"))
        .iter()
        .filter_map(|claim| claim.get("metadata")?.get("name")?.as_str())
        .collect();
    resources::claims(spec, &at, &mut out);
    if let Some(template) = spec.get("template") {
        let at = at.key("template");
        let labels = template
            .get("metadata")
            .and_then(|metadata| metadata.get("labels"));
        let selector = spec
            .get("selector")
            .and_then(|selector| selector.get("matchLabels"))
            .and_then(Value::as_map);
        let has = |key: &str| labels.and_then(|labels| labels.get(key));
        if selector
            .into_iter()
            .flatten()
            .any(|(key, value)| has(key) != Some(value))
        {
            let why = "Invalid value: `selector` does not match template `labels`".to_owned();
            out.push(&at.key("metadata").key("labels"), why);
        }
        if let Some(metadata) = template.get("metadata") {
            text::labels(
                metadata.get("labels"),
                &at.key("metadata").key("labels"),
                &mut out,
            );
            text::annotations(
                metadata.get("annotations"),
                &at.key("metadata").key("annotations"),
                &mut out,
            );
        }
        let (pod, at) = (template.get("spec").unwrap_or(&Value::Null), at.key("spec"));
        let known = volumes::check(pod, &claims, &at.key("volumes"), &mut out);
        containers::check(pod, &known, &at, &mut out);
        scheduling::check(pod, &at, &mut out);
        security::pod(
            pod.get("securityContext"),
            &at.key("securityContext"),
            &mut out,
        );
    }
    out.0
}

/// The items of a list that may be absent.
fn items(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_seq).unwrap_or_default()
}

/// A text that is known and not empty.
fn known_text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    match value.get(key)? {
        Value::Str(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

/// Returns whether a text is absent or empty.
fn is_empty(value: &Value, key: &str) -> bool {
    match value.get(key) {
        None | Some(Value::Null) => true,
        Some(value) => value.as_str().is_some_and(str::is_empty),
    }
}

fn integer(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

/// Reports what the API server refuses of the sets of a workload. Returns the operator's error, unless the sets that the input
/// lacks are missing anyway. Of several sets, which differ in few values, the first is looked at.
pub(super) fn check(
    run: &Run<'_>,
    (doc, id): (DocId, &WorkloadId),
    objects: &[OutputObject],
    sink: &mut Sink,
) -> Option<String> {
    let set = objects
        .iter()
        .find(|object| matches!(object.body.kind(), "StatefulSet" | "DaemonSet"))?;
    let value = set.value();
    let found = faults(&value);
    if found.is_empty() {
        return None;
    }
    let (kind, name) = (
        set.body.kind(),
        value
            .get("metadata")
            .and_then(|m| m.get("name"))
            .and_then(Value::as_str),
    );
    let name = name.unwrap_or_default();
    let node = document::find(run.documents, doc).map(|document| &document.node);
    for fault in found.iter().take(MAX_FAULTS) {
        let route = node.map_or_else(ValueRoute::root, |node| {
            place::place(node, &value, &fault.route)
        });
        let PodFault { route: within, why } = fault;
        let message = format!(
            "the API server refuses the pods of {}/{}: {kind} {name}: {within}: {why}",
            id.namespace, id.name
        );
        let diagnostic = Diagnostic::new(&REFUSED_PODS, At { doc, route }, message);
        sink.report(match place::maker(&value, fault) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }
    if run.options.assume == Assume::Missing {
        return None;
    }
    let whys: Vec<String> = found
        .iter()
        .map(|PodFault { route, why }| format!("{route}: {why}"))
        .collect();
    let whys = match whys.as_slice() {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    let invalid = format!("{kind}.apps {} is invalid: {whys}", quote(name));
    Some(match kind {
        "DaemonSet" => format!("creating daemonset failed: {invalid}"),
        _ => format!("failed to create statefulset: {invalid}"),
    })
}

#[cfg(test)]
mod tests;
