//! flate renders repositories of Flux offline. It and promgen make the same objects of two of our own, which are whole
//! repositories: Kustomizations with variables and a target namespace, HelmReleases of charts that are there.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

use promgen::Project;
use promgen_compile::options::Options;
use promgen_text::sorted::{Order as _, SortedMap};
use promgen_text::source::Input;
use serde_json::Value;

use super::support::{root, tool};

/// Objects of the operator, by kind, namespace and name.
type Objects = SortedMap<[String; 3], Value>;

const GROUP: &str = "monitoring.coreos.com/";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
        if path.is_dir() { copy(&path, &to) } else { assert!(fs::copy(path, to).is_ok()) }
    }
}

/// A working copy of a repository, with the charts of the other one.
fn repository(name: &str) -> tempfile::TempDir {
    // flate passes over hidden folders.
    let folder = tempfile::Builder::new().prefix("flux").tempdir().unwrap();
    let charts = root().join("tests/it/charts");
    copy(&charts.join(name), folder.path());
    copy(&charts.join("repository/charts"), &folder.path().join("charts"));
    if name == "repository" {
        // What is elsewhere needs a network, and flate needs to know which repository this is.
        let release = folder.path().join("apps/release.yaml");
        let text = fs::read_to_string(&release).unwrap();
        fs::write(&release, text.split("---\n").next().unwrap()).unwrap();
        let flux = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: here, namespace: shop}\n\
                    spec: {interval: 1h, url: 'https://example.com/here.git'}\n---\n\
                    apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: shop}\n\
                    spec: {interval: 1h, path: ./apps, prune: true, sourceRef: {kind: GitRepository, name: here}}\n";
        fs::create_dir_all(folder.path().join("flux")).unwrap();
        fs::write(folder.path().join("flux/cluster.yaml"), flux).unwrap();
    }
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    for args in [
        &["init", "--quiet"][..],
        &["remote", "add", "origin", "https://example.com/here.git"],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "all"],
    ] {
        let ran = Command::new("git").args(identity).args(args).current_dir(&folder).output().unwrap();
        assert!(ran.status.success(), "{args:?}");
    }
    folder
}

/// The objects of the operator in a stream, without what Flux adds to them.
fn objects(stream: &str) -> Objects {
    let documents = serde_json::Deserializer::from_str(stream).into_iter::<Value>().map(Result::unwrap);
    let flat = documents.flat_map(|value| match value {
        Value::Array(items) => items,
        one => vec![one],
    });
    flat.filter_map(object).collect()
}

fn object(mut value: Value) -> Option<([String; 3], Value)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if !text(&value["apiVersion"]).starts_with(GROUP) {
        return None;
    }
    let metadata = value["metadata"].as_object_mut()?;
    let labels = metadata.get_mut("labels").and_then(Value::as_object_mut);
    if labels.is_none_or(|labels| {
        labels.retain(|name, _| !name.contains("toolkit.fluxcd.io/"));
        labels.is_empty()
    }) {
        metadata.remove("labels");
    }
    let key = [text(&value["kind"]), text(&value["metadata"]["namespace"]), text(&value["metadata"]["name"])];
    Some((key, value))
}

fn of_flate(flate: &Path, what: &str, folder: &Path) -> Objects {
    let mut command = Command::new(flate);
    command
        .args(["build", what, "--path", ".", "--output", "json", "--api-versions", "monitoring.coreos.com/v1"])
        .current_dir(folder);
    command.env("XDG_CACHE_HOME", folder.join(".git/cache"));
    let ran = command.output().unwrap();
    let found = objects(std::str::from_utf8(&ran.stdout).unwrap());
    assert!(ran.status.success() && !found.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
    found
}

/// What promgen makes of the releases, with Helm.
fn released(helm: &Path, folder: &Path) -> Objects {
    let bin = folder.join(".git/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(helm, bin.join("helm")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    command.args(["build", "--helm", "--reveal-secrets", "--format", "json", "."]).current_dir(folder);
    command.env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()));
    command.env("PROMGEN_CACHE_DIR", folder.join(".git/promgen"));
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    objects(std::str::from_utf8(&ran.stdout).unwrap())
}

/// What promgen takes Flux to apply.
fn applied(folder: &Path) -> Objects {
    let mut inputs = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        for entry in fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
            let name = entry.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            if entry.is_dir() && name != ".git" && name != "charts" {
                todo.push(entry);
            } else if name.ends_with(".yaml") {
                inputs.push(Input::new(name, fs::read(&entry).unwrap()));
            }
        }
    }
    inputs.order_by(|a, b| a.name.cmp(&b.name));
    let project = Project::read(&inputs, &Options { is_repository: true, ..Options::default() });
    let documents = project.environments().iter().flat_map(|environment| &environment.documents);
    documents.filter_map(|document| object(serde_json::to_value(document.root.to_value()).unwrap())).collect()
}

#[test]
fn two_repositories_are_what_flate_makes_of_them() {
    let (Some(flate), Some(helm)) = (tool("FLATE"), tool("HELM")) else { return };
    for name in ["repository", "flux"] {
        let folder = repository(name);
        let releases = of_flate(&flate, "hr", folder.path());
        assert_eq!(released(&helm, folder.path()), releases, "{name}: the releases");
        let kustomizations = of_flate(&flate, "ks", folder.path());
        assert_eq!(applied(folder.path()), kustomizations, "{name}: the Kustomizations");
    }
}
