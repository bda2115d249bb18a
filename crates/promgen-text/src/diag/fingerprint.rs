//! Fingerprints that identify a finding from run to run although lines move.
//!
//! In: findings in their order. Out: a text for each, made of its rule, its file, its resource and its message, but of no
//! line. Equal findings are numbered.

use xxhash_rust::xxh64::Xxh64;

use crate::diag::Diagnostic;
use crate::sorted::SortedMap;
use crate::source::Sources;

/// The fingerprints of findings, in their order: sixteen hexadecimal digits, and behind a colon how many of the same came
/// before.
#[must_use]
pub fn fingerprints(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<String> {
    let mut seen: SortedMap<u64, u32> = SortedMap::new();
    let fingerprint = |diagnostic: &Diagnostic| {
        let hash = hash(diagnostic, sources);
        let n_before = seen.entry(hash).or_default();
        let fingerprint = format!("{hash:016x}:{n_before}");
        *n_before += 1;
        fingerprint
    };
    diagnostics.iter().map(fingerprint).collect()
}

/// What is the same of a finding wherever in its file it stands.
#[must_use]
pub fn hash(diagnostic: &Diagnostic, sources: &Sources) -> u64 {
    let file = diagnostic.span.map_or("", |span| &sources.file(span.file).name);
    let resource = diagnostic.resource.as_ref().map(ToString::to_string).unwrap_or_default();
    let mut hash = Xxh64::new(0);
    for part in [diagnostic.rule.code, file, &resource, &diagnostic.message] {
        hash.update(part.as_bytes());
        // No part ends where the next one begins.
        hash.update(&[0]);
    }
    hash.digest()
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
        moved[1].span = moved[1].span.map(|span| Span { start: span.start + 3, end: span.end + 3, ..span });
        assert_eq!(fingerprints(&moved, &sources), before);
        moved[1].message.push('!');
        assert_ne!(fingerprints(&moved, &sources), before);
    }

    #[test]
    fn those_that_are_alike_are_counted() {
        let (diagnostics, sources) = sample::findings();
        let twice = [diagnostics[0].clone(), diagnostics[0].clone()];
        let [first, second] = &fingerprints(&twice, &sources)[..] else { panic!("two") };
        assert!(first.ends_with(":0") && second.ends_with(":1") && first[..16] == second[..16]);
    }
}
