//! Texts and numbers with a form of their own.

use std::fmt;

use promgen_derive::{Decode, Encode};

use promgen_text::describe::{self, Describe, Type, pattern};
use promgen_text::go::duration::{PromDuration, TimeDuration};
use promgen_text::yaml::de::Error;
use promgen_text::yaml::{Data, Node, Value, decode, encode};

/// The pattern of Prometheus' durations.
const DURATION: &str =
    "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$";

/// Declares a text with a pattern.
macro_rules! text {
    ($(#[$meta:meta])* pub struct $name:ident { $($key:ident: $value:expr),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Decode, Encode)]
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

        crate::api::named_text!($name { $($key: $value),+ });
    };
}

/// Declares a text that is a span of time, with the type that reads it.
macro_rules! span_of_time {
    ($(#[$meta:meta])* pub struct $name:ident($length:ident) { $($key:ident: $value:expr),+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            text: String,
            length: Result<$length, Box<str>>,
        }

        impl $name {
            /// The text as the user wrote it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.text
            }

            /// Its length.
            ///
            /// # Errors
            /// The text does not fit, in the words of the library that the operator asks; an empty one does not, either.
            pub fn length(&self) -> Result<$length, &str> {
                self.length.as_ref().copied().map_err(|error| &**error)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                let length = $length::parse(&text).map_err(String::into_boxed_str);
                Self { text, length }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl Default for $name {
            fn default() -> Self {
                "".into()
            }
        }

        impl decode::Decode for $name {
            fn read(&mut self, node: &Node) -> decode::Result {
                *self = decode::decoded::<String>(node)?.into();
                Ok(())
            }
        }

        impl encode::Encode for $name {
            fn encode(&self) -> Option<Value> {
                self.text.encode()
            }

            fn is_zero(&self) -> bool {
                self.text.is_empty()
            }
        }

        crate::api::named_text!($name { $($key: $value),+ });
    };
}

span_of_time! {
    /// A span of time as Prometheus writes it: `1d2h30m`, units `y w d h m s ms` in this order, each at most once; or `0`.
    ///
    /// Operator: monitoring/v1.Duration.
    pub struct Duration(PromDuration) {
        pattern: Some(pattern!(DURATION))
    }
}

span_of_time! {
    /// A [`Duration`] that is not empty.
    ///
    /// Operator: monitoring/v1.NonEmptyDuration.
    pub struct NonEmptyDuration(PromDuration) {
        pattern: Some(pattern!(DURATION)),
        min_length: Some(1)
    }
}

span_of_time! {
    /// A span of time as Go writes it, up to hours: `1h30m`, units `h m s ms` in this order, each at most once; or `0`.
    ///
    /// Operator: monitoring/v1.GoDuration.
    pub struct GoDuration(TimeDuration) {
        pattern: Some(pattern!("^(0|(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$"))
    }
}

text! {
    /// A size in bytes, powers of 1024: `512MB`, `1.5GiB`; or `0`.
    ///
    /// Operator: monitoring/v1.ByteSize.
    pub struct ByteSize { pattern: Some(pattern!("(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$")) }
}

text! {
    /// A moment, RFC 3339.
    ///
    /// Kubernetes: meta/v1.Time.
    pub struct Time { is_time: true }
}

/// An amount: a number with an optional unit, `500m`, `2Gi`, `1.5`, `1e3`. As the user wrote it.
///
/// Kubernetes: api/resource.Quantity.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Encode)]
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

impl Default for Quantity {
    /// Go reads a null in a map of quantities as zero.
    fn default() -> Self {
        Self("0".to_owned())
    }
}

impl decode::Decode for Quantity {
    fn read(&mut self, node: &Node) -> decode::Result {
        self.0 = match decode::decoded::<IntOrString>(node)? {
            IntOrString::Int(number) => number.to_string(),
            IntOrString::String(text) => text,
        };
        Ok(())
    }
}

impl Describe for Quantity {
    fn describe() -> &'static Type {
        static TYPE: Type = Type::IntOrString(describe::IntOrStringType {
            name: "Quantity",
            pattern: Some(pattern!(
                r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
            )),
        });
        &TYPE
    }
}

/// An integer or a string, such as a port by number or by name.
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

impl encode::Encode for IntOrString {
    fn encode(&self) -> Option<Value> {
        Some(match self {
            Self::Int(number) => (*number).into(),
            Self::String(text) => text.clone().into(),
        })
    }
}

impl decode::Decode for IntOrString {
    fn read(&mut self, node: &Node) -> decode::Result {
        *self = match &node.data {
            Data::Int(number) => Self::Int(*number),
            Data::String(text) => Self::String(text.to_string()),
            _ => return Err(Error::expected("a whole number or a text", node)),
        };
        Ok(())
    }
}

impl Describe for IntOrString {
    fn describe() -> &'static Type {
        &Type::IntOrString(describe::IntOrStringType {
            name: "IntOrString",
            pattern: None,
        })
    }
}

/// Anything at all, kept as it is.
///
/// Operator: apiextensions/v1.JSON.
#[derive(Clone, Debug, Default, PartialEq, Decode, Encode)]
pub struct Json(pub serde_json::Value);

impl Describe for Json {
    fn describe() -> &'static Type {
        &Type::Any("Json")
    }
}

/// Anything at all. Read and forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IgnoredValue;

impl decode::Decode for IgnoredValue {
    fn read(&mut self, _: &Node) -> decode::Result {
        Ok(())
    }
}

impl encode::Encode for IgnoredValue {
    fn encode(&self) -> Option<Value> {
        Some(Value::Null)
    }
}

impl Describe for IgnoredValue {
    fn describe() -> &'static Type {
        &Type::Any("Ignored")
    }
}

/// The CRD's default of scrape and evaluation intervals.
pub(super) fn thirty_seconds() -> Duration {
    Duration::from("30s")
}
