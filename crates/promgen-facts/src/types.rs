//! The types of a table: the fields of the custom resources, and what their schemas say of them.
//!
//! In: the text of a table. Out: its types, and the schema that they make of a kind.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The types of a table.
#[derive(Debug, Default, PartialEq)]
pub struct FactTypes<'t> {
    /// The kinds.
    pub kinds: Vec<FactKind<'t>>,
    /// The rows of each type, by the operator's name for it: `monitoring/v1.Endpoint`.
    pub rows: BTreeMap<&'t str, Vec<TypeRow<'t>>>,
    /// The type whose fields are read.
    current: &'t str,
}

/// A kind.
#[derive(Debug, PartialEq)]
pub struct FactKind<'t> {
    /// Its name.
    pub name: &'t str,
    /// Its version with the group.
    pub api_version: &'t str,
    /// What it is.
    pub field: FactField<'t>,
}

/// A row of a type.
#[derive(Debug, PartialEq)]
pub enum TypeRow<'t> {
    /// A field.
    Field(FactField<'t>),
    /// Another type, whose fields stand here.
    Inline(&'t str),
}

/// A field.
#[derive(Debug, PartialEq)]
pub struct FactField<'t> {
    /// Its name.
    pub name: &'t str,
    /// It must be there.
    pub is_required: bool,
    /// The type: a name, or one of JSON; below `[]` for each list, and `{}` for each map.
    pub of: &'t str,
    /// What its schema says besides, by keyword. `[].` before it: what it says of the items.
    pub keywords: Vec<(&'t str, Value)>,
    /// The first sentence of its documentation.
    pub doc: &'t str,
}

impl FactField<'_> {
    /// The value of a keyword.
    #[must_use]
    pub fn keyword(&self, name: &str) -> Option<&Value> {
        let mut keywords = self.keywords.iter();
        keywords.find_map(|(key, value)| (*key == name).then_some(value))
    }
}

impl<'t> FactTypes<'t> {
    /// Takes a line of a table: `kind …`, `type …`, or a field of the type above.
    pub(super) fn take(&mut self, line: &'t str) -> Result<(), String> {
        if let Some(name) = line.strip_prefix("type ") {
            self.current = name;
            self.rows.entry(name).or_default();
        } else if let Some(rest) = line.strip_prefix("kind ") {
            let (name, rest) = rest.split_once(' ').ok_or("expected a version")?;
            let (api_version, rest) = rest.split_once(' ').ok_or("expected a type")?;
            self.kinds.push(FactKind {
                name,
                api_version,
                field: field(name, rest)?,
            });
        } else if let Some(row) = line.strip_prefix("  ") {
            let rows = self.rows.get_mut(self.current);
            let rows = rows.ok_or("expected a type above")?;
            rows.push(self::row(row)?);
        }
        Ok(())
    }

    /// A field of a type, or of one whose fields that has: the one of that very name, or else one that is written otherwise.
    #[must_use]
    pub fn field(&self, of: &str, name: &str) -> Option<&FactField<'t>> {
        let found = self.find(of, &|other| other == name);
        found.or_else(|| self.find(of, &|other| letters(other).eq(letters(name))))
    }

    fn find(&self, of: &str, is_it: &dyn Fn(&str) -> bool) -> Option<&FactField<'t>> {
        let rows = self.rows.get(of)?.iter();
        let own = rows.clone().find_map(|row| match row {
            TypeRow::Field(field) => is_it(field.name).then_some(field),
            TypeRow::Inline(_) => None,
        });
        own.or_else(|| {
            rows.clone().find_map(|row| match row {
                TypeRow::Field(_) => None,
                TypeRow::Inline(other) => self.find(other, is_it),
            })
        })
    }

    /// The schema of a kind, without references. None if the table does not have the kind.
    #[must_use]
    pub fn schema(&self, kind: &str) -> Option<Value> {
        let kind = self.kinds.iter().find(|other| other.name == kind)?;
        Some(
            Unfolding {
                types: self,
                left: MAX_FIELDS,
            }
            .value(&kind.field, MAX_DEPTH),
        )
    }
}

/// The greatest depth of nested types. Those of the operator are less than half as deep.
const MAX_DEPTH: usize = 64;

/// The number of fields that a schema may have. Those of the operator have a quarter at most.
const MAX_FIELDS: usize = 1 << 14;

/// Writes out the types of fields, down to some depth and for a number of fields: a type may contain itself.
struct Unfolding<'u> {
    types: &'u FactTypes<'u>,
    left: usize,
}

impl Unfolding<'_> {
    fn value(&mut self, field: &FactField<'_>, depth: usize) -> Value {
        let keywords: Vec<(&str, &Value)> = field
            .keywords
            .iter()
            .map(|(key, value)| (*key, value))
            .collect();
        let mut schema = self.of(field.of, &keywords, depth);
        if !field.doc.is_empty() {
            schema.insert("description".to_owned(), field.doc.into());
        }
        schema.into()
    }

    fn of(&mut self, of: &str, keywords: &[(&str, &Value)], depth: usize) -> Map<String, Value> {
        let mut schema = Map::new();
        let below = |prefix: &str| -> Vec<(&str, &Value)> {
            keywords
                .iter()
                .filter_map(|(key, value)| Some((key.strip_prefix(prefix)?, *value)))
                .collect()
        };
        let depth = depth.saturating_sub(1);
        let mut part = |key: &str, value: Value| schema.insert(key.to_owned(), value);
        match of {
            _ if depth == 0 => {}
            "any" => drop(part("x-kubernetes-preserve-unknown-fields", true.into())),
            "int-or-string" => {
                part(
                    "anyOf",
                    json!([{ "type": "integer" }, { "type": "string" }]),
                );
                part("x-kubernetes-int-or-string", true.into());
            }
            _ if let Some(items) = of.strip_prefix("[]") => {
                part("type", "array".into());
                part("items", self.of(items, &below("[]."), depth).into());
            }
            _ if let Some(values) = of.strip_prefix("{}") => {
                part("type", "object".into());
                part(
                    "additionalProperties",
                    self.of(values, &below("{}."), depth).into(),
                );
            }
            _ if self.types.rows.contains_key(of) => {
                part("type", "object".into());
                self.fields(of, &mut schema, depth);
            }
            _ => drop(part("type", of.into())),
        }
        let own = keywords
            .iter()
            .filter(|(key, _)| !key.contains("]") && !key.contains("}"));
        schema.extend(own.map(|(key, value)| (long(key).to_owned(), (*value).clone())));
        schema
    }

    fn fields(&mut self, of: &str, schema: &mut Map<String, Value>, depth: usize) {
        for row in self.types.rows.get(of).into_iter().flatten() {
            let Some(left) = self.left.checked_sub(1).filter(|_| depth > 0) else {
                return;
            };
            self.left = left;
            match row {
                TypeRow::Inline(other) => self.fields(other, schema, depth - 1),
                TypeRow::Field(field) => {
                    let value = self.value(field, depth);
                    if let Value::Object(fields) =
                        schema.entry("properties").or_insert_with(|| json!({}))
                    {
                        fields.insert(field.name.to_owned(), value);
                    }
                    if field.is_required
                        && let Value::Array(required) =
                            schema.entry("required").or_insert_with(|| json!([]))
                    {
                        required.push(field.name.into());
                    }
                }
            }
        }
    }
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    let letters = name.chars().filter(|c| *c != '_');
    letters.map(|c| c.to_ascii_lowercase())
}

/// Keywords of schemas that have a shorter name in the table.
pub const SHORT: [(&str, &str); 3] = [
    ("list-type", "x-kubernetes-list-type"),
    ("list-map-keys", "x-kubernetes-list-map-keys"),
    ("rules", "x-kubernetes-validations"),
];

fn long(key: &str) -> &str {
    SHORT
        .iter()
        .find(|(short, _)| *short == key)
        .map_or(key, |(_, long)| long)
}

fn row(text: &str) -> Result<TypeRow<'_>, String> {
    if let Some(other) = text.strip_prefix("+ ") {
        return Ok(TypeRow::Inline(other));
    }
    let (name, rest) = text.split_once(' ').ok_or("expected a type")?;
    field(name, rest).map(TypeRow::Field)
}

fn field<'t>(name: &'t str, rest: &'t str) -> Result<FactField<'t>, String> {
    let (of, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let required = name.strip_suffix('!');
    let mut keywords = Vec::new();
    while !rest.is_empty() && !rest.starts_with("# ") {
        let (key, value) = rest
            .split_once('=')
            .ok_or_else(|| format!("expected a keyword before {rest:?}"))?;
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<Value>();
        let parsed = values
            .next()
            .and_then(Result::ok)
            .ok_or_else(|| format!("{key} has no value in JSON"))?;
        keywords.push((key, parsed));
        rest = value
            .get(values.byte_offset()..)
            .unwrap_or_default()
            .trim_start();
    }
    let doc = rest.strip_prefix("# ").unwrap_or_default();
    Ok(FactField {
        name: required.unwrap_or(name),
        is_required: required.is_some(),
        of,
        keywords,
        doc,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FactTable;

    const TEXT: &str = "promgen facts 1\nkind A g/v1 v1.A rules=[1] # An A.\ntype v1.A\n  + v1.B\n  \
                        list! []string list-type=\"set\" [].enum=[\"a b\",\"#\"] # Some.\ntype v1.B\n  port int-or-string\n  \
                        map {}v1.C\ntype v1.C\n  size integer format=\"int64\"\n";

    #[test]
    fn types_make_schemas() {
        let schema = FactTable::read(TEXT).unwrap().types.schema("A").unwrap();
        let list = json!({ "type": "array", "items": { "type": "string", "enum": ["a b", "#"] }, "description": "Some.",
            "x-kubernetes-list-type": "set" });
        let port = json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }], "x-kubernetes-int-or-string": true });
        let size = json!({ "type": "integer", "format": "int64" });
        let map = json!({ "type": "object", "additionalProperties": { "type": "object", "properties": { "size": size } } });
        let fields = json!({ "list": list, "port": port, "map": map });
        let wanted = json!({ "type": "object", "description": "An A.", "x-kubernetes-validations": [1],
            "required": ["list"], "properties": fields });
        assert_eq!(schema, wanted);
    }

    #[test]
    fn fields_are_found_in_types_that_stand_there_and_written_otherwise() {
        let types = FactTable::read(TEXT).unwrap().types;
        let name = |of, name| types.field(of, name).map(|field| field.name);
        assert_eq!(name("v1.A", "list"), Some("list"));
        assert_eq!(name("v1.A", "port"), Some("port"));
        assert_eq!(name("v1.A", "Po_rt"), Some("port"));
        assert_eq!(name("v1.A", "size"), None);
        let list = types.field("v1.A", "list").unwrap();
        assert_eq!(list.keyword("[].enum"), Some(&json!(["a b", "#"])));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let why = |text: &str| FactTable::read(text).unwrap_err();
        assert_eq!(
            why("promgen facts 2\n"),
            "expected \"promgen facts 1\" in the first line"
        );
        assert_eq!(
            why("promgen facts 1\n  a string\n"),
            "line 2: expected a type above"
        );
        assert_eq!(
            why("promgen facts 1\ntype v1.A\n  a string min=\n"),
            "line 3: min has no value in JSON"
        );
        let itself = "promgen facts 1\nkind A g/v1 v1.A\ntype v1.A\n  a v1.A\n  b v1.A\n  + v1.A\n";
        assert!(FactTable::read(itself).unwrap().types.schema("A").is_some());
    }
}
