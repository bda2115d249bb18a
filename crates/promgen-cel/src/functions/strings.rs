//! Functions of texts. Places in a text are counted in characters.

use super::{CelFunction, int};
use crate::fault::{CelMeter, CelResult, CelStop};
use crate::value::CelValue;

/// The place of a character, in bytes. `None`: the text is shorter.
fn byte_of(text: &str, place: usize) -> Option<usize> {
    let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    places.nth(place)
}

/// A place in a text of so many characters.
fn place(number: i64, length: usize) -> CelResult<usize> {
    let place = usize::try_from(number)
        .ok()
        .filter(|place| *place <= length);
    place.ok_or_else(|| CelStop::error(format!("index out of bounds: {number}")))
}

pub(super) fn call<'v>(
    function: CelFunction,
    arguments: &[CelValue<'v>],
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    if function == CelFunction::Join {
        return join(arguments, meter);
    }
    let [CelValue::Text(of), more @ ..] = arguments else {
        return Ok(None);
    };
    meter.bytes(of.len())?;
    Ok(match (function, more) {
        (CelFunction::StartsWith, [CelValue::Text(part)]) => {
            Some(CelValue::Bool(of.starts_with(&**part)))
        }
        (CelFunction::EndsWith, [CelValue::Text(part)]) => {
            Some(CelValue::Bool(of.ends_with(&**part)))
        }
        (CelFunction::Contains, [CelValue::Text(part)]) => {
            Some(CelValue::Bool(of.contains(&**part)))
        }
        (CelFunction::LowerAscii, []) => Some(CelValue::text(of.to_ascii_lowercase())),
        (CelFunction::UpperAscii, []) => Some(CelValue::text(of.to_ascii_uppercase())),
        (CelFunction::Trim, []) => Some(CelValue::text(of.trim())),
        (CelFunction::Reverse, []) => Some(CelValue::text(of.chars().rev().collect::<String>())),
        (CelFunction::Quote, []) => Some(CelValue::text(quoted(of))),
        (CelFunction::CharAt, [CelValue::Int(index)]) => {
            let length = of.chars().count();
            let index = place(*index, length)?;
            let found = of.chars().nth(index);
            Some(CelValue::text(found.map_or_else(String::new, String::from)))
        }
        (CelFunction::Substring, [CelValue::Int(start), end @ ..]) => {
            let length = of.chars().count();
            let end = match end {
                [] => length,
                [CelValue::Int(end)] if start > end => {
                    let message = format!("the range from {start} to {end} is none");
                    return Err(CelStop::error(message));
                }
                [CelValue::Int(end)] => {
                    place(*start, length)?;
                    place(*end, length)?
                }
                _ => return Ok(None),
            };
            let start = byte_of(of, place(*start, length)?).unwrap_or(of.len());
            let end = byte_of(of, end).unwrap_or(of.len());
            Some(CelValue::text(of.get(start..end).unwrap_or_default()))
        }
        (CelFunction::IndexOf | CelFunction::LastIndexOf, [CelValue::Text(part), from @ ..]) => {
            let from = match from {
                [] => None,
                [CelValue::Int(from)] => Some(*from),
                _ => return Ok(None),
            };
            Some(index_of(function, of, part, from)?)
        }
        (CelFunction::Replace, [CelValue::Text(part), CelValue::Text(by), most @ ..]) => {
            let Some(most) = most_of(most) else {
                return Ok(None);
            };
            let n_found = match part.len() {
                0 => of.len() + 1,
                _ => of.matches(&**part).count(),
            };
            meter.bytes(n_found.min(most).saturating_mul(by.len()))?;
            Some(CelValue::text(of.replacen(&**part, by, most)))
        }
        (CelFunction::Split, [CelValue::Text(by), most @ ..]) => {
            let Some(most) = most_of(most) else {
                return Ok(None);
            };
            split(of, by, most, meter)?
        }
        _ => None,
    })
}

/// How many at most; less than none: all of them.
fn most_of(most: &[CelValue<'_>]) -> Option<usize> {
    match most {
        [] => Some(usize::MAX),
        [CelValue::Int(most)] => Some(usize::try_from(*most).unwrap_or(usize::MAX)),
        _ => None,
    }
}

fn split<'v>(
    of: &str,
    by: &str,
    most: usize,
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let parts: Vec<&str> = match (most, by.len()) {
        (0, _) => Vec::new(),
        // Each character; the last part has what is left.
        (_, 0) => {
            let mut starts: Vec<usize> = of.char_indices().map(|(at, _)| at).take(most).collect();
            starts.push(of.len());
            starts
                .windows(2)
                .map(|part| &of[part[0]..part[1]])
                .collect()
        }
        _ => of.splitn(most, by).collect(),
    };
    meter.take(parts.len())?;
    Ok(Some(CelValue::List(
        parts.into_iter().map(CelValue::text).collect(),
    )))
}

fn join<'v>(
    arguments: &[CelValue<'v>],
    meter: &mut CelMeter<'_>,
) -> CelResult<Option<CelValue<'v>>> {
    let (items, by) = match arguments {
        [list] => (list.items(), ""),
        [list, CelValue::Text(by)] => (list.items(), &**by),
        _ => return Ok(None),
    };
    let Some(items) = items else {
        return Ok(None);
    };
    let mut joined = String::new();
    for (index, item) in items.iter().enumerate() {
        let text = match item.resolved() {
            CelValue::Text(text) => text,
            unknown @ CelValue::Unknown(_) => return Ok(Some(unknown)),
            other => {
                let message = format!("a {} cannot be joined with texts", other.type_name());
                return Err(CelStop::error(message));
            }
        };
        meter.take(1)?;
        meter.bytes(text.len() + by.len())?;
        if index > 0 {
            joined.push_str(by);
        }
        joined.push_str(&text);
    }
    Ok(Some(CelValue::text(joined)))
}

fn index_of<'v>(
    function: CelFunction,
    of: &str,
    part: &str,
    from: Option<i64>,
) -> CelResult<CelValue<'v>> {
    let is_first = function == CelFunction::IndexOf;
    let length = of.chars().count();
    let from = match (from, is_first) {
        (Some(from), _) if part.is_empty() => return Ok(CelValue::Int(from)),
        (None, true) => 0,
        (None, false) if part.is_empty() => return Ok(int(length)),
        (None, false) => length.saturating_sub(1),
        (Some(from), _) => match usize::try_from(from) {
            Ok(from) if from < length => from,
            Ok(_) => return Ok(CelValue::Int(-1)),
            Err(_) => return Err(CelStop::error(format!("index out of bounds: {from}"))),
        },
    };
    let found = if is_first {
        let start = byte_of(of, from).unwrap_or(of.len());
        of[start..].find(part).map(|at| start + at)
    } else {
        // What starts at that place may end behind it.
        let start = byte_of(of, from).unwrap_or(of.len());
        of.get(..(start + part.len()).min(of.len()))
            .unwrap_or(of)
            .rfind(part)
            .filter(|at| *at <= start)
            .or_else(|| {
                of.rmatch_indices(part)
                    .map(|(at, _)| at)
                    .find(|at| *at <= start)
            })
    };
    Ok(found.map_or(CelValue::Int(-1), |at| int(of[..at].chars().count())))
}

/// A text in quotes, as an expression has it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
