//! Test results as JUnit XML.
//!
//! A file is a suite, a test is a case. Times are omitted, so that the report is reproducible.

use std::io::{self, Write};

use crate::cli::check::test::print::lines;
use crate::cli::check::test::{FileResults, Tested};
use promgen_text::diag::format::xml;

/// Writes the report.
pub(super) fn write(reports: &[FileResults], out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<&Tested> = reports.iter().flat_map(|report| &report.tests).collect();
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="promgen" tests="{}" failures="{}" errors="0">"#, all.len(), failed(&all))?;
    for report in reports {
        let tests: Vec<&Tested> = report.tests.iter().collect();
        let (file, n, n_failed) = (xml::attribute(&report.file), tests.len(), failed(&tests));
        writeln!(out, r#"  <testsuite name="{file}" tests="{n}" failures="{n_failed}" errors="0" skipped="0">"#)?;
        for tested in tests {
            case(tested, &file, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn failed(tests: &[&Tested]) -> usize {
    tests.iter().filter(|tested| !tested.outcome.passed()).count()
}

fn case(tested: &Tested, file: &str, out: &mut dyn Write) -> io::Result<()> {
    let (name, line) = (xml::attribute(&tested.name), tested.line);
    write!(out, r#"    <testcase name="{name}" classname="{file}" file="{file}" line="{line}""#)?;
    if tested.outcome.passed() {
        return writeln!(out, "/>");
    }
    let message = tested.outcome.failures.first().map(|failure| xml::attribute(failure)).unwrap_or_default();
    writeln!(out, ">")?;
    let lines = lines(&tested.outcome).join("\n");
    writeln!(out, r#"      <failure message="{message}">{}</failure>"#, xml::text(&lines))?;
    writeln!(out, "    </testcase>")
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
            outcome: TestResult { failures: failures.iter().map(|text| (*text).to_owned()).collect(), differing: None },
        };
        let tests = vec![tested("good", &[]), tested("<bad> \u{1}", &["a > b", "c"])];
        let mut out = Vec::new();
        write(&[FileResults { file: "a&b.yaml".to_owned(), tests }], &mut out).unwrap();
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
