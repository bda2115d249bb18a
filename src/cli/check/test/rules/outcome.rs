//! The verdict of promtool on a test, in the terms of the manifests.

use std::collections::BTreeSet;
use std::path::Path;

use super::loaded::SuiteRules;
use promgen_model::rule_tests::{LoadedFile, LoadedRule};
use promgen_prometheus::routing::AlertLabels;
use promgen_targets::rule_test::read::{AlertTest, ExpectedAlert, RuleTest, Stated};
use promgen_targets::rule_test::transcript::{FailureSubject, RuleFailure, Transcript};
use promgen_text::CollectOrdered;
use promgen_text::go::duration::PromDuration;

/// A test, with what it loads.
pub(super) struct OutcomeReader<'j> {
    pub(super) file: &'j str,
    pub(super) test: &'j RuleTest,
    pub(super) rules: &'j SuiteRules,
}

/// Something that a test expects and that is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedExpectation {
    /// The line of the expectation, or of the test.
    pub(crate) line: usize,
    /// What is said of it, line by line.
    pub(crate) text: Vec<String>,
}

impl OutcomeReader<'_> {
    /// The failures: what promtool says, then receivers.
    pub(super) fn failed(&self, transcript: &Transcript) -> Vec<FailedExpectation> {
        let mut failed: Vec<FailedExpectation> = Vec::new();
        if transcript.passed == Some(false) {
            for failure in transcript.failures() {
                let found = self.failure(&failure);
                let is_new = |one: &FailedExpectation| !failed.contains(one);
                let new: Vec<FailedExpectation> = found.into_iter().filter(is_new).collect();
                failed.extend(new);
            }
            if failed.is_empty() {
                let text = vec!["promtool gives no reason".to_owned()];
                failed.push(FailedExpectation {
                    line: self.test.line,
                    text,
                });
            }
        }
        let expected = self
            .test
            .alerts
            .iter()
            .flat_map(|alert| alert.expected.iter().map(move |one| (alert, one)));
        failed.extend(expected.filter_map(|(alert, expected)| self.receivers(alert, expected)));
        failed
    }

    fn failure(&self, failure: &RuleFailure) -> Vec<FailedExpectation> {
        let time = PromDuration {
            millis: failure.time,
        };
        let (line, mut text) = match &failure.subject {
            FailureSubject::Alert(name) => {
                let line = self
                    .alert(name, failure.time)
                    .map_or(self.test.line, |alert| alert.line);
                let head = format!("alert {name} at {time}: expected at {}:{line}", self.file);
                (line, [vec![head], self.rule(name)].concat())
            }
            FailureSubject::Expression(expr) => {
                let item = self
                    .test
                    .expressions
                    .iter()
                    .find(|item| (&item.expr, item.time) == (expr, failure.time));
                let line = item.map_or(self.test.line, |item| item.line);
                let mut text = vec![format!(
                    "{expr} at {time}: expected at {}:{line}",
                    self.file
                )];
                let named = self
                    .rules
                    .all()
                    .filter(|rule| !rule.is_alert && expr.contains(&rule.name));
                text.extend(
                    named
                        .take(MAX_PLACES)
                        .map(|rule| format!("rule {}: {}", rule.name, rule.place)),
                );
                (line, text)
            }
            FailureSubject::Rule(name) => {
                let head = format!(
                    "rule {name} at {time}, in the test at {}:{}",
                    self.file, self.test.line
                );
                (self.test.line, [vec![head], self.rule(name)].concat())
            }
            FailureSubject::Other => return self.other(failure),
        };
        text.extend(failure.message.iter().cloned());
        if failure.message.is_empty() {
            text.extend(difference(failure));
        }
        vec![FailedExpectation { line, text }]
    }

    /// A failure of the file as a whole: of its series, or of rules that promtool refuses.
    fn other(&self, failure: &RuleFailure) -> Vec<FailedExpectation> {
        let messages = failure
            .message
            .iter()
            .filter(|message| !message.starts_with("WARNING"));
        let of_message = |message: &String| {
            let of_rules = message
                .split_once(": ")
                .and_then(|(file, rest)| Some((self.loaded(file)?, rest)));
            let (line, text) = match of_rules {
                Some((file, rest)) => match refused(file, rest) {
                    Some(rule) => (
                        self.test.line,
                        format!("{}: {} {}: {rest}", rule.place, kind(rule), rule.name),
                    ),
                    None => (self.test.line, rest.to_owned()),
                },
                None => match self.series(message) {
                    Some(Stated {
                        value,
                        place: (line, column),
                    }) => (
                        *line,
                        format!("{}:{line}:{column}: {message}: {value}", self.file),
                    ),
                    None => (
                        self.test.line,
                        format!("{}:{}: {message}", self.file, self.test.line),
                    ),
                },
            };
            FailedExpectation {
                line,
                text: vec![text],
            }
        };
        messages.map(of_message).collect()
    }

    /// The series that an error in their notation is about: promtool counts the lines of what it loads, of which the first is none.
    fn series(&self, message: &str) -> Option<&Stated<String>> {
        let line = message
            .contains("parse error")
            .then(|| message.split(':').next()?.trim().parse::<usize>().ok())??;
        self.test.series.get(line.checked_sub(2)?)
    }

    /// The file of rules that promtool knows by a name.
    fn loaded(&self, name: &str) -> Option<&LoadedFile> {
        let name = Path::new(name.trim()).file_name()?.to_str()?;
        let number = name
            .strip_prefix('r')?
            .strip_suffix(".yaml")?
            .split_once('-')?
            .1;
        self.rules.files.get(number.parse::<usize>().ok()?)
    }

    pub(super) fn alert(&self, name: &str, time: u64) -> Option<&AlertTest> {
        self.test
            .alerts
            .iter()
            .find(|alert| alert.name == name && alert.time == time)
    }

    /// The places of the rules of a name, or that none is loaded.
    fn rule(&self, name: &str) -> Vec<String> {
        let place = |rule: &LoadedRule| format!("rule {}: {}", rule.name, rule.place);
        let places: Vec<String> = self
            .rules
            .all()
            .filter(|rule| rule.name == name)
            .map(place)
            .collect();
        if !places.is_empty() {
            return places.into_iter().take(MAX_PLACES).collect();
        }
        let of = self
            .rules
            .workload
            .as_ref()
            .map_or_else(String::new, |workload| format!(" by {workload}"));
        let elsewhere: Vec<String> = self
            .rules
            .others
            .iter()
            .filter(|rule| rule.name == name)
            .map(place)
            .collect();
        match elsewhere.first() {
            None => vec![format!("no rule {name} is loaded")],
            Some(place) => vec![format!(
                "{place} is not mounted{of}: `promgen lint` says why"
            )],
        }
    }

    /// Compares the receivers of an alert with those that its labels lead to.
    fn receivers(&self, alert: &AlertTest, expected: &ExpectedAlert) -> Option<FailedExpectation> {
        let wanted = expected.receivers.as_ref()?;
        let labels = expected.labels.iter().chain(&self.test.external_labels);
        let mut all: AlertLabels = labels
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect_map();
        all.insert("alertname".to_owned(), alert.name.clone());
        let trees = &self.rules.trees;
        let found: BTreeSet<&str> = trees
            .iter()
            .flat_map(|tree| tree.receivers_of(&all))
            .collect_set();
        let wanted: BTreeSet<&str> = wanted.iter().map(String::as_str).collect_set();
        if !trees.is_empty() && found == wanted {
            return None;
        }
        let list = |names: &BTreeSet<&str>| match names.is_empty() {
            true => "none".to_owned(),
            false => names.iter().copied().collect::<Vec<_>>().join(", "),
        };
        let mut text = vec![format!(
            "receivers of {}: expected at {}:{}",
            alert.name, self.file, expected.line
        )];
        text.extend(self.rule(&alert.name));
        if trees.is_empty() {
            text.push("no Alertmanager in the input routes alerts".to_owned());
        }
        text.push(format!("- {}", list(&wanted)));
        text.push(format!("+ {}", list(&found)));
        let known: BTreeSet<&str> = trees
            .iter()
            .flat_map(|tree| tree.receivers.keys().map(String::as_str))
            .collect_set();
        let unknown = wanted.iter().filter(|name| !known.contains(*name));
        text.extend(unknown.map(|name| format!("no Alertmanager has the receiver {name}")));
        Some(FailedExpectation {
            line: expected.line,
            text,
        })
    }
}

/// The number of places of rules of one name that are named.
const MAX_PLACES: usize = 3;

const fn kind(rule: &LoadedRule) -> &'static str {
    if rule.is_alert { "alert" } else { "record" }
}

/// The differences, as a diff.
fn difference(failure: &RuleFailure) -> Vec<String> {
    let or_nothing = |lines: &[String]| {
        if lines.is_empty() {
            vec!["nothing".to_owned()]
        } else {
            lines.to_vec()
        }
    };
    let (expected, got) = (or_nothing(&failure.expected), or_nothing(&failure.got));
    let minus = expected.iter().map(|line| format!("- {line}"));
    minus
        .chain(got.iter().map(|line| format!("+ {line}")))
        .collect()
}

/// The rule that promtool refuses: it names a line, or nothing but what is wrong.
fn refused<'f>(file: &'f LoadedFile, message: &str) -> Option<&'f LoadedRule> {
    let line = message
        .split(':')
        .next()
        .and_then(|line| line.trim().parse::<usize>().ok());
    let empty = || {
        let is_empty = |line: &str| ["for: \"\"", "keep_firing_for: \"\""].contains(&line.trim());
        message
            .contains("duration")
            .then(|| file.text.lines().position(is_empty))?
            .map(|at| at + 1)
    };
    line.or_else(empty)
        .and_then(|line| file.rule_at(line))
        .or_else(|| file.rules.first())
}

/// The key that promtool does not know, if a line says so.
pub(super) fn unknown_key(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("field ")?;
    let (key, rest) = rest.split_once(" not found in type ")?;
    // What it does not know of rules is a failure of the rules.
    (rest.starts_with("main.") && !key.contains(' ')).then_some(key)
}
