//! The faults of the pods of a workload that the API server refuses: Kubernetes' rules for pod templates, on the set as the operator
//! writes it.
//!
//! In: a StatefulSet or DaemonSet. Out: what is wrong, in Kubernetes' words. Objects that the operator's own types cannot
//! express are not looked at.

mod containers;
mod field;
mod place;
mod probes;
mod resources;
mod scheduling;
mod security;
mod text;
mod volumes;

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::options::Assume;
use crate::output::{OutputObject, WorkloadId};
use crate::workload::Run;
use crate::workload::pod_checks::field::PodField;
pub use crate::workload::pod_checks::place::place;
use promgen_resources::document;
use promgen_resources::unknown::is_later_text;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::go::quote::quote;
use promgen_text::route::{At, DocId, ValueRoute};
use promgen_text::yaml::Value;

rules! {
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
    REFUSED_PODS = "PG520" "refused-pods" Error: "pods that the API server refuses";
}

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

/// Everything that the API server refuses of a StatefulSet or DaemonSet.
pub(crate) fn faults(set: &Value) -> Vec<PodFault> {
    let found = RefCell::default();
    let set = PodField::root(set, &found);
    let spec = set.get("spec");
    if spec.value.is_some() {
        check_spec(&spec);
    }
    found.into_inner()
}

fn check_spec(spec: &PodField<'_, '_>) {
    let mut claims = BTreeSet::new();
    spec.each("volumeClaimTemplates", |claim| {
        let metadata = claim.get("metadata");
        let name = metadata.get("name");
        claims.extend(name.value.and_then(Value::as_str));
    });
    resources::claims(spec);
    let template = spec.get("template");
    if template.value.is_none() {
        return;
    }
    let (metadata, selector) = (template.get("metadata"), spec.get("selector"));
    let (labels, wanted) = (metadata.get("labels"), selector.get("matchLabels"));
    if wanted
        .entries()
        .any(|(key, value)| labels.get(key).value != Some(value))
    {
        labels.fault("Invalid value: `selector` does not match template `labels`");
    }
    text::labels(&labels);
    text::annotations(&metadata.get("annotations"));
    let pod = template.get("spec");
    let known = volumes::check(&pod, &claims);
    containers::check(&pod, &known);
    scheduling::check(&pod);
    security::pod(&pod.get("securityContext"));
}

/// Reports what the API server refuses of the sets of a workload. Returns the operator's error, unless the sets that the input
/// lacks are missing anyway. Of several sets, which differ in few values, the first is looked at.
pub(super) fn check(
    run: &Run<'_>,
    doc: DocId,
    id: &WorkloadId,
    objects: &[OutputObject],
    sink: &mut Sink,
) -> Option<String> {
    let set = objects.iter().find(|object| object.makes_pods())?;
    let value = set.value();
    let mut found = faults(&value);
    // Nobody knows yet whether a value that is filled in later is refused.
    found.retain(|fault| {
        let refused = place::value_at(&value, &fault.route).and_then(Value::as_str);
        !refused.is_some_and(is_later_text)
    });
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
    let document = document::find(run.documents, doc);
    let release = document.and_then(|document| document.origin.release());
    for fault in found.iter().take(MAX_FAULTS) {
        let route = document.map_or_else(ValueRoute::root, |document| {
            place::place(&document.node, &value, &fault.route)
        });
        // The resources of reloaders are flags of the operator.
        let flag = release
            .filter(|_| place::is_of_reloader(&value, &fault.route))
            .and_then(|release| release.flag("config-reloader-"));
        let at = flag.map_or_else(|| Place::from(At { doc, route }), Place::from);
        let PodFault { route: within, why } = fault;
        let message = format!(
            "the API server refuses the pods of {}/{}: {kind} {name}: {within}: {why}",
            id.namespace, id.name
        );
        let diagnostic = Diagnostic::new(&REFUSED_PODS, at, message);
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
