//! The findings of the page, with excerpts of their sources. Lines that hold a secret, or may hold one, are not shown.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::cli::json::answers;
use crate::cli::write::page::changes::Marks;
use crate::cli::write::page::{Cut, cut};
use promgen_compile::output::Output;
use promgen_model::Project;
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::diag::format::json::Finding;
use promgen_text::diag::region::Region;
use promgen_text::diag::{Diagnostic, Level, fingerprint};
use promgen_text::source::{FileId, SourceFile, Sources, Span};

/// The most findings that are shown, and of these with their source.
const MAX_FINDINGS: usize = 1_000;

/// The lines around a finding, and the most of those that it marks.
const AROUND: usize = 2;
const MAX_MARKED: usize = 6;

/// The longest part of a line that is shown, in characters.
const MAX_LINE: usize = 240;

answers! {
    /// All findings.
    FindingsPart<'a> as "ReportFindings" {
        /// The number of errors.
        n_errors: usize,
        /// The number of warnings.
        n_warnings: usize,
        /// The number of infos.
        n_infos: usize,
        /// The findings, the gravest first.
        all: Vec<FindingPart<'a>>,
        /// The note that these are cut.
        cut: Option<Cut>,
    }

    /// A finding.
    FindingPart<'a> as "ReportFinding" {
        /// Its link in the page.
        id: String,
        #[serde(flatten)]
        finding: Finding<'a>,
        /// The lines that it is about, and some around them. None where they may hold a secret.
        lines: Vec<ExcerptLine>,
        /// Whether the base lacks it.
        is_new: bool,
    }

    /// A line of a source.
    #[derive(PartialEq)]
    ExcerptLine as "SourceLine" {
        /// Its number, from 1.
        number: usize,
        /// Its text, cut if it is long.
        text: String,
        /// Whether the finding is about it.
        is_marked: bool,
        /// Whether it may hold a secret: it has no text then.
        is_hidden: bool,
    }
}

impl FindingsPart<'_> {
    /// The findings that are no errors, counted.
    pub(super) fn others(&self) -> String {
        format!(
            "{}, {}",
            counted(self.n_warnings, "warning"),
            counted(self.n_infos, "info")
        )
    }
}

/// The part about findings: the gravest first.
pub(super) fn part<'a>(linted: &'a Output, project: &Project, marks: &Marks) -> FindingsPart<'a> {
    let Output {
        diagnostics,
        sources,
        ..
    } = linted;
    let count = |level: Level| {
        diagnostics
            .iter()
            .filter(|found| found.level == level)
            .count()
    };
    let ids = fingerprint::fingerprints(diagnostics, sources);
    let mut all: Vec<(&Diagnostic, String)> = diagnostics.iter().zip(ids).collect();
    all.sort_by_key(|(found, _)| std::cmp::Reverse(found.level));
    all.truncate(MAX_FINDINGS);
    // What is rendered by others is in no input, and no line of it is known to be harmless.
    let shown_of = |found: &Diagnostic| {
        found
            .span
            .filter(|span| !found.is_hidden && project.is_input(span.file))
    };
    let spans = all.iter().filter_map(|(found, _)| shown_of(found));
    let wanted = spans
        .flat_map(|span| shown_lines(span, sources).map(move |line| (span.file, line)))
        .collect_set();
    let hidden = project.hidden_among(&wanted);
    let shown = all.into_iter().map(|(found, id)| {
        let lines = shown_of(found).map_or_else(Vec::new, |span| excerpt(span, sources, &hidden));
        of(found, &id, sources, lines, marks)
    });
    let shown: Vec<_> = shown.collect();
    FindingsPart {
        n_errors: count(Level::Error),
        n_warnings: count(Level::Warning),
        n_infos: count(Level::Info),
        cut: cut(shown.len(), diagnostics.len(), "promgen lint"),
        all: shown,
    }
}

fn of<'a>(
    found: &'a Diagnostic,
    id: &str,
    sources: &'a Sources,
    lines: Vec<ExcerptLine>,
    marks: &Marks,
) -> FindingPart<'a> {
    FindingPart {
        id: format!("finding-{}", id.replace(':', "-")),
        finding: Finding::new(found, sources),
        lines,
        is_new: marks.is_new(found, Region::of(found, sources)),
    }
}

/// Lines that are not shown.
type HiddenLines = BTreeSet<(FileId, usize)>;

/// The first and the last line that a finding marks.
fn marked(span: Span, sources: &Sources) -> (usize, usize) {
    let (first, last) = (sources.start(span).line, sources.end(span).line);
    (first, last.max(first).min(first + MAX_MARKED - 1))
}

/// The lines of a finding, and those around.
fn shown_lines(span: Span, sources: &Sources) -> RangeInclusive<usize> {
    let (first, last) = marked(span, sources);
    first.saturating_sub(AROUND).max(1)..=last + AROUND
}

fn excerpt(span: Span, sources: &Sources, hidden: &HiddenLines) -> Vec<ExcerptLine> {
    let file = sources.file(span.file);
    let (first, last) = marked(span, sources);
    let all = shown_lines(span, sources).map_while(|number| Some((number, line(file, number)?)));
    let lines = all.map(|(number, text)| {
        let is_hidden = hidden.contains(&(span.file, number));
        let text = if is_hidden { String::new() } else { text };
        ExcerptLine {
            number,
            text,
            is_marked: (first..=last).contains(&number),
            is_hidden,
        }
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
