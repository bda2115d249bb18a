//! No value of a Secret is ever printed: markers are planted in Secrets of all fixtures and of recorded cases, texts are
//! broken in many ways, and every command is searched for them.

mod editor;
mod planted;
mod points;
mod repositories;

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::commands::{Line, Place, lines};
use crate::support::root;
use planted::{MUTATIONS, Markers, plant};

/// How many recorded cases take part.
const N_RECORDED: usize = 200;

/// All that a command prints and writes about a text.
fn told(text: &str, line: &Line) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in.yaml"), text).unwrap();
    line.told(&Place::new(folder.path(), "in.yaml", text))
}

/// The manifests of all fixtures, and of recorded cases where those stand beside the project.
fn texts() -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> = folders(&root().join("fixtures"));
    let recorded = root().join("../shared/conformance");
    let families =
        ["config", "mixed", "selection", "alertmanager-config", "alertmanager-generated", "generated", "wild"];
    let cases: Vec<PathBuf> = families.iter().flat_map(|family| folders(&recorded.join(family))).collect();
    paths.extend(cases.iter().step_by((cases.len() / N_RECORDED).max(1)).cloned());
    let text = |path: PathBuf| {
        let input = [path.join("input"), path.join("input.yaml"), path.clone()].into_iter().find(|path| path.exists());
        let mut texts = Vec::new();
        manifests(&input.unwrap(), &mut texts);
        (path.display().to_string(), texts.join("\n---\n"))
    };
    paths.into_iter().map(text).collect()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort_unstable();
    folders
}

fn manifests(path: &Path, texts: &mut Vec<String>) {
    if path.is_file() {
        texts.extend(fs::read_to_string(path));
        return;
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort_unstable();
    let is_manifest = |path: &PathBuf| path.is_dir() || path.extension().is_some_and(|e| e == "yaml" || e == "json");
    entries.iter().filter(|path| is_manifest(path)).for_each(|path| manifests(path, texts));
}

#[test]
fn no_command_prints_what_is_planted_in_any_manifests() {
    let markers = Markers::new();
    let (texts, lines): (_, Vec<_>) = (texts(), lines().iter().filter(|line| line.reads()).collect());
    let leaks: Vec<String> = texts
        .par_iter()
        .enumerate()
        .filter_map(|(number, (name, text))| {
            let (mutation, line) = (MUTATIONS[number % MUTATIONS.len()], lines[number * 7 % lines.len()]);
            let found = markers.find(&told(&plant(text, number, mutation), line))?;
            Some(format!("{name}, {mutation:?}, {line}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{} of {}:\n{}", leaks.len(), texts.len(), leaks.join("\n"));
}

#[test]
fn no_command_prints_what_is_planted_wherever_a_secret_is_read() {
    let markers = Markers::new();
    let leaks: Vec<String> = lines()
        .par_iter()
        .enumerate()
        .filter_map(|(number, line)| {
            let mutation = MUTATIONS[number % MUTATIONS.len()];
            let found = markers.find(&told(&plant(planted::EVERYWHERE, number, mutation), line))?;
            Some(format!("{mutation:?}, {line}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{}:\n{}", leaks.len(), leaks.join("\n"));
}
