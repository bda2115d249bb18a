//! Values to be written: ordered maps, lists, scalars.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use triomphe::Arc;

use crate::yaml::{NodeText, texts};

/// A value without a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64::MAX`.
    Uint(u64),
    /// Any other number, finite.
    Float(f64),
    /// Text.
    Str(ValueText),
    /// What stands for a text that may not be shown, or that nobody knows. It is written as a text, and no check looks at it.
    StandIn(ValueText),
    /// Bytes that are no text, in base64.
    Binary(ValueText),
    /// A list.
    Seq(Vec<Self>),
    /// A map.
    Map(Map),
}

/// A text of a value: one of the program, or one that its clones share.
#[derive(Clone)]
pub enum ValueText {
    /// A text of the program.
    Static(&'static str),
    /// Any other text.
    Shared(NodeText),
}

impl Deref for ValueText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Static(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl PartialEq for ValueText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ValueText {}

impl PartialEq<str> for ValueText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for ValueText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Hash for ValueText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for ValueText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for ValueText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<&'static str> for ValueText {
    fn from(text: &'static str) -> Self {
        Self::Static(text)
    }
}

impl From<String> for ValueText {
    fn from(text: String) -> Self {
        Self::Shared(texts::shared(&text))
    }
}

impl From<Cow<'static, str>> for ValueText {
    fn from(text: Cow<'static, str>) -> Self {
        match text {
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }
}

impl From<NodeText> for ValueText {
    fn from(text: NodeText) -> Self {
        Self::Shared(text)
    }
}

/// A map that keeps the order of insertion. Copies share its entries until one of them changes. Nothing here sorts; see
/// [`sort_natural`](crate::yaml::emit::sort_natural).
#[derive(Clone, Default)]
pub struct Map(Option<Arc<Vec<MapEntry>>>);

/// An entry of a [`Map`].
pub type MapEntry = (ValueText, Value);

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.iter().map(|(key, value)| (key, value)))
            .finish()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (self.as_slice(), other.as_slice());
        std::ptr::eq(own, others) || own == others
    }
}

impl Eq for Map {}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

/// Its numbers are finite.
impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Uint(value) => value.hash(state),
            // The two zeros are equal.
            Self::Float(value) => (value + 0.0).to_bits().hash(state),
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => text.hash(state),
            Self::Seq(items) => items.hash(state),
            Self::Map(map) => map.hash(state),
        }
    }
}

impl Value {
    /// The bytes that the value takes in memory, about.
    #[must_use]
    pub fn weight(&self) -> usize {
        let own = size_of::<Self>();
        match self {
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => own + text.len(),
            Self::Seq(items) => own + items.iter().map(Self::weight).sum::<usize>(),
            Self::Map(map) => own + map.weight(),
            _ => own,
        }
    }

    fn shrink_to_fit(&mut self) {
        match self {
            Self::Seq(items) => {
                items.shrink_to_fit();
                items.iter_mut().for_each(Self::shrink_to_fit);
            }
            Self::Map(map) => map.shrink_to_fit(),
            _ => {}
        }
    }
}

impl Map {
    /// The bytes that the entries take in memory, about.
    #[must_use]
    pub fn weight(&self) -> usize {
        let of_entry = |(key, value): &MapEntry| size_of_val(key) + key.len() + value.weight();
        self.iter().map(of_entry).sum()
    }

    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// The place of its entries in memory, if other maps share them.
    pub(crate) fn shared_at(&self) -> Option<usize> {
        let entries = self.0.as_ref()?;
        (Arc::strong_count(entries) > 1).then(|| Arc::as_ptr(entries).addr())
    }

    fn as_slice(&self) -> &[MapEntry] {
        self.0.as_ref().map_or(&[], |entries| entries)
    }

    /// Returns whether another map has the same entries, in one place.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.0.as_ref().is_some_and(|entries| !entries.is_unique())
    }

    /// The entries, to change them.
    pub fn entries_mut(&mut self) -> &mut Vec<MapEntry> {
        Arc::make_mut(self.0.get_or_insert_default())
    }

    /// Gives back the memory that nothing is in, for what is kept for long. What others hold, too, stays as it is.
    pub fn shrink_to_fit(&mut self) {
        if let Some(entries) = self.0.as_mut().and_then(Arc::get_mut) {
            entries.shrink_to_fit();
            entries
                .iter_mut()
                .for_each(|(_, value)| value.shrink_to_fit());
        }
    }

    /// The entries.
    #[must_use]
    pub fn into_entries(self) -> Vec<MapEntry> {
        self.0.map_or_else(Vec::new, Arc::unwrap_or_clone)
    }

    /// Adds an entry at the end, without looking whether the key is there already: the operator does write some keys twice.
    pub fn push(&mut self, key: impl Into<ValueText>, value: impl Into<Value>) {
        self.entries_mut().push((key.into(), value.into()));
    }

    /// Adds an entry if there is a value.
    pub fn push_some(&mut self, key: impl Into<ValueText>, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// This map and one entry more.
    #[must_use]
    pub fn with(mut self, key: impl Into<ValueText>, value: impl Into<Value>) -> Self {
        self.push(key, value);
        self
    }

    /// Adds all entries of another map at the end.
    pub fn extend(&mut self, other: Self) {
        self.entries_mut().extend(other.into_entries());
    }

    /// The first value of that key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_slice()
            .iter()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v)
    }

    /// The text of that key, if there is one.
    #[must_use]
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// The text of a key, or what stands for it; empty if there is none.
    #[must_use]
    pub fn text_or_empty(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The items of a key; none if it is no list.
    #[must_use]
    pub fn items_of(&self, key: &str) -> &[Value] {
        self.get(key).and_then(Value::as_seq).unwrap_or_default()
    }

    /// The first value of that key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries_mut()
            .iter_mut()
            .find(|(k, _)| k == key)
            .map(|(_, v)| v)
    }

    /// Sets the first entry of that key, or adds one at the end.
    pub fn set(&mut self, key: impl Into<ValueText>, value: impl Into<Value>) {
        let key = key.into();
        match self.entries_mut().iter_mut().find(|(k, _)| *k == key) {
            Some((_, old)) => *old = value.into(),
            None => self.push(key, value),
        }
    }

    /// Takes the first entry of that key out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let index = self.as_slice().iter().position(|(k, _)| k == key)?;
        Some(self.entries_mut().remove(index).1)
    }

    /// Entries in order.
    pub fn iter(&self) -> std::slice::Iter<'_, MapEntry> {
        self.as_slice().iter()
    }

    /// Returns whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }
}

impl<K: Into<ValueText>> FromIterator<(K, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(entries: I) -> Self {
        Self(Some(Arc::new(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )))
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = &'m MapEntry;
    type IntoIter = std::slice::Iter<'m, MapEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Value {
    /// Returns whether it is null, or a text, a list or a map without content.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => text.is_empty(),
            Self::Seq(items) => items.is_empty(),
            Self::Map(map) => map.is_empty(),
            _ => false,
        }
    }

    /// The value of that key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map().and_then(|m| m.get(key))
    }

    /// The text of that key, or what stands for it; empty if there is none.
    #[must_use]
    pub fn text_or_empty(&self, key: &str) -> &str {
        self.as_map().map_or("", |map| map.text_or_empty(key))
    }

    /// The text of that key, if this is a map that has one.
    #[must_use]
    pub fn text_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Self::as_str)
    }

    /// The items of the list of that key; none if there is no list.
    #[must_use]
    pub fn items_of(&self, key: &str) -> &[Self] {
        self.get(key).and_then(Self::as_seq).unwrap_or_default()
    }

    /// The map, if this is one.
    #[must_use]
    pub const fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The map, if this is one.
    pub const fn as_map_mut(&mut self) -> Option<&mut Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn as_seq(&self) -> Option<&[Self]> {
        match self {
            Self::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is one, or what stands for it.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) | Self::StandIn(text) => Some(text),
            _ => None,
        }
    }

    /// The name of an object: the text of `metadata.name`.
    #[must_use]
    pub fn object_name(&self) -> Option<&str> {
        self.get("metadata")?.text_of("name")
    }

    /// Bytes: a text, or what Go writes as `!!binary`.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        use base64::Engine as _;
        match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned().into(),
            Err(_) => Self::Binary(
                base64::engine::general_purpose::STANDARD
                    .encode(bytes)
                    .into(),
            ),
        }
    }

    /// A scalar as Go writes it where it expects a text; none of null and of collections.
    #[must_use]
    pub fn scalar_text(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => Cow::Borrowed(&**text),
            Self::Bool(bool) => bool.to_string().into(),
            Self::Int(int) => int.to_string().into(),
            Self::Uint(uint) => uint.to_string().into(),
            Self::Float(float) => float.to_string().into(),
            _ => return None,
        })
    }

    /// Returns whether this stands for a text that may not be shown, or that nobody knows.
    #[must_use]
    pub const fn is_stand_in(&self) -> bool {
        matches!(self, Self::StandIn(_))
    }
}

macro_rules! from {
    ($($type:ty: $variant:ident),+) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::$variant(value.into())
            }
        })+
    };
}

from! {
    bool: Bool,
    i64: Int,
    i32: Int,
    u32: Int,
    f64: Float,
    &'static str: Str,
    String: Str,
    Cow<'static, str>: Str,
    ValueText: Str,
    NodeText: Str,
    Map: Map
}

impl From<u64> for Value {
    fn from(u: u64) -> Self {
        i64::try_from(u).map_or(Self::Uint(u), Self::Int)
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::Seq(items.into_iter().map(Into::into).collect())
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(b) => Self::Bool(b),
            serde_json::Value::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(int), _) => Self::Int(int),
                (None, Some(uint)) => Self::Uint(uint),
                (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Self::Str(text.into()),
            serde_json::Value::Array(items) => {
                Self::Seq(items.into_iter().map(Self::from).collect())
            }
            serde_json::Value::Object(entries) => Self::Map(
                entries
                    .into_iter()
                    .map(|(key, value)| (key, Self::from(value)))
                    .collect(),
            ),
        }
    }
}

// Configurations have many.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Value>() == 24 && size_of::<MapEntry>() == 40);
