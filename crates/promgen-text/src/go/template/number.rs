//! Whether what looks like a number in a template is one.

use std::sync::LazyLock;

use regex::Regex;

use crate::go::unquote::unquote;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern")
}

/// A whole number in Go's notation: sign, prefix, digits. A leading zero makes it octal.
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\A([+-]?)(?:0x((?:_?[0-9a-f])+)|0b((?:_?[01])+)|0o?((?:_?[0-7])*)|([1-9](?:_?[0-9])*))\z",
    )
});

/// A decimal number with a point or an exponent, or both.
static DECIMAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A[+-]?(?:[0-9](?:_?[0-9])*\.?(?:[0-9](?:_?[0-9])*)?|\.[0-9](?:_?[0-9])*)(?:[eE][+-]?[0-9](?:_?[0-9])*)?\z",
    )
});

/// A hexadecimal number with an exponent.
static HEXADECIMAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\A[+-]?0x_?(?:[0-9a-f](?:_?[0-9a-f])*\.?(?:[0-9a-f](?:_?[0-9a-f])*)?|\.[0-9a-f](?:_?[0-9a-f])*)p[+-]?[0-9]+\z",
    )
});

/// Checks a number.
///
/// # Errors
/// It is none, or too big.
pub(super) fn check(text: &str) -> Result<(), String> {
    let real = text.strip_suffix('i').map_or(text, |rest| {
        // The part of a complex number after the sign in its middle.
        let middle = rest
            .rfind(['+', '-'])
            .filter(|at| *at > 0 && !rest[..*at].ends_with(['e', 'E', 'p', 'P']));
        middle.map_or(rest, |at| &rest[at..])
    });
    let is_imaginary = real.len() < text.len();
    if is_imaginary && DECIMAL.is_match(real)
        || !is_imaginary && whole(real) == Some(true)
        || float(real)
    {
        return Ok(());
    }
    let overflows =
        whole(real).is_some() || DECIMAL.is_match(real) && !real.contains(['.', 'e', 'E']);
    Err(if overflows {
        format!("integer overflow: {text:?}")
    } else {
        format!("illegal number syntax: {text:?}")
    })
}

/// Returns whether a whole number fits into 64 bits. `None` if it is no whole number.
fn whole(text: &str) -> Option<bool> {
    let (sign, digits, radix) = parts(text)?;
    Some(if sign.is_empty() {
        u64::from_str_radix(&digits, radix).is_ok()
    } else {
        i64::from_str_radix(&format!("{sign}{digits}"), radix).is_ok()
    })
}

/// The value of a whole number. `None` if it is none, or too big.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (sign, digits, radix) = parts(text)?;
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
}

/// The sign of a whole number, its digits, and their base.
fn parts(text: &str) -> Option<(String, String, u32)> {
    let groups = WHOLE.captures(text)?;
    let (digits, radix) =
        [(2, 16), (3, 2), (4, 8), (5, 10)]
            .into_iter()
            .find_map(|(group, radix)| {
                groups
                    .get(group)
                    .map(|digits| (digits.as_str().replace('_', ""), radix))
            })?;
    let sign = groups[1].to_owned();
    if digits.is_empty() {
        // The zero itself; with its letter alone it is no number.
        return (!text.ends_with(['o', 'O'])).then(|| (sign, "0".to_owned(), radix));
    }
    Some((sign, digits, radix))
}

fn float(text: &str) -> bool {
    if HEXADECIMAL.is_match(text) {
        return true;
    }
    let is_written_as_one = DECIMAL.is_match(text) && text.contains(['.', 'e', 'E']);
    is_written_as_one
        && text
            .replace('_', "")
            .parse::<f64>()
            .is_ok_and(f64::is_finite)
}

/// Checks a character in single quotes.
///
/// # Errors
/// It is not one character.
pub(super) fn check_char(text: &str) -> Result<(), String> {
    let bytes = unquote(text).filter(|bytes| match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().count() == 1,
        Err(_) => bytes.len() == 1,
    });
    bytes
        .map(|_| ())
        .ok_or_else(|| format!("malformed character constant: {text}"))
}
