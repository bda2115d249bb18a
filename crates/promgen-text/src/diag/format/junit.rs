//! Findings as a JUnit report, for CI systems that show those.
//!
//! In: findings whose places are resolved, and all files that were looked at. Out: a test suite for each file, with a
//! test case for each finding in it; one that passes for a file without findings. Errors and warnings are failures,
//! infos pass and are in `system-out`. Findings without a place have their own suite.

use std::io;

use crate::diag::escape::line;
use crate::diag::format::xml;
use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level};
use crate::source::Sources;

/// Writes the report.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut by_file: Vec<Vec<&Diagnostic>> = vec![Vec::new(); sources.files().count()];
    let mut placeless = Vec::new();
    for diagnostic in diagnostics {
        match diagnostic.span.and_then(|span| sources.index_of(span.file)) {
            Some(index) => by_file[index].push(diagnostic),
            None => placeless.push(diagnostic),
        }
    }
    let clean = by_file.iter().filter(|found| found.is_empty()).count();
    let (tests, failures) = (
        diagnostics.len() + clean,
        diagnostics.iter().filter(|d| is_failure(d)).count(),
    );
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"promgen lint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">"
    )?;
    if !placeless.is_empty() {
        suite("promgen lint", &placeless, sources, out)?;
    }
    for ((_, file), found) in sources.files().zip(&by_file) {
        suite(&file.name, found, sources, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn is_failure(diagnostic: &Diagnostic) -> bool {
    diagnostic.level >= Level::Warning
}

fn suite(
    name: &str,
    found: &[&Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let failures = found
        .iter()
        .filter(|diagnostic| is_failure(diagnostic))
        .count();
    let (name, tests) = (xml::attribute(name), found.len().max(1));
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">"
    )?;
    if found.is_empty() {
        writeln!(
            out,
            "    <testcase name=\"no findings\" classname=\"{name}\"/>"
        )?;
    }
    found
        .iter()
        .try_for_each(|diagnostic| case(&name, diagnostic, sources, out))?;
    writeln!(out, "  </testsuite>")
}

fn case(
    class: &str,
    diagnostic: &Diagnostic,
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let region = Region::of(diagnostic, sources);
    let title = diagnostic.rule.title();
    let (at, line) = match region {
        Some(Region { start, .. }) => (
            format!(" at {start}"),
            format!(" file=\"{class}\" line=\"{}\"", start.line),
        ),
        None => (String::new(), String::new()),
    };
    writeln!(
        out,
        "    <testcase name=\"{}{at}\" classname=\"{class}\"{line}>",
        xml::attribute(&title)
    )?;
    let (message, details) = (
        xml::attribute(&diagnostic.message),
        details(diagnostic, region, sources),
    );
    let details = xml::text(&details);
    if is_failure(diagnostic) {
        let level = diagnostic.level;
        writeln!(
            out,
            "      <failure type=\"{level}\" message=\"{message}\">{details}</failure>"
        )?;
    } else {
        writeln!(out, "      <system-out>{details}</system-out>")?;
    }
    writeln!(out, "    </testcase>")
}

/// Everything about a finding, a line each.
fn details(diagnostic: &Diagnostic, region: Option<Region<'_>>, sources: &Sources) -> String {
    let related = Region::related_texts(diagnostic, sources).map(|text| line(&text));
    let title = format!(
        "{}[{}]: {}",
        diagnostic.level,
        diagnostic.rule.code,
        line(&diagnostic.message)
    );
    let place = region.map(|Region { file, start, .. }| format!("at {}:{start}", line(file)));
    let resource = diagnostic
        .resource
        .iter()
        .map(|resource| line(&format!("in {resource}")));
    let help = diagnostic
        .help
        .iter()
        .map(|help| line(&format!("help: {help}")));
    std::iter::once(title)
        .chain(place)
        .chain(resource)
        .chain(related)
        .chain(help)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    #[test]
    fn a_file_is_a_suite_and_a_finding_a_case() {
        let (diagnostics, mut sources) = sample::findings();
        sources.add("clean & fine.yaml".into(), "a: 1\n".into());
        let mut out = Vec::new();
        write(&diagnostics, &sources, &mut out).unwrap();
        insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="promgen lint" tests="4" failures="2" errors="0">
          <testsuite name="promgen lint" tests="1" failures="0" errors="0" skipped="0">
            <testcase name="PG999 test-rule" classname="promgen lint">
              <system-out>info[PG999]: nothing to see</system-out>
            </testcase>
          </testsuite>
          <testsuite name="my folder/prometheus.yaml" tests="2" failures="2" errors="0" skipped="0">
            <testcase name="PG999 test-rule at 2:11" classname="my folder/prometheus.yaml" file="my folder/prometheus.yaml" line="2">
              <failure type="warning" message="shard 9 is idle">warning[PG999]: shard 9 is idle
        at my folder/prometheus.yaml:2:11
        in Prometheus/default/k8s
        the zones: my folder/prometheus.yaml:3:3
        help: use 9
        help: or 12</failure>
            </testcase>
            <testcase name="PG999 test-rule at 3:14" classname="my folder/prometheus.yaml" file="my folder/prometheus.yaml" line="3">
              <failure type="error" message="100% of &lt;ä&gt;: &quot;a|b&quot;,&#10;␇::error::no &amp; ]]&gt;">error[PG999]: 100% of &lt;ä&gt;: "a|b", ␇::error::no &amp; ]]&gt;
        at my folder/prometheus.yaml:3:14
        in Prometheus/default/k8s</failure>
            </testcase>
          </testsuite>
          <testsuite name="clean &amp; fine.yaml" tests="1" failures="0" errors="0" skipped="0">
            <testcase name="no findings" classname="clean &amp; fine.yaml"/>
          </testsuite>
        </testsuites>
        "#);
    }
}
