//! What Go's YAML 1.1 would read plain text as: text, or something else that has to be kept from it by quotes.

use std::borrow::Cow;

use crate::yaml::emit::timestamp;

/// Returns whether the text, without quotes, is read as text. The first byte decides for nearly all.
pub(super) fn is_text(text: &str) -> bool {
    match text.as_bytes().first() {
        // Empty text would be null.
        None => false,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            !is_word(text)
        }
        Some(b'.') => !is_special_float(text) && !is_dotted_float(text),
        Some(b'0'..=b'9' | b'+' | b'-') => !is_numeric(text),
        Some(_) => true,
    }
}

/// Truth values and null.
fn is_word(text: &str) -> bool {
    matches!(
        text,
        "y" | "Y"
            | "yes"
            | "Yes"
            | "YES"
            | "true"
            | "True"
            | "TRUE"
            | "on"
            | "On"
            | "ON"
            | "n"
            | "N"
            | "no"
            | "No"
            | "NO"
            | "false"
            | "False"
            | "FALSE"
            | "off"
            | "Off"
            | "OFF"
            | "~"
            | "null"
            | "Null"
            | "NULL"
    )
}

fn is_special_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

/// Text that starts with a digit or a sign: numbers, times, and numbers to the base of 60, which Go itself reads as text
/// but quotes for the sake of others.
fn is_numeric(text: &str) -> bool {
    if is_special_float(text) || is_sexagesimal(text) || timestamp::is_timestamp(text) {
        return true;
    }
    // go-yaml removes underscores before it tries any number.
    let digits = if memchr::memchr(b'_', text.as_bytes()).is_some() {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    is_integer(&digits) || is_float(&digits) || is_signed_binary(&digits)
}

/// A number as Go's `strconv.ParseInt` or `ParseUint` reads it with base 0.
fn is_integer(text: &str) -> bool {
    let sign = text.bytes().next().filter(|b| matches!(b, b'+' | b'-'));
    let digits = if sign.is_some() { &text[1..] } else { text };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'b' | b'B', _, ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', _, ..] => (8, &digits[2..]),
        [b'0', b'x' | b'X', _, ..] => (16, &digits[2..]),
        [b'0'] => return true,
        // A leading zero means octal, so `08` is no integer; it is still a float.
        [b'0', ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let Some(magnitude) = magnitude(digits, radix) else {
        return false;
    };
    match sign {
        None => true,
        Some(b'-') => magnitude <= i64::MIN.unsigned_abs(),
        Some(_) => magnitude <= i64::MAX.unsigned_abs(),
    }
}

/// Digits and nothing else, of a number of 64 bits.
fn magnitude(digits: &str, radix: u32) -> Option<u64> {
    // Rust would take a sign here.
    if digits.starts_with(['+', '-']) {
        None
    } else {
        u64::from_str_radix(digits, radix).ok()
    }
}

/// A sign after `0b`: Go tries that prefix once more by itself.
fn is_signed_binary(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("0b") else {
        return false;
    };
    match digits.as_bytes().first() {
        Some(b'-') => magnitude(&digits[1..], 2).is_some_and(|m| m <= i64::MIN.unsigned_abs()),
        Some(b'+') => magnitude(&digits[1..], 2).is_some_and(|m| m <= i64::MAX.unsigned_abs()),
        _ => false,
    }
}

pub(super) fn count_digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// A decimal number with or without fraction and exponent, that does not overflow.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text).as_bytes();
    let whole = count_digits(unsigned);
    let mut rest = &unsigned[whole..];
    if let [b'.', fraction @ ..] = rest {
        let digits = count_digits(fraction);
        if whole + digits == 0 {
            return false;
        }
        rest = &fraction[digits..];
    } else if whole == 0 {
        return false;
    }
    is_exponent(rest) && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Nothing, or a whole exponent.
fn is_exponent(bytes: &[u8]) -> bool {
    match bytes {
        [] => true,
        [b'e' | b'E', b'+' | b'-', digits @ ..] | [b'e' | b'E', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// What starts with a dot goes to Go's `strconv.ParseFloat` as it is, which wants underscores between digits.
fn is_dotted_float(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut underscores = memchr::memchr_iter(b'_', bytes).peekable();
    if underscores.peek().is_none() {
        return is_float(text);
    }
    // The first byte is the dot.
    underscores.all(|at| digit_at(at - 1) && digit_at(at + 1)) && is_float(&text.replace('_', ""))
}

/// `1:20`, `-190:20:30.15`.
fn is_sexagesimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut parts = unsigned.split(':');
    let Some(first) = parts.next() else {
        return false;
    };
    if !first.starts_with(|c: char| c.is_ascii_digit())
        || !first.bytes().all(is_digit_or_underscore)
    {
        return false;
    }
    let mut parts = parts.peekable();
    let mut any = false;
    while let Some(part) = parts.next() {
        any = true;
        let (sixtieth, fraction) = match part.split_once('.') {
            Some((sixtieth, fraction)) if parts.peek().is_none() => (sixtieth, fraction),
            _ => (part, ""),
        };
        let in_range = matches!(
            sixtieth.as_bytes(),
            [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']
        );
        if !in_range || !fraction.bytes().all(is_digit_or_underscore) {
            return false;
        }
    }
    any
}

const fn is_digit_or_underscore(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'_')
}

#[cfg(test)]
mod tests {
    use super::is_text;

    #[test]
    fn text() {
        let texts = [
            "a",
            "tRUE",
            "nil",
            "-",
            "+",
            "1e",
            "0x",
            "0b",
            "0b2",
            "0o8",
            "_1",
            "5m",
            "30s",
            "1,000",
            "0.1.2",
            ".",
            "._5",
            ".5_",
            ".5__9",
            "60:6060",
            "1:60",
            "1:20.5:30",
            ":20",
            "1e400",
            "NaN",
            "inf",
            "+.nan",
            "0x1ffffffffffffffff",
            "0b-",
            "-0b+1",
            "<<",
            "=",
            "10.0.0.1:9090",
            "2001-13-01",
            "2001-02-29",
            "0000-00-00",
            "2001-01-01T24:00:00Z",
            "2001-01-01x1:2:3",
            "2001-01-01T1:2:3",
            "2001-01-01 1:2:3Z",
            "2001-01-01T1:2:3+25:00",
            "2001-01-01T1:2:3+01:61",
            "20010-1-1",
        ];
        for text in texts {
            assert!(is_text(text), "{text}");
        }
    }

    #[test]
    fn something_else() {
        let others = [
            "",
            "~",
            "null",
            "y",
            "NO",
            "On",
            "off",
            "1",
            "-0",
            "+12",
            "017",
            "08",
            "1_000",
            "1_",
            "0X1f",
            "-0x1F",
            "0b+1",
            "0b-1",
            "0o7",
            "18446744073709551616",
            "0xffffffffffffffff",
            "1.",
            ".5",
            ".5_9",
            "1e3",
            "+1.5E-3",
            "1_0.0_1",
            ".inf",
            "-.INF",
            ".NaN",
            "1:20",
            "-190:20:30.5",
            "1_0:59",
            "1:2.",
            "2001-01-01",
            "2000-2-29",
            "0000-2-29",
            "2001-1-1t1:2:3.4+24:60",
            "2001-01-01   1:2:3,5",
        ];
        for other in others {
            assert!(!is_text(other), "{other}");
        }
    }
}
