//! Scalars in single and double quotes.

use std::borrow::Cow;

use crate::yaml::read::cursor::Cursor;
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::text::{Breaks, ScannedText};

/// Scans a scalar in quotes.
///
/// # Errors
/// The quote is never closed, or an escape is unknown.
pub(in crate::yaml::read) fn quoted<'a>(cursor: &mut Cursor<'a>) -> SyntaxResult<ScannedText<'a>> {
    let start = cursor.pos;
    let quote = cursor.text.as_bytes()[start];
    cursor.pos += 1;
    let text = match simply_quoted(cursor, quote) {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(quoted_lines(cursor, start, quote)?),
    };
    cursor.keys = false;
    Ok(ScannedText {
        text,
        start,
        end: cursor.pos,
    })
}

/// The text up to the closing quote if it has neither escapes nor line breaks.
fn simply_quoted<'a>(cursor: &mut Cursor<'a>, quote: u8) -> Option<&'a str> {
    let rest = cursor.rest();
    let end = if quote == b'"' {
        memchr::memchr3(b'"', b'\\', b'\n', rest)
    } else {
        memchr::memchr2(b'\'', b'\n', rest)
    }?;
    let is_simple = rest[end] == quote
        && !cursor.exotic
        && (quote == b'"' || rest.get(end + 1) != Some(&b'\''))
        && memchr::memchr(b'\r', &rest[..end]).is_none();
    if !is_simple {
        return None;
    }
    let text = &cursor.text[cursor.pos..cursor.pos + end];
    cursor.pos += end + 1;
    Some(text)
}

fn quoted_lines(cursor: &mut Cursor<'_>, start: usize, quote: u8) -> SyntaxResult<String> {
    let mut text = String::new();
    loop {
        if cursor.column() == 0 && cursor.is_end() && cursor.byte().is_some() {
            return Err(syntax::marker_in_quotes(cursor.pos));
        }
        quoted_words(cursor, start, quote, &mut text)?;
        if cursor.byte() == Some(quote) {
            cursor.pos += 1;
            return Ok(text);
        }
        quoted_blanks(cursor, &mut text);
    }
}

/// Takes everything up to a blank, a line break or the closing quote.
fn quoted_words(
    cursor: &mut Cursor<'_>,
    start: usize,
    quote: u8,
    text: &mut String,
) -> SyntaxResult {
    loop {
        let from = cursor.pos;
        while let Some(byte) = cursor.byte() {
            if byte == quote || byte == b'\\' && quote == b'"' || cursor.is_blank_at(cursor.pos) {
                break;
            }
            cursor.pos += 1;
        }
        text.push_str(&cursor.text[from..cursor.pos]);
        match cursor.rest() {
            [] => return Err(syntax::unclosed_quote(start)),
            [b'\'', b'\'', ..] if quote == b'\'' => {
                text.push('\'');
                cursor.pos += 2;
            }
            [b'\\', ..] if quote == b'"' => {
                if escaped_break(cursor, text) {
                    return Ok(());
                }
                text.push(escape(cursor)?);
            }
            _ => return Ok(()),
        }
    }
}

/// Takes blanks as they are, or folds line breaks and drops the blanks around them.
fn quoted_blanks(cursor: &mut Cursor<'_>, text: &mut String) {
    let from = cursor.pos;
    cursor.skip_blanks();
    if cursor.break_at(cursor.pos) == 0 {
        text.push_str(&cursor.text[from..cursor.pos]);
        return;
    }
    fold_breaks(cursor, text);
}

fn fold_breaks(cursor: &mut Cursor<'_>, text: &mut String) {
    let mut breaks = Breaks::default();
    while let Some(normal) = cursor.take_break() {
        breaks.add(normal);
        cursor.skip_blanks();
    }
    breaks.fold_into(text);
}

/// Passes over a backslash that hides the line break after it. Blank lines that follow count each.
fn escaped_break(cursor: &mut Cursor<'_>, text: &mut String) -> bool {
    if cursor.break_at(cursor.pos + 1) == 0 {
        return false;
    }
    cursor.pos += 1;
    cursor.take_break();
    cursor.skip_blanks();
    while let Some(normal) = cursor.take_break() {
        text.push(normal);
        cursor.skip_blanks();
    }
    true
}

/// Resolves the escape at a backslash.
fn escape(cursor: &mut Cursor<'_>) -> SyntaxResult<char> {
    let at = cursor.pos;
    let Some(code) = cursor.text[at + 1..].chars().next() else {
        return Err(syntax::unclosed_quote(at));
    };
    cursor.pos = at + 1 + code.len_utf8();
    let digits = match code {
        '/' if cursor.json => return Ok('/'),
        'u' if cursor.json => return json_escape(cursor, at),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        _ => {
            return simple_escape(code).ok_or_else(|| syntax::unknown_escape(code, at..cursor.pos));
        }
    };
    let end = cursor.pos + digits;
    let hex = cursor
        .text
        .get(cursor.pos..end)
        .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(value) = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()) else {
        return Err(syntax::short_escape(digits, at..cursor.pos));
    };
    cursor.pos = end;
    char::from_u32(value).ok_or_else(|| syntax::no_character(value, at..end))
}

/// The rest of `\uXXXX` in JSON, where characters beyond U+FFFF are two of these. Half of such a pair alone is what Go makes
/// of it.
fn json_escape(cursor: &mut Cursor<'_>, at: usize) -> SyntaxResult<char> {
    let Some(first) = hex4(cursor, cursor.pos) else {
        return Err(syntax::short_escape(4, at..cursor.pos));
    };
    cursor.pos += 4;
    let is_escape = cursor.rest().starts_with(b"\\u");
    let second = hex4(cursor, cursor.pos + 2).filter(|_| is_escape);
    if let Some(Ok(pair)) = second.and_then(|second| char::decode_utf16([first, second]).next())
        && pair > '\u{ffff}'
    {
        cursor.pos += 6;
        return Ok(pair);
    }
    Ok(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn hex4(cursor: &Cursor<'_>, at: usize) -> Option<u16> {
    let hex = cursor
        .text
        .get(at..at + 4)
        .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(hex, 16).ok()
}

fn simple_escape(code: char) -> Option<char> {
    Some(match code {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{b}',
        'f' => '\u{c}',
        'r' => '\r',
        'e' => '\u{1b}',
        ' ' | '"' | '\'' | '\\' => code,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}
