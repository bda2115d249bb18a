//! Each kind of receiver is complete.

use std::collections::BTreeMap;

use super::*;
use crate::receivers::table::admission::{ReceiverRead, ReceiverRule};
use crate::receivers::table::demand::ReceiverDemand;
use crate::receivers::table::shape::GoScalar;
use promgen_resources::api::Kind;
use promgen_resources::{release, schema};
use serde_json::Value;

type Fields = serde_json::Map<String, Value>;

/// The fields of an item of each kind of receiver, by the schema of the resource.
fn schema_fields() -> BTreeMap<String, Fields> {
    // That of the newest release refers to definitions by their names.
    let newest = release::RELEASES.last().unwrap();
    let schema = schema::schema(Kind::AlertmanagerConfig, &newest.version).unwrap();
    let resolve = |value: &Value| match value["$ref"].as_str() {
        Some(name) => schema["$defs"][name.rsplit('/').next().unwrap()].clone(),
        None => value.clone(),
    };
    let receiver = resolve(&schema["$defs"]["Receiver"]);
    let lists = receiver["properties"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(key, _)| key.ends_with("Configs"));
    lists
        .map(|(key, list)| {
            (
                key.clone(),
                resolve(&list["items"])["properties"]
                    .as_object()
                    .unwrap()
                    .clone(),
            )
        })
        .collect()
}

fn is_ref(field: &Value, name: &str) -> bool {
    field["$ref"].as_str().is_some_and(|of| of.ends_with(name))
        || field["allOf"]
            .as_array()
            .is_some_and(|all| all.iter().any(|of| is_ref(of, name)))
}

/// The keys of an item of a kind.
fn shape(kind: &ReceiverKind) -> &'static Shape {
    match RECEIVER.field(kind.list).unwrap().kind {
        KeyType::Many(shape) => shape,
        _ => unreachable!("{}", kind.list),
    }
}

/// What becomes of the fields of an item of a list.
fn fields_of(list: &ReceiverList) -> Table {
    match FIELDS.row(list.field).1 {
        Conversion::Parts(table) => table,
        _ => unreachable!("{}", list.field),
    }
}

/// The kinds that AlertmanagerConfigs have, with the fields of the schema.
fn resources() -> Vec<(&'static ReceiverKind, &'static ReceiverList, Fields)> {
    let mut fields = schema_fields();
    let found = listed(READ_FIRST)
        .map(|(kind, list)| (kind, list, fields.remove(list.field).unwrap_or_default()))
        .collect();
    assert!(
        fields.is_empty(),
        "no kind has these lists of an AlertmanagerConfig: {:?}",
        fields.keys()
    );
    found
}

/// The shapes of receivers and of the global settings, and those in them.
fn shapes() -> Vec<&'static Shape> {
    let mut found: Vec<&'static Shape> = vec![&RECEIVER, &GLOBAL];
    let mut index = 0;
    while let Some(shape) = found.get(index) {
        for field in shape.keys {
            if let KeyType::One(part)
            | KeyType::Filled(part)
            | KeyType::Raw(part)
            | KeyType::AsText(part)
            | KeyType::Many(part)
            | KeyType::Times(part) = field.kind
                && !found.iter().any(|other| other.name == part.name)
            {
                found.push(part);
            }
        }
        index += 1;
    }
    found
}

#[test]
fn each_kind_is_once_in_each_pass() {
    let names = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    let all = names(KINDS.iter().map(|kind| kind.list).collect());
    assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    assert_eq!(
        names(ordered(SANITIZED_FIRST).map(|kind| kind.list).collect()),
        all
    );
    assert_eq!(
        names(ordered(NEEDING_FIRST).map(|kind| kind.list).collect()),
        all
    );
    let lists = names(
        KINDS
            .iter()
            .filter_map(|kind| Some(kind.resource.as_ref()?.field))
            .collect(),
    );
    assert_eq!(
        names(listed(VALID_FIRST).map(|(_, list)| list.field).collect()),
        lists
    );
    assert_eq!(
        names(listed(READ_FIRST).map(|(_, list)| list.field).collect()),
        lists
    );
    assert_eq!(FIELDS.all().len(), lists.len());
}

#[test]
fn a_resource_is_checked_where_it_has_a_client_a_secret_or_a_url() {
    let mut lacks = Vec::new();
    for (_, list, fields) in resources() {
        if fields.contains_key("httpConfig") {
            let valid = list
                .valid
                .iter()
                .any(|rule| matches!(rule, ReceiverRule::ClientValid));
            let known = list
                .reads
                .iter()
                .any(|read| matches!(read, ReceiverRead::ClientSince));
            let is_read = list
                .reads
                .iter()
                .any(|read| matches!(read, ReceiverRead::Client));
            if !(valid && known && is_read) {
                lacks.push(format!("{}.httpConfig", list.field));
            }
        }
        for (name, field) in &fields {
            let reads = |read: &ReceiverRead| matches!(read, ReceiverRead::Secret(read) if read.field == name);
            if is_ref(field, "/SecretKeySelector") && !list.reads.iter().any(reads) {
                lacks.push(format!("{}.{name}: a Secret", list.field));
            }
            let is_url = field["pattern"]
                .as_str()
                .is_some_and(|pattern| pattern.contains("https?://"));
            if is_url
                && !list
                    .valid
                    .iter()
                    .any(|rule| matches!(rule, ReceiverRule::Plain(of) if of == name))
            {
                lacks.push(format!("{}.{name}: a URL", list.field));
            }
        }
    }
    // Operator: takes any text there.
    assert_eq!(lacks, ["discordConfigs.avatarURL: a URL"]);
}

#[test]
fn each_field_of_a_resource_becomes_a_key_of_the_configuration() {
    let mut lacks = Vec::new();
    for (kind, list, fields) in resources() {
        let all = fields_of(list).all();
        let unknown = fields
            .keys()
            .filter(|name| !all.iter().any(|(field, ..)| field == name));
        lacks.extend(unknown.map(|name| format!("{}.{name}: no conversion", list.field)));
        for (field, key, how) in &all {
            let place = format!("{}.{field}", list.field);
            let Some(schema) = fields.get(*field) else {
                lacks.push(format!("{place}: no field"));
                continue;
            };
            let Some(key) = shape(kind).field(key) else {
                lacks.push(format!("{place}: no key"));
                continue;
            };
            let is_secret = matches!(how, Conversion::Secret | Conversion::SecretUrl);
            if is_secret != is_ref(schema, "/SecretKeySelector") {
                lacks.push(format!("{place}: a Secret"));
            }
            let is_kept_secret = matches!(key.go, Some(GoScalar::Secret | GoScalar::TemplateUrl));
            if is_secret && !is_kept_secret && !matches!(key.kind, KeyType::Url) {
                lacks.push(format!("{place}: a secret of Alertmanager"));
            }
        }
    }
    // Operator: drops it.
    assert_eq!(lacks, ["pushoverConfigs.sound: no conversion"]);
}

#[test]
fn the_gates_of_an_admission_are_those_of_the_configuration() {
    let mut differ = Vec::new();
    for kind in KINDS {
        let since = kind.since.as_ref().map(|since| since.in_resource.is_some());
        if since.is_some_and(|is_told| is_told != kind.resource.is_some()) {
            differ.push(format!("{}: a message about a version", kind.list));
        }
        for read in kind.resource.iter().flat_map(|list| list.reads) {
            let ReceiverRead::Since(field, gate) = read else {
                continue;
            };
            let row = kind
                .resource
                .iter()
                .flat_map(|list| fields_of(list).all())
                .find(|(from, ..)| from == field);
            let key = row.and_then(|(_, to, _)| shape(kind).field(&to));
            if key
                .and_then(|key| key.gate)
                .is_none_or(|of| of.since != gate.since)
            {
                differ.push(format!("{}: {field}", kind.list));
            }
        }
    }
    assert_eq!(differ, [""; 0]);
}

#[test]
fn the_operator_checks_each_client_of_a_configuration() {
    for kind in KINDS {
        let is_checked = kind
            .demands
            .iter()
            .any(|demand| matches!(demand, ReceiverDemand::Http));
        assert_eq!(
            shape(kind).field("http_config").is_some(),
            is_checked,
            "{}",
            kind.list
        );
        assert!(
            shape(kind).field("send_resolved").is_some(),
            "{}",
            kind.list
        );
    }
}

#[test]
fn alertmanager_takes_a_secret_from_one_place() {
    let takes_two = |shape: &&&Shape| {
        let is_replaced = |key: &ShapeKey| shape.field(&format!("{}_file", key.key)).is_some();
        let is_checked = |key: &&ShapeKey| {
            let checks = |rule: &PartRule| match rule {
                PartRule::OneSourceEach => true,
                PartRule::OneSource(own) => *own == key.key,
                _ => false,
            };
            shape.rules.iter().any(checks)
        };
        shape
            .keys
            .iter()
            .filter(|key| is_replaced(key))
            .any(|key| !is_checked(&key))
    };
    let second_keys: Vec<&str> = shapes()
        .iter()
        .filter(takes_two)
        .map(|shape| shape.keys[1].key)
        .collect();
    // The global settings, and HTTP with its parts, have checks of their own. Alertmanager: none for emails.
    assert_eq!(
        second_keys,
        [
            "http_config",
            "to",
            "basic_auth",
            "credentials",
            "password",
            "client_secret"
        ]
    );
}

#[test]
fn what_a_receiver_needs_is_a_key_of_it_or_of_the_global_settings() {
    for kind in KINDS {
        for need in kind.global_needs {
            assert!(
                need.own.iter().all(|key| shape(kind).field(key).is_some()),
                "{:?}",
                need.own
            );
            assert!(
                need.global.iter().all(|key| GLOBAL.field(key).is_some()),
                "{:?}",
                need.global
            );
        }
    }
}

#[test]
fn a_check_of_a_global_setting_names_a_field() {
    use promgen_resources::api::notifying::alertmanager_global::AlertmanagerGlobalConfig;
    use promgen_text::describe::{ObjectType, Type};

    let object = |of: &'static Type| -> &'static ObjectType {
        match of {
            Type::Object(object) => object,
            other => unreachable!("{other:?}"),
        }
    };
    let global = object(AlertmanagerGlobalConfig::describe());
    for check in GLOBAL_FIRST.iter().chain(GLOBAL_URLS) {
        let (GlobalCheck::Since(field, ..)
        | GlobalCheck::Secret(field, _)
        | GlobalCheck::Url(field, _)
        | GlobalCheck::Hook(field, _)) = check;
        let (part, key) = field.split_once('.').unwrap_or((field, ""));
        let of_part = global.field(part).expect(field);
        assert!(
            key.is_empty() || object((of_part.of)()).field(key).is_some(),
            "{field}"
        );
    }
}
