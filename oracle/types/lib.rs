//! What `render` writes is what a cluster takes: every object of the fixtures, and of a sample of the recorded cases, goes
//! through the types that are generated from Kubernetes' own description of its API, and nothing of it is lost.
//!
//! A package of its own, because these types take minutes to compile.
#![cfg(test)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read their data"
)]

use std::fs;
use std::path::{Path, PathBuf};

use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Secret, Service};
use promgen::{Emission, Input, Layout, Options, Project};
use promgen_compile::output::{Format, OutputFile};
use promgen_resources::gates::Target;
use promgen_testing::{needs, recorded};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One in so many recorded cases.
const SAMPLE: usize = 7;

/// The object as those types have it.
fn typed<T: DeserializeOwned + Serialize>(object: &Value) -> Result<Value, String> {
    let typed: T = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
    serde_json::to_value(typed).map_err(|error| error.to_string())
}

fn through_kubernetes(object: &Value) -> Result<Value, String> {
    match object["kind"].as_str().unwrap_or_default() {
        "StatefulSet" => typed::<StatefulSet>(object),
        "DaemonSet" => typed::<DaemonSet>(object),
        "Service" => typed::<Service>(object),
        "Secret" => typed::<Secret>(object),
        "ConfigMap" => typed::<ConfigMap>(object),
        other => Err(format!("of the kind {other:?}, which is not looked at")),
    }
}

/// What is in the first value and not in the second, with its path. What is empty may go.
fn lost(path: &str, was: &Value, is: &Value, found: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            for (key, value) in was {
                lost(
                    &format!("{path}.{key}"),
                    value,
                    is.get(key).unwrap_or(&Value::Null),
                    found,
                );
            }
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (index, (was, is)) in was.iter().zip(is).enumerate() {
                lost(&format!("{path}[{index}]"), was, is, found);
            }
        }
        (Value::Object(was), Value::Null) if was.is_empty() => {}
        (Value::Array(was), Value::Null) if was.is_empty() => {}
        (was, is) if was == is => {}
        (was, is) => found.push(format!("{path}: {was} became {is}")),
    }
}

fn is_object(file: &OutputFile<'_>) -> bool {
    let name = file.path.rsplit('/').next().unwrap_or_default();
    [
        "statefulset",
        "daemonset",
        "service-",
        "secret-",
        "configmap-",
    ]
    .iter()
    .any(|kind| name.starts_with(kind))
}

/// Checks everything that is written for these inputs; how many objects there were.
fn check(inputs: &[Input], name: &str) -> usize {
    let mut count = 0;
    for layout in [Layout::PerShard, Layout::Operator] {
        let mut target = Target::default();
        target
            .features
            .insert("PrometheusAgentDaemonSet".to_owned(), true);
        let options = Options {
            target,
            layout,
            reveal_secrets: true,
            ..Options::default()
        };
        let output = Project::read(inputs, &options).model().into_output();
        let emission = Emission {
            layout,
            format: Format::Json,
            ..Emission::default()
        };
        for file in output
            .files(&emission)
            .iter()
            .filter(|file| is_object(file))
        {
            let mut bytes = Vec::new();
            file.write(&mut bytes).unwrap();
            let object: Value = serde_json::from_slice(&bytes).unwrap();
            let back = through_kubernetes(&object)
                .unwrap_or_else(|e| panic!("{name}: {}: {e}", file.path));
            let mut found = Vec::new();
            lost("", &object, &back, &mut found);
            assert!(found.is_empty(), "{name}: {}: {found:#?}", file.path);
            count += 1;
        }
    }
    count
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort_unstable();
    entries
}

/// The files at a path or below it.
fn inputs(path: &Path) -> Vec<Input> {
    if path.is_dir() {
        return entries(path).iter().flat_map(|path| inputs(path)).collect();
    }
    let bytes = fs::read(path).unwrap();
    vec![Input::new(path.to_string_lossy(), bytes)]
}

#[test]
fn objects_of_the_fixtures_fit_kubernetes() {
    let mut count = 0;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for case in entries(&root.join("fixtures")) {
        let input = if case.join("input").is_dir() {
            case.join("input")
        } else {
            case.clone()
        };
        count += check(&inputs(&input), &case.to_string_lossy());
    }
    assert!(count > 100, "{count} objects");
}

#[needs(recordings)]
#[test]
fn objects_of_recorded_cases_fit_kubernetes() {
    let root = recorded("conformance");
    for family in [
        "statefulset",
        "daemonset",
        "alertmanager-statefulset",
        "thanosruler-statefulset",
        "mixed",
    ] {
        let inputs_of = entries(&root.join(family)).into_iter();
        let count: usize = inputs_of
            .map(|folder| folder.join("input.yaml"))
            .filter(|path| path.exists())
            .step_by(SAMPLE)
            .map(|path| check(&inputs(&path), &path.to_string_lossy()))
            .sum();
        assert!(count > 0, "{family}: no objects");
    }
}
