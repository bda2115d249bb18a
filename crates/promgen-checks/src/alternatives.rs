//! Files that hold the same objects in two forms, as examples and the inputs of tests do.
//!
//! In: the findings of a lint with their places, and the objects. Out: one for each pair of such files, rather than one for each
//! object. Two files of a folder with several objects in common are two forms of one installation, even if only one object differs.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::DUPLICATE_OBJECT;
use promgen_repository::path;
use promgen_resources::document::Manifests;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::source::{FileId, Sources};

/// Parts of the names of files and folders that show alternatives.
const SHOWN: &[&str] = &[
    "example", "fixture", "sample", "testdata", "golden", "snapshot",
];

/// Folders of programs, which choose among the files that they have in them.
const OF_PROGRAMS: &[&str] = &["cmd", "internal", "pkg", "src", "test", "tests"];

/// Words in the names of files that show which variant of another file one is: `rules-external.yaml`, `minimal-monitor.yaml`.
const VARIANTS: &[&str] = &[
    "external",
    "full",
    "internal",
    "minimal",
    "openshift",
    "vanilla",
];

/// Returns whether two files of a folder are variants of one, by their names.
pub(crate) fn are_variants(a: &str, b: &str) -> bool {
    let is_mark = |word: &&str| VARIANTS.contains(word);
    let plain = |name: &str| -> (Vec<String>, usize) {
        let base = path::base_name(name).to_ascii_lowercase();
        let words = base.split(['-', '_', '.']);
        let n_marks = words.clone().filter(is_mark).count();
        (
            words
                .filter(|word| !is_mark(word))
                .map(str::to_owned)
                .collect(),
            n_marks,
        )
    };
    let ((own, n_own), (other, n_other)) = (plain(a), plain(b));
    a != b && path::folder(a) == path::folder(b) && own == other && n_own + n_other > 0
}

/// Replaces the findings about objects of two files that are alternatives with one for the pair.
#[must_use]
pub(crate) fn merge(
    found: Vec<Diagnostic>,
    sources: &Sources,
    manifests: &Manifests,
) -> Vec<Diagnostic> {
    let mut pairs: BTreeMap<(FileId, FileId), usize> = BTreeMap::new();
    found
        .iter()
        .filter_map(files)
        .for_each(|pair| *pairs.entry(pair).or_default() += 1);
    let is_shown = |file: FileId| {
        let name = sources.file(file).name.to_ascii_lowercase();
        SHOWN.iter().any(|shown| name.contains(shown))
            || name.split('/').any(|part| OF_PROGRAMS.contains(&part))
    };
    let name = |file: FileId| sources.file(file).name.as_str();
    let mut objects: BTreeMap<FileId, BTreeSet<_>> = BTreeMap::new();
    let asked: BTreeSet<FileId> = pairs.keys().flat_map(|(a, b)| [*a, *b]).collect_set();
    for of in manifests.iter() {
        let file = of.node.span.file;
        if asked.contains(&file) {
            let id = (of.group, of.kind, of.namespace, of.name);
            objects.entry(file).or_default().insert(id);
        }
    }
    let are_whole = |a: FileId, b: FileId| {
        let of = |file| objects.get(&file);
        of(a)
            .zip(of(b))
            .is_some_and(|(a, b)| a.intersection(b).nth(1).is_some())
    };
    pairs.retain(|(a, b), n| {
        *n > 1
            || is_shown(*a) && is_shown(*b)
            || are_variants(name(*a), name(*b))
            || are_whole(*a, *b)
    });
    let mut merged = Vec::with_capacity(found.len());
    for diagnostic in found {
        match files(&diagnostic).map(|pair| (pair, pairs.get_mut(&pair))) {
            None | Some((_, None)) => merged.push(diagnostic),
            // The first one of the pair stands for all.
            Some((pair, Some(n))) if *n > 0 => {
                merged.push(of_pair(diagnostic, pair.1, std::mem::take(n), sources))
            }
            Some((_, Some(_))) => {}
        }
    }
    merged
}

/// The two files that a finding about an object in two forms is about, if they are two.
fn files(diagnostic: &Diagnostic) -> Option<(FileId, FileId)> {
    let (span, other) = (diagnostic.span?, diagnostic.related_spans.first()?);
    let is_of_two = *diagnostic.rule == DUPLICATE_OBJECT && span.file != other.file;
    is_of_two.then_some((span.file, other.file))
}

fn of_pair(diagnostic: Diagnostic, other: FileId, n: usize, sources: &Sources) -> Diagnostic {
    let diagnostic = diagnostic.level(Level::Info);
    let what = match (n, &diagnostic.resource) {
        (1, Some(resource)) => format!("{resource} is"),
        (1, None) => "an object of this file is".to_owned(),
        (n, _) => format!("{n} objects of this file are"),
    };
    let differ = if n == 1 { "differs" } else { "differ" };
    let message = format!(
        "{what} in `{}`, too, and {differ}: the last one counts",
        sources.file(other).name
    );
    Diagnostic {
        message,
        ..diagnostic
    }
    .help("ignore this if the two files are alternatives")
}

#[cfg(test)]
mod tests {
    use super::are_variants;
    use crate::lint::lint;
    use promgen_compile::options::Options;
    use promgen_model::Project;
    use promgen_text::source::Input;

    fn found(names: [&str; 2], n: usize) -> Vec<String> {
        found_beside(names, n, "")
    }

    fn found_beside(names: [&str; 2], n: usize, more: &str) -> Vec<String> {
        let text = |value: &str| {
            let object = |i| {
                format!(
                    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{i}}}\ndata: {{k: {value}}}\n---\n"
                )
            };
            (0..n).map(object).collect::<String>() + &more.replace("VALUE", value)
        };
        let options = Options {
            is_repository: true,
            ..Options::default()
        };
        let output = lint(&Project::read(
            &[
                Input::new(names[0], text("x")),
                Input::new(names[1], text("z")),
            ],
            &options,
        ));
        output
            .diagnostics
            .iter()
            .map(|d| format!("{} {}: {}", d.rule.code, d.level, d.message))
            .collect()
    }

    #[test]
    fn files_are_variants_by_their_names() {
        for (a, b) in [
            ("a/rules.yaml", "a/rules-external.yaml"),
            ("a/minimal-service-monitor.yaml", "a/service-monitor.yaml"),
            ("a/rules-internal.yaml", "a/rules-external.yaml"),
        ] {
            assert!(are_variants(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("a/rules.yaml", "b/rules-external.yaml"),
            ("a/rules.yaml", "a/rules-shop.yaml"),
            ("a/rules.yaml", "a/alerts-external.yaml"),
            ("a/full.yaml", "a/full.yaml"),
        ] {
            assert!(!are_variants(a, b), "{a} {b}");
        }
        let pair = found(["deploy/a.yaml", "deploy/a-external.yaml"], 1);
        assert!(pair[0].starts_with("PG017 info"), "{pair:?}");
    }

    #[test]
    fn alternatives_are_said_once() {
        let pair = [
            "PG017 info: 2 objects of this file are in `a.yaml`, too, and differ: the last one counts",
        ];
        assert_eq!(found(["a.yaml", "b.yaml"], 2), pair);
        let one = "ConfigMap/default/a0 is defined twice, with different contents: the last definition wins";
        assert_eq!(
            found(["a.yaml", "b.yaml"], 1),
            [format!("PG017 warning: {one}")]
        );
        let shown = "PG017 info: ConfigMap/default/a0 is in `example-a.yaml`, too, and differs: the last one counts";
        assert_eq!(found(["example-a.yaml", "example-b.yaml"], 1), [shown]);
        let others = "{apiVersion: v1, kind: ConfigMap, metadata: {name: same}}\n---\n";
        let whole = found_beside(["m/a-frr.yaml", "m/a-native.yaml"], 1, others);
        assert!(
            whole.len() == 1 && whole[0].starts_with("PG017 info"),
            "{whole:?}"
        );
        let own = others.replace("same", "own-VALUE");
        assert_eq!(
            found_beside(["m/a.yaml", "m/b.yaml"], 1, &own),
            [format!("PG017 warning: {one}")]
        );
        let of_program = found(["internal/rules/a.yaml", "internal/rules/b.yaml"], 1);
        assert!(of_program[0].starts_with("PG017 info"), "{of_program:?}");
    }
}
