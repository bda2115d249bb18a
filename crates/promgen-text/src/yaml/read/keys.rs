//! Duplicate keys of a map.

use std::ops::Range;

use crate::diag::{Diagnostic, Level, rules};
use crate::source::Span;
use crate::yaml::Entry;

rules! {
    /// ## What it does
    /// Finds duplicate keys of a map, including keys from a merge (`<<`).
    ///
    /// ## Why is this bad?
    /// Only the last one counts, and the other is lost silently. Strict readers, such as server-side field validation, refuse
    /// the document.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: paint}
    /// data:
    ///   color: red
    ///   color: blue
    /// ```
    /// Use instead: one of the two.
    /// ```yaml
    /// apiVersion: v1
    /// kind: ConfigMap
    /// metadata: {name: paint}
    /// data:
    ///   color: blue
    /// ```
    ///
    /// ## Source
    /// sigs.k8s.io/yaml, `UnmarshalStrict`.
    DUPLICATE_KEY = "PG002" "duplicate-key" Error: "a duplicate key";
}

/// The number of duplicates of one map that are reported.
const MAX_FOUND: usize = 20;

/// Below this many entries, comparing each with each is the fastest.
const FEW: usize = 16;

/// Leaves the last entry of each key and reports the others. `merged` are the ranges of entries that came by a `<<`,
/// with the place of that key.
pub(super) fn keep_last(
    entries: &mut Vec<Entry>,
    merged: &[(Range<usize>, Span)],
) -> Vec<Diagnostic> {
    let repeats = if entries.len() < FEW {
        few(entries)
    } else {
        many(entries)
    };
    if repeats.is_empty() {
        return Vec::new();
    }
    let found = match second_object(entries, merged, &repeats) {
        Some(found) => vec![found],
        None => repeats
            .iter()
            .take(MAX_FOUND)
            .map(|repeat| diagnostic(entries, merged, *repeat))
            .collect(),
    };
    for Repeat { first, again } in &repeats {
        // The later value takes the place of the earlier one in the map.
        entries.swap(*first, *again);
    }
    let mut gone: Vec<usize> = repeats.iter().map(|repeat| repeat.again).collect();
    gone.sort_unstable();
    let mut index = 0;
    entries.retain(|_| {
        let keep = gone.binary_search(&index).is_err();
        index += 1;
        keep
    });
    found
}

/// Two entries of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Repeat {
    again: usize,
    first: usize,
}

fn few(entries: &[Entry]) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    for (again, entry) in entries.iter().enumerate().skip(1) {
        if let Some(first) = entries[..again]
            .iter()
            .position(|earlier| earlier.key == entry.key)
        {
            repeats.push(Repeat { again, first });
        }
    }
    repeats
}

fn many(entries: &[Entry]) -> Vec<Repeat> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    // The entries of one key stay in the order of the text.
    order.sort_unstable_by_key(|index| (&*entries[*index].key, *index));
    let mut repeats = Vec::new();
    for same in order.chunk_by(|a, b| entries[*a].key == entries[*b].key) {
        repeats.extend(same[1..].iter().map(|again| Repeat {
            again: *again,
            first: same[0],
        }));
    }
    repeats.sort_unstable();
    repeats
}

/// One finding about an object that begins within another, because the line that separates them is missing.
fn second_object(
    entries: &[Entry],
    merged: &[(Range<usize>, Span)],
    repeats: &[Repeat],
) -> Option<Diagnostic> {
    let is_written = |index: usize| !merged.iter().any(|(range, _)| range.contains(&index));
    let again = |key: &str| {
        let is_of_key = |repeat: &&Repeat| entries[repeat.again].key == key;
        repeats
            .iter()
            .filter(is_of_key)
            .find(|repeat| is_written(repeat.first) && is_written(repeat.again))
    };
    let (version, kind) = (again("apiVersion")?, again("kind")?);
    let (begins, first) = (
        entries[version.again]
            .key_span
            .min(entries[kind.again].key_span),
        version.first,
    );
    let diagnostic = Diagnostic::new(
        &DUPLICATE_KEY,
        begins,
        "a second object begins here, as part of the one before it",
    );
    let diagnostic = diagnostic.related(
        entries[first].key_span,
        "the object before it has these keys already",
    );
    Some(diagnostic.help("put a line `---` before it; in a list, start it with `- `"))
}

fn diagnostic(entries: &[Entry], merged: &[(Range<usize>, Span)], repeat: Repeat) -> Diagnostic {
    let Repeat { first, again } = repeat;
    let merge = |index: usize| {
        merged
            .iter()
            .find(|(range, _)| range.contains(&index))
            .map(|(_, key)| *key)
    };
    let (entry, earlier) = (&entries[again], &entries[first]);
    let key = &entry.key;
    let place = merge(again).unwrap_or(entry.key_span);
    // Kubernetes and Kustomize take what overrides a merge.
    let level = if merge(first).or(merge(again)).is_some() {
        Level::Info
    } else {
        DUPLICATE_KEY.level
    };
    let message = match (merge(first), merge(again)) {
        (None, None) => format!("duplicate key `{key}`"),
        (Some(_), None) => format!("a merge already sets key `{key}`"),
        (None, Some(_)) => format!("a merge sets key `{key}` again"),
        (Some(_), Some(_)) => format!("key `{key}` is merged twice"),
    };
    Diagnostic::new(&DUPLICATE_KEY, place, message)
        .level(level)
        .label("this value is used")
        .related(earlier.key_span, "this value is ignored")
        .help("remove one of the two")
}
