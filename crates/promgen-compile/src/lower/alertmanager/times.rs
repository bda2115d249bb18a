//! Time intervals: the form in which they are written again.
//!
//! In: the ranges of a time interval as a user writes them. Out: the same as Alertmanager's own types write them: names of
//! weekdays in lower case, numbers of months, a range of one day as that day, and the lists of ranges in one line.

use crate::lower::alertmanager::flow::Flow;
use promgen_prometheus::routing::range::minutes;
use promgen_text::time::MONTHS;
use promgen_text::yaml::emit::{self, Dialect};
use promgen_text::yaml::{Map, Value};

/// The lists that are written in one line.
const IN_LINE: [&str; 4] = ["weekdays", "days_of_month", "months", "years"];

/// The format of the ranges of a list.
#[derive(Clone, Copy)]
enum RangeNames {
    Weekdays,
    Months,
    Numbers,
}

/// The ranges of a time interval in the form in which they are written.
pub(super) fn normal(ranges: Option<&Value>) -> Value {
    let ranges = ranges.and_then(Value::as_seq).unwrap_or_default();
    Value::Seq(
        ranges
            .iter()
            .map(|range| Value::Map(normal_range(range)))
            .collect(),
    )
}

fn normal_range(range: &Value) -> Map {
    let list = |key: &str| {
        range
            .get(key)
            .and_then(Value::as_seq)
            .filter(|items| !items.is_empty())
    };
    let mut out = Map::new();
    out.push_some(
        "times",
        list("times").map(|times| Value::Seq(times.iter().map(time_of_day).collect())),
    );
    let lists = [
        ("weekdays", RangeNames::Weekdays),
        ("days_of_month", RangeNames::Numbers),
        ("months", RangeNames::Months),
        ("years", RangeNames::Numbers),
    ];
    for (key, names) in lists {
        let texts = list(key).map(|items| {
            items
                .iter()
                .map(|item| span(&text(item), names).into())
                .collect()
        });
        out.push_some(key, texts.map(Value::Seq));
    }
    out.push_some(
        "location",
        range
            .get("location")
            .map(text)
            .filter(|name| !name.is_empty()),
    );
    out
}

/// Returns whether the times of a day make sense.
///
/// # Errors
/// They do not, in Alertmanager's words.
pub(super) fn check_clock(start: &str, end: &str) -> Result<(), String> {
    if start.is_empty() || end.is_empty() {
        return Err("both start and end times must be provided".to_owned());
    }
    match minutes(start)? < minutes(end)? {
        true => Ok(()),
        false => Err("start time cannot be equal or greater than end time".to_owned()),
    }
}

/// The beginning and the end of a time of day.
fn time_of_day(time: &Value) -> Value {
    let at = |key: &str| time.get(key).map(text).unwrap_or_default();
    Map::new()
        .with("start_time", at("start_time"))
        .with("end_time", at("end_time"))
        .into()
}

/// A range; one whose ends are the same is that one.
fn span(text: &str, names: RangeNames) -> String {
    let Some((first, last)) = text.split_once(':') else {
        return name(text, names);
    };
    let (first, last) = (name(first, names), name(last, names));
    if first == last {
        first
    } else {
        format!("{first}:{last}")
    }
}

fn name(text: &str, names: RangeNames) -> String {
    let lower = text.to_lowercase();
    match names {
        RangeNames::Weekdays => lower,
        RangeNames::Months => {
            let number = MONTHS
                .iter()
                .position(|month| *month == lower)
                .map(|index| (index + 1).to_string());
            number.unwrap_or(lower)
        }
        RangeNames::Numbers => lower
            .parse::<i64>()
            .map_or(lower, |number| number.to_string()),
    }
}

/// A plain value as text.
fn text(value: &Value) -> String {
    match value {
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        _ => String::new(),
    }
}

/// Appends a list of named time intervals below its key. An item behind a location is in one line: see [`Flow`].
pub(super) fn write(out: &mut String, key: &str, intervals: &[Value]) {
    out.push_str(key);
    out.push(':');
    out.push('\n');
    let mut is_open = false;
    for interval in intervals {
        if is_open {
            out.push_str("- ");
            Flow::new(out).value(interval, 0);
            out.push('\n');
        } else {
            write_interval(out, interval);
        }
        is_open = ends_open(interval);
    }
}

/// Returns whether the wish for one line is open behind an interval.
fn ends_open(interval: &Value) -> bool {
    let ranges = interval.items_of("time_intervals");
    ranges
        .last()
        .is_some_and(|range| range.get("location").is_some())
}

fn write_interval(out: &mut String, interval: &Value) {
    let name = interval.get("name").cloned().unwrap_or_else(|| "".into());
    emit::write_item(
        out,
        &Map::new().with("name", name).into(),
        Dialect::YamlV2,
        0,
    );
    let ranges = interval.items_of("time_intervals");
    if ranges.is_empty() {
        out.push_str("  time_intervals: []\n");
        return;
    }
    out.push_str("  time_intervals:\n");
    let mut is_open = false;
    for range in ranges {
        if is_open {
            out.push_str("  - ");
            Flow::new(out).value(range, 2);
            out.push('\n');
        } else {
            write_range(out, range.as_map().unwrap_or(&Map::new()));
        }
        is_open = range.get("location").is_some();
    }
}

fn write_range(out: &mut String, range: &Map) {
    if range.is_empty() {
        out.push_str("  - {}\n");
        return;
    }
    let start = out.len();
    for (key, value) in range.iter() {
        if IN_LINE.contains(&&**key) {
            out.push_str("    ");
            out.push_str(key);
            out.push_str(": ");
            Flow::new(out).value(value, 4);
            out.push('\n');
        } else {
            emit::write_entry(out, key, value, Dialect::YamlV2, 4);
        }
    }
    // The first key is on the line of the dash.
    out.replace_range(start..start + 4, "  - ");
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::read::read_slices;

    fn written(text: &str) -> String {
        let interval = read_slices(text).unwrap().unwrap().to_value();
        let ranges = normal(interval.get("time_intervals"));
        let mut out = String::new();
        write(
            &mut out,
            "time_intervals",
            &[Map::new()
                .with("name", "a")
                .with("time_intervals", ranges)
                .into()],
        );
        out
    }

    #[test]
    fn ranges_are_written_in_one_line_each() {
        let text = "time_intervals: [{weekdays: ['Monday:friday', SATURDAY, 'sunday:sunday'], months: ['january:march', may], \
                    years: [2024, '2024:2026'], days_of_month: ['-3:-1', 1], location: Europe/Berlin, \
                    times: [{end_time: '24:00', start_time: '08:00'}]}]";
        let expected = "time_intervals:\n- name: a\n  time_intervals:\n  - times:\n    - start_time: \"08:00\"\n      \
                        end_time: \"24:00\"\n    weekdays: ['monday:friday', saturday, sunday]\n    \
                        days_of_month: ['-3:-1', \"1\"]\n    months: [\"1:3\", \"5\"]\n    \
                        years: [\"2024\", '2024:2026']\n    location: Europe/Berlin\n";
        assert_eq!(written(text), expected);
    }

    #[test]
    fn an_interval_may_be_empty() {
        assert_eq!(
            written("{}"),
            "time_intervals:\n- name: a\n  time_intervals: []\n"
        );
        assert_eq!(
            written("time_intervals: [{}]"),
            "time_intervals:\n- name: a\n  time_intervals:\n  - {}\n"
        );
    }

    #[test]
    fn a_long_list_goes_on_in_the_next_line() {
        let years: Vec<String> = (2000..2015).map(|year| format!("'{year}:2099'")).collect();
        let text = written(&format!(
            "time_intervals: [{{years: [{}]}}]",
            years.join(", ")
        ));
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(text.lines().nth(4).unwrap().starts_with("      '20"));
    }
}
