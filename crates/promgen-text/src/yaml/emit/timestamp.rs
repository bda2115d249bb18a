//! Times, in the four layouts that go-yaml gives to Go's `time.Parse`, whose leniencies are kept: short fields, a comma
//! before the fraction, any number of spaces.

use crate::time::days_of_month;
use crate::yaml::emit::resolve::count_digits;

/// Returns whether the text is a date, or a date and a time.
pub(super) fn is_timestamp(text: &str) -> bool {
    parse(text.as_bytes()).is_some()
}

fn parse(text: &[u8]) -> Option<()> {
    let (year, rest) = text.split_at_checked(4)?;
    if !year.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let year = year
        .iter()
        .fold(0, |year, digit| year * 10 + u32::from(digit - b'0'));
    let (month, rest) = number(rest.strip_prefix(b"-")?)?;
    let (day, rest) = number(rest.strip_prefix(b"-")?)?;
    if !(1..=12).contains(&month)
        || day < 1
        || i64::from(day) > days_of_month(year.into(), month.into())
    {
        return None;
    }
    match rest {
        [] => Some(()),
        [b'T' | b't', time @ ..] => zone(clock(time)?),
        [b' ', time @ ..] => clock(skip_spaces(time))
            .filter(|rest| rest.is_empty())
            .map(drop),
        _ => None,
    }
}

fn skip_spaces(text: &[u8]) -> &[u8] {
    &text[text.iter().take_while(|&&b| b == b' ').count()..]
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
        [b'.' | b',', b'0'..=b'9', fraction @ ..] => Some(&fraction[count_digits(fraction)..]),
        _ => Some(rest),
    }
}

/// `Z`, or hours and minutes; nothing may follow.
fn zone(text: &[u8]) -> Option<()> {
    match text {
        b"Z" => Some(()),
        [
            b'+' | b'-',
            h1 @ b'0'..=b'9',
            h2 @ b'0'..=b'9',
            b':',
            m1 @ b'0'..=b'9',
            b'0'..=b'9',
        ] => {
            let hour = (h1 - b'0') * 10 + (h2 - b'0');
            let minute_is_60_at_most = *m1 < b'6' || text.ends_with(b"60");
            // Go is lenient in the zone, and strict in the clock.
            (hour <= 24 && minute_is_60_at_most).then_some(())
        }
        _ => None,
    }
}
