//! The meaning of a length of time that Prometheus does not take.

use crate::go::duration::PromDuration;

/// The words that people write for the units of Prometheus.
const DURATIONS: [(&str, &[&str], f64); 7] = [
    (
        "ms",
        &["ms", "msec", "msecs", "millisecond", "milliseconds"],
        1.0,
    ),
    ("s", &["s", "sec", "secs", "second", "seconds"], 1e3),
    ("m", &["m", "min", "mins", "minute", "minutes"], 60e3),
    ("h", &["h", "hr", "hrs", "hour", "hours"], 3600e3),
    ("d", &["d", "day", "days"], 86_400e3),
    ("w", &["w", "week", "weeks"], 604_800e3),
    ("y", &["y", "yr", "year", "years"], 31_536_000e3),
];

/// The longest text that is looked at.
pub const LONGEST: usize = 64;

/// The duration that a text means.
#[must_use]
pub fn duration(text: &str) -> Option<String> {
    let parts = parts(text)?;
    let unit = |word: &str| {
        let word = word.to_ascii_lowercase();
        DURATIONS
            .iter()
            .find(|(_, words, _)| words.contains(&&*word))
    };
    let parts: Vec<_> = parts
        .into_iter()
        .map(|(number, word)| Some((number, unit(&word)?)))
        .collect::<Option<_>>()?;
    if parts.iter().all(|(number, _)| !number.contains('.')) {
        return Some(
            parts
                .into_iter()
                .map(|(number, (unit, ..))| number + unit)
                .collect(),
        );
    }
    let millis: f64 = parts
        .iter()
        .map(|(number, (.., millis))| number.parse::<f64>().unwrap_or(0.0) * millis)
        .sum();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be in range"
    )]
    let whole = (0.0..1e15)
        .contains(&millis)
        .then(|| millis.round() as u64)?;
    Some(PromDuration { millis: whole }.to_string())
}

/// Numbers and the words behind them.
#[must_use]
pub fn parts(text: &str) -> Option<Vec<(String, String)>> {
    if text.len() > LONGEST
        || text.contains(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ' ' | '.'))
    {
        return None;
    }
    let text: String = text.split_whitespace().collect();
    let (mut rest, mut parts) = (&*text, Vec::new());
    while !rest.is_empty() {
        let word = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let end = rest[word..]
            .find(|c: char| !c.is_ascii_alphabetic())
            .map_or(rest.len(), |length| word + length);
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
    }
}
