//! What Flux makes of a repository. flate renders whole repositories offline: it and promgen make the same objects of two of
//! our own, with Kustomizations with variables and a target namespace, and HelmReleases of charts that are there. Flux' own
//! library builds one Kustomization: of fixtures, and of random ones.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use promgen::Project;
use promgen_compile::options::Options;
use promgen_text::source::Input;
use rayon::prelude::*;
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::kustomize_builds::generate::{self, Random};
use super::support::{root, tool};

/// Objects of the operator, by kind, namespace and name.
type Objects = BTreeMap<[String; 3], Value>;

const GROUP: &str = "monitoring.coreos.com/";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if path.is_dir() {
            copy(&path, &to)
        } else {
            assert!(fs::copy(path, to).is_ok())
        }
    }
}

/// A working copy of a repository, with the charts of the other one.
fn repository(name: &str) -> tempfile::TempDir {
    // flate passes over hidden folders.
    let folder = tempfile::Builder::new().prefix("flux").tempdir().unwrap();
    let charts = root().join("tests/it/charts");
    copy(&charts.join(name), folder.path());
    copy(
        &charts.join("repository/charts"),
        &folder.path().join("charts"),
    );
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
        let ran = Command::new("git")
            .args(identity)
            .args(args)
            .current_dir(&folder)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{args:?}");
    }
    folder
}

/// The objects of the operator in a stream, without what Flux adds to them.
fn objects(stream: &str) -> Objects {
    let documents = serde_json::Deserializer::from_str(stream)
        .into_iter::<Value>()
        .map(Result::unwrap);
    let flat = documents.flat_map(|value| match value {
        Value::Array(items) => items,
        mut one => match one["objects"].take() {
            Value::Array(items) => items,
            _ => vec![one],
        },
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
    let key = [
        text(&value["kind"]),
        text(&value["metadata"]["namespace"]),
        text(&value["metadata"]["name"]),
    ];
    Some((key, value))
}

fn of_flate(flate: &Path, what: &str, folder: &Path) -> Objects {
    let mut command = Command::new(flate);
    command
        .args([
            "build",
            what,
            "--path",
            ".",
            "--output",
            "json",
            "--api-versions",
            "monitoring.coreos.com/v1",
        ])
        .current_dir(folder);
    command.env("XDG_CACHE_HOME", folder.join(".git/cache"));
    let ran = command.output().unwrap();
    let found = objects(std::str::from_utf8(&ran.stdout).unwrap());
    assert!(
        ran.status.success() && !found.is_empty(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    found
}

/// What promgen makes of the releases, with Helm.
fn released(helm: &Path, folder: &Path) -> Objects {
    let bin = folder.join(".git/bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(helm, bin.join("helm")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    command
        .args([
            "build",
            "--helm",
            "--reveal-secrets",
            "--format",
            "json",
            ".",
        ])
        .current_dir(folder);
    command.env(
        "PATH",
        format!("{}:{}", bin.display(), std::env::var("PATH").unwrap()),
    );
    command.env("PROMGEN_CACHE_DIR", folder.join(".git/promgen"));
    let ran = command.output().unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    objects(std::str::from_utf8(&ran.stdout).unwrap())
}

/// What promgen takes Flux to apply.
fn applied(folder: &Path) -> Objects {
    let project = project(folder);
    let documents = project
        .environments()
        .iter()
        .flat_map(|environment| &environment.documents);
    documents
        .filter_map(|document| object(serde_json::to_value(document.root.to_value()).unwrap()))
        .collect()
}

/// The same. `None`: it cannot be built, or is built in part.
fn built(folder: &Path) -> Option<Objects> {
    let is_whole = project(folder)
        .placed()
        .iter()
        .all(|found| !matches!(&*found.rule.code, "PG801" | "PG802"));
    is_whole.then(|| applied(folder))
}

fn project(folder: &Path) -> Arc<Project> {
    let mut inputs = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        for entry in fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let name = entry
                .strip_prefix(folder)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if entry.is_dir() && name != ".git" && name != "charts" {
                todo.push(entry);
            } else if entry.is_file() && !name.starts_with(".git") {
                inputs.push(Input::new(name, fs::read(&entry).unwrap()));
            }
        }
    }
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    Project::read(
        &inputs,
        &Options {
            is_repository: true,
            reveal_secrets: true,
            ..Options::default()
        },
    )
}

#[test]
#[ignore = "needs FLATE and HELM, the programs flate and helm"]
fn two_repositories_are_what_flate_makes_of_them() {
    let (flate, helm) = (tool("FLATE"), tool("HELM"));
    for name in ["repository", "flux"] {
        let folder = repository(name);
        let releases = of_flate(&flate, "hr", folder.path());
        assert_eq!(
            released(&helm, folder.path()),
            releases,
            "{name}: the releases"
        );
        let kustomizations = of_flate(&flate, "ks", folder.path());
        assert_eq!(
            applied(folder.path()),
            kustomizations,
            "{name}: the Kustomizations"
        );
    }
}

/// What Flux builds of a Kustomization. `None`: it refuses it.
fn of_flux(flux: &Path, folder: &Path, kustomization: &Value) -> Option<Objects> {
    // Flux writes into the folder.
    let work = tempfile::tempdir().unwrap();
    copy(folder, &work.path().join("files"));
    let file = work.path().join("kustomization.json");
    fs::write(&file, kustomization.to_string()).unwrap();
    let ran = Command::new(flux)
        .arg(work.path().join("files"))
        .arg(file)
        .output()
        .unwrap();
    let text = std::str::from_utf8(&ran.stdout).unwrap();
    let objects =
        || serde_yaml::Deserializer::from_str(text).filter_map(|one| Value::deserialize(one).ok());
    ran.status
        .success()
        .then(|| objects().filter_map(object).collect())
}

#[test]
#[ignore = "needs FLUX_KUSTOMIZE, the program of oracle/flux"]
fn a_fixture_is_what_flux_builds_of_it() {
    let flux = tool("FLUX_KUSTOMIZE");
    let folder = root().join("fixtures/flux-builds/input");
    let text = fs::read_to_string(folder.join("clusters/eu/stores.yaml")).unwrap();
    let mut kustomization = serde_yaml::from_str::<Value>(&text).unwrap();
    // As the kustomization around it patches it.
    kustomization["spec"]["targetNamespace"] = "stores".into();
    let mut found = applied(&folder);
    found.retain(|key, _| key[1] == "stores");
    assert_eq!(Some(found), of_flux(&flux, &folder, &kustomization));
}

/// Seeds with a replacement that Kustomize 5.7 refuses, and the 5.8 in Flux takes.
const NEWER: [u64; 1] = [255];

/// A Kustomization of random fields.
fn random_kustomization(random: &mut Random, path: &str) -> Value {
    let mut spec = json!({
        "interval": "5m", "prune": true, "path": format!("./{path}"),
        "sourceRef": {"kind": "GitRepository", "name": "here"},
    });
    for (key, values) in [
        ("targetNamespace", ["shop", "flux"]),
        ("namePrefix", ["f-", "x"]),
        ("nameSuffix", ["-f", "-y"]),
    ] {
        if random.once_in(3) {
            spec[key] = json!(random.pick(&values));
        }
    }
    if random.once_in(3) {
        let patch = "- {op: add, path: /metadata/annotations, value: {patched: by-flux}}";
        spec["patches"] = json!([{"patch": patch, "target": {"kind": random.pick(&["ServiceMonitor", "Prometheus.*"])}}]);
    }
    if random.once_in(3) {
        spec["images"] = json!([{"name": "nginx", "newTag": "flux"}]);
    }
    if random.once_in(6) {
        spec["components"] = json!([random.pick(&["../base-part", "../top-part"])]);
    }
    json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
        "metadata": {"name": "random", "namespace": "flux-system"}, "spec": spec,
    })
}

/// The first object that differs.
fn difference(found: Option<&Objects>, expected: Option<&Objects>) -> String {
    let (Some(found), Some(expected)) = (found, expected) else {
        return format!(
            "{} it",
            if found.is_some() {
                "Flux refuses"
            } else {
                "promgen does not build"
            }
        );
    };
    let key = found
        .keys()
        .chain(expected.keys())
        .find(|key| found.get(*key) != expected.get(*key));
    let text = |objects: &Objects| {
        key.and_then(|key| objects.get(key))
            .map(Value::to_string)
            .unwrap_or_default()
    };
    format!(
        "\n  promgen: {}\n  Flux:    {}",
        text(found),
        text(expected)
    )
}

#[test]
#[ignore = "needs FLUX_KUSTOMIZE, the program of oracle/flux"]
fn random_kustomizations_are_what_flux_builds_of_them() {
    let flux = tool("FLUX_KUSTOMIZE");
    let differ = |seed: u64| {
        let mut random = Random::new(seed);
        let mut files = generate::files(seed);
        let is_generated = random.once_in(3);
        if is_generated {
            // Flux generates a kustomization of all manifests, and takes a folder that has one as it is.
            files.retain(|path, _| path.starts_with("base") || path.ends_with("/objects.yaml"));
        }
        let kustomization =
            random_kustomization(&mut random, if is_generated { "apps" } else { "apps/top" });
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in &files {
            let path = folder.path().join("apps").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::create_dir_all(folder.path().join("cluster")).unwrap();
        fs::write(
            folder.path().join("cluster/flux.yaml"),
            kustomization.to_string(),
        )
        .unwrap();
        let expected = of_flux(&flux, folder.path(), &kustomization);
        let found = built(folder.path());
        // What Flux refuses of a kustomization that it generates is judged file by file.
        let is_open = is_generated && expected.is_none() || NEWER.contains(&seed);
        (!is_open && found != expected).then(|| {
            format!(
                "seed {seed}: {}: {}",
                kustomization["spec"],
                difference(found.as_ref(), expected.as_ref())
            )
        })
    };
    let differ: Vec<String> = (0..400).into_par_iter().filter_map(differ).collect();
    assert!(
        differ.is_empty(),
        "{} differ:\n{}",
        differ.len(),
        differ.join("\n")
    );
}
