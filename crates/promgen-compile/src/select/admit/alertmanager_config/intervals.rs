//! Time intervals of an AlertmanagerConfig.

use crate::lower::alertmanager::times;
use crate::select::admit::{Check, Refusal, Within};
use promgen_resources::api::notifying::alertmanager_config::time::{MuteTimeInterval, TimeInterval, TimeRange};
use promgen_text::route::Path;

/// Checks the intervals. Operator: `validateMuteTimeIntervals`.
pub(super) fn valid(spec: &Path<'_>, intervals: &[MuteTimeInterval]) -> Check {
    let list = spec.key("muteTimeIntervals");
    for (index, interval) in intervals.iter().enumerate() {
        named(&list.index(index), interval).within(&format!("mute time interval[{index}] is invalid"))?;
    }
    Ok(())
}

fn named(path: &Path<'_>, interval: &MuteTimeInterval) -> Check {
    if interval.name.is_empty() {
        return Err(Refusal::new(&path.key("name"), "empty name field for mute time interval"));
    }
    let list = path.key("timeIntervals");
    let ranges = interval.time_intervals.iter().flatten().enumerate();
    ranges.map(|(index, range)| (list.index(index), range)).try_for_each(|(path, range)| times_of(&path, range))
}

/// The ranges of each kind, in the operator's order. Only the days of the month have a prefix of their own.
fn times_of(path: &Path<'_>, range: &TimeInterval) -> Check {
    let days = range.days_of_month.iter().flatten();
    let days = days.map(|days| format!("{}:{}", days.start.unwrap_or_default(), days.end.unwrap_or_default()));
    let texts = |texts: &Option<Vec<String>>| texts.iter().flatten().map(|text| text.to_lowercase()).collect();
    each(path, ("times", "time range"), range.times.iter().flatten(), time)?;
    each(path, ("weekdays", "weekday range"), &texts(&range.weekdays) as &Vec<String>, |t| times::check_weekdays(t))?;
    let days: Vec<String> = days.collect();
    let checked = each(path, ("daysOfMonth", "day of month range"), &days, |text| times::check_days(text));
    checked.map_err(|refusal| Refusal {
        message: format!("mute time interval is invalid - {}", refusal.message),
        ..refusal
    })?;
    each(path, ("months", "month range"), &texts(&range.months) as &Vec<String>, |text| times::check_months(text))?;
    each(path, ("years", "year range"), &texts(&range.years) as &Vec<String>, |text| times::check_years(text))
}

fn each<'t, T: 't>(
    path: &Path<'_>,
    (key, what): (&'static str, &str),
    items: impl IntoIterator<Item = &'t T>,
    check: impl Fn(&T) -> Result<(), String>,
) -> Check {
    let list = path.key(key);
    for (index, item) in items.into_iter().enumerate() {
        check(item).map_err(|why| Refusal::new(&list.index(index), format!("{what} at {index} is invalid: {why}")))?;
    }
    Ok(())
}

fn time(range: &TimeRange) -> Result<(), String> {
    let (start, end) = (range.start_time.as_deref(), range.end_time.as_deref());
    let (Some(start), Some(end)) = (start.filter(|t| !t.is_empty()), end.filter(|t| !t.is_empty())) else {
        return Err("start and end are required".to_owned());
    };
    let (start, end) = (times::minutes(start)?, times::minutes(end)?);
    match start < end {
        true => Ok(()),
        false => Err(format!("start time {start} cannot be equal or greater than end time {end}")),
    }
}
