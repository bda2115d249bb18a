//! Patterns that never match.

use crate::checks::relabeling::DROPS_EVERYTHING;
use std::borrow::Cow;

use crate::checks::relabeling::list::{ListedRule, RuleList};
use promgen_prometheus::relabel::Action;
use promgen_text::diag::{Diagnostic, Level, Sink, rules};
use promgen_text::go::regex;
use promgen_text::go::regex::GoRegex;

rules! {
    /// ## What it does
    /// Finds patterns that cannot match: an anchor in the middle of a text, texts without the separator for the joined
    /// values of several labels, or any text in a rule without `sourceLabels`. Only patterns that certainly cannot match are reported.
    ///
    /// The level is error for `keep`, which then drops everything, and warning for other actions, which then do nothing.
    ///
    /// ## Why is this bad?
    /// The rule does nothing, or drops everything, and Prometheus logs no error.
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
    ///     - sourceLabels: [__name__, le]
    ///       regex: cart_duration_bucket
    ///       action: drop
    /// ```
    /// Use instead: a pattern with the separator, which is `;` unless the rule sets another.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: ServiceMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   endpoints:
    ///   - port: metrics
    ///     metricRelabelings:
    ///     - sourceLabels: [__name__, le]
    ///       regex: cart_duration_bucket;.*
    ///       action: drop
    /// ```
    ///
    /// ## Source
    /// Prometheus: a pattern of a relabel rule matches from start to end.
    NEVER_MATCHES = "PG401" "never-matching-pattern" Warning: "a pattern that cannot match";
}

/// Checks the patterns of a list.
pub(super) fn check(list: &RuleList<'_>, sink: &mut Sink) {
    for (index, step) in list.matching() {
        let (message, help) = if regex::never_matches(&filled_in(step.regex())) {
            let message = format!(
                "`{}` never matches: it requires text before the start or after the end",
                step.regex()
            );
            (
                message,
                "patterns are always anchored at both ends: remove `^` and `$`, or write `\\^` and `\\$` for the characters".to_owned(),
            )
        } else if let Some(message) = lacks_separator(step) {
            let separator = step.separator();
            (
                message,
                format!(
                    "write `{separator}` between the patterns of the labels, as in `a{separator}b`"
                ),
            )
        } else if reads_nothing(step) {
            let message = format!(
                "`{}` never matches: the rule has no `sourceLabels`, so it is compared with the empty text",
                step.regex()
            );
            (
                message,
                "list the labels to match in `sourceLabels`: `__name__` for the name of a metric"
                    .to_owned(),
            )
        } else {
            continue;
        };
        let level = if step.action == Action::Keep {
            Level::Error
        } else {
            Level::Warning
        };
        let finding =
            Diagnostic::new(&NEVER_MATCHES, list.field(index, "regex"), message).level(level);
        sink.report(
            finding
                .help(help)
                .helps((step.action == Action::Keep).then_some(DROPS_EVERYTHING)),
        );
    }
}

/// Returns whether a rule compares the empty text with a pattern that does not match it. That of `keep` drops everything, which
/// is told elsewhere.
fn reads_nothing(step: ListedRule<'_>) -> bool {
    matches!(step.action, Action::Drop | Action::Replace)
        && step.sources().is_empty()
        && GoRegex::anchored_small(&filled_in(step.regex())).is_ok_and(|regex| !regex.is_match(""))
}

/// A pattern after the reloader has filled in `$(SHARD)` and the like: with a text that can stand for any value.
fn filled_in(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains("$(") {
        return Cow::Borrowed(pattern);
    }
    let mut filled = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = rest.find("$(") {
        let name = rest[at + 2..]
            .bytes()
            .take_while(|b| b.is_ascii_uppercase() || *b == b'_')
            .count();
        let end = at + 2 + name;
        let is_variable = name > 0 && rest[end..].starts_with(')');
        let (text, after) = if is_variable {
            ("0", end + 1)
        } else {
            ("$(", at + 2)
        };
        filled.push_str(&rest[..at]);
        filled.push_str(text);
        rest = &rest[after..];
    }
    filled.push_str(rest);
    Cow::Owned(filled)
}

/// The message for a pattern that joined labels cannot match.
fn lacks_separator(step: ListedRule<'_>) -> Option<String> {
    let separator = step.separator();
    let n_separators = step
        .sources()
        .len()
        .checked_sub(1)
        .filter(|n| *n > 0 && !separator.is_empty())?;
    let joins = matches!(step.action, Action::Replace | Action::Keep | Action::Drop);
    // A pattern with `*` or `+` may match any number of separators.
    if !joins || step.regex().contains(['*', '+']) {
        return None;
    }
    let texts = regex::texts(step.regex())?;
    let fits = texts
        .iter()
        .any(|text| text.matches(separator).count() >= n_separators);
    (!fits).then(|| {
        let (n_labels, regex) = (n_separators + 1, step.regex());
        format!("`{regex}` never matches: `{separator}` joins {n_labels} labels, and the pattern has too few of them")
    })
}
