//! Checks on alerting and recording rules.
//!
//! Selection already reports invalid expressions and templates. These checks report valid rules that are likely mistakes:
//! duplicate rules, rules that one shard cannot evaluate alone, and series that go stale between two samples.

mod dropped_label;
mod duplicate;
mod empty;
pub(in crate::checks) mod expression;
mod repeated;
mod scattered;
mod stale;
mod template_field;

use crate::checks::scraping::needs::ScrapingServer;
use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{Family, View};
use promgen_resources::api::{PrometheusRule, Resource as _, Rule, RuleGroup};
use promgen_resources::http_config::filled;
use promgen_text::diag::Sink;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::NodeText;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &duplicate::DUPLICATE_RULE,
        &scattered::SCATTERED_RULE,
        &stale::STALE_RECORDING,
        &stale::STALE_SCRAPE,
        &dropped_label::DROPPED_LABEL,
        &repeated::REPEATED_RULES,
        &expression::FUTILE_QUANTILE,
        &expression::PATTERN_AS_TEXT,
        &expression::SEVERITY_ANNOTATION,
        &empty::EMPTY_DURATION,
        &template_field::UNKNOWN_TEMPLATE_FIELD,
    ],
    check,
};

fn check(model: &View<'_>, sink: &mut Sink) {
    let evaluators = evaluators(model);
    let read = read(model);
    for (key, resource) in &model.cluster.prometheus_rules {
        duplicate::check(resource, sink);
        empty::check(resource, sink);
        dropped_label::check(resource, sink);
        template_field::check(resource, sink);
        expression::check(resource, sink);
        if !read.contains(key.as_str()) {
            expression::unread(resource, sink);
        }
        for evaluator in evaluators.get(key.as_str()).into_iter().flatten() {
            scattered::check(*evaluator, resource, sink);
            stale::recordings(*evaluator, resource, sink);
        }
    }
    for server in servers(model) {
        stale::scrapes(server, sink);
        repeated::check(server, sink);
    }
}

fn servers<'a>(model: &'a View<'a>) -> impl Iterator<Item = ScrapingServer<'a>> {
    ScrapingServer::all(model).filter(|server| server.own.server.is_some())
}

/// The PrometheusRules that a workload reads, or one that stands in for those elsewhere.
fn read(model: &View<'_>) -> BTreeSet<String> {
    let selected = model
        .workloads
        .iter()
        .flat_map(|of| of.selected.resources());
    let rules = selected.filter(|(kind, _)| *kind == PrometheusRule::KIND);
    rules.map(|(_, resource)| resource.key()).collect()
}

/// The servers that evaluate each PrometheusRule, by its `namespace/name`.
fn evaluators<'a>(model: &'a View<'a>) -> BTreeMap<String, Vec<ScrapingServer<'a>>> {
    let mut evaluators: BTreeMap<String, Vec<ScrapingServer<'a>>> = BTreeMap::new();
    for server in servers(model) {
        for resource in server.workload.selected.accepted_of(PrometheusRule::KIND) {
            evaluators.entry(resource.key()).or_default().push(server);
        }
    }
    evaluators
}

/// The rules of a resource, each with the index of its group and its own index.
fn rules(doc: DocId, resource: &PrometheusRule) -> impl Iterator<Item = PlacedRule<'_>> {
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
struct PlacedRule<'r> {
    at: At,
    group: &'r RuleGroup,
    rule: &'r Rule,
}

impl<'r> PlacedRule<'r> {
    /// What it makes, as its field is called, and the name of that: that of a recording rule counts.
    fn made(&self) -> Option<(&'static str, &'r str)> {
        let named = |what, name: &'r Option<String>| Some((what, filled(name.as_deref())?));
        named("record", &self.rule.record).or_else(|| named("alert", &self.rule.alert))
    }

    /// The labels that it sets, those of its group among them.
    fn labels(&self) -> impl Iterator<Item = (&'r NodeText, &'r NodeText)> {
        let of_group = self.group.labels.iter().flatten();
        of_group.chain(self.rule.labels.iter().flatten())
    }
}

#[cfg(test)]
mod tests;
