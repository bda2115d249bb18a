//! The questions of an editor: places as it counts them, the fixes at a place, and what is known of what stands there.
//!
//! Lines and columns count from 0, and columns count UTF-16 code units, as the language server protocol does.

pub mod about;
pub mod complete;
pub mod cursor;
pub mod fields;
pub mod links;
pub mod lookup;
pub mod outline;
pub mod symbols;

use std::ops::RangeInclusive;

use promgen_resources::locate::fix::holds;
use promgen_text::diag::Diagnostic;
use promgen_text::diag::fix::Fix;
use promgen_text::source::{FileId, Sources, Span};

/// A place as an editor counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct EditorPosition {
    /// Line, from 0.
    pub line: usize,
    /// Column in UTF-16 code units, from 0.
    pub character: usize,
}

/// Where a span starts, and where it ends: one past its last character.
#[must_use]
pub fn range(span: Span, sources: &Sources) -> [EditorPosition; 2] {
    let start = position(span.file, span.start, sources);
    [start, position(span.file, span.end, sources).max(start)]
}

fn position(file: FileId, offset: u32, sources: &Sources) -> EditorPosition {
    let file = sources.file(file);
    let offset = (offset as usize).min(file.text.len());
    let line = file.line_of(u32::try_from(offset).unwrap_or(u32::MAX));
    let before = file
        .text
        .as_bytes()
        .get(file.line_range(line).start..offset)
        .unwrap_or_default();
    let character = String::from_utf8_lossy(before).encode_utf16().count();
    EditorPosition {
        line: line - 1,
        character,
    }
}

/// The findings of a file that touch some lines, counted from 0.
pub fn at<'d>(
    diagnostics: &'d [Diagnostic],
    name: &'d str,
    lines: RangeInclusive<usize>,
    sources: &'d Sources,
) -> impl Iterator<Item = (&'d Diagnostic, Span)> {
    let touches = move |span: Span| {
        let [start, end] = range(span, sources);
        sources.file(span.file).name == name
            && start.line <= *lines.end()
            && end.line >= *lines.start()
    };
    diagnostics.iter().filter_map(move |found| {
        found
            .span
            .filter(|span| touches(*span))
            .map(|span| (found, span))
    })
}

/// The fix of a finding, if it results in the wanted document. As with `lint --fix`.
#[must_use]
pub fn fix<'d>(diagnostic: &'d Diagnostic, sources: &Sources) -> Option<&'d Fix> {
    let fix = diagnostic.fix.as_deref()?;
    let file = fix.edits.first()?.span.file;
    let is_in_one_file = fix.edits.iter().all(|edit| edit.span.file == file);
    (is_in_one_file && holds(&sources.file(file).text, std::iter::once(fix))).then_some(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf_16() {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), "a: 1\né: 😀 x\n".into());
        let [start, end] = range(Span::new(file, 14, 15), &sources);
        assert_eq!((start.line, start.character, end.character), (1, 6, 7));
        let [_, past] = range(Span::new(file, 0, 400), &sources);
        assert_eq!((past.line, past.character), (2, 0));
    }
}
