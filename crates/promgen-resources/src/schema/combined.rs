//! One schema for all kinds, for editors that know a file but not its kind.

use serde_json::{Map, Value, json};

use crate::schema::{kinds, schema};
use promgen_text::version::Version;

/// A JSON Schema (draft 2020-12) of documents of every kind that has a schema in a release of the operator. It accepts those of
/// other kinds, and documents without a kind.
#[must_use]
pub fn combined(operator: &Version) -> Value {
    let mut definitions = Map::new();
    let mut options = Vec::new();
    for kind in kinds() {
        let Some(Value::Object(mut root)) = schema(kind, operator) else {
            continue;
        };
        root.remove("$schema");
        // A type has one name and one definition, so what several kinds share is the same in each.
        if let Some(Value::Object(shared)) = root.remove("$defs") {
            definitions.extend(shared);
        }
        let properties = root.get("properties").and_then(Value::as_object);
        let is_kind: Map<String, Value> = ["apiVersion", "kind"]
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), properties?.get(*key)?.clone())))
            .collect();
        options.push(json!({
            "if": { "properties": is_kind, "required": ["apiVersion", "kind"] },
            "then": { "$ref": format!("#/$defs/{}", kind.as_str()) },
        }));
        definitions.insert(kind.as_str().to_owned(), root.into());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Resources of the Prometheus operator",
        "allOf": options,
        "$defs": definitions,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::CURRENT;

    /// All places that a schema refers to.
    fn references(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
                map.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn whatever_is_referred_to_is_defined() {
        let (schema, mut found) = (combined(&CURRENT.version), Vec::new());
        references(&schema, &mut found);
        assert!(found.len() > kinds().count());
        for reference in found {
            let name = reference.strip_prefix("#/$defs/").unwrap();
            assert!(schema["$defs"].get(name).is_some(), "{reference}");
        }
    }

    #[test]
    fn both_dialects_of_sharding_are_accepted() {
        let all = combined(&CURRENT.version);
        let strategy = &all["$defs"]["ShardingStrategy"];
        let [selects, implies] = [0, 1].map(|index| &strategy["if"]["anyOf"][index]);
        assert_eq!(
            selects["properties"]["mode"]["enum"],
            json!(["classic", "topology"])
        );
        assert_eq!(implies["anyOf"][1], json!({ "required": ["label"] }));
        assert_eq!(
            strategy["then"],
            json!({ "$ref": "#/$defs/ProposalSharding" })
        );
        assert!(
            strategy["else"]["properties"]["topology"]["$ref"].is_string(),
            "{strategy}"
        );
        assert!(!all.to_string().contains("x-promgen"));
    }

    #[test]
    fn a_definition_is_the_same_for_every_kind() {
        let all = combined(&CURRENT.version);
        for kind in kinds() {
            let of_kind = schema(kind, &CURRENT.version).unwrap();
            for (name, definition) in of_kind["$defs"].as_object().unwrap() {
                assert_eq!(
                    all["$defs"][name],
                    *definition,
                    "{} of {}",
                    name,
                    kind.as_str()
                );
            }
        }
    }
}
