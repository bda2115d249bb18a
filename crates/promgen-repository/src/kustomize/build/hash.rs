//! The hash at the end of the name of a generated object.

use std::fmt::Write as _;

use promgen_text::go::json::to_json;
use promgen_text::yaml::{Data, Node};

use crate::charts::sha256;
use promgen_text::yaml::edit::sorted_entries;

/// The number of characters that a hash has.
const LENGTH: usize = 10;

/// The hash of a ConfigMap or Secret. `None` for other kinds, which have none.
pub(super) fn hash(object: &Node) -> Option<String> {
    let kind = object.text_of("kind")?;
    let mut json = String::from("{");
    let content = match kind {
        "ConfigMap" => "binaryData",
        "Secret" => "stringData",
        _ => return None,
    };
    let extra = object
        .get(content)
        .filter(|node| !node.entries().is_empty());
    let mut fields: Vec<(&str, String)> = vec![("data", data(object.get("data")))];
    fields.extend(extra.map(|node| (content, data(Some(node)))));
    fields.push(("kind", to_json(kind)));
    // The name does not count, though it has a place.
    fields.push(("name", to_json("")));
    if kind == "Secret" {
        fields.push(("type", to_json(object.text_of("type").unwrap_or_default())));
    }
    // Go marshals a map, whose keys are sorted.
    fields.sort_unstable();
    for (index, (key, value)) in fields.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(json, "{comma}\"{key}\":{value}");
    }
    json.push('}');
    Some(encoded(&json))
}

/// The first digits of the SHA-256 of a text, in an alphabet that spells no words.
fn encoded(text: &str) -> String {
    let letter = |c| match c {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    };
    sha256(text).chars().take(LENGTH).map(letter).collect()
}

/// A map in JSON as Go writes it; an empty text if it is absent.
fn data(node: Option<&Node>) -> String {
    let mut out = String::new();
    match node {
        Some(node) => write(&mut out, node),
        None => out.push_str("\"\""),
    }
    out
}

fn write(out: &mut String, node: &Node) {
    // Writing to a string cannot fail.
    let _ = match &node.data {
        Data::String(text) => write!(out, "{}", to_json(text)),
        Data::Seq(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(out, item);
            }
            write!(out, "]")
        }
        Data::Map(_) => {
            out.push('{');
            for (index, entry) in sorted_entries(node).into_iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(out, "{comma}{}:", to_json(&entry.key));
                write(out, &entry.value);
            }
            write!(out, "}}")
        }
        scalar => {
            out.push_str(&scalar.scalar_text().unwrap_or("null".into()));
            Ok(())
        }
    };
}
