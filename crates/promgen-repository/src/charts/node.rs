//! Values of charts as Helm treats them: what counts as set, how values are merged, and how one is written in a text.

use std::borrow::Cow;
use std::collections::BTreeMap;

use promgen_text::shared::SharedItems;
use promgen_text::source::Span;
use promgen_text::yaml::edit;
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::{Data, Entry, Node, NodeText};

/// The number of parts that a path of values may have.
const MAX_PATH: usize = 64;

/// The number of items that a list may get by its index.
const MAX_INDEX: usize = 1024;

/// A map of some entries, all at one place.
pub(super) fn map(span: Span, entries: Vec<(&str, Node)>) -> Node {
    let entry = |(key, value): (&str, Node)| Entry {
        key: key.into(),
        key_span: value.span,
        value,
    };
    edit::map_of(entries.into_iter().map(entry).collect(), span)
}

pub(super) use promgen_text::yaml::edit::{list_of as list, map as empty, text};

/// Returns whether a value counts as set in a condition of a template: neither absent, nor null, false, zero or empty.
pub(super) fn is_set(node: Option<&Node>) -> bool {
    node.is_some_and(Node::is_set)
}

/// A scalar as a template prints it; `None` for collections, and for null.
pub(super) fn printed(node: &Node) -> Option<String> {
    node.data.scalar_text().map(Cow::into_owned)
}

/// A value as YAML, as `toYaml` writes it: without a final line break.
pub(super) fn yaml(node: &Node) -> String {
    let mut text = to_string(&node.to_value(), Dialect::Sigs);
    if text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Sets the value of a key, or adds the key.
pub(super) fn set(node: &mut Node, key: &str, key_span: Span, value: Node) {
    if !matches!(node.data, Data::Map(_)) {
        node.data = Data::Map(SharedItems::default());
    }
    let Data::Map(entries) = &mut node.data else {
        return;
    };
    edit::put(entries, key.into(), key_span, value);
}

/// Puts values over others: maps are merged, anything else is replaced.
pub(super) fn merge(under: &mut Node, over: &Node) {
    let (Data::Map(entries), Data::Map(others)) = (&mut under.data, &over.data) else {
        *under = over.clone();
        return;
    };
    let known: BTreeMap<NodeText, usize> = entries
        .iter()
        .enumerate()
        .map(|(at, entry)| (entry.key.clone(), at))
        .collect();
    for other in others {
        match known.get(&other.key).and_then(|at| entries.get_mut(*at)) {
            Some(entry) => {
                entry.key_span = other.key_span;
                merge(&mut entry.value, &other.value);
            }
            None => entries.push(other.clone()),
        }
    }
    // What is merged stands where the user says something.
    under.span = over.span;
}

/// Takes away keys whose value is null: so a user removes a default.
pub(super) fn drop_nulls(node: &mut Node) {
    let Data::Map(entries) = &mut node.data else {
        return;
    };
    entries.retain(|entry| !entry.value.is_null());
    entries
        .iter_mut()
        .for_each(|entry| drop_nulls(&mut entry.value));
}

/// The parts of a path such as `a.b[0].c\.d`.
pub(super) fn path(text: &str) -> Option<Vec<String>> {
    let (mut parts, mut part, mut chars) = (Vec::new(), String::new(), text.chars());
    while let Some(c) = chars.next() {
        match c {
            '\\' => part.extend(chars.next()),
            '.' | '[' => {
                if !part.is_empty() {
                    parts.push(std::mem::take(&mut part));
                }
                if c == '[' {
                    let index: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    parts.push(format!("[{index}"));
                }
            }
            _ => part.push(c),
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    (!parts.is_empty() && parts.len() <= MAX_PATH).then_some(parts)
}

/// Sets the value at a path, and makes what is above it.
pub(super) fn set_path(node: &mut Node, parts: &[String], value: Node) {
    let Some((first, rest)) = parts.split_first() else {
        *node = value;
        return;
    };
    let span = value.span;
    if let Some(index) = first
        .strip_prefix('[')
        .and_then(|index| index.parse::<usize>().ok())
    {
        if index > MAX_INDEX {
            return;
        }
        if !matches!(node.data, Data::Seq(_)) {
            *node = list(Vec::new(), span);
        }
        let Data::Seq(items) = &mut node.data else {
            return;
        };
        while items.len() <= index {
            items.push(edit::null(span));
        }
        return set_path(&mut items[index], rest, value);
    }
    if !matches!(node.data, Data::Map(_)) {
        *node = empty(span);
    }
    if let Some(below) = edit::get_or_insert(node, first, || empty(span)) {
        set_path(below, rest, value);
    }
}

/// Gives every part of a value one place.
pub(super) fn place(node: &mut Node, span: Span) {
    edit::replace_spans(node, &|_| span);
}

/// Moves every place of a value behind another one.
pub(super) fn shift(node: &mut Node, by: u32) {
    edit::replace_spans(node, &|span| Span {
        start: span.start.saturating_add(by),
        end: span.end.saturating_add(by),
        ..span
    });
}
