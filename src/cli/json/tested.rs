//! The output of `test`, which `report` reads.

use std::fmt;

use serde::Deserialize;

use crate::cli::json::{Labels, answers};

answers! {
    /// The results of tests.
    #[derive(Deserialize)]
    Tests {
        /// By file.
        files: Vec<TestedFile>,
        /// With --coverage: each rule.
        coverage?: Vec<TestedRule>,
    }

    /// The part of a rule that tests see.
    #[derive(Deserialize)]
    TestedRule {
        /// The name of the alert or of the recorded metric.
        name: String,
        /// Its file.
        file: String,
        /// Its line.
        line: usize,
        /// Its column.
        column: usize,
        /// Whether a test evaluates it.
        evaluated: bool,
        /// Of an alert: whether a test sees it firing.
        seen_firing?: bool,
        /// Of an alert: whether a test sees it not firing.
        seen_not_firing?: bool,
        /// The workloads among the manifests that mount it.
        workloads: Vec<String>,
    }

    /// The results of a file.
    #[derive(Deserialize)]
    TestedFile as "TestFile" {
        /// The file.
        file: String,
        /// Its tests.
        tests: Vec<TestOutcome>,
    }

    /// The result of a test.
    #[derive(Deserialize)]
    TestOutcome {
        /// Its name.
        name: String,
        /// Its line in the file.
        line: usize,
        /// Whether it passed.
        passed: bool,
        /// The failure.
        failures: Vec<String>,
        /// The expected labels, where labels differ.
        #[serde(skip_deserializing)]
        expected?: Labels,
        /// The actual labels, where labels differ.
        #[serde(skip_deserializing)]
        actual?: Labels,
    }
}

impl TestedRule {
    /// The part of it that no test sees.
    pub(crate) fn gaps(&self) -> Vec<&'static str> {
        if !self.evaluated {
            return vec!["not evaluated"];
        }
        let gaps = [
            (self.seen_firing, "never seen firing"),
            (self.seen_not_firing, "never seen not firing"),
        ];
        gaps.into_iter()
            .filter(|(seen, _)| *seen == Some(false))
            .map(|(_, gap)| gap)
            .collect()
    }
}

/// The number of some rules that tests evaluate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EvaluatedRules {
    pub(crate) n_evaluated: usize,
    pub(crate) n_all: usize,
}

impl EvaluatedRules {
    /// Counts a rule.
    pub(crate) fn add(&mut self, is_evaluated: bool) {
        self.n_all += 1;
        self.n_evaluated += usize::from(is_evaluated);
    }

    /// The part of the rules that is evaluated; all of none is 100.
    pub(crate) fn percent(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "nobody has so many rules")]
        if self.n_all == 0 {
            100.0
        } else {
            self.n_evaluated as f64 * 100.0 / self.n_all as f64
        }
    }
}

impl FromIterator<bool> for EvaluatedRules {
    fn from_iter<I: IntoIterator<Item = bool>>(rules: I) -> Self {
        let mut count = Self::default();
        rules
            .into_iter()
            .for_each(|is_evaluated| count.add(is_evaluated));
        count
    }
}

impl fmt::Display for EvaluatedRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} rules evaluated ({:.0} %)",
            self.n_evaluated,
            self.n_all,
            self.percent()
        )
    }
}
