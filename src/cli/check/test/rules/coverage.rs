//! The share of the rules that tests cover.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

use super::loaded::SuiteRules;
use super::outcome::OutcomeReader;
use crate::cli::args::TestArgs;
use crate::cli::json::{EvaluatedRules, TestedRule};
use crate::cli::paint::Paint;
use crate::cli::{fs, report};
use promgen_model::rule_tests::{LoadedRule, RulePlace};
use promgen_targets::rule_test::transcript::{FailureSubject, Transcript};

/// The part of each rule that tests see.
#[derive(Default)]
pub(crate) struct TestCoverage {
    rules: BTreeMap<RulePlace, RuleCoverage>,
    /// Files by the names that users write: one file may have several.
    files: BTreeMap<String, String>,
    /// The user asks to see it.
    is_shown: bool,
    /// The least that the user accepts, in percent.
    least: Option<f64>,
}

struct RuleCoverage {
    rule: LoadedRule,
    is_evaluated: bool,
    fires: bool,
    rests: bool,
    /// The workloads that mount it.
    workloads: BTreeSet<String>,
}

impl TestCoverage {
    pub(super) fn new(args: &TestArgs) -> Self {
        Self {
            is_shown: args.coverage,
            least: args.min_coverage,
            ..Self::default()
        }
    }

    /// Returns whether the user asks for anything of it.
    pub(crate) const fn is_asked(&self) -> bool {
        self.is_shown || self.least.is_some()
    }

    /// Takes note of rules that exist.
    pub(super) fn know(&mut self, rules: &[LoadedRule]) {
        for rule in rules {
            self.entry(rule);
        }
    }

    /// Takes note of the rules that a workload mounts.
    pub(super) fn mount(&mut self, workload: &str, rules: &[LoadedRule]) {
        for rule in rules {
            self.entry(rule).workloads.insert(workload.to_owned());
        }
    }

    /// Takes note of rules that a test evaluates.
    pub(super) fn load(&mut self, rules: &SuiteRules) {
        rules
            .all()
            .for_each(|rule| self.entry(rule).is_evaluated = true);
    }

    fn entry(&mut self, rule: &LoadedRule) -> &mut RuleCoverage {
        let new = || {
            fs::plain(Path::new(&rule.place.file))
                .to_string_lossy()
                .into_owned()
        };
        let file = self
            .files
            .entry(rule.place.file.clone())
            .or_insert_with(new)
            .clone();
        let new = || RuleCoverage {
            rule: rule.clone(),
            is_evaluated: false,
            fires: false,
            rests: false,
            workloads: BTreeSet::new(),
        };
        let mut place = rule.place.clone();
        place.file = file;
        self.rules.entry(place).or_insert_with(new)
    }

    /// Takes note of the alerts that a test asks for.
    pub(super) fn note(&mut self, reader: &OutcomeReader<'_>, transcript: &Transcript) {
        let failures = transcript.failures();
        for alert in &reader.test.alerts {
            let subject = FailureSubject::Alert(alert.name.clone());
            let failure = failures
                .iter()
                .find(|failure| failure.subject == subject && failure.time == alert.time);
            let firing = match failure {
                Some(failure) => failure.firing(),
                None => alert
                    .expected
                    .iter()
                    .map(|expected| expected.labels.clone())
                    .collect(),
            };
            for rule in reader
                .rules
                .all()
                .filter(|rule| rule.is_alert && rule.name == alert.name)
            {
                let is_its = |labels: &BTreeMap<String, String>| {
                    let fixed = rule
                        .labels
                        .iter()
                        .filter(|(_, value)| !value.contains("{{"));
                    fixed
                        .into_iter()
                        .all(|(name, value)| labels.get(name) == Some(value))
                };
                let fires = firing.iter().any(is_its);
                let entry = self.entry(rule);
                entry.fires |= fires;
                entry.rests |= !fires;
            }
        }
    }

    /// Why the tests are not enough, if they are not.
    pub(crate) fn shortfall(&self) -> Option<String> {
        let percent = self.count().percent();
        let least = self.least.filter(|least| percent < *least)?;
        Some(format!(
            "coverage is {percent:.0} %, below {least} %: no test evaluates {}",
            self.not_evaluated()
        ))
    }

    /// The least that the user accepts, in percent.
    pub(crate) const fn least(&self) -> Option<f64> {
        self.least
    }

    /// The number of rules that are evaluated.
    pub(crate) fn count(&self) -> EvaluatedRules {
        self.rules.values().map(|rule| rule.is_evaluated).collect()
    }

    /// The same of each workload that mounts rules.
    fn by_workload(&self) -> BTreeMap<&str, EvaluatedRules> {
        let mut counts: BTreeMap<&str, EvaluatedRules> = BTreeMap::new();
        for rule in self.rules.values() {
            for workload in &rule.workloads {
                counts
                    .entry(workload.as_str())
                    .or_default()
                    .add(rule.is_evaluated);
            }
        }
        counts
    }

    /// The names of rules that no test evaluates.
    fn not_evaluated(&self) -> String {
        let names: Vec<String> = self
            .rules
            .values()
            .filter(|rule| !rule.is_evaluated)
            .map(|rule| rule.rule.name.clone())
            .collect();
        report::listed(&names, 5)
    }

    /// One line a rule and a workload, and the summary.
    pub(crate) fn write(&self, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        for rule in self.shown().iter().flatten() {
            let gaps = rule.gaps().join(", ");
            let text = if gaps.is_empty() {
                paint.green("ok")
            } else {
                paint.red(&gaps)
            };
            writeln!(
                out,
                "{}:{}:{} {}: {text}",
                rule.file, rule.line, rule.column, rule.name
            )?;
        }
        if self.is_shown {
            for (workload, count) in self.by_workload() {
                writeln!(out, "{workload}: {count}")?;
            }
            writeln!(out, "{}", self.count())?;
        }
        Ok(())
    }

    /// Each rule, if the user asks to see them.
    pub(crate) fn shown(&self) -> Option<Vec<TestedRule>> {
        let rule = |of: &RuleCoverage| TestedRule {
            name: of.rule.name.clone(),
            file: of.rule.place.file.clone(),
            line: of.rule.place.at.0,
            column: of.rule.place.at.1,
            evaluated: of.is_evaluated,
            seen_firing: of.rule.is_alert.then_some(of.fires),
            seen_not_firing: of.rule.is_alert.then_some(of.rests),
            workloads: of.workloads.iter().cloned().collect(),
        };
        self.is_shown
            .then(|| self.rules.values().map(rule).collect())
    }
}
