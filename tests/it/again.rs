//! A project that is read after another one is the project that is read alone.

use std::fs;

use crate::support::root;
use promgen::gates::Target;
use promgen::version::Version;
use promgen::{Assume, Input, Options, Project, release};

/// The inputs of some fixtures, and of the first one with one character less, one more, and one file less.
fn folders() -> Vec<Vec<Input>> {
    let mut folders: Vec<_> =
        fs::read_dir(root().join("fixtures")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let inputs = |folder: &std::path::PathBuf| {
        let mut files: Vec<_> = fs::read_dir(folder.join("input")).ok()?.map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "yaml"));
        files.sort();
        let input = |file: &std::path::PathBuf| Input::new(file.to_string_lossy(), fs::read(file).unwrap());
        Some(files.iter().map(input).collect::<Vec<_>>())
    };
    folders.iter().filter_map(inputs).filter(|inputs| inputs.len() > 1).collect()
}

/// What lint finds, and what is compiled.
fn answers(project: &std::sync::Arc<Project>) -> (String, String) {
    let lint = project.lint();
    let place = |d: &promgen::Diagnostic| format!("{:?} {} {}", d.span, d.rule.code, d.message);
    let found = lint.diagnostics.iter().map(place).collect::<Vec<_>>().join("\n");
    (found, project.model(promgen::model::Kept::Text).into_output().to_yaml())
}

#[test]
fn what_was_read_before_changes_nothing() {
    let options = Options { is_repository: true, ..Options::default() };
    let mut project = Project::read(&[], &options);
    for inputs in folders().into_iter().take(40) {
        let mut edited = inputs.clone();
        edited[0].bytes.pop();
        let mut longer = inputs.clone();
        longer[1].bytes.extend_from_slice(b"\n---\n- nothing\n");
        let shorter = inputs[1..].to_vec();
        for inputs in [&inputs, &edited, &inputs, &longer, &shorter, &inputs] {
            project = project.with(inputs, &options);
            assert!(answers(&project) == answers(&Project::read(inputs, &options)), "{}", inputs[0].name);
        }
    }
}

/// Other releases, versions, namespaces and assumptions: what a document gives depends on them.
fn all_options() -> Vec<Options> {
    let versions = |operator: &str, prometheus: &str| Target {
        operator: release::parse(operator).ok(),
        prometheus: Version::parse(prometheus),
        ..Target::default()
    };
    let repository = || Options { is_repository: true, ..Options::default() };
    vec![
        repository(),
        Options { target: versions("v0.80.0", "v2.40.0"), ..repository() },
        Options { namespace: "elsewhere".to_owned(), ..repository() },
        Options { target: versions("v0.86.1", "v3.5.0"), assume: Assume::Missing, ..repository() },
        Options { reveal_secrets: true, operator_only: true, ..repository() },
    ]
}

#[test]
fn what_was_derived_for_other_options_changes_nothing() {
    let all = all_options();
    for inputs in folders() {
        let mut project = Project::read(&inputs, &all[0]);
        for options in all.iter().chain(&all) {
            project = project.with(&inputs, options);
            assert!(answers(&project) == answers(&Project::read(&inputs, options)), "{}", inputs[0].name);
        }
    }
}
