//! Values: computed ones, and borrowed ones that know where they stand.

pub(crate) mod compare;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use promgen_text::yaml::node::{Data, Entry, Node};
use serde_json::Value as Json;

use crate::fault::{CelMeter, CelResult, CelStop};

/// A value of an expression.
#[derive(Clone, Debug)]
pub enum CelValue<'v> {
    /// `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    Uint(u64),
    /// Any number.
    Double(f64),
    /// A text.
    Text(CelText<'v>),
    /// Bytes.
    Bytes(Arc<[u8]>),
    /// A list.
    List(Arc<[Self]>),
    /// A map in the order of its keys; [`CelValue::map`] makes one.
    Map(Arc<[(Self, Self)]>),
    /// A length of time, in nanoseconds.
    Duration(i64),
    /// A type, by its name.
    Type(&'static str),
    /// A value that may lack.
    Optional(Option<Arc<Self>>),
    /// A value of a YAML document, which keeps its place.
    Node(&'v Node),
    /// A value of JSON.
    Json(&'v Json),
    /// An object whose fields are computed when they are asked for.
    Object(&'v dyn CelObject),
    /// A map of which nobody knows all keys.
    Open(Arc<CelOpenMap>),
    /// A value that nobody knows, and why.
    Unknown(CelText<'v>),
}

/// The value of a key of an open map. `None`: it surely has no such key.
type CelLookup = dyn Fn(&str) -> Option<CelValue<'static>> + Send + Sync;

/// A map that tells of each key whether it is there, and that cannot be gone through: whoever asks for all keys, or for their number,
/// asks for what nobody knows.
pub struct CelOpenMap {
    get: Box<CelLookup>,
    why: CelText<'static>,
}

impl CelOpenMap {
    /// A map that finds its values so, and why its keys are not known.
    pub fn new(
        get: impl Fn(&str) -> Option<CelValue<'static>> + Send + Sync + 'static,
        why: impl Into<String>,
    ) -> Self {
        Self {
            get: Box::new(get),
            why: why.into().into(),
        }
    }

    /// The value of a key. `None`: it surely has none.
    pub(crate) fn get(&self, key: &CelValue<'_>) -> Option<CelValue<'static>> {
        match key {
            CelValue::Text(text) => (self.get)(text),
            _ => None,
        }
    }

    /// What its keys are as a whole.
    pub(crate) fn all<'v>(&self) -> CelValue<'v> {
        CelValue::Unknown(self.why.clone())
    }
}

impl fmt::Debug for CelOpenMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

/// A text that is borrowed or shared.
#[derive(Clone)]
pub enum CelText<'v> {
    /// A part of what is evaluated.
    Borrowed(&'v str),
    /// A computed text.
    Shared(Arc<str>),
}

impl Deref for CelText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl fmt::Debug for CelText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<String> for CelText<'_> {
    fn from(text: String) -> Self {
        Self::Shared(text.into())
    }
}

/// An object that computes its fields when an expression touches them.
pub trait CelObject: Sync {
    /// The value of a field. `None`: there is no such field.
    fn field(&self, name: &str) -> Option<CelValue<'_>>;

    /// The names of the fields that are there.
    fn keys(&self) -> Vec<CelText<'_>>;
}

impl fmt::Debug for dyn CelObject + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.keys().fmt(f)
    }
}

/// The items of a list.
#[derive(Clone, Copy)]
pub(crate) enum CelItems<'l, 'v> {
    Values(&'l [CelValue<'v>]),
    Nodes(&'v [Node]),
    Json(&'v [Json]),
}

impl<'v> CelItems<'_, 'v> {
    pub(crate) const fn len(self) -> usize {
        match self {
            Self::Values(items) => items.len(),
            Self::Nodes(items) => items.len(),
            Self::Json(items) => items.len(),
        }
    }

    pub(crate) fn get(self, index: usize) -> Option<CelValue<'v>> {
        match self {
            Self::Values(items) => items.get(index).cloned(),
            Self::Nodes(items) => items.get(index).map(CelValue::Node),
            Self::Json(items) => items.get(index).map(CelValue::Json),
        }
    }

    pub(crate) fn iter(self) -> impl DoubleEndedIterator<Item = CelValue<'v>> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

/// The entries of a map.
#[derive(Clone, Copy)]
pub(crate) enum CelFields<'m, 'v> {
    Values(&'m [(CelValue<'v>, CelValue<'v>)]),
    Nodes(&'v [Entry]),
    Json(&'v serde_json::Map<String, Json>),
    Object(&'v dyn CelObject),
}

/// The number of keys that are compared in a step.
pub(crate) const KEYS_OF_A_STEP: usize = 8;

impl<'v> CelFields<'_, 'v> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Values(entries) => entries.len(),
            Self::Nodes(entries) => entries.len(),
            Self::Json(map) => map.len(),
            Self::Object(object) => object.keys().len(),
        }
    }

    /// The value of a key that is a text.
    pub(crate) fn text(
        self,
        key: &str,
        meter: &mut CelMeter<'_>,
    ) -> CelResult<Option<CelValue<'v>>> {
        Ok(match self {
            Self::Nodes(entries) => {
                meter.take(entries.len() / KEYS_OF_A_STEP)?;
                let entry = entries.iter().find(|entry| entry.key == key);
                entry.map(|entry| CelValue::Node(&entry.value))
            }
            Self::Json(map) => map.get(key).map(CelValue::Json),
            Self::Object(object) => object.field(key),
            Self::Values(_) => self.exact(&CelValue::Text(CelText::Borrowed(key))),
        })
    }

    /// The value of a key of that type.
    fn exact(self, key: &CelValue<'_>) -> Option<CelValue<'v>> {
        let Self::Values(entries) = self else {
            return None;
        };
        let at = entries.binary_search_by(|(known, _)| compare::keys(known, key));
        at.ok()
            .and_then(|at| entries.get(at))
            .map(|(_, value)| value.clone())
    }

    /// The value of a key; a whole number is one of any type.
    pub(crate) fn get(
        self,
        key: &CelValue<'_>,
        meter: &mut CelMeter<'_>,
    ) -> CelResult<Option<CelValue<'v>>> {
        if let CelValue::Text(text) = key {
            return self.text(text, meter);
        }
        if let Some(found) = self.exact(key) {
            return Ok(Some(found));
        }
        let (int, uint) = match *key {
            CelValue::Int(int) => (None, u64::try_from(int).ok()),
            CelValue::Uint(uint) => (i64::try_from(uint).ok(), None),
            CelValue::Double(double) => (compare::whole(double), compare::whole(double)),
            _ => return Ok(None),
        };
        let of_int = int.and_then(|int| self.exact(&CelValue::Int(int)));
        Ok(of_int.or_else(|| self.exact(&CelValue::Uint(uint?))))
    }

    /// The keys, in order.
    pub(crate) fn keys(self, meter: &mut CelMeter<'_>) -> CelResult<Vec<CelValue<'v>>> {
        let text = |text: &'v str| CelValue::Text(CelText::Borrowed(text));
        meter.take(self.len())?;
        let mut keys: Vec<CelValue<'v>> = match self {
            Self::Values(entries) => {
                return Ok(entries.iter().map(|(key, _)| key.clone()).collect());
            }
            Self::Nodes(entries) => entries.iter().map(|entry| text(&entry.key)).collect(),
            Self::Json(map) => map.keys().map(|key| text(key)).collect(),
            Self::Object(object) => object.keys().into_iter().map(CelValue::Text).collect(),
        };
        keys.sort_by(compare::keys);
        Ok(keys)
    }
}

impl<'v> CelValue<'v> {
    /// A text that was computed.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into().into())
    }

    /// A map; of entries with one key the last one counts.
    #[must_use]
    pub fn map(mut entries: Vec<(Self, Self)>) -> Self {
        entries.sort_by(|(one, _), (other, _)| compare::keys(one, other));
        entries.reverse();
        entries.dedup_by(|(one, _), (other, _)| compare::keys(one, other).is_eq());
        entries.reverse();
        Self::Map(entries.into())
    }

    /// The node of a document that it is, which knows its place.
    #[must_use]
    pub const fn node(&self) -> Option<&'v Node> {
        match self {
            Self::Node(node) => Some(node),
            _ => None,
        }
    }

    /// A scalar of a document as a value of its own; anything else as it is. Numbers are as the API server has them: those that are
    /// whole are ints, whatever they are written like.
    #[must_use]
    pub fn resolved(self) -> Self {
        match self {
            Self::Node(node) => match &node.data {
                Data::Null => Self::Null,
                Data::Bool(value) => Self::Bool(*value),
                Data::Int(value) => Self::Int(*value),
                #[expect(clippy::cast_precision_loss, reason = "the nearest one")]
                Data::Uint(value) => Self::Double(*value as f64),
                Data::Float(value) => {
                    compare::whole(*value).map_or(Self::Double(*value), Self::Int)
                }
                Data::String(text) => Self::Text(CelText::Borrowed(text)),
                Data::Seq(_) | Data::Map(_) => self,
            },
            Self::Json(json) => match json {
                Json::Null => Self::Null,
                Json::Bool(value) => Self::Bool(*value),
                Json::Number(number) => number.as_i64().map_or_else(
                    || Self::Double(number.as_f64().unwrap_or_default()),
                    Self::Int,
                ),
                Json::String(text) => Self::Text(CelText::Borrowed(text)),
                Json::Array(_) | Json::Object(_) => self,
            },
            _ => self,
        }
    }

    /// The items, if it is a list. Those of a document keep their places.
    #[must_use]
    pub fn list(&self) -> Option<Vec<Self>> {
        self.items().map(|items| items.iter().collect())
    }

    /// The keys and their values, if it is a map or an object, in the order of the keys.
    #[must_use]
    pub fn entries(&self) -> Option<Vec<(Self, Self)>> {
        let fields = self.fields()?;
        let mut unbounded = u64::MAX;
        let mut meter = CelMeter(&mut unbounded);
        let keys = fields.keys(&mut meter).ok()?;
        let entry = |key: Self| {
            let value = fields.get(&key, &mut meter).ok()??;
            Some((key, value))
        };
        Some(keys.into_iter().filter_map(entry).collect())
    }

    /// The items, if it is a list.
    pub(crate) fn items(&self) -> Option<CelItems<'_, 'v>> {
        match self {
            Self::List(items) => Some(CelItems::Values(items)),
            Self::Node(Node {
                data: Data::Seq(items),
                ..
            }) => Some(CelItems::Nodes(items)),
            Self::Json(Json::Array(items)) => Some(CelItems::Json(items)),
            _ => None,
        }
    }

    /// The entries, if it is a map or an object.
    pub(crate) fn fields(&self) -> Option<CelFields<'_, 'v>> {
        match self {
            Self::Map(entries) => Some(CelFields::Values(entries)),
            Self::Node(Node {
                data: Data::Map(entries),
                ..
            }) => Some(CelFields::Nodes(entries)),
            Self::Json(Json::Object(map)) => Some(CelFields::Json(map)),
            Self::Object(object) => Some(CelFields::Object(*object)),
            _ => None,
        }
    }

    /// Returns whether nobody knows it.
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The part of a value that nobody knows, as functions see it: an item of a list decides about each of them.
    pub(crate) fn unknown_part(&self, meter: &mut CelMeter<'_>) -> CelResult<Option<Self>> {
        Ok(match self {
            Self::Unknown(_) => Some(self.clone()),
            Self::Open(open) => Some(open.all()),
            Self::List(items) => {
                meter.take(items.len() / KEYS_OF_A_STEP)?;
                items.iter().find(|item| item.is_unknown()).cloned()
            }
            _ => None,
        })
    }

    /// The name of its type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Text(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) | Self::Object(_) | Self::Open(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Type(_) => "type",
            Self::Optional(_) => "optional_type",
            Self::Node(node) => match &node.data {
                Data::Seq(_) => "list",
                Data::Map(_) => "map",
                _ => self.clone().resolved().type_name(),
            },
            Self::Json(json) => match json {
                Json::Array(_) => "list",
                Json::Object(_) => "map",
                _ => self.clone().resolved().type_name(),
            },
            Self::Unknown(_) => "unknown",
        }
    }

    /// The value of an index or a key. `None`: there is none.
    pub(crate) fn at(
        &self,
        index: &CelValue<'_>,
        meter: &mut CelMeter<'_>,
    ) -> CelResult<Option<Self>> {
        if let Self::Open(open) = self {
            return Ok(open.get(index));
        }
        if let Some(fields) = self.fields() {
            return fields.get(index, meter);
        }
        let Some(items) = self.items() else {
            return Ok(None);
        };
        let whole = match *index {
            CelValue::Int(int) => Some(int),
            CelValue::Uint(uint) => i64::try_from(uint).ok(),
            CelValue::Double(double) => compare::whole(double),
            _ => {
                let message = format!("no index of a list can be a {}", index.type_name());
                return Err(CelStop::error(message));
            }
        };
        let whole = whole.ok_or_else(|| CelStop::error("the index of a list is not whole"))?;
        Ok(usize::try_from(whole)
            .ok()
            .and_then(|index| items.get(index)))
    }
}
