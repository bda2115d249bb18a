//! A configuration in Alertmanager's own form: what is no part of it, what contradicts itself, and how the operator
//! writes it again for a version.
//!
//! In: a document, or a value in Alertmanager's own form. Out: Alertmanager's error, or the value in the operator's
//! order without empty keys.

mod rules;
mod tables;
mod types;

use crate::cluster::assets::{Fault, REDACTED};
use crate::lower::alertmanager::shape::types::TypeFault;
use crate::lower::alertmanager::{times, write};
use promgen_resources::gates::Gate;
use promgen_text::go::duration::PromDuration;
use promgen_text::go::quote::quote;
use promgen_text::go::url::{self, Url};
use promgen_text::source::Span;
use promgen_text::yaml::emit::sort_natural;
use promgen_text::yaml::{Data, Map, Node, Value};

pub(super) use rules::CRASH;
pub(super) use tables::{GLOBAL, INHIBIT, RECEIVER, ROOT, ROUTE};

/// The keys of a part, in order.
pub(super) struct Shape(&'static [ShapeKey]);

/// A key.
pub(super) struct ShapeKey {
    /// Its name.
    pub(super) key: &'static str,
    /// The type of its value.
    pub(super) kind: KeyType,
    /// Its gate, if only some versions support it.
    pub(super) gate: Option<&'static Gate>,
}

impl Shape {
    /// The keys, in order.
    pub(super) const fn fields(&self) -> &'static [ShapeKey] {
        self.0
    }

    /// The field with that key.
    pub(super) fn field(&self, key: &str) -> Option<&'static ShapeKey> {
        self.0.iter().find(|field| field.key == key)
    }
}

/// The type of a key's value, and when the key is omitted.
#[derive(Clone, Copy)]
pub(super) enum KeyType {
    /// A text; not if it is empty.
    Text,
    /// A text, even if it is empty.
    TextAlways,
    /// A URL; not if it is empty.
    Url,
    /// A URL that the operator writes anew, with its password masked; not if it is empty.
    GlobalUrl,
    /// Anything plain; null if it is not set.
    Nullable,
    /// A boolean, omitted if it is false.
    Flag,
    /// A boolean, even if it is false.
    FlagAlways,
    /// A number; not if it is zero.
    Number,
    /// Anything plain that is set.
    Set,
    /// Texts; not if there are none.
    Texts,
    /// Texts, even if there are none.
    TextsAlways,
    /// Texts by name, sorted.
    Pairs,
    /// Anything, with maps sorted.
    Sorted,
    /// The same, with the secrets in it masked.
    Masked,
    /// A text, or a map.
    AsText,
    /// Anything, as it is written.
    Any,
    /// A part, even if it is empty.
    One(&'static Shape),
    /// A part; not if it is empty.
    Filled(&'static Shape),
    /// Parts; not if there are none.
    Many(&'static Shape),
    /// The ranges of a time interval.
    Times,
    /// A duration that is set.
    Duration,
}

const fn field(key: &'static str, kind: KeyType) -> ShapeKey {
    ShapeKey { key, kind, gate: None }
}

const fn since(key: &'static str, kind: KeyType, gate: &'static Gate) -> ShapeKey {
    ShapeKey { key, kind, gate: Some(gate) }
}

/// The end of the message about a field that the operator does not know.
pub(super) const UNKNOWN_FIELD: &str = "not found in type config.plain";

/// Whose rules for names of labels count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameRules {
    /// Those of the operator: ASCII without quotes.
    Classic,
    /// Those of Alertmanager since 0.27, which takes any text.
    Any,
}

/// The text of a document.
struct Cx<'a> {
    text: &'a str,
    names: NameRules,
}

/// A configuration as the operator reads it: the known keys, in the operator's order.
///
/// # Errors
/// What is no part of a configuration, or contradicts itself; in Alertmanager's words.
pub(super) fn read(text: &str, root: &Node, names: NameRules) -> Result<Map, Fault> {
    let cx = Cx { text, names };
    let mut found = Vec::new();
    match root.data {
        Data::Map(_) => cx.check(root, &tables::ROOT, &mut found)?,
        _ => found.push(cx.unfit(root, "config.plain")),
    }
    if found.is_empty() {
        return Ok(ordered(&cx.part(root, &tables::ROOT), &tables::ROOT));
    }
    let all = |is_shown: bool| {
        let line = |of: &TypeFault| format!("line {}: {}", of.line, of.fault.clone().message(is_shown));
        format!("yaml: unmarshal errors:\n  {}", found.iter().map(line).collect::<Vec<_>>().join("\n  "))
    };
    Err(Fault::new(all(true), all(false)))
}

/// A part in the operator's order, without what is empty.
pub(super) fn ordered(part: &Map, shape: &'static Shape) -> Map {
    let value = |field: &ShapeKey| Some((field.key.into(), kept(part.get(field.key), field.kind)?));
    shape.0.iter().filter_map(value).collect()
}

/// The value of a key. `None` if the key is omitted.
fn kept(value: Option<&Value>, kind: KeyType) -> Option<Value> {
    let value = value.filter(|v| **v != Value::Null);
    match kind {
        KeyType::Text | KeyType::Url => value.filter(|v| v.as_str() != Some("")).cloned(),
        KeyType::GlobalUrl => value.filter(|v| v.as_str() != Some("")).map(masked),
        KeyType::Nullable => Some(value.cloned().unwrap_or(Value::Null)),
        KeyType::TextAlways => Some(value.cloned().unwrap_or_else(|| "".into())),
        KeyType::Flag => value.filter(|v| **v == Value::Bool(true)).cloned(),
        KeyType::FlagAlways => Some(Value::Bool(value == Some(&Value::Bool(true)))),
        KeyType::Number => value.filter(|v| **v != Value::Int(0)).cloned(),
        KeyType::Set | KeyType::Any | KeyType::AsText => value.cloned(),
        KeyType::Masked => value.cloned().map(|headers| masked_headers(sorted(headers))),
        KeyType::Sorted => value.cloned().map(sorted),
        KeyType::Texts => value.filter(|v| v.as_seq().is_some_and(|s| !s.is_empty())).cloned(),
        KeyType::TextsAlways => Some(value.cloned().unwrap_or_else(|| Value::Seq(Vec::new()))),
        KeyType::Pairs => value.filter(|v| v.as_map().is_some_and(|m| !m.is_empty())).cloned().map(sorted),
        KeyType::One(shape) => value.map(|v| ordered(v.as_map().unwrap_or(&Map::new()), shape).into()),
        KeyType::Filled(shape) => {
            let part = ordered(value?.as_map()?, shape);
            (!part.is_empty()).then(|| part.into())
        }
        KeyType::Many(shape) => {
            let items = value.and_then(Value::as_seq).unwrap_or_default();
            let parts: Vec<Value> =
                items.iter().map(|item| ordered(item.as_map().unwrap_or(&Map::new()), shape).into()).collect();
            (!parts.is_empty()).then_some(Value::Seq(parts))
        }
        KeyType::Times => Some(times::normal(value)),
        KeyType::Duration => value.cloned().map(duration),
    }
}

impl Cx<'_> {
    /// Looks at a part in the order in which it is written, the innermost first, as a parser does. A part whose values are
    /// not of their types is not looked at as a whole.
    fn check(&self, node: &Node, shape: &'static Shape, found: &mut Vec<TypeFault>) -> Result<(), Fault> {
        let before = found.len();
        for entry in node.entries() {
            let Some(field) = shape.0.iter().find(|f| f.key == entry.key) else {
                let message = |key: &str| format!("field {key} {UNKNOWN_FIELD}");
                let fault = Fault::new(message(&entry.key), message(REDACTED));
                found.push(TypeFault { line: self.line(entry.key_span), fault });
                continue;
            };
            if !self.mismatch(&entry.value, (shape, field), found) {
                continue;
            }
            match field.kind {
                KeyType::One(shape) | KeyType::Filled(shape) => self.check(&entry.value, shape, found)?,
                KeyType::Many(shape) => {
                    entry.value.items().iter().try_for_each(|item| self.check(item, shape, found))?;
                }
                KeyType::Url | KeyType::GlobalUrl => check_url(self.scalar(&entry.value).as_str())?,
                KeyType::Text
                | KeyType::TextAlways
                | KeyType::Flag
                | KeyType::FlagAlways
                | KeyType::Number
                | KeyType::Set
                | KeyType::Nullable
                | KeyType::Duration
                | KeyType::Texts
                | KeyType::TextsAlways
                | KeyType::Pairs
                | KeyType::Sorted
                | KeyType::Masked
                | KeyType::AsText
                | KeyType::Times
                | KeyType::Any => rules::value(self, &entry.value, (shape, field.key))?,
            }
        }
        if found.len() > before { Ok(()) } else { rules::check(self, node, shape) }
    }

    /// The known keys of a part, with scalars as Go reads them.
    fn part(&self, node: &Node, shape: &'static Shape) -> Map {
        let value = |field: &ShapeKey| {
            let node = node.get(field.key).filter(|n| n.data != Data::Null)?;
            Some((field.key.into(), self.value(node, field.kind)))
        };
        shape.0.iter().filter_map(value).collect()
    }

    fn value(&self, node: &Node, kind: KeyType) -> Value {
        match kind {
            KeyType::Text | KeyType::Url | KeyType::GlobalUrl | KeyType::TextAlways | KeyType::Duration => {
                self.scalar(node).into()
            }
            KeyType::Number => match node.data {
                // Go cuts the fraction off.
                Data::Float(number) => whole(number),
                _ => node.to_value(),
            },
            KeyType::Flag | KeyType::FlagAlways | KeyType::Set | KeyType::Nullable | KeyType::Times => node.to_value(),
            KeyType::Any | KeyType::Sorted | KeyType::Masked => self.anything(node),
            KeyType::AsText => match node.data {
                Data::Map(_) => self.anything(node),
                _ => self.scalar(node).into(),
            },
            KeyType::Texts | KeyType::TextsAlways => Value::Seq(self.texts(node)),
            KeyType::Pairs => {
                let pair = |e: &promgen_text::yaml::Entry| (e.key.to_string().into(), self.scalar(&e.value).into());
                Value::Map(node.entries().iter().map(pair).collect())
            }
            KeyType::One(shape) | KeyType::Filled(shape) => self.part(node, shape).into(),
            KeyType::Many(shape) => Value::Seq(node.items().iter().map(|item| self.part(item, shape).into()).collect()),
        }
    }

    /// Any value: keys at the top are text, deeper keys have any YAML type.
    fn anything(&self, node: &Node) -> Value {
        match &node.data {
            Data::Map(entries) => {
                let entry = |e: &promgen_text::yaml::Entry| (e.key.to_string().into(), self.typed(&e.value));
                Value::Map(entries.iter().map(entry).collect())
            }
            _ => self.typed(node),
        }
    }

    fn typed(&self, node: &Node) -> Value {
        match &node.data {
            Data::Map(entries) => {
                let entry = |e: &promgen_text::yaml::Entry| {
                    let source = self.text.get(e.key_span.start as usize..e.key_span.end as usize).unwrap_or_default();
                    (write::key(&e.key, source).into(), self.typed(&e.value))
                };
                Value::Map(entries.iter().map(entry).collect())
            }
            Data::Seq(items) => Value::Seq(items.iter().map(|item| self.typed(item)).collect()),
            _ => node.to_value(),
        }
    }

    fn texts(&self, node: &Node) -> Vec<Value> {
        node.items().iter().map(|item| self.scalar(item).into()).collect()
    }

    /// A plain value as text, as it is written: Go reads a number into a text so.
    fn scalar(&self, node: &Node) -> String {
        match &node.data {
            Data::String(text) => text.to_string(),
            Data::Bool(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_) => {
                self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or_default().to_owned()
            }
            Data::Null | Data::Seq(_) | Data::Map(_) => String::new(),
        }
    }

    fn line(&self, span: Span) -> usize {
        let before = self.text.as_bytes().get(..span.start as usize).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    }
}

/// A number without its fraction.
fn whole(number: f64) -> Value {
    let text = format!("{:.0}", number.trunc());
    text.parse::<i64>().map_or(Value::Float(number), Value::Int)
}

/// Headers of requests, whose secrets Alertmanager's own types do not write.
fn masked_headers(headers: Value) -> Value {
    const MASK: &str = "<secret>";
    let Value::Map(mut headers) = headers else { return headers };
    for (_, header) in &mut headers.0 {
        let Value::Map(header) = header else { continue };
        for (_, secrets) in header.0.iter_mut().filter(|(key, _)| key == "secrets") {
            let Value::Seq(secrets) = secrets else { continue };
            secrets.iter_mut().for_each(|secret| *secret = MASK.into());
        }
    }
    Value::Map(headers)
}

/// A URL as Go writes it again.
fn masked(value: &Value) -> Value {
    match value {
        Value::Str(text) => url::redacted(text).map_or_else(|| value.clone(), Value::from),
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
fn check_url(text: &str) -> Result<(), Fault> {
    if text.is_empty() {
        return Ok(());
    }
    let url = Url::parse(text).map_err(Fault::quoting)?;
    if !matches!(url.scheme.as_str(), "http" | "https") {
        return Err(Fault::quoting(format!("unsupported scheme {} for URL", quote(&url.scheme))));
    }
    if url.host.is_empty() { Err(Fault::plain("missing host for URL")) } else { Ok(()) }
}

/// The value with the maps in it sorted, as Go writes its own.
fn sorted(value: Value) -> Value {
    match value {
        Value::Map(map) => {
            let mut map: Map = map.0.into_iter().map(|(key, value)| (key, sorted(value))).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::emit::{self, Dialect};
    use promgen_text::yaml::read::read_slices;

    fn rewrite(text: &str) -> Result<String, String> {
        let root = read_slices(text).unwrap().unwrap();
        let map = read(text, &root, NameRules::Classic).map_err(|fault| fault.message(true))?;
        Ok(emit::to_string(&map.into(), Dialect::YamlV2))
    }

    #[test]
    fn keys_have_an_order_and_empty_ones_go() {
        let text = "receivers:\n- webhook_configs: [{max_alerts: 0, url: 'http://a', send_resolved: false}]\n  name: a\nglobal: {}\nroute:\n  routes: [{continue: false, matchers: [b=c], receiver: 017}]\n  receiver: a\n";
        let expected = "global: {}\nroute:\n  receiver: a\n  routes:\n  - receiver: \"017\"\n    matchers:\n    - b=c\nreceivers:\n- name: a\n  webhook_configs:\n  - send_resolved: false\n    url: http://a\ntemplates: []\n";
        assert_eq!(rewrite(text).unwrap(), expected);
    }

    #[test]
    fn what_is_no_configuration_is_refused_in_alertmanagers_words() {
        let error = |text: &str| rewrite(text).unwrap_err();
        let unknown = "yaml: unmarshal errors:\n  line 2: field colour not found in type config.plain";
        assert_eq!(error("global:\n  colour: red\n"), unknown);
        let both = "global: {smtp_auth_password: a, smtp_auth_password_file: b}";
        assert_eq!(error(both), "at most one of smtp_auth_password & smtp_auth_password_file must be configured");
        assert_eq!(error("receivers: [{email_configs: [{}]}]"), "missing to address in email config");
        assert_eq!(error("global: {slack_api_url: a}"), "unsupported scheme \"\" for URL");
        assert_eq!(error("route: {matchers: [foo]}"), "bad matcher format: foo");
        let away = "time_intervals: [{name: a, time_intervals: [{location: Mars/Olympus}]}]";
        assert_eq!(error(away), "unknown time zone Mars/Olympus");
    }
}
