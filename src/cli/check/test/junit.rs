//! Test results as JUnit XML.
//!
//! A file is a suite, a test is a case. With --coverage, the rules that a workload mounts are a suite, too, with their numbers as
//! properties: a rule that tests do not see as a whole is a skipped case. Times are omitted, so that the report is reproducible.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crate::cli::check::test::print::lines;
use crate::cli::check::test::rules::TestCoverage;
use crate::cli::check::test::{FileResults, Tested};
use crate::cli::json::{EvaluatedRules, TestedRule};
use promgen_text::CollectOrdered;
use promgen_text::diag::format::xml;

/// A suite of the report.
#[derive(Default)]
struct JunitSuite {
    name: String,
    properties: Vec<(&'static str, String)>,
    cases: Vec<JunitCase>,
}

/// A case of a suite.
struct JunitCase {
    name: String,
    /// What it is a part of, for readers.
    class: String,
    file: String,
    /// Its line in the file. `None`: it is about no line.
    line: Option<usize>,
    state: CaseState,
}

/// The end of a case.
enum CaseState {
    Passed,
    /// A part of it did not run.
    Skipped(String),
    /// A message, and the details.
    Failed(String, String),
}

/// Writes the report.
pub(super) fn write(
    reports: &[FileResults],
    coverage: Option<&TestCoverage>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut suites: Vec<JunitSuite> = reports.iter().map(of_file).collect();
    suites.extend(coverage.map(of_coverage).unwrap_or_default());
    let sum = |of: fn(&JunitSuite) -> usize| suites.iter().map(of).sum::<usize>();
    let (n, n_failed) = (sum(|suite| suite.cases.len()), sum(JunitSuite::n_failed));
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(
        out,
        r#"<testsuites name="promgen" tests="{n}" failures="{n_failed}" errors="0">"#
    )?;
    suites.iter().try_for_each(|suite| suite.write(out))?;
    writeln!(out, "</testsuites>")
}

fn of_file(report: &FileResults) -> JunitSuite {
    let case = |tested: &Tested| {
        let details = || lines(&tested.outcome).join("\n");
        let failed = |message: &String| CaseState::Failed(message.clone(), details());
        let state = match tested.outcome.passed() {
            true => CaseState::Passed,
            false => failed(tested.outcome.failures.first().unwrap_or(&String::new())),
        };
        let (name, file) = (tested.name.clone(), report.file.clone());
        JunitCase {
            name,
            class: file.clone(),
            file,
            line: Some(tested.line),
            state,
        }
    };
    JunitSuite {
        name: report.file.clone(),
        cases: report.tests.iter().map(case).collect(),
        ..JunitSuite::default()
    }
}

/// A suite about all rules, which has those that no workload mounts, and one for each workload.
fn of_coverage(coverage: &TestCoverage) -> Vec<JunitSuite> {
    let rules = coverage.shown().unwrap_or_default();
    let mut names: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for rule in &rules {
        *names.entry((&rule.file, &rule.name)).or_default() += 1;
    }
    let is_unique =
        |rule: &TestedRule| names.get(&(rule.file.as_str(), rule.name.as_str())) == Some(&1);
    let suite = |name: String, is_its: &dyn Fn(&TestedRule) -> bool| {
        let its: Vec<&TestedRule> = rules.iter().filter(|rule| is_its(rule)).collect();
        let properties = properties(its.iter().map(|rule| rule.evaluated).collect());
        let cases = its
            .into_iter()
            .map(|rule| of_rule(&name, rule, is_unique(rule)))
            .collect();
        JunitSuite {
            name,
            properties,
            cases,
        }
    };
    let mut all = suite("coverage".to_owned(), &|rule| rule.workloads.is_empty());
    all.properties = properties(coverage.count());
    all.cases.extend(of_least(coverage));
    let workloads: BTreeSet<&String> = rules.iter().flat_map(|rule| &rule.workloads).collect_set();
    let of_workload = |workload: &String| {
        suite(format!("coverage of {workload}"), &|rule| {
            rule.workloads.contains(workload)
        })
    };
    let is_asked = coverage.is_asked();
    std::iter::once(all)
        .filter(|_| is_asked)
        .chain(workloads.into_iter().map(of_workload))
        .collect()
}

fn properties(count: EvaluatedRules) -> Vec<(&'static str, String)> {
    vec![
        ("rules", count.n_all.to_string()),
        ("evaluated", count.n_evaluated.to_string()),
        ("percent", format!("{:.0}", count.percent())),
    ]
}

fn of_rule(suite: &str, rule: &TestedRule, is_unique: bool) -> JunitCase {
    // Readers take cases of one name for the same.
    let name = if is_unique {
        rule.name.clone()
    } else {
        format!("{} (line {})", rule.name, rule.line)
    };
    let gaps = rule.gaps();
    let state = if gaps.is_empty() {
        CaseState::Passed
    } else {
        CaseState::Skipped(gaps.join(", "))
    };
    let class = format!("{suite}: {}", rule.file);
    JunitCase {
        name,
        class,
        file: rule.file.clone(),
        line: Some(rule.line),
        state,
    }
}

/// The case of `--min-coverage`.
fn of_least(coverage: &TestCoverage) -> Option<JunitCase> {
    let failed = coverage
        .shortfall()
        .map(|text| CaseState::Failed(text.clone(), text));
    let name = format!("at least {} %", coverage.least()?);
    let state = failed.unwrap_or(CaseState::Passed);
    Some(JunitCase {
        name,
        class: "coverage".to_owned(),
        file: String::new(),
        line: None,
        state,
    })
}

impl JunitSuite {
    fn n_failed(&self) -> usize {
        self.cases
            .iter()
            .filter(|case| matches!(case.state, CaseState::Failed(..)))
            .count()
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, n, n_failed) = (
            xml::attribute(&self.name),
            self.cases.len(),
            self.n_failed(),
        );
        let n_skipped = self
            .cases
            .iter()
            .filter(|case| matches!(case.state, CaseState::Skipped(_)))
            .count();
        writeln!(
            out,
            r#"  <testsuite name="{name}" tests="{n}" failures="{n_failed}" errors="0" skipped="{n_skipped}">"#
        )?;
        if !self.properties.is_empty() {
            writeln!(out, "    <properties>")?;
            for (name, value) in &self.properties {
                writeln!(out, r#"      <property name="{name}" value="{value}"/>"#)?;
            }
            writeln!(out, "    </properties>")?;
        }
        self.cases.iter().try_for_each(|case| case.write(out))?;
        writeln!(out, "  </testsuite>")
    }
}

impl JunitCase {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, class) = (xml::attribute(&self.name), xml::attribute(&self.class));
        write!(out, r#"    <testcase name="{name}" classname="{class}""#)?;
        if let Some(line) = self.line {
            write!(
                out,
                r#" file="{}" line="{line}""#,
                xml::attribute(&self.file)
            )?;
        }
        match &self.state {
            CaseState::Passed => return writeln!(out, "/>"),
            CaseState::Skipped(why) => writeln!(
                out,
                ">\n      <skipped message=\"{}\"/>",
                xml::attribute(why)
            )?,
            CaseState::Failed(message, details) => {
                let (message, details) = (xml::attribute(message), xml::text(details));
                writeln!(
                    out,
                    ">\n      <failure message=\"{message}\">{details}</failure>"
                )?;
            }
        }
        writeln!(out, "    </testcase>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_targets::relabel_test::run::TestResult;

    #[test]
    fn a_report_counts_and_tells_failures() {
        let tested = |name: &str, failures: &[&str]| Tested {
            name: name.to_owned(),
            line: 3,
            outcome: TestResult {
                failures: failures.iter().map(|text| (*text).to_owned()).collect(),
                differing: None,
            },
        };
        let tests = vec![tested("good", &[]), tested("<bad> \u{1}", &["a > b", "c"])];
        let mut out = Vec::new();
        write(
            &[FileResults {
                file: "a&b.yaml".to_owned(),
                tests,
            }],
            None,
            &mut out,
        )
        .unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="promgen" tests="2" failures="1" errors="0">
          <testsuite name="a&amp;b.yaml" tests="2" failures="1" errors="0" skipped="0">
            <testcase name="good" classname="a&amp;b.yaml" file="a&amp;b.yaml" line="3"/>
            <testcase name="&lt;bad&gt; ␁" classname="a&amp;b.yaml" file="a&amp;b.yaml" line="3">
              <failure message="a &gt; b">a &gt; b
        c</failure>
            </testcase>
          </testsuite>
        </testsuites>
        "#);
    }
}
