//! Texts and numbers with a form of their own.

use std::borrow::Cow;
use std::fmt;

use promgen_derive::Decode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use promgen_text::yaml::de::Error;
use promgen_text::yaml::decode;
use promgen_text::yaml::{Data, Node};

/// Declares a text with a pattern.
macro_rules! text {
    ($(#[$meta:meta])* pub struct $name:ident { $($key:literal: $value:expr),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Decode)]
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

impl decode::Decode for Quantity {
    /// Go reads a null in a map of quantities as zero.
    fn blank() -> Self {
        Self("0".to_owned())
    }

    fn read(&mut self, node: &Node<'_>) -> decode::Result {
        self.0 = match decode::decoded::<IntOrString>(node)? {
            IntOrString::Int(number) => number.to_string(),
            IntOrString::String(text) => text,
        };
        Ok(())
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

impl decode::Decode for IntOrString {
    fn blank() -> Self {
        Self::default()
    }

    fn read(&mut self, node: &Node<'_>) -> decode::Result {
        *self = match &node.data {
            Data::Int(number) => Self::Int(*number),
            Data::String(text) => Self::String(text.clone().into_owned()),
            _ => return Err(Error::expected("a whole number or a text", node)),
        };
        Ok(())
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Decode)]
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

impl decode::Decode for Ignored {
    fn blank() -> Self {
        Self
    }

    fn read(&mut self, _: &Node<'_>) -> decode::Result {
        Ok(())
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
