//! No value of a Secret is ever printed: markers are planted in Secrets of all fixtures and of recorded cases, texts are
//! broken in many ways, and every command is searched for them.

mod editor;
mod planted;
mod points;
mod repositories;

use std::fs;
use std::path::{Path, PathBuf};

use promgen_testing::needs;
use rayon::prelude::*;

use crate::commands::{Line, Place, lines};
use crate::conformance;
use crate::support::{root, swept};
use planted::{MUTATIONS, Markers, plant};

/// The number of recorded cases that take part.
const N_RECORDED: usize = 200;

/// All that a command prints and writes about a text.
fn told(text: &str, line: &Line) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.yaml"), text).unwrap();
    line.told(&Place::new(folder.path(), "in.yaml", text))
}

/// The manifests of all fixtures.
fn fixtures() -> Vec<(String, String)> {
    folders(&root().join("fixtures"))
        .iter()
        .map(|case| text(case))
        .collect()
}

/// The manifests of recorded cases.
fn recorded() -> Vec<(String, String)> {
    let recorded = conformance::root();
    let families = [
        "config",
        "mixed",
        "selection",
        "alertmanager-config",
        "alertmanager-generated",
        "generated",
        "wild",
    ];
    let cases: Vec<PathBuf> = families
        .iter()
        .flat_map(|family| folders(&recorded.join(family)))
        .collect();
    cases
        .iter()
        .step_by((cases.len() / N_RECORDED).max(1))
        .map(|case| text(case))
        .collect()
}

/// A case and its manifests.
fn text(case: &Path) -> (String, String) {
    let input = [case.join("input"), case.join("input.yaml"), case.to_owned()]
        .into_iter()
        .find(|path| path.exists());
    let mut texts = Vec::new();
    manifests(&input.unwrap(), &mut texts);
    (case.display().to_string(), texts.join("\n---\n"))
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort_unstable();
    folders
}

fn manifests(path: &Path, texts: &mut Vec<String>) {
    if path.is_file() {
        texts.extend(fs::read_to_string(path));
        return;
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort_unstable();
    let is_manifest = |path: &PathBuf| {
        path.is_dir() || path.extension().is_some_and(|e| e == "yaml" || e == "json")
    };
    entries
        .iter()
        .filter(|path| is_manifest(path))
        .for_each(|path| manifests(path, texts));
}

fn check(texts: &[(String, String)]) {
    let markers = Markers::new();
    let lines: Vec<_> = lines().iter().filter(|line| line.reads()).collect();
    let leaks: Vec<String> = swept(2, texts.iter().enumerate())
        .into_par_iter()
        .filter_map(|(number, (name, text))| {
            let (mutation, line) = (
                MUTATIONS[number % MUTATIONS.len()],
                lines[number * 7 % lines.len()],
            );
            let found = markers.find(&told(&plant(text, number, mutation), line))?;
            Some(format!("{name}, {mutation:?}, {line}: {found}"))
        })
        .collect();
    assert!(
        leaks.is_empty(),
        "{} of {}:\n{}",
        leaks.len(),
        texts.len(),
        leaks.join("\n")
    );
}

#[test]
fn no_command_prints_what_is_planted_in_any_manifests() {
    check(&fixtures());
}

#[needs(recordings)]
#[test]
fn no_command_prints_what_is_planted_in_recorded_manifests() {
    check(&recorded());
}

#[test]
fn no_command_prints_what_is_planted_wherever_a_secret_is_read() {
    let markers = Markers::new();
    let leaks: Vec<String> = swept(1, lines().iter().enumerate())
        .into_par_iter()
        .filter_map(|(number, line)| {
            let mutation = MUTATIONS[number % MUTATIONS.len()];
            let found = markers.find(&told(&plant(planted::EVERYWHERE, number, mutation), line))?;
            Some(format!("{mutation:?}, {line}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{}:\n{}", leaks.len(), leaks.join("\n"));
}
