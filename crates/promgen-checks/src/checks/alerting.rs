//! Checks on alerting and recording rules.
//!
//! Selection already reports invalid expressions and templates. These checks report valid rules that are likely mistakes:
//! duplicate rules, rules that one shard cannot evaluate alone, and series that go stale between two samples.

mod dropped_label;
mod duplicate;
mod empty;
pub(in crate::checks) mod expression;
mod name_template;
mod repeated;
mod scattered;
mod stale;
mod template_field;

use promgen_model::scraping::needs::ScrapingServer;
use std::collections::{BTreeMap, BTreeSet};

use crate::checks::Family;
use promgen_model::model::World;
use promgen_resources::api::{PrometheusRule, Resource as _};
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        duplicate::RULES,
        scattered::RULES,
        stale::RULES,
        dropped_label::RULES,
        repeated::RULES,
        expression::RULES,
        empty::RULES,
        template_field::RULES,
        name_template::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    let evaluators = evaluators(model);
    let read = read(model);
    for (key, resource) in &model.cluster().prometheus_rules {
        duplicate::check(resource, sink);
        empty::check(resource, sink);
        dropped_label::check(resource, sink);
        template_field::check(resource, sink);
        name_template::check(resource, sink);
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

fn servers<'a>(model: &'a World<'a>) -> impl Iterator<Item = ScrapingServer<'a>> {
    ScrapingServer::all(model).filter(|server| server.own.server.is_some())
}

/// The PrometheusRules that a workload reads, or one that stands in for those elsewhere.
fn read(model: &World<'_>) -> BTreeSet<String> {
    let selected = model
        .workloads
        .iter()
        .flat_map(|of| of.selected.resources());
    let rules = selected.filter(|(kind, _)| *kind == PrometheusRule::KIND);
    rules.map(|(_, resource)| resource.key()).collect()
}

/// The servers that evaluate each PrometheusRule, by its `namespace/name`.
fn evaluators<'a>(model: &'a World<'a>) -> BTreeMap<String, Vec<ScrapingServer<'a>>> {
    let mut evaluators: BTreeMap<String, Vec<ScrapingServer<'a>>> = BTreeMap::new();
    for server in servers(model) {
        for resource in server.workload.selected.accepted_of(PrometheusRule::KIND) {
            evaluators.entry(resource.key()).or_default().push(server);
        }
    }
    evaluators
}

#[cfg(test)]
mod tests;
