//! The empty value of a type: Go reads a null value of a map as this.

use serde::de::{self, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Error;

/// Deserializes to an empty text, list or map, to 0, to false.
pub(super) struct Zero;

impl<'de> de::Deserializer<'de> for Zero {
    type Error = Error;

    /// A quantity: no other value of a map is deserialized as any type.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(false)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str("")
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str("")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Nothing)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Nothing)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Nothing)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct enum
        identifier ignored_any
    }
}

/// A list or map without items.
struct Nothing;

impl<'de> SeqAccess<'de> for Nothing {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, Error> {
        Ok(None)
    }
}

impl<'de> MapAccess<'de> for Nothing {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<Option<S::Value>, Error> {
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, _: S) -> Result<S::Value, Error> {
        Err(de::Error::custom("a value without a key"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::de::DeserializeOwned;

    use crate::api::scalar::Quantity;
    use crate::diag::Sink;
    use crate::source::FileId;
    use crate::yaml::{de, read};

    fn first<T: DeserializeOwned>(text: &str) -> Option<T> {
        let documents = read::read(FileId(0), text, &mut Sink::default());
        let map: BTreeMap<String, T> = de::from_node(&documents[0].root).unwrap();
        map.into_values().next()
    }

    #[test]
    fn null_in_a_map_is_the_empty_value_of_its_type() {
        assert_eq!(first::<String>("a:").as_deref(), Some(""));
        assert_eq!(first::<Vec<String>>("a: ~"), Some(Vec::new()));
        assert_eq!(first::<Option<String>>("a: null"), Some(None));
        assert_eq!(first::<Quantity>("a:").as_ref().map(Quantity::as_str), Some("0"));
        assert_eq!(first::<BTreeMap<String, String>>("a:"), Some(BTreeMap::new()));
    }
}
