//! Findings as JSON, for programs.
//!
//! In: findings whose places are resolved. Out: a list of them in an [`Envelope`], an object each, with the same keys in the same order. `file`, `line`,
//! `column`, `endLine` and `endColumn` are null together where a finding has no place, `help` where there is no advice,
//! `resource` where it is about none, and its `namespace` for kinds that live in none. `related` holds the other places. Lines and columns count from 1,
//! columns in characters; the end is one past the last character.

use std::io;

use serde::Serialize;

use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, Subject, escape};
use crate::source::Sources;

/// The version of the format. It grows when a key goes or means something else; a new key does not change it.
pub const VERSION: u32 = 1;

crate::answers! {
    (Debug, Serialize) (pub)

    /// An output with what all have on top.
    Envelope<T> {
        /// The version of the format. It grows when a key goes or means something else.
        version: u32,
        /// The command that prints it.
        command: &'static str,
        /// The output.
        #[serde(flatten)]
        output: T,
    }

    /// The output of `lint`.
    Findings<'d> {
        /// The findings.
        findings: Vec<Finding<'d>>,
    }

    /// A finding. Keys that do not apply are null.
    Finding<'d> {
        /// The code of the rule, which never changes: PG201.
        code: &'d str,
        /// The name of the rule: idle-shard.
        rule: &'d str,
        /// The severity, as configured.
        level: Level,
        /// The fault, in one line.
        message: &'d str,
        /// The remedy.
        help: Option<String>,
        /// The file, as named on the command line or relative to the current folder.
        file: Option<&'d str>,
        /// The line of its start, from 1.
        line: Option<usize>,
        /// The column of its start in characters, from 1.
        column: Option<usize>,
        /// The line of its end.
        end_line: Option<usize>,
        /// One past its last column.
        end_column: Option<usize>,
        /// The resource that it is about.
        resource: Option<JsonResource<'d>>,
        /// Other places that belong to it.
        related: Vec<JsonPlace<'d>>,
    }

    /// Another place that belongs to a finding.
    JsonPlace<'d> as "RelatedPlace" {
        /// What is there.
        message: &'d str,
        /// The file.
        file: &'d str,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
    }

    /// The resource that a finding is about.
    JsonResource<'d> as "Resource" {
        /// Its kind.
        kind: &'static str,
        /// Its namespace; null for kinds that are in none.
        namespace: Option<&'d str>,
        /// Its name.
        name: &'d str,
    }
}

impl<'d> Finding<'d> {
    /// The finding, whose places are resolved to spans.
    #[must_use]
    pub fn new(diagnostic: &'d Diagnostic, sources: &'d Sources) -> Self {
        let region = Region::of(diagnostic, sources);
        Self {
            code: &diagnostic.rule.code,
            rule: &diagnostic.rule.name,
            level: diagnostic.level,
            message: &diagnostic.message,
            help: (!diagnostic.help.is_empty()).then(|| diagnostic.help.join("\n")),
            file: region.map(|r| r.file),
            line: region.map(|r| r.start.line),
            column: region.map(|r| r.start.column),
            end_line: region.map(|r| r.end.line),
            end_column: region.map(|r| r.end.column),
            resource: diagnostic.resource.as_ref().map(JsonResource::new),
            related: Region::related(diagnostic, sources)
                .map(JsonPlace::new)
                .collect(),
        }
    }
}

impl<'d> JsonPlace<'d> {
    fn new((message, Region { file, start, .. }): (&'d str, Region<'d>)) -> Self {
        Self {
            message,
            file,
            line: start.line,
            column: start.column,
        }
    }
}

impl<'d> JsonResource<'d> {
    fn new(subject: &'d Subject) -> Self {
        let Subject {
            kind,
            namespace,
            name,
        } = subject;
        Self {
            kind,
            namespace: Some(namespace.as_str()).filter(|n| !n.is_empty()),
            name,
        }
    }
}

/// Writes findings as one object, with a line break at its end.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let findings = diagnostics
        .iter()
        .map(|diagnostic| Finding::new(diagnostic, sources))
        .collect();
    escape::write_json(
        &Envelope {
            version: VERSION,
            command: "lint",
            output: Findings { findings },
        },
        out,
    )
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
        let written: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(
            (&written["version"], &written["command"]),
            (&1.into(), &"lint".into())
        );
        let found = &written["findings"];
        let keys = |i: usize| {
            found[i]
                .as_object()
                .unwrap()
                .keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            keys(0),
            "code rule level message help file line column endLine endColumn resource related"
        );
        assert_eq!(keys(0), keys(1));
        assert_eq!(found[0]["file"], serde_json::Value::Null);
        assert_eq!(
            (&found[1]["line"], &found[1]["column"]),
            (&2.into(), &11.into())
        );
        assert_eq!(
            (&found[1]["endLine"], &found[1]["endColumn"]),
            (&2.into(), &13.into())
        );
        assert_eq!(
            found[1]["resource"],
            serde_json::json!({"kind": "Prometheus", "namespace": "default", "name": "k8s"})
        );
    }
}
