//! Every folder below `fixtures/`, through the command line, against its snapshots.
//!
//! `options.yaml` of a case names its snapshots and the command line behind each; without it there is one, `render`.
//! A snapshot holds what came on standard output and standard error, and the exit code.

use std::fs;
use std::path::Path;

use promgen_text::sorted::{SortedMap, SortedSet};

use super::support;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folders(path: &Path) -> SortedSet<String> {
    let Ok(entries) = fs::read_dir(path) else { return SortedSet::new() };
    let folders = entries.map(|e| e.unwrap()).filter(|e| e.path().is_dir());
    folders.map(|e| e.file_name().into_string().unwrap()).collect()
}

/// Snapshot names with their command lines.
fn commands(case: &str) -> SortedMap<String, Vec<String>> {
    match fs::read_to_string(root().join("fixtures").join(case).join("options.yaml")) {
        Ok(text) => serde_yaml::from_str(&text).unwrap(),
        Err(_) => SortedMap::from([("render".to_owned(), vec!["render".to_owned()])]),
    }
}

/// The path of a case's manifests, as a user in the project's folder would write it.
fn input(case: &str) -> String {
    let input = format!("fixtures/{case}/input");
    if root().join(&input).is_dir() { input } else { format!("fixtures/{case}") }
}

#[test]
fn fixtures_come_out_as_reviewed() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for case in folders(&root().join("fixtures")) {
        settings.set_snapshot_path(root().join("snapshots").join(&case));
        settings.set_input_file(format!("fixtures/{case}"));
        for (name, mut args) in commands(&case) {
            args.push(input(&case));
            let run = support::promgen(&args.iter().map(String::as_str).collect::<Vec<_>>());
            let text = format!(
                "$ promgen {}\n{}--- stderr, exit code {}\n{}",
                args.join(" "),
                run.stdout,
                run.code,
                run.stderr
            );
            settings.bind(|| insta::assert_snapshot!(name, text));
        }
    }
}

#[test]
fn every_snapshot_has_its_fixture() {
    let mut orphans = Vec::new();
    for case in folders(&root().join("snapshots")).into_iter().filter(|c| c != "_meta") {
        let expected: SortedSet<String> = commands(&case).into_keys().collect();
        for entry in fs::read_dir(root().join("snapshots").join(&case)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let known = name.strip_suffix(".snap").is_some_and(|n| expected.contains(n));
            if !known || !root().join("fixtures").join(&case).is_dir() {
                orphans.push(format!("{case}/{name}"));
            }
        }
    }
    assert!(orphans.is_empty(), "{orphans:?}");
}
