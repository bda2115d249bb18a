//! A configuration in Alertmanager's own form: what is no part of it, what contradicts itself, and how the operator
//! writes it again for a version.
//!
//! In: a document, or a value in Alertmanager's own form. Out: Alertmanager's error, or the value in the operator's
//! order without empty keys.

mod rules;
pub(super) mod strict;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeSet;

use crate::cluster::assets::{ContentCheck, ContentFault};
use crate::lower::alertmanager::shape::types::TypeFault;
use crate::lower::alertmanager::{times, write};
use crate::receivers::ROOT;
use crate::receivers::table::shape::{GoScalar, KeyType, Shape, ShapeKey};
use promgen_text::go::duration::PromDuration;
use promgen_text::go::quote::quote;
use promgen_text::go::url::{self, Url};
use promgen_text::route::{Segment, ValueRoute};
use promgen_text::source::Span;
use promgen_text::version::Version;
use promgen_text::yaml::emit::sort_natural;
use promgen_text::yaml::{Data, Entry, Map, MapEntry, Node, Value};

pub(super) use rules::CRASH;

/// The words behind the name in the message about a field that the operator does not know.
pub(super) const UNKNOWN_FIELD: &str = " not found in type ";

/// Whose rules for names of labels count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRules {
    /// The names of the operator: ASCII without quotes.
    Classic,
    /// The names of Alertmanager since 0.27, which takes any text.
    Any,
}

/// The version of Alertmanager that parses a configuration, and its rules for names.
pub(super) struct Parser {
    /// The version.
    pub(super) version: Version,
    /// The rules.
    pub(super) names: NameRules,
}

/// The text of a document.
struct DocumentText<'a> {
    text: &'a str,
    parser: &'a Parser,
}

/// A configuration as the operator reads it: the known keys, in the operator's order.
///
/// # Errors
/// A key or value is no part of a configuration, or contradicts another; in Alertmanager's words.
pub(super) fn read(text: &str, root: &Node, parser: &Parser) -> Result<Map, ContentFault> {
    let cx = DocumentText { text, parser };
    let mut found = Vec::new();
    match root.data {
        Data::Map(_) => cx.check(root, &ROOT, &mut found)?,
        _ => found.push(cx.unfit(root, "config.plain")),
    }
    if found.is_empty() {
        return Ok(ordered(&cx.part(root, &ROOT), &ROOT));
    }
    Err(unmarshal_error(root, &found))
}

/// Returns whether the operator's own types have all keys of a configuration that Alertmanager accepts, and hold its
/// values.
///
/// # Errors
/// They do not, in the words of Go's decoder.
pub(super) fn own_types(
    text: &str,
    root: &Node,
    parser: &Parser,
    operator: &Version,
) -> ContentCheck {
    let mut found = Vec::new();
    DocumentText { text, parser }.foreign(root, &ROOT, operator, &mut found)?;
    if found.is_empty() {
        Ok(())
    } else {
        Err(unmarshal_error(root, &found))
    }
}

fn unmarshal_error(root: &Node, found: &[TypeFault]) -> ContentFault {
    let all = |is_shown: bool| {
        let line =
            |of: &TypeFault| format!("line {}: {}", of.line, of.fault.clone().message(is_shown));
        format!(
            "yaml: unmarshal errors:\n  {}",
            found.iter().map(line).collect::<Vec<_>>().join("\n  ")
        )
    };
    let fault = ContentFault::new(all(true), all(false));
    let route = found.first().and_then(|first| route_of(root, first.span));
    fault.at(route.unwrap_or_default())
}

/// The way to a value, or to one that has that key.
fn route_of(root: &Node, span: Span) -> Option<ValueRoute> {
    let mut todo = vec![(root, ValueRoute::root())];
    while let Some((node, route)) = todo.pop() {
        if node.span == span && !route.0.is_empty() {
            return Some(route);
        }
        if let Some(entry) = node.entries().iter().find(|entry| entry.key_span == span) {
            return Some(route.key(entry.key.to_string()));
        }
        let entries = node.entries().iter();
        todo.extend(entries.map(|of| (&of.value, route.clone().key(of.key.to_string()))));
        let items = node.items().iter().enumerate();
        todo.extend(items.map(|(index, item)| (item, route.clone().index(index))));
    }
    None
}

/// A part in the operator's order, without what is empty.
pub(super) fn ordered(part: &Map, shape: &'static Shape) -> Map {
    let value = |field: &ShapeKey| Some((field.key, kept(part.get(field.key), field.kind)?));
    shape.keys.iter().filter_map(value).collect()
}

/// The value of a key. `None` if the key is omitted.
fn kept(value: Option<&Value>, kind: KeyType) -> Option<Value> {
    let value = value.filter(|v| **v != Value::Null);
    match kind {
        KeyType::Text | KeyType::Url => value.filter(|v| v.as_str() != Some("")).cloned(),
        KeyType::GlobalUrl => value.map(rewritten),
        KeyType::Nullable => Some(value.cloned().unwrap_or(Value::Null)),
        KeyType::TextAlways => Some(value.cloned().unwrap_or_else(|| "".into())),
        KeyType::Flag => value.filter(|v| **v == Value::Bool(true)).cloned(),
        KeyType::FlagAlways => Some(Value::Bool(value == Some(&Value::Bool(true)))),
        KeyType::Number => value.filter(|v| **v != Value::Int(0)).cloned(),
        KeyType::OwnFalse => Some(Value::Bool(false)),
        KeyType::Upstream(_) => None,
        KeyType::Set | KeyType::TextSet | KeyType::Raw(_) | KeyType::AsText(_) => value.cloned(),
        KeyType::Masked => value
            .cloned()
            .map(|headers| masked_headers(sorted(headers))),
        KeyType::Sorted | KeyType::Anything | KeyType::ProxyHeader => value.cloned().map(sorted),
        KeyType::Texts | KeyType::Spans(_) => value
            .filter(|v| v.as_seq().is_some_and(|s| !s.is_empty()))
            .cloned(),
        KeyType::TextsAlways => Some(value.cloned().unwrap_or_else(|| Value::Seq(Vec::new()))),
        KeyType::Pairs => value
            .filter(|v| v.as_map().is_some_and(|m| !m.is_empty()))
            .cloned()
            .map(sorted),
        KeyType::One(shape) => {
            value.map(|v| ordered(v.as_map().unwrap_or(&Map::new()), shape).into())
        }
        KeyType::Filled(shape) => {
            let part = ordered(value?.as_map()?, shape);
            (!part.is_empty()).then(|| part.into())
        }
        KeyType::Many(shape) => {
            let items = value.and_then(Value::as_seq).unwrap_or_default();
            let parts: Vec<Value> = items
                .iter()
                .map(|item| ordered(item.as_map().unwrap_or(&Map::new()), shape).into())
                .collect();
            (!parts.is_empty()).then_some(Value::Seq(parts))
        }
        KeyType::Times(_) => Some(times::normal(value)),
        KeyType::Duration => value.cloned().map(duration),
    }
}

impl DocumentText<'_> {
    /// Looks at a part in the order in which it is written, the innermost first, as a parser does. A part whose values are
    /// not of their types is not looked at as a whole.
    fn check(
        &self,
        node: &Node,
        shape: &'static Shape,
        found: &mut Vec<TypeFault>,
    ) -> ContentCheck {
        let before = found.len();
        let mut seen = BTreeSet::new();
        for entry in node.entries() {
            let is_known = |field: &&ShapeKey| {
                field.key == entry.key
                    && !matches!(field.kind, KeyType::OwnFalse)
                    && field.is_known_to(&self.parser.version)
            };
            let Some(field) = shape.keys.iter().find(is_known) else {
                found.push(self.unknown(entry, &shape.go(&self.parser.version)));
                continue;
            };
            if !seen.insert(&*entry.key) {
                found.push(self.repeated(entry, &shape.go(&self.parser.version)));
                continue;
            }
            if self.mismatch(&entry.value, field, found) {
                self.inside(&entry.value, field, found)
                    .map_err(|fault| fault.inside(Segment::Key(field.key.into())))?;
            }
        }
        // An `UnmarshalYAML` returns the decoder's errors before it makes its own checks.
        if found.len() > before {
            Ok(())
        } else {
            rules::check(self, node, shape)
        }
    }

    /// Looks at what a value of the right type has in it.
    fn inside(&self, node: &Node, field: &ShapeKey, found: &mut Vec<TypeFault>) -> ContentCheck {
        match field.kind {
            KeyType::One(shape) | KeyType::Filled(shape) | KeyType::Raw(shape) => {
                self.check(node, shape, found)
            }
            KeyType::AsText(shape) if matches!(node.data, Data::Map(_)) => {
                self.check(node, shape, found)
            }
            // An item of another type does not keep the decoder from those behind it.
            KeyType::Many(shape) | KeyType::Times(shape) => {
                let mut check = |item: &Node| match item.data {
                    // go-yaml calls no `UnmarshalYAML` for null.
                    Data::Null => Ok(()),
                    Data::Map(_) => self.check(item, shape, found),
                    _ => {
                        found.push(self.unfit(item, &self.part_type(shape, item)));
                        Ok(())
                    }
                };
                let mut items = node.items().iter().enumerate();
                items.try_for_each(|(index, item)| {
                    check(item).map_err(|fault| fault.inside(Segment::Index(index)))
                })
            }
            KeyType::Url | KeyType::GlobalUrl => check_url(self.scalar(node).as_str()),
            _ => rules::value(self, node, field),
        }
    }

    /// Takes note of what the operator's own types lack: keys, and the upper half of a number's bits. A time-out is a duration
    /// of Prometheus there, and one of Go in Alertmanager.
    fn foreign(
        &self,
        node: &Node,
        shape: &'static Shape,
        operator: &Version,
        found: &mut Vec<TypeFault>,
    ) -> ContentCheck {
        for entry in node.entries() {
            let (field, value) = (shape.field(&entry.key), &entry.value);
            match field.and_then(|field| field.go) {
                Some(GoScalar::Uint64) if !types::fits_int32(value) => {
                    found.push(self.unfit(value, "int32"))
                }
                Some(GoScalar::Nanoseconds) if !value.is_null() => {
                    rules::prom_duration(&self.scalar(value))?
                }
                Some(_) | None => {}
            }
            if let Some(own) = field.and_then(|field| field.own_type(operator)) {
                found.push(self.unknown(entry, own));
                continue;
            }
            if let Some((part, nodes)) = field.and_then(|field| field.kind.parts(value)) {
                nodes
                    .iter()
                    .try_for_each(|node| self.foreign(node, part, operator, found))?;
            }
        }
        Ok(())
    }

    /// The known keys of a part, with scalars as Go reads them.
    fn part(&self, node: &Node, shape: &'static Shape) -> Map {
        let value = |field: &ShapeKey| {
            let node = node.get(field.key).filter(|n| n.data != Data::Null)?;
            Some((field.key, self.value(node, field.kind)))
        };
        shape.keys.iter().filter_map(value).collect()
    }

    fn value(&self, node: &Node, kind: KeyType) -> Value {
        match kind {
            KeyType::Text
            | KeyType::TextSet
            | KeyType::Url
            | KeyType::GlobalUrl
            | KeyType::TextAlways
            | KeyType::Duration => self.scalar(node).into(),
            KeyType::Number | KeyType::Set => match node.data {
                // Go cuts the fraction off.
                Data::Float(number) => whole(number),
                _ => node.to_value(),
            },
            KeyType::Flag
            | KeyType::FlagAlways
            | KeyType::OwnFalse
            | KeyType::Nullable
            | KeyType::Times(_) => node.to_value(),
            KeyType::Upstream(_)
            | KeyType::Raw(_)
            | KeyType::Sorted
            | KeyType::Anything
            | KeyType::Masked
            | KeyType::ProxyHeader => self.anything(node),
            KeyType::AsText(_) => match node.data {
                Data::Map(_) => self.anything(node),
                _ => self.scalar(node).into(),
            },
            KeyType::Texts | KeyType::TextsAlways | KeyType::Spans(_) => {
                Value::Seq(self.texts(node))
            }
            KeyType::Pairs => {
                let pair = |e: &Entry| (self.key(e), self.scalar(&e.value).into());
                Value::Map(node.entries().iter().map(pair).collect())
            }
            KeyType::One(shape) | KeyType::Filled(shape) => self.part(node, shape).into(),
            KeyType::Many(shape) => Value::Seq(
                node.items()
                    .iter()
                    .map(|item| self.part(item, shape).into())
                    .collect(),
            ),
        }
    }

    /// Any value: keys at the top are text, deeper keys have any YAML type.
    fn anything(&self, node: &Node) -> Value {
        match &node.data {
            Data::Map(entries) => {
                let entry = |e: &Entry| (self.key(e), self.typed(&e.value));
                Value::Map(entries.iter().map(entry).collect())
            }
            _ => self.typed(node),
        }
    }

    /// A key of a map of texts: a plain one is as it is written, even if YAML 1.1 reads it as a boolean or a number.
    fn key(&self, entry: &Entry) -> String {
        let span = entry.key_span;
        let source = self
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default();
        let is_word =
            source.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '+' | '-' | '.'));
        let is_plain = is_word && !source.contains(['\n', '\r']);
        if is_plain && !source.eq_ignore_ascii_case("null") {
            source.to_owned()
        } else {
            entry.key.to_string()
        }
    }

    fn typed(&self, node: &Node) -> Value {
        match &node.data {
            Data::Map(entries) => {
                let entry = |e: &Entry| {
                    let source = self
                        .text
                        .get(e.key_span.start as usize..e.key_span.end as usize)
                        .unwrap_or_default();
                    (write::key(&e.key, source), self.typed(&e.value))
                };
                Value::Map(entries.iter().map(entry).collect())
            }
            Data::Seq(items) => Value::Seq(items.iter().map(|item| self.typed(item)).collect()),
            _ => node.to_value(),
        }
    }

    fn texts(&self, node: &Node) -> Vec<Value> {
        node.items()
            .iter()
            .map(|item| self.scalar(item).into())
            .collect()
    }

    /// A plain value as text, as it is written: Go reads a number into a text so.
    fn scalar(&self, node: &Node) -> String {
        match &node.data {
            Data::String(text) => text.to_string(),
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => self
                .text
                .get(node.span.start as usize..node.span.end as usize)
                .unwrap_or_default()
                .to_owned(),
            Data::Null | Data::Seq(_) | Data::Map(_) => String::new(),
        }
    }

    fn line(&self, span: Span) -> usize {
        let before = self
            .text
            .as_bytes()
            .get(..span.start as usize)
            .unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    }
}

/// A number without its fraction.
fn whole(number: f64) -> Value {
    let text = format!("{:.0}", number.trunc());
    text.parse::<i64>().map_or(Value::Float(number), Value::Int)
}

/// The mask that Alertmanager's own types write in place of a secret.
pub(super) const MASK: &str = "<secret>";

/// Headers of requests, as Alertmanager's own types write them: the fields of a header in the order of its type, without empty
/// lists and without its secrets.
fn masked_headers(headers: Value) -> Value {
    let Value::Map(headers) = headers else {
        return headers;
    };
    let written = |header: Value| match header {
        Value::Map(header) => Value::Map(
            ["values", "secrets", "files"]
                .iter()
                .filter_map(|key| list(&header, key))
                .collect(),
        ),
        header => header,
    };
    Value::Map(
        headers
            .into_entries()
            .into_iter()
            .map(|(name, header)| (name, written(header)))
            .collect(),
    )
}

/// One list of a header, as an entry of it. What stands in for a list stays.
fn list(header: &Map, key: &'static str) -> Option<MapEntry> {
    let shown = |item: Value| if key == "secrets" { MASK.into() } else { item };
    let value = match header.get(key)?.clone() {
        Value::Null => return None,
        Value::Seq(items) if items.is_empty() => return None,
        Value::Seq(items) => Value::Seq(items.into_iter().map(shown).collect()),
        value => value,
    };
    Some((key.into(), value))
}

/// A URL as Go writes it again.
fn rewritten(value: &Value) -> Value {
    match value {
        Value::Str(text) => url::rewritten(text).map_or_else(|| value.clone(), Value::from),
        value => value.clone(),
    }
}

/// A duration as Go writes it again; what is none stays as it is.
fn duration(value: Value) -> Value {
    let parsed = value.as_str().map(PromDuration::parse);
    match parsed {
        Some(Ok(duration)) => duration.to_string().into(),
        Some(Err(_)) | None => value,
    }
}

/// Alertmanager's check of a URL. Upstream: `parseURL`.
fn check_url(text: &str) -> ContentCheck {
    let url = Url::parse(text).map_err(ContentFault::quoting)?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return Err(ContentFault::quoting(format!(
            "unsupported scheme {} for URL",
            quote(&url.scheme)
        )));
    }
    if url.host.is_empty() {
        Err(ContentFault::plain("missing host for URL"))
    } else {
        Ok(())
    }
}

/// The value with the maps in it sorted, as Go writes its own.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut map: Map = map
                .into_entries()
                .into_iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            sort_natural(&mut map);
            Value::Map(map)
        }
        Value::Seq(items) => Value::Seq(items.into_iter().map(sorted).collect()),
        value @ (Value::Null
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Uint(_)
        | Value::Float(_)
        | Value::Str(_)
        | Value::StandIn(_)
        | Value::Binary(_)) => value,
    }
}
