//! Rules that drop everything.

use std::collections::BTreeMap;

use crate::checks::relabelling::list::{List, Patterns, Stage, Step};
use promgen_compile::prometheus::relabel::{Action, Reach};
use promgen_text::diag::{Diagnostic, Sink, rule};

rule! {
    /// ## What it does
    /// Finds a `drop` that matches everything, and a `keep` that matches nothing: without a pattern, without labels, or on
    /// labels that a rule before has set to a certain text.
    ///
    /// ## Why is this bad?
    /// Nothing is left: no target, or none of what the targets tell.
    ///
    /// The doubt: somebody may want just that, for a while, or to see only whether a target is up.
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
    /// Prometheus: the default pattern is `(.*)`, and labels that are not there are empty.
    pub(in crate::checks) static DROPS_EVERYTHING = "PG403" "drops-everything" {
        summary: "a rule that drops everything", level: Warning, since: "0.1.0",
    }
}

/// Looks at the rules of a list that keep or drop.
pub(super) fn check(list: &List<'_>, patterns: &mut Patterns, sink: &mut Sink) {
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (index, step) in list.steps.iter().enumerate() {
        if let Some(message) = drops_everything(list.stage, *step, &known, patterns) {
            let finding = Diagnostic::new(&DROPS_EVERYTHING, list.field(index, "action"), message);
            let help = match step.sources() {
                [] => "name the labels to look at in `sourceLabels`",
                _ if step.matches_everything() => "say in `regex` what to drop",
                _ => "leave the rule out, or look at a label that differs",
            };
            sink.report(finding.help(help));
        }
        match step.reach() {
            Reach::Nothing => {}
            Reach::Label(name) => match step.constant() {
                Some(text) => drop(known.insert(name, text)),
                None => drop(known.remove(name)),
            },
            Reach::Deletes | Reach::Anything => known.clear(),
        }
    }
}

/// What a rule does, if it drops everything.
fn drops_everything(
    stage: Stage,
    step: Step<'_>,
    known: &BTreeMap<&str, &str>,
    patterns: &mut Patterns,
) -> Option<String> {
    let what = match stage {
        Stage::Target => "every target",
        Stage::Sample => "every sample",
    };
    match step.action {
        Action::Drop if step.matches_everything() => Some(format!("this drops {what}: everything matches")),
        Action::Keep | Action::Drop => {
            let names = step.sources().iter();
            let values: Vec<&str> = names.map(|name| known.get(name.as_str()).copied()).collect::<Option<_>>()?;
            let joined = values.join(step.separator());
            let is_match = patterns.is_match(step.regex(), &joined)?;
            (is_match == (step.action == Action::Drop)).then(|| {
                let (value, regex) = (shown(&joined), step.regex());
                let verb = if is_match { "matches" } else { "does not match" };
                let whose = if values.is_empty() { "without labels to look at, the text" } else { "the value" };
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
    if text.is_empty() { "empty".to_owned() } else { format!("`{text}`") }
}
