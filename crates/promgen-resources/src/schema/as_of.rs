//! The schema of an older release of the operator: without the fields that it lacks, and with the constraints that it has.
//!
//! A definition serves several fields, of which a release may lack some only: what changes is written out where it is used.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::api::Kind;
#[cfg(test)]
use crate::release;
use crate::release::bounds::{self, Before, Earlier};
use crate::release::fields::{self, FieldRow};
use promgen_text::version::Version;

/// Takes from a schema of the newest release what an older one lacks.
pub fn as_of(schema: &mut Value, kind: Kind, operator: &Version) {
    let lacking = fields::lacking(kind, operator).map(FieldRow::steps);
    restrict(
        schema,
        lacking,
        &bounds::earlier(kind, operator).unwrap_or_default(),
    );
}

/// The schema of v1beta1 of an AlertmanagerConfig, from that of the stored version.
#[cfg(test)]
pub(super) fn of_beta(mut schema: Value) -> Value {
    let lacking: Vec<_> = fields::lacking_in_beta().collect();
    restrict(
        &mut schema,
        lacking.iter().map(Vec::as_slice),
        &bounds::of_beta(&release::NEWEST.version),
    );
    let fields = schema["properties"]["spec"]["properties"]
        .as_object_mut()
        .expect("a spec has fields");
    let intervals = fields
        .remove("muteTimeIntervals")
        .expect("the stored version has muteTimeIntervals");
    fields.insert("timeIntervals".to_owned(), intervals);
    schema
}

/// Takes fields from a schema, and gives others the constraints that they had before.
fn restrict<'s>(
    schema: &mut Value,
    lacking: impl Iterator<Item = &'s [Option<&'static str>]>,
    earlier: &BTreeMap<&'static str, Earlier>,
) {
    let definitions = match schema.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    for steps in lacking {
        if let [parent @ .., Some(name)] = steps {
            at(schema, &definitions, parent, &mut |object| {
                object
                    .get_mut("properties")
                    .and_then(Value::as_object_mut)
                    .map(|fields| fields.remove(*name));
                set_required(object, name, false);
            });
        }
    }
    for (path, earlier) in earlier {
        let steps = fields::steps(path);
        for before in earlier {
            match (before, &steps[..]) {
                (Before::Required(is_required), [parent @ .., Some(name)]) => {
                    at(schema, &definitions, parent, &mut |object| {
                        set_required(object, name, *is_required)
                    });
                }
                _ => at(schema, &definitions, &steps, &mut |value| {
                    constrain(value, before)
                }),
            }
        }
    }
    let definitions = used(schema, definitions);
    if let Some(of_schema) = schema.get_mut("$defs") {
        *of_schema = definitions.into();
    }
}

/// Changes what stands at the end of the steps, if it is there.
fn at(
    schema: &mut Value,
    definitions: &Map<String, Value>,
    steps: &[Option<&str>],
    change: &mut dyn FnMut(&mut Value),
) {
    let next = match steps {
        [] => None,
        [Some(key), ..] => Some(("properties", *key)),
        [None, ..] => Some(("items", "")),
    };
    write_out(schema, definitions);
    match next {
        None => change(schema),
        Some((list, key)) => {
            let below = schema.get_mut(list).and_then(|value| {
                if key.is_empty() {
                    Some(value)
                } else {
                    value.get_mut(key)
                }
            });
            below
                .into_iter()
                .for_each(|below| at(below, definitions, &steps[1..], change));
        }
    }
}

/// Puts a definition in the place of a reference to it.
fn write_out(schema: &mut Value, definitions: &Map<String, Value>) {
    let Some(own) = schema.as_object_mut() else {
        return;
    };
    let Some(reference) = own.remove("$ref") else {
        return;
    };
    let name = reference
        .as_str()
        .and_then(|reference| reference.strip_prefix("#/$defs/"))
        .unwrap_or_default();
    let Some(Value::Object(definition)) = definitions.get(name) else {
        return;
    };
    let mut written = definition.clone();
    written.extend(std::mem::take(own));
    *own = written;
}

fn set_required(object: &mut Value, name: &str, is_required: bool) {
    let Some(object) = object.as_object_mut() else {
        return;
    };
    let mut required: Vec<Value> = object
        .remove("required")
        .and_then(|list| list.as_array().cloned())
        .unwrap_or_default();
    required.retain(|other| other != name);
    if is_required {
        required.push(name.into());
    }
    if !required.is_empty() {
        object.insert("required".to_owned(), required.into());
    }
}

fn constrain(schema: &mut Value, before: &Before) {
    let is_list = schema.get("items").is_some();
    let Some(schema) = schema.as_object_mut() else {
        return;
    };
    let (key, value) = match before {
        Before::Values(values) => ("enum", (!values.is_empty()).then(|| json!(values))),
        Before::Pattern(pattern) => ("pattern", pattern.map(|pattern| pattern.text.into())),
        Before::MinLength(least) => (
            if is_list { "minItems" } else { "minLength" },
            least.map(Value::from),
        ),
        Before::Min(least) => ("minimum", least.map(Value::from)),
        Before::Max(most) => ("maximum", most.map(Value::from)),
        Before::Keyword(keyword, value) => (*keyword, (!value.is_null()).then(|| value.clone())),
        Before::AnyItems => {
            schema.remove("x-kubernetes-list-map-keys");
            ("x-kubernetes-list-type", None)
        }
        Before::WithoutRule(rule) => {
            let rules = schema
                .get("x-kubernetes-validations")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default();
            let left: Vec<Value> = rules
                .into_iter()
                .filter(|validation| validation["rule"] != *rule)
                .collect();
            (
                "x-kubernetes-validations",
                (!left.is_empty()).then(|| left.into()),
            )
        }
        // Of the object around it.
        Before::Required(_) => return,
    };
    schema.remove(key);
    if let Some(value) = value {
        schema.insert(key.to_owned(), value);
    }
}

/// The definitions that a schema still refers to, directly or by way of others.
fn used(schema: &Value, mut definitions: Map<String, Value>) -> Map<String, Value> {
    let (mut known, mut pending) = (BTreeSet::new(), Vec::new());
    references(schema, &mut pending);
    while let Some(name) = pending.pop() {
        if let Some(definition) = definitions
            .get(&name)
            .filter(|_| known.insert(name.clone()))
        {
            references(definition, &mut pending);
        }
    }
    definitions.retain(|name, _| known.contains(name));
    definitions
}

fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            let name = map
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix("#/$defs/"));
            found.extend(name.map(str::to_owned));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}
