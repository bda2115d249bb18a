//! Values to be written: ordered maps, lists, scalars.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

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
    Str(Cow<'static, str>),
    /// What stands for a text that may not be shown, or that nobody knows. It is written as a text, and no check looks at it.
    StandIn(Cow<'static, str>),
    /// Bytes that are no text, in base64.
    Binary(Cow<'static, str>),
    /// A list.
    Seq(Vec<Self>),
    /// A map.
    Map(Map),
}

/// A map that keeps the order of insertion. Nothing here sorts; see [`sort_natural`](crate::yaml::emit::sort_natural).
#[derive(Clone)]
pub struct Map(MapEntries);

/// An entry of a [`Map`].
type MapEntry = (Cow<'static, str>, Value);

#[derive(Clone)]
enum MapEntries {
    Own(Vec<MapEntry>),
    /// Entries that many values share, and that are copied without their texts.
    Shared(Arc<[MapEntry]>),
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(key, value)| (key, value))).finish()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        let (own, others) = (self.as_slice(), other.as_slice());
        std::ptr::eq(own, others) || own == others
    }
}

impl Value {
    /// The bytes that the value takes in memory, about.
    #[must_use]
    pub fn weight(&self) -> usize {
        let own = size_of::<Self>();
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Uint(_) | Self::Float(_) => own,
            Self::Str(text) | Self::StandIn(text) | Self::Binary(text) => own + text.len(),
            Self::Seq(items) => own + items.iter().map(Self::weight).sum::<usize>(),
            Self::Map(map) => own + map.weight(),
        }
    }

    fn shrink_to_fit(&mut self) {
        match self {
            Self::Seq(items) => {
                items.shrink_to_fit();
                items.iter_mut().for_each(Self::shrink_to_fit);
            }
            Self::Map(map) => map.shrink_to_fit(),
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Uint(_) | Self::Float(_) => {}
            Self::Str(_) | Self::StandIn(_) | Self::Binary(_) => {}
        }
    }
}

impl Map {
    /// The bytes that the entries take in memory, about.
    #[must_use]
    pub fn weight(&self) -> usize {
        let of_entry = |(key, value): &(Cow<'static, str>, Value)| size_of_val(key) + key.len() + value.weight();
        self.iter().map(of_entry).sum()
    }

    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(MapEntries::Own(Vec::new()))
    }

    /// This map in a form of which copies are cheap, for what occurs often. A copy that changes becomes a map of its own.
    #[must_use]
    pub fn shared(self) -> Self {
        Self(MapEntries::Shared(self.into_entries().into()))
    }

    fn as_slice(&self) -> &[MapEntry] {
        match &self.0 {
            MapEntries::Own(entries) => entries.as_slice(),
            MapEntries::Shared(entries) => entries,
        }
    }

    /// The entries, to change them.
    pub fn entries_mut(&mut self) -> &mut Vec<MapEntry> {
        if let MapEntries::Shared(entries) = &self.0 {
            self.0 = MapEntries::Own(entries.to_vec());
        }
        match &mut self.0 {
            MapEntries::Own(entries) => entries,
            MapEntries::Shared(_) => unreachable!("the entries are its own now"),
        }
    }

    /// Gives back the memory that nothing is in, for what is kept for long.
    pub fn shrink_to_fit(&mut self) {
        if let MapEntries::Own(entries) = &mut self.0 {
            entries.shrink_to_fit();
            entries.iter_mut().for_each(|(_, value)| value.shrink_to_fit());
        }
    }

    /// The entries.
    #[must_use]
    pub fn into_entries(self) -> Vec<MapEntry> {
        match self.0 {
            MapEntries::Own(entries) => entries,
            MapEntries::Shared(entries) => entries.to_vec(),
        }
    }

    /// Adds an entry at the end, without looking whether the key is there already: the operator does write some keys twice.
    pub fn push(&mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        self.entries_mut().push((key.into(), value.into()));
    }

    /// Adds an entry if there is a value.
    pub fn push_some(&mut self, key: impl Into<Cow<'static, str>>, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.push(key, value);
        }
    }

    /// This map and one entry more.
    #[must_use]
    pub fn with(mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
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
        self.as_slice().iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// The first value of that key, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.entries_mut().iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Sets the first entry of that key, or adds one at the end.
    pub fn set(&mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
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
    pub fn iter(&self) -> std::slice::Iter<'_, (Cow<'static, str>, Value)> {
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

impl FromIterator<(Cow<'static, str>, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Cow<'static, str>, Value)>>(entries: I) -> Self {
        Self(MapEntries::Own(entries.into_iter().collect()))
    }
}

impl<'m> IntoIterator for &'m Map {
    type Item = &'m (Cow<'static, str>, Value);
    type IntoIter = std::slice::Iter<'m, (Cow<'static, str>, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Value {
    /// The value of that key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.as_map().and_then(|m| m.get(key))
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

    /// Bytes: a text, or what Go writes as `!!binary`.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        use base64::Engine as _;
        match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned().into(),
            Err(_) => Self::Binary(base64::engine::general_purpose::STANDARD.encode(bytes).into()),
        }
    }

    /// Returns whether this stands for a text that may not be shown, or that nobody knows.
    #[must_use]
    pub const fn is_stand_in(&self) -> bool {
        matches!(self, Self::StandIn(_))
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Self {
        Self::Int(i)
    }
}

impl From<i32> for Value {
    fn from(i: i32) -> Self {
        Self::Int(i.into())
    }
}

impl From<u32> for Value {
    fn from(i: u32) -> Self {
        Self::Int(i.into())
    }
}

impl From<u64> for Value {
    fn from(u: u64) -> Self {
        i64::try_from(u).map_or(Self::Uint(u), Self::Int)
    }
}

impl From<f64> for Value {
    fn from(f: f64) -> Self {
        Self::Float(f)
    }
}

impl From<&'static str> for Value {
    fn from(s: &'static str) -> Self {
        Self::Str(Cow::Borrowed(s))
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::Str(Cow::Owned(s))
    }
}

impl From<Cow<'static, str>> for Value {
    fn from(s: Cow<'static, str>) -> Self {
        Self::Str(s)
    }
}

impl From<Map> for Value {
    fn from(map: Map) -> Self {
        Self::Map(map)
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
            serde_json::Value::String(text) => Self::Str(Cow::Owned(text)),
            serde_json::Value::Array(items) => Self::Seq(items.into_iter().map(Self::from).collect()),
            serde_json::Value::Object(entries) => {
                Self::Map(entries.into_iter().map(|(key, value)| (Cow::Owned(key), Self::from(value))).collect())
            }
        }
    }
}
