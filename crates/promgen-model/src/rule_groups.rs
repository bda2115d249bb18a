//! The rules of PrometheusRules, with their places.
//!
//! In: a PrometheusRule. Out: its rules, each with its group.

use promgen_resources::api::{PrometheusRule, Rule, RuleGroup};
use promgen_resources::http_config::filled;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::NodeText;

/// The rules of a resource, each with the index of its group and its own index.
pub fn rules(doc: DocId, resource: &PrometheusRule) -> impl Iterator<Item = PlacedRule<'_>> {
    let groups = resource.spec.groups.iter().flatten().enumerate();
    groups.flat_map(move |(at_group, group)| {
        let at = At::spec(doc).key("groups").index(at_group).key("rules");
        let rules = group.rules.iter().flatten().enumerate();
        rules.map(move |(index, rule)| PlacedRule {
            at: at.clone().index(index),
            group,
            rule,
        })
    })
}

/// A rule of a PrometheusRule.
pub struct PlacedRule<'r> {
    /// Its place.
    pub at: At,
    /// Its group.
    pub group: &'r RuleGroup,
    /// The rule.
    pub rule: &'r Rule,
}

impl<'r> PlacedRule<'r> {
    /// What it makes, as its field is called, and the name of that: that of a recording rule counts.
    pub fn made(&self) -> Option<(&'static str, &'r str)> {
        let named = |what, name: &'r Option<String>| Some((what, filled(name.as_deref())?));
        named("record", &self.rule.record).or_else(|| named("alert", &self.rule.alert))
    }

    /// The labels that it sets, those of its group among them.
    pub fn labels(&self) -> impl Iterator<Item = (&'r NodeText, &'r NodeText)> {
        let of_group = self.group.labels.iter().flatten();
        of_group.chain(self.rule.labels.iter().flatten())
    }
}
