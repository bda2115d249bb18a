//! The findings of the page, with excerpts of their sources. Lines that hold a secret, or may hold one, are not shown.

use serde::Serialize;

use crate::cli::write::page::changes::Marks;
use crate::cli::write::page::{Cut, cut};
use promgen_compile::output::Output;
use promgen_driver::Project;
use promgen_text::diag::count::counted;
use promgen_text::diag::region::Region;
use promgen_text::diag::{Diagnostic, Level, fingerprint};
use promgen_text::sorted::SortedSet;
use promgen_text::source::{SourceFile, Sources, Span};

/// The most findings that are shown, and of these with their source.
const MAX_FINDINGS: usize = 1_000;

/// The lines around a finding, and the most of those that it marks.
const AROUND: usize = 2;
const MAX_MARKED: usize = 6;

/// The longest part of a line that is shown, in characters.
const MAX_LINE: usize = 240;

/// All findings.
#[derive(Debug, Serialize)]
pub(super) struct FindingsPart {
    pub(super) n_errors: usize,
    n_warnings: usize,
    n_infos: usize,
    all: Vec<FindingPart>,
    cut: Option<Cut>,
}

/// A finding.
#[derive(Debug, Serialize)]
struct FindingPart {
    id: String,
    code: &'static str,
    rule: &'static str,
    level: &'static str,
    message: String,
    resource: String,
    place: String,
    help: Vec<String>,
    related: Vec<String>,
    lines: Vec<ExcerptLine>,
    is_new: bool,
}

/// A line of a source.
#[derive(Debug, PartialEq, Serialize)]
struct ExcerptLine {
    number: usize,
    text: String,
    is_marked: bool,
    is_hidden: bool,
}

impl FindingsPart {
    /// The findings that are no errors, counted.
    pub(super) fn others(&self) -> String {
        format!("{}, {}", counted(self.n_warnings, "warning"), counted(self.n_infos, "info"))
    }
}

/// The part about findings: the gravest first.
pub(super) fn part(linted: &Output, project: &Project, marks: &Marks) -> FindingsPart {
    let Output { diagnostics, sources, .. } = linted;
    let count = |level: Level| diagnostics.iter().filter(|found| found.level == level).count();
    let hidden = project.hidden_lines();
    let ids = fingerprint::fingerprints(diagnostics, sources);
    let mut all: Vec<(&Diagnostic, String)> = diagnostics.iter().zip(ids).collect();
    all.sort_by_key(|(found, _)| std::cmp::Reverse(found.level));
    let shown: Vec<_> =
        all.into_iter().take(MAX_FINDINGS).map(|(d, id)| of(d, &id, (sources, &hidden), marks)).collect();
    FindingsPart {
        n_errors: count(Level::Error),
        n_warnings: count(Level::Warning),
        n_infos: count(Level::Info),
        cut: cut(shown.len(), diagnostics.len(), "promgen lint"),
        all: shown,
    }
}

fn of(found: &Diagnostic, id: &str, (sources, hidden): (&Sources, &[SortedSet<usize>]), marks: &Marks) -> FindingPart {
    let region = Region::of(found, sources);
    FindingPart {
        id: format!("finding-{}", id.replace(':', "-")),
        code: found.rule.code,
        rule: found.rule.name,
        level: match found.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
        },
        message: found.message.clone(),
        resource: found.resource.as_ref().map(ToString::to_string).unwrap_or_default(),
        place: region.map(|Region { file, start, .. }| format!("{file}:{start}")).unwrap_or_default(),
        help: found.help.clone(),
        related: Region::related_texts(found, sources).collect(),
        lines: found.span.filter(|_| !found.is_hidden).map_or_else(Vec::new, |span| excerpt(span, sources, hidden)),
        is_new: marks.is_new(found, region),
    }
}

/// The lines of a finding, and those around.
fn excerpt(span: Span, sources: &Sources, hidden: &[SortedSet<usize>]) -> Vec<ExcerptLine> {
    let file = sources.file(span.file);
    // What is rendered by others is in no input, and no line of it is known to be harmless.
    let Some(hidden) = hidden.get(span.file.0 as usize) else { return Vec::new() };
    let (first, last) = (sources.start(span).line, sources.end(span).line);
    let last = last.max(first).min(first + MAX_MARKED - 1);
    let from = first.saturating_sub(AROUND).max(1);
    let all = (from..=last + AROUND).map_while(|number| line(file, number));
    let lines = all.zip(from..).map(|(text, number)| {
        let is_hidden = hidden.contains(&number);
        let text = if is_hidden { String::new() } else { text };
        ExcerptLine { number, text, is_marked: (first..=last).contains(&number), is_hidden }
    });
    lines.collect()
}

/// A line without its end, cut if it is long. None past the last line.
fn line(file: &SourceFile, number: usize) -> Option<String> {
    let range = file.line_range(number);
    if range.is_empty() {
        return None;
    }
    let text = file.text.get(range)?.trim_end_matches(['\n', '\r']);
    let mut chars = text.chars();
    let mut shown: String = chars.by_ref().take(MAX_LINE).collect();
    if chars.next().is_some() {
        shown.push('…');
    }
    Some(shown.replace('\t', "    "))
}
