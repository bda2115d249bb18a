//! Findings with one cause: what is wrong in a base is so in each object that overlays make of it.
//!
//! In: findings in the order of their places. Out: one for each place and cause, which names the other objects.

use promgen_model::words;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use promgen_model::environments;
use promgen_repository::model::Environment;
use promgen_text::diag::count::counted;
use promgen_text::diag::{Diagnostic, RuleRef, Subject};
use promgen_text::source::Span;

/// The maximum number of objects that a finding names.
const MAX_NAMES: usize = 5;

/// The common part of findings of one cause.
type SharedCause = (Span, RuleRef, &'static str, String);

/// Replaces findings that differ in nothing but the object which a base has become by one.
pub(super) fn merge(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut known: BTreeMap<SharedCause, usize> = BTreeMap::new();
    let mut merged: Vec<(Diagnostic, Vec<Subject>)> = Vec::with_capacity(found.len());
    for diagnostic in found {
        let cause = cause(&diagnostic);
        match cause.as_ref().and_then(|cause| known.get(cause)) {
            Some(at) => {
                let (first, others) = &mut merged[*at];
                first.environments.extend(&diagnostic.environments);
                others.extend(diagnostic.resource);
            }
            None => {
                if let Some(cause) = cause {
                    known.insert(cause, merged.len());
                }
                merged.push((diagnostic, Vec::new()));
            }
        }
    }
    merged
        .into_iter()
        .map(|(diagnostic, others)| with_others(diagnostic, &others))
        .collect()
}

/// The place, the rule and the message of a finding about an object, without the name of the object.
fn cause(diagnostic: &Diagnostic) -> Option<SharedCause> {
    let (span, of) = (diagnostic.span?, diagnostic.resource.as_ref()?);
    let full = format!("{}/{}", of.namespace, of.name);
    let message = diagnostic.message.replace(&full, "\u{0}");
    Some((
        span,
        diagnostic.rule.clone(),
        of.kind,
        without_word(&message, &of.namespace),
    ))
}

/// A text without a word.
fn without_word(text: &str, word: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let words = text.split_inclusive(|c: char| !is_part(c));
    let without = |part: &str| match part.strip_prefix(word) {
        Some(rest) if !word.is_empty() && !rest.starts_with(is_part) => format!("\u{1}{rest}"),
        _ => part.to_owned(),
    };
    words.map(without).collect()
}

fn with_others(mut diagnostic: Diagnostic, others: &[Subject]) -> Diagnostic {
    diagnostic.environments.sort_unstable();
    diagnostic.environments.dedup();
    let names: Vec<String> = others
        .iter()
        .map(|of| format!("{}/{}", of.namespace, of.name))
        .collect();
    match names.is_empty() {
        true => diagnostic,
        false => {
            let first = words::first(&names, MAX_NAMES);
            let others = counted(names.len(), "other object");
            diagnostic.help(format!("the same in {others} of this base: {first}"))
        }
    }
}

/// Says of findings in several environments which these are: of what a base holds.
pub(super) fn name_environments(found: &mut [Diagnostic], environments: &[Environment]) {
    let names = OnceCell::new();
    for diagnostic in found
        .iter_mut()
        .filter(|found| found.environments.len() > 1)
    {
        let all = names.get_or_init(|| environments::names(environments));
        let numbers = diagnostic.environments.iter();
        let names: Vec<&str> = numbers.map(|n| all[*n].as_str()).collect();
        let first = words::first(&names, MAX_NAMES);
        diagnostic
            .help
            .push(format!("in {} environments: {first}", names.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_taken_out_where_it_is_whole() {
        assert_eq!(
            without_word("in shop, not shop-a or ashop: shop", "shop"),
            "in \u{1}, not shop-a or ashop: \u{1}"
        );
        assert_eq!(without_word("a b", ""), "a b");
    }
}
