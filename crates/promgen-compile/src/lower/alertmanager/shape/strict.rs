//! Fields of a configuration that the operator hands on as it is, and that Alertmanager refuses: misspelt ones, and those that
//! came with a later version.
//!
//! The operator's types may lack fields that Alertmanager has, so an unknown field counts only if it is almost a known one.

use std::collections::BTreeSet;

use crate::lower::alertmanager::shape::{UNKNOWN_FIELD, tables};
use crate::receivers;
use crate::receivers::table::shape::{KeyType, Shape};
use promgen_resources::gates::{Axis, Versions};
use promgen_text::suggest;
use promgen_text::yaml::Node;

/// The maximum depth that is looked at.
const MAX_DEPTH: usize = 64;

/// The most letters in which a misspelt field differs from the one that is meant.
const MAX_EDITS: usize = 2;

/// A field that Alertmanager refuses.
#[derive(Debug)]
pub(in crate::lower::alertmanager) struct RefusedField {
    /// The line of the configuration.
    pub(in crate::lower::alertmanager) line: usize,
    /// Why, without any text of the user.
    pub(in crate::lower::alertmanager) why: String,
}

/// The fields of a configuration that Alertmanager of these versions refuses.
pub(in crate::lower::alertmanager) fn refused(
    (text, root): (&str, &Node),
    shape: &'static Shape,
    versions: &Versions,
) -> Vec<RefusedField> {
    let mut walk = Strict { text, versions, found: Vec::new() };
    walk.part(root, shape, 0);
    walk.found
}

/// The field that is meant by the one which an error of the operator does not know.
pub(crate) fn meant(error: &str) -> Option<&'static str> {
    let (before, _) = error.split_once(UNKNOWN_FIELD)?;
    let (_, unknown) = before.rsplit_once("field ")?;
    let (mut known, mut todo) = (BTreeSet::new(), vec![&tables::ROOT]);
    while let Some(shape) = todo.pop() {
        let new = shape.fields().iter().filter(|field| known.insert(field.key));
        todo.extend(new.filter_map(|field| part(field.kind)));
    }
    suggest::closest(unknown, known.into_iter())
}

/// The parts of the value of a key.
const fn part(kind: KeyType) -> Option<&'static Shape> {
    match kind {
        KeyType::One(part)
        | KeyType::Filled(part)
        | KeyType::Raw(part)
        | KeyType::Many(part)
        | KeyType::Times(part) => Some(part),
        _ => None,
    }
}

struct Strict<'t> {
    text: &'t str,
    versions: &'t Versions,
    found: Vec<RefusedField>,
}

impl Strict<'_> {
    fn part(&mut self, node: &Node, shape: &'static Shape, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        for entry in node.entries() {
            let before = self.text.get(..entry.key_span.start as usize).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let Some(field) = shape.field(&entry.key) else {
                let mut known = shape.fields().iter().map(|field| field.key);
                let meant =
                    known.find(|field| suggest::edits(&entry.key, field).is_some_and(|edits| edits <= MAX_EDITS));
                if let Some(meant) = meant {
                    let why = format!("a field is unknown: did you mean `{meant}`?");
                    self.found.push(RefusedField { line, why });
                }
                continue;
            };
            let is_late = |axis: Axis| axis == Axis::Alertmanager;
            let gate = field.gate.or_else(|| receivers::gate(field.key));
            if let Some(gate) = gate.filter(|gate| !self.versions.has(gate) && gate.until.is_none())
                && is_late(gate.axis)
                && is_late(self.versions.lacking(gate))
            {
                let (key, since) = (field.key, gate.since_by(&self.versions.operator));
                let version = &self.versions.alertmanager;
                let why = format!(
                    "it does not know the field `{key}`, which requires Alertmanager ≥ {since}; this is {version}"
                );
                self.found.push(RefusedField { line, why });
            }
            match field.kind {
                KeyType::One(part) | KeyType::Filled(part) | KeyType::Raw(part) => {
                    self.part(&entry.value, part, depth + 1)
                }
                KeyType::Many(part) | KeyType::Times(part) => {
                    entry.value.items().iter().for_each(|item| self.part(item, part, depth + 1));
                }
                _ => {}
            }
        }
    }
}
