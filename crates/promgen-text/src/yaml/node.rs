//! A parsed document: values with their places.

use std::borrow::Cow;

use crate::route::{Segment, ValueRoute};
use crate::shared::SharedItems;
use crate::source::Span;
use crate::yaml::value::{Map, Value};

/// A text of a node, which its clones share.
pub use arcstr::ArcStr as NodeText;

/// A value and where it stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The text of the value, without anchor, tag and trailing comment.
    pub span: Span,
    /// The value, resolved as Go's YAML 1.1 does (`yes` is true, `017` is 15).
    pub data: Data,
}

/// The content of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Data {
    /// Empty, `~`, `null`.
    #[default]
    Null,
    /// `true`, `yes`, `on`, `y` and their negatives.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64::MAX`.
    Uint(u64),
    /// Any other number; always finite.
    Float(f64),
    /// Text.
    String(NodeText),
    /// A list.
    Seq(SharedItems<Node>),
    /// A map in input order. Keys are text, as in JSON, and occur once: of duplicates the last one counts.
    Map(SharedItems<Entry>),
}

impl Data {
    /// A scalar as Go prints it; none of null and of collections.
    #[must_use]
    pub fn scalar_text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::String(text) => Cow::Borrowed(text),
            Self::Bool(value) => value.to_string().into(),
            Self::Int(value) => value.to_string().into(),
            Self::Uint(value) => value.to_string().into(),
            Self::Float(value) => value.to_string().into(),
            _ => return None,
        })
    }
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key, as text.
    pub key: NodeText,
    /// The place of the key.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// The result of [`Node::locate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocatedNode {
    /// The value's text, or that of its nearest parent that is present.
    pub value: Span,
    /// The key of that value, if it has one.
    pub key: Option<Span>,
    /// The whole route is present.
    pub exact: bool,
    /// The value is a map or a list.
    pub collection: bool,
}

impl Node {
    /// The entry of that key, if this is a map that has it.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        match &self.data {
            Data::Map(entries) => entries.iter().find(|e| e.key == key),
            _ => None,
        }
    }

    /// The value of that key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|e| &e.value)
    }

    /// The value at the end of several keys.
    #[must_use]
    pub fn find(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value of that key, for a change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        let Data::Map(entries) = &mut self.data else {
            return None;
        };
        // Others may hold the entries: they are copied only if there is something to change.
        let at = entries.iter().position(|entry| entry.key == key)?;
        entries.get_mut(at).map(|entry| &mut entry.value)
    }

    /// The value at the end of several keys, for a change.
    pub fn find_mut(&mut self, keys: &[&str]) -> Option<&mut Self> {
        keys.iter().try_fold(self, |node, key| node.get_mut(key))
    }

    /// Returns whether a template of Go takes the value for true: it is neither null, false, zero nor empty.
    #[must_use]
    pub fn is_set(&self) -> bool {
        match &self.data {
            Data::Null => false,
            Data::Bool(value) => *value,
            Data::Int(value) => *value != 0,
            Data::Uint(value) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::String(text) => !text.is_empty(),
            Data::Seq(_) | Data::Map(_) => self.children().next().is_some(),
        }
    }

    /// The value of that key, if a template of Go takes it for true.
    #[must_use]
    pub fn get_set(&self, key: &str) -> Option<&Self> {
        self.get(key).filter(|value| value.is_set())
    }

    /// The value at the end of several keys, if a template of Go takes it for true.
    #[must_use]
    pub fn find_set(&self, keys: &[&str]) -> Option<&Self> {
        self.find(keys).filter(|value| value.is_set())
    }

    /// The text of that key, if this is a map that has one.
    #[must_use]
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Self::as_str)
    }

    /// The text at the end of several keys.
    #[must_use]
    pub fn text_at(&self, keys: &[&str]) -> Option<&str> {
        self.find(keys).and_then(Self::as_str)
    }

    /// The items of the list of that key; none if there is no list.
    #[must_use]
    pub fn items_of(&self, key: &str) -> &[Self] {
        self.items_at(&[key])
    }

    /// The items of the list at the end of several keys; none if there is no list.
    #[must_use]
    pub fn items_at(&self, keys: &[&str]) -> &[Self] {
        self.find(keys).map_or(&[], Self::items)
    }

    /// The entries of the map of that key; none if there is no map.
    #[must_use]
    pub fn entries_of(&self, key: &str) -> &[Entry] {
        self.entries_at(&[key])
    }

    /// The entries of the map at the end of several keys; none if there is no map.
    #[must_use]
    pub fn entries_at(&self, keys: &[&str]) -> &[Entry] {
        self.find(keys).map_or(&[], Self::entries)
    }

    /// Returns whether the value of that key is true.
    #[must_use]
    pub fn is_true(&self, key: &str) -> bool {
        self.get(key)
            .is_some_and(|value| value.data == Data::Bool(true))
    }

    /// The values that a list or a map holds; those of anything else: none.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &Self> {
        let values = self.entries().iter().map(|entry| &entry.value);
        self.items().iter().chain(values)
    }

    /// The values that a list or a map holds, for a change. What is shared with others is copied.
    pub fn children_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Self> {
        let (items, entries) = match &mut self.data {
            Data::Seq(items) => (items.as_mut_slice(), &mut [][..]),
            Data::Map(entries) => (&mut [][..], entries.as_mut_slice()),
            _ => (&mut [][..], &mut [][..]),
        };
        let values = entries.iter_mut().map(|entry| &mut entry.value);
        items.iter_mut().chain(values)
    }

    /// Returns whether this is a map.
    #[must_use]
    pub const fn is_map(&self) -> bool {
        matches!(self.data, Data::Map(_))
    }

    /// Returns whether this is a list.
    #[must_use]
    pub const fn is_list(&self) -> bool {
        matches!(self.data, Data::Seq(_))
    }

    /// Returns whether this is a map or a list.
    #[must_use]
    pub const fn is_collection(&self) -> bool {
        self.is_map() || self.is_list()
    }

    /// Returns whether this is a map without entries.
    #[must_use]
    pub fn is_empty_map(&self) -> bool {
        matches!(&self.data, Data::Map(entries) if entries.is_empty())
    }

    /// The map without an entry; any other node as it is.
    #[must_use]
    pub fn without_key(&self, key: &str) -> Self {
        let mut node = self.clone();
        if let Data::Map(entries) = &mut node.data {
            entries.retain(|entry| entry.key != key);
        }
        node
    }

    /// The node and all below it.
    pub fn descendants(&self) -> impl Iterator<Item = &Self> {
        let mut todo = vec![self];
        std::iter::from_fn(move || {
            let node = todo.pop()?;
            todo.extend(node.children());
            Some(node)
        })
    }

    /// Returns whether a map in it has an entry without a value.
    #[must_use]
    pub fn has_null_entry(&self) -> bool {
        let mut maps = self.descendants().flat_map(Self::entries);
        maps.any(|entry| entry.value.is_null())
    }

    /// Removes the entries of maps that have no value.
    pub fn remove_null_entries(&mut self) {
        if let Data::Map(entries) = &mut self.data {
            entries.retain(|entry| !entry.value.is_null());
        }
        self.children_mut().for_each(Self::remove_null_entries);
    }

    /// The value at the end of several steps, for a change.
    pub fn at_mut(&mut self, steps: &[Segment]) -> Option<&mut Self> {
        steps
            .iter()
            .try_fold(self, |node, step| match (&mut node.data, step) {
                (Data::Map(entries), Segment::Key(key)) => entries
                    .iter_mut()
                    .find(|entry| *entry.key == **key)
                    .map(|entry| &mut entry.value),
                (Data::Seq(items), Segment::Index(index)) => items.get_mut(*index),
                _ => None,
            })
    }

    /// Removes the entry or the item at the end of a route, if it is there.
    pub fn remove(&mut self, route: &ValueRoute) {
        let Some((last, steps)) = route.0.split_last() else {
            return;
        };
        match (self.at_mut(steps).map(|node| &mut node.data), last) {
            (Some(Data::Map(entries)), Segment::Key(key)) => {
                entries.retain(|entry| *entry.key != **key)
            }
            (Some(Data::Seq(items)), Segment::Index(index)) if *index < items.len() => {
                items.remove(*index);
            }
            _ => {}
        }
    }

    /// The value, if this is a number: the nearest one.
    #[expect(clippy::cast_precision_loss, reason = "nearest")]
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self.data {
            Data::Int(number) => Some(number as f64),
            Data::Uint(number) => Some(number as f64),
            Data::Float(number) => Some(number),
            _ => None,
        }
    }

    /// The text, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list; otherwise none.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match &self.data {
            Data::Seq(items) => items,
            _ => &[],
        }
    }

    /// The entries, if this is a map; otherwise none.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        match &self.data {
            Data::Map(entries) => entries,
            _ => &[],
        }
    }

    /// Returns whether this is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// The node at the end of a route.
    #[must_use]
    pub fn at(&self, route: &ValueRoute) -> Option<&Self> {
        route
            .0
            .iter()
            .try_fold(self, |node, segment| match segment {
                Segment::Key(key) => node.get(key),
                Segment::Index(index) => node.items().get(*index),
            })
    }

    /// Follows a route as far as it is present.
    #[must_use]
    pub fn locate(&self, route: &ValueRoute) -> LocatedNode {
        self.locate_by(route, &mut |entries, key| {
            entries.iter().position(|entry| entry.key == key)
        })
    }

    /// Follows a route as far as it is present; `position` finds the first entry of a key.
    pub fn locate_by<'n>(
        &'n self,
        route: &ValueRoute,
        position: &mut dyn FnMut(&'n [Entry], &str) -> Option<usize>,
    ) -> LocatedNode {
        let mut found = LocatedNode {
            value: self.span,
            key: None,
            exact: true,
            collection: false,
        };
        let mut node = self;
        for step in &route.0 {
            let next = match step {
                Segment::Key(key) => {
                    let entry = position(node.entries(), key).and_then(|at| node.entries().get(at));
                    entry.map(|e| (&e.value, Some(e.key_span)))
                }
                Segment::Index(index) => node.items().get(*index).map(|n| (n, None)),
            };
            let Some((value, key)) = next else {
                found.exact = false;
                return found;
            };
            found.value = value.span;
            found.key = key;
            node = value;
        }
        found.collection = matches!(node.data, Data::Map(_) | Data::Seq(_));
        found
    }

    /// Returns whether two nodes have the same value, wherever they are. The order of entries counts, as for [`Value`].
    #[must_use]
    pub fn has_value_of(&self, other: &Self) -> bool {
        if self.shares_items(other) {
            return true;
        }
        match (&self.data, &other.data) {
            (Data::Seq(own), Data::Seq(others)) => {
                own.is_same(others)
                    || own.len() == others.len()
                        && own
                            .iter()
                            .zip(others)
                            .all(|(one, other)| one.has_value_of(other))
            }
            (Data::Map(own), Data::Map(others)) => {
                let is_same = |(one, other): (&Entry, &Entry)| {
                    one.key == other.key && one.value.has_value_of(&other.value)
                };
                own.len() == others.len() && own.iter().zip(others).all(is_same)
            }
            (Data::Seq(_) | Data::Map(_), _) | (_, Data::Seq(_) | Data::Map(_)) => false,
            (one, other) => one == other,
        }
    }

    /// Returns whether two are a map or a list of the same items, which both hold.
    #[must_use]
    pub fn shares_items(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Seq(own), Data::Seq(others)) => own.is_same(others),
            (Data::Map(own), Data::Map(others)) => own.is_same(others),
            _ => false,
        }
    }

    /// The value without places.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(b) => Value::Bool(*b),
            Data::Int(i) => Value::Int(*i),
            Data::Uint(u) => Value::Uint(*u),
            Data::Float(f) => Value::Float(*f),
            Data::String(s) => Value::Str(s.clone().into()),
            Data::Seq(items) => Value::Seq(items.iter().map(Self::to_value).collect()),
            Data::Map(entries) => Value::Map(
                entries
                    .iter()
                    .map(|e| (e.key.clone(), e.value.to_value()))
                    .collect::<Map>(),
            ),
        }
    }
}
