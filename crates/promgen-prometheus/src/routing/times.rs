//! Time intervals: whether a point in time is inside.
//!
//! In: ranges as in a configuration. Out: an answer in the time zone of each range; ranges in the zone of the machine that
//! runs Alertmanager have none.

use crate::routing::zone;
use promgen_text::time::{Calendar, Timestamp, WEEKDAYS};
use promgen_text::yaml::Value;

/// A range: the points in time that are in all of its lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    times: Vec<(i64, i64)>,
    weekdays: Vec<(i64, i64)>,
    days_of_month: Vec<(i64, i64)>,
    months: Vec<(i64, i64)>,
    years: Vec<(i64, i64)>,
    /// The time zone, if it is not UTC.
    pub location: Option<String>,
    /// The days of a month are its hours by 24, as before Alertmanager 0.35: the month in which clocks go forward has
    /// one day less.
    pub counts_hours: bool,
}

impl Range {
    /// Reads a range in its normal form, without invalid parts.
    pub(super) fn new(range: &Value) -> Self {
        let list = |key: &str, names: &[&str]| -> Vec<(i64, i64)> {
            let items = range.items_of(key);
            items
                .iter()
                .filter_map(Value::as_str)
                .filter_map(|text| span(text, names))
                .collect()
        };
        let times = range.items_of("times");
        let minutes = |time: &Value, key: &str| minutes(time.get(key)?.as_str()?);
        let location = range.text_of("location").filter(|name| !zone::is_utc(name));
        Self {
            times: times
                .iter()
                .filter_map(|t| Some((minutes(t, "start_time")?, minutes(t, "end_time")?)))
                .collect(),
            weekdays: list("weekdays", &WEEKDAYS)
                .into_iter()
                .flat_map(around_the_week)
                .collect(),
            days_of_month: list("days_of_month", &[]),
            months: list("months", &[]),
            years: list("years", &[]),
            location: location.map(str::to_owned),
            counts_hours: false,
        }
    }

    /// Returns whether a point in time is inside. `None` if that depends on the machine that runs Alertmanager.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> Option<bool> {
        let ahead = self
            .location
            .as_deref()
            .map_or(Some(0), |name| zone::offset(name, at))?;
        let Calendar {
            year,
            month,
            day,
            weekday,
            minute,
        } = at.after(ahead).calendar();
        let within = |spans: &[(i64, i64)], value: i64| {
            spans.is_empty()
                || spans
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&value))
        };
        let n_days = promgen_text::time::days_of_month(year, month);
        let first = at.after(-((day - 1) * DAY + minute * 60));
        let n_days = if self.counts_hours {
            self.days_by_hours(first, n_days)?
        } else {
            n_days
        };
        let from_start = |day: i64| if day < 0 { n_days + 1 + day } else { day };
        let days: Vec<(i64, i64)> = self
            .days_of_month
            .iter()
            .map(|(first, last)| (from_start(*first).max(1), from_start(*last).min(n_days)))
            .collect();
        let in_time = self.times.is_empty()
            || self
                .times
                .iter()
                .any(|(start, end)| (*start..*end).contains(&minute));
        Some(
            in_time
                && within(&self.weekdays, weekday)
                && within(&days, day)
                && within(&self.months, month)
                && within(&self.years, year),
        )
    }
}

/// The seconds of a day.
const DAY: i64 = 24 * 60 * 60;

impl Range {
    /// The hours of the month that begins about then, by 24.
    fn days_by_hours(&self, first: Timestamp, n_days: i64) -> Option<i64> {
        let ahead = |at: Timestamp| {
            self.location
                .as_deref()
                .map_or(Some(0), |name| zone::offset(name, at))
        };
        let lost = ahead(first.after(n_days * DAY))? - ahead(first)?;
        Some((n_days * DAY - lost) / DAY)
    }
}

/// A range of weekdays, which Alertmanager since 0.35 lets run over the end of the week.
fn around_the_week((first, last): (i64, i64)) -> Vec<(i64, i64)> {
    if first <= last {
        vec![(first, last)]
    } else {
        vec![(first, 6), (0, last)]
    }
}

/// Returns whether a point in time is inside one of the ranges. `None` if that depends on the machine that runs
/// Alertmanager.
#[must_use]
pub fn contains(ranges: &[Range], at: Timestamp) -> Option<bool> {
    let answers: Vec<Option<bool>> = ranges.iter().map(|range| range.contains(at)).collect();
    if answers.contains(&Some(true)) {
        return Some(true);
    }
    if answers.contains(&None) {
        None
    } else {
        Some(false)
    }
}

fn span(text: &str, names: &[&str]) -> Option<(i64, i64)> {
    let number = |text: &str| match names.iter().position(|name| *name == text) {
        Some(index) => i64::try_from(index).ok(),
        None => text.parse().ok(),
    };
    match text.split_once(':') {
        Some((first, last)) => Some((number(first)?, number(last)?)),
        None => number(text).map(|one| (one, one)),
    }
}

fn minutes(text: &str) -> Option<i64> {
    let (hour, minute) = text.split_once(':')?;
    Some(hour.parse::<i64>().ok()? * 60 + minute.parse::<i64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    fn answer(range: &str, at: &str) -> Option<bool> {
        let range = read_slices(range).unwrap().unwrap().to_value();
        Range::new(&range).contains(Timestamp::parse(at).unwrap())
    }

    #[test]
    fn all_lists_must_hold() {
        let office =
            "{weekdays: ['monday:friday'], times: [{start_time: '08:00', end_time: '17:00'}]}";
        assert_eq!(answer(office, "2026-11-20T08:00:00Z"), Some(true));
        assert_eq!(answer(office, "2026-11-20T17:00:00Z"), Some(false));
        assert_eq!(answer(office, "2026-11-22T09:00:00Z"), Some(false));
        assert_eq!(
            answer(
                "{days_of_month: ['-3:-1'], months: ['2']}",
                "2024-02-29T00:00:00Z"
            ),
            Some(true)
        );
        assert_eq!(
            answer("{days_of_month: ['-3:-1']}", "2024-02-26T00:00:00Z"),
            Some(false)
        );
    }

    /// The answers of Alertmanager 0.34 and 0.35.
    #[test]
    fn days_from_the_end_are_counted_by_hours_before_0_35() {
        let at = |days: &str, at: &str| {
            let range = read_slices(&format!(
                "{{days_of_month: ['{days}'], location: Europe/Berlin}}"
            ));
            let range = Range::new(&range.unwrap().unwrap().to_value());
            let at = Timestamp::parse(at).unwrap();
            (
                Range {
                    counts_hours: true,
                    ..range.clone()
                }
                .contains(at),
                range.contains(at),
            )
        };
        assert_eq!(at("-1", "2026-03-31T21:59:00Z"), (Some(false), Some(true)));
        assert_eq!(at("-1", "2026-03-30T21:59:00Z"), (Some(true), Some(false)));
        assert_eq!(
            at("-7:-1", "2026-03-24T22:30:00Z"),
            (Some(true), Some(false))
        );
        assert_eq!(at("-1", "2026-10-31T22:30:00Z"), (Some(true), Some(true)));
        assert_eq!(at("-1", "2026-10-30T22:01:00Z"), (Some(false), Some(false)));
    }

    #[test]
    fn weekdays_run_over_the_end_of_the_week() {
        let answers = [
            "2026-11-28T12:00:00Z",
            "2026-11-30T12:00:00Z",
            "2026-11-25T12:00:00Z",
        ]
        .map(|at| answer("{weekdays: ['saturday:monday']}", at));
        assert_eq!(answers, [Some(true), Some(true), Some(false)]);
    }

    #[test]
    fn ranges_are_in_the_time_of_their_location() {
        let evening = "{times: [{start_time: '20:00', end_time: '24:00'}], weekdays: [saturday], location: Europe/Berlin}";
        assert_eq!(answer(evening, "2026-07-25T18:00:00Z"), Some(true));
        assert_eq!(answer(evening, "2026-07-25T22:00:00Z"), Some(false));
        // In winter, the hour of Berlin is one later.
        assert_eq!(answer(evening, "2026-11-21T18:59:00Z"), Some(false));
        assert_eq!(answer(evening, "2026-11-21T19:00:00Z"), Some(true));
        assert_eq!(
            answer(
                "{months: ['1'], location: Asia/Tokyo}",
                "2025-12-31T15:00:00Z"
            ),
            Some(true)
        );
        assert_eq!(answer("{location: Local}", "2024-02-26T00:00:00Z"), None);
    }
}
