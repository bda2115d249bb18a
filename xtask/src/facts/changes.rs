//! What releases changed in the custom resources, as differences to the release after.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use promgen_resources::facts::types::FactTypes;
use promgen_resources::schema::as_of;
use serde_json::Value;

use super::code::ReleaseRow;
use super::{Schemas, kinds, version_of};

/// The blocks of all releases, and that of the version of AlertmanagerConfig that is not stored.
pub(super) fn blocks(
    releases: &[ReleaseRow],
    schemas: &BTreeMap<String, Schemas>,
    known: &FactTypes<'_>,
) -> Result<String, String> {
    let mut text = String::new();
    let mut before: Option<BTreeMap<&str, Value>> = None;
    for release in releases {
        let now = of_release(release, schemas.get(&release.tag), known)?;
        let mut rows = Vec::new();
        for (kind, schema) in before.iter().flatten() {
            let mut found = Difference {
                kind,
                release: &release.tag,
                rows: &mut rows,
            };
            found.schema("", schema, now.get(kind).unwrap_or(&Value::Null))?;
        }
        before = Some(now);
        if !rows.is_empty() {
            block(&mut text, &format!("changes {}", release.tag), rows);
        }
    }
    let newest = releases
        .last()
        .and_then(|release| schemas.get(&release.tag));
    match newest.map(of_beta).transpose()? {
        Some(rows) => block(&mut text, "version v1beta1", rows),
        None => {
            let rows = promgen_resources::facts::blocks("version")
                .map(|(_, row)| row.to_owned())
                .collect();
            block(&mut text, "version v1beta1", rows);
        }
    }
    Ok(text)
}

fn block(text: &mut String, title: &str, mut rows: Vec<String>) {
    rows.sort_unstable();
    let _ = write!(text, "\n{title}\n{}\n", rows.join("\n"));
}

/// The schemas of a release: those that were read, or what the table says.
fn of_release<'k>(
    release: &ReleaseRow,
    read: Option<&Schemas>,
    known: &FactTypes<'_>,
) -> Result<BTreeMap<&'k str, Value>, String> {
    let mut found = BTreeMap::new();
    for kind in kinds() {
        let schema = match read {
            Some(read) => read
                .get(&(kind.as_str().to_owned(), version_of(kind).to_owned()))
                .cloned(),
            None => known.schema(kind.as_str()).map(|mut schema| {
                as_of(&mut schema, kind, &release.version);
                schema
            }),
        };
        let schema = schema.ok_or_else(|| format!("{} has no {}", release.tag, kind.as_str()))?;
        found.insert(kind.as_str(), schema);
    }
    Ok(found)
}

/// What the version of AlertmanagerConfig that is not stored says otherwise, by the names of the stored one.
fn of_beta(schemas: &Schemas) -> Result<Vec<String>, String> {
    let of = |version: &str| {
        let schema = schemas
            .get(&("AlertmanagerConfig".to_owned(), version.to_owned()))
            .cloned();
        schema.ok_or_else(|| format!("no AlertmanagerConfig of {version}"))
    };
    let (stored, mut beta) = (of("v1alpha1")?, of("v1beta1")?);
    // The API server converts it.
    let fields = beta["properties"]["spec"]["properties"]
        .as_object_mut()
        .ok_or("an AlertmanagerConfig without spec")?;
    let intervals = fields
        .remove("timeIntervals")
        .ok_or("v1beta1 has timeIntervals")?;
    fields.insert("muteTimeIntervals".to_owned(), intervals);
    let mut rows = Vec::new();
    Difference {
        kind: "AlertmanagerConfig",
        release: "v1beta1",
        rows: &mut rows,
    }
    .schema("", &beta, &stored)?;
    Ok(rows)
}

/// Keywords of which a row has the value before.
const KEYWORDS: [&str; 8] = [
    "enum",
    "pattern",
    "minLength",
    "minItems",
    "minimum",
    "maximum",
    "default",
    "format",
];

/// Keywords that have to stay: no row says that they change.
const FIXED: [&str; 6] = [
    "type",
    "maxLength",
    "maxItems",
    "nullable",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
];

struct Difference<'r> {
    kind: &'r str,
    release: &'r str,
    rows: &'r mut Vec<String>,
}

impl Difference<'_> {
    fn row(&mut self, path: &str, keyword: &str, before: &Value) {
        let before = if before.is_null() {
            "null".to_owned()
        } else {
            before.to_string()
        };
        self.rows
            .push(format!("~ {} {path} {keyword} {before}", self.kind));
    }

    fn unknown(&self, path: &str, what: &str) -> String {
        format!(
            "{}: {} {path}: no row of the table says {what}",
            self.release, self.kind
        )
    }

    fn schema(&mut self, path: &str, before: &Value, after: &Value) -> Result<(), String> {
        if let Some(keyword) = FIXED
            .iter()
            .find(|keyword| before[**keyword] != after[**keyword])
        {
            let what = format!(
                "that {keyword} was {}, and is {}",
                before[*keyword], after[*keyword]
            );
            return Err(self.unknown(path, &what));
        }
        for keyword in KEYWORDS
            .iter()
            .filter(|keyword| before[**keyword] != after[**keyword])
        {
            self.row(path, keyword, &before[*keyword]);
        }
        self.identity(path, before, after)?;
        let rules = |schema: &Value| -> Vec<Value> {
            schema["x-kubernetes-validations"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|rule| rule["rule"].clone())
                .collect()
        };
        let old = rules(before);
        rules(after)
            .iter()
            .filter(|rule| !old.contains(rule))
            .for_each(|rule| self.row(path, "rule", rule));
        self.fields(path, before, after)?;
        for (keyword, step) in [("items", "[]"), ("additionalProperties", "{}")] {
            if before[keyword].is_object() || after[keyword].is_object() {
                self.schema(&format!("{path}{step}"), &before[keyword], &after[keyword])?;
            }
        }
        Ok(())
    }

    /// When two items of a list are the same. An atomic list is as free as one without a type.
    fn identity(&mut self, path: &str, before: &Value, after: &Value) -> Result<(), String> {
        let of = |schema: &Value| {
            let list_type = schema["x-kubernetes-list-type"]
                .as_str()
                .filter(|list_type| *list_type != "atomic");
            list_type.map(|list_type| {
                (
                    list_type.to_owned(),
                    schema["x-kubernetes-list-map-keys"].clone(),
                )
            })
        };
        match (of(before), of(after)) {
            (before, after) if before == after => {}
            (None, Some(_)) => self.row(path, "list-type", &Value::Null),
            _ => return Err(self.unknown(path, "that items were told apart in another way")),
        }
        Ok(())
    }

    fn fields(&mut self, path: &str, before: &Value, after: &Value) -> Result<(), String> {
        let names = |schema: &Value| -> BTreeSet<String> {
            schema["properties"]
                .as_object()
                .into_iter()
                .flat_map(|fields| fields.keys().cloned())
                .collect()
        };
        let is_required = |schema: &Value, name: &str| {
            schema["required"]
                .as_array()
                .is_some_and(|required| required.iter().any(|other| other == name))
        };
        let (old, new) = (names(before), names(after));
        if let Some(name) = old.difference(&new).next() {
            return Err(self.unknown(path, &format!("that {name} is there no longer")));
        }
        for name in &new {
            let field = if path.is_empty() {
                name.clone()
            } else {
                format!("{path}.{name}")
            };
            if !old.contains(name) {
                self.rows.push(format!("+ {} {field}", self.kind));
                continue;
            }
            if field == "status" {
                continue;
            }
            if is_required(before, name) != is_required(after, name) && !path.is_empty() {
                self.row(&field, "required", &is_required(before, name).into());
            }
            self.schema(
                &field,
                &before["properties"][name],
                &after["properties"][name],
            )?;
        }
        Ok(())
    }
}
