//! Test results as text and as JSON.

use std::cmp::Ordering;
use std::io::{self, Write};

use crate::cli::ask::traced::show::{label_name, shown};
use crate::cli::check::test::rules::TestCoverage;
use crate::cli::check::test::{FileResults, Tested};
use crate::cli::json::{self, TestOutcome, TestedFile, Tests};
use crate::cli::paint::Paint;
use crate::cli::report::one_line;
use promgen_prometheus::relabel::LabelSet;
use promgen_targets::relabel_test::run::TestResult;
use promgen_text::diag::count::counted;

/// One line per test, followed by its failures.
pub(super) fn text(reports: &[FileResults], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    for report in reports {
        writeln!(out, "{}", paint.bold(&one_line(&report.file)))?;
        for tested in &report.tests {
            let name = one_line(&tested.name);
            if tested.outcome.passed() {
                writeln!(out, "  {}      {name}", paint.green("ok"))?;
                continue;
            }
            writeln!(
                out,
                "  {}  {name} (line {})",
                paint.red("FAILED"),
                tested.line
            )?;
            for line in lines(&tested.outcome) {
                let styled = match line.chars().next() {
                    Some('-') => paint.red(&line),
                    Some('+') => paint.green(&line),
                    _ => line,
                };
                writeln!(out, "          {styled}")?;
            }
        }
    }
    writeln!(out, "{}", summary(reports))
}

/// The failures, one per line; labels as a diff from expected to actual.
pub(super) fn lines(outcome: &TestResult) -> Vec<String> {
    let mut lines: Vec<String> = outcome
        .failures
        .iter()
        .map(|failure| one_line(failure))
        .collect();
    let Some((expected, is)) = &outcome.differing else {
        return lines;
    };
    lines.push("- expected, + actual".to_owned());
    lines.extend(difference(expected, is));
    lines
}

/// Two sets of labels as a diff. Both are sorted by name, so one walk through them is enough.
fn difference(expected: &LabelSet, is: &LabelSet) -> Vec<String> {
    let line = |sign: char, (name, value): (&str, &str)| {
        format!("{sign} {}={}", label_name(name), shown(value))
    };
    let (mut expected, mut is) = (expected.iter().peekable(), is.iter().peekable());
    let (mut lines, mut added) = (Vec::new(), Vec::new());
    loop {
        let order = match (expected.peek(), is.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((expected, _)), Some((is, _))) => expected.cmp(is),
        };
        let same = expected.next_if(|label| Some(label) == is.peek());
        if let Some(label) = same {
            is.next();
            lines.append(&mut added);
            lines.push(line(' ', label));
            continue;
        }
        // The actual value follows the expected one.
        if order != Ordering::Greater {
            lines.extend(expected.next().map(|label| line('-', label)));
        }
        if order != Ordering::Less {
            added.extend(is.next().map(|label| line('+', label)));
        }
    }
    lines.append(&mut added);
    lines
}

/// `1 of 3 tests failed`.
fn summary(reports: &[FileResults]) -> String {
    let tests = || reports.iter().flat_map(|report| &report.tests);
    let (n_all, n_failed) = (
        tests().count(),
        tests().filter(|tested| !tested.outcome.passed()).count(),
    );
    let all = counted(n_all, "test");
    if n_failed == 0 {
        format!("{all} passed")
    } else {
        format!("{n_failed} of {all} failed")
    }
}

/// A list of files with their tests.
pub(super) fn json(
    reports: &[FileResults],
    coverage: Option<&TestCoverage>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let labels = |labels: &LabelSet| {
        labels
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    };
    let test = |tested: &Tested| TestOutcome {
        name: tested.name.clone(),
        line: tested.line,
        passed: tested.outcome.passed(),
        failures: tested.outcome.failures.clone(),
        expected: tested
            .outcome
            .differing
            .as_ref()
            .map(|(expected, _)| labels(expected)),
        actual: tested.outcome.differing.as_ref().map(|(_, is)| labels(is)),
    };
    let file = |report: &FileResults| TestedFile {
        file: report.file.clone(),
        tests: report.tests.iter().map(test).collect(),
    };
    let files = reports.iter().map(file).collect();
    json::write(
        "test",
        Tests {
            files,
            coverage: coverage.and_then(TestCoverage::shown),
        },
        out,
    )
}
