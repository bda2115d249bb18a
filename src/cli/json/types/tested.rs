//! The output of `test`, which `report` reads.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Labels;

/// The results of tests.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct Tests {
    /// By file.
    pub(in crate::cli) files: Vec<TestedFile>,
    /// With --coverage: each rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) coverage: Option<Vec<TestedRule>>,
}

/// The part of a rule that tests see.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct TestedRule {
    /// The name of the alert or of the recorded metric.
    pub(in crate::cli) name: String,
    /// Its file.
    pub(in crate::cli) file: String,
    /// Its line.
    pub(in crate::cli) line: usize,
    /// Its column.
    pub(in crate::cli) column: usize,
    /// Whether a test evaluates it.
    pub(in crate::cli) evaluated: bool,
    /// Of an alert: whether a test sees it firing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) seen_firing: Option<bool>,
    /// Of an alert: whether a test sees it not firing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::cli) seen_not_firing: Option<bool>,
    /// The workloads among the manifests that mount it.
    pub(in crate::cli) workloads: Vec<String>,
}

/// The results of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestFile")]
pub(in crate::cli) struct TestedFile {
    /// The file.
    pub(in crate::cli) file: String,
    /// Its tests.
    pub(in crate::cli) tests: Vec<TestOutcome>,
}

/// The result of a test.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli) struct TestOutcome {
    /// Its name.
    pub(in crate::cli) name: String,
    /// Its line in the file.
    pub(in crate::cli) line: usize,
    /// Whether it passed.
    pub(in crate::cli) passed: bool,
    /// The failure.
    pub(in crate::cli) failures: Vec<String>,
    /// The expected labels, where labels differ.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(in crate::cli) expected: Option<Labels>,
    /// The actual labels, where labels differ.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(in crate::cli) actual: Option<Labels>,
}

impl TestedRule {
    /// The part of it that no test sees.
    pub(in crate::cli) fn gaps(&self) -> Vec<&'static str> {
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
pub(in crate::cli) struct EvaluatedRules {
    pub(in crate::cli) n_evaluated: usize,
    pub(in crate::cli) n_all: usize,
}

impl EvaluatedRules {
    /// Counts a rule.
    pub(in crate::cli) fn add(&mut self, is_evaluated: bool) {
        self.n_all += 1;
        self.n_evaluated += usize::from(is_evaluated);
    }

    /// The part of the rules that is evaluated; all of none is 100.
    pub(in crate::cli) fn percent(self) -> f64 {
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
