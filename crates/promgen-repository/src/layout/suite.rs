//! The files of test suites: what tests of Chainsaw name, and assertions of Chainsaw and kuttl.

use std::collections::BTreeSet;

use promgen_text::source::Sources;

use crate::path;

/// The group of Chainsaw's tests.
const CHAINSAW: &str = "chainsaw.kyverno.io/";

/// The names, of those given, that belong to test suites. `names` are those of the texts, in their order.
pub(super) fn files(sources: &Sources, names: &[String]) -> BTreeSet<String> {
    let asserts = names
        .iter()
        .filter(|name| is_assertion(path::base_name(name)))
        .cloned();
    let tests = sources
        .files()
        .zip(names)
        .filter(|((_, file), _)| file.text.contains(CHAINSAW));
    let named = tests.flat_map(|((_, file), name)| {
        named(&file.text)
            .map(|entry| path::join(path::folder(name), entry))
            .collect::<Vec<_>>()
    });
    asserts.chain(named).collect()
}

/// Returns whether a file of that name holds assertions: `monitor-assert.yaml`, `01-assert.yaml`, `01-errors.yaml`.
fn is_assertion(name: &str) -> bool {
    let Some(stem) = name
        .strip_suffix(".yaml")
        .or_else(|| name.strip_suffix(".yml"))
    else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    stem.ends_with("-assert") || stem.strip_suffix("-errors").is_some_and(is_number)
}

/// The values of each `file:` of a test.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split("file:").skip(1).filter_map(|rest| {
        let entry = rest.trim_start_matches(' ').trim_start_matches(['"', '\'']);
        let end = entry
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '}'))
            .unwrap_or(entry.len());
        Some(&entry[..end]).filter(|entry| !entry.is_empty())
    })
}
