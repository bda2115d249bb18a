//! The schema of a CustomResourceDefinition, as the API server reads it: a structural schema.

use std::collections::BTreeMap;

use promgen_text::go::regex::{self, GoRegex};
use promgen_text::yaml::{Data, Entry, Node};
use serde_json::Value;

/// The verdict of a schema on a value.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The name of the type, as messages have it. Empty: any.
    pub(super) ty: String,
    /// The fields of an object.
    pub(super) fields: BTreeMap<String, Self>,
    /// The schema of all other fields.
    pub(super) others: Option<Box<Self>>,
    /// The schema of the items of a list.
    pub(super) items: Option<Box<Self>>,
    /// Other fields are kept.
    pub(super) is_open: bool,
    /// The fields that have to be there.
    pub(super) required: Vec<String>,
    /// All that is allowed, if not everything is.
    pub(super) values: Vec<Value>,
    /// What holds if the value is absent.
    pub(super) default: Option<Value>,
    /// The least and the greatest number.
    pub(super) numbers: ValueRange,
    /// The number of characters of a text, of items of a list, and of entries of a map.
    pub(super) length: ValueRange,
    /// What a text matches. `None` inside: promgen cannot tell.
    pub(super) pattern: Option<(String, Option<GoRegex>)>,
    /// The format of a text or a number.
    pub(super) format: String,
    /// When two items of a list are the same.
    pub(super) identity: ListIdentity,
    /// The rules in CEL.
    pub(super) rules: Vec<CelRule>,
    /// It says something else, which promgen does not check.
    pub(super) has_more: bool,
}

/// The least and the greatest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ValueRange {
    pub(super) least: Option<f64>,
    pub(super) most: Option<f64>,
}

/// When two items of a list are the same.
#[derive(Clone, Debug, Default)]
pub(super) enum ListIdentity {
    /// Never.
    #[default]
    None,
    /// If their values are.
    Value,
    /// If these fields are.
    Keys(Vec<String>),
}

/// A rule in CEL.
#[derive(Debug)]
pub(super) struct CelRule {
    pub(super) expression: String,
    /// The API server's message where it does not hold.
    pub(super) message: String,
    /// The field that it is about, below the object.
    pub(super) field: Option<String>,
}

/// What a schema may say that has no effect on whether a value is accepted.
const SILENT: [&str; 7] = [
    "description",
    "title",
    "example",
    "externalDocs",
    "nullable",
    "x-kubernetes-map-type",
    "x-kubernetes-embedded-resource",
];

/// The type of a number or a text.
pub(super) const INT_OR_STRING: &str = "integer,string";

/// What a schema may still take. Those of the operator take a tenth of the parts, and next to nothing for patterns.
struct SchemaBudget {
    /// The schemas of fields, items and values.
    n_parts: usize,
    /// The bytes of compiled patterns.
    pattern_bytes: usize,
}

impl SchemaBudget {
    const WHOLE: Self = Self {
        n_parts: 1 << 17,
        pattern_bytes: 16 << 20,
    };

    /// Compiles a pattern. None: promgen cannot, or it is too large beside the others.
    fn pattern(&mut self, text: &str) -> Option<GoRegex> {
        let left = self
            .pattern_bytes
            .checked_sub(regex::weight(text).ok()? + text.len())?;
        self.pattern_bytes = left;
        GoRegex::weighed(text)
    }
}

impl Schema {
    /// Reads a schema. What is not as it has to be says nothing: the API server refuses such a definition.
    pub(super) fn of(node: &Node) -> Self {
        let mut budget = SchemaBudget::WHOLE;
        Self::within(node, &mut budget)
    }

    fn within(node: &Node, budget: &mut SchemaBudget) -> Self {
        let mut schema = Self::default();
        let Some(left) = budget.n_parts.checked_sub(1) else {
            return Self {
                is_open: true,
                has_more: true,
                ..schema
            };
        };
        budget.n_parts = left;
        for entry in node.entries() {
            schema.take(&entry.key, &entry.value, budget);
        }
        if node.get("x-kubernetes-int-or-string").is_some_and(is_true) {
            INT_OR_STRING.clone_into(&mut schema.ty);
            // Its form is `anyOf` of both types.
            schema.has_more = false;
        }
        schema
    }

    fn take(&mut self, key: &str, node: &Node, budget: &mut SchemaBudget) {
        let boxed = |budget: &mut _| node.is_map().then(|| Box::new(Self::within(node, budget)));
        match key {
            "type" => node.as_str().unwrap_or_default().clone_into(&mut self.ty),
            "properties" => {
                let field =
                    |entry: &Entry| (entry.key.to_string(), Self::within(&entry.value, budget));
                self.fields = node.entries().iter().map(field).collect();
            }
            "additionalProperties" => {
                self.others = boxed(budget);
                self.is_open |= is_true(node);
            }
            "items" => self.items = boxed(budget),
            "x-kubernetes-preserve-unknown-fields" => self.is_open |= is_true(node),
            "required" => self.required = texts(node),
            "enum" => self.values = node.items().iter().map(json).collect(),
            "default" => self.default = Some(json(node)),
            "minimum" => self.numbers.least = node.as_f64(),
            "maximum" => self.numbers.most = node.as_f64(),
            "minLength" | "minItems" | "minProperties" => self.length.least = node.as_f64(),
            "maxLength" | "maxItems" | "maxProperties" => self.length.most = node.as_f64(),
            "pattern" => {
                let text = node.as_str().unwrap_or_default().to_owned();
                let regex = budget.pattern(&text);
                self.pattern = Some((text, regex));
            }
            "format" => node
                .as_str()
                .unwrap_or_default()
                .clone_into(&mut self.format),
            "x-kubernetes-list-type" if node.as_str() == Some("set") => {
                self.identity = ListIdentity::Value
            }
            "x-kubernetes-list-map-keys" => self.identity = ListIdentity::Keys(texts(node)),
            "x-kubernetes-validations" => {
                self.rules = node.items().iter().map(CelRule::of).collect()
            }
            "x-kubernetes-list-type" | "x-kubernetes-int-or-string" => {}
            _ => self.has_more |= !SILENT.contains(&key),
        }
    }

    /// The schema of a field. `None`: there is no such field.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.fields.get(name).or(self.others.as_deref())
    }

    /// Returns whether fields that it does not have are kept.
    pub(super) fn takes_any_field(&self) -> bool {
        self.is_open || self.ty != "object" && self.fields.is_empty()
    }

    /// A value as the API server stores it: without what it drops, and with defaults.
    pub(super) fn stored(&self, node: &Node) -> Value {
        match &node.data {
            Data::Map(entries) => {
                let mut map = serde_json::Map::new();
                for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
                    match self.field(&entry.key) {
                        Some(schema) => {
                            map.insert(entry.key.to_string(), schema.stored(&entry.value))
                        }
                        None if self.takes_any_field() => {
                            map.insert(entry.key.to_string(), json(&entry.value))
                        }
                        None => None,
                    };
                }
                for (name, default) in self
                    .fields
                    .iter()
                    .filter_map(|(name, field)| Some((name, field.default.as_ref()?)))
                {
                    if !map.contains_key(name) {
                        map.insert(name.clone(), default.clone());
                    }
                }
                Value::Object(map)
            }
            Data::Seq(items) => {
                let stored = |item: &Node| {
                    self.items
                        .as_ref()
                        .map_or_else(|| json(item), |schema| schema.stored(item))
                };
                items.iter().map(stored).collect()
            }
            // A number is none of the whole ones, whatever it is written like.
            _ if self.ty == "number" => node.as_f64().map_or_else(|| json(node), Value::from),
            _ => json(node),
        }
    }
}

impl CelRule {
    fn of(node: &Node) -> Self {
        let text = |key: &str| node.text_of(key).map(str::to_owned);
        let expression = text("rule").unwrap_or_default().trim().to_owned();
        let message = text("message").unwrap_or_else(|| format!("failed rule: {expression}"));
        Self {
            expression,
            message,
            field: text("fieldPath"),
        }
    }
}

fn is_true(node: &Node) -> bool {
    node.data == Data::Bool(true)
}

fn texts(node: &Node) -> Vec<String> {
    node.items()
        .iter()
        .filter_map(Node::as_str)
        .map(str::to_owned)
        .collect()
}

/// A value as JSON.
pub(super) fn json(node: &Node) -> Value {
    serde_json::to_value(node.to_value()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    #[test]
    fn what_is_beyond_the_bounds_of_a_schema_is_open() {
        let fields: String = (0..1 << 17).map(|n| format!("  f{n}: {{}}\n")).collect();
        let schema = Schema::of(
            &read_slices(&format!("properties:\n{fields}"))
                .unwrap()
                .unwrap(),
        );
        let is_whole = |name: &str| !schema.fields[name].has_more;
        assert!(is_whole("f0") && !is_whole("f131071"));
        // Large patterns, many times.
        let patterns: String = (0..256)
            .map(|n| format!("  f{n}: {{pattern: '\\pL{{8}}a{n}'}}\n"))
            .collect();
        let schema = Schema::of(
            &read_slices(&format!("properties:\n{patterns}"))
                .unwrap()
                .unwrap(),
        );
        let compiled = schema
            .fields
            .values()
            .filter(|field| matches!(field.pattern, Some((_, Some(_)))))
            .count();
        assert!((1..256).contains(&compiled), "{compiled}");
    }
}
