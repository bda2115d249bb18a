//! The parts of the serializer that collect: lists and maps, each perhaps below the name of an enum's variant.

use std::borrow::Cow;

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};

use crate::yaml::ser::{Result, ToValue, Unfit, key, present, tagged};
use crate::yaml::{Map, Value};

/// More than this is not set aside on the word of a type.
const MOST_ANNOUNCED: usize = 1024;

/// A list in the making.
pub(super) struct Items {
    variant: Option<&'static str>,
    items: Vec<Value>,
}

impl Items {
    pub(super) fn new(variant: Option<&'static str>, len: usize) -> Self {
        Self { variant, items: Vec::with_capacity(len.min(MOST_ANNOUNCED)) }
    }

    fn add<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        self.items.push(present(item)?);
        Ok(())
    }

    fn done(self) -> Option<Value> {
        Some(named(self.variant, Value::Seq(self.items)))
    }
}

/// A map in the making.
pub(super) struct Entries {
    variant: Option<&'static str>,
    map: Map,
    key: Cow<'static, str>,
}

impl Entries {
    pub(super) fn new(variant: Option<&'static str>, len: usize) -> Self {
        Self { variant, map: Map(Vec::with_capacity(len.min(MOST_ANNOUNCED))), key: Cow::Borrowed("") }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.map.push_some(name, value.serialize(ToValue)?);
        Ok(())
    }

    fn done(self) -> Option<Value> {
        Some(named(self.variant, Value::Map(self.map)))
    }
}

fn named(variant: Option<&'static str>, value: Value) -> Value {
    match variant {
        Some(variant) => tagged(variant, value),
        None => value,
    }
}

macro_rules! items {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Items {
            type Ok = Option<Value>;
            type Error = Unfit;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.add(item)
            }

            fn end(self) -> Result {
                Ok(self.done())
            }
        }
    )*};
}

items!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl $trait for Entries {
            type Ok = Option<Value>;
            type Error = Unfit;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result {
                Ok(self.done())
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Entries {
    type Ok = Option<Value>;
    type Error = Unfit;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Result<()> {
        self.key = key(name)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let key = std::mem::take(&mut self.key);
        self.map.push(key, present(value)?);
        Ok(())
    }

    fn end(self) -> Result {
        Ok(self.done())
    }
}
