//! Nodes that are made, and changes of maps.

use crate::shared::SharedItems;
use crate::source::Span;
use crate::yaml::{Data, Entry, Node, NodeText};
use serde_json::Value;

/// A text at a place.
pub fn text(value: impl Into<NodeText>, span: Span) -> Node {
    Node {
        span,
        data: Data::String(value.into()),
    }
}

/// Null at a place.
pub const fn null(span: Span) -> Node {
    Node {
        span,
        data: Data::Null,
    }
}

/// A map without entries at a place.
pub fn map(span: Span) -> Node {
    Node {
        span,
        data: Data::Map(SharedItems::default()),
    }
}

/// The value of a key, made with a place if it is absent. `None` if the node is no map.
pub fn get_or_insert<'n>(
    node: &'n mut Node,
    key: &str,
    value: impl FnOnce() -> Node,
) -> Option<&'n mut Node> {
    let Data::Map(entries) = &mut node.data else {
        return None;
    };
    // What is added below one key comes together, as a rule.
    let index = match entries.iter().rposition(|entry| entry.key == key) {
        Some(index) => index,
        None => {
            let value = value();
            entries.push(Entry {
                key: key.into(),
                key_span: value.span,
                value,
            });
            entries.len() - 1
        }
    };
    entries.get_mut(index).map(|entry| &mut entry.value)
}

/// A map of entries at a place.
pub fn map_of(entries: Vec<Entry>, span: Span) -> Node {
    Node {
        span,
        data: Data::Map(entries.into()),
    }
}

/// A list at a place.
pub fn list_of(items: Vec<Node>, span: Span) -> Node {
    Node {
        span,
        data: Data::Seq(items.into()),
    }
}

/// JSON as a node, all of it at one place.
pub fn json(value: &Value, span: Span) -> Node {
    let data = match value {
        Value::Null => Data::Null,
        Value::Bool(value) => Data::Bool(*value),
        Value::Number(number) => number
            .as_i64()
            .map(Data::Int)
            .or_else(|| number.as_u64().map(Data::Uint))
            .unwrap_or_else(|| Data::Float(number.as_f64().unwrap_or_default())),
        Value::String(text) => Data::String(text.as_str().into()),
        Value::Array(items) => Data::Seq(items.iter().map(|item| json(item, span)).collect()),
        Value::Object(fields) => {
            let entry = |(key, value): (&String, &Value)| Entry {
                key: key.clone().into(),
                key_span: span,
                value: json(value, span),
            };
            Data::Map(fields.iter().map(entry).collect())
        }
    };
    Node { span, data }
}

/// The entries of a map by their keys, as Go goes over one.
pub fn sorted_entries(map: &Node) -> Vec<&Entry> {
    let mut entries: Vec<_> = map.entries().iter().collect();
    entries.sort_by(|a, b| a.key.cmp(&b.key));
    entries
}

/// An entry with another value.
pub fn entry_with(entry: &Entry, value: Node) -> Entry {
    Entry {
        key: entry.key.clone(),
        key_span: entry.key_span,
        value,
    }
}

/// Sets the value of a key. Nothing happens if the node is no map.
pub fn set(node: &mut Node, key: impl Into<NodeText>, key_span: Span, value: Node) {
    if let Data::Map(entries) = &mut node.data {
        put(entries, key.into(), key_span, value);
    }
}

/// Sets the value of a key in a map.
pub fn put(entries: &mut Vec<Entry>, key: NodeText, key_span: Span, value: Node) {
    match entries.iter_mut().find(|entry| entry.key == key) {
        // The entry keeps its place in the map, and gets the place in the text of what sets it.
        Some(entry) => {
            *entry = Entry {
                key,
                key_span,
                value,
            }
        }
        None => entries.push(Entry {
            key,
            key_span,
            value,
        }),
    }
}

/// Makes texts of the labels or annotations of an object that are none, and removes their map if it is empty: so Kustomize
/// writes them. `settle` makes a text of a value.
pub fn settle_texts(object: &mut Node, key: &str, mut settle: impl FnMut(&mut Node)) {
    // Others may hold the object: it is copied only if there is something to change.
    let Some(texts) = object.find(&["metadata", key]) else {
        return;
    };
    let is_empty = texts.is_null() || texts.is_empty_map();
    if !is_empty
        && texts
            .entries()
            .iter()
            .all(|entry| entry.value.as_str().is_some())
    {
        return;
    }
    if is_empty {
        object
            .get_mut("metadata")
            .map(|metadata| remove(metadata, key));
    } else if let Some(Data::Map(entries)) =
        object.find_mut(&["metadata", key]).map(|map| &mut map.data)
    {
        entries
            .iter_mut()
            .for_each(|entry| settle(&mut entry.value));
    }
}

/// Removes a key.
pub fn remove(node: &mut Node, key: &str) -> Option<Entry> {
    let Data::Map(entries) = &mut node.data else {
        return None;
    };
    let index = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(index))
}

/// Sets the name of an object, which keeps the place of the one before.
pub fn rename(object: &mut Node, name: String) {
    if let Some(node) = object.find_mut(&["metadata", "name"]) {
        node.data = Data::String(name.into());
    }
}

/// Replaces every place in a value.
pub fn replace_spans(node: &mut Node, new: &dyn Fn(Span) -> Span) {
    node.span = new(node.span);
    if let Data::Map(entries) = &mut node.data {
        for entry in entries {
            entry.key_span = new(entry.key_span);
        }
    }
    node.children_mut()
        .for_each(|child| replace_spans(child, new));
}
