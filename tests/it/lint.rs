//! `promgen lint`: the examples of every rule, and what the user asks for.

mod asked;
mod examples;
mod fixing;
mod parts;
mod permissions;

use std::fs;
use std::path::Path;

use promgen::cli::Terminal;
use serde_json::Value;

use crate::support::{Ran, promgen_with};

/// Runs `promgen lint` on a text.
fn lint(text: &str, args: &[&str]) -> Ran {
    let args: Vec<&str> = ["lint", "-", "--no-config"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    promgen_with(&args, &mut text.as_bytes(), Terminal::default())
}

/// The codes of the findings that `--format json` prints, in order.
fn codes(ran: &Ran) -> Vec<String> {
    let written: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let found = written["findings"].as_array().unwrap();
    found
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect()
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A path as an argument.
pub(crate) fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn keys_of_a_copied_configuration_are_those_of_the_version_that_runs() {
    let manifests = |selector: &str| {
        format!(
            "{{apiVersion: monitoring.coreos.com/v1, kind: Alertmanager, metadata: {{name: main}}, spec: {{{selector}}}}}\n---\n\
             apiVersion: v1\nkind: Secret\nmetadata: {{name: alertmanager-main}}\nstringData:\n  alertmanager.yaml: |\n    \
             route: {{receiver: a}}\n    receivers: [{{name: a, telepathy_configs: [{{to: a}}]}}]\n"
        )
    };
    let found = |selector: &str| {
        codes(&lint(
            &manifests(selector),
            &["--select", "PG502,PG505", "--format", "json"],
        ))
    };
    assert_eq!(found(""), ["PG505"]);
    // A newer Alertmanager may know them. The operator reads the keys as soon as it adds AlertmanagerConfigs.
    assert!(found("version: v0.99.0").is_empty());
    assert_eq!(found("alertmanagerConfigSelector: {}"), ["PG502"]);
}
