//! The types of a release: one row for each field of a type of Go, with what the custom resources say of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use promgen_resources::facts::types::SHORT;
use serde_json::Value;

use super::{GoField, Schemas, kinds, version_of};

/// The rows of kinds and types.
pub(super) fn rows(
    schemas: &Schemas,
    go: &BTreeMap<String, Vec<GoField>>,
) -> Result<String, String> {
    let mut text = String::new();
    let mut reader = TypeReader {
        go,
        types: BTreeMap::new(),
    };
    for kind in kinds() {
        let (name, version) = (kind.as_str().to_owned(), version_of(kind).to_owned());
        let ty = format!("monitoring/{version}.{name}");
        let schema = schemas
            .get(&(name.clone(), version))
            .ok_or_else(|| format!("no {name}"))?;
        reader.value(&name, schema, &ty)?;
        let _ = write!(
            text,
            "\nkind {name} {} {}",
            kind.api_version(),
            field(schema, &ty)
        );
    }
    text.push('\n');
    for (name, fields) in &reader.types {
        let _ = write!(text, "\ntype {name}\n");
        // A type whose fields stand among those of another one comes where Go has it.
        for GoField { name, of } in &go[name] {
            match fields.get(name) {
                Some(row) => {
                    let _ = writeln!(text, "  {row}");
                }
                None if name.is_empty() && reader.types.contains_key(of) => {
                    let _ = writeln!(text, "  + {of}");
                }
                None => {}
            }
        }
    }
    Ok(text)
}

/// Reads schemas beside the types that they were made from.
struct TypeReader<'g> {
    go: &'g BTreeMap<String, Vec<GoField>>,
    /// The rows of each type, by field.
    types: BTreeMap<String, BTreeMap<String, String>>,
}

impl TypeReader<'_> {
    fn value(&mut self, path: &str, schema: &Value, ty: &str) -> Result<(), String> {
        for (keyword, step, mark) in [("items", "[]", "[]"), ("additionalProperties", "{}", "{}")] {
            if schema[keyword].is_object() {
                let of = ty
                    .strip_prefix(mark)
                    .ok_or_else(|| format!("{path}: {keyword} of {ty}"))?;
                return self.value(&format!("{path}{step}"), &schema[keyword], of);
            }
        }
        let Some(fields) = schema["properties"].as_object() else {
            return Ok(());
        };
        let owners = self.owners(ty);
        for (name, value) in fields {
            let place = format!("{path}.{name}");
            let (owner, of) = owners
                .get(name)
                .ok_or_else(|| format!("{place}: {ty} has no such field"))?
                .clone();
            let is_required = schema["required"]
                .as_array()
                .is_some_and(|names| names.contains(&name.as_str().into()));
            let row = format!(
                "{name}{} {}",
                if is_required { "!" } else { "" },
                field(value, &of)
            );
            let rows = self.types.entry(owner.clone()).or_default();
            if rows.get(name).is_some_and(|other| *other != row) {
                return Err(format!(
                    "{place}: {owner} is not the same everywhere:\n{row}\n{}",
                    rows[name]
                ));
            }
            rows.insert(name.clone(), row);
            self.value(&place, value, &of)?;
        }
        Ok(())
    }

    /// The fields of a type, with the types that they stand in and have.
    fn owners(&mut self, ty: &str) -> BTreeMap<String, (String, String)> {
        let mut found = BTreeMap::new();
        let mut pending = vec![ty.to_owned()];
        while let Some(ty) = pending.pop() {
            self.types.entry(ty.clone()).or_default();
            for field in self.go.get(&ty).into_iter().flatten() {
                if !field.name.is_empty() {
                    found.insert(field.name.clone(), (ty.clone(), field.of.clone()));
                } else if self.go.contains_key(&field.of) {
                    pending.push(field.of.clone());
                }
            }
        }
        found
    }
}

/// A field behind its name: type, keywords and documentation.
fn field(schema: &Value, ty: &str) -> String {
    let mut row = of(schema, ty);
    keywords(&mut row, schema, "");
    let doc = first_sentence(schema["description"].as_str().unwrap_or_default());
    if doc.is_empty() {
        row
    } else {
        format!("{row} # {doc}")
    }
}

/// A type, as a row has it.
fn of(schema: &Value, ty: &str) -> String {
    let below = |mark: &str| ty.strip_prefix(mark).unwrap_or(ty).to_owned();
    if schema["items"].is_object() {
        return format!("[]{}", of(&schema["items"], &below("[]")));
    }
    if schema["additionalProperties"].is_object() {
        return format!("{{}}{}", of(&schema["additionalProperties"], &below("{}")));
    }
    match schema["type"].as_str() {
        _ if schema["x-kubernetes-int-or-string"] == true => "int-or-string".to_owned(),
        Some("object") if schema["properties"].is_object() => ty.to_owned(),
        Some(other) => other.to_owned(),
        None => "any".to_owned(),
    }
}

/// Keywords of a row, in this order.
const KEYWORDS: [&str; 13] = [
    "format",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "default",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-validations",
];

fn keywords(row: &mut String, schema: &Value, prefix: &str) {
    // An atomic list is as free as one without a type.
    let is_said = |keyword: &&&str| !schema[**keyword].is_null() && schema[**keyword] != "atomic";
    for keyword in KEYWORDS.iter().filter(is_said) {
        let short = SHORT
            .iter()
            .find(|(_, long)| long == keyword)
            .map_or(*keyword, |(short, _)| short);
        let _ = write!(row, " {prefix}{short}={}", schema[*keyword]);
    }
    for (keyword, step) in [("items", "[]."), ("additionalProperties", "{}.")] {
        if schema[keyword].is_object() {
            keywords(row, &schema[keyword], &format!("{prefix}{step}"));
        }
    }
}

/// The first sentence of a documentation, in one line.
fn first_sentence(doc: &str) -> String {
    let paragraph = doc
        .split("\n\n")
        .next()
        .unwrap_or_default()
        .replace('\n', " ");
    let mut words = Vec::new();
    for word in paragraph.split_whitespace() {
        words.push(word);
        let is_abbreviation = ["e.g.", "i.e.", "etc."]
            .iter()
            .any(|known| word.ends_with(known));
        if word.ends_with('.') && !is_abbreviation {
            break;
        }
    }
    words.join(" ")
}
