//! Patterns that are written as if `*` stood for any text.

use crate::checks::relabeling::list::RuleList;
use promgen_prometheus::relabel::Action;
use promgen_text::diag::fix::{EditAction, Fix};
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::go::regex;

rules! {
    /// ## What it does
    /// Finds patterns with a name and `*` at its end, as in `go_gc_*`.
    ///
    /// ## Why is this bad?
    /// It is a regular expression: `_*` is any number of underscores, and nothing else may follow. So the rule matches nothing
    /// that there is.
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
    ///     - {sourceLabels: [__name__], regex: go_gc_*, action: drop}
    /// ```
    /// Use instead: `.*`.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {sourceLabels: [__name__], regex: go_gc_.*, action: drop}
    /// ```
    GLOB = "PG409" "glob-pattern" Warning: "a pattern with `*` after a name, where `.*` is meant";

    /// ## What it does
    /// Finds patterns that are nothing but the beginning or the end of a name, such as `^go_gc_` or `_bucket$`.
    ///
    /// ## Why is this bad?
    /// A pattern of a relabel rule has to match the whole value, with or without `^` and `$`. So the rule does nothing, or a
    /// `keep` drops everything.
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
    ///     - {sourceLabels: [__name__], regex: ^go_gc_, action: drop}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - {sourceLabels: [__name__], regex: go_gc_.*, action: drop}
    /// ```
    PARTIAL = "PG411" "partial-pattern" Warning: "a pattern that is a part of a name, where the whole name has to match";
}

/// Checks for patterns that match a part of a name only.
pub(super) fn partial(list: &RuleList<'_>, sink: &mut Sink) {
    for (index, step) in list.matching() {
        // Of joined values, a pattern has to have all.
        let is_joined = step.sources().len() > 1;
        let Some(mut meant) = regex::whole(step.regex()).filter(|_| !is_joined) else {
            continue;
        };
        if step.action == Action::LabelMap {
            meant = meant.replace(".*", "(.+)");
        }
        let message = format!(
            "`{}` matches that text only: a pattern has to match the whole value",
            step.regex()
        );
        let at = list.field(index, "regex");
        let fix = Fix::risky(format!("write `{meant}`"))
            .change(EditAction::Value(at.clone(), meant.clone()));
        sink.report(
            Diagnostic::new(&PARTIAL, at, message)
                .help(format!("write `{meant}`"))
                .fix(fix),
        );
    }
}

/// Checks the patterns of a list.
pub(super) fn check(list: &RuleList<'_>, sink: &mut Sink) {
    for (index, step) in list.matching() {
        let Some(name) = step
            .regex()
            .trim_matches(['^', '$'])
            .split(['|', '(', ')'])
            .find_map(glob)
        else {
            continue;
        };
        let repeated = name.chars().next_back().unwrap_or_default();
        let message = format!(
            "`{name}*` is no glob: it matches `{repeated}` any number of times, and nothing behind it"
        );
        let finding = Diagnostic::new(&GLOB, list.field(index, "regex"), message);
        sink.report(finding.help(format!("write `{name}.*`")));
    }
}

/// The name before the `*` at the end of an alternative.
fn glob(text: &str) -> Option<&str> {
    let name = text.strip_suffix('*')?;
    let is_name = name.len() > 2
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'-'));
    is_name.then_some(name)
}
