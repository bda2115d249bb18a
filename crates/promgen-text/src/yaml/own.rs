//! Files of promgen's own into serde types.
//!
//! In: a text and a document that our [reader](crate::yaml::read::read) found in it: depth and aliases are bounded, as
//! `yaml_serde` takes quadratic time on deep input. Out: a value of any type that serde can read, and the [`Mismatch`]es
//! of what does not fit. YAML is read by `yaml_serde`, as YAML 1.2. Manifests are YAML as Go reads it, and read by
//! [`decode`](crate::yaml::decode()).

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment as SerdeSegment};
use serde_yaml::Value;

use crate::route::{Segment, ValueRoute};
use crate::yaml::Node;
use crate::yaml::de::{LONGEST, Mismatch};
use crate::yaml::emit::to_json;
use crate::yaml::read::ParsedDocument;

/// Most mismatches of a document: for each it is read again.
const MAX_FOUND: usize = 20;

/// Reads a document into a type of serde's. A field whose value is null counts as absent, and `<<` merges. The mismatches
/// are at most one for each key of the root: each is left out, and the rest is read again. Without a value, one of them is
/// at the root, or the reader reported a duplicate key.
#[must_use]
pub fn typed<T: DeserializeOwned>(
    text: &str,
    document: &ParsedDocument,
) -> (Option<T>, Vec<Mismatch>) {
    let mut mismatches = Vec::new();
    let mut value = match value(&text[document.span.start as usize..document.span.end as usize]) {
        Ok(value) => value,
        // These our reader reports.
        Err(error) if error.to_string().contains("duplicate entry") => return (None, mismatches),
        Err(error) => {
            return (
                None,
                vec![Mismatch {
                    route: ValueRoute::root(),
                    message: error.to_string(),
                }],
            );
        }
    };
    loop {
        let error = match serde_path_to_error::deserialize(&value) {
            Ok(read) => return (Some(read), mismatches),
            Err(error) => error,
        };
        let route = route(error.path());
        let key = route.0.first().and_then(|step| {
            if let Segment::Key(key) = step {
                Some(key.to_string())
            } else {
                None
            }
        });
        // What the root lacks after something was left out is no mistake of its own.
        if key.is_some() || mismatches.is_empty() {
            mismatches.push(Mismatch {
                route,
                message: reworded(&error.inner().to_string()),
            });
        }
        if mismatches.len() == MAX_FOUND
            // `shift_remove` keeps the order, so that the next mismatch is the next one of the text.
            || key.is_none_or(|key| value.as_mapping_mut().is_none_or(|map| map.shift_remove(key).is_none()))
        {
            return (None, mismatches);
        }
    }
}

/// Reads a part of a document into a type of serde's. A field whose value is null counts as absent.
///
/// # Errors
/// The first thing that does not fit.
pub fn typed_node<T: DeserializeOwned>(node: &Node) -> Result<T, Mismatch> {
    let mut value = serde_json::from_str(&to_json(&node.to_value())).unwrap_or_default();
    drop_null_fields(&mut value);
    serde_path_to_error::deserialize(&value).map_err(|error| Mismatch {
        route: route(error.path()),
        message: reworded(&error.inner().to_string()),
    })
}

fn drop_null_fields(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_null_fields);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(drop_null_fields),
        _ => {}
    }
}

fn value(text: &str) -> Result<Value, serde_yaml::Error> {
    let mut value: Value = serde_yaml::from_str(text)?;
    value.apply_merge()?;
    drop_nulls(&mut value);
    Ok(value)
}

/// Removes the entries of maps that are null.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Mapping(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        Value::Sequence(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

fn route(path: &Path) -> ValueRoute {
    let step = |segment: &SerdeSegment| match segment {
        SerdeSegment::Seq { index } => Some(Segment::Index(*index)),
        SerdeSegment::Map { key } => Some(Segment::Key(key.clone().into())),
        _ => None,
    };
    ValueRoute(path.iter().map_while(step).collect())
}

/// An error of serde in the words of this crate.
fn reworded(error: &str) -> String {
    let found = error
        .strip_prefix("invalid type: ")
        .or_else(|| error.strip_prefix("invalid value: "));
    let Some((found, expected)) = found.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return error.to_owned();
    };
    format!("expected {}, found {}", words(expected), found_words(found))
}

/// The words for a type that serde expects, without the names of Rust's types.
fn words(expected: &str) -> String {
    match expected {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize" => {
            let kind = if expected.starts_with('u') {
                "a whole number of at least 0"
            } else {
                "a whole number"
            };
            match expected.trim_start_matches(['i', 'u']).parse::<u32>() {
                Ok(bits @ ..=32) => format!("{kind} that fits {bits} bits"),
                Ok(_) | Err(_) => kind.to_owned(),
            }
        }
        "f32" | "f64" => "a number".to_owned(),
        "a sequence" => "a list".to_owned(),
        _ if expected.starts_with("struct ") => "a map".to_owned(),
        _ => expected.to_owned(),
    }
}

/// The words of YAML for a value that serde found.
fn found_words(found: &str) -> String {
    match found.split_once(' ').unwrap_or((found, "")) {
        ("sequence", _) => "a list".to_owned(),
        ("map", _) => "a map".to_owned(),
        ("unit", _) => "null".to_owned(),
        ("string", text) => format!("string {}", shortened(text)),
        ("boolean", value) => format!("boolean {}", value.trim_matches('`')),
        ("integer", value) => format!("number {}", value.trim_matches('`')),
        ("floating", value) => format!(
            "number {}",
            value.trim_start_matches("point ").trim_matches('`')
        ),
        _ => found.to_owned(),
    }
}

/// Shortens a text that is in quotes already.
fn shortened(quoted: &str) -> String {
    match quoted.char_indices().nth(LONGEST + 2) {
        Some(_) => format!(
            "{}\"…",
            quoted.chars().take(LONGEST + 1).collect::<String>()
        ),
        None => quoted.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::diag::Sink;
    use crate::source::FileId;
    use crate::yaml::read::read;

    fn from<T: DeserializeOwned>(text: &str) -> Result<T, Vec<String>> {
        let documents = read(FileId(0), text, &mut Sink::default());
        let (read, mismatches) = typed(text, &documents[0]);
        let messages: Vec<_> = mismatches
            .iter()
            .map(|found| format!("{}: {}", found.route, found.message))
            .collect();
        read.filter(|_| messages.is_empty()).ok_or(messages)
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Spec {
        name: Option<String>,
        shards: Option<i32>,
        ratio: Option<f64>,
        ports: Vec<Port>,
        labels: BTreeMap<String, String>,
        port: Option<IntOrString>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Port {
        number: u16,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged, expecting = "expected a port")]
    enum IntOrString {
        Int(i32),
        String(String),
    }

    #[test]
    fn types_are_filled_and_a_null_field_counts_as_absent() {
        let text = "# a comment\nname: x\nshards: 3\nratio: 2\nports: [&p {number: 8080}, {<<: *p}]\nlabels: {a: b}\nport: http\n\
                    unknown: [1, {a: b}]\n";
        let spec: Spec = from(text).unwrap();
        assert_eq!(
            (spec.name.as_deref(), spec.shards, spec.ratio),
            (Some("x"), Some(3), Some(2.0))
        );
        assert_eq!(spec.ports, [Port { number: 8080 }, Port { number: 8080 }]);
        assert_eq!(
            (spec.labels["a"].as_str(), spec.port),
            ("b", Some(IntOrString::String("http".into())))
        );
        assert_eq!(
            from::<Spec>("ports:\nlabels: ~\nname: null"),
            Ok(Spec::default())
        );
        assert_eq!(
            from::<Vec<Option<u64>>>("[1, null, 18446744073709551615]").unwrap()[2],
            Some(u64::MAX)
        );
    }

    #[test]
    fn a_mismatch_names_the_way_and_what_was_seen() {
        let long = "x".repeat(41);
        for (text, why) in [
            ("name: true", "name: expected a string, found boolean true"),
            ("name: [a]", "name: expected a string, found a list"),
            ("name: 1.5", "name: expected a string, found number 1.5"),
            (
                &format!("shards: {long}"),
                &format!(
                    "shards: expected a whole number that fits 32 bits, found string \"{}\"…",
                    &long[1..]
                ),
            ),
            (
                "shards: 3000000000",
                "shards: expected a whole number that fits 32 bits, found number 3000000000",
            ),
            ("ratio: a", "ratio: expected a number, found string \"a\""),
            (
                "ports: [{number: 1}, {number: -1}]",
                "ports[1].number: expected a whole number of at least 0 that fits 16 bits, found number -1",
            ),
            ("ports: [{}]", "ports[0]: missing field `number`"),
            ("ports: {}", "ports: expected a list, found a map"),
            (
                "labels: {a: {b: c}}",
                "labels.a: expected a string, found a map",
            ),
            ("port: []", "port: expected a port"),
            ("a list", ": expected a map, found string \"a list\""),
        ] {
            assert_eq!(from::<Spec>(text), Err(vec![why.to_owned()]), "{text}");
        }
    }

    #[test]
    fn each_key_of_the_root_has_a_mistake_of_its_own() {
        let found =
            from::<Spec>("name: 1\nports: [{number: a}, {number: b}]\nlabels: {a: b}\nratio: x\n")
                .unwrap_err();
        assert_eq!(found.len(), 3, "{found:?}");
        #[derive(Debug, PartialEq, Deserialize)]
        struct Needed {
            ports: Vec<Port>,
        }
        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Closed {}
        assert_eq!(
            from::<Needed>("ports: 1"),
            Err(vec!["ports: expected a list, found number 1".to_owned()])
        );
        let many = (0..100).fold("ports: []\n".to_owned(), |text, key| {
            text + &format!("k{key}: 1\n")
        });
        assert_eq!(from::<Closed>(&many).unwrap_err().len(), MAX_FOUND);
        assert_eq!(
            from::<Needed>("ports: []\nports: 1"),
            Err(Vec::new()),
            "the reader reports it"
        );
        assert_eq!(
            from::<Needed>("{}"),
            Err(vec![": missing field `ports`".to_owned()])
        );
    }
}
