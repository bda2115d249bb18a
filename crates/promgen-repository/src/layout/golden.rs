//! Golden files: what unit tests expect of a generator. Nobody applies them.
//!
//! In: the names of all texts, and the texts. Out: the names of those that stand in a folder such as `testdata`, or are called
//! `x.golden.yaml`. A folder that an applier or a kustomization names is none of these, and neither is an overlay.

use std::collections::BTreeSet;

use promgen_text::source::Sources;

use crate::path::{base_name, below, folder, is_kustomization, is_within, join};
use promgen_text::CollectOrdered;

/// The names of folders of golden files, in small letters and without what joins words.
const FOLDERS: [&str; 5] = ["golden", "goldens", "testdata", "testfiles", "testfixtures"];

/// The names of such folders within a folder of tests.
const OF_TESTS: [&str; 4] = ["expected", "fixtures", "snapshot", "snapshots"];

/// The names of folders of tests.
const TESTS: [&str; 4] = ["spec", "test", "tests", "__tests__"];

/// The groups of what applies folders.
const APPLIERS: [&str; 2] = ["kustomize.toolkit.fluxcd.io/", "argoproj.io/"];

/// The names of golden files, of those of the texts. `asked`: how many of these are asked for. If all of them are golden, none is:
/// they are what the run is about.
pub(super) fn files(sources: &Sources, names: &[String], asked: &[bool]) -> BTreeSet<String> {
    let is_asked = |at: usize| asked.get(at).copied().unwrap_or(asked.is_empty());
    let top = names
        .iter()
        .enumerate()
        .filter(|(at, _)| is_asked(*at))
        .map(|(_, name)| folder(name))
        .reduce(common);
    let Some(top) = top else {
        return BTreeSet::new();
    };
    let golden: Vec<Option<String>> = names.iter().map(|name| root(name, top)).collect();
    let is_all = golden
        .iter()
        .enumerate()
        .all(|(at, root)| root.is_some() || !is_asked(at));
    if is_all || golden.iter().all(Option::is_none) {
        return BTreeSet::new();
    }
    let (mut named, mut overlays) = (BTreeSet::new(), BTreeSet::new());
    for (((_, file), name), golden) in sources.files().zip(names).zip(&golden) {
        match golden {
            Some(golden) if is_kustomization(base_name(name)) => {
                let mut above = paths(&file.text).filter(|path| path.starts_with(".."));
                let leads_out = above.any(|path| !is_within(golden, &join(folder(name), path)));
                overlays.extend(leads_out.then_some(golden));
            }
            None if is_kustomization(base_name(name)) => {
                named.extend(paths(&file.text).map(|path| join(folder(name), path)));
            }
            // A cluster may be called so, and apply itself.
            _ if APPLIERS.iter().any(|group| file.text.contains(group)) => {
                named.extend(paths(&file.text).map(|path| join(".", path.trim_start_matches('/'))));
            }
            _ => {}
        }
    }
    let is_named = |name: &str| {
        let mut path = name;
        std::iter::from_fn(|| {
            let this = path;
            path = folder(path);
            (this != path).then_some(this)
        })
        .any(|part| named.contains(part))
    };
    let of = |(name, root): (&String, &Option<String>)| {
        let root = root.as_ref()?;
        (!overlays.contains(root) && !is_named(name)).then(|| name.clone())
    };
    names.iter().zip(&golden).filter_map(of).collect_set()
}

/// The folder of golden files that a file stands in, or the file itself. Only folders below `top` count.
fn root(name: &str, top: &str) -> Option<String> {
    let rest = below(name, top)?;
    let (mut end, mut is_of_tests) = (name.len() - rest.len(), false);
    let (folders, base) = rest.rsplit_once('/').unwrap_or(("", rest));
    for part in folders.split('/') {
        end += part.len();
        if is_golden(part) || is_of_tests && OF_TESTS.contains(&part) {
            return Some(name[..end].to_owned());
        }
        is_of_tests |= TESTS.contains(&part);
        end += 1;
    }
    base.contains(".golden.").then(|| name.to_owned())
}

/// Returns whether a folder of that name has golden files: `testdata`, `testFiles`, `__golden__`.
fn is_golden(name: &str) -> bool {
    let plain = name.replace(['-', '_'], "").to_ascii_lowercase();
    name == "__snapshots__" || FOLDERS.contains(&plain.as_str())
}

/// The folder that two folders are in.
fn common<'n>(a: &'n str, b: &'n str) -> &'n str {
    let mut of = a;
    while !is_within(of, b) && of != folder(of) {
        of = folder(of);
    }
    of
}

/// The words of a text that may be paths.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !"._-/".contains(c))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn golden(files_of: &[(&str, &str)]) -> Vec<String> {
        let mut sources = Sources::default();
        for (name, text) in files_of {
            sources.add((*name).to_owned(), (*text).to_owned());
        }
        let names: Vec<String> = files_of
            .iter()
            .map(|(name, _)| (*name).to_owned())
            .collect();
        files(&sources, &names, &[]).into_iter().collect()
    }

    #[test]
    fn what_tests_expect_is_golden() {
        let texts = [
            ("deploy/a.yaml", "a: 1\n"),
            ("tests/golden/a/b.yaml", ""),
            ("pkg/testdata/kustomization.yaml", "resources: [c.yaml]\n"),
            ("test/unit/expected/d.yaml", ""),
            ("pkg/x/testFiles/a.yaml", ""),
            ("spec/fixtures/b.yaml", ""),
            ("test/files/c.yaml", ""),
            ("fixtures/d.yaml", ""),
            ("charts/x/out.golden.yaml", ""),
            ("clusters/test/e.yaml", ""),
            ("expected/f.yaml", ""),
        ];
        let found = [
            "charts/x/out.golden.yaml",
            "pkg/testdata/kustomization.yaml",
            "pkg/x/testFiles/a.yaml",
            "spec/fixtures/b.yaml",
            "test/unit/expected/d.yaml",
        ];
        assert_eq!(
            golden(&texts),
            [&found[..], &["tests/golden/a/b.yaml"]].concat()
        );
    }

    #[test]
    fn what_is_applied_or_an_overlay_is_not() {
        let texts = [
            (
                "flux/a.yaml",
                "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec: {path: ./clusters/golden}\n",
            ),
            ("clusters/golden/b.yaml", ""),
            (
                "overlays/golden/kustomization.yaml",
                "resources:\n- ../../base\n",
            ),
            ("overlays/golden/c.yaml", ""),
            (
                "apps/kustomization.yaml",
                "resources: ['../testdata/d.yaml']\n",
            ),
            ("testdata/d.yaml", ""),
            ("testdata/e.yaml", ""),
        ];
        assert_eq!(golden(&texts), ["testdata/e.yaml"]);
    }

    #[test]
    fn what_is_asked_for_is_not() {
        assert_eq!(
            golden(&[("testdata/a/b.yaml", ""), ("testdata/c.yaml", "")]),
            [""; 0]
        );
        assert_eq!(golden(&[("a.golden.yaml", "")]), [""; 0]);
        assert_eq!(
            golden(&[("testdata/a.yaml", ""), ("testdata/x/golden/b.yaml", "")]),
            ["testdata/x/golden/b.yaml"]
        );
    }
}
