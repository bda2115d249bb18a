//! Nodes into API types.
//!
//! In: a [`Node`]. Out: a value of a type that derives [`Decode`], or a [`Mismatch`] with the way to the first value that does
//! not fit. Types are strict: text is not read as a number, nor a number as text. A type gives its
//! [description](crate::describe) and an assignment for each field; the walk over a map is the same code for all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use litemap::LiteMap;

use crate::describe::{Field, ObjectType, Type, TypeDialect};
use crate::source::Span;
use crate::yaml::de::{Error, Mismatch};
use crate::yaml::{Data, Entry, Node, NodeText};

/// The result of reading: nothing, or why a value does not fit.
pub type Result = std::result::Result<(), Error>;

/// A value that a node can be read into. Before anything was read, it is its default; Go reads a null in a map as that, too.
pub trait Decode: Default {
    /// Reads a node that is not null.
    ///
    /// # Errors
    /// The first value that does not fit.
    fn read(&mut self, node: &Node) -> Result;
}

/// A type with named fields.
pub trait Fields {
    /// The description of the type, an object.
    fn description(&self) -> &'static Type;

    /// Reads the field of that index in the description.
    ///
    /// # Errors
    /// The first value that does not fit.
    fn set(&mut self, index: usize, node: &Node) -> Result;

    /// Reads the fields of flattened ones.
    ///
    /// # Errors
    /// The first value that does not fit.
    fn flattened(&mut self, entries: &[Entry]) -> Result;
}

/// Decodes a node. A field whose value is null counts as absent, as it does for the API server. A null value in a map, such as
/// a label, becomes the empty value of its type, as in Go. Custom resources have none: the API server drops them.
///
/// # Errors
/// The first value that does not fit, by its route.
pub fn decode<T: Decode>(node: &Node) -> std::result::Result<T, Mismatch> {
    decoded(node).map_err(Error::into_mismatch)
}

/// The number of values that do not fit and that are passed over.
const MAX_UNFIT: usize = 100;

/// Decodes what fits of a node: a value that does not fit counts as absent.
pub fn decode_fitting<T: Decode>(node: &Node) -> T {
    let mut node = Cow::Borrowed(node);
    for _ in 0..MAX_UNFIT {
        match decode(&node) {
            Ok(value) => return value,
            Err(mismatch) => node.to_mut().remove(&mismatch.route),
        }
    }
    T::default()
}

/// Decodes JSON that was read, or made, before.
///
/// # Errors
/// The first value that does not fit, by its route.
pub fn from_json<T: Decode>(value: &serde_json::Value) -> std::result::Result<T, Mismatch> {
    decode(&crate::yaml::edit::json(value, Span::default()))
}

/// [`decode`] within another value: the way of an error is still to be completed.
pub fn decoded<T: Decode>(node: &Node) -> std::result::Result<T, Error> {
    let mut value = T::default();
    value.read(node)?;
    Ok(value)
}

/// The index of a text among those that an enum has.
pub fn variant(node: &Node, texts: &'static [&'static str]) -> std::result::Result<usize, Error> {
    let Data::String(text) = &node.data else {
        return Err(Error::expected("a string", node));
    };
    texts
        .iter()
        .position(|known| known == text)
        .ok_or_else(|| Error::unknown(text, texts))
}

/// Reads a map into a type with named fields.
pub fn read_map(target: &mut dyn Fields, node: &Node) -> Result {
    let Data::Map(entries) = &node.data else {
        return Err(Error::expected("a map", node));
    };
    read_fields(target, entries)
}

/// Reads entries into a type with named fields. Unknown keys are passed over: the API server drops them.
pub fn read_fields(target: &mut dyn Fields, entries: &[Entry]) -> Result {
    let Type::Object(ObjectType { fields: table, .. }) = target.description() else {
        return Ok(());
    };
    let is_filled = |field: &Field| {
        entries
            .iter()
            .any(|entry| entry.key == field.name && !entry.value.is_null())
    };
    let is_missing =
        |field: &&Field| field.is_required && field.default.is_none() && !is_filled(field);
    // Before any field is read: a missing key is a better message than the type of another one.
    if let Some(missing) = table.iter().find(is_missing) {
        return Err(Error::missing(missing.name));
    }
    for entry in entries.iter().filter(|entry| !entry.value.is_null()) {
        if let Some(index) = table.iter().position(|field| field.name == entry.key) {
            target
                .set(index, &entry.value)
                .map_err(|error| error.below_key(&entry.key))?;
        }
    }
    target.flattened(entries)
}

/// Reads a field.
pub fn set<T: Decode>(slot: &mut T, node: &Node) -> Result {
    // What a default holds is no part of the value that is given.
    *slot = T::default();
    slot.read(node)
}

impl<T: Decode> Decode for Option<T> {
    fn read(&mut self, node: &Node) -> Result {
        self.insert(T::default()).read(node)
    }
}

impl<T: Decode> Decode for Box<T> {
    fn read(&mut self, node: &Node) -> Result {
        (**self).read(node)
    }
}

impl<T: Decode> Decode for Vec<T> {
    fn read(&mut self, node: &Node) -> Result {
        let Data::Seq(items) = &node.data else {
            return Err(Error::expected("a list", node));
        };
        self.reserve_exact(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut value = T::default();
            value.read(item).map_err(|error| error.below_index(index))?;
            self.push(value);
        }
        Ok(())
    }
}

impl<T: Decode> Decode for BTreeMap<String, T> {
    fn read(&mut self, node: &Node) -> Result {
        let entries = read_entries(node)?.into_iter();
        self.extend(entries.map(|(key, value)| (key.to_string(), value)));
        Ok(())
    }
}

impl<T: Decode> Decode for LiteMap<NodeText, T> {
    fn read(&mut self, node: &Node) -> Result {
        let mut entries = read_entries(node)?;
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        // Of duplicates the last one counts.
        entries.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                std::mem::swap(later, earlier);
            }
            is_same
        });
        // From an iterator it would have room for four entries at least.
        *self = Self::from_sorted_store_unchecked(entries);
        Ok(())
    }
}

fn read_entries<T: Decode>(node: &Node) -> std::result::Result<Vec<(NodeText, T)>, Error> {
    let Data::Map(entries) = &node.data else {
        return Err(Error::expected("a map", node));
    };
    let mut read = Vec::with_capacity(entries.len());
    for entry in entries {
        let mut value = T::default();
        if !entry.value.is_null() {
            value
                .read(&entry.value)
                .map_err(|error| error.below_key(&entry.key))?;
        }
        read.push((entry.key.clone(), value));
    }
    Ok(read)
}

impl Decode for NodeText {
    fn read(&mut self, node: &Node) -> Result {
        let Data::String(text) = &node.data else {
            return Err(Error::expected("a string", node));
        };
        self.clone_from(text);
        Ok(())
    }
}

impl Decode for String {
    fn read(&mut self, node: &Node) -> Result {
        let Data::String(text) = &node.data else {
            return Err(Error::expected("a string", node));
        };
        text.as_str().clone_into(self);
        Ok(())
    }
}

impl Decode for serde_json::Value {
    fn read(&mut self, node: &Node) -> Result {
        *self = match &node.data {
            Data::Null => Self::Null,
            Data::Bool(value) => (*value).into(),
            Data::Int(number) => (*number).into(),
            Data::Uint(number) => (*number).into(),
            Data::Float(number) => (*number).into(),
            Data::String(text) => text.as_str().into(),
            Data::Seq(_) => Self::Array(decoded(node)?),
            Data::Map(entries) => {
                let entry = |e: &Entry| decoded(&e.value).map(|value| (e.key.to_string(), value));
                Self::Object(
                    entries
                        .iter()
                        .map(entry)
                        .collect::<std::result::Result<_, _>>()?,
                )
            }
        };
        Ok(())
    }
}

impl Decode for bool {
    fn read(&mut self, node: &Node) -> Result {
        let Data::Bool(value) = &node.data else {
            return Err(Error::expected("a boolean", node));
        };
        *self = *value;
        Ok(())
    }
}

/// The number, if it is a whole one: `3`, but also `3.0`, which is the same in JSON.
#[must_use]
pub fn whole(data: &Data) -> Option<i128> {
    match data {
        Data::Int(number) => Some((*number).into()),
        Data::Uint(number) => Some((*number).into()),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "checked to be whole and small"
        )]
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 9.2e18 => {
            Some(*number as i128)
        }
        _ => None,
    }
}

macro_rules! whole_numbers {
    ($($type:ty: $what:literal),+) => {
        $(impl Decode for $type {
            fn read(&mut self, node: &Node) -> Result {
                let number = whole(&node.data).ok_or_else(|| Error::expected("a whole number", node))?;
                *self = number.try_into().map_err(|_| Error::expected($what, node))?;
                Ok(())
            }
        })+
    };
}

whole_numbers! {
    i32: "a whole number that fits 32 bits",
    i64: "a whole number",
    u32: "a whole number of at least 0 that fits 32 bits"
}

/// The dialect that a node is in, unless it is that type: its field says so, or, where that is missing, another one that only
/// the dialect has.
#[must_use]
pub fn dialect_of(own: &ObjectType, node: &Node) -> Option<&'static TypeDialect> {
    let dialect = own.dialect?;
    let Type::Object(other) = (dialect.of)() else {
        return None;
    };
    let is_of_other = |entry: &Entry| {
        let of = |object: &ObjectType| {
            object
                .field(&entry.key)
                .is_some_and(|field| may_be(field, &entry.value))
        };
        !entry.value.is_null() && of(other) && !of(own)
    };
    let is_selected = match node.get(dialect.field).filter(|value| !value.is_null()) {
        Some(value) => value
            .as_str()
            .is_some_and(|value| dialect.values.contains(&value)),
        None => node.entries().iter().any(is_of_other),
    };
    is_selected.then_some(dialect)
}

/// Returns whether a value is a list or a map where the type is.
fn may_be(field: &Field, value: &Node) -> bool {
    match (field.of)() {
        Type::List(_) => value.is_list(),
        Type::Object(_) | Type::Map(_) => value.is_map(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use promgen_derive::Decode;

    use super::*;

    fn from_yaml<T: Decode>(text: &str) -> T {
        let parsed = crate::yaml::read::read(
            crate::source::FileId(0),
            text,
            &mut crate::diag::Sink::default(),
        );
        decode(&parsed[0].root).unwrap()
    }

    fn two() -> i32 {
        2
    }

    #[promgen_derive::api]
    struct Inner {
        deep_name: Option<String>,
    }

    #[promgen_derive::api]
    struct Outer {
        needed: String,
        #[api(name = "other-name")]
        renamed: Option<bool>,
        #[api(default = two)]
        defaulted: i32,
        #[api(flatten)]
        inner: Inner,
        items: Option<Vec<Inner>>,
        labels: Option<BTreeMap<String, String>>,
    }

    #[derive(Default, Decode)]
    #[api(default)]
    struct Found {
        items: Option<Vec<Inner>>,
        labels: BTreeMap<String, String>,
    }

    fn fails(text: &str) -> String {
        let mut sink = crate::diag::Sink::default();
        let parsed = crate::yaml::read::read(crate::source::FileId(0), text, &mut sink);
        let Mismatch { route, message } = decode::<Outer>(&parsed[0].root).unwrap_err();
        format!("{route}: {message}")
    }

    #[test]
    fn fields_go_by_their_names_in_manifests() {
        let text = "{needed: a, other-name: true, deepName: b, items: [{deepName: c}], labels: {a: ~}, unknown: 1}";
        let outer: Outer = from_yaml(text);
        assert_eq!(
            (outer.needed.as_str(), outer.renamed, outer.defaulted),
            ("a", Some(true), 2)
        );
        assert_eq!(outer.inner.deep_name.as_deref(), Some("b"));
        assert_eq!(outer.items.unwrap()[0].deep_name.as_deref(), Some("c"));
        assert_eq!(outer.labels.unwrap()["a"], "");
        let nulls: Outer = from_yaml("{needed: a, defaulted: ~, other-name: null}");
        assert_eq!((nulls.defaulted, nulls.renamed), (2, None));
    }

    #[test]
    fn a_mismatch_names_the_way_and_what_was_seen() {
        assert_eq!(fails("{a: b}"), ": missing field `needed`");
        assert_eq!(
            fails("{needed: a, items: [{deepName: 5}]}"),
            "items[0].deepName: expected a string, found number 5"
        );
        assert_eq!(
            fails("{needed: a, deepName: []}"),
            "deepName: expected a string, found a list"
        );
        assert_eq!(
            fails("{needed: a, defaulted: 3000000000}"),
            "defaulted: expected a whole number that fits 32 bits, found number 3000000000"
        );
        assert_eq!(fails("[]"), ": expected a map, found a list");
    }

    #[test]
    fn what_does_not_fit_counts_as_absent_where_the_rest_is_asked_for() {
        let text = "{items: [{deepName: 5}, [], {deepName: a}], labels: {a: 1, b: c}, deepName: b}";
        let parsed = crate::yaml::read::read(
            crate::source::FileId(0),
            text,
            &mut crate::diag::Sink::default(),
        );
        let found: Found = decode_fitting(&parsed[0].root);
        let names: Vec<_> = found
            .items
            .iter()
            .flatten()
            .map(|item| item.deep_name.as_deref())
            .collect();
        assert_eq!(
            (names, found.labels["b"].as_str(), found.labels.len()),
            (vec![None, Some("a")], "c", 1)
        );
    }

    #[test]
    fn null_in_a_map_is_the_empty_value_of_its_type() {
        fn first<T: Decode>(text: &str) -> T {
            from_yaml::<BTreeMap<String, T>>(text)
                .into_values()
                .next()
                .unwrap()
        }
        assert_eq!(first::<String>("a:"), "");
        assert_eq!(first::<Vec<String>>("a: ~"), Vec::<String>::new());
        assert_eq!(first::<Option<String>>("a: null"), None);
        assert_eq!(first::<BTreeMap<String, String>>("a:"), BTreeMap::new());
    }

    #[test]
    fn json_decodes_like_yaml() {
        let outer: Outer = from_json(&serde_json::json!({"needed": "a", "defaulted": 7})).unwrap();
        assert_eq!(outer.defaulted, 7);
    }
}
