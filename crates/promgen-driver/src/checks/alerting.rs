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

use std::collections::{BTreeMap, BTreeSet};

use crate::checks::{Family, View};
use promgen_compile::output::{Workload, WorkloadKind};
use promgen_resources::api::PrometheusRule;
use promgen_resources::api::servers::prometheus::PrometheusSpec;
use promgen_text::diag::Sink;

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
            scattered::check(evaluator, resource, sink);
            stale::recordings(evaluator, resource, sink);
        }
    }
    for server in servers(model) {
        stale::scrapes(&server, sink);
        repeated::check(&server, model.cluster, sink);
    }
}

/// A compiled server.
#[derive(Clone, Copy, Debug)]
struct Server<'a> {
    spec: &'a PrometheusSpec,
    compiled: &'a Workload,
}

impl Server<'_> {
    /// `Prometheus monitoring/k8s`
    fn what(&self) -> String {
        let id = &self.compiled.id;
        format!("{} {}/{}", id.kind.kind(), id.namespace, id.name)
    }
}

fn servers<'a>(model: &View<'a>) -> impl Iterator<Item = Server<'a>> {
    let (workloads, cluster) = (model.workloads, model.cluster);
    workloads
        .iter()
        .filter(|workload| workload.id.kind == WorkloadKind::Prometheus)
        .filter_map(move |compiled| {
            let key = format!("{}/{}", compiled.id.namespace, compiled.id.name);
            let resource = cluster.prometheuses.get(key.as_str())?;
            Some(Server {
                spec: &resource.value.spec,
                compiled,
            })
        })
}

/// The PrometheusRules that a workload reads, or one that stands in for those elsewhere.
fn read(model: &View<'_>) -> BTreeSet<String> {
    let kinds = model
        .workloads
        .iter()
        .flat_map(|workload| &workload.selected.kinds);
    let resources = kinds
        .filter(|kind| kind.kind == "PrometheusRule")
        .flat_map(|kind| &kind.resources);
    resources
        .map(|resource| format!("{}/{}", resource.namespace, resource.name))
        .collect()
}

/// The servers that evaluate each PrometheusRule, by its `namespace/name`.
fn evaluators<'a>(model: &View<'a>) -> BTreeMap<String, Vec<Server<'a>>> {
    let mut evaluators: BTreeMap<String, Vec<Server<'a>>> = BTreeMap::new();
    for server in servers(model) {
        let kinds = server
            .compiled
            .selected
            .kinds
            .iter()
            .filter(|kind| kind.kind == "PrometheusRule");
        for resource in kinds
            .flat_map(|kind| &kind.resources)
            .filter(|resource| resource.refusal.is_none())
        {
            evaluators
                .entry(format!("{}/{}", resource.namespace, resource.name))
                .or_default()
                .push(server);
        }
    }
    evaluators
}

/// The rules of a resource, each with the index of its group and its own index.
fn rules(
    resource: &PrometheusRule,
) -> impl Iterator<
    Item = (
        usize,
        usize,
        &promgen_resources::api::servers::rule::RuleGroup,
        &promgen_resources::api::servers::rule::Rule,
    ),
> {
    let groups = resource.spec.groups.iter().flatten().enumerate();
    groups.flat_map(|(group_index, group)| {
        let rules = group.rules.iter().flatten().enumerate();
        rules.map(move |(rule_index, rule)| (group_index, rule_index, group, rule))
    })
}

#[cfg(test)]
mod tests;
