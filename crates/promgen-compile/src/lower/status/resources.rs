//! The status of the resources that workloads select: monitors, probes, scrape configs, rules.
//!
//! In: the results of every workload for them. Out: for each resource the combined result of all workloads, in the
//! format of the profile. The operator writes it only with its feature gate on.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lower::status::aso::{self, Severity};
use crate::lower::status::condition::{TransitionTrigger, WrittenCondition, truth};
use crate::lower::status::{StatusFormat, proposal};
use crate::options::{Options, Profile};
use crate::output::{
    Cause, MissingReference, RefusalReason, ResourceStatus, SelectedResource, Workload, WorkloadId,
    WorkloadKind,
};
use promgen_resources::api::Kind;
use promgen_resources::observed_status::Statuses;
use promgen_text::route::{DocId, Segment};
use promgen_text::yaml::{Map, Value};

/// A resource in the input that workloads can select.
#[derive(Clone, Debug)]
pub struct SelectableResource {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// It is being deleted.
    pub is_deleting: bool,
    /// Its document.
    pub doc: DocId,
    /// Its status, as the input shows it.
    pub status: Map,
}

/// The result of one workload for a resource.
struct Binding<'a> {
    workload: &'a Workload,
    resource: &'a SelectedResource,
}

/// The statuses of all resources that have one, by kind, namespace and name.
/// `manifest` gives the resource of a document.
pub fn resources(
    subjects: Vec<SelectableResource>,
    workloads: &[Arc<Workload>],
    options: &Options,
    manifest: impl Fn(DocId) -> Value,
) -> Vec<ResourceStatus> {
    let bindings = bindings(workloads);
    let status = |subject: SelectableResource| {
        let id = (
            subject.kind.as_str(),
            subject.namespace.as_str(),
            subject.name.as_str(),
        );
        let bound = bindings.get(&id).map(Vec::as_slice).unwrap_or_default();
        let earlier = earlier(&options.previous, &subject);
        let format = StatusFormat {
            profile: options.profile,
            at: options.at,
            earlier: &earlier,
        };
        let status = match options.profile {
            Profile::Operator => operator(bound, &format),
            Profile::Proposal => Some(in_proposal(subject.kind, bound, &format)),
            Profile::Stackable => None,
            Profile::Aso => Some(aso::written(&ready(&subject, bound), &format)),
        }?;
        let (kind, namespace, name) = (subject.kind, subject.namespace, subject.name);
        Some(ResourceStatus {
            kind,
            namespace,
            name,
            resource: manifest(subject.doc),
            status: status.into(),
        })
    };
    subjects.into_iter().filter_map(status).collect()
}

/// The earlier status: that of another file, else that in the input.
fn earlier(previous: &Statuses, subject: &SelectableResource) -> Map {
    let previous = previous.get(subject.kind, &subject.namespace, &subject.name);
    previous.map_or_else(|| subject.status.clone(), |live| live.status.clone())
}

/// The results of workloads for each resource, by its kind, namespace and name.
fn bindings(workloads: &[Arc<Workload>]) -> BTreeMap<(&str, &str, &str), Vec<Binding<'_>>> {
    let mut bindings: BTreeMap<_, Vec<Binding<'_>>> = BTreeMap::new();
    for workload in workloads {
        for kind in &workload.selected.kinds {
            for resource in &kind.resources {
                let id = (
                    kind.kind,
                    resource.namespace.as_str(),
                    resource.name.as_str(),
                );
                bindings
                    .entry(id)
                    .or_default()
                    .push(Binding { workload, resource });
            }
        }
    }
    bindings
}

/// The operator's: a binding for every workload that writes one.
fn operator(bound: &[Binding<'_>], format: &StatusFormat<'_>) -> Option<Map> {
    let bound: Vec<_> = bound
        .iter()
        .filter(|binding| binding.workload.selected.is_bound)
        .collect();
    if bound.is_empty() {
        return None;
    }
    let binding = |binding: &&Binding<'_>| {
        let mut map = binding.resource.binding(&binding.workload.id);
        let condition =
            WrittenCondition::new("Accepted", truth(binding.resource.refusal.is_none()));
        let names = ["group", "resource", "namespace", "name"];
        let is_it = |earlier: &&Value| names.iter().all(|key| earlier.get(key) == map.get(key));
        let earlier = format.earlier.items_of("bindings").iter().find(is_it);
        let time = condition.changed(
            format,
            earlier.and_then(|b| b.get("conditions")),
            TransitionTrigger::OfStatus,
        );
        // `conditions` is the first key of a binding, as the keys are sorted.
        if let Some((_, Value::Seq(conditions))) = map.entries_mut().first_mut() {
            for condition in conditions.iter_mut().filter_map(Value::as_map_mut) {
                condition
                    .entries_mut()
                    .insert(0, ("lastTransitionTime".into(), time.clone().into()));
            }
        }
        map
    };
    Some(Map::new().with("bindings", bound.iter().map(binding).collect::<Vec<_>>()))
}

/// The proposal's: whether the resource is valid at all, and the result of each Prometheus that selects it. It leaves
/// AlertmanagerConfigs for later; theirs have the same form.
fn in_proposal(kind: Kind, bound: &[Binding<'_>], format: &StatusFormat<'_>) -> Map {
    let bound: Vec<_> = bound
        .iter()
        .filter(|b| prefix(b.workload.id.kind).is_some())
        .collect();
    let valid = valid(kind, &bound);
    let bindings: Vec<_> = bound
        .iter()
        .filter(|_| valid.status == "True")
        .map(|b| proposal_binding(b, format))
        .collect();
    let conditions = vec![proposal::print(
        &valid,
        format,
        format.earlier.get("conditions"),
    )];
    let mut status = Map::new().with("conditions", conditions);
    status.push_some("bindings", (!bindings.is_empty()).then_some(bindings));
    status
}

/// Returns whether a resource makes sense: not if everybody who selects it refuses it, for another reason than that it
/// would read files, which is between it and them.
fn valid(kind: Kind, bound: &[&Binding<'_>]) -> WrittenCondition {
    let condition = |status| WrittenCondition::new("Valid", status);
    let mut faults = Vec::new();
    for binding in bound {
        match binding.resource.refusal.as_deref() {
            None
            | Some(RefusalReason {
                cause: Cause::FileSystem(_),
                ..
            }) => return condition("True"),
            Some(refused) => faults.push(refused),
        }
    }
    match faults.first() {
        None if kind == Kind::AlertmanagerConfig => condition("Unknown")
            .because("NotSelected")
            .saying("no Alertmanager selects it"),
        None => condition("Unknown")
            .because("NotSelected")
            .saying("no Prometheus or PrometheusAgent selects it"),
        Some(refused) => condition("False")
            .because(proposal_reason(&refused.cause))
            .saying(proposal_message(refused)),
    }
}

fn proposal_binding(binding: &Binding<'_>, format: &StatusFormat<'_>) -> Map {
    let Binding {
        workload: Workload { id, error, .. },
        resource,
    } = binding;
    let name = format!(
        "{}/{}-{}",
        id.namespace,
        prefix(id.kind).unwrap_or_default(),
        id.name
    );
    let reconciled = |status| WrittenCondition::new("Reconciled", status);
    let condition = match (&resource.refusal, error) {
        (Some(refused), _) => reconciled("False")
            .because(proposal_reason(&refused.cause))
            .saying(proposal_message(refused)),
        (None, Some(error)) => reconciled("False")
            .because("ReconciliationFailed")
            .saying(error.as_str()),
        (None, None) if binding.workload.is_paused() => reconciled("Unknown").because("Paused"),
        (None, None) => reconciled("True"),
    };
    let is_it = |earlier: &&Value| earlier.get("name").and_then(Value::as_str) == Some(&name);
    let earlier = format.earlier.items_of("bindings").iter().find(is_it);
    let conditions = vec![proposal::print(
        &condition,
        format,
        earlier.and_then(|b| b.get("conditions")),
    )];
    Map::new()
        .with("name", name)
        .with(reference_key(id.kind), reference(id))
        .with("conditions", conditions)
}

const fn reference_key(kind: WorkloadKind) -> &'static str {
    match kind {
        WorkloadKind::Alertmanager => "alertmanagerRef",
        WorkloadKind::Prometheus | WorkloadKind::PrometheusAgent | WorkloadKind::ThanosRuler => {
            "prometheusRef"
        }
    }
}

fn reference(id: &WorkloadId) -> Map {
    let resource = id.kind.resource().map(Kind::plural).unwrap_or_default();
    Map::new()
        .with("resource", resource)
        .with("name", id.name.clone())
        .with("namespace", id.namespace.clone())
}

/// The prefix of a workload's name in that of a binding, for kinds that have bindings.
const fn prefix(kind: WorkloadKind) -> Option<&'static str> {
    match kind {
        WorkloadKind::Prometheus => Some("prometheus"),
        WorkloadKind::PrometheusAgent => Some("prometheus-agent"),
        WorkloadKind::Alertmanager => Some("alertmanager"),
        WorkloadKind::ThanosRuler => None,
    }
}

fn proposal_reason(cause: &Cause) -> &'static str {
    match cause {
        Cause::Reference(missing) if missing.kind == "ConfigMap" => "InvalidConfigMapReference",
        Cause::Reference(_) => "InvalidSecretReference",
        Cause::FileSystem(_) => "DirectFileSystemAccessForbidden",
        Cause::Other => "InvalidConfiguration",
    }
}

/// The message of the seed's examples: `failed to get bearer token: failed to get token from secret: key 'k' in secret
/// 's' not found`, after the field `bearerTokenSecret`.
fn proposal_message(refused: &RefusalReason) -> String {
    match &refused.cause {
        Cause::Reference(missing) => {
            let MissingReference {
                kind,
                field,
                detail,
            } = &**missing;
            let field = field.0.iter().rev().find_map(|step| match step {
                Segment::Key(key) if key != "secret" && key != "configMap" => Some(key.as_ref()),
                Segment::Key(_) | Segment::Index(_) => None,
            });
            let words = words(field.unwrap_or_default());
            let last = words.rsplit(' ').next().unwrap_or_default();
            let detail = detail.replace('"', "'");
            format!(
                "failed to get {words}: failed to get {last} from {}: {detail}",
                kind.to_lowercase()
            )
        }
        Cause::FileSystem(message) => message.clone(),
        Cause::Other => refused.message.clone(),
    }
}

/// `bearer token` for `bearerTokenSecret`.
fn words(field: &str) -> String {
    let mut out = String::new();
    for c in field.strip_suffix("Secret").unwrap_or(field).chars() {
        if c.is_ascii_uppercase() {
            out.push(' ');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The Azure service operator's: a resource belongs to the workloads that select it.
fn ready(subject: &SelectableResource, bound: &[Binding<'_>]) -> WrittenCondition {
    if subject.is_deleting {
        return aso::deleting();
    }
    if bound.is_empty() {
        return aso::waiting("no workload selects it");
    }
    let refused = bound
        .iter()
        .filter_map(|b| b.resource.refusal.as_ref())
        .next();
    if let Some(refused) = refused {
        // A missing object may still be created.
        let severity = match refused.cause {
            Cause::Reference(_) => Severity::Warning,
            Cause::FileSystem(_) | Cause::Other => Severity::Error,
        };
        return aso::unready(severity, "InvalidConfiguration", refused.message.as_str());
    }
    match bound.iter().find_map(|b| {
        b.workload
            .error
            .as_ref()
            .map(|error| (&b.workload.id, error))
    }) {
        Some((id, error)) => aso::unready(
            Severity::Warning,
            "ReconciliationFailed",
            format!("{id}: {error}"),
        ),
        None => aso::succeeded(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{SelectedKind, sample};
    use promgen_text::route::ValueRoute;
    use promgen_text::time::Timestamp;
    use serde_json::{Value as Json, json};

    /// A workload of that kind and name that selects the Probe `shop/a`.
    fn selecting(kind: WorkloadKind, name: &str, refusal: Option<Cause>) -> Workload {
        let message = "the operator's words".to_owned();
        let refusal = refusal.map(|cause| Box::new(RefusalReason { message, cause }));
        let probe = SelectedResource {
            namespace: "shop".into(),
            name: "a".into(),
            generation: 0,
            refusal,
        };
        let mut workload = Arc::into_inner(sample::workload(name, Vec::new())).unwrap();
        workload.id.kind = kind;
        workload.selected.kinds = vec![SelectedKind {
            api_version: "v1",
            kind: "Probe",
            resources: vec![probe],
        }];
        workload
    }

    fn value(json: &Json) -> Value {
        promgen_text::yaml::read::read_slices(&json.to_string())
            .unwrap()
            .unwrap()
            .to_value()
    }

    /// The status of the Probe in the proposal's format, after an earlier one.
    fn status_of(workloads: Vec<Workload>, earlier: &Json) -> Json {
        let (namespace, name) = ("shop".to_owned(), "a".to_owned());
        let Value::Map(status) = value(earlier) else {
            panic!("a map")
        };
        let probe = SelectableResource {
            kind: Kind::Probe,
            namespace,
            name,
            is_deleting: false,
            doc: DocId::default(),
            status,
        };
        let at = Timestamp::parse("2026-01-01T00:00:00Z");
        let options = Options {
            profile: Profile::Proposal,
            at,
            ..Options::default()
        };
        let workloads: Vec<_> = workloads.into_iter().map(Arc::new).collect();
        let found = resources(vec![probe], &workloads, &options, |_| Value::Null);
        serde_json::to_value(&found[0].status).unwrap()
    }

    fn missing(kind: &'static str, field: &[&'static str]) -> Cause {
        let field = field
            .iter()
            .fold(ValueRoute::root(), |route, key| route.key(*key));
        Cause::Reference(Box::new(MissingReference {
            kind,
            field,
            detail: "key \"k\" not found".to_owned(),
        }))
    }

    /// The condition of the binding to a workload, beside one that accepts the Probe.
    fn bound(workload: Workload) -> [String; 3] {
        let other = selecting(WorkloadKind::PrometheusAgent, "other", None);
        let status = status_of(vec![workload, other], &json!({}));
        let condition = &status["bindings"][0]["conditions"][0];
        ["status", "reason", "message"]
            .map(|key| condition[key].as_str().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_binding_says_what_became_of_the_resource() {
        let server = |refusal| selecting(WorkloadKind::Prometheus, "main", refusal);
        assert_eq!(bound(server(None)), ["True", "", ""]);
        let failed = Workload {
            error: Some("no luck".to_owned()),
            ..server(None)
        };
        assert_eq!(
            bound(failed.clone()),
            ["False", "ReconciliationFailed", "no luck"]
        );
        let pause = |workload| Workload {
            resource: value(&json!({"spec": {"paused": true}})),
            ..workload
        };
        assert_eq!(bound(pause(server(None))), ["Unknown", "Paused", ""]);
        assert_eq!(bound(pause(failed))[1], "ReconciliationFailed");
        let refused = |cause| bound(server(Some(cause)));
        assert_eq!(
            refused(Cause::Other),
            ["False", "InvalidConfiguration", "the operator's words"]
        );
        let files = Cause::FileSystem("no files".to_owned());
        assert_eq!(
            refused(files),
            ["False", "DirectFileSystemAccessForbidden", "no files"]
        );
        let message = "failed to get key: failed to get key from secret: key 'k' not found";
        let secret = missing("Secret", &["tlsConfig", "keySecret"]);
        assert_eq!(
            refused(secret),
            ["False", "InvalidSecretReference", message]
        );
        let message = "failed to get ca: failed to get ca from configmap: key 'k' not found";
        let config_map = missing("ConfigMap", &["tlsConfig", "ca", "configMap"]);
        assert_eq!(
            refused(config_map),
            ["False", "InvalidConfigMapReference", message]
        );
        let message = "failed to get client id: failed to get id from secret: key 'k' not found";
        assert_eq!(
            refused(missing("Secret", &["oauth2", "clientId", "secret"]))[2],
            message
        );
    }

    #[test]
    fn what_files_forbid_is_valid_and_what_all_refuse_is_not() {
        let valid = |kinds: Vec<(WorkloadKind, Option<Cause>)>| {
            let workloads = kinds
                .into_iter()
                .map(|(kind, refusal)| selecting(kind, "main", refusal))
                .collect();
            let status = status_of(workloads, &json!({}));
            let condition = &status["conditions"][0];
            let bindings = status["bindings"].as_array().map_or(0, Vec::len);
            (condition["status"].as_str().unwrap().to_owned(), bindings)
        };
        let (server, agent) = (WorkloadKind::Prometheus, WorkloadKind::PrometheusAgent);
        let files = || Some(Cause::FileSystem(String::new()));
        assert_eq!(valid(vec![(server, files())]), ("True".to_owned(), 1));
        assert_eq!(
            valid(vec![(server, Some(Cause::Other)), (agent, files())]),
            ("True".to_owned(), 2)
        );
        assert_eq!(
            valid(vec![
                (server, Some(Cause::Other)),
                (agent, Some(Cause::Other))
            ]),
            ("False".to_owned(), 0)
        );
        assert_eq!(
            valid(vec![(WorkloadKind::ThanosRuler, None)]),
            ("Unknown".to_owned(), 0)
        );
    }

    #[test]
    fn a_binding_keeps_the_time_of_its_own_condition() {
        let then = |day: u32| {
            let time = format!("2025-01-0{day}T00:00:00Z");
            json!([{"type": "Reconciled", "status": "True", "lastTransitionTime": time}])
        };
        let earlier = json!({"bindings": [
            {"name": "monitoring/prometheus-agent-main", "conditions": then(1)},
            {"name": "monitoring/prometheus-main", "conditions": then(2)},
        ]});
        let workloads = ["main", "new"].map(|name| selecting(WorkloadKind::Prometheus, name, None));
        let status = status_of(workloads.into(), &earlier);
        let time = |index: usize| &status["bindings"][index]["conditions"][0]["lastTransitionTime"];
        assert_eq!(
            [time(0), time(1)],
            ["2025-01-02T00:00:00Z", "2026-01-01T00:00:00Z"]
        );
    }
}
