//! Texts and bytes in quotes.

use super::CelWord;
use crate::fault::{CelFault, CelSpan};

/// The text or the bytes in quotes at the start of what is left of an expression, and the length with its quotes.
pub(crate) fn literal(rest: &str, at: usize) -> Result<Option<(CelWord, usize)>, CelFault> {
    let mut is_bytes = false;
    let mut is_raw = false;
    let mut body = rest;
    if let Some(after) = body.strip_prefix(['b', 'B']) {
        (is_bytes, body) = (true, after);
    }
    if let Some(after) = body.strip_prefix(['r', 'R']) {
        (is_raw, body) = (true, after);
    }
    let Some(quote) = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| body.starts_with(quote))
    else {
        return Ok(None);
    };
    let fault = |message: &str, start: usize, end: usize| {
        let (start, end) = (at + start, at + end);
        CelFault::new(message, CelSpan { start, end })
    };
    let start = rest.len() - body.len() + quote.len();
    let is_long = quote.len() == 3;
    let mut value = Vec::new();
    let mut chars = rest[start..].char_indices();
    while let Some((offset, c)) = chars.next() {
        let place = start + offset;
        if rest[place..].starts_with(quote) {
            let length = place + quote.len();
            let word = if is_bytes {
                CelWord::Bytes(value)
            } else {
                let text = String::from_utf8(value);
                CelWord::Text(text.map_err(|_| fault("the text is no UTF-8", 0, length))?)
            };
            return Ok(Some((word, length)));
        }
        match c {
            '\n' | '\r' if !is_long => break,
            '\\' if !is_raw => {
                let taken = escape(&rest[place + 1..], is_bytes, &mut value);
                let Some(taken) = taken else {
                    let next = rest[place + 1..].chars().next().map_or(0, char::len_utf8);
                    return Err(fault("unknown escape sequence", place, place + 1 + next));
                };
                for _ in 0..taken {
                    chars.next();
                }
            }
            // Lines end with `\n`, whatever the file has.
            '\r' => {
                if !rest[place + 1..].starts_with('\n') {
                    value.push(b'\n');
                }
            }
            c => value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Err(fault("the text has no closing quote", 0, start))
}

/// Reads an escape sequence behind its backslash; returns the number of its characters. `None`: there is no such sequence.
fn escape(rest: &str, is_bytes: bool, value: &mut Vec<u8>) -> Option<usize> {
    let c = rest.chars().next()?;
    let simple = match c {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '\'' | '"' | '`' | '?' => u8::try_from(c).ok()?,
        _ => 0,
    };
    if simple != 0 {
        value.push(simple);
        return Some(1);
    }
    let (from, n_digits, base) = match c {
        'x' | 'X' => (1, 2, 16),
        'u' if !is_bytes => (1, 4, 16),
        'U' if !is_bytes => (1, 8, 16),
        '0'..='3' => (0, 3, 8),
        _ => return None,
    };
    let digits = rest.get(from..from + n_digits)?;
    if !digits.chars().all(|digit| digit.is_digit(base)) {
        return None;
    }
    let code = u32::from_str_radix(digits, base).ok()?;
    if is_bytes {
        value.push(u8::try_from(code).ok()?);
    } else {
        let c = char::from_u32(code)?;
        value.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Some(from + n_digits)
}
