//! Descriptions of the API types, as data: what a manifest may say.
//!
//! A type derives its description together with `Decode`, from its fields, their comments and attributes. What needs to know
//! the types walks the descriptions: [`yaml::decode`](mod@crate::yaml::decode) reads by them, `promgen_resources::schema` prints
//! and checks by them. All of it is static; a type names the types of its fields by function, so that it may contain itself.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use arcstr::ArcStr;
use litemap::LiteMap;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value;

/// The place of the description of a type.
pub type TypeFn = fn() -> &'static Type;

/// A type that has a description.
pub trait Describe {
    /// The description.
    fn describe() -> &'static Type;
}

/// The type of a value.
#[derive(Debug)]
pub enum Type {
    /// A map with known keys.
    Object(ObjectType),
    /// A map of any keys to values of one type.
    Map(TypeFn),
    /// A list of values of one type.
    List(TypeFn),
    /// Any text.
    Text,
    /// A text with a form of its own.
    NamedText(NamedText),
    /// A whole number of 32 bits.
    Int32,
    /// A whole number of 64 bits.
    Int64,
    /// True or false.
    Boolean,
    /// A whole number or a text.
    IntOrString(IntOrStringType),
    /// Anything. The name of its definition.
    Any(&'static str),
}

/// A map with known keys.
#[derive(Debug)]
pub struct ObjectType {
    /// The name of its definition.
    pub name: &'static str,
    /// The purpose.
    pub doc: &'static str,
    /// The keys, and other objects whose keys stand among them.
    pub fields: &'static [Field],
    /// Other keys are fine too.
    pub is_open: bool,
    /// Rules over several fields.
    pub validations: &'static [Validation],
    /// Another type that a field can select.
    pub dialect: Option<&'static TypeDialect>,
}

impl ObjectType {
    /// An object without fields.
    pub const EMPTY: Self = Self {
        name: "",
        doc: "",
        fields: &[],
        is_open: false,
        validations: &[],
        dialect: None,
    };

    /// The field of that name, be it its own or that of an object whose fields stand here.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find_map(|field| match field.inlined() {
            Some(object) => object.field(name),
            None => (field.name == name).then_some(field),
        })
    }

    /// Visits all fields, those of inlined objects included.
    pub fn each(&self, visit: &mut dyn FnMut(&'static Field)) {
        for field in self.fields {
            match field.inlined() {
                Some(object) => object.each(visit),
                None => visit(field),
            }
        }
    }
}

/// A known key.
#[derive(Debug)]
pub struct Field {
    /// The key. Empty for an object whose own fields stand here.
    pub name: &'static str,
    /// The purpose.
    pub doc: &'static str,
    /// The type of its value.
    pub of: TypeFn,
    /// It must be there.
    pub is_required: bool,
    /// The default if it is not set, as the CRD states it.
    pub default: Option<fn() -> Value>,
    /// The bounds of its value, if it has any.
    pub bounds: Option<&'static Bounds>,
}

impl Field {
    /// A field that may be absent, of any text.
    pub const OPTIONAL: Self = Self {
        name: "",
        doc: "",
        of: String::describe,
        is_required: false,
        default: None,
        bounds: None,
    };

    /// The bounds of its value.
    #[must_use]
    pub fn bounds(&self) -> &'static Bounds {
        self.bounds.unwrap_or(&Bounds::NONE)
    }

    /// The object whose fields stand here, if this is none by itself.
    #[must_use]
    pub fn inlined(&self) -> Option<&'static ObjectType> {
        // Most have a name: what they are need not be asked.
        match self.name.is_empty().then(self.of)? {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// The bounds of the value of a field, besides its type.
#[derive(Debug)]
pub struct Bounds {
    /// The least number.
    pub min: Option<i64>,
    /// The greatest number.
    pub max: Option<i64>,
    /// The least number of characters or items.
    pub min_length: Option<u64>,
    /// What a text has to match.
    pub pattern: Option<&'static LazyRegex>,
    /// The bounds of every item of a list.
    pub items: Option<&'static Self>,
    /// The identity of the items of a list.
    pub identity: Identity,
    /// The schema says nothing of the number of bits: the operator's type is Go's `int`, for which its CRD names no
    /// format.
    pub is_unformatted: bool,
}

impl Bounds {
    /// None at all.
    pub const NONE: Self = Self {
        min: None,
        max: None,
        min_length: None,
        pattern: None,
        items: None,
        identity: Identity::None,
        is_unformatted: false,
    };

    /// The form of a text with these bounds.
    #[must_use]
    pub fn text(&self) -> NamedText {
        NamedText {
            min_length: self.min_length,
            pattern: self.pattern,
            ..NamedText::ANY
        }
    }
}

/// The identity of the items of a list: when two of them are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nothing: duplicates are fine.
    None,
    /// Their value.
    Value,
    /// Some of their fields.
    Keys(&'static [&'static str]),
}

/// A text with a form of its own.
#[derive(Debug)]
pub struct NamedText {
    /// The name of its definition.
    pub name: &'static str,
    /// All that is allowed. Empty: anything.
    pub values: &'static [&'static str],
    /// The pattern that it must match.
    pub pattern: Option<&'static LazyRegex>,
    /// The number of characters that it needs.
    pub min_length: Option<u64>,
    /// It is a moment in RFC 3339.
    pub is_time: bool,
}

impl NamedText {
    /// Any text.
    pub const ANY: Self = Self {
        name: "",
        values: &[],
        pattern: None,
        min_length: None,
        is_time: false,
    };
}

/// A whole number or a text.
#[derive(Debug)]
pub struct IntOrStringType {
    /// The name of its definition.
    pub name: &'static str,
    /// What a text has to match.
    pub pattern: Option<&'static LazyRegex>,
}

/// A type that holds instead of another where a field has one of some values, or is missing beside fields that only this type has.
#[derive(Debug)]
pub struct TypeDialect {
    /// The field that selects it.
    pub field: &'static str,
    /// The values that select it.
    pub values: &'static [&'static str],
    /// What holds then.
    pub of: TypeFn,
    /// The advice for an object of either type that does not fit: what both look like.
    pub both: &'static str,
}

/// A rule over several fields, as a CRD states it.
#[derive(Clone, Copy, Debug)]
pub struct Validation {
    /// The API server's message where it does not hold.
    pub message: &'static str,
    /// The rule in CEL.
    pub rule: &'static str,
    /// The rule as promgen checks it.
    pub demand: Demand,
}

/// The demand of a rule on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// A field has no use in a DaemonSet of agents.
    AbsentInDaemonSet(&'static str),
    /// A DaemonSet of agents has one shard.
    OneShardInDaemonSet,
    /// Every zone of the sharding strategy gets a shard.
    ShardPerZone,
    /// At most one of these fields is set.
    AtMostOne(&'static [&'static str]),
    /// One of these fields of an object is there.
    OneBelow(&'static str, &'static [&'static str]),
    /// Zones come with the mode that uses them.
    TopologyWithMode,
    /// An external id comes with a role.
    ExternalIdWithRole,
    /// Settings of rolling updates come with rolling updates.
    RollingUpdateWithType,
}

/// A regular expression, compiled when first needed.
#[derive(Debug)]
pub struct LazyRegex {
    /// As the schema has it.
    pub text: &'static str,
    compiled: OnceLock<Regex>,
}

impl LazyRegex {
    /// The pattern of that text.
    #[must_use]
    pub const fn new(text: &'static str) -> Self {
        Self {
            text,
            compiled: OnceLock::new(),
        }
    }

    /// Returns whether it matches. Classes such as `\w` are ASCII, as in Go.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let compile = || {
            RegexBuilder::new(self.text)
                .unicode(false)
                .build()
                .expect("patterns of the types compile")
        };
        self.compiled.get_or_init(compile).is_match(text.as_bytes())
    }
}

/// Declares what is read of an object: plain structs whose fields may all be missing, behind how far they are visible.
#[macro_export]
macro_rules! lenient {
    (($vis:vis) $($(#[$doc:meta])* struct $name:ident { $($(#[$attribute:meta])* $field:ident: $ty:ty,)* })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Default, PartialEq, Decode)]
            #[api(default)]
            $vis struct $name {
                $($(#[$attribute])* $vis $field: $ty,)*
            }
        )+
    };
}

/// Declares the types of an answer, behind what all of them derive and how far they are visible: what is serialized, with keys in
/// camel case, and, where the crate has its feature `schema`, what its schema is of. A field with a `?` behind its name is an option, and
/// has no key where there is none. Behind `as` stand the name of a type in schemas, and the type that they show of a field.
#[macro_export]
macro_rules! answers {
    ($derive:tt ($vis:vis) $(
        $(#[$doc:meta])+
        enum $name:ident $(as $shown:literal)? { $($(#[$variant_doc:meta])+ $variant:ident $(($of:ty))?,)+ }
    )+) => {
        $(
            #[derive $derive]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema) $(, schemars(rename = $shown))?)]
            $(#[$doc])+
            #[serde(rename_all = "camelCase")]
            $vis enum $name { $($(#[$variant_doc])+ $variant $(($of))?,)+ }
        )+
    };
    ($derive:tt ($vis:vis) $(
        $(#[$doc:meta])+
        $name:ident $(<$generic:tt>)? $(as $shown:literal)? {
            $($(#[$field_doc:meta])+ $field:ident $(?: $some:ty)? $(: $type:ty)? $(as $seen:literal)?,)+
        }
    )+) => {
        $(
            #[derive $derive]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema) $(, schemars(rename = $shown))?)]
            $(#[$doc])+
            #[serde(rename_all = "camelCase")]
            $vis struct $name $(<$generic>)? {
                $(
                    $(#[$field_doc])+
                    $(#[cfg_attr(feature = "schema", schemars(with = $seen))])?
                    $(
                        #[serde(skip_serializing_if = "Option::is_none")]
                        $vis $field: Option<$some>,
                    )?
                    $($vis $field: $type,)?
                )+
            }
        )+
    };
}

/// A static pattern.
#[macro_export]
macro_rules! pattern {
    ($text:expr) => {{
        static PATTERN: $crate::describe::LazyRegex = $crate::describe::LazyRegex::new($text);
        &PATTERN
    }};
}
pub use crate::pattern;

impl<T: Describe> Describe for Option<T> {
    fn describe() -> &'static Type {
        T::describe()
    }
}

impl<T: Describe> Describe for Box<T> {
    fn describe() -> &'static Type {
        T::describe()
    }
}

impl<T: Describe> Describe for Vec<T> {
    fn describe() -> &'static Type {
        const { &Type::List(T::describe) }
    }
}

impl<T: Describe> Describe for BTreeMap<String, T> {
    fn describe() -> &'static Type {
        const { &Type::Map(T::describe) }
    }
}

impl<T: Describe> Describe for LiteMap<ArcStr, T> {
    fn describe() -> &'static Type {
        const { &Type::Map(T::describe) }
    }
}

macro_rules! plain {
    ($($type:ty: $description:ident),+) => {
        $(impl Describe for $type {
            fn describe() -> &'static Type {
                &Type::$description
            }
        })+
    };
}

plain! { String: Text, ArcStr: Text, bool: Boolean, i32: Int32, i64: Int64 }
