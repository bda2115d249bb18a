//! Points in time, as Kubernetes writes them. There is no clock here: they come from the user or from a file.

use std::fmt;

/// The names of months.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The names of weekdays.
pub const WEEKDAYS: [&str; 7] = [
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
];

/// Seconds of a day.
const DAY: i64 = 86_400;

/// A second in time. Shown in UTC, as `2026-11-21T08:20:47Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970 began in UTC.
    seconds: i64,
}

impl Timestamp {
    /// Reads RFC 3339, in any zone; parts of a second are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if !text.is_ascii() || text.len() < 20 || !matches!(text.as_bytes()[10], b'T' | b't' | b' ')
        {
            return None;
        }
        let [year, month, day] = numbers(&text[..10], b"0000-00-00")?;
        let [hour, minute, second] = numbers(&text[11..19], b"00:00:00")?;
        let is_day = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
        if !is_day || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let of_day = hour * 3600 + minute * 60 + second;
        let seconds =
            days_before(year, month, day) * DAY + of_day - offset(without_fraction(&text[19..])?)?;
        Some(Self { seconds })
    }

    /// The day and the minute, in UTC.
    pub const fn calendar(self) -> Calendar {
        let (days, second) = (self.seconds.div_euclid(DAY), self.seconds.rem_euclid(DAY));
        let (year, month, day) = date(days);
        // The first of January 1970 was a Thursday.
        Calendar {
            year,
            month,
            day,
            weekday: (days + 4).rem_euclid(7),
            minute: second / 60,
        }
    }

    /// Seconds since 1970 began in UTC.
    #[must_use]
    pub const fn unix(self) -> i64 {
        self.seconds
    }

    /// So many seconds later.
    #[must_use]
    pub const fn after(self, seconds: i64) -> Self {
        Self {
            seconds: self.seconds.saturating_add(seconds),
        }
    }
}

/// A point in time by the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The day of the week, from Sunday, which is 0.
    pub weekday: i64,
    /// The minute of the day.
    pub minute: i64,
}

/// Three numbers in that pattern, where each `0` stands for a digit.
fn numbers(text: &str, pattern: &[u8]) -> Option<[i64; 3]> {
    let fits = |(byte, wanted): (u8, &u8)| {
        if *wanted == b'0' {
            byte.is_ascii_digit()
        } else {
            byte == *wanted
        }
    };
    if text.len() != pattern.len() || !text.bytes().zip(pattern).all(fits) {
        return None;
    }
    let mut parts = text
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

fn without_fraction(text: &str) -> Option<&str> {
    let Some(fraction) = text.strip_prefix('.') else {
        return Some(text);
    };
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < fraction.len()).then_some(rest)
}

/// Seconds by which a zone is ahead of UTC: `Z`, `+01:00`.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let [hours, minutes, _] = numbers(&format!("{}:00", &zone[1..]), b"00:00:00")?;
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

const fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// The number of days that a month has; months beyond 12 have 31.
pub const fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970 began to that one, in the Gregorian calendar. Years are counted from March, so that a leap day comes last.
const fn days_before(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// Year, month and day of a day since 1970.
const fn date(days: i64) -> (i64, i64, i64) {
    const CYCLE: i64 = 146_097;
    let (cycle, day) = (
        (days + 719_468).div_euclid(CYCLE),
        (days + 719_468).rem_euclid(CYCLE),
    );
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let year = year + cycle * 400;
    if month < 10 {
        (year, month + 3, of_month)
    } else {
        (year + 1, month - 9, of_month)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.seconds.div_euclid(DAY), self.seconds.rem_euclid(DAY));
        let (year, month, day) = date(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_read_in_any_zone_and_written_in_utc() {
        for (text, expected) in [
            ("2026-11-21T08:20:47Z", Some("2026-11-21T08:20:47Z")),
            (
                "2026-11-21t09:20:47.123+01:00",
                Some("2026-11-21T08:20:47Z"),
            ),
            ("1969-12-31T23:59:59-00:30", Some("1970-01-01T00:29:59Z")),
            ("2024-02-29T00:00:00Z", Some("2024-02-29T00:00:00Z")),
            ("2023-02-29T00:00:00Z", None),
            ("2026-11-21T24:00:00Z", None),
            ("2026-11-21T08:20:47", None),
            ("2026-11-21T08:20:47.Z", None),
            ("2026-11-21T08:20:47+1:00", None),
            ("yesterday, at about noon", None),
        ] {
            assert_eq!(
                Timestamp::parse(text).map(|t| t.to_string()).as_deref(),
                expected,
                "{text}"
            );
        }
        assert_eq!(
            Timestamp::parse("2026-12-31T23:00:00Z")
                .unwrap()
                .after(3600)
                .to_string(),
            "2027-01-01T00:00:00Z"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(seconds in -62_135_596_800_i64..253_402_300_800) {
            let time = Timestamp { seconds };
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
        }
    }
}
