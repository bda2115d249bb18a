//! Values as JSON, for those who ask for it.

use std::fmt::Write as _;

use crate::yaml::Value;
use crate::yaml::emit::number;
use crate::yaml::emit::tree::{STEP, pad};

/// Writes a value as JSON, an entry or item a line, two blanks a level, with one final newline. Maps keep their order.
/// A float that is no number becomes `null`.
#[must_use]
pub fn to_json(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, 0);
    out.push('\n');
    out
}

fn write(out: &mut String, value: &Value, indent: usize) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Null => out.write_str("null"),
        Value::Bool(bool) => write!(out, "{bool}"),
        Value::Int(int) => write!(out, "{int}"),
        Value::Uint(int) => write!(out, "{int}"),
        Value::Float(float) if float.is_finite() => write!(out, "{}", number::JsonFloat(*float)),
        Value::Float(_) => out.write_str("null"),
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => {
            quoted(out, text);
            Ok(())
        }
        Value::Seq(items) => {
            list(out, "[]", indent, items.iter(), |out, item| {
                write(out, item, indent + STEP)
            });
            Ok(())
        }
        Value::Map(map) => {
            list(out, "{}", indent, map.iter(), |out, (key, value)| {
                quoted(out, key);
                out.push_str(": ");
                write(out, value, indent + STEP);
            });
            Ok(())
        }
    };
}

/// Writes items between brackets.
fn list<T>(
    out: &mut String,
    brackets: &str,
    indent: usize,
    items: impl ExactSizeIterator<Item = T>,
    mut item: impl FnMut(&mut String, T),
) {
    if items.len() == 0 {
        return out.push_str(brackets);
    }
    let (open, close) = brackets.split_at(1);
    out.push_str(open);
    for (index, it) in items.enumerate() {
        out.push_str(if index > 0 { ",\n" } else { "\n" });
        pad(out, indent + STEP);
        item(out, it);
    }
    out.push('\n');
    pad(out, indent);
    out.push_str(close);
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut start = 0;
    for (at, byte) in text
        .bytes()
        .enumerate()
        .filter(|(_, b)| matches!(b, b'"' | b'\\' | 0..=0x1f))
    {
        out.push_str(&text[start..at]);
        start = at + 1;
        // Writing to a string cannot fail.
        let _ = match byte {
            b'\n' => out.write_str("\\n"),
            b'\r' => out.write_str("\\r"),
            b'\t' => out.write_str("\\t"),
            b'"' | b'\\' => write!(out, "\\{}", char::from(byte)),
            _ => write!(out, "\\u{byte:04x}"),
        };
    }
    out.push_str(&text[start..]);
    out.push('"');
}
