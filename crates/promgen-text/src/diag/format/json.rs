//! Findings as a JSON array, for programs.
//!
//! In: findings whose places are resolved. Out: an object each, with the same keys in the same order. `file`, `line`,
//! `column`, `endLine` and `endColumn` are null together where a finding has no place, `help` where there is no advice,
//! `resource` where it is about none, and its `namespace` for kinds that live in none. `related` holds the other places. Lines and columns count from 1,
//! columns in characters; the end is one past the last character.

use std::io;

use serde::Serialize;

use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, Subject, escape};
use crate::source::Sources;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'d> {
    code: &'static str,
    rule: &'static str,
    level: Level,
    message: &'d str,
    help: Option<String>,
    file: Option<&'d str>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
    resource: Option<JsonResource<'d>>,
    related: Vec<JsonPlace<'d>>,
}

#[derive(Serialize)]
struct JsonPlace<'d> {
    message: &'d str,
    file: &'d str,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct JsonResource<'d> {
    kind: &'static str,
    namespace: Option<&'d str>,
    name: &'d str,
}

impl<'d> Finding<'d> {
    fn new(diagnostic: &'d Diagnostic, sources: &'d Sources) -> Self {
        let region = Region::of(diagnostic, sources);
        Self {
            code: diagnostic.rule.code,
            rule: diagnostic.rule.name,
            level: diagnostic.level,
            message: &diagnostic.message,
            help: (!diagnostic.help.is_empty()).then(|| diagnostic.help.join("\n")),
            file: region.map(|r| r.file),
            line: region.map(|r| r.start.line),
            column: region.map(|r| r.start.column),
            end_line: region.map(|r| r.end.line),
            end_column: region.map(|r| r.end.column),
            resource: diagnostic.resource.as_ref().map(JsonResource::new),
            related: Region::related(diagnostic, sources).map(JsonPlace::new).collect(),
        }
    }
}

impl<'d> JsonPlace<'d> {
    fn new((message, Region { file, start, .. }): (&'d str, Region<'d>)) -> Self {
        Self { message, file, line: start.line, column: start.column }
    }
}

impl<'d> JsonResource<'d> {
    fn new(subject: &'d Subject) -> Self {
        let Subject { kind, namespace, name } = subject;
        Self { kind, namespace: Some(namespace.as_str()).filter(|n| !n.is_empty()), name }
    }
}

/// Writes findings as one array, with a line break at its end.
///
/// # Errors
/// The error of the writer.
pub fn write(diagnostics: &[Diagnostic], sources: &Sources, out: &mut dyn io::Write) -> io::Result<()> {
    let findings: Vec<_> = diagnostics.iter().map(|diagnostic| Finding::new(diagnostic, sources)).collect();
    escape::write_json(&findings, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    #[test]
    fn every_finding_has_the_same_keys() {
        let (diagnostics, sources) = sample::findings();
        let mut out = Vec::new();
        write(&diagnostics, &sources, &mut out).unwrap();
        let found: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let keys = |i: usize| found[i].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(keys(0), "code rule level message help file line column endLine endColumn resource related");
        assert_eq!(keys(0), keys(1));
        assert_eq!(found[0]["file"], serde_json::Value::Null);
        assert_eq!((&found[1]["line"], &found[1]["column"]), (&2.into(), &11.into()));
        assert_eq!((&found[1]["endLine"], &found[1]["endColumn"]), (&2.into(), &13.into()));
        assert_eq!(
            found[1]["resource"],
            serde_json::json!({"kind": "Prometheus", "namespace": "default", "name": "k8s"})
        );
    }
}
