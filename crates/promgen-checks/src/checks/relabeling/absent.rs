//! Labels that a rule reads before they are set, or after they are removed.

use crate::checks::relabeling::DROPS_EVERYTHING;
use std::collections::BTreeMap;

use crate::checks::relabeling::list::{ListedRule, Patterns, RuleList, Stage};
use promgen_prometheus::relabel::{Action, Reach};
use promgen_text::diag::{Diagnostic, Level, LintRule, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds rules that read a label that no target has at that point: no earlier rule sets it, or an earlier rule removes it.
    ///
    /// ## Why is this bad?
    /// The label is empty. So a `keep` drops everything, a `drop` drops nothing, and a copy removes the label that it should
    /// set. Prometheus sets `instance` after all rules. Only `metricRelabelings` see the names of metrics (`__name__`).
    ///
    /// A rule that writes the same whatever it reads is information: it does what it says.
    ///
    /// False positives: a Prometheus or scrape class that is not in the input may set the label.
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
    ///     relabelings:
    ///     - {sourceLabels: [instance], targetLabel: host, regex: "(.*):.*"}
    /// ```
    /// Use instead: a label that exists.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__address__], targetLabel: host, regex: "(.*):.*"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: `instance` defaults to the address if it is empty after relabeling.
    ABSENT_LABEL = "PG402" "absent-label" Warning: "a rule that reads a label before it is set, or after it is removed";

    /// ## What it does
    /// Finds `metricRelabelings` that read labels of the discovery, or other labels that begin with two underscores.
    ///
    /// ## Why is this bad?
    /// Samples do not have those labels. They are empty, so a `keep` drops everything and a `drop` drops nothing. A rule that
    /// writes the same whatever it reads is information.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: node}
    /// ```
    /// Use instead: `relabelings`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__meta_kubernetes_pod_node_name], targetLabel: node}
    /// ```
    ///
    /// ## Source
    /// Prometheus: samples do not get the labels of targets that begin with `__`.
    DISCOVERY_LABEL = "PG406" "discovery-label-on-samples" Warning: "metricRelabelings that read labels that samples do not have";
}

/// The help where a rule does not depend on what it reads.
const WRITES_THE_SAME: &str =
    "the rule writes the same whatever it reads: without `sourceLabels` it does, too";

/// The number of preceding label-removing rules that are checked.
const MAX_REMOVERS: usize = 16;

/// Checks the labels that the rules of a list read.
pub(super) fn check(list: &RuleList<'_>, patterns: &mut Patterns, sink: &mut Sink) {
    let mut seen = PrecedingRules::default();
    for (index, step) in list.steps.iter().enumerate() {
        let sources = step.sources().iter().enumerate();
        let compared =
            matches!(step.action, Action::KeepEqual | Action::DropEqual).then(|| step.target());
        let read = sources
            .map(|(number, name)| (Some(number), name.as_str()))
            .chain(compared.map(|name| (None, name)));
        let absent: Vec<_> = read
            .filter_map(|(n, name)| Some((n, name, seen.why_not(list, name, patterns)?)))
            .collect();
        let are_all_absent = absent.len() == step.sources().len() && !absent.is_empty();
        let drops = are_all_absent && drops_what_is_empty(*step, patterns);
        for (number, name, why) in absent {
            let at = match number {
                Some(number) => list.field(index, "sourceLabels").index(number),
                None => list.field(index, "targetLabel"),
            };
            let finding = match step.constant() {
                Some(_) => finding(list, at, name, why)
                    .level(Level::Info)
                    .helps([WRITES_THE_SAME]),
                None => finding(list, at, name, why).helps(drops.then_some(DROPS_EVERYTHING)),
            };
            sink.report(finding);
        }
        copies_discovery(list, index, *step, sink);
        seen.step(index, *step);
    }
}

/// Returns whether a rule drops everything if its sources are empty.
fn drops_what_is_empty(step: ListedRule<'_>, patterns: &mut Patterns) -> bool {
    let joined = vec![""; step.sources().len()].join(step.separator());
    step.action == Action::Keep && patterns.is_match(step.regex(), &joined) == Some(false)
}

/// A `labelmap` of discovery labels on samples, which have none.
fn copies_discovery(list: &RuleList<'_>, index: usize, step: ListedRule<'_>, sink: &mut Sink) {
    let pattern = step.regex().trim_start_matches(['^', '(']);
    let is_for_discovery = pattern.starts_with("__meta_") && !pattern.contains('|');
    if list.stage == Stage::Sample && step.action == Action::LabelMap && is_for_discovery {
        let message = "samples have no labels of the discovery, so this copies nothing".to_owned();
        let finding = Diagnostic::new(&DISCOVERY_LABEL, list.field(index, "regex"), message);
        sink.report(finding.help("move the rule to `relabelings`, where these labels exist"));
    }
}

fn finding(list: &RuleList<'_>, at: At, name: &str, why: Why) -> Diagnostic {
    let (rule, message, help): (&'static LintRule, String, String) = match (why, list.stage) {
        (Why::Removed(by), _) => {
            let message = format!("an earlier rule removes the label `{name}`");
            let finding = Diagnostic::new(&ABSENT_LABEL, at, message).related(list.rule(by), "removed by this rule");
            return finding.help("read the label before that rule");
        }
        (Why::NeverSet, Stage::Sample) => (
            &DISCOVERY_LABEL,
            format!("samples have no label `{name}`: it is always empty here"),
            "copy it into a label without `__` in `relabelings` and read that label, or move the rule to `relabelings`"
                .to_owned(),
        ),
        (Why::NeverSet, Stage::Target) if name == "__name__" => (
            &ABSENT_LABEL,
            "targets have no label `__name__`: only samples have it".to_owned(),
            "move the rule to `metricRelabelings`".to_owned(),
        ),
        (Why::NeverSet, Stage::Target) if name == "instance" => (
            &ABSENT_LABEL,
            "targets have no label `instance` yet: Prometheus sets it after all rules".to_owned(),
            "read `__address__`, the default of `instance`".to_owned(),
        ),
        (Why::NeverSet, Stage::Target) => (
            &ABSENT_LABEL,
            format!("targets have no label `{name}` here: no earlier rule sets it"),
            "set it in an earlier rule, or read the corresponding label of the discovery, `__meta_...`; ignore this \
             if a Prometheus or scrape class that is not in the input sets it"
                .to_owned(),
        ),
    };
    Diagnostic::new(rule, at, message).help(help)
}

/// Why a label is missing.
#[derive(Clone, Copy, Debug)]
enum Why {
    /// Nothing sets it.
    NeverSet,
    /// The rule of that index removes it.
    Removed(usize),
}

/// The effect of the preceding rules.
#[derive(Debug, Default)]
struct PrecedingRules<'a> {
    /// The last rule that sets a label, by its name.
    set: BTreeMap<&'a str, usize>,
    /// The last rule that may set any label.
    any: Option<usize>,
    /// The rules that remove labels.
    removers: Vec<(usize, ListedRule<'a>)>,
}

impl<'a> PrecedingRules<'a> {
    fn step(&mut self, index: usize, step: ListedRule<'a>) {
        match step.reach() {
            Reach::Label(_) if step.constant() == Some("") => self.removers.push((index, step)),
            Reach::Label(name) => drop(self.set.insert(name, index)),
            Reach::Anything => self.any = Some(index),
            Reach::Deletes => self.removers.push((index, step)),
            Reach::Nothing => {}
        }
    }

    /// Why the label is missing; `None` if it may exist.
    fn why_not(&self, list: &RuleList<'_>, name: &str, patterns: &mut Patterns) -> Option<Why> {
        let since = self.any.max(self.set.get(name).copied());
        let later = self
            .removers
            .iter()
            .rev()
            .take(MAX_REMOVERS)
            .filter(|(index, _)| Some(*index) > since);
        for (index, remover) in later {
            if remover.removes(name, patterns) {
                return Some(Why::Removed(*index));
            }
        }
        let may_have = match list.stage {
            Stage::Target => list.given.may_have(name),
            Stage::Sample => list.given.sample_may_have(name),
        };
        (since.is_none() && !may_have).then_some(Why::NeverSet)
    }
}
