//! The page about JSON, from the types.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::cli::json::OUTPUTS;

const HEAD: &str = "\
# JSON

With `--format json`, commands print JSON for other programs. Each output is an object with `version`, the version of the
format, and `command`. The version grows when a key goes or means something else; new keys come without notice, so ignore
unknown ones. A workload is `KIND/NAMESPACE/NAME`, as `--workload` takes it. A place is `file`, `line` and `column`, which
count from 1. `promgen schema output NAME` prints the JSON Schema of an output.

`lint` prints the list of its findings without an object around it, because tools read it so. `render`, `build`, `rules`, `status` and
`krm` print objects of Kubernetes. `trace --cases` prints one line for each case. SARIF and the report of GitLab are formats
of others. `promgen schema` prints the schema of resources, `promgen schema test` that of test files, and `promgen schema config`
that of `promgen.yaml`.

An answer about several environments has, beside `version` and `command`, one key: `environments`, a list. Each entry has the names of
environments with the same answer, as a list `environments`, and the keys of that answer, as they stand below.
";

/// The page.
pub(crate) fn page() -> String {
    let mut text = HEAD.to_owned();
    let mut types: BTreeMap<String, Value> = BTreeMap::new();
    for output in OUTPUTS {
        let schema = output.parsed_schema();
        write!(
            text,
            "\n## {}\n\n`{}`: {}\n\n",
            output.name,
            output.line,
            lower(output.about)
        )
        .expect(INFALLIBLE);
        match schema.get("properties").and_then(Value::as_object) {
            Some(keys) => table(keys, &required(&schema), &mut text),
            None => writeln!(text, "Type: {}", kind(&schema)).expect(INFALLIBLE),
        }
        let defined = schema
            .get("$defs")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        types.extend(defined.map(|(name, schema)| (name.clone(), schema.clone())));
    }
    text.push_str("\n## Types\n");
    for (name, schema) in &types {
        write!(text, "\n### {name}\n\n{}\n\n", about(schema)).expect(INFALLIBLE);
        match schema.get("properties").and_then(Value::as_object) {
            Some(keys) => table(keys, &required(schema), &mut text),
            None => writeln!(text, "{}", words(schema)).expect(INFALLIBLE),
        }
    }
    text
}

const INFALLIBLE: &str = "a string takes every character";

fn required(schema: &Value) -> Vec<&str> {
    // Those of an answer about one environment stand apart.
    let of_one = schema.pointer("/anyOf/0");
    let lists = [Some(schema), of_one]
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("required")?.as_array());
    lists.flatten().filter_map(Value::as_str).collect()
}

fn table(keys: &Map<String, Value>, required: &[&str], text: &mut String) {
    text.push_str("| key | type | what |\n|---|---|---|\n");
    for (key, schema) in keys {
        let optional = if required.contains(&key.as_str()) {
            ""
        } else {
            ", may be absent"
        };
        let kind = kind(schema);
        let kind = if optional.is_empty() {
            &kind
        } else {
            kind.trim_end_matches(" or null")
        };
        writeln!(text, "| `{key}` | {kind}{optional} | {} |", about(schema)).expect(INFALLIBLE);
    }
}

/// The description of a type or a key, on one line.
fn about(schema: &Value) -> String {
    let text = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    text.replace('\n', " ").replace('|', "\\|")
}

/// The type of a value.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.trim_start_matches("#/$defs/");
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = schema.get("const").and_then(Value::as_str) {
        return format!("`{word}`");
    }
    let options = ["anyOf", "oneOf"]
        .iter()
        .find_map(|key| schema.get(key).and_then(Value::as_array));
    if let Some(options) = options {
        return options.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec!["anything"],
    };
    let shown = types.iter().map(|name| {
        match (
            *name,
            schema.get("items"),
            schema.get("additionalProperties"),
        ) {
            ("array", Some(items), _) => format!("list of {}", kind(items)),
            ("object", _, Some(values @ Value::Object(_))) => format!("map to {}", kind(values)),
            (name, ..) => name.to_owned(),
        }
    });
    shown.collect::<Vec<_>>().join(" or ")
}

/// The words of an enumeration, one per line; otherwise the type.
fn words(schema: &Value) -> String {
    let plain = schema
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let mut lines: Vec<String> = plain
        .filter_map(Value::as_str)
        .map(|word| format!("- `{word}`"))
        .collect();
    let described = schema
        .get("oneOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    for option in described {
        match option.get("const") {
            Some(_) => lines.push(format!("- {}: {}", kind(option), about(option))),
            None => lines.extend(
                option
                    .get("enum")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_str)
                    .map(|word| format!("- `{word}`")),
            ),
        }
    }
    if lines.is_empty() {
        kind(schema)
    } else {
        lines.join("\n")
    }
}

/// A sentence after a colon.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_lowercase().chain(chars).collect())
        .unwrap_or_default()
}
