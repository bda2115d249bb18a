//! What is written among the manifests changes nothing: not what is written the next time, and not what is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use promgen_testing::needs;
use rayon::prelude::*;

use crate::conformance::{self, cases};
use crate::support::{Ran, promgen, root, swept};

/// The folders of manifests of the cases in a folder.
fn inputs(folder: &Path) -> Vec<PathBuf> {
    cases::folders(folder)
        .iter()
        .map(|case| folder.join(case).join("input"))
        .filter(|path| path.is_dir())
        .collect()
}

fn copy(from: &Path, to: &Path) {
    for (name, path) in cases::files(from) {
        let target = to.join(name);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(path, target).unwrap();
    }
}

fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    cases::files(folder)
        .into_iter()
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// Every way to write into a folder. Large repositories are written in fewer ways, as that takes long.
fn render(folder: &Path, is_large: bool) -> Vec<Ran> {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let input = folder.to_str().unwrap();
    let run = |target: &str, more: &[&str]| {
        promgen(&[&["render", input, "-o", &at(target)], more].concat())
    };
    let mut ran = vec![
        run(
            "rendered/",
            &["--emit", "config,workloads,status,raw,selection"],
        ),
        run("operator/", &["--layout", "operator"]),
    ];
    if !is_large {
        ran.push(run("json/", &["--format", "json"]));
        ran.push(run("out.json", &["--format", "json"]));
        ran.push(run("out.yaml", &[]));
    }
    ran.push(promgen(&["status", input, "--assert"]));
    ran
}

fn findings(folder: &Path) -> Vec<String> {
    let ran = promgen(&[
        "lint",
        folder.to_str().unwrap(),
        "--format",
        "json",
        "--no-config",
    ]);
    let report: serde_json::Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {}", ran.stderr));
    let found = report["findings"].as_array().expect("a list of findings");
    found.iter().map(ToString::to_string).collect()
}

fn check(input: &Path) -> Result<(), String> {
    let folder = tempfile::tempdir().unwrap();
    copy(input, folder.path());
    let lint = findings(folder.path());
    let is_large = !input.starts_with(root().join("fixtures"));
    let first = render(folder.path(), is_large);
    let (written, codes) = (
        tree(folder.path()),
        first.iter().map(|ran| ran.code).collect::<Vec<_>>(),
    );
    let second = render(folder.path(), is_large);
    let again = tree(folder.path());
    for (name, bytes) in &written {
        if again.get(name) != Some(bytes) {
            return Err(format!("{name} differs the second time"));
        }
    }
    if again.len() != written.len() {
        return Err("other files the second time".to_owned());
    }
    let second_codes: Vec<_> = second.iter().map(|ran| ran.code).collect();
    // One file cannot hold several environments.
    let holds_several = first
        .iter()
        .any(|ran| ran.stderr.contains("one output cannot hold all"));
    if codes != second_codes || codes.contains(&2) && !holds_several {
        return Err(format!(
            "exit codes {codes:?}, then {second_codes:?}: {}",
            second[0].stderr
        ));
    }
    if first.last().unwrap().stdout != second.last().unwrap().stdout {
        return Err("another status the second time".to_owned());
    }
    let after = findings(folder.path());
    let new: Vec<_> = after
        .iter()
        .filter(|finding| !lint.contains(finding))
        .collect();
    if new.is_empty() {
        Ok(())
    } else {
        Err(format!("lint finds more: {new:?}"))
    }
}

fn check_all(inputs: &[PathBuf]) {
    let failures: Vec<String> = inputs
        .par_iter()
        .filter_map(|input| {
            check(input)
                .err()
                .map(|why| format!("{}: {why}", input.display()))
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn output_among_the_input_changes_nothing() {
    let inputs = inputs(&root().join("fixtures"));
    assert!(inputs.len() > 40, "only {} inputs", inputs.len());
    check_all(&swept(0, inputs));
}

#[needs(recordings)]
#[test]
fn output_among_public_repositories_changes_nothing() {
    let inputs = inputs(&conformance::root().join("wild"));
    assert!(inputs.len() > 10, "only {} inputs", inputs.len());
    check_all(&inputs);
}

#[test]
fn what_is_left_out_is_said_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("fixtures/quickstart/input"), folder.path());
    let input = folder.path().to_str().unwrap();
    let out = folder.path().join("out.yaml");
    assert_eq!(
        promgen(&["render", input, "-o", out.to_str().unwrap()]).code,
        0
    );
    let ran = promgen(&["render", input]);
    let notes: Vec<_> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("note: skipped"))
        .collect();
    assert_eq!(
        notes,
        [format!(
            "note: skipped 13 documents that promgen generated: `{}`",
            out.display()
        )]
    );
    assert_eq!(ran.stdout, fs::read_to_string(&out).unwrap());
}

#[test]
fn a_manifest_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    copy(&root().join("fixtures/quickstart/input"), folder.path());
    let before = tree(folder.path());
    let target = folder.path().join("prometheus.yaml");
    let ran = promgen(&[
        "render",
        folder.path().to_str().unwrap(),
        "-o",
        target.to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("it is an input file"), "{}", ran.stderr);
    fs::write(
        folder.path().join("kustomization.yaml"),
        "resources: [prometheus.yaml]\n",
    )
    .unwrap();
    let ran = promgen(&[
        "render",
        folder.path().to_str().unwrap(),
        "-o",
        folder.path().to_str().unwrap(),
    ]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("lies in the folder of the output"),
        "{}",
        ran.stderr
    );
    fs::remove_file(folder.path().join("kustomization.yaml")).unwrap();
    assert_eq!(tree(folder.path()), before);
}

#[test]
fn workloads_that_are_gone_leave_the_folder() {
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let manifest = |name: &str| {
        format!(
            "apiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: {{name: {name}}}\nspec: {{}}\n---\n"
        )
    };
    let path = folder.path().join("a.yaml");
    let render = || {
        promgen(&[
            "render",
            path.to_str().unwrap(),
            "-o",
            out.path().to_str().unwrap(),
        ])
    };
    fs::write(&path, manifest("one") + &manifest("two")).unwrap();
    assert_eq!(render().code, 0);
    fs::write(out.path().join("prometheus/default/two/mine.yaml"), "mine").unwrap();
    let services = tree(out.path())
        .keys()
        .filter(|name| name.contains("service-"))
        .count();
    assert_eq!(services, 1, "a Service that both share comes once");
    fs::write(&path, manifest("one")).unwrap();
    assert_eq!(render().code, 0);
    let left: Vec<_> = tree(out.path())
        .into_keys()
        .filter(|name| name.contains("/two/"))
        .collect();
    assert_eq!(left, ["prometheus/default/two/mine.yaml"]);
    let list = fs::read_to_string(out.path().join("kustomization.yaml")).unwrap();
    assert!(
        !list.contains("/two/") && list.contains("prometheus/default/one/statefulset-0.yaml"),
        "{list}"
    );
}
