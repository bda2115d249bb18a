//! Time intervals of an AlertmanagerConfig.

use crate::select::admit::{Check, InField, Refuse};
use promgen_prometheus::routing::range;
use promgen_resources::api::notifying::alertmanager_config::time::{
    MuteTimeInterval, TimeInterval, TimeRange,
};
use promgen_text::route::Path;

/// Checks the intervals. Operator: `validateMuteTimeIntervals`.
pub(super) fn valid(spec: &Path<'_>, intervals: &[MuteTimeInterval]) -> Check {
    let list = spec.key("muteTimeIntervals");
    for (index, interval) in intervals.iter().enumerate() {
        named(&list.index(index), interval)
            .within(&format!("mute time interval[{index}] is invalid"))?;
    }
    Ok(())
}

fn named(path: &Path<'_>, interval: &MuteTimeInterval) -> Check {
    if interval.name.is_empty() {
        return path
            .key("name")
            .refuse("empty name field for mute time interval");
    }
    let list = path.key("timeIntervals");
    let mut ranges = interval.time_intervals.iter().flatten().enumerate();
    ranges.try_for_each(|(index, range)| times_of(&list.index(index), index, range))
}

/// The ranges of each kind, in the operator's order. A message has the number of the times; only that of the days of the
/// month has a prefix of its own.
fn times_of(path: &Path<'_>, number: usize, range: &TimeInterval) -> Check {
    // Names of days and months are compared in lower case.
    let lower = |texts: &Option<Vec<String>>| {
        texts
            .iter()
            .flatten()
            .map(|t| t.to_lowercase())
            .collect::<Vec<_>>()
    };
    let days = range.days_of_month.iter().flatten();
    let days = days.map(|days| {
        format!(
            "{}:{}",
            days.start.unwrap_or_default(),
            days.end.unwrap_or_default()
        )
    });
    let refuse = |key: &'static str, what: &str, found: Option<(usize, String)>| match found {
        None => Ok(()),
        Some((index, why)) => path
            .key(key)
            .index(index)
            .refuse(format!("{what} at {number} is invalid: {why}")),
    };
    refuse(
        "times",
        "time range",
        first(range.times.iter().flatten(), time),
    )?;
    refuse(
        "weekdays",
        "weekday range",
        first(lower(&range.weekdays), |text| range::check_weekdays(&text)),
    )?;
    let what = "mute time interval is invalid - day of month range";
    refuse(
        "daysOfMonth",
        what,
        first(days, |text| range::check_days(&text)),
    )?;
    refuse(
        "months",
        "month range",
        first(lower(&range.months), |text| range::check_months(&text)),
    )?;
    refuse(
        "years",
        "year range",
        first(lower(&range.years), |text| range::check_years(&text)),
    )
}

/// The first item that a check refuses.
fn first<T>(
    items: impl IntoIterator<Item = T>,
    check: impl Fn(T) -> Result<(), String>,
) -> Option<(usize, String)> {
    items
        .into_iter()
        .enumerate()
        .find_map(|(index, item)| Some((index, check(item).err()?)))
}

fn time(range: &TimeRange) -> Result<(), String> {
    let (start, end) = (range.start_time.as_deref(), range.end_time.as_deref());
    let (Some(start), Some(end)) = (
        start.filter(|t| !t.is_empty()),
        end.filter(|t| !t.is_empty()),
    ) else {
        return Err("start and end are required".to_owned());
    };
    let (start, end) = (range::minutes(start)?, range::minutes(end)?);
    match start < end {
        true => Ok(()),
        false => Err(format!(
            "start time {start} cannot be equal or greater than end time {end}"
        )),
    }
}
