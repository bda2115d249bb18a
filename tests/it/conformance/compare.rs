//! When an output agrees with a recorded one: configurations by their bytes, objects as data.

use std::sync::LazyLock;

use base64::Engine;
use regex::{Captures, Regex};
use serde_json::{Map, Value};

/// What carries no meaning: times, and what a cluster fills in.
const MEANINGLESS: &[&str] = &[
    "lastTransitionTime",
    "creationTimestamp",
    "prometheus-operator-input-hash",
];
/// Keys that mean something even when they are empty.
const KEEP_EMPTY: &[&str] = &["emptyDir", "subPath", "value"];
/// Whose `status` is observed by somebody else.
const OBSERVED: &[&str] = &["StatefulSet", "DaemonSet", "Service"];

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether two files of that name agree.
pub(crate) fn same(path: &str, expected: &str, got: &str) -> bool {
    let name = file_name(path);
    if matches!(
        name,
        "prometheus.yaml" | "alertmanager.yaml" | "web-config.yaml"
    ) || is_rule_file(path)
    {
        return expected == got;
    }
    if name == "error.txt" {
        let (expected, got) = (settle(expected.trim()), settle(got.trim()));
        return expected == got || (expected.starts_with("PANIC") && !got.is_empty());
    }
    let (Some(mut expected), Some(mut got)) = (load(name, expected), load(name, got)) else {
        return false;
    };
    align(name, &mut expected, &mut got);
    drop_empty(expected) == drop_empty(got)
}

/// Returns whether it is a rule file of a workload, which may itself be called `rules`:
/// `kind/namespace/name/rules/file`.
fn is_rule_file(path: &str) -> bool {
    path.rsplit('/').nth(1) == Some("rules") && path.split('/').count() > 4
}

/// What differs between two objects, for a person to read.
pub(super) fn load(name: &str, text: &str) -> Option<Value> {
    if name.ends_with(".json") {
        return Some(clean(serde_json::from_str(text).ok()?, true));
    }
    let mut documents = Vec::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let value: Value = serde::Deserialize::deserialize(document).ok()?;
        if !value.is_null() {
            documents.push(value);
        }
    }
    if name == "bindings.yaml" {
        let key = |v: &Value| {
            [
                &v["kind"],
                &v["metadata"]["namespace"],
                &v["metadata"]["name"],
            ]
            .map(|v| v.as_str().unwrap_or_default().to_owned())
        };
        documents.sort_by_key(key);
        return Some(clean(Value::Array(documents), true));
    }
    Some(clean(
        documents.into_iter().next().unwrap_or_default(),
        true,
    ))
}

/// The fields that exclude one another, in the order of the map that the operator walks.
static EXCLUSIVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"((?:"\w+" and )+"\w+") can't be set"#).unwrap());
/// Which of several wrong values of a selector the operator comes to first.
static WRONG_VALUE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?s)\[?values\[0\]\[.*").unwrap());

/// Puts texts in order that are random in the operator, because it walks a map.
fn settle(text: &str) -> String {
    let in_order = |found: &Captures<'_>| {
        let mut names: Vec<_> = found[1].split(" and ").collect();
        names.sort_unstable();
        format!("{} can't be set", names.join(" and "))
    };
    WRONG_VALUE
        .replace_all(&EXCLUSIVE.replace_all(text, in_order), "values[0]")
        .into_owned()
}

fn clean(value: Value, top: bool) -> Value {
    let map = match value {
        Value::String(text) => return Value::String(settle(&text)),
        Value::Array(items) => {
            return Value::Array(items.into_iter().map(|v| clean(v, false)).collect());
        }
        Value::Object(map) => map,
        scalar => return scalar,
    };
    let kind = map.get("kind").and_then(Value::as_str).map(str::to_owned);
    let observed =
        top && map.contains_key("spec") && kind.as_deref().is_none_or(|k| OBSERVED.contains(&k));
    let is_secret = kind.as_deref().is_none_or(|k| k == "Secret");
    let meaningless = |key: &str, value: &Value| {
        MEANINGLESS.contains(&key)
            || value.is_null()
            || (key == "uid" && value.as_str().is_some_and(str::is_empty))
            || (key == "status" && observed)
    };
    let kept = map
        .into_iter()
        .filter(|(key, value)| !meaningless(key, value));
    let mut out: Map<String, Value> = kept
        .map(|(key, value)| (key, clean(value, false)))
        .collect();
    if top && is_secret && !out.contains_key("stringData") {
        decode(&mut out);
    }
    Value::Object(out)
}

/// `data` of a Secret as `stringData`, if all of it is text.
fn decode(secret: &mut Map<String, Value>) {
    let Some(Value::Object(data)) = secret.get("data") else {
        return;
    };
    let text = |v: &Value| {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(v.as_str()?)
            .ok()?;
        String::from_utf8(bytes).ok().map(Value::String)
    };
    let decoded: Option<Map<String, Value>> = data
        .iter()
        .map(|(k, v)| Some((k.clone(), text(v)?)))
        .collect();
    if let Some(decoded) = decoded {
        secret.remove("data");
        secret.insert("stringData".to_owned(), Value::Object(decoded));
    }
}

/// Leaves out what the recording leaves out.
fn align(name: &str, expected: &mut Value, got: &mut Value) {
    for key in ["apiVersion", "kind"] {
        if expected.is_object()
            && expected.get(key).is_none()
            && let Some(map) = got.as_object_mut()
        {
            map.remove(key);
        }
    }
    if name == "selection.json" {
        without_conditions(expected, got);
    }
    if !name.starts_with("secret-") {
        return;
    }
    for value in [&mut *expected, &mut *got] {
        for part in ["data", "stringData"] {
            if let Some(map) = value.get_mut(part).and_then(Value::as_object_mut) {
                map.remove("prometheus.yaml.gz");
                map.remove("alertmanager.yaml.gz");
            }
        }
    }
    if name.ends_with("-generated.yaml") {
        for value in [expected, got] {
            *value = value.get("metadata").cloned().unwrap_or_default();
        }
    }
}

/// Leaves out the conditions of selected resources where the recording has none: the operator writes them as bindings, which
/// are compared by themselves, and for agents not at all.
fn without_conditions(expected: &Value, got: &mut Value) {
    let kinds = got.as_object_mut().into_iter().flatten();
    for (kind, resources) in kinds {
        for (name, resource) in resources.as_object_mut().into_iter().flatten() {
            if expected[kind.as_str()][name.as_str()]
                .get("conditions")
                .is_none()
                && let Some(map) = resource.as_object_mut()
            {
                map.remove("conditions");
            }
        }
    }
}

fn drop_empty(value: Value) -> Value {
    let empty = |v: &Value| match v {
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(drop_empty).collect()),
        Value::Object(map) => {
            let entries = map.into_iter().map(|(key, value)| (key, drop_empty(value)));
            Value::Object(
                entries
                    .filter(|(key, v)| KEEP_EMPTY.contains(&key.as_str()) || !empty(v))
                    .collect(),
            )
        }
        scalar => scalar,
    }
}
