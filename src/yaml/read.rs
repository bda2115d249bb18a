//! Text to nodes, as Kubernetes reads YAML.
//!
//! In: the text of a file. Out: a tree with places for each document that parses, and diagnostics for the others. Three
//! steps, each a file: `split` cuts the text into documents, `tape` lists what the parser sees in one, `tree` resolves
//! scalars, aliases, merges and duplicate keys as Go does. Documents are parsed in parallel. Memory and recursion are
//! bounded whatever the text is.

mod check;
mod keys;
pub(crate) mod scalar;
mod split;
mod syntax;
mod tape;
#[cfg(test)]
mod tests;
mod tree;

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use crate::diag::{Diagnostic, Rule, Sink};
use crate::input::{self, INPUT_TOO_LARGE, MAX_BYTES};
use crate::source::{FileId, Span};
use crate::yaml::Node;
use syntax::Fault;
use tree::{Base, Budget};

/// The rules of this module.
#[allow(dead_code, reason = "until the list of rules is read")]
pub(crate) static RULES: &[&Rule] = &[&syntax::INVALID_YAML, &keys::DUPLICATE_KEY, &syntax::EXCESSIVE_ALIASES];

/// How many collections may stand within each other. Deep enough for anything written by hand or tool, and shallow
/// enough for recursion on a small stack.
const MAX_DEPTH: usize = 512;

/// How many values a file may hold. Manifests have 12 bytes a value; this allows 8 in a file of the largest size.
const MAX_VALUES: usize = 8 << 20;

/// How many values the aliases of a file may expand to.
const MAX_ALIASED: usize = 1 << 20;

/// Texts shorter than this are not worth another thread.
const SHORT: usize = 16 << 10;

/// A document of a file: its root, and the span of its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed<'a> {
    /// The root value, never null.
    pub root: Node<'a>,
    /// From the first to the last byte of the document, comments before it included.
    pub span: Span,
}

/// Parses a file of any number of documents, those of a file in parallel. Never fails: a document that does not parse
/// is reported and left out, its siblings survive. Empty documents are left out in silence.
pub fn read<'a>(file: FileId, text: &'a str, sink: &mut Sink) -> Vec<Parsed<'a>> {
    let mut documents = read_all(file, text, sink);
    documents.retain(|document| !document.root.is_null());
    documents
}

/// [`read()`], with the empty documents.
fn read_all<'a>(file: FileId, text: &'a str, sink: &mut Sink) -> Vec<Parsed<'a>> {
    let everything = Span::new(file, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    if text.len() > MAX_BYTES {
        sink.report(input::too_large(file));
        return Vec::new();
    }
    let budget = Budget::default();
    let part = |range: Range<usize>| Part::read(file, text, range, &budget);
    let ranges = split::documents(text);
    let parts: Vec<Part<'a>> = if text.len() < SHORT || ranges.len() < 2 {
        ranges.into_iter().map(part).collect()
    } else {
        ranges.into_par_iter().map(part).collect()
    };
    if !budget.is_kept() {
        sink.report(over_budget(&budget, everything));
        return Vec::new();
    }
    let mut documents = Vec::with_capacity(parts.len());
    for part in parts {
        part.found.into_iter().for_each(|diagnostic| sink.report(diagnostic));
        documents.extend(part.documents);
    }
    documents
}

fn over_budget(budget: &Budget, everything: Span) -> Diagnostic {
    if budget.is_aliased_away() {
        let message = format!("the aliases of this file expand to more than {MAX_ALIASED} values");
        Diagnostic::new(&syntax::EXCESSIVE_ALIASES, everything, message)
    } else {
        Diagnostic::new(&INPUT_TOO_LARGE, everything, format!("more than {MAX_VALUES} values in one file"))
            .help("split the file")
    }
}

/// What a part of a file gave: one document, as a rule.
struct Part<'a> {
    documents: Vec<Parsed<'a>>,
    found: Vec<Diagnostic>,
}

impl<'a> Part<'a> {
    fn read(file: FileId, text: &'a str, range: Range<usize>, budget: &Budget) -> Self {
        let mut part = Self { documents: Vec::new(), found: Vec::new() };
        if !budget.is_kept() {
            return part;
        }
        let base = range.start;
        let text = &text[range];
        if let Err(fault) = part.documents_of(file, base, text, budget) {
            part.found.push(fault.into_diagnostic(file, base, text));
        }
        part
    }

    fn documents_of(&mut self, file: FileId, base: usize, text: &'a str, budget: &Budget) -> Result<(), Fault> {
        check::characters(text)?;
        let base = Base { file, offset: u32::try_from(base).expect("a text is at most 64 MiB") };
        let mut start = 0;
        let mut fault = None;
        let found = |tape: tape::Tape<'a>| {
            let span = trimmed(base, text, start..tape.end);
            start = tape.end;
            match tree::build(tape, base, budget) {
                Ok((root, mut found)) => {
                    self.documents.push(Parsed { root, span });
                    self.found.append(&mut found);
                }
                Err(why) => fault = fault.take().or(Some(why)),
            }
        };
        if text.contains('\u{85}') {
            // A line break for go-yaml and none for the parser. This one has as many bytes.
            let text = text.replace('\u{85}', "\r\n");
            tape::record(&text, |value| Cow::Owned(value.into_owned()), found)?;
        } else {
            tape::record(text, |value| value, found)?;
        }
        fault.map_or(Ok(()), Err)
    }
}

fn trimmed(base: Base, text: &str, range: Range<usize>) -> Span {
    let text = text.get(range.clone()).unwrap_or_default();
    let start = range.start + (text.len() - text.trim_ascii_start().len());
    let end = start + text.trim_ascii().len();
    let offset = |n: usize| base.offset + u32::try_from(n).expect("a text is at most 64 MiB");
    Span::new(base.file, offset(start), offset(end))
}
