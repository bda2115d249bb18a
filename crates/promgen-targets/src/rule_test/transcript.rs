//! The output of `promtool test rules`.
//!
//! In: its output on several files. Out: for each file whether it passes, and its failures: of an alert, of an expression, of a rule
//! that cannot be evaluated, or of something else.

use std::collections::BTreeMap;

use promgen_text::go::duration::PromDuration;

/// The verdict of promtool on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The name of the file, as it was given.
    pub file: String,
    /// The verdict of promtool: it passes, or it fails. `None`: it says neither.
    pub passed: Option<bool>,
    /// The lines about failures.
    pub lines: Vec<String>,
}

/// The subject of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureSubject {
    /// An alert.
    Alert(String),
    /// An expression.
    Expression(String),
    /// A rule that cannot be evaluated.
    Rule(String),
    /// Anything else.
    Other,
}

/// A failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFailure {
    /// The subject.
    pub subject: FailureSubject,
    /// The time in milliseconds from the start.
    pub time: u64,
    /// The expected text, line by line.
    pub expected: Vec<String>,
    /// The result, line by line.
    pub got: Vec<String>,
    /// The other words of promtool.
    pub message: Vec<String>,
}

/// The words before the name of a file, of all versions.
const HEADS: [&str; 2] = ["Processing test file:", "Unit Testing:"];

/// Splits an output by the files.
#[must_use]
pub fn files(output: &str) -> Vec<Transcript> {
    let mut files: Vec<Transcript> = Vec::new();
    for line in output.lines() {
        let head = HEADS.iter().find_map(|head| line.strip_prefix(head));
        match (head, files.last_mut()) {
            (Some(file), _) => {
                files.push(Transcript {
                    file: file.trim().to_owned(),
                    passed: None,
                    lines: Vec::new(),
                });
            }
            (None, Some(last)) => last.add(line),
            (None, None) => {}
        }
    }
    files
}

/// The output on one file: versions before 3.6 do not name it.
#[must_use]
pub fn of_file(file: &str, output: &str) -> Transcript {
    let mut transcript = Transcript {
        file: file.to_owned(),
        passed: None,
        lines: Vec::new(),
    };
    for line in output
        .lines()
        .filter(|line| !HEADS.iter().any(|head| line.starts_with(head)))
    {
        transcript.add(line);
    }
    transcript
}

impl Transcript {
    fn add(&mut self, line: &str) {
        match line.trim() {
            "SUCCESS" if self.passed.is_none() => self.passed = Some(true),
            "FAILED:" if self.passed.is_none() => self.passed = Some(false),
            _ => self.lines.push(line.to_owned()),
        }
    }

    /// The failures.
    #[must_use]
    pub fn failures(&self) -> Vec<RuleFailure> {
        let mut failures: Vec<RuleFailure> = Vec::new();
        let mut part = FailurePart::Message;
        let is_said =
            |line: &&String| !line.trim().is_empty() && !line.trim().starts_with("WARNING");
        for line in self.lines.iter().filter(is_said) {
            let trimmed = line.trim();
            if is_name(line) {
                continue;
            }
            if let Some(failure) = begin(line) {
                failures.push(failure);
                part = FailurePart::Message;
                continue;
            }
            let Some(last) = failures.last_mut() else {
                failures.push(RuleFailure {
                    message: vec![trimmed.to_owned()],
                    ..RuleFailure::of(FailureSubject::Other, 0)
                });
                continue;
            };
            if let Some((next, rest)) = next_part(trimmed) {
                part = next;
                last.add(part, rest);
            } else {
                last.add(part, trimmed);
            }
        }
        failures
    }
}

/// The name of the test, which stands before the first failure about alerts.
fn is_name(line: &str) -> bool {
    line.starts_with("    name: ") && line.trim_end().ends_with(',')
}

#[derive(Clone, Copy)]
enum FailurePart {
    Message,
    Expected,
    Got,
}

fn next_part(line: &str) -> Option<(FailurePart, &str)> {
    let expected = line
        .strip_prefix("exp:")
        .map(|rest| (FailurePart::Expected, rest));
    expected.or_else(|| {
        line.strip_prefix("got:")
            .map(|rest| (FailurePart::Got, rest))
    })
}

/// A failure that begins in a line.
fn begin(line: &str) -> Option<RuleFailure> {
    let line = line
        .strip_prefix("    ")
        .filter(|line| !line.starts_with(' '))?;
    let (subject, rest): (fn(String) -> FailureSubject, &str) = None
        .or_else(|| {
            Some((
                FailureSubject::Alert as fn(String) -> _,
                line.strip_prefix("alertname: ")?,
            ))
        })
        .or_else(|| {
            Some((
                FailureSubject::Expression as fn(String) -> _,
                line.strip_prefix("expr: ")?,
            ))
        })
        .or_else(|| {
            Some((
                FailureSubject::Rule as fn(String) -> _,
                line.strip_prefix("rule: ")?,
            ))
        })?;
    let (name, rest) = rest.rsplit_once(", time: ")?;
    let (time, message) = rest.split_once(',').unwrap_or((rest, ""));
    let time = PromDuration::parse(time.trim()).map_or(0, |time| time.millis);
    let name = unquoted(name).unwrap_or_else(|| name.to_owned());
    let message = message.trim().trim_start_matches("err:").trim();
    let message = if message.is_empty() {
        Vec::new()
    } else {
        vec![message.to_owned()]
    };
    Some(RuleFailure {
        message,
        ..RuleFailure::of(subject(name), time)
    })
}

impl RuleFailure {
    fn of(subject: FailureSubject, time: u64) -> Self {
        Self {
            subject,
            time,
            expected: Vec::new(),
            got: Vec::new(),
            message: Vec::new(),
        }
    }

    fn add(&mut self, part: FailurePart, line: &str) {
        // Brackets and numbers of items only frame what differs.
        let line = line.trim().trim_start_matches('[').trim_end_matches(',');
        let is_frame = |line: &str| {
            line.strip_suffix(':')
                .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        };
        let line = line.trim();
        if line.is_empty() || line == "]" || is_frame(line) {
            return;
        }
        match part {
            FailurePart::Expected => self.expected.push(line.to_owned()),
            FailurePart::Got => self.got.push(line.to_owned()),
            FailurePart::Message => self.message.push(line.to_owned()),
        }
    }

    /// The labels of the alerts that fire.
    #[must_use]
    pub fn firing(&self) -> Vec<BTreeMap<String, String>> {
        self.got
            .iter()
            .filter_map(|line| Some(label_set(line.strip_prefix("Labels:")?)))
            .collect()
    }
}

/// Labels as promtool prints them: `{a="b", c="d"}`.
fn label_set(text: &str) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    let mut rest = text.trim().trim_start_matches('{');
    while let Some((name, after)) = rest.split_once('=') {
        let Some((value, after)) = quoted(after) else {
            break;
        };
        labels.insert(
            unquoted(name.trim()).unwrap_or_else(|| name.trim().to_owned()),
            value,
        );
        rest = after.trim_start_matches(',').trim_start();
    }
    labels
}

/// The text in quotes at the begin of a text, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    })?;
    Some((unquoted(&text[..end.0 + 2])?, &inner[end.0 + 1..]))
}

/// A text in Go's quotes, which are near to those of JSON.
fn unquoted(text: &str) -> Option<String> {
    serde_json::from_str(text)
        .ok()
        .or_else(|| Some(text.strip_prefix('"')?.strip_suffix('"')?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_apart() {
        let output = "Processing test file: t0.yaml\n  SUCCESS\n\nProcessing test file: t1.yaml\n\n\n  FAILED:\n    name: slow, late,\n    alertname: Slow, time: 3m, \n        exp:[\n            0:\n              Labels:{alertname=\"Slow\", a=\"x, \\\"y\\\"\"}\n              Annotations:{}\n            ], \n        got:[]\n    expr: \"sum(a)\", time: 1h,\n        exp: {} 4E+00\n        got: nil\n    rule: Many, time: 0s, err: exceeded limit\n";
        let files = files(output);
        assert_eq!(
            (files[0].passed, files[1].passed),
            (Some(true), Some(false))
        );
        let failures = files[1].failures();
        let subjects: Vec<_> = failures
            .iter()
            .map(|failure| (failure.subject.clone(), failure.time))
            .collect();
        assert_eq!(
            subjects,
            [
                (FailureSubject::Alert("Slow".into()), 180_000),
                (FailureSubject::Expression("sum(a)".into()), 3_600_000),
                (FailureSubject::Rule("Many".into()), 0),
            ]
        );
        assert_eq!(
            failures[0].expected,
            [
                "Labels:{alertname=\"Slow\", a=\"x, \\\"y\\\"\"}",
                "Annotations:{}"
            ]
        );
        assert_eq!(
            (failures[1].got.as_slice(), failures[0].got.len()),
            (&["nil".to_owned()][..], 0)
        );
        assert_eq!(failures[2].message, ["exceeded limit"]);
        let labels = label_set("{alertname=\"Slow\", a=\"x, \\\"y\\\"\"}");
        assert_eq!(labels.get("a").map(String::as_str), Some("x, \"y\""));
    }
}
