//! Known findings, so that a repository with existing findings only gets reports of new ones.
//!
//! A baseline is a JSON file, with an entry for each kind of finding in a file and its number of occurrences. It does not
//! contain lines, so that findings stay known when they move.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use promgen_text::CollectOrdered;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::{escape, fingerprint};
use promgen_text::source::Sources;

/// The version of the format.
const VERSION: u32 = 1;

/// The maximum count of a finding: more than any run reports, and small enough to add without overflow.
const MAX_COUNT: u64 = u32::MAX as u64;

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    findings: Vec<BaselineEntry>,
}

/// A kind of finding. Only the fingerprint and the count matter; the rest helps the reader of the file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    fingerprint: String,
    count: u64,
    code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    message: String,
}

/// Known findings.
#[derive(Debug, Default)]
pub struct Baseline {
    entries: BTreeMap<String, BaselineEntry>,
}

fn known_by(diagnostic: &Diagnostic, sources: &Sources) -> String {
    format!("{:016x}", fingerprint::hash(diagnostic, sources))
}

impl Baseline {
    /// Reads a baseline.
    ///
    /// # Errors
    /// Why the text is not a baseline.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: BaselineFile =
            serde_json::from_str(text).map_err(|error| format!("not a baseline: {error}"))?;
        if file.version != VERSION {
            return Err(format!(
                "a baseline of version {}; expected version {VERSION}",
                file.version
            ));
        }
        if let Some(entry) = file.findings.iter().find(|entry| entry.count > MAX_COUNT) {
            let (count, fingerprint) = (entry.count, &entry.fingerprint);
            return Err(format!(
                "not a baseline: the count {count} of `{fingerprint}` is more than {MAX_COUNT}"
            ));
        }
        let entries = file
            .findings
            .into_iter()
            .map(|entry| (entry.fingerprint.clone(), entry))
            .collect_map();
        Ok(Self { entries })
    }

    /// The baseline of these findings.
    pub fn of(diagnostics: &[Diagnostic], sources: &Sources) -> Self {
        let mut entries: BTreeMap<String, BaselineEntry> = BTreeMap::new();
        for diagnostic in diagnostics {
            let fingerprint = known_by(diagnostic, sources);
            let entry = entries
                .entry(fingerprint.clone())
                .or_insert_with(|| BaselineEntry {
                    fingerprint,
                    count: 0,
                    code: diagnostic.rule.code.to_string(),
                    file: diagnostic
                        .span
                        .map(|span| sources.file(span.file).name.clone()),
                    resource: diagnostic.resource.as_ref().map(ToString::to_string),
                    message: diagnostic.message.clone(),
                });
            entry.count += 1;
        }
        Self { entries }
    }

    /// Removes the known findings, and returns them.
    pub fn take(&self, diagnostics: &mut Vec<Diagnostic>, sources: &Sources) -> Vec<Diagnostic> {
        let mut left: BTreeMap<&str, u64> = self
            .entries
            .iter()
            .map(|(key, entry)| (key.as_str(), entry.count))
            .collect_map();
        let is_known =
            |diagnostic: &Diagnostic| match left.get_mut(known_by(diagnostic, sources).as_str()) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    true
                }
                _ => false,
            };
        let (known, new) = std::mem::take(diagnostics).into_iter().partition(is_known);
        *diagnostics = new;
        known
    }

    /// The number of findings.
    pub fn count(&self) -> u64 {
        self.entries.values().map(|entry| entry.count).sum()
    }

    /// Writes it, sorted by file, code and message.
    ///
    /// # Errors
    /// The error of the writer.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut findings: Vec<BaselineEntry> = self.entries.values().cloned().collect();
        findings.sort_by(|a, b| {
            let key = |entry: &BaselineEntry| {
                (
                    entry.file.clone(),
                    entry.code.clone(),
                    entry.message.clone(),
                    entry.fingerprint.clone(),
                )
            };
            key(a).cmp(&key(b))
        });
        escape::write_json(
            &BaselineFile {
                version: VERSION,
                findings,
            },
            out,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::sample;

    #[test]
    fn what_is_known_is_taken_out_as_often_as_it_is() {
        let (mut diagnostics, sources) = sample::findings();
        diagnostics[0].rule = sample::policy("x");
        let twice = [
            diagnostics[0].clone(),
            diagnostics[0].clone(),
            diagnostics[1].clone(),
        ];
        let mut text = Vec::new();
        Baseline::of(&twice, &sources).write(&mut text).unwrap();
        let baseline = Baseline::parse(std::str::from_utf8(&text).unwrap()).unwrap();
        assert_eq!(baseline.count(), 3);
        let mut found = vec![
            diagnostics[0].clone(),
            diagnostics[0].clone(),
            diagnostics[0].clone(),
            diagnostics[2].clone(),
        ];
        let known = baseline.take(&mut found, &sources);
        assert_eq!((known.len(), found.len()), (2, 2));
        assert_eq!(found[1].message, diagnostics[2].message);
        found[0].rule = sample::policy("xy");
        assert!(baseline.take(&mut found, &sources).is_empty());
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        let many = |count: &str| {
            let entry = format!(
                "{{\"fingerprint\": \"f\", \"count\": {count}, \"code\": \"c\", \"message\": \"m\"}}"
            );
            Baseline::parse(&format!("{{\"version\": 1, \"findings\": [{entry}]}}"))
        };
        let refused =
            "not a baseline: the count 9223372036854775808 of `f` is more than 4294967295";
        assert_eq!(many("9223372036854775808").unwrap_err(), refused);
        assert!(
            many("4294967295").is_ok()
                && many("18446744073709551616").is_err()
                && many("-1").is_err()
        );
        for text in [
            "",
            "[]",
            "{\"version\": 2, \"findings\": []}",
            "{\"version\": 1, \"findings\": [], \"more\": 1}",
        ] {
            assert!(Baseline::parse(text).is_err(), "{text}");
        }
        assert_eq!(
            Baseline::parse("{\"version\": 1, \"findings\": []}")
                .unwrap()
                .count(),
            0
        );
    }
}
