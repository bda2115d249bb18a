//! The output of `test`, which `report` reads.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cli::json::Labels;

/// The results of tests.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tests {
    /// By file.
    pub(crate) files: Vec<TestedFile>,
    /// With --coverage: each rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) coverage: Option<Vec<TestedRule>>,
}

/// The part of a rule that tests see.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestedRule {
    /// The name of the alert or of the recorded metric.
    pub(crate) name: String,
    /// Its file.
    pub(crate) file: String,
    /// Its line.
    pub(crate) line: usize,
    /// Its column.
    pub(crate) column: usize,
    /// Whether a test evaluates it.
    pub(crate) evaluated: bool,
    /// Of an alert: whether a test sees it firing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen_firing: Option<bool>,
    /// Of an alert: whether a test sees it not firing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen_not_firing: Option<bool>,
    /// The workloads among the manifests that mount it.
    pub(crate) workloads: Vec<String>,
}

/// The results of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TestFile")]
pub(crate) struct TestedFile {
    /// The file.
    pub(crate) file: String,
    /// Its tests.
    pub(crate) tests: Vec<TestOutcome>,
}

/// The result of a test.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestOutcome {
    /// Its name.
    pub(crate) name: String,
    /// Its line in the file.
    pub(crate) line: usize,
    /// Whether it passed.
    pub(crate) passed: bool,
    /// The failure.
    pub(crate) failures: Vec<String>,
    /// The expected labels, where labels differ.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(crate) expected: Option<Labels>,
    /// The actual labels, where labels differ.
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(crate) actual: Option<Labels>,
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
