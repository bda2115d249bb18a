//! Findings as a code quality report of GitLab, a part of the format of Code Climate.
//!
//! In: findings whose places are resolved. Out: an array with an object each. GitLab requires a file and a line, and shows
//! nothing of a report with an object that lacks them: a finding without a place is at line 1 of the first file.

use std::io;

use serde::Serialize;

use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, escape, fingerprint};
use crate::source::Sources;

#[derive(Serialize)]
struct Issue<'d> {
    description: String,
    check_name: &'d str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'d>,
}

#[derive(Serialize)]
struct Location<'d> {
    path: &'d str,
    lines: FindingLines,
}

#[derive(Serialize)]
struct FindingLines {
    begin: usize,
    end: usize,
}

/// Writes findings as one array, with a line break at its end.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let known_by = fingerprint::fingerprints(diagnostics, sources);
    let issues: Vec<_> = diagnostics
        .iter()
        .zip(known_by)
        .map(|(d, known_by)| issue(d, known_by, sources))
        .collect();
    escape::write_json(&issues, out)
}

fn issue<'d>(diagnostic: &'d Diagnostic, fingerprint: String, sources: &'d Sources) -> Issue<'d> {
    let help = diagnostic
        .help
        .iter()
        .map(|help| format!(" (help: {help})"));
    let description = std::iter::once(diagnostic.message.clone())
        .chain(help)
        .collect::<String>();
    Issue {
        description: format!("{}: {}", diagnostic.rule.code, escape::line(&description)),
        check_name: match diagnostic.rule.is_policy() {
            true => &diagnostic.rule.code,
            false => &diagnostic.rule.name,
        },
        fingerprint,
        severity: severity(diagnostic.level),
        location: location(Region::of(diagnostic, sources), sources),
    }
}

const fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "critical",
        Level::Warning => "minor",
        Level::Info => "info",
    }
}

fn location<'d>(region: Option<Region<'d>>, sources: &'d Sources) -> Location<'d> {
    let first = || {
        sources
            .files()
            .next()
            .map_or("-", |(_, file)| file.name.as_str())
    };
    let (path, begin, end) = match region {
        Some(Region { file, start, end }) => (file, start.line, end.line),
        None => (first(), 1, 1),
    };
    // GitLab compares the path with those of the repository, which have no `./`.
    Location {
        path: path.strip_prefix("./").unwrap_or(path),
        lines: FindingLines { begin, end },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    #[test]
    fn every_finding_has_a_line_and_a_fingerprint_of_its_own() {
        let (mut diagnostics, sources) = sample::findings();
        diagnostics.push(diagnostics[1].clone());
        let mut out = Vec::new();
        write(&diagnostics, &sources, &mut out).unwrap();
        let issues: Vec<serde_json::Value> = serde_json::from_slice(&out).unwrap();
        assert_eq!(issues[0]["severity"], "info");
        assert_eq!(issues[0]["location"]["lines"]["begin"], 1);
        let idle = &issues[1];
        assert_eq!(
            idle["description"],
            "PG999: shard 9 is idle (help: use 9) (help: or 12)"
        );
        assert_eq!(
            (&idle["check_name"], &idle["severity"]),
            (&"test-rule".into(), &"minor".into())
        );
        assert_eq!(idle["location"]["path"], "my folder/prometheus.yaml");
        assert_eq!(idle["location"]["lines"]["begin"], 2);
        assert_eq!(issues[2]["severity"], "critical");
        let fingerprints: std::collections::BTreeSet<_> =
            issues.iter().map(|i| i["fingerprint"].as_str()).collect();
        assert_eq!(fingerprints.len(), 4, "{fingerprints:?}");
    }
}
