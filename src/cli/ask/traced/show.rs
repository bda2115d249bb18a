//! Formats rules, labels, shards and places.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::cli::ask::traced::FoundTarget;
use crate::cli::ask::traced::answer::Origin;
use crate::cli::report;
use promgen_text::go::quote::quote;
use promgen_text::yaml::Value;

/// The maximum length of values in text; longer ones are cut.
const MAX_SHOWN: usize = 200;

/// `10.0.0.1:9090 (pod/shop/web-0): podMonitor/shop/web/0 of Prometheus/shop/main`.
pub(crate) fn title(checked: &FoundTarget<'_>) -> String {
    let FoundTarget {
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
pub(crate) fn shards(numbers: &[u32]) -> String {
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
pub(crate) fn shown(value: &str) -> String {
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
pub(crate) fn label_name(name: &str) -> Cow<'_, str> {
    let is_plain = !name.is_empty() && name.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    if is_plain {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(shown(name))
    }
}

/// `{a="b", c="d"}`
pub(crate) fn label_list<'l>(labels: impl IntoIterator<Item = (&'l String, &'l String)>) -> String {
    let labels: Vec<_> = labels
        .into_iter()
        .map(|(name, value)| format!("{}={}", label_name(name), shown(value)))
        .collect();
    format!("{{{}}}", labels.join(", "))
}

/// A rule on one line, as YAML.
pub(crate) fn rule_line(rule: &Value) -> String {
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
pub(crate) fn origin(origin: &Origin) -> String {
    let place = match origin {
        Origin {
            file: Some(file),
            line: Some(line),
            column: Some(column),
            ..
        } => Some(format!("{}:{line}:{column}", report::one_line(file))),
        _ => None,
    };
    let what = origin.resource.as_ref().map(|resource| {
        let field = origin.field.as_deref().filter(|field| !field.is_empty());
        let of = field
            .map(|field| format!("{field} of "))
            .unwrap_or_default();
        report::one_line(&format!("{of}{resource}"))
    });
    match (what, place) {
        (Some(what), Some(place)) => format!("{what} ({place})"),
        (Some(text), None) | (None, Some(text)) => text,
        (None, None) => "an unknown place".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::yaml::Map;

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
