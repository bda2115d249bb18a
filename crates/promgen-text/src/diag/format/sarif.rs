//! Findings as SARIF 2.1.0, the format of code scanning.
//!
//! In: findings whose places are resolved, those that the user allows apart. Out: one run, with the rules that occur in
//! it. Columns count characters; a finding is known again by its fingerprint, though lines move. Files are named relative
//! to the folder of the run, as URIs.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde_json::{Value, json};

use crate::CollectOrdered;
use crate::diag::fingerprint::fingerprints;
use crate::diag::fix::Fix;
use crate::diag::region::Region;
use crate::diag::{Diagnostic, Level, LintRule, RuleRef, escape};
use crate::go::url::percent_encoded;
use crate::source::{Sources, Span};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name and version of what makes our fingerprints.
const FINGERPRINT: &str = "promgen/v1";

/// The maximum number of results of a run: code scanning refuses a log with more.
const MAX_RESULTS: usize = 25_000;

/// The gravest findings up to a number, in their order.
fn gravest(diagnostics: &[Diagnostic], limit: usize) -> Vec<&Diagnostic> {
    let count = |least: Level| {
        diagnostics
            .iter()
            .filter(|found| found.level >= least)
            .count()
    };
    let Some(least) = [Level::Info, Level::Warning, Level::Error]
        .into_iter()
        .find(|level| count(*level) <= limit)
    else {
        return diagnostics
            .iter()
            .filter(|found| found.level == Level::Error)
            .take(limit)
            .collect();
    };
    let mut left = limit - count(least);
    let is_chosen = |found: &&Diagnostic| {
        let next = match least {
            Level::Error => Some(Level::Warning),
            Level::Warning => Some(Level::Info),
            Level::Info => None,
        };
        let fits = Some(found.level) == next && left > 0;
        left -= usize::from(fits);
        found.level >= least || fits
    };
    diagnostics.iter().filter(is_chosen).collect()
}

/// Writes a log of one run.
///
/// # Errors
/// The error of the writer.
pub fn write(
    diagnostics: &[Diagnostic],
    suppressed: &[Diagnostic],
    sources: &Sources,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let diagnostics = gravest(diagnostics, MAX_RESULTS);
    let suppressed = gravest(suppressed, MAX_RESULTS - diagnostics.len());
    let all = diagnostics
        .iter()
        .chain(&suppressed)
        .map(|diagnostic| &diagnostic.rule);
    let rules: BTreeSet<&RuleRef> = all.collect_set();
    let index: BTreeMap<&RuleRef, usize> = rules.iter().copied().zip(0..).collect_map();
    let results = |diagnostics: &[&Diagnostic]| -> Vec<Value> {
        let known_by = fingerprints(diagnostics.iter().copied(), sources);
        let pairs = diagnostics.iter().zip(known_by);
        pairs
            .map(|(diagnostic, known_by)| {
                result(diagnostic, index[&diagnostic.rule], &known_by, sources)
            })
            .collect()
    };
    let mut all = results(&diagnostics);
    all.extend(results(&suppressed).into_iter().map(|mut result| {
        result["suppressions"] = json!([{ "kind": "inSource" }]);
        result
    }));
    let driver = json!({
        "name": "promgen",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
    });
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "unicodeCodePoints", "results": all }],
    });
    escape::write_json(&log, out)
}

const fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

fn descriptor(rule: &LintRule) -> Value {
    let explanation = rule.lines().collect::<Vec<_>>().join("\n");
    let mut descriptor = json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": what_it_does(rule) },
        "helpUri": rule.url(),
        "help": { "text": explanation, "markdown": explanation },
        "defaultConfiguration": { "level": level(rule.level) },
        "properties": { "since": rule.since },
    });
    // A policy has neither a page nor a version.
    if let (true, Some(keys)) = (rule.is_policy(), descriptor.as_object_mut()) {
        keys.retain(|key, _| !matches!(key.as_str(), "helpUri" | "properties"));
    }
    descriptor
}

/// The first section of the explanation, as one line.
fn what_it_does(rule: &LintRule) -> String {
    let section = rule
        .lines()
        .skip_while(|line| line.starts_with('#') || line.is_empty());
    section
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn result(diagnostic: &Diagnostic, rule_index: usize, known_by: &str, sources: &Sources) -> Value {
    let help = diagnostic.help.iter().map(|help| format!("help: {help}"));
    let text = std::iter::once(diagnostic.message.clone())
        .chain(help)
        .collect::<Vec<_>>()
        .join("\n");
    let mut result = json!({
        "ruleId": diagnostic.rule.code,
        "ruleIndex": rule_index,
        "level": level(diagnostic.level),
        "message": { "text": message(&text) },
        "locations": locations(diagnostic, sources),
        "partialFingerprints": { FINGERPRINT: known_by },
    });
    let related = related(diagnostic, sources);
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    // A change may repeat what it replaces.
    if let Some(fix) = diagnostic.fix.as_ref().filter(|_| !diagnostic.is_hidden) {
        result["fixes"] = json!([fixed(fix, sources)]);
    }
    result
}

/// The text of a message, in which brackets would be a link (SARIF 2.1.0, 3.11.6).
fn message(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('[', "\\[")
        .replace(']', "\\]")
}

fn locations(diagnostic: &Diagnostic, sources: &Sources) -> Vec<Value> {
    let physical = diagnostic.span.map(|span| physical(span, sources));
    let logical = diagnostic.resource.as_ref().map(
        |resource| json!([{ "name": resource.name, "fullyQualifiedName": resource.to_string(), "kind": "resource" }]),
    );
    let mut location = serde_json::Map::new();
    location.extend(physical.map(|physical| ("physicalLocation".to_owned(), physical)));
    location.extend(logical.map(|logical| ("logicalLocations".to_owned(), logical)));
    if location.is_empty() {
        Vec::new()
    } else {
        vec![location.into()]
    }
}

fn related(diagnostic: &Diagnostic, sources: &Sources) -> Vec<Value> {
    let label = diagnostic.span.zip(diagnostic.label.as_ref());
    let others = diagnostic
        .related_spans
        .iter()
        .copied()
        .zip(diagnostic.related.iter().map(|(_, text)| text));
    let location = |(id, (span, text)): (usize, (Span, &String))| json!({ "id": id, "message": { "text": message(text) }, "physicalLocation": physical(span, sources) });
    label
        .into_iter()
        .chain(others)
        .enumerate()
        .map(location)
        .collect()
}

fn physical(span: Span, sources: &Sources) -> Value {
    let region = Region::new(span, sources);
    json!({ "artifactLocation": { "uri": uri(region.file) }, "region": lines(region) })
}

fn lines(Region { start, end, .. }: Region<'_>) -> Value {
    json!({ "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column })
}

fn fixed(fix: &Fix, sources: &Sources) -> Value {
    let replacement = |edit: &crate::diag::fix::Edit| json!({ "deletedRegion": lines(Region::new(edit.span, sources)), "insertedContent": { "text": edit.text } });
    let file = fix
        .edits
        .first()
        .map_or("", |edit| &sources.file(edit.span.file).name);
    json!({
        "description": { "text": message(&fix.title) },
        "artifactChanges": [{
            "artifactLocation": { "uri": uri(file) },
            "replacements": fix.edits.iter().map(replacement).collect::<Vec<_>>(),
        }],
    })
}

/// A path as a URI: relative as it is, absolute with its scheme.
fn uri(path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!(
        "{scheme}{}",
        percent_encoded(&path.replace('\\', "/"), "/-._~")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::sample;

    fn log() -> Value {
        let (diagnostics, sources) = sample::findings();
        let mut out = Vec::new();
        write(&diagnostics[..2], &diagnostics[2..], &sources, &mut out).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn a_run_has_its_rules_and_results() {
        let log = log();
        let run = &log["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"].as_array().unwrap().len(), 1);
        assert_eq!(
            run["tool"]["driver"]["rules"][0]["fullDescription"]["text"],
            "For tests."
        );
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), 3);
        assert_eq!(
            (&results[0]["level"], &results[0]["locations"]),
            (&json!("note"), &json!([]))
        );
        assert_eq!(
            results[1]["message"]["text"],
            "shard 9 is idle\nhelp: use 9\nhelp: or 12"
        );
        let region = json!({"startLine": 2, "startColumn": 11, "endLine": 2, "endColumn": 13});
        assert_eq!(
            results[1]["locations"][0]["physicalLocation"]["region"],
            region
        );
        assert_eq!(results[1]["relatedLocations"].as_array().unwrap().len(), 2);
        assert!(
            results[1].get("suppressions").is_none()
                && results[2]["suppressions"][0]["kind"] == "inSource"
        );
    }

    #[test]
    fn a_policy_is_a_rule_without_a_page() {
        let (mut found, sources) = sample::findings();
        found[0].rule = sample::policy("x");
        found[2].rule = sample::policy("x");
        let mut out = Vec::new();
        write(&found, &[], &sources, &mut out).unwrap();
        let log: Value = serde_json::from_slice(&out).unwrap();
        let run = &log["runs"][0];
        let of = |key: &str| [0, 1, 2].map(|i| run["results"][i][key].clone());
        assert_eq!(
            of("ruleId"),
            ["policy/x", "PG999", "policy/x"].map(Value::from)
        );
        assert_eq!(of("ruleIndex"), [1, 0, 1].map(Value::from));
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!((rules.len(), &rules[1]["id"]), (2, &json!("policy/x")));
        assert_eq!(rules[1]["fullDescription"]["text"], "For tests.");
        let has_page = |rule: &Value| rule.get("helpUri").is_some();
        assert!(has_page(&rules[0]) && !has_page(&rules[1]));
    }

    #[test]
    fn a_message_has_no_link() {
        assert_eq!(message(r"see [a](b) \d"), r"see \[a\](b) \\d");
    }

    #[test]
    fn files_are_uris() {
        assert_eq!(uri("./my folder/ä%.yaml"), "my%20folder/%C3%A4%25.yaml");
        assert_eq!(uri("/tmp/a.yaml"), "file:///tmp/a.yaml");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("a\\b.yaml"), "a/b.yaml");
    }

    /// What the published schema asks of every result, so that it is seen here too.
    #[test]
    fn whatever_is_required_is_there() {
        let log = log();
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
            assert_eq!(rule["id"], result["ruleId"]);
            assert!(
                ["none", "note", "warning", "error"].contains(&result["level"].as_str().unwrap())
            );
            for location in result["locations"].as_array().unwrap() {
                let Some(region) = location["physicalLocation"].get("region") else {
                    continue;
                };
                assert!(
                    region["startLine"].as_u64().unwrap() >= 1
                        && region["endColumn"].as_u64().unwrap() >= 1
                );
            }
        }
    }
}
