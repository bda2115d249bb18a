//! Checks documents by the schema of a CustomResourceDefinition, in the API server's words.

use std::collections::BTreeSet;

use promgen_text::describe::Bounds;
use promgen_text::diag::{Diagnostic, Place, Sink};
use promgen_text::route::{At, DocId, Path};
use promgen_text::yaml::decode::whole;
use promgen_text::yaml::{Data, Entry, Node};
use serde_json::Value;

use super::cel::{self, RuleVerdict};
use super::demand::{self, VALIDATION_RULE};
use super::form::wrong_type_of;
use super::intended_field;
use super::scalar::{self, invalid, unsupported};
use super::structural::{INT_OR_STRING, ListIdentity, Schema, ValueRange, json};
use super::walk::{DUPLICATE_ITEM, MISSING_FIELD, UNKNOWN_FIELD, VALUE, is_type_meta};

/// The noun for a rule that is not checked.
const RULE: &str = "rule";

/// Checks a document. Returns false if the API server refuses it; an unknown field is reported, but is not a reason to refuse.
pub(super) fn document(node: &Node, schema: &Schema, doc: DocId, sink: &mut Sink) -> bool {
    let mut judge = Judge {
        doc,
        root: schema,
        sink,
        fits: true,
    };
    judge.value(node, schema, &Path::root());
    let fits = judge.fits;
    if let Some(spec) = node.get("spec") {
        // The meaning, whatever the definition says of it.
        demand::uncovered_zone(spec, doc, &Path::root().key("spec"))
            .into_iter()
            .for_each(|found| sink.report(found));
    }
    fits
}

struct Judge<'j> {
    doc: DocId,
    root: &'j Schema,
    sink: &'j mut Sink,
    fits: bool,
}

impl Judge<'_> {
    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.fits = false;
        self.sink.report(diagnostic);
    }

    fn at(&self, path: &Path<'_>) -> At {
        At::path(self.doc, path)
    }

    fn value(&mut self, node: &Node, schema: &Schema, path: &Path<'_>) {
        match (&*schema.ty, &node.data) {
            ("object", Data::Map(entries)) | ("", Data::Map(entries)) => {
                self.object(node, entries, schema, path)
            }
            ("array", Data::Seq(items)) | ("", Data::Seq(items)) => self.list(items, schema, path),
            ("string" | "" | INT_OR_STRING, Data::String(text)) => self.text(text, schema, path),
            ("integer" | INT_OR_STRING, data) if let Some(number) = whole(data) => {
                self.integer(number, schema, path)
            }
            ("number" | "", Data::Int(_) | Data::Uint(_) | Data::Float(_)) => {
                self.number(node, schema, path)
            }
            ("boolean" | "", Data::Bool(_)) | ("", Data::Null) => {}
            (wanted, data) => {
                let found = wrong_type_of(wanted, data, self.doc, path);
                return self.refuse(found);
            }
        }
        self.allowed(node, schema, path);
        if schema.has_more {
            self.sink.leave_unchecked(VALUE, self.at(path));
        }
        self.rules(node, schema, path);
    }

    fn object(&mut self, node: &Node, entries: &[Entry], schema: &Schema, path: &Path<'_>) {
        for name in &schema.required {
            let has_default = schema
                .fields
                .get(name)
                .is_some_and(|field| field.default.is_some());
            if !has_default && node.get(name).is_none_or(Node::is_null) {
                let path = path.key(name);
                let message = format!("{}: Required value", path.to_route());
                let found = Diagnostic::new(&MISSING_FIELD, self.at(&path), message);
                self.refuse(found.help(format!("add `{name}`")));
            }
        }
        self.length(
            entries.len(),
            schema.length,
            "properties",
            "properties",
            path,
        );
        for entry in entries {
            // The API server checks metadata in its own way, and takes the status of a manifest away.
            let is_elsewhere = path.is_root() && matches!(&*entry.key, "metadata" | "status");
            match schema.field(&entry.key) {
                _ if is_elsewhere || entry.value.is_null() || is_type_meta(&entry.key, path) => {}
                Some(field) => self.value(&entry.value, field, &path.key(&entry.key)),
                None if schema.takes_any_field() => {}
                None => self.unknown(schema, &path.key(&entry.key), &entry.key),
            }
        }
    }

    fn unknown(&mut self, schema: &Schema, path: &Path<'_>, name: &str) {
        if self.sink.only_counts(&UNKNOWN_FIELD, self.doc) {
            return;
        }
        let message = format!("unknown field \"{}\"", path.to_route());
        let finding = Diagnostic::new(&UNKNOWN_FIELD, Place::Key(self.at(path)), message);
        let known: Vec<&str> = schema.fields.keys().map(String::as_str).collect();
        let meant = intended_field::intended_field(name, &known);
        let help = meant.map(|meant| format!("did you mean \"{meant}\"?"));
        self.sink.report(
            match help.or_else(|| intended_field::elsewhere(self.root, &path.to_route())) {
                Some(help) => finding.help(help),
                None => finding,
            },
        );
    }

    fn list(&mut self, items: &[Node], schema: &Schema, path: &Path<'_>) {
        self.length(items.len(), schema.length, "items", "items", path);
        if let Some(of) = &schema.items {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| self.value(item, of, &path.index(index)));
        }
        let mut seen = BTreeSet::new();
        for (index, item) in items.iter().enumerate() {
            let value = match &schema.identity {
                ListIdentity::None => return,
                ListIdentity::Value => json(item),
                ListIdentity::Keys(keys) => by_keys(item, schema.items.as_deref(), keys),
            };
            let text = value.to_string();
            if seen.contains(&text) {
                let path = path.index(index);
                let message = format!("{}: Duplicate value: {text}", path.to_route());
                self.refuse(Diagnostic::new(&DUPLICATE_ITEM, self.at(&path), message));
            }
            seen.insert(text);
        }
    }

    fn length(&mut self, n: usize, limit: ValueRange, least: &str, most: &str, path: &Path<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "a document has few items")]
        let length = n as f64;
        let wanted = match limit {
            ValueRange {
                least: Some(bound), ..
            } if length < bound => format!("should have at least {bound} {least}"),
            ValueRange {
                most: Some(bound), ..
            } if length > bound => format!("should have at most {bound} {most}"),
            ValueRange { .. } => return,
        };
        self.refuse(invalid(&n.to_string(), &wanted, self.doc, path));
    }

    fn text(&mut self, text: &str, schema: &Schema, path: &Path<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "a text is short")]
        let length = text.chars().count() as f64;
        let wanted = match (schema.length, &schema.pattern) {
            (
                ValueRange {
                    least: Some(bound), ..
                },
                _,
            ) if length < bound => {
                format!("should be at least {bound} chars long")
            }
            (
                ValueRange {
                    most: Some(bound), ..
                },
                _,
            ) if length > bound => {
                format!("should be at most {bound} chars long")
            }
            _ if schema.format == "date-time" && !scalar::is_time(text) => {
                "must be of type date-time".to_owned()
            }
            (_, Some((pattern, Some(regex)))) if !regex.is_match(text) => {
                format!("should match '{pattern}'")
            }
            (_, Some((_, None))) => return self.sink.leave_unchecked(VALUE, self.at(path)),
            _ => return,
        };
        self.refuse(invalid(&format!("{text:?}"), &wanted, self.doc, path));
    }

    fn integer(&mut self, number: i128, schema: &Schema, path: &Path<'_>) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "limits of integers are integers"
        )]
        let bound = |limit: Option<f64>| limit.map(|limit| limit as i64);
        let bounds = Bounds {
            min: bound(schema.numbers.least),
            max: bound(schema.numbers.most),
            ..Bounds::NONE
        };
        if let Some(found) =
            scalar::integer(number, schema.format == "int32", &bounds, self.doc, path)
        {
            self.refuse(found);
        }
    }

    fn number(&mut self, node: &Node, schema: &Schema, path: &Path<'_>) {
        let value = json(node);
        let Some(number) = value.as_f64() else { return };
        let wanted = match schema.numbers {
            ValueRange {
                least: Some(bound), ..
            } if number < bound => {
                format!("should be greater than or equal to {bound}")
            }
            ValueRange {
                most: Some(bound), ..
            } if number > bound => {
                format!("should be less than or equal to {bound}")
            }
            ValueRange { .. } => return,
        };
        self.refuse(invalid(&value.to_string(), &wanted, self.doc, path));
    }

    fn allowed(&mut self, node: &Node, schema: &Schema, path: &Path<'_>) {
        if schema.values.is_empty() {
            return;
        }
        let value = json(node);
        if schema.values.contains(&value) {
            return;
        }
        let texts: Vec<&str> = schema.values.iter().filter_map(Value::as_str).collect();
        let found = match &value {
            Value::String(text) => unsupported(text, &texts, &self.at(path)),
            other => unsupported(&other.to_string(), &texts, &self.at(path)),
        };
        self.refuse(found);
    }

    fn rules(&mut self, node: &Node, schema: &Schema, path: &Path<'_>) {
        if schema.rules.is_empty() {
            return;
        }
        let stored = schema.stored(node);
        for rule in &schema.rules {
            let path = match &rule.field {
                Some(field) => &path.key(field.trim_start_matches('.')),
                None => path,
            };
            match cel::check(&rule.expression, &stored) {
                RuleVerdict::Holds => {}
                RuleVerdict::Fails => {
                    let message = format!("{}: Invalid value: {}", path.to_route(), rule.message);
                    self.refuse(Diagnostic::new(&VALIDATION_RULE, self.at(path), message));
                }
                RuleVerdict::Unknown => self.sink.leave_unchecked(RULE, self.at(path)),
            }
        }
    }
}

/// The fields by which an item is known, defaults filled in.
fn by_keys(item: &Node, schema: Option<&Schema>, keys: &[String]) -> Value {
    let default = |key: &String| schema?.fields.get(key)?.default.clone();
    let value = |key: &String| {
        item.get(key)
            .filter(|value| !value.is_null())
            .map(json)
            .or_else(|| default(key))
    };
    keys.iter()
        .filter_map(|key| Some((key.clone(), value(key)?)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
