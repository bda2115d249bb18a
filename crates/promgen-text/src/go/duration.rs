//! Lengths of time, in the two notations that meet here: Prometheus' (`1d12h`) and Go's (`1h30m0s`).
//!
//! In: a text. Out: a length, or the library's own error text. Both types print themselves in their canonical form.

use std::fmt;

use crate::go::quote::quote;

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// Prometheus' units, biggest first, in milliseconds. A year always has 365 days.
const PROM_UNITS: [(&str, u64); 7] = [
    ("y", 365 * DAY),
    ("w", 7 * DAY),
    ("d", DAY),
    ("h", HOUR),
    ("m", MINUTE),
    ("s", SECOND),
    ("ms", 1),
];

/// Nanoseconds of a millisecond.
const NANOS: u64 = 1_000_000;

/// Go's units, in nanoseconds; both spellings of micro are two different characters.
const GO_UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1000),
    ("\u{B5}s", 1000),
    ("\u{3BC}s", 1000),
    ("ms", NANOS),
    ("s", SECOND * NANOS),
    ("m", MINUTE * NANOS),
    ("h", HOUR * NANOS),
];

/// First value that Go's `time.Duration` cannot hold, in nanoseconds.
const OVERFLOW: u64 = 1 << 63;

/// A length of time as Prometheus writes it, in whole milliseconds. Never negative.
///
/// ```
/// use promgen_text::go::duration::PromDuration;
///
/// assert_eq!(PromDuration::parse("1h30m").map(|d| d.millis), Ok(5_400_000));
/// assert_eq!(PromDuration::parse("90m").map(|d| d.to_string()), Ok("1h30m".to_owned()));
/// assert_eq!(PromDuration::parse("1m1h"), Err("not a valid duration string: \"1m1h\"".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PromDuration {
    /// Milliseconds.
    pub millis: u64,
}

impl PromDuration {
    /// Reads a length of time; mirrors `model.ParseDuration`.
    ///
    /// # Errors
    /// Prometheus' own text.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "0" => return Ok(Self::default()),
            "" => return Err("empty duration string".to_owned()),
            _ => {}
        }
        let invalid = || format!("not a valid duration string: {}", quote(text));
        let mut nanos: u64 = 0;
        let mut units = PROM_UNITS.as_slice();
        let mut rest = text;
        while !rest.is_empty() {
            let (digits, after) = split_digits(rest);
            // A unit without a number before it is an error here, too: the empty text is no number.
            let count: u64 = digits.parse().map_err(|_| invalid())?;
            let (unit, after) = after.split_at(
                after
                    .find(|c: char| c.is_ascii_digit())
                    .unwrap_or(after.len()),
            );
            if unit.is_empty() {
                return Err(invalid());
            }
            if !PROM_UNITS.iter().any(|(known, _)| *known == unit) {
                return Err(format!(
                    "unknown unit {} in duration {}",
                    quote(unit),
                    quote(text)
                ));
            }
            // The rest of the list are the units that may follow.
            let at = units
                .iter()
                .position(|(known, _)| *known == unit)
                .ok_or_else(invalid)?;
            // Prometheus counts in Go's `time.Duration`, so its range is that of nanoseconds.
            nanos = add(nanos, count, units[at].1 * NANOS).ok_or("duration out of range")?;
            units = &units[at + 1..];
            rest = after;
        }
        Ok(Self {
            millis: nanos / NANOS,
        })
    }
}

/// `sum + count * unit`, if a `time.Duration` can hold it.
fn add(sum: u64, count: u64, unit: u64) -> Option<u64> {
    let sum = count.checked_mul(unit)?.checked_add(sum)?;
    (sum < OVERFLOW).then_some(sum)
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

impl fmt::Display for PromDuration {
    /// Mirrors `model.Duration.String`: years and weeks only where they divide the duration, so that 90 days stay
    /// `90d`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut millis = self.millis;
        if millis == 0 {
            return f.write_str("0s");
        }
        for (unit, size) in PROM_UNITS {
            let only_exact = matches!(unit, "y" | "w");
            if millis < size || (only_exact && !millis.is_multiple_of(size)) {
                continue;
            }
            write!(f, "{}{unit}", millis / size)?;
            millis %= size;
        }
        Ok(())
    }
}

/// A length of time as Go writes it.
///
/// ```
/// use promgen_text::go::duration::TimeDuration;
///
/// assert_eq!(TimeDuration::parse("1.5h").map(|d| d.to_string()), Ok("1h30m0s".to_owned()));
/// assert_eq!(TimeDuration::parse("1d"), Err("time: unknown unit \"d\" in duration \"1d\"".to_owned()));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeDuration {
    /// Nanoseconds.
    pub nanos: i64,
}

impl TimeDuration {
    /// Reads a length of time; mirrors `time.ParseDuration`.
    ///
    /// # Errors
    /// Go's own text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let invalid = || format!("time: invalid duration {}", time_quote(text));
        let (negative, mut rest) = match text.as_bytes().first() {
            Some(sign @ (b'-' | b'+')) => (*sign == b'-', &text[1..]),
            _ => (false, text),
        };
        match rest {
            "0" => return Ok(Self::default()),
            "" => return Err(invalid()),
            _ => {}
        }
        let mut nanos: u64 = 0;
        while !rest.is_empty() {
            let (number, after) = Decimal::read(rest).ok_or_else(invalid)?;
            let (name, after) = after.split_at(
                after
                    .find(|c: char| c == '.' || c.is_ascii_digit())
                    .unwrap_or(after.len()),
            );
            if name.is_empty() {
                return Err(format!(
                    "time: missing unit in duration {}",
                    time_quote(text)
                ));
            }
            let Some((_, unit)) = GO_UNITS.iter().find(|(known, _)| *known == name) else {
                return Err(format!(
                    "time: unknown unit {} in duration {}",
                    time_quote(name),
                    time_quote(text)
                ));
            };
            let sum = number.times(*unit).and_then(|more| nanos.checked_add(more));
            // One more than the greatest duration is allowed, for the sake of the least negative one.
            nanos = sum.filter(|&sum| sum <= OVERFLOW).ok_or_else(invalid)?;
            rest = after;
        }
        let signed = if negative {
            0_i64.checked_sub_unsigned(nanos)
        } else {
            i64::try_from(nanos).ok()
        };
        signed.map(|nanos| Self { nanos }).ok_or_else(invalid)
    }
}

/// A decimal number, as Go's `time` reads it.
struct Decimal {
    whole: u64,
    fraction: u64,
    /// The divisor of the fraction.
    scale: f64,
}

impl Decimal {
    /// The number at the start of the text, and what follows. `None` if there is none or it is too big.
    fn read(text: &str) -> Option<(Self, &str)> {
        let (whole_digits, rest) = split_digits(text);
        let whole = whole_digits.bytes().try_fold(0_u64, |sum, digit| {
            let sum = sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
            (sum <= OVERFLOW).then_some(sum)
        })?;
        let mut number = Self {
            whole,
            fraction: 0,
            scale: 1.0,
        };
        let Some(after) = rest.strip_prefix('.') else {
            return (!whole_digits.is_empty()).then_some((number, rest));
        };
        let (digits, rest) = split_digits(after);
        if whole_digits.is_empty() && digits.is_empty() {
            return None;
        }
        for digit in digits.bytes() {
            // Digits beyond the range do not count.
            let next = number
                .fraction
                .checked_mul(10)
                .and_then(|sum| sum.checked_add(u64::from(digit - b'0')));
            match next {
                Some(next) if next <= OVERFLOW && number.fraction <= (OVERFLOW - 1) / 10 => {
                    number.fraction = next
                }
                _ => break,
            }
            number.scale *= 10.0;
        }
        Some((number, rest))
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "Go computes the fraction in floating point, and so must this"
    )]
    fn times(&self, unit: u64) -> Option<u64> {
        if self.whole > OVERFLOW / unit {
            return None;
        }
        let whole = self.whole * unit;
        if self.fraction == 0 {
            return Some(whole);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "less than one unit, not negative"
        )]
        let part = (self.fraction as f64 * (unit as f64 / self.scale)) as u64;
        whole.checked_add(part).filter(|&sum| sum <= OVERFLOW)
    }
}

/// Go's package `time` quotes in its own way: bytes beyond printable ASCII in hexadecimal.
fn time_quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // Go escapes what is below the blank or beyond ASCII, so DEL stays.
            ' '..='\x7F' => out.push(c),
            _ => c
                .encode_utf8(&mut [0; 4])
                .bytes()
                .for_each(|b| out.push_str(&format!(r"\x{b:02x}"))),
        }
    }
    out.push('"');
    out
}

impl fmt::Display for TimeDuration {
    /// Mirrors `time.Duration.String`: `1h0m0s`, `1.5s`, `20ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos.unsigned_abs();
        if self.nanos < 0 {
            f.write_str("-")?;
        }
        let second = SECOND * NANOS;
        match nanos {
            0 => return f.write_str("0s"),
            1..1000 => return write!(f, "{nanos}ns"),
            // Below a second, Go takes the unit that leaves a whole part.
            1000..NANOS => return write_fraction(f, nanos, 1000, "µs"),
            _ if nanos < second => return write_fraction(f, nanos, NANOS, "ms"),
            _ => {}
        }
        let (hours, minutes) = (nanos / second / 3600, nanos / second / 60 % 60);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if hours > 0 || minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        write_fraction(f, nanos % (60 * second), second, "s")
    }
}

/// `amount / size` without trailing zeros; `size` is a power of ten.
fn write_fraction(f: &mut fmt::Formatter<'_>, amount: u64, size: u64, unit: &str) -> fmt::Result {
    write!(f, "{}", amount / size)?;
    let width = size.ilog10() as usize;
    let fraction = format!("{:0width$}", amount % size);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() {
        f.write_str(unit)
    } else {
        write!(f, ".{fraction}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_durations_are_read_and_written() {
        for (text, millis, canonical) in [
            ("0", 0, "0s"),
            ("0s", 0, "0s"),
            ("30s", 30_000, "30s"),
            ("90d", 90 * DAY, "90d"),
            ("52w", 52 * 7 * DAY, "52w"),
            ("365d", 365 * DAY, "1y"),
            ("1y1d", 366 * DAY, "366d"),
            (
                "1y2w3d4h5m6s7ms",
                382 * DAY + 4 * HOUR + 5 * MINUTE + 6 * SECOND + 7,
                "382d4h5m6s7ms",
            ),
            ("90m", 90 * MINUTE, "1h30m"),
            ("292y", 292 * 365 * DAY, "292y"),
        ] {
            let duration = PromDuration::parse(text).expect(text);
            assert_eq!(
                (duration.millis, duration.to_string().as_str()),
                (millis, canonical),
                "{text}"
            );
        }
    }

    #[test]
    fn prometheus_words_what_it_refuses() {
        for (text, error) in [
            ("", "empty duration string"),
            ("1", "not a valid duration string: \"1\""),
            ("-1s", "not a valid duration string: \"-1s\""),
            ("1.5h", "unknown unit \".\" in duration \"1.5h\""),
            ("1s1s", "not a valid duration string: \"1s1s\""),
            ("1s1m", "not a valid duration string: \"1s1m\""),
            ("5é", "unknown unit \"é\" in duration \"5é\""),
            (
                "99999999999999999999s",
                "not a valid duration string: \"99999999999999999999s\"",
            ),
            ("293y", "duration out of range"),
            ("292y292d", "duration out of range"),
        ] {
            assert_eq!(PromDuration::parse(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn go_durations_are_read_and_written() {
        for (text, canonical) in [
            ("0", "0s"),
            ("-0", "0s"),
            ("1ns", "1ns"),
            ("1100ns", "1.1µs"),
            ("2.2µs", "2.2µs"),
            ("3300us", "3.3ms"),
            ("1m", "1m0s"),
            ("1h0.001s", "1h0m0.001s"),
            ("-1.5h", "-1h30m0s"),
            (".5s", "500ms"),
            ("1s1h", "1h0m1s"),
            ("9223372036854775807ns", "2562047h47m16.854775807s"),
            ("-9223372036854775808ns", "-2562047h47m16.854775808s"),
        ] {
            assert_eq!(
                TimeDuration::parse(text).map(|d| d.to_string()),
                Ok(canonical.to_owned()),
                "{text}"
            );
        }
    }

    #[test]
    fn go_words_what_it_refuses() {
        for (text, error) in [
            ("", "time: invalid duration \"\""),
            ("3", "time: missing unit in duration \"3\""),
            ("-", "time: invalid duration \"-\""),
            (".s", "time: invalid duration \".s\""),
            ("1d", "time: unknown unit \"d\" in duration \"1d\""),
            (
                "1é\"",
                r#"time: unknown unit "\xc3\xa9\"" in duration "1\xc3\xa9\"""#,
            ),
            (
                "9223372036854775808ns",
                "time: invalid duration \"9223372036854775808ns\"",
            ),
        ] {
            assert_eq!(TimeDuration::parse(text), Err(error.to_owned()), "{text}");
        }
    }
}
