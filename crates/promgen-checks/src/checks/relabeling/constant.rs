//! Identifying labels that a rule sets to the same value for all targets or metrics.

use crate::checks::relabeling::list::{ListedRule, RuleList, Stage};
use promgen_prometheus::relabel::{Action, Reach};
use promgen_text::diag::{Diagnostic, Level, Sink, rules};

rules! {
    /// ## What it does
    /// Finds rules that unconditionally give all targets the same `__address__` or `instance`, or all samples the same name.
    /// The level is info for `instance` of pods and services, which other labels distinguish.
    ///
    /// ## Why is this bad?
    /// All targets become one, or their series have the same labels: of two samples, one is lost.
    ///
    /// False positives: there may be only one target. Rules that also set a parameter or path per target, as for an exporter
    /// that probes other targets, are not reported.
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
    ///     relabelings:
    ///     - {targetLabel: __address__, replacement: "exporter:9100"}
    /// ```
    /// Use instead: a parameter with the target that the exporter probes.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__address__], targetLabel: __param_target}
    ///     - {targetLabel: __address__, replacement: "exporter:9100"}
    /// ```
    SAME_FOR_ALL = "PG404" "same-for-all" Warning: "a rule that makes targets or metrics identical";
}

/// Checks the constants that the rules of a list set.
pub(super) fn check(list: &RuleList<'_>, sink: &mut Sink) {
    for (index, step) in list.steps.iter().enumerate() {
        let Some(text) = step.constant().filter(|text| !text.is_empty()) else {
            continue;
        };
        let Some((level, effect, help)) = effect(list, index, step.target()) else {
            continue;
        };
        let message = format!("`{}` becomes `{text}` for all: {effect}", step.target());
        let at = list.field(index, "replacement");
        sink.report(
            Diagnostic::new(&SAME_FOR_ALL, at, message)
                .level(level)
                .help(help),
        );
    }
}

/// Level, effect and help of setting that label to a constant.
fn effect(
    list: &RuleList<'_>,
    index: usize,
    target: &str,
) -> Option<(Level, &'static str, &'static str)> {
    let is_single = list.n_targets.is_some_and(|n| n < 2);
    let (before, after) = (list.steps.get(..index)?, list.steps.get(index + 1..)?);
    // A later rule may set it again.
    if after.iter().any(|step| step.may_write(target)) {
        return None;
    }
    match (list.stage, target) {
        (Stage::Target, "__address__") if !list.is_probe && !is_single && !list.is_class => {
            let is_distinct = before.iter().chain(after).any(|step| distinguishes(*step));
            (!is_distinct).then_some((
                Level::Warning,
                "they become the same target",
                "for an exporter that probes other targets, copy the address into `__param_target` first; ignore this if there is \
                 only one target",
            ))
        }
        (Stage::Target, "instance") if !is_single && !list.is_class => {
            let is_distinct = before.iter().chain(after).any(|step| is_copy(*step));
            let by_pod = list.n_targets.is_none();
            let level = if by_pod || is_distinct {
                Level::Info
            } else {
                Level::Warning
            };
            Some((
                level,
                "only other labels distinguish their series",
                "copy a label that differs into `instance`; ignore this if there is only one target",
            ))
        }
        (Stage::Sample, "__name__") => {
            let is_chosen = before
                .iter()
                .any(|step| matches!(step.action, Action::Keep | Action::Drop));
            (!is_chosen && !list.is_class).then_some((
                Level::Warning,
                "all metrics become the same one",
                "name the metric to rename: `sourceLabels: [__name__]` and a `regex`",
            ))
        }
        _ => None,
    }
}

/// Returns whether a rule makes requests differ from target to target although the address is the same.
fn distinguishes(step: ListedRule<'_>) -> bool {
    let is_of_request = |name: &str| {
        name.starts_with("__param_") || matches!(name, "__metrics_path__" | "__scheme__")
    };
    varies(step, is_of_request)
}

/// Returns whether a rule gives series a label that may differ from target to target.
fn is_copy(step: ListedRule<'_>) -> bool {
    varies(step, |name| !name.starts_with("__"))
}

fn varies(step: ListedRule<'_>, is_such: impl FnOnce(&str) -> bool) -> bool {
    match step.reach() {
        Reach::Label(name) => is_such(name) && step.constant().is_none(),
        Reach::Anything => true,
        Reach::Nothing | Reach::Deletes => false,
    }
}
