//! Rules that remove a required label of targets or samples.

use crate::checks::relabeling::list::{Patterns, RuleList, Stage};
use promgen_text::diag::{Diagnostic, Level, LintRule, Sink, rules};

rules! {
    /// ## What it does
    /// Finds `relabelings` that remove `__address__`: a `labeldrop` that matches it, a `labelkeep` that does not, or an empty
    /// replacement. The level is error; for a scrape class it is warning, because a monitor may set the address again.
    ///
    /// ## Why is this bad?
    /// Prometheus drops targets without an address.
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
    ///     - {action: labelkeep, regex: "job|namespace|pod"}
    /// ```
    /// Use instead: a pattern that keeps labels that begin with two underscores. Series never have those labels.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {action: labelkeep, regex: "__.*|job|namespace|pod"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: `PopulateLabels` refuses a target without `__address__` ("no address").
    ADDRESS_REMOVED = "PG405" "address-removed" Error: "a rule that removes the address of targets";

    /// ## What it does
    /// Finds `metricRelabelings` that remove `__name__`: a `labeldrop` that matches it, a `labelkeep` that does not, or an empty
    /// replacement. The level is error; for a scrape class it is warning, because a monitor may set the name again.
    ///
    /// ## Why is this bad?
    /// Prometheus refuses a sample without a name, and with it the whole scrape.
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
    ///     - {action: labelkeep, regex: "job|pod|le"}
    /// ```
    /// Use instead: a pattern that keeps the name.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {action: labelkeep, regex: "__name__|job|pod|le"}
    /// ```
    ///
    /// ## Source
    /// Prometheus: a scrape fails with "missing metric name (__name__ label)".
    NAME_REMOVED = "PG407" "name-removed" Error: "a rule that removes the names of metrics";
}

/// Checks what the rules of a list remove.
pub(super) fn check(list: &RuleList<'_>, patterns: &mut Patterns, sink: &mut Sink) {
    let (rule, name, effect): (&'static LintRule, _, _) = match list.stage {
        Stage::Target => (
            &ADDRESS_REMOVED,
            "__address__",
            "Prometheus drops targets without one",
        ),
        Stage::Sample => (
            &NAME_REMOVED,
            "__name__",
            "Prometheus refuses samples without one",
        ),
    };
    // The last rule that sets or removes the label decides.
    let last = list
        .steps
        .iter()
        .rposition(|step| step.may_write(name) || step.removes(name, patterns));
    let Some((index, step)) = last.and_then(|last| Some((last, list.steps.get(last)?))) else {
        return;
    };
    if step.may_write(name) {
        return;
    }
    let is_by_name = step.constant().is_none();
    let field = if is_by_name { "regex" } else { "replacement" };
    let message = format!("this removes `{name}`: {effect}");
    let level = if list.is_class {
        Level::Warning
    } else {
        Level::Error
    };
    let finding = Diagnostic::new(rule, list.field(index, field), message).level(level);
    let help = if is_by_name {
        "use a pattern that keeps labels that begin with `__`"
    } else {
        "remove the rule"
    };
    sink.report(finding.help(help));
}
