//! The ranges of time intervals, as Alertmanager checks them.

use promgen_text::go::quote::quote;
use promgen_text::time::{MONTHS, WEEKDAYS};

/// The minutes of a time of day.
///
/// # Errors
/// The text is none.
pub fn minutes(text: &str) -> Result<u32, String> {
    let digits = |part: &str| {
        (part.len() == 2)
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let parsed = text
        .split_once(':')
        .and_then(|(hour, minute)| Some((digits(hour)?, digits(minute)?)));
    let valid =
        parsed.filter(|(hour, minute)| *hour < 24 && *minute < 60 || (*hour, *minute) == (24, 0));
    valid
        .map(|(hour, minute)| hour * 60 + minute)
        .ok_or_else(|| format!("couldn't parse timestamp {text}, invalid format"))
}

/// Checks a weekday, or a range of them, in lower case.
///
/// # Errors
/// It does not make sense, in Alertmanager's words.
pub fn check_weekdays(text: &str) -> Result<(), String> {
    let day = |text: &str| {
        let found = WEEKDAYS.iter().position(|day| *day == text);
        found.ok_or_else(|| format!("{text} is not a valid weekday"))
    };
    let (first, last) = ends(text)?;
    if day(first)? <= day(last)? {
        Ok(())
    } else {
        Err("start day cannot be before end day".to_owned())
    }
}

/// The two ends of a range, or twice the same.
fn ends(text: &str) -> Result<(&str, &str), String> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    if last.contains(':') {
        Err(format!("couldn't parse range {text}, invalid format"))
    } else {
        Ok((first, last))
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        use std::num::IntErrorKind::{NegOverflow, PosOverflow};
        let why = if matches!(error.kind(), PosOverflow | NegOverflow) {
            "value out of range"
        } else {
            "invalid syntax"
        };
        format!("strconv.Atoi: parsing {}: {why}", quote(text))
    })
}

/// Checks a day of the month, or a range of them.
///
/// # Errors
/// It does not make sense, in Alertmanager's words.
pub fn check_days(text: &str) -> Result<(), String> {
    let (first, last) = ends(text)?;
    let (first, last) = (number(first)?, number(last)?);
    for day in [first, last] {
        if day == 0 || !(-31..=31).contains(&day) {
            return Err(format!(
                "{day} is not a valid day of the month: out of range"
            ));
        }
    }
    if first < 0 && last > 0 {
        return Err("end day must be negative if start day is negative".to_owned());
    }
    // Days from the end are counted in the shortest month, and one too few: `28:-1` is refused.
    let from_end = |day: i64| if day < 0 { 28 + day } else { day };
    if from_end(first) > from_end(last) {
        return Err(format!("end day {last} is always before start day {first}"));
    }
    Ok(())
}

/// Checks a month, or a range of them, in lower case.
///
/// # Errors
/// It does not make sense, in Alertmanager's words.
pub fn check_months(text: &str) -> Result<(), String> {
    let month = |text: &str| {
        let named = (1..)
            .zip(MONTHS)
            .find(|(_, month)| *month == text)
            .map(|(number, _)| number);
        let number: Option<i64> = named.or_else(|| text.parse().ok());
        number.ok_or_else(|| format!("{text} is not a valid month"))
    };
    let (first, last) = ends(text)?;
    let (start, end) = (month(first)?, month(last)?);
    let name = |month: i64| {
        usize::try_from(month - 1)
            .ok()
            .and_then(|index| MONTHS.get(index))
            .copied()
            .unwrap_or_default()
    };
    match start <= end {
        true => Ok(()),
        false => Err(format!(
            "end month {} is before start month {}",
            name(end),
            name(start)
        )),
    }
}

/// Checks a year, or a range of them.
///
/// # Errors
/// It does not make sense, in Alertmanager's words.
pub fn check_years(text: &str) -> Result<(), String> {
    let (first, last) = ends(text)?;
    let (first, last) = (number(first)?, number(last)?);
    if first <= last {
        Ok(())
    } else {
        Err(format!("end year {last} is before start year {first}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers of Alertmanager 0.33 and of the operator.
    #[test]
    fn days_from_the_end_are_those_of_the_shortest_month() {
        for days in ["1", "-1", "27:-1", "26:-2", "1:-27", "-31:-1", "10:20"] {
            assert_eq!(check_days(days), Ok(()), "{days}");
        }
        for days in ["28:-1", "31:-1", "27:-2", "1:-28", "2:-27", "-1:-2", "5:4"] {
            let (first, last) = days.split_once(':').unwrap();
            assert_eq!(
                check_days(days),
                Err(format!("end day {last} is always before start day {first}")),
                "{days}"
            );
        }
        let mixed = "end day must be negative if start day is negative";
        assert_eq!(check_days("-1:1"), Err(mixed.to_owned()));
    }
}
