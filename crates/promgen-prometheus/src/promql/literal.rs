//! The values of literals, as Prometheus reads them.

use crate::promql::lex::{Token, TokenKind};
use promgen_text::go::duration::PromDuration;

/// Most seconds that a `time.Duration` holds.
pub(super) const MAX_SECONDS: f64 = 9_223_372_036.854_776;

const NANOS: f64 = 1e9;

/// The value of a number or a duration, in seconds for the latter.
///
/// # Errors
/// Why there is none.
pub(super) fn value(token: &Token<'_>) -> Result<f64, String> {
    match token.kind {
        TokenKind::Duration => PromDuration::parse(token.text).map(seconds),
        TokenKind::Number => number(token.text)
            .ok_or_else(|| neither(token.text))
            .and_then(|value| {
                let is_written_out = token
                    .text
                    .starts_with(|c: char| c.is_ascii_digit() || c == '.');
                if value.is_infinite() && is_written_out {
                    Err(format!("number out of range: {}", token.text))
                } else {
                    Ok(value)
                }
            }),
        TokenKind::Word | TokenKind::Text | TokenKind::Sign => {
            Err(format!("not a number: {}", token.text))
        }
    }
}

/// The message for a text that begins with a digit. Prometheus: `bad number or duration syntax`.
fn neither(text: &str) -> String {
    format!("`{text}` is neither a number nor a duration")
}

fn number(text: &str) -> Option<f64> {
    if !separates_digits(text) {
        return None;
    }
    let digits = text.replace('_', "").to_ascii_lowercase();
    if let Some(hex) = digits.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok().map(to_float);
    }
    // A zero in front makes a number octal, unless it has digits that are not.
    let octal = if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(&digits, 8).ok()
    } else {
        None
    };
    octal.map(to_float).or_else(|| digits.parse().ok())
}

/// Returns whether every `_` of a number stands between two digits.
fn separates_digits(number: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = number.as_bytes();
    let fits = |at: usize| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    bytes
        .iter()
        .enumerate()
        .all(|(at, byte)| *byte != b'_' || fits(at))
}

#[expect(clippy::cast_precision_loss, reason = "Go converts likewise")]
const fn to_float(value: i64) -> f64 {
    value as f64
}

/// A length of time in seconds, with the digits that Go's `Duration.Seconds` gives.
fn seconds(duration: PromDuration) -> f64 {
    let (whole, rest) = (duration.millis / 1000, duration.millis % 1000);
    let float = |millis: u64| to_float(i64::try_from(millis).unwrap_or(i64::MAX));
    float(whole) + float(rest * 1_000_000) / NANOS
}

/// Seconds as Prometheus prints them. `None` for no time at all.
pub(super) fn duration(seconds: f64) -> Option<String> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be in range"
    )]
    let nanos = (seconds.abs() * NANOS).round() as u64;
    let sign = if seconds < 0.0 { "-" } else { "" };
    (nanos > 0).then(|| {
        format!(
            "{sign}{}",
            PromDuration {
                millis: nanos / 1_000_000
            }
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promql::lex::tokens;

    #[test]
    fn numbers_have_the_values_of_prometheus() {
        let value = |text: &str| value(&tokens(text)[0]).ok();
        for (text, expected) in [
            ("0755", 493.0),
            ("08", 8.0),
            ("0xc", 12.0),
            ("5.", 5.0),
            (".5", 0.5),
            ("1_000", 1000.0),
            ("1e3", 1000.0),
            ("1h30m", 5400.0),
            ("1ms", 0.001),
            ("inf", f64::INFINITY),
        ] {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        assert_eq!(value("1e400"), None);
        assert_eq!(value("99999999999y"), None);
    }

    #[test]
    fn seconds_are_printed_as_durations() {
        let printed: Vec<_> = [5400.0, 0.5, -300.0, 0.0001]
            .into_iter()
            .filter_map(duration)
            .collect();
        assert_eq!(printed, ["1h30m", "500ms", "-5m", "0s"]);
        assert_eq!(duration(0.0), None);
    }
}
