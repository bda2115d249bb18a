//! The output of `test`.

use schemars::JsonSchema;
use serde::Serialize;

use super::Labels;

outputs! {
    /// The results of tests.
    Tests {
        /// By file.
        files: Vec<TestFile>,
        /// With --coverage: each rule.
        #[serde(skip_serializing_if = "Option::is_none")]
        coverage: Option<Vec<TestedRule>>,
    }

    /// What tests see of a rule.
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
        #[serde(skip_serializing_if = "Option::is_none")]
        seen_firing: Option<bool>,
        /// Of an alert: whether a test sees it not firing.
        #[serde(skip_serializing_if = "Option::is_none")]
        seen_not_firing: Option<bool>,
    }

    /// The results of a file.
    TestFile {
        /// The file.
        file: String,
        /// Its tests.
        tests: Vec<TestOutcome>,
    }

    /// The result of a test.
    TestOutcome {
        /// Its name.
        name: String,
        /// Its line in the file.
        line: usize,
        /// Whether it passed.
        passed: bool,
        /// What failed.
        failures: Vec<String>,
        /// The expected labels, where labels differ.
        #[serde(skip_serializing_if = "Option::is_none")]
        expected: Option<Labels>,
        /// The actual labels, where labels differ.
        #[serde(skip_serializing_if = "Option::is_none")]
        actual: Option<Labels>,
    }
}
