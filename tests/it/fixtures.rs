//! Every folder below `fixtures/`, through the command line, against its snapshots: a test for each.
//!
//! `options.yaml` of a case names its snapshots and the command line behind each; without it there is one, `render`.
//! A snapshot holds what came on standard output and standard error, and the exit code. The fixtures need nothing beside
//! this repository, so that they guard the compiler in a clone. That it agrees with the operator is tested with the
//! recordings, where they are.

mod list;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic;
use std::path::Path;

use super::support;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folders(path: &Path) -> BTreeSet<String> {
    let Ok(entries) = fs::read_dir(path) else {
        return BTreeSet::new();
    };
    let folders = entries.map(|e| e.unwrap()).filter(|e| e.path().is_dir());
    folders
        .map(|e| e.file_name().into_string().unwrap())
        .collect()
}

/// Snapshot names with their command lines.
fn commands(case: &str) -> BTreeMap<String, Vec<String>> {
    match fs::read_to_string(root().join("fixtures").join(case).join("options.yaml")) {
        Ok(text) => serde_yaml::from_str(&text).unwrap(),
        Err(_) => BTreeMap::from([("render".to_owned(), vec!["render".to_owned()])]),
    }
}

/// The path of a case's manifests, as a user in the project's folder would write it.
fn input(case: &str) -> String {
    let input = format!("fixtures/{case}/input");
    if root().join(&input).is_dir() {
        input
    } else {
        format!("fixtures/{case}")
    }
}

/// The longest line of a snapshot, in characters: a review shows no longer one whole.
const MAX_LINE: usize = 200;

/// What begins a line of a snapshot that goes on with the line before.
const GOES_ON: &str = "    ↳ ";

/// The text with its long lines folded, after a space where there is one.
fn folded(text: &str) -> String {
    text.split('\n')
        .map(folded_line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn folded_line(line: &str) -> String {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in line.split_inclusive(' ') {
        if length > GOES_ON.len() && length + word.chars().count() > MAX_LINE {
            lines.push(GOES_ON.to_owned());
            length = GOES_ON.chars().count();
        }
        for character in word.chars() {
            if length == MAX_LINE {
                lines.push(GOES_ON.to_owned());
                length = GOES_ON.chars().count();
            }
            lines.last_mut().unwrap().push(character);
            length += 1;
        }
    }
    lines.join("\n")
}

/// Compares every snapshot of a case, whichever of them differ, so that each shows its difference.
fn comes_out_as_reviewed(case: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(root().join("snapshots").join(case));
    settings.set_input_file(format!("fixtures/{case}"));
    let mut differing = Vec::new();
    for (name, mut args) in commands(case) {
        args.push(input(case));
        let run = support::promgen_in_full(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let text = format!(
            "$ promgen {}\n{}--- stderr, exit code {}\n{}",
            args.join(" "),
            run.stdout,
            run.code,
            run.stderr
        );
        let compare = || settings.bind(|| insta::assert_snapshot!(name.as_str(), folded(&text)));
        if panic::catch_unwind(panic::AssertUnwindSafe(compare)).is_err() {
            differing.push(name);
        }
    }
    assert!(
        differing.is_empty(),
        "snapshots/{case}: {differing:?} differ, as shown above"
    );
}

#[test]
fn a_long_line_is_folded() {
    let (words, one_word) = ("word ".repeat(100), "x".repeat(450));
    for line in [words.as_str(), &one_word, "short"] {
        let folded = folded(line);
        assert!(
            folded.lines().all(|line| line.chars().count() <= MAX_LINE),
            "{folded}"
        );
        assert_eq!(folded.replace(&format!("\n{GOES_ON}"), ""), line);
    }
}

#[test]
fn every_fixture_has_its_test() {
    let tested: BTreeSet<String> = list::CASES.iter().map(|case| list::folder(case)).collect();
    let untested: Vec<_> = folders(&root().join("fixtures"))
        .into_iter()
        .filter(|c| !tested.contains(c))
        .collect();
    assert!(
        untested.is_empty(),
        "tests/it/fixtures/list.rs lacks {untested:?}"
    );
}

#[test]
fn every_snapshot_has_its_fixture() {
    let mut orphans = Vec::new();
    for case in folders(&root().join("snapshots")) {
        let expected: BTreeSet<String> = commands(&case).into_keys().collect();
        for entry in fs::read_dir(root().join("snapshots").join(&case)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // What a failed test left behind, for `cargo insta review`.
            if name.ends_with(".snap.new") {
                continue;
            }
            let known = name
                .strip_suffix(".snap")
                .is_some_and(|n| expected.contains(n));
            if !known || !root().join("fixtures").join(&case).is_dir() {
                orphans.push(format!("{case}/{name}"));
            }
        }
    }
    assert!(orphans.is_empty(), "{orphans:?}");
}
