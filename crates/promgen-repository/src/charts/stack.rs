//! The chart kube-prometheus-stack: from its values to the objects of the operator that they define.
//!
//! In: a release, with the values that a user gives. Out: the objects that Helm makes of them, each value with its place
//! among the values; what the chart sets by itself stands where the release names its version. What the chart brings beside
//! these, such as its rules and the monitors of the kubelet, is not made.

mod forms;
mod operator;
pub(crate) mod reads;
mod routes;
mod table;
pub(crate) mod versions;

use std::collections::{BTreeMap, BTreeSet};

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node, edit};

use super::node::{coalesce, is_set};
use super::template::{ChartRoot, ExpansionBudget, OTHER_CHARTS, ValueTemplateFault, integers};
use forms::{ChartForms, FormRun};
use reads::ReadValue;
use versions::KnownVersion;

/// The chart.
pub(crate) const CHART: &str = "kube-prometheus-stack";

/// The form of the objects that values hold as a whole.
const EXTRA: &str = "extra-objects";

/// The release that is compiled.
pub(crate) struct StackRequest<'a> {
    /// The name of the release.
    pub(crate) release: &'a str,
    /// Its namespace, with its place. `None` if nobody says.
    pub(crate) namespace: Option<(&'a str, Span)>,
    /// The version of the chart.
    pub(crate) version: KnownVersion,
    /// The values of the user.
    pub(crate) values: &'a Node,
    /// The places of those that are integers: numbers of files are floats.
    pub(crate) integers: &'a BTreeSet<Span>,
    /// The place where the release names the chart.
    pub(crate) place: Span,
    /// The release as a whole.
    pub(crate) span: Span,
    /// The name that the chart goes by.
    pub(crate) chart: &'a str,
}

/// The keys of a map of values that some version of the chart reads.
pub(crate) fn keys(path: &[&str]) -> Vec<&'static str> {
    let read = ReadValue::in_any_version().find(path);
    read.into_iter().flat_map(ReadValue::keys).collect()
}

/// Returns whether what promgen makes of the values of a release may depend on the value at a path: those of other
/// charts within this one are left to them.
pub(super) fn reads(path: &str) -> bool {
    let first = path.split(['.', '[']).next().unwrap_or_default();
    !OTHER_CHARTS.contains(&first)
}

/// The values that only this chart has, beside those that workloads are made of.
pub(crate) const MARKS: &[&[&str]] = &[
    &["additionalPrometheusRules"],
    &["additionalPrometheusRulesMap"],
    &["cleanPrometheusOperatorObjectNames"],
    &["prometheusOperator"],
    &["thanosRuler"],
];

/// The keys that promgen knows below a path of values, in the order of their names, each with whether its value is a map or
/// a list.
#[must_use]
pub fn below(path: &[&str]) -> Vec<(&'static str, bool)> {
    let mut keys = versions::below(path);
    if path.is_empty() {
        // No values of the chart, and one that no version has by default.
        keys.retain(|(key, _)| *key != "chart");
        keys.push(("additionalPrometheusRules", true));
    }
    keys.sort_unstable();
    keys
}

/// The field that a value of such a map becomes.
#[must_use]
pub fn field_of(key: &str) -> &str {
    // The only key of those maps that is not called as its field.
    if key == "storageSpec" { "storage" } else { key }
}

/// The keys of `prometheusSpec` that the chart makes nothing of where it makes an agent.
pub(crate) fn of_server(version: &str) -> Vec<&'static str> {
    const SPEC: &str = ".Values.prometheus.prometheusSpec.";
    let (mut of_server, mut of_both) = (Vec::new(), Vec::new());
    for (name, content) in table::at(table::FIELD, version) {
        if name.starts_with("prometheus/prometheus:") {
            let is_server = content.contains("not .Values.prometheus.agentMode");
            let keys = content.split(SPEC).skip(1);
            let keys =
                keys.filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next());
            if is_server {
                &mut of_server
            } else {
                &mut of_both
            }
            .extend(keys);
        }
    }
    of_server.retain(|key| !of_both.contains(key));
    of_server
}

/// The result of a release of the chart.
pub(crate) struct CompiledStack {
    /// Its objects, each with the key of the values that it is made of, if it is a Secret.
    pub(crate) objects: Vec<(Node, Option<&'static str>)>,
    /// The finding where Alertmanager refuses its configuration.
    pub(crate) advice: Option<(Span, String)>,
    /// The arguments of the operator that it installs, each with its place.
    pub(crate) operator: Option<Vec<(String, Span)>>,
    /// Templates in its values expand to too much: the rest of them is as it was.
    pub(crate) is_cut: bool,
    /// The places of values whose templates are not evaluated, each with the function of Helm that is not.
    pub(crate) unknown: BTreeMap<Span, Option<&'static str>>,
    /// What Helm refuses in the values, each by its place.
    pub(super) faults: BTreeMap<Span, ValueTemplateFault>,
    /// The kinds of objects that get no name, each with the place of the value that they are made of.
    pub(super) nameless: Vec<(Span, String)>,
}

/// The objects of a release.
pub(crate) fn compile(asked: &StackRequest<'_>) -> CompiledStack {
    let mut values = versions::defaults(asked.version.version, asked.place);
    coalesce(&mut values, asked.values);
    integers(&mut values, asked.integers);
    let root = ChartRoot {
        release: asked.release,
        namespace: asked.namespace.unwrap_or(("default", asked.place)),
        chart: asked.chart,
        version: asked.version.version,
        application: asked.version.operator,
        values: &values,
        place: asked.place,
    };
    let budget = ExpansionBudget::default();
    let run = FormRun {
        forms: ChartForms::of(&asked.version),
        root: root.dot(),
        budget: &budget,
        place: asked.place,
    };
    let (mut objects, mut nameless) = (Vec::new(), Vec::new());
    for form in run.forms.files().filter(|form| *form != operator::FORM) {
        for object in run.objects(form).into_iter().flat_map(of_list) {
            match object.get("metadata").filter(|_| form != EXTRA) {
                Some(metadata) if !is_set(metadata.get("name")) => {
                    let kind = object.text_of("kind").unwrap_or_default().to_owned();
                    nameless.push((metadata.span, kind));
                }
                _ => objects.push(asked.finished(object, form, &values)),
            }
        }
    }
    let operator = operator::arguments(&run);
    CompiledStack {
        objects,
        advice: routes::advice(&values, asked.place),
        operator,
        is_cut: budget.is_exceeded(),
        faults: budget.take_faults(),
        unknown: budget.into_unknown(),
        nameless,
    }
}

/// The objects of a list of them, or of several documents.
fn of_list(object: Node) -> Vec<Node> {
    if let Data::Seq(documents) = &object.data {
        return documents.iter().cloned().flat_map(of_list).collect();
    }
    let is_list = object
        .text_of("kind")
        .is_some_and(|kind| kind.ends_with("List"));
    match object.get("items") {
        Some(items) if is_list => items.items().to_vec(),
        _ if object.get("kind").is_some() => vec![object],
        _ => Vec::new(),
    }
}

/// The values that the objects of a form are made of: the key at their top, and that of the spec.
fn values_of(form: &str) -> (&'static str, Option<&'static str>) {
    match form.split('/').next().unwrap_or_default() {
        "prometheus" => ("prometheus", Some("prometheusSpec")),
        "alertmanager" => ("alertmanager", Some("alertmanagerSpec")),
        "thanos-ruler" => ("thanosRuler", Some("thanosRulerSpec")),
        _ => ("extraManifests", None),
    }
}

impl StackRequest<'_> {
    /// An object with the places that the chart does not know of, and the key of its values if it is a Secret.
    fn finished(
        &self,
        mut object: Node,
        form: &str,
        values: &Node,
    ) -> (Node, Option<&'static str>) {
        object.span = self.span;
        let (key, spec) = values_of(form);
        const WORKLOADS: [&str; 4] = [
            "Alertmanager",
            "Prometheus",
            "PrometheusAgent",
            "ThanosRuler",
        ];
        let is_workload = object
            .text_of("kind")
            .is_some_and(|kind| WORKLOADS.contains(&kind));
        if let Some(entry) = spec
            .filter(|_| is_workload)
            .and_then(|spec| values.get(key)?.entry(spec))
            && let Data::Map(fields) = &mut object.data
            && let Some(own) = fields.iter_mut().find(|field| field.key == "spec")
        {
            own.key_span = entry.key_span;
            own.value.span = entry.value.span;
        }
        if self.namespace.is_none()
            && let Some(metadata) = object.get_mut("metadata")
            && metadata
                .get("namespace")
                .is_some_and(|namespace| namespace.span == self.place)
        {
            edit::remove(metadata, "namespace");
        }
        let is_secret = object.text_of("kind") == Some("Secret");
        if is_secret
            && let Some(Data::Map(data)) = object.get_mut("data").map(|data| &mut data.data)
        {
            // What the chart sets by itself is no secret, and has no place of its own.
            for entry in data
                .iter_mut()
                .filter(|entry| entry.value.span == self.place)
            {
                entry.value.span.end = entry.value.span.start;
            }
        }
        (object, is_secret.then_some(key))
    }
}

#[cfg(test)]
mod tests;
