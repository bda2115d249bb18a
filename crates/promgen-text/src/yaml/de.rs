//! Nodes into serde types.
//!
//! In: a [`Node`]. Out: a value of any type that serde can read, or a [`Mismatch`] with the way to the first node that
//! does not fit. Types are strict: text is not read as a number, nor a number as text. Knows nothing of places in the
//! text; the route leads to them.

use std::fmt;

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    self, DeserializeSeed, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::route::{Route, Step};
use crate::yaml::{Data, Entry, Node};

/// Why a node did not fit a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The value that did not fit.
    pub route: Route,
    /// What was wrong, lower case, no full stop.
    pub message: String,
}

/// Deserializes a node into a type of serde's, such as a test file. A field whose value is null counts as absent. What the
/// API describes is read by [`decode`](crate::yaml::decode()).
///
/// # Errors
/// The first value that does not fit, by its route. Below `#[serde(flatten)]` and in untagged enums the route ends at
/// the value that has them, because serde copies before it looks.
pub fn from_node<'de, T: Deserialize<'de>>(node: &'de Node<'_>) -> Result<T, Mismatch> {
    T::deserialize(Reader { node }).map_err(Error::into_mismatch)
}

/// An error on its way up: steps are added innermost first. Boxed, because it is carried through every call.
#[derive(Debug)]
pub struct Error(Box<ErrorBody>);

#[derive(Debug)]
struct ErrorBody {
    steps: Vec<Step>,
    message: String,
}

impl Error {
    fn new(message: String) -> Self {
        Self(Box::new(ErrorBody { steps: Vec::new(), message }))
    }

    /// Another kind of value than expected.
    pub fn expected(what: &str, found: &Node<'_>) -> Self {
        Self::new(format!("expected {what}, found {}", Found(&found.data)))
    }

    /// A required field that is absent.
    pub(super) fn missing(field: &str) -> Self {
        Self::new(format!("missing field `{field}`"))
    }

    /// A text that is none of those expected.
    pub(super) fn unknown(text: &str, expected: &[&str]) -> Self {
        Self::new(format!("`{text}` is none of {}", listed(expected)))
    }

    /// The same, one key further up.
    pub(super) fn below_key(mut self, key: &str) -> Self {
        self.0.steps.push(Step::Key(key.to_owned().into()));
        self
    }

    /// The same, one index further up.
    pub(super) fn below_index(mut self, index: usize) -> Self {
        self.0.steps.push(Step::Index(index));
        self
    }

    /// The error with its way from the root.
    pub(super) fn into_mismatch(self) -> Mismatch {
        let ErrorBody { mut steps, message } = *self.0;
        steps.reverse();
        Mismatch { route: Route(steps), message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}, found {}", words(expected), unexpected(found)))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}, found {length} values", words(expected)))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("`{variant}` is none of {}", listed(expected)))
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::new(format!("unknown field `{field}`"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("missing field `{field}`"))
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// What serde expects, without the names of Rust's types.
fn words(expected: &dyn Expected) -> String {
    let text = expected.to_string();
    match text.as_str() {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize" => {
            let kind = if text.starts_with('u') { "a whole number of at least 0" } else { "a whole number" };
            match text.trim_start_matches(['i', 'u']).parse::<u32>() {
                Ok(bits @ ..=32) => format!("{kind} that fits {bits} bits"),
                Ok(_) | Err(_) => kind.to_owned(),
            }
        }
        "f32" | "f64" => "a number".to_owned(),
        _ if text.starts_with("struct ") || text.starts_with("internally tagged ") => "a map".to_owned(),
        "a sequence" => "a list".to_owned(),
        _ => text,
    }
}

fn unexpected(found: Unexpected<'_>) -> String {
    match found {
        Unexpected::Bool(bool) => format!("boolean {bool}"),
        Unexpected::Unsigned(number) => format!("number {number}"),
        Unexpected::Signed(number) => format!("number {number}"),
        Unexpected::Float(number) => format!("number {number}"),
        Unexpected::Str(text) => format!("string {}", quoted(text)),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq => "a list".to_owned(),
        Unexpected::Map => "a map".to_owned(),
        other => other.to_string(),
    }
}

/// A node's kind and, where it is short, its value.
struct Found<'n>(&'n Data<'n>);

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Data::Null => f.write_str("null"),
            Data::Bool(bool) => write!(f, "boolean {bool}"),
            Data::Int(int) => write!(f, "number {int}"),
            Data::Uint(uint) => write!(f, "number {uint}"),
            Data::Float(float) => write!(f, "number {float}"),
            Data::String(text) => write!(f, "string {}", quoted(text)),
            Data::Seq(_) => f.write_str("a list"),
            Data::Map(_) => f.write_str("a map"),
        }
    }
}

/// A text in quotes, cut to the length of a message.
fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// Reads one node.
#[derive(Clone, Copy)]
struct Reader<'de, 'n> {
    node: &'de Node<'n>,
}

impl<'de> Reader<'de, '_> {
    fn mismatch(self, what: &'static str) -> Error {
        Error::expected(what, self.node)
    }

    fn whole<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.node.data {
            Data::Int(int) => visitor.visit_i64(*int),
            Data::Uint(uint) => visitor.visit_u64(*uint),
            Data::Null | Data::Bool(_) | Data::Float(_) | Data::String(_) | Data::Seq(_) | Data::Map(_) => {
                Err(self.mismatch("a whole number"))
            }
        }
    }

    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.node.data {
            Data::Int(int) => visitor.visit_i64(*int),
            Data::Uint(uint) => visitor.visit_u64(*uint),
            Data::Float(float) => visitor.visit_f64(*float),
            Data::Null | Data::Bool(_) | Data::String(_) | Data::Seq(_) | Data::Map(_) => {
                Err(self.mismatch("a number"))
            }
        }
    }

    fn text<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Data::String(text) = &self.node.data else { return Err(self.mismatch("a string")) };
        visitor.visit_borrowed_str(text)
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Data::Seq(items) = &self.node.data else { return Err(self.mismatch("a list")) };
        visit_list(items, visitor)
    }

    fn fields<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Data::Map(entries) = &self.node.data else { return Err(self.mismatch("a map")) };
        visit_fields(entries, visitor)
    }
}

/// Methods of a deserializer that all do the same.
macro_rules! alike {
    ($($method:ident)+ => $target:ident) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$target(visitor)
        })+
    };
}

impl<'de> de::Deserializer<'de> for Reader<'de, '_> {
    type Error = Error;

    alike!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 => whole);
    alike!(deserialize_f32 deserialize_f64 => number);
    alike!(deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_identifier => text);
    alike!(deserialize_seq => list);
    alike!(deserialize_map => fields);

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.node.data {
            Data::Null => visitor.visit_unit(),
            Data::Bool(bool) => visitor.visit_bool(*bool),
            Data::Int(int) => visitor.visit_i64(*int),
            Data::Uint(uint) => visitor.visit_u64(*uint),
            Data::Float(float) => visitor.visit_f64(*float),
            Data::String(text) => visitor.visit_borrowed_str(text),
            Data::Seq(items) => visit_list(items, visitor),
            Data::Map(entries) => visit_fields(entries, visitor),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let Data::Bool(bool) = &self.node.data else { return Err(self.mismatch("a boolean")) };
        visitor.visit_bool(*bool)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.node.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.node.is_null() { visitor.visit_unit() } else { Err(self.mismatch("null")) }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.fields(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match &self.node.data {
            Data::String(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Data::Map(entries) => match entries.as_slice() {
                [entry] => visitor.visit_enum(Tagged { entry }),
                _ => Err(Error::new(format!("expected a map of one key, found {}", entries.len()))),
            },
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Seq(_) => {
                Err(self.mismatch("a string"))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

fn visit_list<'de, V: Visitor<'de>>(items: &'de [Node<'_>], visitor: V) -> Result<V::Value, Error> {
    let mut list = List { items: items.iter().enumerate(), len: items.len() };
    let value = visitor.visit_seq(&mut list)?;
    match list.items.len() {
        0 => Ok(value),
        rest => Err(Error::new(format!("expected a list of {} values, found {}", list.len - rest, list.len))),
    }
}

struct List<'de, 'n> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Node<'n>>>,
    len: usize,
}

impl<'de> SeqAccess<'de> for &mut List<'de, '_> {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        let Some((index, node)) = self.items.next() else { return Ok(None) };
        seed.deserialize(Reader { node }).map(Some).map_err(|error| error.below_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

fn visit_fields<'de, V: Visitor<'de>>(entries: &'de [Entry<'_>], visitor: V) -> Result<V::Value, Error> {
    visitor.visit_map(Entries { rest: entries.iter(), current: None })
}

/// The entries of a map.
struct Entries<'de, 'n> {
    rest: std::slice::Iter<'de, Entry<'n>>,
    current: Option<&'de Entry<'n>>,
}

impl<'de> MapAccess<'de> for Entries<'de, '_> {
    type Error = Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Error> {
        self.current = self.rest.find(|entry| !entry.value.is_null());
        let Some(entry) = self.current else { return Ok(None) };
        seed.deserialize(Key { text: &entry.key }).map(Some).map_err(|error| error.below_key(&entry.key))
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let entry = self.current.take().expect("serde asks for a key before its value");
        seed.deserialize(Reader { node: &entry.value }).map_err(|error| error.below_key(&entry.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// Reads a key, or the name of a variant.
struct Key<'de> {
    text: &'de str,
}

impl<'de> de::Deserializer<'de> for Key<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.text))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

/// An enum written as a map of one key, which names the variant.
struct Tagged<'de, 'n> {
    entry: &'de Entry<'n>,
}

impl<'de, 'n> EnumAccess<'de> for Tagged<'de, 'n> {
    type Error = Error;
    type Variant = Content<'de, 'n>;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), Error> {
        let variant = seed.deserialize(Key { text: &self.entry.key })?;
        Ok((variant, Content { entry: self.entry }))
    }
}

/// What a variant holds.
struct Content<'de, 'n> {
    entry: &'de Entry<'n>,
}

impl<'de, 'n> Content<'de, 'n> {
    fn reader(&self) -> Reader<'de, 'n> {
        Reader { node: &self.entry.value }
    }

    fn located<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        result.map_err(|error| error.below_key(&self.entry.key))
    }
}

impl<'de> VariantAccess<'de> for Content<'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.located(<()>::deserialize(self.reader()))
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        self.located(seed.deserialize(self.reader()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.located(self.reader().list(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Error> {
        self.located(self.reader().fields(visitor))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;
    use crate::diag::Sink;
    use crate::source::FileId;
    use crate::yaml::read::read;

    fn from<T: de::DeserializeOwned>(text: &str) -> Result<T, String> {
        let documents = read(FileId(0), text, &mut Sink::default());
        from_node(&documents[0].root).map_err(|mismatch| format!("{}: {}", mismatch.route, mismatch.message))
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Spec {
        name: Option<String>,
        shards: Option<i32>,
        ratio: Option<f64>,
        mode: Option<Mode>,
        ports: Vec<Port>,
        labels: BTreeMap<Label, String>,
        port: Option<IntOrString>,
        auth: Option<Auth>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Mode {
        Classic,
        Topology,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    struct Label(String);

    #[derive(Debug, PartialEq, Deserialize)]
    struct Port {
        number: u16,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum IntOrString {
        Int(i32),
        String(String),
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase")]
    enum Auth {
        Basic { user: String },
        Bearer(String),
        Pair(u8, u8),
        None,
    }

    #[test]
    fn types_are_filled_and_a_null_field_counts_as_absent() {
        let spec: Spec = from(
            "name: x\nshards: 3.0\nratio: 2\nmode: Topology\nports: [{number: 8080}]\nlabels: {a: b}\nport: http\n\
             auth: {basic: {user: u}}\nunknown: [1, {a: b}]\n",
        )
        .unwrap();
        assert_eq!(
            spec,
            Spec {
                name: Some("x".into()),
                shards: Some(3),
                ratio: Some(2.0),
                mode: Some(Mode::Topology),
                ports: vec![Port { number: 8080 }],
                labels: BTreeMap::from([(Label("a".into()), "b".into())]),
                port: Some(IntOrString::String("http".into())),
                auth: Some(Auth::Basic { user: "u".into() }),
            }
        );
        assert_eq!(from::<Spec>("ports:\nlabels: ~\nname: null"), Ok(Spec::default()));
        assert_eq!(from::<Vec<Auth>>("[none, {bearer: t}, {pair: [1, 2]}]").unwrap().len(), 3);
        assert_eq!(from::<Vec<Option<u64>>>("[1, null, 18446744073709551615]").unwrap()[2], Some(u64::MAX));
    }

    #[test]
    fn a_mismatch_names_the_way_and_what_was_seen() {
        for (text, why) in [
            ("name: yes", "name: expected a string, found boolean true"),
            ("name: [a]", "name: expected a string, found a list"),
            ("shards: '3'", "shards: expected a whole number, found string \"3\""),
            ("shards: 1.5", "shards: expected a whole number, found number 1.5"),
            ("shards: 3000000000", "shards: expected a whole number that fits 32 bits, found number 3000000000"),
            (
                "ports: [{number: 1}, {number: -1}]",
                "ports[1].number: expected a whole number of at least 0 that fits 16 bits, found number -1",
            ),
            ("ports: [{}]", "ports[0]: missing field `number`"),
            ("ports: {}", "ports: expected a list, found a map"),
            ("mode: classic", "mode: `classic` is none of `Classic`, `Topology`"),
            ("labels: {a: {b: c}}", "labels.a: expected a string, found a map"),
            ("auth: {basic: {user: 1}}", "auth.basic.user: expected a string, found number 1"),
            ("auth: {a: 1, b: 2}", "auth: expected a map of one key, found 2"),
            ("auth: {pair: [1, 2, 3]}", "auth.pair: expected a list of 2 values, found 3"),
            ("a list", ": expected a map, found string \"a list\""),
        ] {
            assert_eq!(from::<Spec>(text), Err(why.to_owned()));
        }
    }
}
