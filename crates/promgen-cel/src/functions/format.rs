//! `format`: texts with values in them.

use std::fmt::Write as _;

use super::convert::duration_text;
use crate::fault::{CelMeter, CelResult, CelStop};
use crate::value::CelValue;

/// The digits behind the point, where a text does not say how many.
const PRECISION: u16 = 6;

/// How deep values are in each other at most where they are printed: each level takes stack.
const MAX_DEPTH: usize = 100;

pub(super) fn format<'v>(
    arguments: &[CelValue<'v>],
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let [CelValue::Text(text), list] = arguments else {
        return Ok(None);
    };
    let Some(items) = list.items() else {
        return Ok(None);
    };
    let mut items = items.iter();
    let mut made = String::new();
    let mut rest = &**text;
    meter.bytes(rest.len())?;
    while let Some(at) = rest.find('%') {
        made.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            made.push('%');
            rest = after;
            continue;
        }
        let item = items.next().map(CelValue::resolved);
        let item =
            item.ok_or_else(|| CelStop::error("`format` has fewer values than its text asks for"))?;
        if item.is_unknown() {
            return Ok(Some(item));
        }
        let (digits, verb) = clause(&mut rest);
        let precision = match digits {
            None => PRECISION,
            Some(digits) => {
                let precision = digits.parse::<u16>();
                precision.map_err(|_| CelStop::error(format!("`.{digits}` is no precision")))?
            }
        };
        meter.take(1 + usize::from(precision) / 64)?;
        let has_type = match verb {
            Some('s') => print(&item, &mut made, meter, 0)?,
            Some(verb) => verbs(verb, &item, precision, &mut made, meter)?,
            None => false,
        };
        if !has_type {
            let verb = verb.map_or_else(String::new, String::from);
            let message = format!("`%{verb}` does not print a {}", item.type_name());
            return Err(CelStop::error(message));
        }
    }
    made.push_str(rest);
    Ok(Some(CelValue::text(made)))
}

/// Reads what stands behind a `%`: the digits of a precision, and the verb.
pub(crate) fn clause<'t>(rest: &mut &'t str) -> (Option<&'t str>, Option<char>) {
    let digits = rest.strip_prefix('.').map(|after| {
        let end = after.find(|c: char| !c.is_ascii_digit());
        let (digits, after) = after.split_at(end.unwrap_or(after.len()));
        *rest = after;
        digits
    });
    let mut chars = rest.chars();
    let verb = chars.next();
    *rest = chars.as_str();
    (digits, verb)
}

/// Prints a number or bytes. Returns whether there is such a verb for the type.
fn verbs(
    verb: char,
    item: &CelValue<'_>,
    precision: u16,
    made: &mut String,
    meter: &mut CelMeter<'_>,
) -> CelResult<bool> {
    let bytes = match item {
        CelValue::Text(text) => Some(text.as_bytes()),
        CelValue::Bytes(bytes) => Some(&**bytes),
        _ => None,
    };
    if let (Some(bytes), 'x' | 'X') = (bytes, verb) {
        meter.bytes(bytes.len() * 2)?;
        for byte in bytes {
            let hex = format!("{byte:02x}");
            made.push_str(&if verb == 'X' { hex.to_uppercase() } else { hex });
        }
        return Ok(true);
    }
    let number = match item {
        CelValue::Int(int) => i128::from(*int),
        CelValue::Uint(uint) => i128::from(*uint),
        CelValue::Bool(is) if verb == 'b' => i128::from(*is),
        CelValue::Double(double) => {
            let text = match verb {
                _ if !double.is_finite() => infinite(*double).to_owned(),
                'd' => double.to_string(),
                'f' => format!("{double:.*}", usize::from(precision)),
                'e' => {
                    let text = format!("{double:.*e}", usize::from(precision));
                    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                    let exponent: i32 = exponent.parse().unwrap_or_default();
                    let sign = if exponent < 0 { '-' } else { '+' };
                    format!("{digits}e{sign}{:02}", exponent.abs())
                }
                _ => return Ok(false),
            };
            made.push_str(&text);
            return Ok(matches!(verb, 'd' | 'f' | 'e'));
        }
        _ => return Ok(false),
    };
    let sign = if number < 0 { "-" } else { "" };
    let number = number.unsigned_abs();
    let written = match verb {
        'd' => write!(made, "{sign}{number}"),
        'b' => write!(made, "{sign}{number:b}"),
        'o' => write!(made, "{sign}{number:o}"),
        'x' => write!(made, "{sign}{number:x}"),
        'X' => write!(made, "{sign}{number:X}"),
        _ => return Ok(false),
    };
    Ok(written.is_ok())
}

fn infinite(double: f64) -> &'static str {
    match double {
        _ if double.is_nan() => "NaN",
        _ if double < 0.0 => "-Infinity",
        _ => "Infinity",
    }
}

/// Prints any value. Returns whether its type can be printed.
fn print(
    item: &CelValue<'_>,
    made: &mut String,
    meter: &mut CelMeter<'_>,
    depth: usize,
) -> CelResult<bool> {
    meter.take(1)?;
    if depth == MAX_DEPTH {
        return Err(CelStop::Fuel);
    }
    match item {
        CelValue::Null => made.push_str("null"),
        CelValue::Bool(value) => made.push_str(if *value { "true" } else { "false" }),
        CelValue::Double(value) if !value.is_finite() => made.push_str(infinite(*value)),
        CelValue::Text(text) => {
            meter.bytes(text.len())?;
            made.push_str(text);
        }
        CelValue::Bytes(bytes) => {
            meter.bytes(bytes.len())?;
            made.push_str(&String::from_utf8_lossy(bytes));
        }
        CelValue::Duration(nanos) => made.push_str(&duration_text(*nanos)),
        CelValue::Type(name) => made.push_str(name),
        CelValue::Int(_) | CelValue::Uint(_) | CelValue::Double(_) => {
            return verbs('d', item, PRECISION, made, meter);
        }
        _ => return parts(item, made, meter, depth),
    }
    Ok(true)
}

fn parts(
    item: &CelValue<'_>,
    made: &mut String,
    meter: &mut CelMeter<'_>,
    depth: usize,
) -> CelResult<bool> {
    if let Some(items) = item.items() {
        made.push('[');
        for (index, item) in items.iter().enumerate() {
            made.push_str(if index > 0 { ", " } else { "" });
            if !print(&item.resolved(), made, meter, depth + 1)? {
                return Ok(false);
            }
        }
        made.push(']');
        return Ok(true);
    }
    let Some(fields) = item.fields() else {
        return Ok(false);
    };
    let mut entries = Vec::new();
    for key in fields.keys(meter)? {
        let (mut name, mut text) = (String::new(), String::new());
        let value = fields.get(&key, meter)?.unwrap_or(CelValue::Null);
        if !print(&key, &mut name, meter, depth + 1)?
            || !print(&value.resolved(), &mut text, meter, depth + 1)?
        {
            return Ok(false);
        }
        entries.push((name, text));
    }
    entries.sort();
    let entries: Vec<_> = entries
        .iter()
        .map(|(name, text)| format!("{name}: {text}"))
        .collect();
    meter.bytes(entries.iter().map(String::len).sum())?;
    made.push('{');
    made.push_str(&entries.join(", "));
    made.push('}');
    Ok(true)
}
