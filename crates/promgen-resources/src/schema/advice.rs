//! How to write a value that the API server refuses: durations and sizes in the units that it takes.

use promgen_text::go::duration::PromDuration;

/// The words that people write for the units of Prometheus.
const DURATIONS: [(&str, &[&str], f64); 7] = [
    ("ms", &["ms", "msec", "msecs", "millisecond", "milliseconds"], 1.0),
    ("s", &["s", "sec", "secs", "second", "seconds"], 1e3),
    ("m", &["m", "min", "mins", "minute", "minutes"], 60e3),
    ("h", &["h", "hr", "hrs", "hour", "hours"], 3600e3),
    ("d", &["d", "day", "days"], 86_400e3),
    ("w", &["w", "week", "weeks"], 604_800e3),
    ("y", &["y", "yr", "year", "years"], 31_536_000e3),
];

const SIZES: [&str; 13] = ["B", "KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB", "PB", "PiB", "EB", "EiB"];

/// The longest text that is looked at.
const LONGEST: usize = 64;

/// The help for a text that does not match a pattern. `None` for a pattern that is neither that of a duration nor of a size.
pub(super) fn advice(text: &str, pattern: &str, is_valid: impl Fn(&str) -> bool) -> Option<String> {
    let (kind, meant, units) = if pattern.contains("([0-9]+)ms)?") {
        let units = if pattern.contains("([0-9]+)y)?") { "ms, s, m, h, d, w and y" } else { "ms, s, m and h" };
        ("duration", duration(text), units)
    } else if pattern.contains("(K|M|G|T|E|P)i?") {
        ("size", size(text), "B, KB, KiB, MB, MiB, GB, GiB and so on")
    } else {
        return None;
    };
    let meant = meant.filter(|meant| is_valid(meant)).map(|meant| format!("write {meant}; ")).unwrap_or_default();
    Some(format!("{text:?} is not a {kind}: {meant}units are {units}"))
}

/// The duration that a text means.
fn duration(text: &str) -> Option<String> {
    let parts = parts(text)?;
    let unit = |word: &str| {
        let word = word.to_ascii_lowercase();
        DURATIONS.iter().find(|(_, words, _)| words.contains(&&*word))
    };
    let parts: Vec<_> = parts.into_iter().map(|(number, word)| Some((number, unit(&word)?))).collect::<Option<_>>()?;
    if parts.iter().all(|(number, _)| !number.contains('.')) {
        return Some(parts.into_iter().map(|(number, (unit, ..))| number + unit).collect());
    }
    let millis: f64 = parts.iter().map(|(number, (.., millis))| number.parse::<f64>().unwrap_or(0.0) * millis).sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
    let whole = (0.0..1e15).contains(&millis).then(|| millis.round() as u64)?;
    Some(PromDuration { millis: whole }.to_string())
}

/// The size that a text means.
fn size(text: &str) -> Option<String> {
    let parts = parts(text)?;
    let [(number, word)] = &parts[..] else { return None };
    let with_byte = format!("{}B", word.trim_end_matches(['b', 'B']));
    let unit = SIZES.iter().find(|unit| unit.eq_ignore_ascii_case(&with_byte))?;
    Some(format!("{number}{unit}"))
}

/// Numbers and the words behind them.
fn parts(text: &str) -> Option<Vec<(String, String)>> {
    if text.len() > LONGEST || text.contains(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ' ' | '.')) {
        return None;
    }
    let text: String = text.split_whitespace().collect();
    let (mut rest, mut parts) = (&*text, Vec::new());
    while !rest.is_empty() {
        let word = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let end = rest[word..].find(|c: char| !c.is_ascii_alphabetic()).map_or(rest.len(), |length| word + length);
        let number = &rest[..word];
        if number.is_empty() || number.parse::<f64>().is_err() {
            return None;
        }
        parts.push((number.to_owned(), rest[word..end].to_owned()));
        rest = &rest[end..];
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_written_as_prometheus_takes_it() {
        for (text, meant) in [
            ("15 s", Some("15s")),
            ("1.5m", Some("1m30s")),
            ("15days", Some("15d")),
            ("5min", Some("5m")),
            ("1 hour 30 Minutes", Some("1h30m")),
            ("0.5h", Some("30m")),
            ("half a minute", None),
            ("s", None),
            ("", None),
            ("-5m", None),
            ("1.2.3s", None),
        ] {
            assert_eq!(duration(text).as_deref(), meant, "{text}");
        }
        for (text, meant) in [("10 GB", Some("10GB")), ("512Mi", Some("512MiB")), ("1gb", Some("1GB")), ("5", None)] {
            assert_eq!(size(text).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn only_durations_and_sizes_get_advice() {
        let pattern = "^(0|(([0-9]+)y)?(([0-9]+)ms)?)$";
        let help = "\"2 ms\" is not a duration: write 2ms; units are ms, s, m, h, d, w and y";
        assert_eq!(advice("2 ms", pattern, |_| true).as_deref(), Some(help));
        assert!(!advice("x", pattern, |_| true).unwrap().contains("write"));
        assert_eq!(advice("x", "^[a-z]$", |_| true), None);
    }
}
