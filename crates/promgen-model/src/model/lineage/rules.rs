//! The rules of an environment, with their expressions.

use crate::model::World;
use crate::rule_groups::{PlacedRule, rules};
use promgen_compile::cluster::Object;
use promgen_compile::select::admit::rule::is_excluded;
use promgen_prometheus::promql::{self, Tree};
use promgen_resources::api::PrometheusRule;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_resources::document;
use promgen_resources::locate;
use promgen_text::parallel;
use promgen_text::route::At;
use promgen_text::yaml::StringMap;

/// A rule.
#[derive(Clone, Debug)]
pub struct ExpressionRule {
    /// The namespace of its resource.
    pub namespace: String,
    /// Its resource: `namespace/name`.
    pub resource: String,
    /// Its place.
    pub at: At,
    /// The name of the group.
    pub group: String,
    /// The alert, if it is one.
    pub alert: Option<String>,
    /// The series that it records, if it does.
    pub record: Option<String>,
    /// The labels that it adds or replaces.
    pub labels: StringMap,
    /// The expression.
    pub text: String,
    /// The expression. `None` if it does not parse.
    pub tree: Option<Tree>,
}

impl ExpressionRule {
    /// Its name: that of the alert, or of the series.
    pub fn name(&self) -> &str {
        self.alert
            .as_deref()
            .or(self.record.as_deref())
            .unwrap_or_default()
    }

    /// `alert Down`, `rule shop:orders:rate`
    pub fn what(&self) -> String {
        let kind = if self.alert.is_some() {
            "alert"
        } else {
            "recording rule"
        };
        format!("{kind} {}", self.name())
    }

    /// The label that a server enforces in it, with its value.
    pub fn enforced<'r>(&'r self, spec: &'r PrometheusSpec) -> Option<(&'r str, &'r str)> {
        let label = spec
            .common
            .enforced_namespace_label
            .as_deref()
            .filter(|label| !label.is_empty())?;
        let name = self
            .resource
            .split_once('/')
            .map(|(_, name)| name)
            .unwrap_or_default();
        let references = spec.common.excluded_from_enforcement.as_deref();
        let rules = spec.prometheus_rules_excluded_from_enforce.as_deref();
        (!is_excluded(references, rules, &self.namespace, name))
            .then_some((label, self.namespace.as_str()))
    }
}

/// The rules of all resources, by resource and in the order of each.
pub(super) fn all(world: &World<'_>) -> Vec<ExpressionRule> {
    let resources: Vec<&Object<PrometheusRule>> =
        world.cluster().prometheus_rules.values().collect();
    let of_one = |resource: &&Object<PrometheusRule>| {
        let mut rules = of_resource(resource);
        let document = document::find(world.documents(), resource.doc);
        if document.is_some_and(|document| has_default(world.sources().text(document.node.span))) {
            let is_guessed = |rule: &ExpressionRule| {
                let span = locate::locate(&rule.at.clone().key("expr"), world.documents());
                span.is_none_or(|span| has_default(world.sources().text(span)))
            };
            rules
                .iter_mut()
                .filter(|rule| is_guessed(rule))
                .for_each(|rule| rule.tree = None);
        }
        rules
    };
    parallel::map(&resources, 4, of_one)
        .into_iter()
        .flatten()
        .collect()
}

/// Returns whether a text has a variable that Flux fills in, with a default that a value elsewhere replaces:
/// `${NAME:=x}`.
pub(super) fn has_default(text: &str) -> bool {
    text.split("${").skip(1).any(|rest| {
        let tail = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        tail.len() < rest.len() && tail.starts_with([':', '=', '-'])
    })
}

fn of_resource(resource: &Object<PrometheusRule>) -> Vec<ExpressionRule> {
    let rules = rules(resource.doc, &resource.value);
    rules.map(|placed| of_rule(resource, placed)).collect()
}

fn of_rule(
    resource: &Object<PrometheusRule>,
    PlacedRule { at, group, rule }: PlacedRule<'_>,
) -> ExpressionRule {
    let filled = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
    let mut labels = group.labels.clone().unwrap_or_default();
    labels.extend(rule.labels.clone().unwrap_or_default());
    let text = rule.expr.to_string();
    ExpressionRule {
        namespace: resource.namespace().to_owned(),
        resource: resource.key(),
        at,
        group: group.name.clone(),
        alert: filled(&rule.alert),
        record: filled(&rule.record),
        labels,
        tree: promql::parse(&text),
        text,
    }
}
