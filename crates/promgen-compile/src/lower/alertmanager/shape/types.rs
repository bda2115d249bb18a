//! The types of Alertmanager's own structs, and what Go's YAML decoder says about a value of another type.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::cluster::assets::ContentFault;
use crate::lower::alertmanager::shape::{DocumentText, UNKNOWN_FIELD};
use crate::lower::prometheus::additional::tag;
use crate::receivers::HEADER;
use crate::receivers::table::shape::{GoScalar, KeyType, Shape, ShapeKey};
use promgen_resources::gates;
use promgen_resources::secrecy::REDACTED;
use promgen_text::go::duration::TimeDuration;
use promgen_text::go::quote::quote;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Entry, Node};

/// A value of another type than its field.
pub(super) struct TypeFault {
    /// The line of the value.
    pub(super) line: usize,
    /// The place of the value, or of its key.
    pub(super) span: Span,
    /// The message, without the line.
    pub(super) fault: ContentFault,
}

/// The type of a scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScalarType {
    /// Any scalar is one.
    Text,
    Bool,
    /// A duration of Go, or a number of nanoseconds.
    Duration,
    /// A number, from which the fraction is cut off.
    Int,
    /// A number that is not negative.
    Uint,
}

/// The type of a list of secrets.
const SECRET_LIST: &str = "[]config.Secret";

/// The type of what parts share, since [`AM_COMMON_PACKAGE`](gates::AM_COMMON_PACKAGE).
const SHARED_TYPE: &str = "common.plain";

/// The scalar type of a field, and its name.
const fn scalar(field: &ShapeKey) -> Option<(ScalarType, &'static str)> {
    Some(match (field.go, field.kind) {
        (Some(GoScalar::Secret), _) => (ScalarType::Text, "config.plain"),
        (Some(GoScalar::TemplateUrl), _) => (ScalarType::Text, SHARED_TYPE),
        (Some(GoScalar::GoDuration), _) => (ScalarType::Text, "config.duration"),
        (Some(GoScalar::Nanoseconds), _) => (ScalarType::Duration, "time.Duration"),
        (Some(GoScalar::Uint64), _) => (ScalarType::Uint, "uint64"),
        (Some(GoScalar::Int64), _) => (ScalarType::Int, "int64"),
        (Some(GoScalar::Int), _) => (ScalarType::Int, "int"),
        (
            Some(
                GoScalar::PromDuration
                | GoScalar::HostPort
                | GoScalar::ProxyUrl
                | GoScalar::TlsVersion,
            ),
            _,
        ) => (ScalarType::Text, "string"),
        (None, KeyType::Flag | KeyType::FlagAlways | KeyType::Set | KeyType::Nullable) => {
            (ScalarType::Bool, "bool")
        }
        (
            None,
            KeyType::Text
            | KeyType::TextAlways
            | KeyType::TextSet
            | KeyType::Url
            | KeyType::GlobalUrl
            | KeyType::Duration,
        ) => (ScalarType::Text, "string"),
        (None, _) => return None,
    })
}

/// The name of the type of a list of texts.
const fn list_of(field: &ShapeKey) -> &'static str {
    match field.go {
        Some(GoScalar::Secret) => SECRET_LIST,
        _ => "[]string",
    }
}

impl DocumentText<'_> {
    /// Takes note of a value that is not of its field's type. Whether what is in it is worth a look.
    pub(super) fn mismatch(
        &self,
        node: &Node,
        field: &ShapeKey,
        found: &mut Vec<TypeFault>,
    ) -> bool {
        if node.is_null() {
            return false;
        }
        let is_list = matches!(node.data, Data::Seq(_));
        let is_map = matches!(node.data, Data::Map(_));
        let before = found.len();
        let mut refuse = |node: &Node, wanted: &str| found.push(self.unfit(node, wanted));
        let go_map = "map[string]interface {}";
        match field.kind {
            KeyType::One(part) | KeyType::Filled(part) | KeyType::Raw(part) if !is_map => {
                refuse(node, &self.part_type(part, node));
            }
            KeyType::AsText(part) if is_list => refuse(node, &part.go(&self.parser.version)),
            KeyType::Many(part) | KeyType::Times(part) if !is_list => {
                refuse(node, &part.list(&self.parser.version))
            }
            KeyType::Spans(list) if !is_list => refuse(node, list),
            KeyType::Texts | KeyType::TextsAlways if !is_list => refuse(node, list_of(field)),
            KeyType::Texts | KeyType::TextsAlways | KeyType::Spans(_) => {
                let item_type = if list_of(field) == SECRET_LIST {
                    "config.plain"
                } else {
                    "string"
                };
                let items = node
                    .items()
                    .iter()
                    .filter(|item| matches!(item.data, Data::Map(_) | Data::Seq(_)));
                items.for_each(|item| refuse(item, item_type));
            }
            KeyType::Pairs if !is_map && field.key.ends_with("match_re") => {
                refuse(node, self.named(SHARED_TYPE))
            }
            KeyType::Pairs if !is_map => refuse(node, "map[string]string"),
            KeyType::Pairs => {
                let values = node.entries().iter().map(|entry| &entry.value);
                values
                    .filter(|v| matches!(v.data, Data::Map(_) | Data::Seq(_)))
                    .for_each(|v| refuse(v, "string"));
            }
            KeyType::Anything if !is_map => refuse(node, go_map),
            KeyType::Masked if !is_map => refuse(node, "config.Headers"),
            KeyType::Masked => self.headers(node, found),
            KeyType::ProxyHeader if !is_map => refuse(node, "config.ProxyHeader"),
            KeyType::ProxyHeader => {
                for value in node
                    .entries()
                    .iter()
                    .map(|entry| &entry.value)
                    .filter(|value| !value.is_null())
                {
                    match &value.data {
                        Data::Seq(items) => {
                            let items = items
                                .iter()
                                .filter(|item| matches!(item.data, Data::Map(_) | Data::Seq(_)));
                            items.for_each(|item| refuse(item, "config.plain"));
                        }
                        _ => refuse(value, SECRET_LIST),
                    }
                }
            }
            _ => {
                if let Some((wanted, name)) = scalar(field)
                    && !fits(node, wanted)
                {
                    refuse(node, self.named(name));
                }
            }
        }
        if matches!(
            field.kind,
            KeyType::Pairs
                | KeyType::Anything
                | KeyType::Sorted
                | KeyType::Masked
                | KeyType::ProxyHeader
        ) {
            self.repeated_in_maps(node, found);
        }
        found.len() == before
    }

    /// The name that a type has in the version of Alertmanager.
    fn named(&self, name: &'static str) -> &'static str {
        let is_older =
            name == SHARED_TYPE && !gates::AM_COMMON_PACKAGE.admits(&self.parser.version);
        if is_older { "config.plain" } else { name }
    }

    /// Headers of requests, each with its values.
    fn headers(&self, node: &Node, found: &mut Vec<TypeFault>) {
        for header in node
            .entries()
            .iter()
            .map(|entry| &entry.value)
            .filter(|header| !header.is_null())
        {
            if !matches!(header.data, Data::Map(_)) {
                found.push(self.unfit(header, &HEADER.go(&self.parser.version)));
                continue;
            }
            for entry in header.entries() {
                match HEADER.field(&entry.key) {
                    Some(field) => {
                        self.mismatch(&entry.value, field, found);
                    }
                    None => found.push(self.unknown(entry, &HEADER.go(&self.parser.version))),
                }
            }
        }
    }

    /// A key that its part does not have.
    pub(super) fn unknown(&self, entry: &Entry, of: &str) -> TypeFault {
        let message = |key: &str| format!("field {key}{UNKNOWN_FIELD}{of}");
        TypeFault {
            line: self.line(entry.key_span),
            span: entry.key_span,
            fault: ContentFault::new(message(&entry.key), message(REDACTED)),
        }
    }

    /// A key that its part has already.
    pub(super) fn repeated(&self, entry: &Entry, of: &str) -> TypeFault {
        let message = |key: &str| format!("field {key} already set in type {of}");
        TypeFault {
            line: self.line(entry.key_span),
            span: entry.key_span,
            fault: ContentFault::new(message(&entry.key), message(REDACTED)),
        }
    }

    /// The keys that a map has already, in it and in the maps below it.
    fn repeated_in_maps(&self, node: &Node, found: &mut Vec<TypeFault>) {
        node.items()
            .iter()
            .for_each(|item| self.repeated_in_maps(item, found));
        let mut seen = BTreeSet::new();
        for entry in node.entries() {
            self.repeated_in_maps(&entry.value, found);
            if !seen.insert(&*entry.key) {
                let message = |key: &str| format!("key {} already set in map", quote(key));
                let fault = ContentFault::new(message(&entry.key), message(REDACTED));
                found.push(TypeFault {
                    line: self.line(entry.key_span),
                    span: entry.key_span,
                    fault,
                });
            }
        }
    }

    pub(super) fn unfit(&self, node: &Node, wanted: &str) -> TypeFault {
        let tag = tag(&node.data);
        let value = match &node.data {
            Data::Seq(_) | Data::Map(_) => String::new(),
            _ => {
                let text = self.scalar(node);
                match text.char_indices().nth(7) {
                    Some((end, _)) if text.len() > 10 => format!(" `{}...`", &text[..end]),
                    Some(_) | None => format!(" `{text}`"),
                }
            }
        };
        let fault = ContentFault::new(
            format!("cannot unmarshal {tag}{value} into {wanted}"),
            format!("cannot unmarshal {tag} into {wanted}"),
        );
        TypeFault {
            line: self.line(node.span),
            span: node.span,
            fault,
        }
    }

    /// The type that go-yaml names for a value that is no map. It unmarshals `"null"` and `"~"` into the type itself, and
    /// others into that of its `UnmarshalYAML`.
    pub(super) fn part_type(&self, shape: &'static Shape, node: &Node) -> Cow<'static, str> {
        let version = &self.parser.version;
        match (&node.data, shape.list(version).strip_prefix("[]")) {
            (Data::String(text), Some(own)) if matches!(&**text, "null" | "~") => {
                own.to_owned().into()
            }
            _ => shape.go(version),
        }
    }
}

/// Returns whether a number fits into 32 bits. Go cuts its fraction off.
pub(super) fn fits_int32(node: &Node) -> bool {
    match node.data {
        Data::Int(number) => i32::try_from(number).is_ok(),
        Data::Uint(number) => i32::try_from(number).is_ok(),
        Data::Float(number) => {
            (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number.trunc())
        }
        _ => true,
    }
}

fn fits(node: &Node, wanted: ScalarType) -> bool {
    match (&node.data, wanted) {
        (Data::Seq(_) | Data::Map(_), _) => false,
        (_, ScalarType::Text) | (Data::Null, _) | (Data::Bool(_), ScalarType::Bool) => true,
        (Data::String(text), ScalarType::Duration) => TimeDuration::parse(text).is_ok(),
        (Data::Int(number), ScalarType::Uint) => *number >= 0,
        // go-yaml compares a number with the largest one of its type only.
        (Data::Float(number), ScalarType::Uint) => *number <= u64::MAX as f64,
        (Data::Float(number), ScalarType::Int | ScalarType::Duration) => *number <= i64::MAX as f64,
        (Data::Int(_), ScalarType::Int | ScalarType::Duration)
        | (Data::Uint(_), ScalarType::Uint) => true,
        (Data::Uint(number), ScalarType::Int | ScalarType::Duration) => {
            i64::try_from(*number).is_ok()
        }
        (Data::Bool(_), ScalarType::Duration)
        | (Data::String(_) | Data::Bool(_), ScalarType::Int | ScalarType::Uint)
        | (Data::String(_) | Data::Int(_) | Data::Uint(_) | Data::Float(_), ScalarType::Bool) => {
            false
        }
    }
}
