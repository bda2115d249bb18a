//! Drops the fields that the target does not support.

use crate::select::rule_files::{RuleEvaluator, RuleTarget};
use promgen_resources::api::{PrometheusRuleSpec, RuleGroup};
use promgen_resources::gates::Gate;
use promgen_text::route::{Path, ValueRoute};

/// Drops the fields that the target does not support, and returns their gates. Operator: `sanitizePrometheusRulesSpec`.
pub(super) fn sanitize(
    spec: &mut PrometheusRuleSpec,
    target: RuleTarget<'_>,
) -> Vec<(&'static Gate, ValueRoute)> {
    let (gates, root) = (target.gates(), Path::root());
    let path = root.key("spec");
    let groups = path.key("groups");
    let mut dropped = FieldDropper {
        target,
        fields: Vec::new(),
    };
    for (index, group) in spec.groups.iter_mut().flatten().enumerate() {
        if target.reader == RuleEvaluator::Prometheus {
            // Only Thanos has it; a resource may be for both.
            group.partial_response_strategy = None;
        }
        let path = groups.index(index);
        // Empty labels lose nothing, and nothing is reported about them.
        if group
            .labels
            .as_ref()
            .is_some_and(|labels| !labels.is_empty())
        {
            dropped.field(&mut group.labels, gates.group_labels, &path.key("labels"));
        }
        dropped.field(&mut group.limit, gates.group_limit, &path.key("limit"));
        dropped.field(
            &mut group.query_offset,
            gates.group_query_offset,
            &path.key("query_offset"),
        );
        rules(group, gates.keep_firing_for, &path, &mut dropped);
    }
    dropped.fields
}

fn rules(
    group: &mut RuleGroup,
    keep_firing_for: &'static Gate,
    path: &Path<'_>,
    dropped: &mut FieldDropper<'_>,
) {
    let rules = path.key("rules");
    for (index, rule) in group.rules.iter_mut().flatten().enumerate() {
        let path = rules.index(index);
        dropped.field(
            &mut rule.keep_firing_for,
            keep_firing_for,
            &path.key("keep_firing_for"),
        );
    }
}

/// Collects dropped fields.
struct FieldDropper<'a> {
    target: RuleTarget<'a>,
    fields: Vec<(&'static Gate, ValueRoute)>,
}

impl FieldDropper<'_> {
    /// Takes a field out that the version lacks.
    fn field<T>(&mut self, field: &mut Option<T>, gate: &'static Gate, path: &Path<'_>) {
        if !self.target.versions.has(gate) && field.take().is_some() {
            self.fields.push((gate, path.to_route()));
        }
    }
}

/// Takes out durations that are there and empty.
pub(super) fn drop_empty_durations(spec: &mut PrometheusRuleSpec) {
    for group in spec.groups.iter_mut().flatten() {
        group.interval = group
            .interval
            .take()
            .filter(|interval| !interval.as_str().is_empty());
        for rule in group.rules.iter_mut().flatten() {
            rule.r#for = rule
                .r#for
                .take()
                .filter(|duration| !duration.as_str().is_empty());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_resources::api::Rule;
    use promgen_resources::api::scalar::Duration;

    #[test]
    fn empty_durations_go_and_others_stay() {
        let (empty, minute) = (|| Some(Duration::from("")), || Some(Duration::from("1m")));
        let group = |duration: &dyn Fn() -> Option<Duration>| RuleGroup {
            interval: duration(),
            rules: Some(vec![Rule {
                r#for: duration(),
                ..Rule::default()
            }]),
            ..RuleGroup::default()
        };
        let mut spec = PrometheusRuleSpec {
            groups: Some(vec![group(&empty), group(&minute)]),
        };
        drop_empty_durations(&mut spec);
        let found: Vec<_> = spec
            .groups
            .iter()
            .flatten()
            .map(|g| (&g.interval, &g.rules.as_ref().unwrap()[0].r#for))
            .collect();
        assert_eq!(found, [(&None, &None), (&minute(), &minute())]);
    }
}
