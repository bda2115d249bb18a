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

/// The most places that a help names.
const MAX_PLACES: usize = 3;

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
    let mut walk = Strict {
        text,
        versions,
        found: Vec::new(),
    };
    walk.part(root, shape, 0);
    walk.found
}

/// The help for the field which an error of the operator does not know: where a field of that name belongs, or else the name that
/// is meant.
pub(crate) fn meant(error: &str) -> Option<String> {
    let (before, _) = error.split_once(UNKNOWN_FIELD)?;
    let (_, unknown) = before.rsplit_once("field ")?;
    let parts = parts();
    let places = places(unknown, &parts);
    if let Some((first, others)) = places.split_first() {
        let shown = others
            .iter()
            .take(MAX_PLACES - 1)
            .fold(place(first), |all, path| {
                format!("{all} or {}", place(path))
            });
        let more = if places.len() > MAX_PLACES {
            ", among others"
        } else {
            ""
        };
        return Some(format!("`{unknown}` belongs {shown}{more}"));
    }
    let known: BTreeSet<&str> = parts
        .iter()
        .flat_map(|(shape, _)| shape.fields())
        .map(|field| field.key)
        .collect();
    suggest::closest(unknown, known.into_iter()).map(|meant| format!("did you mean `{meant}`?"))
}

/// The paths of the parts that have a field of that name.
fn places<'p>(name: &str, parts: &'p [(&'static Shape, String)]) -> Vec<&'p str> {
    let has = |shape: &Shape| shape.fields().iter().any(|field| field.key == name);
    parts
        .iter()
        .filter(|(shape, _)| has(shape))
        .map(|(_, path)| path.as_str())
        .collect()
}

/// The parts that make the structure of a configuration: no version gives one of them what another one has. Receivers of one kind
/// get what others have.
const STRUCTURE: [&str; 5] = ["", "global", "route", "inhibit_rules[]", "receivers[]"];

/// The help for a field of another part, of those that make the structure.
fn misplaced(name: &str, shape: &'static Shape) -> Option<String> {
    let parts = parts();
    let is_structure = |path: &str| STRUCTURE.contains(&path);
    let is_asked = parts
        .iter()
        .any(|(part, path)| std::ptr::eq(*part, shape) && is_structure(path));
    let places = places(name, &parts);
    let is_known = is_asked && places.iter().all(|path| is_structure(path));
    let [only] = places.as_slice() else {
        return None;
    };
    is_known.then(|| format!("`{name}` belongs {}", place(only)))
}

/// The words for a part of a configuration.
fn place(path: &str) -> String {
    match path {
        "" => "at the top of the configuration".to_owned(),
        path => format!("in `{path}`"),
    }
}

/// All parts of a configuration, each once, with the shortest path to it: `receivers[].slack_configs[]`.
fn parts() -> Vec<(&'static Shape, String)> {
    let mut found: Vec<(&'static Shape, String)> = vec![(&tables::ROOT, String::new())];
    let mut next = 0;
    while let Some((shape, path)) = found.get(next).cloned() {
        next += 1;
        for field in shape.fields() {
            let Some(part) = part(field.kind) else {
                continue;
            };
            if !found.iter().any(|(known, _)| std::ptr::eq(*known, part)) {
                let dot = if path.is_empty() { "" } else { "." };
                let items = if matches!(field.kind, KeyType::Many(_) | KeyType::Times(_)) {
                    "[]"
                } else {
                    ""
                };
                found.push((part, format!("{path}{dot}{}{items}", field.key)));
            }
        }
    }
    found
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
            let before = self
                .text
                .get(..entry.key_span.start as usize)
                .unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let Some(field) = shape.field(&entry.key) else {
                let mut known = shape.fields().iter().map(|field| field.key);
                let meant = known.find(|field| {
                    suggest::edits(&entry.key, field).is_some_and(|edits| edits <= MAX_EDITS)
                });
                let why = match meant {
                    Some(meant) => Some(format!("a field is unknown: did you mean `{meant}`?")),
                    None => misplaced(&entry.key, shape)
                        .map(|why| format!("a field is unknown here: {why}")),
                };
                self.found.extend(why.map(|why| RefusedField { line, why }));
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
            let (part, nodes) = field.kind.parts(&entry.value).unwrap_or((shape, &[]));
            for node in nodes {
                self.part(node, part, depth + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_stands_in_another_one_is_refused() {
        let told = |name: &str, shape: &'static Shape| misplaced(name, shape);
        assert_eq!(
            told("group_by", &tables::ROOT).as_deref(),
            Some("`group_by` belongs in `route`")
        );
        assert!(told("route", &tables::INHIBIT).is_some_and(|why| why.contains("at the top")));
        // Any receiver may get it, and several parts have it.
        for name in [
            "send_resolved",
            "channel",
            "http_config",
            "name",
            "something",
        ] {
            assert_eq!(told(name, &tables::ROUTE), None, "{name}");
        }
    }

    #[test]
    fn a_word_of_another_part_is_told_its_place_and_a_slip_its_word() {
        let told = |word: &str| {
            meant(&format!(
                "yaml: unmarshal errors:\n  line 3: field {word} not found in type config.plain"
            ))
        };
        for (word, help) in [
            ("group_by", "`group_by` belongs in `route`"),
            ("repeat_interval", "`repeat_interval` belongs in `route`"),
            (
                "inhibit_rules",
                "`inhibit_rules` belongs at the top of the configuration",
            ),
            (
                "source_matchers",
                "`source_matchers` belongs in `inhibit_rules[]`",
            ),
            ("smtp_smarthost", "`smtp_smarthost` belongs in `global`"),
            ("slack_configs", "`slack_configs` belongs in `receivers[]`"),
            ("group_bye", "did you mean `group_by`?"),
            ("inhibit_rule", "did you mean `inhibit_rules`?"),
        ] {
            assert_eq!(told(word).as_deref(), Some(help), "{word}");
        }
        assert!(
            told("send_resolved").is_some_and(|help| help.ends_with(", among others")),
            "{:?}",
            told("send_resolved")
        );
        assert_eq!(told("something_else_entirely"), None);
    }
}
