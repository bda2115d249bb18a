//! From when to when a certificate is valid.

use crate::go::tls::der::DerReader;
use crate::go::tls::x509::ParseResult;
use crate::time::days_of_month;

const UTC_TIME: u8 = 23;
const GENERALIZED_TIME: u8 = 24;

/// Reads a moment. Go: `parseTime`.
///
/// # Errors
/// Go's words.
pub(super) fn time(input: &mut DerReader<'_>) -> ParseResult<()> {
    let (malformed, n_year, seconds) = match input.rest().first() {
        Some(&UTC_TIME) => ("x509: malformed UTCTime", 2, false),
        Some(&GENERALIZED_TIME) => ("x509: malformed GeneralizedTime", 4, true),
        Some(_) | None => return Err("x509: unsupported time format"),
    };
    input
        .any()
        .and_then(|element| moment(element.content, n_year, seconds))
        .ok_or(malformed)
}

/// A year of so many digits, month, day, hour, minute, second and zone. Seconds may be missing unless they are needed.
fn moment(text: &[u8], n_year: usize, seconds: bool) -> Option<()> {
    let zone = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, zone) = text.split_at(zone);
    let (year, rest) = digits.split_at_checked(n_year)?;
    let year = number(year)? + if n_year == 2 { 2000 } else { 0 };
    let mut parts = rest
        .chunks(2)
        .map(|pair| if pair.len() == 2 { number(pair) } else { None });
    let (month, day) = (parts.next()??, parts.next()??);
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = match parts.next() {
        Some(second) => second?,
        None if seconds => return None,
        None => 0,
    };
    let fits = parts.next().is_none()
        && (1..=12).contains(&month)
        && (1..=days_of_month(year.into(), month.into())).contains(&day.into())
        && hour < 24
        && minute < 60
        && second < 60
        && is_zone(zone);
    fits.then_some(())
}

/// `Z`, or an offset that is not 0.
fn is_zone(zone: &[u8]) -> bool {
    match zone {
        b"Z" => true,
        [b'+' | b'-', offset @ ..] if offset.len() == 4 => number(offset)
            .is_some_and(|offset| offset != 0 && offset / 100 < 24 && offset % 100 < 60),
        _ => false,
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| {
        digit
            .is_ascii_digit()
            .then(|| number * 10 + u32::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_exist() {
        for good in ["240229120000Z", "2402291200Z", "491231235959+0100"] {
            assert!(moment(good.as_bytes(), 2, false).is_some(), "{good}");
        }
        for bad in [
            "230229120000Z",
            "240229120000",
            "24022912000Z",
            "240229240000Z",
            "240229120000+0000",
            "Z",
            "",
        ] {
            assert!(moment(bad.as_bytes(), 2, false).is_none(), "{bad}");
        }
        assert!(moment(b"20240229120000Z", 4, true).is_some());
        assert!(moment(b"202402291200Z", 4, true).is_none());
    }
}
