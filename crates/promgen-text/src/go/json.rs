//! Texts of JSON as Go's `encoding/json` reads and writes them.
//!
//! In: what stands between two quotes. Out: the text that Go reads, or Go's error. The operator reads a URL so: it puts
//! quotes around what a user wrote.

use std::fmt::Write as _;

use crate::go::quote::quote;

/// A text as a value of JSON. Go escapes what has a meaning in HTML, too.
///
/// ```
/// use promgen_text::go::json::to_json;
///
/// assert_eq!(to_json("a\"<b>\n"), r#""a\"\u003cb\u003e\n""#);
/// ```
#[must_use]
pub fn to_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                write!(out, "\\u{:04x}", u32::from(c)).expect("a string takes every character");
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Reads `"text"`, a JSON value.
///
/// ```
/// use promgen_text::go::json::quoted;
///
/// assert_eq!(quoted(r"a\u00e9\n"), Ok("aé\n".to_owned()));
/// assert_eq!(quoted("a\n").unwrap_err(), r"invalid character '\n' in string literal");
/// assert_eq!(quoted(r"a\d").unwrap_err(), "invalid character 'd' in string escape code");
/// assert_eq!(quoted("a\"b").unwrap_err(), "invalid character 'b' after top-level value");
/// assert_eq!(quoted("a\\").unwrap_err(), "unexpected end of JSON input");
/// ```
///
/// # Errors
/// Go's own text.
pub fn quoted(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            // The text is between quotes of the operator's: one of its own ends the value early.
            '"' => return Err(after_value(chars.as_str())),
            '\\' => out.push(escape(&mut chars)?),
            c if c < ' ' => {
                return Err(format!(
                    "invalid character {} in string literal",
                    character(c)
                ));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// What Go says about what follows the value; the closing quote is there always.
fn after_value(rest: &str) -> String {
    let next = rest
        .chars()
        .find(|c| !matches!(c, ' ' | '\t' | '\r' | '\n'))
        .unwrap_or('"');
    format!(
        "invalid character {} after top-level value",
        character(next)
    )
}

fn escape(chars: &mut std::str::Chars<'_>) -> Result<char, String> {
    const END: &str = "unexpected end of JSON input";
    Ok(match chars.next().ok_or(END)? {
        c @ ('"' | '\\' | '/') => c,
        'b' => '\x08',
        'f' => '\x0C',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let first = hex(chars)?;
            // A pair of surrogates is one character, and a lone one is none.
            let mut ahead = chars.clone();
            let second = match (0xD800..0xDC00).contains(&first)
                && ahead.next() == Some('\\')
                && ahead.next() == Some('u')
            {
                true => hex(&mut ahead)
                    .ok()
                    .filter(|low| (0xDC00..0xE000).contains(low)),
                false => None,
            };
            match second {
                Some(low) => {
                    *chars = ahead;
                    char::from_u32(0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00))
                        .unwrap_or('\u{FFFD}')
                }
                None => char::from_u32(first).unwrap_or('\u{FFFD}'),
            }
        }
        c => {
            return Err(format!(
                "invalid character {} in string escape code",
                character(c)
            ));
        }
    })
}

fn hex(chars: &mut std::str::Chars<'_>) -> Result<u32, String> {
    (0..4).try_fold(0, |number, _| {
        // The closing quote follows the text.
        let c = chars.next().unwrap_or('"');
        let digit = c.to_digit(16);
        let digit = digit.ok_or_else(|| {
            format!(
                "invalid character {} in \\u hexadecimal character escape",
                character(c)
            )
        })?;
        Ok(number * 16 + digit)
    })
}

/// A character as Go names it. A longer one is named by its first byte.
fn character(c: char) -> String {
    match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        c => {
            let mut bytes = [0; 4];
            let first = c
                .encode_utf8(&mut bytes)
                .as_bytes()
                .first()
                .copied()
                .map_or(c, char::from);
            let quoted = quote(&first.to_string());
            format!("'{}'", quoted.trim_matches('"'))
        }
    }
}
