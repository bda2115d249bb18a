//! Texts and numbers with a form of their own.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares a text with a pattern.
macro_rules! text {
    ($(#[$meta:meta])* pub struct $name:ident { $($key:literal: $value:expr),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The text as the user wrote it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", $($key: $value),+ })
            }
        }
    };
}

text! {
    /// A span of time as Prometheus writes it: `1d2h30m`, units `y w d h m s ms` in this order, each at most once; or `0`.
    ///
    /// Operator: monitoring/v1.Duration.
    pub struct Duration {
        "pattern": "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"
    }
}

text! {
    /// A [`Duration`] that is not empty.
    ///
    /// Operator: monitoring/v1.NonEmptyDuration.
    pub struct NonEmptyDuration {
        "pattern": "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
        "minLength": 1
    }
}

text! {
    /// A span of time as Go writes it, up to hours: `1h30m`, units `h m s ms` in this order, each at most once; or `0`.
    ///
    /// Operator: monitoring/v1.GoDuration.
    pub struct GoDuration { "pattern": "^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$" }
}

text! {
    /// A size in bytes, powers of 1024: `512MB`, `1.5GiB`; or `0`.
    ///
    /// Operator: monitoring/v1.ByteSize.
    pub struct ByteSize { "pattern": "(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$" }
}

text! {
    /// A moment, RFC 3339.
    ///
    /// Kubernetes: meta/v1.Time.
    pub struct Time { "format": "date-time" }
}

/// An amount: a number with an optional unit, `500m`, `2Gi`, `1.5`, `1e3`. As the user wrote it.
///
/// Kubernetes: api/resource.Quantity.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Quantity(pub String);

impl Quantity {
    /// The text as the user wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Quantity {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match IntOrString::deserialize(deserializer)? {
            IntOrString::Int(number) => number.to_string(),
            IntOrString::String(text) => text,
        }))
    }
}

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
            "x-kubernetes-int-or-string": true,
        })
    }
}

/// A whole number or a text, such as a port by number or by name.
///
/// Kubernetes: util/intstr.IntOrString.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntOrString {
    /// A number.
    Int(i64),
    /// A text.
    String(String),
}

impl Default for IntOrString {
    fn default() -> Self {
        Self::Int(0)
    }
}

impl From<i64> for IntOrString {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => number.fmt(f),
            Self::String(text) => text.fmt(f),
        }
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl serde::de::Visitor<'_> for Visitor {
            type Value = IntOrString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number or a text")
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<IntOrString, E> {
                Ok(IntOrString::Int(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<IntOrString, E> {
                i64::try_from(number).map(IntOrString::Int).map_err(E::custom)
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<IntOrString, E> {
                Ok(IntOrString::String(text.to_owned()))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for IntOrString {
    fn schema_name() -> Cow<'static, str> {
        "IntOrString".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer" }, { "type": "string" }], "x-kubernetes-int-or-string": true })
    }
}

/// Anything at all, kept as it is.
///
/// Operator: apiextensions/v1.JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(pub serde_json::Value);

impl JsonSchema for Json {
    fn schema_name() -> Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
    }
}

/// Anything at all. Read and forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

impl JsonSchema for Ignored {
    fn schema_name() -> Cow<'static, str> {
        "Ignored".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
    }
}

/// The CRD's default of scrape and evaluation intervals.
pub(super) fn thirty_seconds() -> Duration {
    Duration::from("30s")
}
