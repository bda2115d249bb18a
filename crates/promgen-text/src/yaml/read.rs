//! Text to nodes, as Kubernetes reads YAML.
//!
//! In: the text of a file. Out: a tree with places for each document that parses, and diagnostics for the others. Three
//! steps, each a file: `split` cuts the text into documents, `parse` lists on a `tape` what stands in one, `tree` resolves
//! scalars, aliases, merges and duplicate keys as Go does. Documents are parsed in parallel. Memory and recursion are
//! bounded whatever the text is.

mod cursor;
pub mod go;
mod keys;
mod parse;
pub mod scalar;
mod split;
mod syntax;
mod tape;
#[cfg(test)]
mod tests;
mod text;
mod tree;

use crate::diag::{Diagnostic, LintRule, Sink};
use crate::input::{self, INPUT_TOO_LARGE, MAX_BYTES};
use crate::origin::DocumentOrigin;
use crate::parallel;
use crate::shared::Shared;
use crate::source::{FileId, Span};
use crate::yaml::Node;
pub use keys::DUPLICATE_KEY;
pub use split::{BREAKS, DocumentPart};
pub use syntax::INVALID_YAML;
use syntax::SyntaxResult;
use tree::{AliasBudget, Base, TreeFormat};

/// The rules of this module.
pub static RULES: &[&LintRule] = &[
    &syntax::INVALID_YAML,
    &keys::DUPLICATE_KEY,
    &syntax::EXCESSIVE_ALIASES,
];

/// The number of collections that may stand within each other. Deep enough for anything written by hand or tool, and
/// shallow enough for recursion on a small stack.
pub const MAX_DEPTH: usize = 512;

/// The number of values that a file may hold. Manifests have 12 bytes a value; this allows 8 in a file of the largest
/// size.
pub const MAX_VALUES: usize = 8 << 20;

/// The number of values that the aliases of a file may expand to.
pub const MAX_ALIASED: usize = 1 << 20;

/// The number of documents that are parsed before the findings are counted for the first time.
const BATCH: usize = 1024;

/// The approximate maximum number of reported errors of a file.
const MAX_FOUND: usize = 1000;

/// Texts shorter than this are not worth another thread.
const SHORT: usize = 16 << 10;

/// A document of a file: its root, and the span of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedDocument {
    /// The root value, never null. Those who hold the document share it.
    pub root: Shared<Node>,
    /// From the first to the last byte of the document, comments before it included.
    pub span: Span,
    /// The origin.
    pub origin: DocumentOrigin,
}

/// Parses a file of any number of documents, those of a file in parallel. Never fails: a document that does not parse
/// is reported and skipped, without effect on the others. Empty documents are skipped.
pub fn read(file: FileId, text: &str, sink: &mut Sink) -> Vec<ParsedDocument> {
    let mut documents = read_all(file, text, sink);
    documents.retain(|document| !document.root.is_null());
    documents
}

/// [`read()`], with the empty documents.
fn read_all(file: FileId, text: &str, sink: &mut Sink) -> Vec<ParsedDocument> {
    let everything = Span::new(file, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    if text.len() > MAX_BYTES {
        sink.report(input::too_large(file));
        return Vec::new();
    }
    let budget = AliasBudget::default();
    let parts = split::documents(text);
    let mut documents = Vec::with_capacity(parts.len().min(BATCH));
    let mut found = Sink::default();
    let (mut rest, mut at_once) = (&*parts, BATCH);
    while !rest.is_empty() {
        if found.diagnostics().len() > MAX_FOUND {
            found.report(too_many_findings(file, &rest[0]));
            break;
        }
        let (batch, others) = rest.split_at(at_once.min(rest.len()));
        for outcome in outcomes(file, text, batch, &budget) {
            outcome
                .found
                .into_iter()
                .for_each(|diagnostic| found.report(diagnostic));
            documents.extend(outcome.document);
        }
        // Threads wait for each other at the end of a batch, which pays only where there is much to find.
        if found.diagnostics().is_empty() {
            at_once *= 4;
        }
        rest = others;
    }
    if !budget.is_kept() {
        // Which documents were still read depends on the threads, so none of them is reported.
        sink.report(over_budget(&budget, everything));
        return Vec::new();
    }
    sink.append(found);
    documents
}

fn outcomes(
    file: FileId,
    text: &str,
    parts: &[split::DocumentPart],
    budget: &AliasBudget,
) -> Vec<DocumentResult> {
    let outcome = |part: &split::DocumentPart| DocumentResult::of(file, text, part, budget);
    parallel::map(
        parts,
        if text.len() < SHORT { parts.len() } else { 1 },
        outcome,
    )
}

/// The parts of a file that hold a document each, for who looks at one of them again.
pub fn parts(text: &str) -> Vec<DocumentPart> {
    split::documents(text)
}

/// Reads one part of a file again. `Ok(None)` for comments.
///
/// # Errors
/// It does not parse, which was reported.
pub fn read_part(
    file: FileId,
    text: &str,
    part: &DocumentPart,
) -> Result<Option<Node>, Unreadable> {
    let outcome = DocumentResult::of(file, text, part, &AliasBudget::default());
    match outcome.document {
        Some(document) => Ok(Some(document.root.into_value())),
        None if outcome.found.is_empty() => Ok(None),
        None => Err(Unreadable),
    }
}

/// A text that does not parse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable;

/// More findings are of no use, and must not fill the memory.
fn too_many_findings(file: FileId, next: &split::DocumentPart) -> Diagnostic {
    let start = u32::try_from(next.range.start).expect("a text is at most 64 MiB");
    let message = format!("more than {MAX_FOUND} errors in this file; the rest is not read");
    Diagnostic::new(
        &syntax::INVALID_YAML,
        Span::new(file, start, start),
        message,
    )
}

/// Reads the first document of a text as go-yaml does into its `MapSlice`: maps keep the order and the repetitions of
/// their keys, and lose what `<<` would merge. `None` for a text without documents. What follows the first document is
/// not looked at.
///
/// # Errors
/// The first fault of the text, which has no place in any file of the run.
pub fn read_slices(text: &str) -> Result<Option<Node>, Box<Diagnostic>> {
    let file = FileId::default();
    if text.len() > MAX_BYTES {
        return Err(Box::new(input::too_large(file)));
    }
    let budget = AliasBudget::default();
    // Comments before the first `---` are a part of their own, without a document.
    for part in split::documents(text) {
        let base = Base {
            file,
            offset: u32::try_from(part.range.start).expect("a text is at most 64 MiB"),
        };
        let text = &text[part.range];
        let read = || -> SyntaxResult<Option<Node>> {
            characters(text)?;
            let Some(tape) = parse::document(text, part.bare)? else {
                return Ok(None);
            };
            tree::build(tape, base, &budget, TreeFormat::MapSlice).map(|(root, _)| Some(root))
        };
        match read() {
            Ok(None) => {}
            Ok(root) => return Ok(root),
            Err(fault) => return Err(Box::new(fault.into_diagnostic(file, base.offset, text))),
        }
    }
    Ok(None)
}

fn over_budget(budget: &AliasBudget, everything: Span) -> Diagnostic {
    if budget.is_aliased_away() {
        let message = format!("the aliases of this file expand to more than {MAX_ALIASED} values");
        Diagnostic::new(&syntax::EXCESSIVE_ALIASES, everything, message)
    } else {
        Diagnostic::new(
            &INPUT_TOO_LARGE,
            everything,
            format!("more than {MAX_VALUES} values in one file"),
        )
        .help("split the file")
    }
}

/// The result of parsing a part of a file.
#[derive(Default)]
struct DocumentResult {
    document: Option<ParsedDocument>,
    found: Vec<Diagnostic>,
}

impl DocumentResult {
    fn of(file: FileId, text: &str, part: &split::DocumentPart, budget: &AliasBudget) -> Self {
        let mut outcome = Self::default();
        if budget.is_kept() {
            let base = Base {
                file,
                offset: u32::try_from(part.range.start).expect("a text is at most 64 MiB"),
            };
            let text = &text[part.range.clone()];
            if let Err(fault) = outcome.read(base, text, part.bare, budget) {
                outcome
                    .found
                    .push(fault.into_diagnostic(base.file, base.offset, text));
            }
        }
        outcome
    }

    fn read(&mut self, base: Base, text: &str, bare: bool, budget: &AliasBudget) -> SyntaxResult {
        characters(text)?;
        let tape = match parse::document(text, bare) {
            // `kubectl` reads what is JSON as JSON, and has no other words for what is neither.
            Err(_) if is_json(text) => parse::json(text)?,
            read => read?,
        };
        if let Some(tape) = tape {
            let (root, found) = tree::build(tape, base, budget, TreeFormat::Json)?;
            self.found = found;
            self.document = Some(ParsedDocument {
                root: Shared::new(root),
                span: trimmed(base, text),
                origin: DocumentOrigin::File,
            });
        }
        Ok(())
    }
}

/// Returns whether a text is an object of JSON. Kubernetes: `GuessJSONStream`, and the JSON decoder that follows.
fn is_json(text: &str) -> bool {
    let is_object = text.trim_start().starts_with('{');
    is_object && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Finds the first character that go-yaml's reader accepts nowhere.
fn characters(text: &str) -> SyntaxResult {
    // Only these bytes can start such a character; ordinary text has none of them but, abroad, 0xc2 and 0xef. Looking at
    // many at a time without a way out lets the compiler use wide registers.
    let suspicious = |b: u8| {
        (b < 0x20 && b != b'\t' && b != b'\n' && b != b'\r') || b == 0x7f || b == 0xc2 || b == 0xef
    };
    if !text
        .as_bytes()
        .chunks(256)
        .any(|bytes| bytes.iter().fold(false, |found, b| found | suspicious(*b)))
    {
        return Ok(());
    }
    let refused = |c: char| {
        (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}'))
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    match text.char_indices().find(|(_, c)| refused(*c)) {
        Some((at, c)) => Err(syntax::control_character(c, at)),
        None => Ok(()),
    }
}

fn trimmed(base: Base, text: &str) -> Span {
    let start = text.len() - text.trim_ascii_start().len();
    let end = text.trim_ascii_end().len();
    let offset = |n: usize| base.offset + u32::try_from(n).expect("a text is at most 64 MiB");
    Span::new(base.file, offset(start), offset(end))
}
