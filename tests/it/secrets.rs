//! No value of a Secret is ever printed: markers are planted in Secrets of all fixtures and of recorded cases, texts are
//! broken in many ways, and every command is searched for them.

mod editor;
mod planted;
mod points;
mod repositories;

use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::support::{promgen, root};
use planted::{MUTATIONS, Markers, plant};

/// How many recorded cases take part.
const N_RECORDED: usize = 200;

/// How often each text is planted, broken and printed, each time in another way.
const ROUNDS: usize = 1;

/// Every way of printing something, with `IN` for the manifests and `OUT` for a folder.
const COMMANDS: &[&[&str]] = &[
    &["render", "IN"],
    &["render", "IN", "--format", "json"],
    &["render", "IN", "--layout", "operator", "-o", "OUT/"],
    &["render", "IN", "--emit", "config,workloads,status,raw,selection", "-o", "OUT/"],
    &["render", "IN", "--assume", "missing", "--layout", "operator"],
    &["lint", "IN", "--no-config"],
    &["lint", "IN", "--no-config", "--format", "json"],
    &["lint", "IN", "--no-config", "--format", "sarif"],
    &["lint", "IN", "--no-config", "--format", "github"],
    &["lint", "IN", "--no-config", "--format", "gitlab"],
    &["lint", "IN", "--no-config", "--format", "junit"],
    &["lint", "IN", "--no-config", "--format", "markdown"],
    &["lint", "IN", "--no-config", "--diff", "--unsafe-fixes"],
    &["lint", "IN", "--no-config", "--write-baseline", "OUT/baseline.json"],
    &["config", "IN"],
    &["config", "IN", "--annotate"],
    &["status", "IN"],
    &["status", "IN", "--format", "json"],
    &["status", "IN", "--format", "table"],
    &["health", "IN"],
    &["rules", "IN"],
    &["shards", "IN"],
    &["prove", "IN"],
    &["simulate", "IN", "--shards", "2..3", "--format", "json"],
    &["which", "{__address__=\"a:1\"}", "IN"],
    &["trace", "{__address__=\"a:1\"}", "IN"],
    &["explain", "prometheus/default/main", "IN"],
    &["route", "alertname=A,severity=critical", "IN", "--at", "2026-11-22T03:00:00Z"],
    &["route", "alertname=A", "IN", "--format", "json", "--at", "2026-11-23T03:00:00Z"],
    &["route", "--all-alerts", "IN"],
    &["route", "--all-alerts", "IN", "--format", "json"],
    &["route", "--all-alerts", "IN", "--format", "mermaid"],
    &["report", "IN", "--no-config"],
    &["report", "IN", "--no-config", "--format", "json"],
    &["report", "IN", "--no-config", "--compare", "IN", "-o", "OUT/report.html"],
];

/// Runs a command on a text and gives everything that it printed and wrote.
fn told(text: &str, command: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("in.yaml"), folder.path().join("out"));
    fs::write(&input, text).unwrap();
    fs::create_dir(&out).unwrap();
    let place = |arg: &&str| match *arg {
        "IN" => input.to_str().unwrap().to_owned(),
        arg => arg.replace("OUT", out.to_str().unwrap()),
    };
    let args: Vec<String> = command.iter().map(place).collect();
    let ran = promgen(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let mut told = ran.stdout + &ran.stderr;
    files(&out, &mut told);
    told
}

/// The names and texts of all files below a folder.
fn files(folder: &Path, told: &mut String) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        told.push_str(&entry.display().to_string());
        if entry.is_dir() {
            files(&entry, told);
        } else {
            told.push_str(&String::from_utf8_lossy(&fs::read(entry).unwrap()));
        }
    }
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
    let texts = texts();
    let leaks: Vec<String> = texts
        .par_iter()
        .enumerate()
        .flat_map(|(index, text)| (0..ROUNDS).into_par_iter().map(move |round| (index * ROUNDS + round, text)))
        .filter_map(|(number, (name, text))| {
            let (mutation, command) = (MUTATIONS[number % MUTATIONS.len()], COMMANDS[number * 7 % COMMANDS.len()]);
            let found = markers.find(&told(&plant(text, number, mutation), command))?;
            Some(format!("{name}, {mutation:?}, {command:?}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{} of {}:\n{}", leaks.len(), texts.len(), leaks.join("\n"));
}

#[test]
fn no_command_prints_what_is_planted_wherever_a_secret_is_read() {
    let markers = Markers::new();
    let commands = |first: usize| COMMANDS.iter().skip(first % 3).step_by(3);
    let pairs = MUTATIONS.iter().enumerate();
    let pairs: Vec<_> = pairs.flat_map(|(i, mutation)| commands(i).map(move |command| (*mutation, *command))).collect();
    let leaks: Vec<String> = pairs
        .par_iter()
        .enumerate()
        .filter_map(|(number, (mutation, command))| {
            let planted = plant(planted::EVERYWHERE, number, *mutation);
            let found = markers.find(&told(&planted, command))?;
            Some(format!("{mutation:?}, {command:?}: {found}"))
        })
        .collect();
    assert!(leaks.is_empty(), "{}:\n{}", leaks.len(), leaks.join("\n"));
}
