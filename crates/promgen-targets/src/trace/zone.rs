//! Why no shard of a topology-sharded workload keeps a target.
//!
//! In: a verdict that no shard keeps the target. Out: the problem with its zone, if that is the reason. The labels with
//! the zone are read from the rules, so that they are those of the dialect and of the cluster's version.

use crate::trace::{Tracer, Verdict};
use promgen_compile::output::Workload;
use promgen_compile::sharding::{TOPOLOGY_LABEL, mentions_zone};
use promgen_text::yaml::Value;

/// The problem with the zone of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZoneFault {
    /// It has none.
    Missing {
        /// The labels from which the rules read it.
        labels: Vec<String>,
        /// A rule of the user may set it, in the label of the operator's own rules.
        can_be_set: bool,
    },
    /// It is not listed.
    Unlisted(String),
    /// It is listed, but has no shard.
    Uncovered(String),
}

/// The problem with the zone of a target, if every shard drops it because of its zone.
#[must_use]
pub fn fault(workload: &Workload, tracer: &Tracer<'_>, verdict: &Verdict) -> Option<ZoneFault> {
    let zones = &workload.plan.zones;
    if zones.is_empty() || !verdict.kept.is_empty() || !verdict.is_target {
        return None;
    }
    let rules = tracer.job.rules();
    let is_about_zone = |rule: usize| {
        let regex = rules.get(rule).and_then(|rule| rule.text_of("regex"));
        regex.is_some_and(mentions_zone)
    };
    if !verdict
        .dropped
        .iter()
        .all(|(_, dropped)| is_about_zone(dropped.rule))
    {
        return None;
    }
    let (_, dropped) = verdict.dropped.first()?;
    // The operator's rule looks at two labels, of which the first is the zone.
    let zone = dropped
        .value
        .split(';')
        .next()
        .unwrap_or_default()
        .to_owned();
    Some(if zone.is_empty() {
        missing(rules, rules.get(dropped.rule)?)
    } else if zones.contains(&zone) {
        ZoneFault::Uncovered(zone)
    } else {
        ZoneFault::Unlisted(zone)
    })
}

/// The discovery labels from which rules read a zone: the source labels of the collecting rule, or of the rule itself.
fn missing(rules: &[Value], keeps: &Value) -> ZoneFault {
    let sources = |rule: &Value| {
        let names = rule
            .items_of("source_labels")
            .iter()
            .filter_map(Value::as_str);
        names
            .filter(|name| !name.contains("labelpresent"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let gathers = |rule: &&Value| rule.text_of("target_label") == Some(TOPOLOGY_LABEL);
    let gathered = rules
        .iter()
        .filter(gathers)
        .flat_map(sources)
        .filter(|name| name != TOPOLOGY_LABEL);
    let gathered: Vec<_> = gathered.collect();
    let can_be_set = !gathered.is_empty();
    ZoneFault::Missing {
        labels: if can_be_set { gathered } else { sources(keeps) },
        can_be_set,
    }
}
