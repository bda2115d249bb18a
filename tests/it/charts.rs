//! Releases of kube-prometheus-stack, against what the real Helm makes of them, if the recordings stand beside this project.
//!
//! `known_gaps.txt` names the cases that disagree; it may only shrink.

mod answers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use promgen_testing::{needs, recorded};
use promgen_text::diag::Sink;
use promgen_text::source::FileId;
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Map, Value};
use rayon::prelude::*;

use super::support::{promgen, root};

/// Kind, namespace and name of an object.
type Key = (String, String, String);

const WORKLOADS: [&str; 4] = [
    "Prometheus",
    "PrometheusAgent",
    "Alertmanager",
    "ThanosRuler",
];

fn text<'v>(value: &'v Value, keys: &[&str]) -> &'v str {
    keys.iter()
        .try_fold(value, |value, key| value.get(key))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn objects(yaml: &str) -> BTreeMap<Key, Value> {
    let documents = read(FileId::new(0), yaml, &mut Sink::default());
    let objects = documents.iter().map(|document| document.root.to_value());
    objects
        .map(|object| (key(&object), comparable(object)))
        .collect()
}

fn key(object: &Value) -> Key {
    let namespace = text(object, &["metadata", "namespace"]);
    let namespace = if namespace.is_empty() {
        "default"
    } else {
        namespace
    };
    (
        text(object, &["kind"]).to_owned(),
        namespace.to_owned(),
        text(object, &["metadata", "name"]).to_owned(),
    )
}

/// An object with sorted keys, without nulls; the texts of a Secret as the YAML that they are.
fn comparable(object: Value) -> Value {
    let is_secret = text(&object, &["kind"]) == "Secret";
    let Value::Map(entries) = object else {
        return object;
    };
    let entries = entries.into_entries();
    let entry = |(key, value): promgen_text::yaml::MapEntry| match &*key {
        "data" if is_secret => (key, sorted(opened(value))),
        "metadata" => (key, sorted(without_namespace(value))),
        _ => (key, sorted(value)),
    };
    sorted(Value::Map(entries.into_iter().map(entry).collect()))
}

fn without_namespace(metadata: Value) -> Value {
    let Value::Map(entries) = metadata else {
        return metadata;
    };
    let entries = entries.into_entries();
    Value::Map(
        entries
            .into_iter()
            .filter(|(key, _)| key != "namespace")
            .collect(),
    )
}

fn opened(data: Value) -> Value {
    let Value::Map(entries) = data else {
        return Value::Map(Map::new());
    };
    let entries = entries.into_entries();
    let open = |value: Value| {
        let bytes = STANDARD
            .decode(value.as_str().unwrap_or_default())
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let documents = read(FileId::new(0), &text, &mut Sink::default());
        documents
            .first()
            .map_or(Value::from(text), |document| document.root.to_value())
    };
    Value::Map(
        entries
            .into_iter()
            .map(|(key, value)| (key, open(value)))
            .collect(),
    )
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut entries = map.into_entries();
            entries.retain(|(_, value)| !matches!(value, Value::Null));
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, sorted(value)))
                    .collect(),
            )
        }
        Value::Seq(items) => Value::Seq(items.into_iter().map(sorted).collect()),
        value => value,
    }
}

fn agrees(case: &Path) -> bool {
    let input = case.join("input").to_string_lossy().into_owned();
    let made = objects(&promgen(&["build", &input, "--reveal-secrets"]).stdout);
    let expected = objects(&fs::read_to_string(case.join("expected/objects.yaml")).unwrap());
    let same = |(key, expected): (&Key, &Value)| {
        made.get(key)
            .is_some_and(|made| without_empty(made) == without_empty(expected))
    };
    let is_expected =
        |key: &Key| !WORKLOADS.contains(&key.0.as_str()) || expected.contains_key(key);
    expected.iter().all(same) && made.keys().all(is_expected)
}

/// An object as text. A Secret may have no data.
fn without_empty(object: &Value) -> String {
    let Value::Map(entries) = object else {
        return String::new();
    };
    let is_empty = |value: &Value| matches!(value, Value::Map(entries) if entries.is_empty());
    let kept = entries
        .iter()
        .filter(|(key, value)| key != "data" || !is_empty(value))
        .cloned();
    format!("{:?}", kept.collect::<Vec<_>>())
}

#[needs(recordings)]
#[test]
fn releases_make_what_helm_makes_of_them() {
    let mut folders: Vec<_> = fs::read_dir(recorded("charts/cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.retain(|folder| folder.join("case.json").is_file());
    assert!(folders.len() > 100);
    let differing = folders.par_iter().filter(|case| !agrees(case));
    let differing = differing.map(|case| case.file_name().unwrap().to_string_lossy().into_owned());
    let differing: BTreeSet<String> = differing.collect::<Vec<_>>().into_iter().collect();
    let known = fs::read_to_string(root().join("tests/it/charts/known_gaps.txt")).unwrap();
    let known: BTreeSet<String> = known
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        differing, known,
        "known_gaps.txt names other cases than those that disagree"
    );
}
