//! The chart kube-prometheus-stack: from its values to the objects of the operator that they define.
//!
//! In: a release, with the values that a user gives. Out: the objects that Helm makes of them, each value with its place
//! among the values; what the chart sets by itself stands where the release names its version. What the chart brings beside
//! these, such as its rules and the monitors of the kubelet, is not made.

mod fields;
mod names;
mod objects;
mod operator;
mod parts;
mod routes;
mod secrets;
pub(crate) mod versions;
mod workloads;

use promgen_text::source::Span;
use promgen_text::yaml::Node;

use super::node::{drop_nulls, is_set, merge};
use super::template::{ActionContext, ExpansionBudget};
use names::StackNames;
use versions::KnownVersion;

pub(crate) use names::CHART;

/// The release that is compiled.
pub(crate) struct StackRequest<'a> {
    /// The name of the release.
    pub(crate) release: &'a str,
    /// The name that the chart goes by: its own, or an alias.
    pub(crate) chart: &'a str,
    /// Its namespace, with its place. `None` if nobody says.
    pub(crate) namespace: Option<(&'a str, Span)>,
    /// The version of the chart.
    pub(crate) version: KnownVersion,
    /// The values of the user.
    pub(crate) values: &'a Node,
    /// The place where the release names the chart.
    pub(crate) place: Span,
    /// The release as a whole.
    pub(crate) span: Span,
}

/// A chart with all its values.
struct Chart<'a> {
    asked: &'a StackRequest<'a>,
    /// The defaults of the version.
    defaults: Node,
    /// The default values with those of the user.
    values: Node,
    names: StackNames,
    place: Span,
    budget: ExpansionBudget,
}

/// The keys of a map of values that some version of the chart knows.
pub(crate) fn keys(path: &[&str]) -> Vec<&'static str> {
    let mut keys = versions::keys(path);
    let components = [
        &workloads::PROMETHEUS,
        &workloads::ALERTMANAGER,
        &workloads::THANOS_RULER,
    ];
    for component in components
        .into_iter()
        .filter(|component| path.first() == Some(&component.key))
    {
        keys.extend(component.keys());
    }
    keys
}

/// Returns whether what promgen makes of the values of a release may depend on the value at a path: those of other
/// charts within this one are left to them.
pub(super) fn reads(path: &str) -> bool {
    const OTHERS: [&str; 4] = [
        "grafana",
        "kube-state-metrics",
        "prometheus-node-exporter",
        "prometheus-windows-exporter",
    ];
    let first = path.split(['.', '[']).next().unwrap_or_default();
    !OTHERS.contains(&first)
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
    let rows = [
        fields::PROMETHEUS,
        fields::ALERTMANAGER,
        fields::THANOS_RULER,
    ];
    rows.iter()
        .flat_map(|rows| rows.iter())
        .find(|row| row.key == key)
        .map_or(key, |row| row.to)
}

/// The keys that count only where the defaults of the version have them, and do not count in a version.
pub(crate) fn ignored(path: &[&str], version: &str) -> Vec<&'static str> {
    let defaults = versions::defaults(version, Span::default());
    let has = |key: &str| {
        defaults
            .find(path)
            .is_some_and(|map| map.get(key).is_some())
    };
    let components = [
        &workloads::PROMETHEUS,
        &workloads::ALERTMANAGER,
        &workloads::THANOS_RULER,
    ];
    let component = components
        .into_iter()
        .filter(|component| path.first() == Some(&component.key));
    component
        .flat_map(workloads::Component::of_defaults)
        .filter(|key| !has(key))
        .collect()
}

/// The keys of `prometheusSpec` that the chart makes nothing of where it makes an agent.
pub(crate) fn of_server() -> Vec<&'static str> {
    let of_fields = fields::PROMETHEUS
        .iter()
        .filter(|field| !field.in_agent)
        .map(|field| field.key);
    let selectors = fields::SELECTORS
        .iter()
        .filter(|(.., in_agent)| !in_agent)
        .map(|(key, ..)| *key);
    let namespaces = fields::NAMESPACES
        .iter()
        .filter(|(_, in_agent)| !in_agent)
        .map(|(key, _)| *key);
    let secrets = fields::PROMETHEUS_SECRETS
        .iter()
        .filter(|(.., in_agent)| !in_agent);
    let secrets = secrets.flat_map(|(key, own, ..)| [*key, *own]);
    let others = [
        "thanos",
        "remoteRead",
        "additionalRemoteRead",
        "alertingEndpoints",
        "prometheusRulesExcludedFromEnforce",
    ];
    of_fields
        .chain(selectors)
        .chain(namespaces)
        .chain(secrets)
        .chain(others)
        .collect()
}

/// The result of a release of the chart.
pub(crate) struct CompiledStack {
    /// Its objects, each with the key of the values that it is made of, if it is a Secret.
    pub(crate) objects: Vec<(Node, Option<&'static str>)>,
    /// The finding where Alertmanager refuses its configuration.
    pub(crate) advice: Option<(Span, String)>,
    /// The arguments of the operator that it installs.
    pub(crate) operator: Option<Vec<String>>,
    /// Templates in its values expand to too much: the rest of them is as it was.
    pub(crate) is_cut: bool,
}

/// The objects of a release.
pub(crate) fn compile(asked: &StackRequest<'_>) -> CompiledStack {
    let defaults = versions::defaults(asked.version.version, asked.place);
    let mut values = defaults.clone();
    merge(&mut values, asked.values);
    drop_nulls(&mut values);
    let namespace = asked.namespace.map_or("default", |(name, _)| name);
    let names_ruler = defaults.text_at(&["chart", "rulerName"]) == Some("full");
    let names = StackNames::of(asked.release, namespace, &values, names_ruler);
    let chart = Chart {
        asked,
        defaults,
        values,
        names,
        place: asked.place,
        budget: ExpansionBudget::default(),
    };
    let mut objects = Vec::new();
    for component in [
        &workloads::PROMETHEUS,
        &workloads::ALERTMANAGER,
        &workloads::THANOS_RULER,
    ] {
        if is_set(chart.values.find(&[component.key, "enabled"])) {
            objects.extend(
                chart
                    .secrets(component.key)
                    .into_iter()
                    .map(|secret| (secret, Some(component.key))),
            );
            objects.push((chart.workload(component), None));
        }
    }
    objects.extend(
        chart
            .rules()
            .into_iter()
            .chain(chart.monitors())
            .map(|object| (object, None)),
    );
    let advice = routes::advice(&chart.values, asked.place);
    let operator = chart.operator_arguments();
    CompiledStack {
        objects,
        advice,
        operator,
        is_cut: chart.budget.is_exceeded(),
    }
}

impl Chart<'_> {
    /// A fact about the version that is no value of it.
    fn fact(&self, key: &str) -> Option<&Node> {
        self.defaults.find(&["chart", key])
    }

    /// Runs a function with what actions of templates refer to.
    fn with_context<T>(&self, run: impl FnOnce(&ActionContext<'_>) -> T) -> T {
        let named = |name: &str| self.names.named(name);
        run(&ActionContext {
            release: &self.names.release,
            namespace: self.asked.namespace.map_or("default", |(name, _)| name),
            chart: (self.asked.chart, self.asked.version.version),
            values: &self.values,
            named: &named,
            budget: &self.budget,
        })
    }
}
