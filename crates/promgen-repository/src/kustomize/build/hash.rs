//! The hash at the end of the name of a generated object.

use promgen_text::go::json::to_json;
use promgen_text::yaml::Node;

use crate::charts::{go_json, sha256};

/// The number of characters that a hash has.
const LENGTH: usize = 10;

/// The hash of a ConfigMap or Secret. `None` for other kinds, which have none.
pub(super) fn hash(object: &Node) -> Option<String> {
    let kind = object.text_of("kind")?;
    let content = match kind {
        "ConfigMap" => "binaryData",
        "Secret" => "stringData",
        _ => return None,
    };
    let extra = object
        .get(content)
        .filter(|node| !node.entries().is_empty());
    // An empty text if it is absent.
    let data = object.get("data").map_or_else(|| to_json(""), go_json);
    let mut fields: Vec<(&str, String)> = vec![("data", data)];
    fields.extend(extra.map(|node| (content, go_json(node))));
    fields.push(("kind", to_json(kind)));
    // The name does not count, though it has a place.
    fields.push(("name", to_json("")));
    if kind == "Secret" {
        fields.push(("type", to_json(object.text_of("type").unwrap_or_default())));
    }
    // Go marshals a map, whose keys are sorted.
    fields.sort_unstable();
    let fields = fields
        .iter()
        .map(|(key, value)| format!("\"{key}\":{value}"));
    let fields: Vec<String> = fields.collect();
    Some(encoded(&format!("{{{}}}", fields.join(","))))
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
