//! Rules that drop everything.

use std::collections::BTreeMap;

use crate::checks::relabeling::list::{ListedRule, Patterns, RuleList, Stage};
use promgen_prometheus::relabel::{Action, Reach};
use promgen_resources::unknown::is_later_text;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds a `drop` that matches everything, and a `keep` that matches nothing: without a pattern, without labels, on
    /// labels that an earlier rule sets to a constant, or where an earlier `keep` leaves nothing that the later one keeps.
    ///
    /// ## Why is this bad?
    /// No target is left, or no sample of the targets.
    ///
    /// False positives: this may be intended for a while, or to record only whether a target is up.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {sourceLabels: [__name__], action: drop}
    /// ```
    /// Use instead: a pattern.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {sourceLabels: [__name__], regex: "go_.*", action: drop}
    /// ```
    ///
    /// ## Source
    /// Prometheus: the default pattern is `(.*)`, and missing labels are empty.
    DROPS_EVERYTHING = "PG403" "drops-everything" Warning: "a rule that drops everything";
}

/// Checks the `keep` and `drop` rules of a list.
pub(super) fn check(list: &RuleList<'_>, patterns: &mut Patterns, sink: &mut Sink) {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    let mut kept: Vec<ListedRule<'_>> = Vec::new();
    for (index, step) in list.steps.iter().enumerate() {
        if let Some(earlier) = kept.iter().find(|of| leave_nothing(**of, *step, patterns)) {
            let (what, kept, regex) = (each(list.stage), earlier.regex(), step.regex());
            let message = match step.action {
                Action::Keep => {
                    format!("this drops {what}: what `{kept}` leaves never matches `{regex}`")
                }
                _ => format!("this drops {what}: only what matches `{kept}` is left"),
            };
            let finding = Diagnostic::new(&DROPS_EVERYTHING, list.field(index, "action"), message);
            sink.report(finding.help("keep all patterns in one rule, separated by `|`"));
            return;
        }
        if let Some(message) = drops_everything(list.stage, *step, &known, patterns) {
            let finding = Diagnostic::new(&DROPS_EVERYTHING, list.field(index, "action"), message);
            let help = match step.sources() {
                [] => "list the labels to match in `sourceLabels`",
                _ if step.matches_everything() => "set `regex` to a pattern of what to drop",
                _ => "remove the rule, or match a label that differs",
            };
            sink.report(finding.help(help));
        }
        match step.reach() {
            Reach::Nothing => {}
            Reach::Label(name) => {
                kept.retain(|of| of.sources().iter().all(|source| source != name));
                match step.constant() {
                    Some(text) => drop(known.insert(name, text)),
                    None => drop(known.remove(name)),
                }
            }
            Reach::Deletes | Reach::Anything => {
                known.clear();
                kept.clear();
            }
        }
        if step.action == Action::Keep && !is_later_text(step.regex()) {
            kept.push(*step);
        }
    }
}

/// Returns whether nothing is left after a `keep` and a later rule on the same labels.
fn leave_nothing(kept: ListedRule<'_>, later: ListedRule<'_>, patterns: &mut Patterns) -> bool {
    let is_same = kept.sources() == later.sources() && kept.separator() == later.separator();
    is_same
        && match later.action {
            Action::Keep => {
                !is_later_text(later.regex())
                    && patterns.exclude_each_other(kept.regex(), later.regex())
            }
            Action::Drop => kept.regex() == later.regex(),
            _ => false,
        }
}

const fn each(stage: Stage) -> &'static str {
    match stage {
        Stage::Target => "every target",
        Stage::Sample => "every sample",
    }
}

/// The message, if a rule drops everything.
fn drops_everything(
    stage: Stage,
    step: ListedRule<'_>,
    known: &BTreeMap<&str, &str>,
    patterns: &mut Patterns,
) -> Option<String> {
    let what = each(stage);
    match step.action {
        Action::Drop if step.matches_everything() => {
            Some(format!("this drops {what}: everything matches"))
        }
        Action::Keep | Action::Drop => {
            let names = step.sources().iter();
            let values: Vec<&str> = names
                .map(|name| known.get(name.as_str()).copied())
                .collect::<Option<_>>()?;
            let joined = values.join(step.separator());
            let is_match = patterns.is_match(step.regex(), &joined)?;
            (is_match == (step.action == Action::Drop)).then(|| {
                let (value, regex) = (shown(&joined), step.regex());
                let verb = if is_match {
                    "matches"
                } else {
                    "does not match"
                };
                let whose = if values.is_empty() {
                    "without source labels, the value"
                } else {
                    "the value"
                };
                format!("this drops {what}: {whose} is {value} for all, which {verb} `{regex}`")
            })
        }
        Action::Replace
        | Action::KeepEqual
        | Action::DropEqual
        | Action::HashMod
        | Action::LabelMap
        | Action::LabelDrop
        | Action::LabelKeep
        | Action::Lowercase
        | Action::Uppercase => None,
    }
}

fn shown(text: &str) -> String {
    if text.is_empty() {
        "empty".to_owned()
    } else {
        format!("`{text}`")
    }
}
