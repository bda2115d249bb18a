//! The facts for readers: a page in Markdown, and a schema.

use std::fmt::Write as _;

use promgen_cel::{CelObjectType, CelType};
use serde_json::{Map, Value, json};

use crate::facts::{VARIABLES, VERSION};

/// The tables of facts: those of variables, each before those of the values that it holds. A table occurs once.
fn tables() -> Vec<&'static CelObjectType> {
    let mut all: Vec<&'static CelObjectType> = Vec::new();
    let mut todo: Vec<&'static CelObjectType> = VARIABLES.iter().rev().copied().collect();
    while let Some(table) = todo.pop() {
        if all.iter().any(|known| known.name == table.name) {
            continue;
        }
        all.push(table);
        let fields = table.fields.iter().rev();
        todo.extend(fields.filter_map(|field| object(&field.of)));
    }
    all
}

/// The table of the objects in a type, if it holds some.
fn object(of: &CelType) -> Option<&'static CelObjectType> {
    match of {
        CelType::Object(table) => Some(*table),
        CelType::List(part) | CelType::Map(_, part) | CelType::Optional(part) => object(part),
        _ => None,
    }
}

/// The facts as Markdown: a table for each kind of object.
#[must_use]
pub fn reference() -> String {
    let mut page = format!(
        "# Facts of policies\n\nWhat the expressions of [policies](policies.md) can ask, version {VERSION}. `object` is the object as it is applied, with the values of\nkustomizations and charts, and `environment` the name of the environment. A fact that is absent is no key: ask `has(x.y)` or `x.?y`. A\nfact that nobody knows is unknown, and so is what depends on it. `promgen schema facts` prints the same as a JSON Schema.\n\n"
    );
    for table in tables() {
        let title = match VARIABLES.iter().any(|of| of.name == table.name) {
            true => format!("## `{}`", table.name),
            false => format!("### {}", table.name),
        };
        let doc = table.doc.trim().replace('\n', " ");
        let _ = write!(
            page,
            "{title}\n\n{doc}\n\n| fact | type | meaning |\n|---|---|---|\n"
        );
        for field in table.fields {
            let doc = field.doc.trim().replace('\n', " ").replace('|', "\\|");
            let _ = writeln!(page, "| `{}` | {} | {doc} |", field.name, field.of);
        }
        page.push('\n');
    }
    page.truncate(page.trim_end().len());
    page + "\n"
}

/// The facts as a JSON Schema: a definition for each kind of object, and the variables of expressions as properties.
#[must_use]
pub fn schema() -> Value {
    let definition = |table: &CelObjectType| {
        let property = |field: &promgen_cel::CelField| {
            let mut schema = typed(&field.of);
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), field.doc.trim().into());
            }
            (field.name.to_owned(), schema)
        };
        let properties: Map<String, Value> = table.fields.iter().map(property).collect();
        json!({"type": "object", "description": table.doc.trim(), "properties": properties, "additionalProperties": false})
    };
    let definitions: Map<String, Value> = tables()
        .into_iter()
        .map(|table| (table.name.to_owned(), definition(table)))
        .collect();
    let variable = |table: &&CelObjectType| (table.name.to_owned(), reference_to(table));
    let mut variables: Map<String, Value> = VARIABLES.iter().map(variable).collect();
    variables.insert("object".to_owned(), json!({"type": "object"}));
    variables.insert("environment".to_owned(), json!({"type": "string"}));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("facts of promgen, version {VERSION}"),
        "type": "object",
        "properties": variables,
        "$defs": definitions,
    })
}

fn reference_to(table: &CelObjectType) -> Value {
    json!({"$ref": format!("#/$defs/{}", table.name)})
}

fn typed(of: &CelType) -> Value {
    match of {
        CelType::Text => json!({"type": "string"}),
        CelType::Duration => json!({"type": "string", "format": "duration"}),
        CelType::Bool => json!({"type": "boolean"}),
        CelType::Int | CelType::Uint => json!({"type": "integer"}),
        CelType::Double => json!({"type": "number"}),
        CelType::List(item) => json!({"type": "array", "items": typed(item)}),
        CelType::Map(_, value) => json!({"type": "object", "additionalProperties": typed(value)}),
        CelType::Object(table) => reference_to(table),
        _ => json!({}),
    }
}
