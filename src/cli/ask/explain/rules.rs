//! The documentation of rules.

use std::io::{self, Write};

use crate::cli::ask::explain::answer::{Explained, ExplainedRule};
use crate::cli::json;
use crate::cli::table::aligned;
use promgen_checks::rules;
use promgen_text::diag::pattern::RulePattern;
use promgen_text::diag::{LintRule, RuleRef};

/// One rule, as a text.
pub(super) fn one(rule: &LintRule, out: &mut dyn Write) -> io::Result<()> {
    let (title, summary) = (rule.title(), &rule.summary);
    writeln!(out, "{title} ({}): {summary}\n", level(rule))?;
    explanation(rule, out, "")
}

/// The rules of a family, or of a part of one.
pub(super) fn of_family(family: &RulePattern) -> Vec<RuleRef> {
    rules::all()
        .into_iter()
        .filter(|rule| family.matches(rule))
        .collect()
}

/// A line for each rule.
pub(super) fn list(rules: &[RuleRef], out: &mut dyn Write) -> io::Result<()> {
    let row = |rule: &RuleRef| {
        let level = rule.level.to_string();
        [
            &rule.code,
            &*format!("{level:<7}"),
            &rule.name,
            &rule.summary,
        ]
        .map(str::to_owned)
    };
    let rows: Vec<_> = rules.iter().map(row).collect();
    aligned(&rows).try_for_each(|line| writeln!(out, "{line}"))
}

/// One rule, as a section of a page.
pub(super) fn section(rule: &LintRule, out: &mut dyn Write) -> io::Result<()> {
    let (title, summary) = (rule.title(), &rule.summary);
    writeln!(out, "## {title}\n\n*{}*: {summary}\n", level(rule))?;
    explanation(rule, out, "#")
}

/// The level, and how old the rule is, if it is one of promgen.
fn level(rule: &LintRule) -> String {
    match (rule.level, rule.since) {
        (level, "") => level.to_string(),
        (level, since) => format!("{level}, since {since}"),
    }
}

/// The page of rules.
pub(super) fn page(rules: &[RuleRef], out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "# Rules\n\nThe findings of promgen, by family. `promgen rule CODE` prints the same text."
    )?;
    let has_rule = |prefix: &str| rules.iter().any(|rule| rule.code.starts_with(prefix));
    for (prefix, subject) in rules::FAMILIES
        .iter()
        .filter(|(prefix, _)| has_rule(prefix))
    {
        writeln!(
            out,
            "\n## {prefix}: {subject}\n\n| code | name | level | summary |\n|---|---|---|---|"
        )?;
        for LintRule {
            code,
            name,
            level,
            summary,
            ..
        } in rules
            .iter()
            .map(|rule| &**rule)
            .filter(|rule| rule.code.starts_with(prefix))
        {
            writeln!(
                out,
                "| [{code}](#{}-{name}) | {name} | {level} | {summary} |",
                code.to_lowercase()
            )?;
        }
    }
    rules.iter().try_for_each(|rule| {
        writeln!(out)?;
        section(rule, out)
    })
}

/// Rules as JSON.
pub(super) fn json(rules: &[RuleRef], out: &mut dyn Write) -> io::Result<()> {
    let explained = |rule: &RuleRef| ExplainedRule {
        code: rule.code.clone(),
        name: rule.name.clone(),
        level: rule.level,
        since: rule.since,
        summary: rule.summary.clone(),
        documentation: rule.lines().collect::<Vec<_>>().join("\n"),
    };
    let explained = Explained {
        rules: Some(rules.iter().map(explained).collect()),
        ..Explained::default()
    };
    json::write("explain", explained, out)
}

/// The doc comment, with headings moved down by `depth` levels.
fn explanation(rule: &LintRule, out: &mut dyn Write, depth: &str) -> io::Result<()> {
    rule.lines().try_for_each(|line| {
        let depth = if line.starts_with('#') { depth } else { "" };
        writeln!(out, "{depth}{line}")
    })
}
