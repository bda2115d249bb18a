//! Messages of policies: texts with expressions in `{{ }}`.

use std::ops::Range;

use promgen_cel::{CelFault, CelOutcome, CelSpan, CelValue};
use promgen_resources::secrecy::REDACTED;

use crate::program::{PolicyProgram, PolicyValues};

/// The longest text that a message takes of a value, in characters.
const MAX_CHARS: usize = 200;

/// The length of a value of a message, in bytes, beyond which nothing is added.
const MAX_BYTES: usize = 1000;

/// The most items that a message lists.
const MAX_ITEMS: usize = 10;

/// A message.
#[derive(Debug)]
pub(crate) struct PolicyMessage(Vec<MessagePart>);

#[derive(Debug)]
enum MessagePart {
    Text(String),
    Value(PolicyProgram),
}

impl PolicyMessage {
    /// Reads a message. `program` reads an expression that stands at a place of the text.
    pub(crate) fn parse(
        text: &str,
        program: &mut dyn FnMut(&str, Range<usize>) -> Option<PolicyProgram>,
    ) -> Result<Self, CelFault> {
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(start) = text[at..].find("{{").map(|found| at + found) {
            let Some(end) = text[start..].find("}}").map(|found| start + found) else {
                return Err(CelFault {
                    message: "`{{` without `}}`".to_owned(),
                    span: CelSpan {
                        start,
                        end: start + 2,
                    },
                });
            };
            parts.push(MessagePart::Text(text[at..start].to_owned()));
            parts.extend(program(&text[start + 2..end], start + 2..end).map(MessagePart::Value));
            at = end + 2;
        }
        parts.push(MessagePart::Text(text[at..].to_owned()));
        Ok(Self(parts))
    }

    /// The message, with values.
    pub(crate) fn render(&self, values: &PolicyValues<'_>, fuel: &mut u64) -> String {
        let part = |part: &MessagePart| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Value(program) => {
                values.take_secret();
                let shown = shown(program, values, fuel);
                match values.is_told_by(program) {
                    true => REDACTED.to_owned(),
                    false => shown,
                }
            }
        };
        let text: String = self.0.iter().map(part).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The message without any value.
    pub(crate) fn redacted(&self) -> String {
        let part = |part: &MessagePart| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Value(_) => REDACTED.to_owned(),
        };
        self.0.iter().map(part).collect()
    }
}

fn shown(program: &PolicyProgram, values: &PolicyValues<'_>, fuel: &mut u64) -> String {
    match program.evaluate(values, fuel) {
        CelOutcome::Value(value) => words(&value),
        CelOutcome::Unknown(_) => "<unknown>".to_owned(),
        CelOutcome::Error(error) => format!("<{}>", error.message),
        CelOutcome::OutOfFuel => "<too much>".to_owned(),
    }
}

/// A value for a reader, of a bounded length.
pub(crate) fn words(value: &CelValue<'_>) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Writes a value, as long as there is room.
fn write(value: &CelValue<'_>, out: &mut String) {
    if out.len() > MAX_BYTES {
        if !out.ends_with('…') {
            out.push('…');
        }
        return;
    }
    match value.clone().resolved() {
        CelValue::Null => out.push_str("null"),
        CelValue::Bool(value) => *out += &value.to_string(),
        CelValue::Int(value) => *out += &value.to_string(),
        CelValue::Uint(value) => *out += &value.to_string(),
        CelValue::Double(value) => *out += &value.to_string(),
        CelValue::Text(text) => *out += &shortened(&text),
        CelValue::Duration(nanos) => *out += &length(nanos),
        CelValue::Type(name) => out.push_str(name),
        CelValue::Optional(Some(value)) => write(&value, out),
        CelValue::Optional(None) => out.push_str("none"),
        CelValue::Unknown(_) | CelValue::Open(_) => out.push_str("<unknown>"),
        other => match (other.list(), other.entries()) {
            (Some(items), _) => listed(&items, out, write),
            (_, Some(entries)) => {
                out.push('{');
                listed(&entries, out, |(key, value), out| {
                    write(key, out);
                    out.push_str(": ");
                    write(value, out);
                });
                out.push('}');
            }
            _ => out.push_str(other.type_name()),
        },
    }
}

fn listed<T>(items: &[T], out: &mut String, write: impl Fn(&T, &mut String)) {
    for (number, item) in items.iter().take(MAX_ITEMS).enumerate() {
        if number > 0 {
            out.push_str(", ");
        }
        write(item, out);
    }
    let n_more = items.len().saturating_sub(MAX_ITEMS);
    if n_more > 0 {
        *out += &format!(", {n_more} more");
    }
}

/// A text without the rest of a long one, and without the credentials of a URL.
fn shortened(text: &str) -> String {
    let text = match text.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find(['/', '?', ' ']).unwrap_or(rest.len());
            match rest[..end].rfind('@') {
                Some(at) => format!("{scheme}://{REDACTED}{}", &rest[at..]),
                None => text.to_owned(),
            }
        }
        None => text.to_owned(),
    };
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A length of time as Prometheus writes it.
fn length(nanos: i64) -> String {
    let units = [
        (86_400_000_000_000, "d"),
        (3_600_000_000_000, "h"),
        (60_000_000_000, "m"),
        (1_000_000_000, "s"),
        (1_000_000, "ms"),
    ];
    let mut left = nanos.unsigned_abs();
    let mut text = if nanos < 0 {
        "-".to_owned()
    } else {
        String::new()
    };
    for (unit, name) in units {
        if left >= unit {
            text += &format!("{}{name}", left / unit);
            left %= unit;
        }
    }
    if nanos == 0 { "0s".to_owned() } else { text }
}
