//! A project that is read after another one is the project that is read alone.

use std::fs;

use crate::support::root;
use promgen::{Input, Options, Project};

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
    folders.iter().filter_map(inputs).filter(|inputs| inputs.len() > 1).take(40).collect()
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
    for inputs in folders() {
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
