//! References to groups that a pattern does not have.

use crate::checks::relabeling::list::RuleList;
use promgen_prometheus::relabel::Action;
use promgen_text::diag::{Diagnostic, Place, Sink, rules};
use promgen_text::go::regex::GoRegex;

rules! {
    /// ## What it does
    /// Finds replacements and target labels that name a group which the pattern of the rule does not have: `$2` of a pattern
    /// with one group, or `$1_total`, which is a group called `1_total`; and `\1`, which is no reference. The same in `label_replace`.
    ///
    /// ## Why is this bad?
    /// The reference is empty. If nothing else is in the replacement, Prometheus removes the target label instead of setting it.
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
    ///     - {sourceLabels: [__address__], regex: "(.+):.+", targetLabel: host, replacement: $2}
    /// ```
    /// Use instead: a group that there is.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: PodMonitor
    /// metadata: {name: cart}
    /// spec:
    ///   selector: {matchLabels: {app: cart}}
    ///   podMetricsEndpoints:
    ///   - port: metrics
    ///     relabelings:
    ///     - {sourceLabels: [__address__], regex: "(.+):.+", targetLabel: host, replacement: $1}
    /// ```
    ABSENT_GROUP = "PG408" "absent-group" Warning: "a replacement that names a group that the pattern lacks";
}

/// Checks the replacements of a list.
pub(super) fn check(list: &RuleList<'_>, sink: &mut Sink) {
    for (index, step) in list.steps.iter().enumerate() {
        let texts = match step.action {
            Action::Replace => [
                ("replacement", step.replacement()),
                ("targetLabel", step.target()),
            ],
            Action::LabelMap => [("replacement", step.replacement()), ("targetLabel", "")],
            _ => continue,
        };
        // A slash escapes groups in sed.
        if step.replacement().contains("\\1") && step.regex().contains('(') {
            let message = "`\\1` is no group: it is written as it stands there";
            let at = list.field(index, "replacement");
            sink.report(Diagnostic::new(&ABSENT_GROUP, at, message).help("write `$1`"));
        }
        for (field, text) in texts {
            let at = list.field(index, field).into();
            sink.extend(faults(step.regex(), text, &at, |_| true));
        }
    }
}

/// The references of a text to groups that a pattern lacks, of those that are told from placeholders.
pub(in crate::checks) fn faults(
    pattern: &str,
    text: &str,
    at: &Place,
    is_reference: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let fault = |reference: Reference<'_>| {
        let why = fault(pattern, &reference)?;
        let message = format!("`{}` is empty: {why}", reference.text);
        let finding = Diagnostic::new(&ABSENT_GROUP, at.clone(), message);
        let help = help(pattern, &reference).into_iter();
        Some(help.fold(finding, Diagnostic::help))
    };
    let references = references(text).into_iter();
    let references = references.filter(|reference| is_reference(reference.name));
    references.filter_map(fault).collect()
}

/// A reference to a group.
#[derive(Debug)]
struct Reference<'t> {
    /// As it stands there.
    text: &'t str,
    /// The number or name of the group.
    name: &'t str,
}

/// The references of a template. Go takes the longest name of letters, digits and underscores; `$$` is a dollar sign.
fn references(template: &str) -> Vec<Reference<'_>> {
    let (mut found, mut rest) = (Vec::new(), template);
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        if let Some(next) = after.strip_prefix('$') {
            rest = next;
            continue;
        }
        let is_braced = after.starts_with('{');
        let inner = if is_braced { &after[1..] } else { after };
        let length = inner
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(inner.len());
        let is_closed = !is_braced || inner[length..].starts_with('}');
        let end = at + 1 + length + if is_braced { 2 } else { 0 };
        if length == 0 || !is_closed {
            rest = after;
            continue;
        }
        found.push(Reference {
            text: &rest[at..end],
            name: &inner[..length],
        });
        rest = &rest[end..];
    }
    found
}

/// Why a reference is empty.
fn fault(pattern: &str, reference: &Reference<'_>) -> Option<String> {
    match reference.name.parse::<usize>() {
        Ok(number) => {
            let n = GoRegex::anchored_small(pattern).ok()?.n_groups();
            let groups = match n {
                0 => "no group".to_owned(),
                1 => "1 group".to_owned(),
                n => format!("{n} groups"),
            };
            (number > n).then(|| format!("the pattern `{pattern}` has {groups}"))
        }
        Err(_) => {
            let is_named = [
                format!("(?P<{}>", reference.name),
                format!("(?<{}>", reference.name),
            ];
            let is_known = is_named
                .iter()
                .any(|group| pattern.contains(group.as_str()));
            (!is_known).then(|| {
                format!(
                    "the pattern `{pattern}` has no group \"{}\"",
                    reference.name
                )
            })
        }
    }
}

fn help(pattern: &str, reference: &Reference<'_>) -> Option<String> {
    let digits = reference.name.find(|c: char| !c.is_ascii_digit())?;
    let (number, rest) = reference.name.split_at(digits);
    if !number.is_empty() {
        return Some(format!(
            "write `${{{number}}}{rest}`: a name of a group goes as far as letters, digits and underscores do"
        ));
    }
    let name = pattern
        .split_once("(?P<")
        .or_else(|| pattern.split_once("(?<"))?
        .1
        .split_once('>')?
        .0;
    Some(format!("the group of the pattern is called `{name}`"))
}
