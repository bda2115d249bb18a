//! Unknown keys.
//!
//! In: a parsed document and its JSON Schema. Out: every key that the schema does not have, with the closest existing one.

use serde_json::Value as Json;

use promgen_text::source::Span;
use promgen_text::suggest::closest;
use promgen_text::yaml::{Data, Node};

/// An unknown key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnknownKey {
    pub(super) span: Span,
    pub(super) key: String,
    pub(super) meant: Option<String>,
}

/// All unknown keys. Recursion is as deep as the document, which its reader bounds.
pub(super) fn unknown(node: &Node, schema: &Json) -> Vec<UnknownKey> {
    let mut found = Vec::new();
    StrictWalk {
        root: schema,
        found: &mut found,
    }
    .value(node, schema);
    found
}

struct StrictWalk<'a> {
    root: &'a Json,
    found: &'a mut Vec<UnknownKey>,
}

impl<'a> StrictWalk<'a> {
    fn value(&mut self, node: &Node, schema: &'a Json) {
        let schema = self.resolved(node, schema);
        for item in node.items() {
            if let Some(items) = schema.get("items") {
                self.value(item, items);
            }
        }
        let properties = schema.get("properties").and_then(Json::as_object);
        let others = schema.get("additionalProperties");
        for entry in node.entries() {
            match (
                properties.and_then(|properties| properties.get(&*entry.key)),
                others,
            ) {
                (Some(known), _) => self.value(&entry.value, known),
                (None, Some(Json::Bool(false))) => {
                    let names = properties
                        .into_iter()
                        .flatten()
                        .map(|(name, _)| name.as_str());
                    let meant = closest(&entry.key, names).map(str::to_owned);
                    self.found.push(UnknownKey {
                        span: entry.key_span,
                        key: entry.key.to_string(),
                        meant,
                    });
                }
                (None, Some(others @ Json::Object(_))) => self.value(&entry.value, others),
                (None, _) => {}
            }
        }
    }

    /// The schema behind references and alternatives: of these the one that is of the node's type.
    fn resolved(&self, node: &Node, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        // A schema of types that do not hold themselves has no longer chain of references.
        for _ in 0..8 {
            let reference = schema.get("$ref").and_then(Json::as_str);
            if let Some(definition) = reference.and_then(|name| name.strip_prefix("#/$defs/")) {
                schema = &self.root["$defs"][definition];
            } else if let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) {
                let fits = |alternative: &&Json| {
                    let word = alternative.get("type").and_then(Json::as_str);
                    let is_object = matches!(node.data, Data::Map(_));
                    (alternative.get("$ref").is_some() || word == Some("object")) == is_object
                };
                let Some(alternative) = alternatives.iter().find(fits) else {
                    return schema;
                };
                schema = alternative;
            } else {
                break;
            }
        }
        schema
    }
}
