//! What Go's YAML 1.1 would read plain text as: text, or something else that has to be kept from it by quotes.

use std::borrow::Cow;

/// Whether the text, without quotes, is read as text. The first byte decides for nearly all.
pub(super) fn is_text(text: &str) -> bool {
    match text.as_bytes().first() {
        None => false,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => !is_word(text),
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
        [b'0', ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let Some(magnitude) = magnitude(digits, radix) else { return false };
    match sign {
        None => true,
        Some(b'-') => magnitude <= i64::MIN.unsigned_abs(),
        Some(_) => magnitude <= i64::MAX.unsigned_abs(),
    }
}

/// Digits and nothing else, of a number of 64 bits.
fn magnitude(digits: &str, radix: u32) -> Option<u64> {
    // Rust would take a sign here.
    if digits.starts_with(['+', '-']) { None } else { u64::from_str_radix(digits, radix).ok() }
}

/// A sign after `0b`: Go tries that prefix once more by itself.
fn is_signed_binary(text: &str) -> bool {
    let Some(digits) = text.strip_prefix("0b") else { return false };
    match digits.as_bytes().first() {
        Some(b'-') => magnitude(&digits[1..], 2).is_some_and(|m| m <= i64::MIN.unsigned_abs()),
        Some(b'+') => magnitude(&digits[1..], 2).is_some_and(|m| m <= i64::MAX.unsigned_abs()),
        _ => false,
    }
}

fn count_digits(bytes: &[u8]) -> usize {
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
    let Some(first) = parts.next() else { return false };
    if !first.starts_with(|c: char| c.is_ascii_digit()) || !first.bytes().all(is_digit_or_underscore) {
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
        let in_range = matches!(sixtieth.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']);
        if !in_range || !fraction.bytes().all(is_digit_or_underscore) {
            return false;
        }
    }
    any
}

const fn is_digit_or_underscore(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'_')
}

/// Times, in the four layouts that go-yaml gives to Go's `time.Parse`, whose leniencies are kept.
mod timestamp {
    /// Whether the text is a date, or a date and a time.
    pub(super) fn is_timestamp(text: &str) -> bool {
        parse(text.as_bytes()).is_some()
    }

    fn parse(text: &[u8]) -> Option<()> {
        let (year, rest) = text.split_at_checked(4)?;
        if !year.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let year = year.iter().fold(0, |year, digit| year * 10 + u32::from(digit - b'0'));
        let (month, rest) = number(rest.strip_prefix(b"-")?)?;
        let (day, rest) = number(rest.strip_prefix(b"-")?)?;
        if !(1..=12).contains(&month) || day < 1 || day > days(year, month) {
            return None;
        }
        match rest {
            [] => Some(()),
            [b'T' | b't', time @ ..] => zone(clock(time)?),
            [b' ', time @ ..] => clock(time.trim_ascii_start_of_spaces()).filter(|rest| rest.is_empty()).map(drop),
            _ => None,
        }
    }

    trait Spaces {
        fn trim_ascii_start_of_spaces(&self) -> &Self;
    }

    impl Spaces for [u8] {
        fn trim_ascii_start_of_spaces(&self) -> &Self {
            &self[self.iter().take_while(|&&b| b == b' ').count()..]
        }
    }

    /// One or two digits.
    fn number(text: &[u8]) -> Option<(u32, &[u8])> {
        let digit = |b: &u8| u32::from(b - b'0');
        match text {
            [a @ b'0'..=b'9', b @ b'0'..=b'9', rest @ ..] => Some((digit(a) * 10 + digit(b), rest)),
            [a @ b'0'..=b'9', rest @ ..] => Some((digit(a), rest)),
            _ => None,
        }
    }

    /// Hours, minutes, seconds and perhaps a fraction; what follows.
    fn clock(text: &[u8]) -> Option<&[u8]> {
        let (hour, rest) = number(text)?;
        let (minute, rest) = number(rest.strip_prefix(b":")?)?;
        let (second, rest) = number(rest.strip_prefix(b":")?)?;
        if hour >= 24 || minute >= 60 || second >= 60 {
            return None;
        }
        match rest {
            [b'.' | b',', b'0'..=b'9', fraction @ ..] => Some(&fraction[super::count_digits(fraction)..]),
            _ => Some(rest),
        }
    }

    /// `Z`, or hours and minutes; nothing may follow.
    fn zone(text: &[u8]) -> Option<()> {
        match text {
            b"Z" => Some(()),
            [b'+' | b'-', h1 @ b'0'..=b'9', h2 @ b'0'..=b'9', b':', m1 @ b'0'..=b'9', b'0'..=b'9'] => {
                let hour = (h1 - b'0') * 10 + (h2 - b'0');
                let minute_is_60_at_most = *m1 < b'6' || text.ends_with(b"60");
                (hour <= 24 && minute_is_60_at_most).then_some(())
            }
            _ => None,
        }
    }

    const fn days(year: u32, month: u32) -> u32 {
        match month {
            2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }
}
