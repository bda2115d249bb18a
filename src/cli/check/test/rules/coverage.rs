//! How much of the rules tests cover.

use std::io::{self, Write};

use super::loaded::SuiteRules;
use super::outcome::OutcomeReader;
use crate::cli::ask::traced::show::Paint;
use promgen_driver::rule_tests::{LoadedRule, RulePlace};
use promgen_targets::rule_test::transcript::{FailureSubject, Transcript};
use promgen_text::sorted::SortedMap;
use promgen_text::yaml::{Map, Value};

/// What tests see of each rule.
#[derive(Default)]
pub(in crate::cli) struct TestCoverage(SortedMap<RulePlace, RuleCoverage>);

struct RuleCoverage {
    rule: LoadedRule,
    is_evaluated: bool,
    fires: bool,
    rests: bool,
}

impl TestCoverage {
    /// Takes note of rules that exist.
    pub(super) fn know(&mut self, rules: &[LoadedRule]) {
        for rule in rules {
            self.entry(rule);
        }
    }

    /// Takes note of rules that a test evaluates.
    pub(super) fn load(&mut self, rules: &SuiteRules) {
        rules.all().for_each(|rule| self.entry(rule).is_evaluated = true);
    }

    fn entry(&mut self, rule: &LoadedRule) -> &mut RuleCoverage {
        let new = || RuleCoverage { rule: rule.clone(), is_evaluated: false, fires: false, rests: false };
        self.0.entry(rule.place.clone()).or_insert_with(new)
    }

    /// Takes note of the alerts that a test asks for.
    pub(super) fn note(&mut self, reader: &OutcomeReader<'_>, transcript: &Transcript) {
        let failures = transcript.failures();
        for alert in &reader.test.alerts {
            let subject = FailureSubject::Alert(alert.name.clone());
            let failure = failures.iter().find(|failure| failure.subject == subject && failure.time == alert.time);
            let firing = match failure {
                Some(failure) => failure.firing(),
                None => alert.expected.iter().map(|expected| expected.labels.clone()).collect(),
            };
            for rule in reader.rules.all().filter(|rule| rule.is_alert && rule.name == alert.name) {
                let is_its = |labels: &SortedMap<String, String>| {
                    let fixed = rule.labels.iter().filter(|(_, value)| !value.contains("{{"));
                    fixed.into_iter().all(|(name, value)| labels.get(name) == Some(value))
                };
                let fires = firing.iter().any(is_its);
                let entry = self.entry(rule);
                entry.fires |= fires;
                entry.rests |= !fires;
            }
        }
    }

    fn counts(&self) -> (usize, usize) {
        (self.0.values().filter(|rule| rule.is_evaluated).count(), self.0.len())
    }

    /// The part of the rules that is evaluated; all of none is 100.
    pub(super) fn percent(&self) -> f64 {
        let (n, all) = self.counts();
        #[expect(clippy::cast_precision_loss, reason = "nobody has so many rules")]
        if all == 0 { 100.0 } else { n as f64 * 100.0 / all as f64 }
    }

    /// The names of rules that no test evaluates, or that no test sees both firing and not firing.
    pub(super) fn not_evaluated(&self) -> String {
        let names: Vec<&str> =
            self.0.values().filter(|rule| !rule.is_evaluated).map(|rule| rule.rule.name.as_str()).collect();
        match names.split_at_checked(5) {
            Some((first, rest)) if !rest.is_empty() => format!("{} and {} more", first.join(", "), rest.len()),
            _ => names.join(", "),
        }
    }

    /// One line a rule, and the summary.
    pub(in crate::cli) fn write(&self, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        for (place, rule) in &self.0 {
            let gaps = rule.gaps().join(", ");
            let text = if gaps.is_empty() { paint.green("ok") } else { paint.red(&gaps) };
            writeln!(out, "{place} {}: {text}", rule.rule.name)?;
        }
        let (n, all) = self.counts();
        writeln!(out, "{n} of {all} rules evaluated ({:.0} %)", self.percent())
    }

    /// The same as data.
    pub(in crate::cli) fn value(&self) -> Vec<Value> {
        let rule = |(place, of): (&RulePlace, &RuleCoverage)| {
            let mut map = Map::new()
                .with("name", of.rule.name.clone())
                .with("file", place.file.clone())
                .with("line", place.at.0 as u64)
                .with("column", place.at.1 as u64)
                .with("evaluated", of.is_evaluated);
            if of.rule.is_alert {
                map.push("seenFiring", of.fires);
                map.push("seenNotFiring", of.rests);
            }
            Value::from(map)
        };
        self.0.iter().map(rule).collect()
    }
}

impl RuleCoverage {
    fn gaps(&self) -> Vec<&'static str> {
        if !self.is_evaluated {
            return vec!["not evaluated"];
        }
        let gaps = [(self.fires, "never seen firing"), (self.rests, "never seen not firing")];
        gaps.into_iter().filter(|(seen, _)| self.rule.is_alert && !seen).map(|(_, gap)| gap).collect()
    }
}
