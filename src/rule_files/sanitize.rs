//! What goes before a resource becomes a file: fields that the target does not know.

use crate::api::{PrometheusRuleSpec, RuleGroup};
use crate::gates::{self, Gate, Versions};
use crate::route::{Path, Route};

/// Takes out what Prometheus does not know, and tells what the version is to blame for. Operator:
/// `sanitizePrometheusRulesSpec`.
pub(super) fn for_prometheus(spec: &mut PrometheusRuleSpec, versions: &Versions) -> Vec<(&'static Gate, Route)> {
    let root = Path::root();
    let path = root.key("spec");
    let groups = path.key("groups");
    let mut dropped = Vec::new();
    for (index, group) in spec.groups.iter_mut().flatten().enumerate() {
        // Only Thanos has it; a resource may be for both.
        group.partial_response_strategy = None;
        let path = groups.index(index);
        if group.labels.as_ref().is_some_and(|labels| !labels.is_empty()) {
            drop_field(&mut group.labels, &gates::RULE_GROUP_LABELS, versions, &path.key("labels"), &mut dropped);
        }
        drop_field(&mut group.limit, &gates::RULE_GROUP_LIMIT, versions, &path.key("limit"), &mut dropped);
        let (offset, offset_path) = (&mut group.query_offset, path.key("query_offset"));
        drop_field(offset, &gates::RULE_GROUP_QUERY_OFFSET, versions, &offset_path, &mut dropped);
        rules(group, versions, &path, &mut dropped);
    }
    dropped
}

fn rules(group: &mut RuleGroup, versions: &Versions, path: &Path<'_>, dropped: &mut Vec<(&'static Gate, Route)>) {
    let rules = path.key("rules");
    for (index, rule) in group.rules.iter_mut().flatten().enumerate() {
        let path = rules.index(index);
        let path = path.key("keep_firing_for");
        drop_field(&mut rule.keep_firing_for, &gates::RULE_KEEP_FIRING_FOR, versions, &path, dropped);
    }
}

fn drop_field<T>(
    field: &mut Option<T>,
    gate: &'static Gate,
    versions: &Versions,
    path: &Path<'_>,
    dropped: &mut Vec<(&'static Gate, Route)>,
) {
    if !versions.has(gate) && field.take().is_some() {
        dropped.push((gate, path.to_route()));
    }
}

/// Takes out durations that are there and empty.
pub(super) fn drop_empty_durations(spec: &mut PrometheusRuleSpec) {
    for group in spec.groups.iter_mut().flatten() {
        group.interval = group.interval.take().filter(|interval| !interval.as_str().is_empty());
        for rule in group.rules.iter_mut().flatten() {
            rule.r#for = rule.r#for.take().filter(|duration| !duration.as_str().is_empty());
        }
    }
}
