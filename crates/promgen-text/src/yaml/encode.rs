//! API types into values.
//!
//! In: a value of a type that derives [`Encode`]. Out: a [`Value`]. Fields keep the order of their declaration, maps that of
//! their iteration. A field that is `None` is left out, as Go's `omitempty` does; elsewhere `None` is null.

use std::collections::BTreeMap;

use litemap::LiteMap;

use crate::yaml::{Map, NodeText, Value};

/// A value that can be written.
pub trait Encode {
    /// The value; nothing for `None`, so that an object can leave it out.
    fn encode(&self) -> Option<Value>;

    /// Returns whether Go counts it as empty, so that `omitempty` leaves it out. Only of use for a field whose Go type
    /// is no pointer; a pointer to a zero is written.
    fn is_zero(&self) -> bool {
        false
    }
}

/// A type with named fields.
pub trait EncodeFields {
    /// Appends the fields that are wanted.
    fn fields(&self, out: &mut FieldSink<'_>);
}

/// Takes the fields of a type.
pub struct FieldSink<'s> {
    out: &'s mut Map,
    is_wanted: &'s dyn Fn(&str) -> bool,
}

/// The value of an API type.
#[must_use]
pub fn to_value(value: &dyn Encode) -> Value {
    value.encode().unwrap_or(Value::Null)
}

/// A value as JSON.
#[must_use]
pub fn to_json(value: &dyn Encode) -> serde_json::Value {
    serde_json::to_value(to_value(value)).unwrap_or_default()
}

/// The value of a type with named fields.
pub fn object(value: &dyn EncodeFields) -> Value {
    fields_of(value, |_| true).into()
}

/// The fields that are set, of those that are wanted by their names in manifests.
pub fn fields_of(value: &dyn EncodeFields, is_wanted: impl Fn(&str) -> bool) -> Map {
    let mut out = Map::new();
    value.fields(&mut FieldSink {
        out: &mut out,
        is_wanted: &is_wanted,
    });
    out
}

/// Appends a field that is not `None`.
pub fn field(out: &mut FieldSink<'_>, name: &'static str, value: &dyn Encode) {
    if (out.is_wanted)(name) {
        out.out.push_some(name, value.encode());
    }
}

/// Appends a field that Go does not count as empty.
pub fn field_unless_zero(out: &mut FieldSink<'_>, name: &'static str, value: &dyn Encode) {
    if !value.is_zero() {
        field(out, name, value);
    }
}

impl<T: Encode> Encode for Option<T> {
    fn encode(&self) -> Option<Value> {
        self.as_ref().and_then(T::encode)
    }

    fn is_zero(&self) -> bool {
        self.as_ref().is_none_or(T::is_zero)
    }
}

impl<T: Encode> Encode for Box<T> {
    fn encode(&self) -> Option<Value> {
        (**self).encode()
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self) -> Option<Value> {
        Some(Value::Seq(self.iter().map(|item| to_value(item)).collect()))
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

macro_rules! maps {
    ($($of:ty),+) => {
        $(impl<T: Encode> Encode for $of {
            fn encode(&self) -> Option<Value> {
                let entries = self.iter().map(|(key, value)| (key.clone(), to_value(value)));
                Some(Value::Map(entries.collect()))
            }

            fn is_zero(&self) -> bool {
                self.is_empty()
            }
        })+
    };
}

maps!(BTreeMap<String, T>, LiteMap<NodeText, T>);

impl Encode for NodeText {
    fn encode(&self) -> Option<Value> {
        Some(Value::Str(self.clone().into()))
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

impl Encode for String {
    fn encode(&self) -> Option<Value> {
        Some(self.clone().into())
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

impl Encode for &'static str {
    fn encode(&self) -> Option<Value> {
        Some((*self).into())
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }
}

impl Encode for serde_json::Value {
    fn encode(&self) -> Option<Value> {
        Some(self.clone().into())
    }
}

macro_rules! scalars {
    ($($type:ty),+) => {
        $(impl Encode for $type {
            fn encode(&self) -> Option<Value> {
                Some((*self).into())
            }

            fn is_zero(&self) -> bool {
                *self == <$type>::default()
            }
        })+
    };
}

scalars! { bool, i32, i64 }

#[cfg(test)]
mod tests {
    use promgen_derive::Encode;

    use super::*;

    #[derive(Encode)]
    struct Inner {
        deep: Option<bool>,
        #[api(omit_empty)]
        zero: Option<i32>,
    }

    #[derive(Encode)]
    struct Outer {
        z_last: Option<String>,
        #[api(flatten)]
        inner: Inner,
        #[api(name = "other-name")]
        renamed: &'static str,
        items: Vec<Option<i64>>,
        map: BTreeMap<String, Option<Inner>>,
        null: serde_json::Value,
    }

    #[test]
    fn fields_keep_their_order_and_leave_out_what_go_leaves_out() {
        let inner = |deep, zero| Inner { deep, zero };
        let outer = Outer {
            z_last: None,
            inner: inner(Some(false), Some(0)),
            renamed: "",
            items: vec![Some(1), None],
            map: [
                ("b".to_owned(), None),
                ("a".to_owned(), Some(inner(None, Some(2)))),
            ]
            .into(),
            null: serde_json::Value::Null,
        };
        let expected = Map::new()
            .with("deep", false)
            .with("other-name", "")
            .with("items", Value::Seq(vec![1.into(), Value::Null]))
            .with(
                "map",
                Map::new()
                    .with("a", Map::new().with("zero", 2))
                    .with("b", Value::Null),
            )
            .with("null", Value::Null);
        assert_eq!(to_value(&outer), expected.into());
        assert_eq!(to_value(&None::<String>), Value::Null);
    }
}
