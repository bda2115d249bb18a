//! Rules that take away the labels by which the series of several targets differ.

use crate::checks::relabeling::list::{ListedRule, Patterns, RuleList, Stage};
use promgen_prometheus::relabel::{Action, Reach};
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds `metricRelabelings` that remove both `instance` and `pod`, by which the series of several pods differ.
    ///
    /// Not reported if the `relabelings` give targets another label of their own.
    ///
    /// ## Why is this bad?
    /// The series of all pods of a Service or PodMonitor become the same series. Prometheus keeps one sample of each time, and
    /// the metrics jump from pod to pod.
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
    ///     - {regex: instance|pod|container, action: labeldrop}
    /// ```
    /// Use instead: keep one of them.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {regex: instance|container, action: labeldrop}
    /// ```
    MERGED_SERIES = "PG410" "merged-series" Warning: "metricRelabelings that make the series of several pods the same";
}

/// The labels by which the pods of a monitor differ.
const TELL_APART: [&str; 2] = ["instance", "pod"];

/// Checks the rules for samples of targets that get no other label of their own.
pub(super) fn check(list: &RuleList<'_>, patterns: &mut Patterns, sink: &mut Sink) {
    let of_pods = TELL_APART
        .iter()
        .all(|label| *label == "instance" || list.given.fixed.contains(label));
    if list.stage != Stage::Sample || list.is_class || !of_pods {
        return;
    }
    let mut gone = [None::<usize>; 2];
    for (index, step) in list.steps.iter().enumerate() {
        for (label, gone) in TELL_APART.iter().zip(&mut gone) {
            if step.removes(label, patterns) {
                gone.get_or_insert(index);
            } else if step.may_write(label) {
                *gone = None;
            }
        }
    }
    let [Some(first), Some(second)] = gone else {
        return;
    };
    // A label that a rule of the samples copied from one of them tells them apart as well.
    let last = first.max(second);
    let copies = |step: &ListedRule<'_>| {
        step.sources()
            .iter()
            .any(|source| TELL_APART.contains(&source.as_str()))
            || step.action == Action::LabelMap
    };
    if list.steps.iter().take(last).any(copies) {
        return;
    }
    let message = "without `instance` and `pod`, the series of several pods are the same series";
    let finding = Diagnostic::new(&MERGED_SERIES, list.field(last, "regex"), message);
    let finding = if first == second {
        finding
    } else {
        finding.related(list.rule(first.min(second)), "removed here")
    };
    let keeps = list
        .steps
        .get(last)
        .is_some_and(|step| step.action == Action::LabelKeep);
    let help = if keeps {
        "add `instance` or `pod` to the labels to keep"
    } else {
        "keep `instance` or `pod`"
    };
    sink.report(
        finding
            .help(help)
            .help("ignore this if there is only one pod"),
    );
}

/// Returns whether rules give targets a label of their own.
pub(super) fn gives_another(targets: &[ListedRule<'_>]) -> bool {
    targets.iter().any(|step| match step.reach() {
        Reach::Label(name) => {
            !name.starts_with("__") && !TELL_APART.contains(&name) && step.constant().is_none()
        }
        Reach::Anything => true,
        Reach::Nothing | Reach::Deletes => false,
    })
}
