//! The emitter against what Go wrote, and properties of what it writes.

use std::borrow::Cow;

use promgen_testing::texts::{any_text, text_between, text_of};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::yaml::emit::{self, Dialect};
use crate::yaml::{Map, Value};
use promgen_testing::{needs, recorded_text};

/// The recorded outputs.
fn recorded() -> Vec<Json> {
    serde_json::from_str(&recorded_text("conformance/yaml/emit.json")).unwrap()
}

/// The value of a JSON document. Through `sigs` all numbers are floats, as Go's decoder makes them.
fn value_of(json: &Json, dialect: Dialect) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match (n.as_i64(), dialect) {
            (Some(i), Dialect::YamlV2) => Value::Int(i),
            (_, _) => Value::Float(n.as_f64().unwrap()),
        },
        Json::String(s) => Value::from(s.clone()),
        Json::Array(items) => Value::Seq(items.iter().map(|i| value_of(i, dialect)).collect()),
        Json::Object(map) => Value::Map(
            map.iter()
                .map(|(k, v)| (Cow::Owned(k.clone()), value_of(v, dialect)))
                .collect(),
        ),
    }
}

fn write(value: &Value, dialect: Dialect) -> String {
    match dialect {
        Dialect::YamlV2 | Dialect::Manifest => emit::to_string(value, dialect),
        Dialect::Sigs => {
            emit::to_sigs_string(value).unwrap_or_else(|error| format!("ERROR: {error}"))
        }
    }
}

fn nested(text: &str) -> Value {
    let inner = Map::new()
        .with("b", vec![text.to_owned(), "z".to_owned()])
        .with("c", text.to_owned());
    Map::new().with("a", vec![inner]).into()
}

#[needs(recordings)]
#[test]
fn every_recorded_output_is_reproduced() {
    let cases = recorded();
    let mut compared = 0;
    let mut wrong = Vec::new();
    for case in &cases {
        for (name, dialect) in [("yaml_v2", Dialect::YamlV2), ("sigs", Dialect::Sigs)] {
            let mut compare = |place: &str, value: Value| {
                let expected = case[place][name].as_str().unwrap();
                let got = write(&value, dialect);
                compared += 1;
                if got != expected {
                    wrong.push(format!("{name} {place} expected {expected:?} got {got:?}"));
                }
            };
            if case["kind"] == "doc" {
                let json =
                    serde_json::from_str::<Json>(case["input_json"].as_str().unwrap()).unwrap();
                compare("doc", value_of(&json, dialect));
            } else {
                let text = case["input"].as_str().unwrap();
                compare("as_value", Map::new().with("k", text.to_owned()).into());
                compare("as_item", vec![text.to_owned()].into());
                compare("as_key", Map::new().with(text.to_owned(), "v").into());
                compare("nested", nested(text));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {compared} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{compared} outputs agree");
}

#[test]
fn a_text_entry_is_an_entry() {
    for text in [
        "",
        "a",
        "a\nb\n",
        " a\n",
        "a \nb",
        "é\nb",
        "word ".repeat(40).trim_end(),
    ] {
        for key in ["prometheus.yaml", "y", "two\nlines"] {
            let mut apart = String::new();
            emit::write_text_entry(&mut apart, key, text, Dialect::YamlV2, 4);
            let mut whole = String::new();
            emit::write_entry(
                &mut whole,
                key,
                &Value::from(text.to_owned()),
                Dialect::YamlV2,
                4,
            );
            assert_eq!(apart, whole);
        }
    }
}

#[test]
fn natural_order() {
    let mut map = ["ab", "a10", "a9", "a_b", "a-b", "a", "B", "1", "_"]
        .into_iter()
        .fold(Map::new(), |m, k| m.with(k, 0));
    emit::sort_natural(&mut map);
    let keys = map.iter().map(|(k, _)| &**k).collect::<Vec<_>>();
    assert_eq!(keys, ["_", "1", "B", "a", "a-b", "a_b", "a9", "a10", "ab"]);
}

#[test]
fn natural_order_is_circular_in_places() {
    for (a, b) in [("k0z", "k1"), ("k1", "k012901a"), ("k012901a", "k0z")] {
        assert!(emit::natural_cmp(a, b).is_lt(), "{a} {b}");
    }
}

#[test]
fn json_is_indented_by_two() {
    let map = Map::new()
        .with("b", vec![Value::from(1), Value::Null])
        .with("a\n", Map::new())
        .with("c", 1e21);
    let json = emit::to_json(&map.into());
    assert_eq!(
        json,
        "{\n  \"b\": [\n    1,\n    null\n  ],\n  \"a\\n\": {},\n  \"c\": 1e+21\n}\n"
    );
}

/// Text with much of what the emitter looks at.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => text_between('a', 'z', 1..=8),
        3 => Just(" ".to_owned()),
        1 => text_between(' ', '~', 1..=4),
        1 => text_of(&["-", "+", ".", ":", "_", "0", "1", "8", "9", "e", "T", "Z"], 1..=6),
        1 => prop::sample::select(vec!["\n", "\t", "\r", "\u{85}", "\u{2028}", "\u{feff}", "é", "日本", "🎉", "'", "\"", ": ", " #"])
            .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Seq),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|m| Value::Map(m.into_iter().map(|(k, v)| (Cow::Owned(k), v)).collect())),
        ]
    })
}

/// The value as JSON has it.
fn json_of(value: &Value) -> Json {
    serde_json::from_str(&emit::to_json(value)).unwrap()
}

/// Returns whether the reader that the tests use and Go agree about every text: that reader takes more plain text for
/// numbers.
fn is_undisputed(value: &Value) -> bool {
    let fine = |text: &str| {
        !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
    };
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => fine(text),
        Value::Seq(items) => items.iter().all(is_undisputed),
        Value::Map(map) => map.iter().all(|(k, v)| fine(k) && is_undisputed(v)),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_) => true,
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(value in value().prop_filter("disputed", is_undisputed)) {
        let written = emit::to_string(&value, Dialect::YamlV2);
        let read = serde_yaml::from_str::<Json>(&written);
        prop_assert_eq!(read.map_err(|e| e.to_string()), Ok(json_of(&value)), "{}", written);
    }

    #[test]
    fn any_text_can_be_written(text in any_text()) {
        let map = Map::new().with(text.clone(), text);
        let _ = emit::to_string(&map.clone().into(), Dialect::Sigs);
        let _ = emit::to_sigs_string(&map.into());
    }

    #[test]
    fn entries_apart_are_the_map(map in prop::collection::vec((text(), value()), 1..4)) {
        let map = map.into_iter().map(|(k, v)| (Cow::Owned(k), v)).collect::<Map>();
        for dialect in [Dialect::YamlV2, Dialect::Sigs] {
            let mut apart = String::from("top:\n");
            if dialect == Dialect::Sigs && map.len() > 1 {
                continue;
            }
            for (key, value) in &map {
                emit::write_entry(&mut apart, key, value, dialect, 2);
            }
            prop_assert_eq!(&apart, &emit::to_string(&Map::new().with("top", map.clone()).into(), dialect));
        }
    }

    #[test]
    fn items_apart_are_the_list(items in prop::collection::vec(value(), 1..4)) {
        for dialect in [Dialect::YamlV2, Dialect::Sigs] {
            let mut apart = String::from("scrape_configs:\n");
            let mut below = String::new();
            for item in &items {
                let mut one = String::new();
                emit::write_item(&mut one, item, dialect, 0);
                apart.push_str(&one);
                emit::write_item(&mut below, item, dialect, 2);
            }
            let list = Map::new().with("scrape_configs", items.clone());
            prop_assert_eq!(&apart, &emit::to_string(&list.clone().into(), dialect));
            let nested = emit::to_string(&Map::new().with("a", list).into(), dialect);
            prop_assert_eq!(format!("a:\n  scrape_configs:\n{below}"), nested);
        }
    }
}

#[test]
fn a_text_in_pieces_is_written_as_the_whole_or_not_at_all() {
    let entry = |pieces: &[&'static str]| {
        let mut out = String::from("a: 1\n");
        let is_written = emit::write_lines_entry(
            &mut out,
            "b",
            pieces.iter().map(|piece| Cow::from(*piece)),
            2,
        );
        is_written.then_some(out)
    };
    let whole = |text: &str| {
        let mut out = String::from("a: 1\n");
        emit::write_text_entry(&mut out, "b", text, Dialect::YamlV2, 2);
        out
    };
    for pieces in [&["x: 1\n", "y: 2\n"][..], &["", "x\n\n", "  y\n", ""]] {
        assert_eq!(entry(pieces), Some(whole(&pieces.concat())));
    }
    for pieces in [
        &[" x\n"][..],
        &["x\n", "y"],
        &["x\n\n"],
        &["x \n"],
        &["\n"],
        &["x\u{7f}\n"],
        &["x: ü\n"],
        &[""],
    ] {
        assert_eq!(entry(pieces), None, "{pieces:?}");
    }
}
