//! The words of an expression.

mod text;

use crate::fault::{CelFault, CelSpan};

/// A word and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CelToken {
    pub(crate) word: CelWord,
    pub(crate) span: CelSpan,
}

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum CelWord {
    Name(String),
    /// A whole number without its sign: its digits, and whether they are hexadecimal.
    Int(String, bool),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    /// An operator, a bracket, `in`, `true`, `false` or `null`.
    Sign(&'static str),
    End,
}

/// The signs, longer ones first.
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}",
];

/// Names that are signs.
const WORDS: [&str; 4] = ["in", "true", "false", "null"];

/// Splits a text into words; the last one is the end.
pub(crate) fn tokens(text: &str) -> Result<Vec<CelToken>, CelFault> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += blank(&text[at..]);
        let rest = &text[at..];
        let (word, length) = match rest.chars().next() {
            None => (CelWord::End, 0),
            Some(_) => next(rest, at)?,
        };
        let span = CelSpan {
            start: at,
            end: at + length,
        };
        at = span.end;
        let is_end = word == CelWord::End;
        tokens.push(CelToken { word, span });
        if is_end {
            return Ok(tokens);
        }
    }
}

/// The length of the space and the comments in front of a word.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(['\t', ' ', '\r', '\n', '\x0c']);
        match rest.strip_prefix("//") {
            Some(comment) => rest = &comment[comment.find('\n').unwrap_or(comment.len())..],
            None => return text.len() - rest.len(),
        }
    }
}

/// The word at the start of a text, and its length.
fn next(rest: &str, at: usize) -> Result<(CelWord, usize), CelFault> {
    if let Some(found) = text::literal(rest, at)? {
        return Ok(found);
    }
    let bytes = rest.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if is_digit(0) || rest.starts_with('.') && is_digit(1) {
        return number(rest, at);
    }
    let length = length_of(rest, |c| c.is_ascii_alphanumeric() || c == '_');
    if length > 0 {
        let name = &rest[..length];
        let word = WORDS.into_iter().find(|word| *word == name);
        let word = word.map_or_else(|| CelWord::Name(name.to_owned()), CelWord::Sign);
        return Ok((word, length));
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        return Ok((CelWord::Sign(sign), sign.len()));
    }
    let found = rest.chars().next().unwrap_or_default();
    let span = CelSpan {
        start: at,
        end: at + found.len_utf8(),
    };
    Err(CelFault::new(format!("unexpected `{found}`"), span))
}

fn length_of(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn number(rest: &str, at: usize) -> Result<(CelWord, usize), CelFault> {
    let fault = |kind: &str, length: usize| {
        let span = CelSpan {
            start: at,
            end: at + length,
        };
        CelFault::new(format!("`{}` is no valid {kind}", &rest[..length]), span)
    };
    let digits_at = |from: usize| length_of(&rest[from..], |c| c.is_ascii_digit());
    let is_uint = |length: usize| rest[length..].starts_with(['u', 'U']);
    if let Some(hex) = rest.strip_prefix("0x") {
        let n_digits = length_of(hex, |c| c.is_ascii_hexdigit());
        if n_digits > 0 {
            let (digits, length) = (&hex[..n_digits], n_digits + 2);
            return if is_uint(length) {
                u64::from_str_radix(digits, 16)
                    .map(|value| (CelWord::Uint(value), length + 1))
                    .map_err(|_| fault("uint", length + 1))
            } else {
                Ok((CelWord::Int(digits.to_owned(), true), length))
            };
        }
    }
    let whole = digits_at(0);
    let mut length = whole;
    if rest[length..].starts_with('.') && digits_at(length + 1) > 0 {
        length += 1 + digits_at(length + 1);
    }
    if rest[length..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[length + 1..].starts_with(['+', '-']));
        let n_digits = digits_at(length + 1 + sign);
        if n_digits > 0 {
            length += 1 + sign + n_digits;
        }
    }
    if length > whole {
        let value = rest[..length].parse().ok().filter(|v: &f64| v.is_finite());
        return value
            .map(|value| (CelWord::Double(value), length))
            .ok_or_else(|| fault("double", length));
    }
    if is_uint(length) {
        return rest[..length]
            .parse()
            .map(|value| (CelWord::Uint(value), length + 1))
            .map_err(|_| fault("uint", length + 1));
    }
    Ok((CelWord::Int(rest[..length].to_owned(), false), length))
}
