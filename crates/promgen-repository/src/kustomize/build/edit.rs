//! Changes of a node.

use std::borrow::Cow;

use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

/// A text at a place.
pub(super) fn text<'s>(value: impl Into<Cow<'s, str>>, span: Span) -> Node<'s> {
    Node { span, data: Data::String(value.into()) }
}

/// A map without entries at a place.
pub(super) const fn map<'s>(span: Span) -> Node<'s> {
    Node { span, data: Data::Map(Vec::new()) }
}

/// The value of a key, if the node is a map that has it.
pub(super) fn get_mut<'n, 's>(node: &'n mut Node<'s>, key: &str) -> Option<&'n mut Node<'s>> {
    let Data::Map(entries) = &mut node.data else { return None };
    entries.iter_mut().find(|entry| entry.key == key).map(|entry| &mut entry.value)
}

/// The value at the end of several keys.
pub(super) fn find_mut<'n, 's>(node: &'n mut Node<'s>, keys: &[&str]) -> Option<&'n mut Node<'s>> {
    keys.iter().try_fold(node, |node, key| get_mut(node, key))
}

/// The value of a key, made with a place if it is absent. `None` if the node is no map.
pub(super) fn get_or_insert<'n, 's>(
    node: &'n mut Node<'s>,
    key: &str,
    value: impl FnOnce() -> Node<'s>,
) -> Option<&'n mut Node<'s>> {
    let Data::Map(entries) = &mut node.data else { return None };
    let index = match entries.iter().position(|entry| entry.key == key) {
        Some(index) => index,
        None => {
            let value = value();
            entries.push(Entry { key: Cow::Owned(key.to_owned()), key_span: value.span, value });
            entries.len() - 1
        }
    };
    entries.get_mut(index).map(|entry| &mut entry.value)
}

/// Sets the value of a key. Nothing happens if the node is no map.
pub(super) fn set<'s>(node: &mut Node<'s>, key: impl Into<Cow<'s, str>>, key_span: Span, value: Node<'s>) {
    let Data::Map(entries) = &mut node.data else { return };
    let key = key.into();
    match entries.iter_mut().find(|entry| entry.key == key) {
        Some(entry) => *entry = Entry { key, key_span, value },
        None => entries.push(Entry { key, key_span, value }),
    }
}

/// Removes a key.
pub(super) fn remove<'s>(node: &mut Node<'s>, key: &str) -> Option<Entry<'s>> {
    let Data::Map(entries) = &mut node.data else { return None };
    let index = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(index))
}

/// Sets the name of an object, which keeps the place of the one before.
pub(super) fn rename(object: &mut Node<'_>, name: String) {
    if let Some(node) = find_mut(object, &["metadata", "name"]) {
        node.data = Data::String(Cow::Owned(name));
    }
}
