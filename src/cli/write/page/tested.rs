//! The results of tests, as `promgen test --format json` wrote them: nothing is tested for the page.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::cli::json::{EvaluatedRules, TestedFile, TestedRule, Tests, VERSION, answers};
use crate::cli::write::page::{Cut, cut};
use crate::cli::{Failure, Io, fs};
use promgen_text::diag::count::counted;

/// The most failing tests, lines of one, files or workloads with rules, and rules that tests do not see.
const MAX_FAILED: usize = 200;
const MAX_LINES: usize = 40;
const MAX_COUNTS: usize = 300;
const MAX_GAPS: usize = 300;

answers! {
    /// The results of tests.
    TestsPart as "ReportTests" {
        /// The number of tests.
        n_tests: usize,
        /// The number of those that failed.
        n_failed: usize,
        /// The tests that failed.
        failed: Vec<FailedTest>,
        /// The note that these are cut.
        failed_cut: Option<Cut>,
        /// The share of the rules that the tests cover; null if the results do not have it.
        coverage: Option<CoveragePart>,
    }

    /// A test that failed.
    FailedTest as "ReportFailedTest" {
        /// Its name.
        name: String,
        /// Its file.
        file: String,
        /// Its line.
        line: usize,
        /// The failure.
        failures: Vec<String>,
    }

    /// The share of the rules that the tests cover.
    CoveragePart as "ReportCoverage" {
        /// The number of rules that the tests evaluate.
        summary: String,
        /// The same of each workload that mounts rules.
        workloads: Vec<CoverageRow>,
        /// The note that these are cut.
        workloads_cut: Option<Cut>,
        /// The same of each file of rules.
        files: Vec<CoverageRow>,
        /// The note that these are cut.
        files_cut: Option<Cut>,
        /// The rules that no test evaluates, or sees in both states.
        gaps: Vec<CoverageGap>,
        /// The note that these are cut.
        gaps_cut: Option<Cut>,
    }

    /// The number of the rules of something that the tests evaluate.
    CoverageRow as "ReportCoverageRow" {
        /// The workload or the file.
        name: String,
        /// The number of rules.
        n_rules: usize,
        /// The number of those that a test evaluates.
        n_evaluated: usize,
        /// Their part in percent, rounded.
        percent: String,
    }

    /// A rule that tests do not see as a whole.
    CoverageGap as "ReportCoverageGap" {
        /// The name of the alert or of the recorded metric.
        name: String,
        /// Its file.
        file: String,
        /// Its line.
        line: usize,
        /// The part of it that no test sees.
        gap: String,
    }
}

impl TestsPart {
    /// A line about them, beside their number.
    pub(super) fn detail(&self) -> String {
        let failed = if self.n_failed == 0 {
            "all passed".to_owned()
        } else {
            format!("{} failed", self.n_failed)
        };
        match &self.coverage {
            Some(coverage) => format!("{failed}; {}", coverage.summary),
            None => failed,
        }
    }
}

/// What `test` wrote, with what tells it from other outputs.
#[derive(Deserialize)]
struct WrittenTests {
    version: u32,
    command: String,
    #[serde(flatten)]
    tests: Tests,
}

/// The results in a file.
///
/// # Errors
/// It cannot be read, or has none.
pub(super) fn read(file: &Path, io: &mut Io<'_>) -> Result<Tests, Failure> {
    let files = fs::read_files(
        &[file.to_owned()],
        &fs::Workspace::of(&[file.to_owned()]),
        io.stdin,
    );
    let files = files.map_err(Failure::Messages)?;
    let none = |why: String| {
        let how = "write it with `promgen test --coverage --format json --report FILE`";
        Failure::message(format!(
            "`{}` has no results of tests: {why}; {how}",
            file.display()
        ))
    };
    let [input] = files.inputs.as_slice() else {
        return Err(none("it is no file".to_owned()));
    };
    let written: WrittenTests =
        serde_json::from_slice(&input.bytes).map_err(|error| none(error.to_string()))?;
    match (written.command.as_str(), written.version) {
        ("test", VERSION) => Ok(written.tests),
        ("test", version) => Err(none(format!(
            "its format has version {version}, not {VERSION}"
        ))),
        (command, _) => Err(none(format!("`promgen {command}` wrote it"))),
    }
}

/// The part about results.
pub(super) fn part(Tests { files, coverage }: Tests) -> TestsPart {
    let n_tests = files.iter().map(|file| file.tests.len()).sum();
    let mut failed = Vec::new();
    for TestedFile { file, tests } in files {
        let of_file = tests.into_iter().filter(|test| !test.passed);
        failed.extend(of_file.map(|test| {
            let file = file.clone();
            FailedTest {
                name: test.name,
                file,
                line: test.line,
                failures: shown(test.failures),
            }
        }));
    }
    let n_failed = failed.len();
    failed.truncate(MAX_FAILED);
    let failed_cut = cut(failed.len(), n_failed, "promgen test");
    TestsPart {
        n_tests,
        n_failed,
        failed,
        failed_cut,
        coverage: coverage.as_deref().map(covered),
    }
}

/// The first lines of a failure.
fn shown(mut lines: Vec<String>) -> Vec<String> {
    let n_more = lines.len().saturating_sub(MAX_LINES);
    lines.truncate(MAX_LINES);
    lines.extend((n_more > 0).then(|| format!("and {}", counted(n_more, "more line"))));
    lines
}

fn covered(rules: &[TestedRule]) -> CoveragePart {
    let all: EvaluatedRules = rules.iter().map(|rule| rule.evaluated).collect();
    let of_workloads = rules.iter().flat_map(|rule| {
        rule.workloads
            .iter()
            .map(|name| (name.as_str(), rule.evaluated))
    });
    let (workloads, workloads_cut) = rows(of_workloads);
    let (files, files_cut) = rows(
        rules
            .iter()
            .map(|rule| (rule.file.as_str(), rule.evaluated)),
    );
    let gap = |rule: &TestedRule| {
        let gap = rule.gaps().join(", ");
        (!gap.is_empty()).then(|| CoverageGap {
            name: rule.name.clone(),
            file: rule.file.clone(),
            line: rule.line,
            gap,
        })
    };
    let mut gaps: Vec<CoverageGap> = rules.iter().filter_map(gap).collect();
    let n_gaps = gaps.len();
    gaps.truncate(MAX_GAPS);
    CoveragePart {
        summary: all.to_string(),
        workloads,
        workloads_cut,
        files,
        files_cut,
        gaps_cut: cut(gaps.len(), n_gaps, COMMAND),
        gaps,
    }
}

/// The command that shows all.
const COMMAND: &str = "promgen test --coverage";

fn rows<'r>(rules: impl Iterator<Item = (&'r str, bool)>) -> (Vec<CoverageRow>, Option<Cut>) {
    let mut counts: BTreeMap<&str, EvaluatedRules> = BTreeMap::new();
    rules.for_each(|(name, is_evaluated)| counts.entry(name).or_default().add(is_evaluated));
    let row = |(name, count): (&&str, &EvaluatedRules)| CoverageRow {
        name: (*name).to_owned(),
        n_rules: count.n_all,
        n_evaluated: count.n_evaluated,
        percent: format!("{:.0} %", count.percent()),
    };
    let rows: Vec<CoverageRow> = counts.iter().take(MAX_COUNTS).map(row).collect();
    let left_out = cut(rows.len(), counts.len(), COMMAND);
    (rows, left_out)
}
