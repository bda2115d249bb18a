//! Prints traces of targets as text.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::cli::ask::trace::Traced;
use crate::cli::ask::trace::answer::{TraceStep, TracedTarget};
use crate::cli::ask::traced::answer::Scrape;
use crate::cli::ask::traced::show::{label_list, label_name, origin, rule_line, shown, title};
use crate::cli::json::Labels;
use crate::cli::paint::Paint;
use crate::cli::report::one_line;
use promgen_targets::trace::runs_on_every_node;
use promgen_text::CollectOrdered;

/// The change of a label by a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelChange<'l> {
    Added(&'l str, &'l str),
    Changed(&'l str, &'l str, &'l str),
    Removed(&'l str, &'l str),
}

/// The changes of labels, by name.
fn changes<'l>(before: &'l Labels, after: &'l Labels) -> Vec<LabelChange<'l>> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect_set();
    let change = |name: &'l String| match (before.get(name), after.get(name)) {
        (None, Some(is)) => Some(LabelChange::Added(name, is)),
        (Some(was), None) => Some(LabelChange::Removed(name, was)),
        (Some(was), Some(is)) if was != is => Some(LabelChange::Changed(name, was, is)),
        (Some(_), Some(_)) | (None, None) => None,
    };
    names.into_iter().filter_map(change).collect()
}

/// A paragraph for each target, and a few lines for each rule.
pub(super) fn text(
    answers: &[(&Traced<'_, '_>, TracedTarget)],
    paint: Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (index, (Traced { checked, trace }, answer)) in answers.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let shard = match runs_on_every_node(checked.subject.workload) {
            true => String::new(),
            false => format!(", shard {}", answer.shard),
        };
        writeln!(out, "{}", paint.bold(&(title(checked) + &shard)))?;
        for (name, value) in trace.before.iter() {
            writeln!(out, "  {}={}", label_name(name), shown(value))?;
        }
        let n_rules = checked.subject.job.rules().len();
        for TraceStep {
            rule,
            config,
            origin,
            before,
            after,
            ..
        } in &answer.steps
        {
            let origin = self::origin(origin);
            writeln!(out, "rule {rule} of {n_rules}, {origin}")?;
            writeln!(out, "  {}", paint.dim(&rule_line(config)))?;
            for change in after.iter().flat_map(|after| changes(before, after)) {
                writeln!(out, "  {}", line(change, paint))?;
            }
        }
        writeln!(out, "{}", end(answer, paint))?;
    }
    Ok(())
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
fn end(answer: &TracedTarget, paint: Paint) -> String {
    let Scrape { url, labels, error } = &answer.scrape;
    if let Some(why) = error {
        return paint.red(&format!("kept, but not scraped: {}", one_line(why)));
    }
    match (url, answer.dropped_by, answer.steps.last()) {
        (Some(url), _, _) => {
            let head = paint.green(&format!("scraped: {}", one_line(url)));
            format!("{head}\n  {}", label_list(labels.iter().flatten()))
        }
        (None, Some(rule), Some(last)) => paint.red(&format!(
            "dropped by rule {rule}, which sees {}",
            shown(&last.value)
        )),
        (None, _, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_come_by_name() {
        let labels = |labels: &[(&str, &str)]| -> Labels {
            let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
            labels.iter().map(owned).collect()
        };
        let before = labels(&[("a", "1"), ("b", "2"), ("d", "4")]);
        let after = labels(&[("a", "1"), ("b", "x"), ("c", "3")]);
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
