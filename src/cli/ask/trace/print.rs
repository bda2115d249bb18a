//! Prints traces of targets as text and as JSON.

use std::io::{self, Write};

use crate::cli::ask::trace::Traced;
use crate::cli::ask::traced::show::{
    Paint, label_list, label_name, labels_value, origin, origin_value, rule_line, shown, title,
};
use crate::cli::json;
use crate::cli::report::one_line;
use promgen_compile::workload::origins::LazyRuleOrigins;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::trace::scraped::scraped;
use promgen_targets::trace::{Step, runs_on_every_node};
use promgen_text::source::Sources;
use promgen_text::yaml::{Map, Value};

/// The texts that rules come from, and where they stand in them.
type RulePlaces<'a> = (&'a Sources, &'a LazyRuleOrigins<'a>);

/// The change of a label by a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelChange<'l> {
    Added(&'l str, &'l str),
    Changed(&'l str, &'l str, &'l str),
    Removed(&'l str, &'l str),
}

/// The changes of labels, by name.
fn changes<'l>(before: &'l LabelSet, after: &'l LabelSet) -> Vec<LabelChange<'l>> {
    let removed = before.iter().filter(|(name, _)| after.get(name).is_empty());
    let removed = removed.map(|(name, value)| (name, LabelChange::Removed(name, value)));
    let others = after
        .iter()
        .filter_map(|(name, value)| match before.get(name) {
            "" => Some((name, LabelChange::Added(name, value))),
            was if was == value => None,
            was => Some((name, LabelChange::Changed(name, was, value))),
        });
    let mut all: Vec<_> = removed.chain(others).collect();
    all.sort_by_key(|(name, _)| *name);
    all.into_iter().map(|(_, change)| change).collect()
}

/// A paragraph for each target, and a few lines for each rule.
pub(super) fn text(
    traced: &[Traced<'_, '_>],
    places: RulePlaces<'_>,
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, traced) in traced.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let shard = match runs_on_every_node(traced.checked.subject.workload) {
            true => String::new(),
            false => format!(", shard {}", traced.trace.shard),
        };
        writeln!(out, "{}", paint.bold(&(title(traced.checked) + &shard)))?;
        for (name, value) in traced.trace.before.iter() {
            writeln!(out, "  {}={}", label_name(name), shown(value))?;
        }
        let mut before = &traced.trace.before;
        for step in &traced.trace.steps {
            writeln!(out, "{}", head(traced, step, places))?;
            writeln!(out, "  {}", paint.dim(&rule_line(&step.shown)))?;
            let Some(after) = &step.after else { continue };
            for change in changes(before, after) {
                writeln!(out, "  {}", line(change, paint))?;
            }
            before = after;
        }
        writeln!(out, "{}", end(traced, paint))?;
    }
    Ok(())
}

/// `rule 3 of 17, spec.shards of Prometheus/shop/main (prometheus.yaml:7:11)`.
fn head(traced: &Traced<'_, '_>, step: &Step, (sources, origins): RulePlaces<'_>) -> String {
    let subject = traced.checked.subject;
    let job = &subject.job;
    let origin = origin(
        origins.of(&subject.workload.id).of(job).get(step.rule),
        job,
        sources,
    );
    format!("rule {} of {}, {origin}", step.rule + 1, job.rules().len())
}

fn line(change: LabelChange<'_>, paint: Paint) -> String {
    match change {
        LabelChange::Added(name, value) => {
            paint.green(&format!("+ {}={}", label_name(name), shown(value)))
        }
        LabelChange::Removed(name, value) => {
            paint.red(&format!("- {}={}", label_name(name), shown(value)))
        }
        LabelChange::Changed(name, was, is) => paint.yellow(&format!(
            "~ {}={} was {}",
            label_name(name),
            shown(is),
            shown(was)
        )),
    }
}

/// The result of the trace.
fn end(traced: &Traced<'_, '_>, paint: Paint) -> String {
    let subject = traced.checked.subject;
    let Some(labels) = traced.trace.kept() else {
        let Some(step) = traced.trace.dropped() else {
            return String::new();
        };
        return paint.red(&format!(
            "dropped by rule {}, which sees {}",
            step.rule + 1,
            shown(&step.value)
        ));
    };
    match scraped(labels, subject.job, subject.workload.prometheus.as_ref()) {
        Ok(scraped) => {
            let head = paint.green(&format!("scraped: {}", one_line(&scraped.url)));
            format!("{head}\n  {}", label_list(&scraped.labels))
        }
        Err(why) => paint.red(&format!("kept, but not scraped: {}", one_line(&why))),
    }
}

/// A list of targets with all steps.
pub(super) fn json(
    traced: &[Traced<'_, '_>],
    places: RulePlaces<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let values: Vec<Value> = traced
        .iter()
        .map(|traced| value(traced, places).into())
        .collect();
    json::write_list("trace", "targets", values, out)
}

fn value(traced: &Traced<'_, '_>, (sources, origins): RulePlaces<'_>) -> Map {
    let Traced { checked, trace } = traced;
    let (subject, target) = (checked.subject, &checked.target);
    let mut map = Map::new()
        .with("workload", subject.workload.id.to_string())
        .with("job", subject.job.name.clone())
        .with("shard", trace.shard)
        .with("address", target.labels.get("__address__").to_owned());
    map.push_some(
        "source",
        Some(target.source.clone()).filter(|source| !source.is_empty()),
    );
    map.push_some("node", target.node.clone());
    let (mut before, mut steps) = (&trace.before, Vec::with_capacity(trace.steps.len()));
    let origins = origins.of(&subject.workload.id);
    for step in &trace.steps {
        let job = &subject.job;
        let mut entry = Map::new()
            .with("rule", step.rule as u64 + 1)
            .with("config", step.shown.clone())
            .with(
                "origin",
                origin_value(origins.of(job).get(step.rule), job, sources),
            )
            .with("value", step.value.clone())
            .with("before", labels_value(before));
        entry.push(
            "after",
            step.after.as_ref().map_or(Value::Null, labels_value),
        );
        steps.push(Value::from(entry));
        before = step.after.as_ref().unwrap_or(before);
    }
    map.push("steps", steps);
    map.push("kept", trace.kept().is_some());
    if let Some(labels) = trace.kept() {
        match scraped(labels, subject.job, subject.workload.prometheus.as_ref()) {
            Ok(scraped) => {
                map.push("url", scraped.url);
                map.push("labels", labels_value(&scraped.labels));
            }
            Err(why) => map.push("error", why),
        }
    }
    map.push_some(
        "droppedBy",
        trace.dropped().map(|step| step.rule as u64 + 1),
    );
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_by_name() {
        let before: LabelSet = [("a", "1"), ("b", "2"), ("d", "4")].into_iter().collect();
        let after: LabelSet = [("a", "1"), ("b", "x"), ("c", "3")].into_iter().collect();
        assert_eq!(
            changes(&before, &after),
            [
                LabelChange::Changed("b", "2", "x"),
                LabelChange::Added("c", "3"),
                LabelChange::Removed("d", "4")
            ]
        );
    }
}
