//! Advice on values that the API server refuses: durations, sizes, times of day, days, months, addresses.

use promgen_text::go::duration_advice::{LONGEST, duration, parts};
use promgen_text::suggest;
use promgen_text::time::{MONTHS, WEEKDAYS};

const SIZES: [&str; 13] = [
    "B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "PB", "PiB", "EB", "EiB",
];

/// The units that people write behind a number of cores.
const CORES: [&str; 5] = ["core", "cores", "cpu", "cpus", "vcpu"];

/// The subject of a pattern.
struct ValueForm {
    /// A part of the pattern that no other one has.
    mark: &'static str,
    /// The noun.
    noun: &'static str,
    /// The meaning of a text.
    meant: fn(&str) -> Option<String>,
    /// What is allowed.
    form: &'static str,
}

const fn written(
    mark: &'static str,
    noun: &'static str,
    meant: fn(&str) -> Option<String>,
    form: &'static str,
) -> ValueForm {
    ValueForm {
        mark,
        noun,
        meant,
        form,
    }
}

/// The first one whose mark a pattern has counts.
const FORMS: [ValueForm; 9] = [
    written(
        "([0-9]+)y)?",
        "a duration",
        duration,
        "units are ms, s, m, h, d, w and y",
    ),
    written(
        "([0-9]+)ms)?",
        "a duration",
        duration,
        "units are ms, s, m and h",
    ),
    written(
        "(K|M|G|T|E|P)i?",
        "a size",
        size,
        "units are B, KB, KiB, MB, MiB, GB, GiB and so on",
    ),
    written(
        "[numkMGTPE]",
        "a quantity",
        quantity,
        "units are m, k, M, G, T, Ki, Mi, Gi, Ti and so on",
    ),
    written(
        ":[0-5][0-9]",
        "a time of day",
        time_of_day,
        "hours and minutes as HH:MM, 00:00 to 24:00",
    ),
    written(
        "satur",
        "a day of the week",
        weekdays,
        "a day such as monday, or a range such as monday:friday",
    ),
    written(
        "january",
        "a month",
        months,
        "a month such as may or 5, or a range such as may:august",
    ),
    written(
        "2\\d{3}",
        "a year",
        years,
        "a year such as 2030, or a range such as 2030:2032",
    ),
    written(
        "http|https",
        "a URL",
        url,
        "it begins with http:// or https://",
    ),
];

/// The help for a text that does not match a pattern, and what is meant by the text. `None` for a pattern of another form.
pub(super) fn advice(
    text: &str,
    pattern: &str,
    is_valid: impl Fn(&str) -> bool,
) -> Option<(String, Option<String>)> {
    let form = FORMS.iter().find(|form| pattern.contains(form.mark))?;
    let meant = Some(text)
        .filter(|text| text.len() <= LONGEST)
        .and_then(form.meant)
        .filter(|meant| is_valid(meant));
    let advised = meant
        .as_ref()
        .map(|meant| format!("write {meant}; "))
        .unwrap_or_default();
    Some((
        format!("{text:?} is not {}: {advised}{}", form.noun, form.form),
        meant,
    ))
}

/// The time of day that a text means: `17:00`, of `5pm`, `17h` or `17.00`.
fn time_of_day(text: &str) -> Option<String> {
    let text = text
        .trim()
        .to_ascii_lowercase()
        .replace([' ', '.', 'h'], ":");
    let (clock, shift) = match (text.strip_suffix("am"), text.strip_suffix("pm")) {
        (Some(clock), _) => (clock, Some(0)),
        (_, Some(clock)) => (clock, Some(12)),
        _ => (&*text, None),
    };
    let mut parts = clock.split(':').filter(|part| !part.is_empty());
    let hour: u32 = parts.next()?.parse().ok()?;
    let minute: u32 = parts.next().map_or(Some(0), |minute| minute.parse().ok())?;
    let (hour, minute) = if hour >= 100 && clock.len() == 4 {
        (hour / 100, hour % 100)
    } else {
        (hour, minute)
    };
    let hour = match shift {
        Some(_) if hour > 12 => return None,
        Some(shift) => hour % 12 + shift,
        None => hour,
    };
    Some(format!("{hour:02}:{minute:02}"))
}

fn weekdays(text: &str) -> Option<String> {
    range(text, &|word| named(word, &WEEKDAYS))
}

fn months(text: &str) -> Option<String> {
    range(text, &|word| {
        named(word, &MONTHS).or_else(|| {
            word.trim_start_matches('0')
                .parse::<u8>()
                .ok()
                .map(|n| n.to_string())
        })
    })
}

fn years(text: &str) -> Option<String> {
    range(text, &|word| Some(word.to_owned()))
}

/// One or two words, as in `monday:friday`, of `Mon-Fri`.
fn range(text: &str, one: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let text = text
        .to_lowercase()
        .replace(['\u{2013}', '-', ','], ":")
        .replace(" to ", ":")
        .replace("..", ":");
    let words: Vec<String> = text
        .split(':')
        .map(|word| one(word.trim()))
        .collect::<Option<_>>()?;
    (words.len() <= 2).then(|| words.join(":"))
}

/// The name that begins so, or is spelled almost so.
fn named(word: &str, names: &[&str]) -> Option<String> {
    let begins = |name: &&&str| word.len() >= 3 && name.starts_with(word.trim_end_matches('s'));
    let found = names
        .iter()
        .find(begins)
        .copied()
        .or_else(|| suggest::closest(word, names.iter().copied()))?;
    Some(found.to_owned())
}

/// The quantity that a text means: `50Gi`, of `50GiB` or `50 Gi`.
fn quantity(text: &str) -> Option<String> {
    let text: String = text.split_whitespace().collect();
    let word = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(word);
    number.parse::<f64>().ok()?;
    if CORES.contains(&&*unit.to_ascii_lowercase()) {
        return Some(number.to_owned());
    }
    let unit = unit.trim_end_matches(['b', 'B']).to_ascii_lowercase();
    let known = [
        "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
    ];
    let unit = known
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(&unit))?;
    Some(format!("{number}{unit}"))
}

fn url(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('/');
    let rest = text
        .split_once(":/")
        .map_or(text, |(_, rest)| rest.trim_start_matches('/'));
    (!rest.is_empty() && !rest.contains(char::is_whitespace)).then(|| format!("https://{rest}"))
}

/// The size that a text means.
fn size(text: &str) -> Option<String> {
    let parts = parts(text)?;
    let [(number, word)] = &parts[..] else {
        return None;
    };
    let with_byte = format!("{}B", word.trim_end_matches(['b', 'B']));
    let unit = SIZES
        .iter()
        .find(|unit| unit.eq_ignore_ascii_case(&with_byte))?;
    Some(format!("{number}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_written_as_prometheus_takes_it() {
        for (text, meant) in [
            ("10 GB", Some("10GB")),
            ("512Mi", Some("512MiB")),
            ("1gb", Some("1GB")),
            ("5", None),
        ] {
            assert_eq!(size(text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn times_days_and_addresses_are_written_as_alertmanager_takes_them() {
        for (of, text, meant) in [
            (
                time_of_day as fn(&str) -> Option<String>,
                "5pm",
                Some("17:00"),
            ),
            (time_of_day, "9:30 am", Some("09:30")),
            (time_of_day, "12am", Some("00:00")),
            (time_of_day, "9", Some("09:00")),
            (time_of_day, "17h", Some("17:00")),
            (time_of_day, "1730", Some("17:30")),
            (time_of_day, "17:00:00", Some("17:00")),
            (time_of_day, "noon", None),
            (weekdays, "Mon-Fri", Some("monday:friday")),
            (weekdays, "tues", Some("tuesday")),
            (weekdays, "weekend", None),
            (months, "Jan..Mar", Some("january:march")),
            (months, "05", Some("5")),
            (quantity, "50GiB", Some("50Gi")),
            (quantity, "50 gb", Some("50G")),
            (quantity, "1 core", Some("1")),
            (quantity, "many", None),
            (
                url,
                "hooks.example.com/a",
                Some("https://hooks.example.com/a"),
            ),
            (url, "http:/a", Some("https://a")),
        ] {
            assert_eq!(of(text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn only_known_forms_get_advice() {
        let pattern = "^(0|(([0-9]+)y)?(([0-9]+)ms)?)$";
        let help = "\"2 ms\" is not a duration: write 2ms; units are ms, s, m, h, d, w and y";
        assert_eq!(
            advice("2 ms", pattern, |_| true),
            Some((help.to_owned(), Some("2ms".to_owned())))
        );
        let (help, meant) = advice("x", pattern, |_| true).unwrap();
        assert!(!help.contains("write") && meant.is_none(), "{help}");
        assert_eq!(advice("x", "^[a-z]$", |_| true), None);
    }
}
