//! Types of values as they are declared: they can be written in static tables.

use std::cmp::Ordering;
use std::fmt::{Debug, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

/// The type of a value, as far as it is known when an expression is read.
///
/// ```
/// use promgen_cel::{CelField, CelObjectType, CelType};
///
/// static RULE: CelObjectType = CelObjectType {
///     name: "rule",
///     doc: "A rule.",
///     fields: &[CelField {
///         name: "labels",
///         doc: "The labels.",
///         of: CelType::map(&CelType::Text, &CelType::Text),
///         is_optional: false,
///     }],
/// };
/// assert_eq!(CelType::Object(&RULE).to_string(), "rule");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CelType {
    /// Any type: nothing is checked.
    Dyn,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number with a sign.
    Int,
    /// A whole number without a sign.
    Uint,
    /// A floating-point number.
    Double,
    /// A text, which the language calls a string.
    Text,
    /// Bytes.
    Bytes,
    /// A length of time.
    Duration,
    /// A type.
    Type,
    /// A list, and the type of its items.
    List(CelTypePart),
    /// A map, and the types of its keys and its values: any key may lack.
    Map(CelTypePart, CelTypePart),
    /// A value that may lack.
    Optional(CelTypePart),
    /// An object with declared fields.
    Object(&'static CelObjectType),
}

/// A type that is a part of another one.
#[derive(Clone, Debug)]
pub enum CelTypePart {
    /// One of a static table.
    Static(&'static CelType),
    /// One that was inferred.
    Shared(Arc<CelType>),
}

/// The type of an object: its name and its fields. Two types of one name are the same.
pub struct CelObjectType {
    /// The name, as messages have it.
    pub name: &'static str,
    /// What it is, for the reference.
    pub doc: &'static str,
    /// The fields, in any order.
    pub fields: &'static [CelField],
}

/// A field of an object.
#[derive(Debug)]
pub struct CelField {
    /// The name.
    pub name: &'static str,
    /// What it says, for the reference.
    pub doc: &'static str,
    /// The type of its value.
    pub of: CelType,
    /// Whether it may lack; the type is that of the value if it is there.
    pub is_optional: bool,
}

impl CelType {
    /// A list of items of a type.
    #[must_use]
    pub const fn list(item: &'static Self) -> Self {
        Self::List(CelTypePart::Static(item))
    }

    /// A map from keys of a type to values of a type.
    #[must_use]
    pub const fn map(key: &'static Self, value: &'static Self) -> Self {
        Self::Map(CelTypePart::Static(key), CelTypePart::Static(value))
    }

    /// A value of a type that may lack.
    #[must_use]
    pub const fn optional(value: &'static Self) -> Self {
        Self::Optional(CelTypePart::Static(value))
    }

    /// The type with an article, as messages have it.
    #[must_use]
    pub fn described(&self) -> String {
        match self {
            Self::Dyn => "a value of any type".to_owned(),
            Self::Null | Self::Bytes => self.to_string(),
            Self::Int => "an int".to_owned(),
            Self::Object(of) => format!("an object `{}`", of.name),
            Self::Optional(value) if **value == Self::Dyn => "an optional".to_owned(),
            Self::Optional(_) => format!("an {}", self.named(0)),
            _ => format!("a {}", self.named(0)),
        }
    }

    /// The type without an article.
    fn named(&self, depth: usize) -> String {
        match self {
            Self::List(item) if **item == Self::Dyn => "list".to_owned(),
            Self::List(item) => format!("list of {}", item.plural(depth)),
            Self::Map(key, value) => match (&**key, &**value) {
                (Self::Dyn, Self::Dyn) => "map".to_owned(),
                (key, Self::Dyn) => format!("map from {}", key.plural(depth)),
                (key, value) => {
                    format!("map from {} to {}", key.plural(depth), value.plural(depth))
                }
            },
            Self::Optional(value) => format!("optional {}", value.named(depth + 1)),
            Self::Object(of) => format!("object `{}`", of.name),
            _ => self.to_string(),
        }
    }

    /// Several values of the type.
    fn plural(&self, depth: usize) -> String {
        match self {
            _ if depth == 3 => "values".to_owned(),
            Self::Dyn => "values of any type".to_owned(),
            Self::Bytes => self.to_string(),
            Self::Object(of) => format!("objects `{}`", of.name),
            _ => {
                let named = self.named(depth + 1);
                let (noun, rest) = named.split_at(named.find(' ').unwrap_or(named.len()));
                match self {
                    Self::Optional(_) => format!("{named}s"),
                    _ => format!("{noun}s{rest}"),
                }
            }
        }
    }
}

impl Display for CelType {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::Text => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Type => f.write_str("type"),
            Self::List(item) => write!(f, "list({})", **item),
            Self::Map(key, value) => write!(f, "map({}, {})", **key, **value),
            Self::Optional(value) => write!(f, "optional({})", **value),
            Self::Object(of) => f.write_str(of.name),
        }
    }
}

impl Deref for CelTypePart {
    type Target = CelType;

    fn deref(&self) -> &CelType {
        match self {
            Self::Static(of) => of,
            Self::Shared(of) => of,
        }
    }
}

impl PartialEq for CelTypePart {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for CelTypePart {}

impl PartialEq for CelObjectType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for CelObjectType {}

impl PartialOrd for CelObjectType {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CelObjectType {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(other.name)
    }
}

// Types may have themselves among their fields.
impl Debug for CelObjectType {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
