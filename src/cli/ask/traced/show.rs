//! Formats rules, labels, shards and places.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::cli::ask::traced::TracedTarget;
use crate::cli::report;
use promgen_compile::output::Job;
use promgen_compile::output::RuleOrigin;
use promgen_prometheus::relabel::LabelSet;
use promgen_text::go::quote::quote;
use promgen_text::source::Sources;
use promgen_text::yaml::{Map, Value};

/// The maximum length of values in text; longer ones are cut.
const MAX_SHOWN: usize = 200;

/// Writes with or without colors.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Paint {
    /// Whether to use colors.
    pub(in crate::cli) is_colored: bool,
}

impl Paint {
    fn with(self, style: &str, text: &str) -> String {
        if self.is_colored {
            format!("\u{1b}[{style}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    /// A title.
    pub(in crate::cli) fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// Good, or added.
    pub(in crate::cli) fn green(self, text: &str) -> String {
        self.with("32", text)
    }

    /// Bad, or removed.
    pub(in crate::cli) fn red(self, text: &str) -> String {
        self.with("31", text)
    }

    /// Changed.
    pub(in crate::cli) fn yellow(self, text: &str) -> String {
        self.with("33", text)
    }

    /// The head of a part.
    pub(in crate::cli) fn cyan(self, text: &str) -> String {
        self.with("36", text)
    }

    /// Secondary text.
    pub(in crate::cli) fn dim(self, text: &str) -> String {
        self.with("2", text)
    }
}

/// `10.0.0.1:9090 (pod/shop/web-0): podMonitor/shop/web/0 of Prometheus/shop/main`.
pub(in crate::cli) fn title(checked: &TracedTarget<'_>) -> String {
    let TracedTarget {
        subject, target, ..
    } = checked;
    let address = match target.labels.get("__address__") {
        "" => "a target without an address",
        address => address,
    };
    let source = match target.source.as_str() {
        source if source.contains('/') => format!(" ({source})"),
        _ => String::new(),
    };
    report::one_line(&format!(
        "{address}{source}: {} of {}",
        subject.job.name, subject.workload.id
    ))
}

/// `shard 3`, `shards 0-2, 4`.
pub(in crate::cli) fn shards(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            _ => ranges.push((*number, *number)),
        }
    }
    let range = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    let ranges: Vec<_> = ranges.iter().map(range).collect();
    format!(
        "shard{} {}",
        if numbers.len() == 1 { "" } else { "s" },
        ranges.join(", ")
    )
}

/// A value in quotes, with control characters escaped; a long one is cut.
pub(in crate::cli) fn shown(value: &str) -> String {
    let Some((cut, _)) = value.char_indices().nth(MAX_SHOWN) else {
        return report::one_line(&quote(value));
    };
    format!(
        "{}… ({} bytes)",
        report::one_line(&quote(&value[..cut])),
        value.len()
    )
}

/// The name of a label as Prometheus writes it: in quotes unless it is a plain identifier.
pub(in crate::cli) fn label_name(name: &str) -> Cow<'_, str> {
    let is_plain = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    if is_plain {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(shown(name))
    }
}

/// `{a="b", c="d"}`
pub(in crate::cli) fn label_list(labels: &LabelSet) -> String {
    let labels: Vec<_> = labels
        .iter()
        .map(|(name, value)| format!("{}={}", label_name(name), shown(value)))
        .collect();
    format!("{{{}}}", labels.join(", "))
}

/// A rule on one line, as YAML.
pub(in crate::cli) fn rule_line(rule: &Value) -> String {
    let mut out = String::new();
    flow(rule, &mut out);
    out
}

fn flow(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(bool) => write!(out, "{bool}").expect("a string takes every character"),
        Value::Int(int) => write!(out, "{int}").expect("a string takes every character"),
        Value::Uint(uint) => write!(out, "{uint}").expect("a string takes every character"),
        Value::Float(float) => write!(out, "{float}").expect("a string takes every character"),
        Value::Str(text) | Value::StandIn(text) | Value::Binary(text) => scalar(text, out),
        Value::Seq(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                flow(item, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (index, (key, value)) in map.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                scalar(key, out);
                out.push_str(": ");
                flow(value, out);
            }
            out.push('}');
        }
    }
}

/// A text as a YAML scalar: plain if that is unambiguous.
fn scalar(text: &str, out: &mut String) {
    let is_word = text
        .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$' | '(' | '/'))
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./$()+*;|^?=:".contains(c))
        && !text.ends_with(':');
    let is_other = matches!(
        text.to_ascii_lowercase().as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null"
    );
    if is_word && !is_other && text.len() <= MAX_SHOWN {
        out.push_str(text)
    } else {
        out.push_str(&shown(text))
    }
}

/// The origin of a rule: `spec.shards of Prometheus/shop/main (prometheus.yaml:7:11)`.
pub(in crate::cli) fn origin(origin: Option<&RuleOrigin>, job: &Job, sources: &Sources) -> String {
    let span = origin.and_then(|origin| origin.span).or(job.origin);
    let place = span.map(|span| {
        format!(
            "{}:{}",
            report::one_line(&sources.file(span.file).name),
            sources.start(span)
        )
    });
    let what = origin.map(|origin| match origin.field.as_str() {
        "" => origin.resource.clone(),
        field => format!("{field} of {}", origin.resource),
    });
    match (what.map(|what| report::one_line(&what)), place) {
        (Some(what), Some(place)) => format!("{what} ({place})"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => "an unknown place".to_owned(),
    }
}

/// The origin of a rule as JSON.
pub(in crate::cli) fn origin_value(
    origin: Option<&RuleOrigin>,
    job: &Job,
    sources: &Sources,
) -> Value {
    let mut map = Map::new();
    if let Some(span) = origin.and_then(|origin| origin.span).or(job.origin) {
        let start = sources.start(span);
        map.push("file", sources.file(span.file).name.clone());
        map.push("line", start.line as u64);
        map.push("column", start.column as u64);
    }
    if let Some(origin) = origin {
        map.push("resource", origin.resource.clone());
        map.push("field", origin.field.clone());
    }
    map.into()
}

/// Labels as JSON.
pub(in crate::cli) fn labels_value(labels: &LabelSet) -> Value {
    labels
        .iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value.to_owned())))
        .collect::<Map>()
        .into()
}

/// Numbers as JSON.
pub(in crate::cli) fn numbers_value(numbers: &[u32]) -> Value {
    Value::Seq(numbers.iter().map(|number| Value::from(*number)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_listed_in_ranges() {
        for (numbers, expected) in [
            (&[3][..], "shard 3"),
            (&[0, 1, 2, 4], "shards 0-2, 4"),
            (&[0, 1, 7, 8, 9], "shards 0, 1, 7-9"),
        ] {
            assert_eq!(shards(numbers), expected);
        }
    }

    #[test]
    fn rules_stand_on_one_line_and_read_back() {
        let rule = Map::new()
            .with(
                "source_labels",
                Value::Seq(vec!["__tmp_hash".into(), "a b".into()]),
            )
            .with("regex", "$(SHARD);|.+;.+")
            .with("replacement", "on")
            .with("separator", "\u{1b}[2J\n")
            .with("modulus", 4);
        let line = rule_line(&rule.into());
        assert_eq!(
            line,
            r#"{source_labels: [__tmp_hash, "a b"], regex: $(SHARD);|.+;.+, replacement: "on", separator: "\x1b[2J\n", modulus: 4}"#
        );
        let read = promgen_text::yaml::read::read_slices(&line)
            .unwrap()
            .unwrap();
        assert_eq!(
            read.get("separator").and_then(|value| value.as_str()),
            Some("\u{1b}[2J\n")
        );
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        let text = shown(&"é".repeat(1000));
        assert!(
            text.ends_with("é\"… (2000 bytes)") && text.chars().count() < 230,
            "{text}"
        );
        assert_eq!(shown("a\u{1b}b"), r#""a\x1bb""#);
    }
}
