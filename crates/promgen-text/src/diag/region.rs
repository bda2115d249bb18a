//! The place of a finding, for machine-readable formats.

use crate::diag::Diagnostic;
use crate::source::{Position, Sources, Span};

/// A part of a file, from its first character to one past its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region<'s> {
    /// The name of the file.
    pub file: &'s str,
    /// Line and column of the first character.
    pub start: Position,
    /// Line and column behind the last character. The same as `start` where a place has no length.
    pub end: Position,
}

impl<'s> Region<'s> {
    /// The region of a span.
    #[must_use]
    pub fn new(span: Span, sources: &'s Sources) -> Self {
        let start = sources.start(span);
        Self {
            file: &sources.file(span.file).name,
            start,
            end: sources.end(span).max(start),
        }
    }

    /// The other places of a finding, each with its text.
    pub fn related<'d: 's>(
        diagnostic: &'d Diagnostic,
        sources: &'s Sources,
    ) -> impl Iterator<Item = (&'d str, Self)> {
        let related = diagnostic.related_spans.iter().zip(&diagnostic.related);
        related.map(|(span, (_, text))| (text.as_str(), Self::new(*span, sources)))
    }

    /// The related places as texts: `first here: a.yaml:3:4`.
    pub fn related_texts(
        diagnostic: &'s Diagnostic,
        sources: &'s Sources,
    ) -> impl Iterator<Item = String> {
        Self::related(diagnostic, sources)
            .map(|(text, Region { file, start, .. })| format!("{text}: {file}:{start}"))
    }

    /// The place of a finding. None if it has no place in any text.
    #[must_use]
    pub fn of(diagnostic: &Diagnostic, sources: &'s Sources) -> Option<Self> {
        diagnostic.span.map(|span| Self::new(span, sources))
    }
}
