//! Serde types into values, and values into other formats.
//!
//! In: anything that implements `Serialize`. Out: a [`Value`]. A struct field that is `None` is left out; elsewhere
//! `None` is null. Enums are tagged as serde does by default.

mod compound;

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};

use crate::yaml::{Map, Value};
use compound::{Entries, Items};

/// Serializes into a value tree. A struct field that is `None` is left out, as Go's `omitempty` does; fields keep the
/// order of their declaration, maps that of their iteration. Floats that are no numbers become null.
///
/// What has no place in a tree of values makes the whole of it null: map keys that are no text, number or truth value,
/// and integers of more than 64 bits. No type of this crate has any.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Value {
    value.serialize(ToValue).ok().flatten().unwrap_or(Value::Null)
}

/// Why a type has no value.
#[derive(Debug)]
struct Unfit(String);

impl Display for Unfit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl serde::ser::Error for Unfit {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// A value, or nothing for `None`, so that a struct can leave it out.
type Result<T = Option<Value>> = std::result::Result<T, Unfit>;

/// The serializer.
struct ToValue;

/// The value of an item or an entry, where `None` is null.
fn present<T: Serialize + ?Sized>(value: &T) -> Result<Value> {
    Ok(value.serialize(ToValue)?.unwrap_or(Value::Null))
}

/// A map with the name of a variant as its one key.
fn tagged(variant: &'static str, value: impl Into<Value>) -> Value {
    Map::new().with(variant, value).into()
}

macro_rules! small_integers {
    ($($method:ident $type:ty),*) => {$(
        fn $method(self, v: $type) -> Result {
            self.serialize_i64(v.into())
        }
    )*};
}

impl Serializer for ToValue {
    type Ok = Option<Value>;
    type Error = Unfit;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Items;
    type SerializeMap = Entries;
    type SerializeStruct = Entries;
    type SerializeStructVariant = Entries;

    small_integers!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_u8 u8, serialize_u16 u16, serialize_u32 u32);

    fn serialize_bool(self, v: bool) -> Result {
        Ok(Some(v.into()))
    }

    fn serialize_i64(self, v: i64) -> Result {
        Ok(Some(v.into()))
    }

    fn serialize_u64(self, v: u64) -> Result {
        Ok(Some(v.into()))
    }

    fn serialize_f32(self, v: f32) -> Result {
        // The same decimal digits, as Go prints it, not the same bits.
        self.serialize_f64(v.to_string().parse().unwrap_or_else(|_| v.into()))
    }

    fn serialize_f64(self, v: f64) -> Result {
        Ok(Some(if v.is_finite() { v.into() } else { Value::Null }))
    }

    fn serialize_char(self, v: char) -> Result {
        Ok(Some(v.to_string().into()))
    }

    fn serialize_str(self, v: &str) -> Result {
        Ok(Some(v.to_owned().into()))
    }

    fn serialize_bytes(self, v: &[u8]) -> Result {
        Ok(Some(Value::Seq(v.iter().map(|&byte| Value::Int(byte.into())).collect())))
    }

    fn serialize_none(self) -> Result {
        Ok(None)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result {
        Ok(Some(Value::Null))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result {
        Ok(Some(variant.into()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result {
        Ok(Some(tagged(variant, present(value)?)))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items> {
        Ok(Items::new(None, len.unwrap_or(0)))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items> {
        Ok(Items::new(None, len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Items> {
        Ok(Items::new(None, len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Items> {
        Ok(Items::new(Some(variant), len))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Entries> {
        Ok(Entries::new(None, len.unwrap_or(0)))
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Entries> {
        Ok(Entries::new(None, len))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Entries> {
        Ok(Entries::new(Some(variant), len))
    }
}

/// The text of a map key.
fn key<T: Serialize + ?Sized>(key: &T) -> Result<Cow<'static, str>> {
    match key.serialize(ToValue)? {
        Some(Value::Str(text)) => Ok(text),
        Some(Value::Bool(bool)) => Ok(bool.to_string().into()),
        Some(Value::Int(int)) => Ok(int.to_string().into()),
        Some(Value::Uint(int)) => Ok(int.to_string().into()),
        Some(Value::Null | Value::Float(_) | Value::Seq(_) | Value::Map(_)) | None => {
            Err(Unfit::custom("a map key is no text"))
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Int(int) => serializer.serialize_i64(*int),
            Self::Uint(int) => serializer.serialize_u64(*int),
            Self::Float(float) => serializer.serialize_f64(*float),
            Self::Str(text) => serializer.serialize_str(text),
            Self::Seq(items) => serializer.collect_seq(items),
            Self::Map(map) => map.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self {
            entries.serialize_entry(key, value)?;
        }
        entries.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Serialize;

    use super::to_value;
    use crate::yaml::{Map, Value};

    #[derive(Serialize)]
    struct Name(&'static str);

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(Option<u8>),
        Pair(u8, u8),
        Fields { a: Option<u8>, b: u8 },
    }

    #[derive(Serialize)]
    struct All {
        z: Option<u8>,
        name: Name,
        big: u64,
        float: f32,
        map: BTreeMap<u16, Option<bool>>,
        kinds: Vec<Kind>,
        null: Value,
    }

    #[test]
    fn a_struct_becomes_a_map_in_field_order() {
        let kinds = vec![Kind::Unit, Kind::New(None), Kind::Pair(1, 2), Kind::Fields { a: None, b: 3 }];
        let map = [(10, Some(true)), (9, None)].into();
        let all = All { z: None, name: Name("n"), big: u64::MAX, float: 0.1, map, kinds, null: Value::Null };
        let expected = Map::new()
            .with("name", "n")
            .with("big", u64::MAX)
            .with("float", 0.1)
            .with("map", Map::new().with("9", Value::Null).with("10", true))
            .with(
                "kinds",
                Value::Seq(vec![
                    "Unit".into(),
                    Map::new().with("New", Value::Null).into(),
                    Map::new().with("Pair", vec![1, 2]).into(),
                    Map::new().with("Fields", Map::new().with("b", 3)).into(),
                ]),
            )
            .with("null", Value::Null);
        assert_eq!(to_value(&all), expected.into());
    }

    #[test]
    fn a_value_becomes_itself() {
        let value = Value::from(Map::new().with("a", vec![Value::Null, 1.5.into(), "x".into()]).with("b", false));
        assert_eq!(to_value(&value), value);
    }

    #[test]
    fn what_has_no_value_is_null() {
        assert_eq!(to_value(&BTreeMap::from([((1, 2), 3)])), Value::Null);
        assert_eq!(to_value(&None::<u8>), Value::Null);
        assert_eq!(to_value(&f64::NAN), Value::Null);
    }
}
