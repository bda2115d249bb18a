//! Labels that a monitor copies and that nothing it selects has.

use promgen_model::selection::named::Named;
use promgen_targets::resolve::labelled::Selectable;
use promgen_targets::resolve::others::is_of_controller;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds labels of `jobLabel`, `targetLabels` and `podTargetLabels` that none of the selected Services or pods in the input
    /// has. For labels of pods the level is info: something in the cluster may add them.
    ///
    /// ## Why is this bad?
    /// The label is not copied. `jobLabel` is the name of a label, not a value: without it, the job is called like the Service or
    /// PodMonitor.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   jobLabel: cart
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart-metrics, labels: {app: cart}}
    /// spec: {ports: [{name: metrics, port: 80}]}
    /// ```
    /// Use instead: the name of the label.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   jobLabel: app
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints: [{port: metrics}]
    /// ---
    /// apiVersion: v1
    /// kind: Service
    /// metadata: {name: cart-metrics, labels: {app: cart}}
    /// spec: {ports: [{name: metrics, port: 80}]}
    /// ```
    ABSENT_LISTED = "PG129" "absent-copied-label" Warning: "a label to copy that nothing selected has";
}

/// The labels that a monitor copies: the place and name of each, and whether it is a label of pods.
pub(super) struct CopiedLabels<'m> {
    pub(super) at: At,
    pub(super) label: &'m str,
    pub(super) of_pods: bool,
}

/// The labels of a list.
pub(super) fn list<'m>(
    spec: &At,
    field: &'static str,
    labels: Option<&'m Vec<String>>,
    of_pods: bool,
) -> Vec<CopiedLabels<'m>> {
    let labels = labels.into_iter().flatten().enumerate();
    let at = |index| spec.clone().key(field).index(index);
    labels
        .map(|(index, label)| CopiedLabels {
            at: at(index),
            label,
            of_pods,
        })
        .collect()
}

/// Checks labels against what the monitor selects.
pub(super) fn check<T: Selectable + Named>(
    copied: &[CopiedLabels<'_>],
    things: &[&T],
    noun: &str,
    sink: &mut Sink,
) {
    for CopiedLabels { at, label, of_pods } in copied {
        let is_there = things
            .iter()
            .any(|thing| thing.labels().contains_key(*label));
        if things.is_empty()
            || is_there
            || label.is_empty()
            || (*of_pods && is_of_controller(label))
        {
            continue;
        }
        let field = at.route.to_string().trim_start_matches("spec.").to_owned();
        let who = match things {
            [one] => format!("{} has no label `{label}`", one.what()),
            several => format!(
                "none of the {} {noun}s that it selects has a label `{label}`",
                several.len()
            ),
        };
        let field = field.split('[').next().unwrap_or_default();
        let finding = Diagnostic::new(
            &ABSENT_LISTED,
            at.clone(),
            format!("`{field}` names a label: {who}"),
        );
        let of_value = things
            .iter()
            .flat_map(|thing| thing.labels())
            .find(|(_, value)| value == label);
        // A job has a name without the label, too.
        let is_harmless = *of_pods || field == "jobLabel" && of_value.is_none();
        let finding = if is_harmless {
            finding.level(Level::Info)
        } else {
            finding
        };
        sink.report(match of_value {
            Some((key, _)) => finding.help(format!("`{label}` is the value of the label `{key}`: write `{key}`")),
            None if field == "jobLabel" => finding
                .help(format!("the job is called like the {noun} or the monitor: add the label, or remove the field")),
            None => finding.help("it copies nothing: add the label, or remove the field"),
        });
    }
}
