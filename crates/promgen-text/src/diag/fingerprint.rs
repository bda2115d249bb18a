//! Fingerprints that identify a finding from run to run although lines move.
//!
//! In: findings in their order. Out: a text for each, made of its rule, its file, its resource, the path of its field and its
//! message, but of no line, no index and no number: what is counted in a message changes with other resources. Equal findings
//! are numbered.

use std::collections::BTreeMap;

use xxhash_rust::xxh64::Xxh64;

use crate::diag::{Diagnostic, Place};
use crate::source::Sources;

/// The fingerprints of findings, in their order: sixteen hexadecimal digits, and behind a colon how many of the same came
/// before.
#[must_use]
pub fn fingerprints<'d>(
    diagnostics: impl IntoIterator<Item = &'d Diagnostic>,
    sources: &Sources,
) -> Vec<String> {
    let mut seen: BTreeMap<u64, u32> = BTreeMap::new();
    let fingerprint = |diagnostic: &Diagnostic| {
        let hash = hash(diagnostic, sources);
        let n_before = seen.entry(hash).or_default();
        let fingerprint = format!("{hash:016x}:{n_before}");
        *n_before += 1;
        fingerprint
    };
    diagnostics.into_iter().map(fingerprint).collect()
}

/// The hash of a finding, which is the same wherever in its file it stands.
#[must_use]
pub fn hash(diagnostic: &Diagnostic, sources: &Sources) -> u64 {
    let file = diagnostic
        .span
        .map_or("", |span| &sources.file(span.file).name);
    let resource = diagnostic
        .resource
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut hash = Xxh64::new(0);
    let path = path(diagnostic).map(without_numbers).unwrap_or_default();
    for part in [
        &diagnostic.rule.code,
        file,
        &resource,
        &path,
        &without_numbers(&diagnostic.message),
    ] {
        hash.update(part.as_bytes());
        // No part ends where the next one begins.
        hash.update(&[0]);
    }
    hash.digest()
}

/// The path of the field that a finding is about, if it is about one.
#[must_use]
pub fn path(diagnostic: &Diagnostic) -> Option<String> {
    diagnostic
        .place
        .as_ref()
        .and_then(Place::at)
        .map(|at| at.route.to_string())
}

/// A text with `#` for each number, so that other counts and indexes make no difference: `2 pods` is as `1 pod`.
#[must_use]
pub fn without_numbers(text: impl AsRef<str>) -> String {
    let text = text.as_ref();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..at]);
        out.push('#');
        rest = rest[at..].trim_start_matches(|c: char| c.is_ascii_digit());
        let Some(word) = rest.strip_prefix(' ') else {
            continue;
        };
        let length = word
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(word.len());
        out.push(' ');
        out.push_str(word[..length].trim_end_matches('s'));
        rest = &word[length..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;
    use crate::source::Span;

    #[test]
    fn only_the_line_makes_no_difference() {
        let (diagnostics, sources) = sample::findings();
        let before = fingerprints(&diagnostics, &sources);
        let mut moved = diagnostics.clone();
        moved[1].span = moved[1].span.map(|span| Span {
            start: span.start + 3,
            end: span.end + 3,
            ..span
        });
        assert_eq!(fingerprints(&moved, &sources), before);
        moved[1].message.push('!');
        assert_ne!(fingerprints(&moved, &sources), before);
    }

    #[test]
    fn counts_make_no_difference() {
        assert_eq!(
            without_numbers("1 pod of 20 has it"),
            without_numbers("2 pods of 3 has it")
        );
        assert_ne!(without_numbers("1 pod"), without_numbers("1 port"));
    }

    #[test]
    fn those_that_are_alike_are_counted() {
        let (diagnostics, sources) = sample::findings();
        let twice = [diagnostics[0].clone(), diagnostics[0].clone()];
        let [first, second] = &fingerprints(&twice, &sources)[..] else {
            panic!("two")
        };
        assert!(first.ends_with(":0") && second.ends_with(":1") && first[..16] == second[..16]);
    }
}
