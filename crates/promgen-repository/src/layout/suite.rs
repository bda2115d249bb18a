//! The files of test suites: what tests of Chainsaw and Kyverno name, and assertions of Chainsaw and kuttl.

use std::collections::BTreeSet;

use promgen_text::diag::Sink;
use promgen_text::source::{FileId, SourceFile, Sources};
use promgen_text::yaml::read::read;

use crate::path;

/// The group of Chainsaw's tests.
const CHAINSAW: &str = "chainsaw.kyverno.io/";

/// The group of Kyverno's tests.
const KYVERNO: &str = "cli.kyverno.io/";

/// The names, of those given, that belong to test suites. `names` are those of the texts, in their order.
pub(super) fn files(sources: &Sources, names: &[String]) -> BTreeSet<String> {
    let asserts = names
        .iter()
        .filter(|name| is_assertion(path::base_name(name)))
        .cloned();
    let of_test = |((_, file), name): ((_, &SourceFile), &String)| -> Vec<String> {
        let folder = path::folder(name);
        if file.text.contains(CHAINSAW) {
            named(&file.text)
                .map(|entry| path::join(folder, entry))
                .collect()
        } else if file.text.contains(KYVERNO) {
            // What stands elsewhere is tested as it is applied.
            let is_inner = |path: &String| path::is_within(folder, path);
            let paths = listed(&file.text).into_iter();
            paths
                .map(|entry| path::join(folder, &entry))
                .filter(is_inner)
                .collect()
        } else {
            Vec::new()
        }
    };
    let named = sources.files().zip(names).flat_map(of_test);
    asserts.chain(named).collect()
}

/// Returns whether a file of that name holds assertions: `monitor-assert.yaml`, `01-assert.yaml`, `01-errors.yaml`, and what
/// Chainsaw makes of these: `chainsaw-step-01-assert-1.yaml`.
fn is_assertion(name: &str) -> bool {
    let Some(stem) = name
        .strip_suffix(".yaml")
        .or_else(|| name.strip_suffix(".yml"))
    else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let step = stem.strip_prefix("chainsaw-step-");
    let mut words = step.unwrap_or_default().split('-');
    stem.ends_with("-assert")
        || stem.strip_suffix("-errors").is_some_and(is_number)
        || words.any(|word| ["assert", "error", "errors"].contains(&word))
}

/// The resources that a test of Kyverno lists.
fn listed(text: &str) -> Vec<String> {
    let documents = read(FileId::default(), text, &mut Sink::default());
    let items = documents.iter().flat_map(|document| {
        ["resources", "targetResources"]
            .into_iter()
            .flat_map(|key| document.root.items_of(key))
    });
    items
        .filter_map(|item| Some(item.as_str()?.to_owned()))
        .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_chainsaw_are_assertions() {
        for name in [
            "chainsaw-step-01-assert-1.yaml",
            "chainsaw-step-00-error-2.yml",
            "monitor-assert.yaml",
            "01-errors.yaml",
        ] {
            assert!(is_assertion(name), "{name}");
        }
        for name in [
            "chainsaw-step-01-apply-1.yaml",
            "step-01-assert-1.yaml",
            "assert.yaml",
            "chainsaw-step-01-assert.md",
        ] {
            assert!(!is_assertion(name), "{name}");
        }
    }

    #[test]
    fn the_resources_of_a_test_of_kyverno_are_its_own() {
        let mut sources = Sources::default();
        let test = "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\npolicies: [p.yaml]\nresources: [r.yaml, ./x/s.yaml, ../deploy/t.yaml]\n";
        let names = [
            "k/kyverno-test.yaml",
            "k/r.yaml",
            "k/p.yaml",
            "deploy/t.yaml",
        ];
        for (at, name) in names.iter().enumerate() {
            let text = if at == 0 { test } else { "a: 1\n" };
            sources.add((*name).to_owned(), text.to_owned());
        }
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let found: Vec<String> = files(&sources, &names).into_iter().collect();
        assert_eq!(found, ["k/r.yaml", "k/x/s.yaml"]);
    }
}
