//! Comments that allow findings.
//!
//! In: the text of a file. Out: its promgen comments, each with its scope. Files without promgen comments are not parsed
//! line by line.

use memchr::memmem;
use promgen_model::nodes;

use crate::suppress::AllowanceScope;
use promgen_resources::document::Document;
use promgen_resources::locate;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;

/// The word after the number sign and blanks.
const MARK: &str = "promgen:";

/// A promgen comment.
#[derive(Debug)]
pub(super) struct Comment<'t> {
    /// From the number sign to the end of the line.
    pub(super) span: Span,
    /// The text in `allow(…)`. `None` if the comment has another form.
    pub(super) list: Option<&'t str>,
    /// Its scope. `None` if nothing follows it.
    pub(super) scope: Option<AllowanceScope>,
}

/// The promgen comments of a file, in order. Text in a scalar is not a comment. promgen does not parse documents of other
/// kinds, so there only comments above the document count.
pub(super) fn comments<'t>(
    file: FileId,
    text: &'t str,
    documents: &[Document],
) -> Vec<Comment<'t>> {
    if memmem::find(text.as_bytes(), MARK.as_bytes()).is_none() {
        return Vec::new();
    }
    let mut found = CommentScan {
        file,
        documents,
        ..CommentScan::default()
    };
    let mut start = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        found.line(number, start, line);
        start += line.len();
    }
    found.end_document(start);
    found.found
}

/// The lines read so far.
#[derive(Default)]
struct CommentScan<'t, 'd> {
    file: FileId,
    documents: &'d [Document],
    found: Vec<Comment<'t>>,
    /// Indexes of comments that wait for the next line with more than a comment.
    pending: Vec<usize>,
    /// Indexes of comments that apply to the current document; its end is not known yet.
    head: Vec<usize>,
    /// The current document has had more than comments so far.
    is_body: bool,
    /// Start of the current document.
    start: usize,
    /// Start of the comments in its body.
    first: usize,
    /// The last parsed document, by its first byte, and the places of its scalars, in order.
    texts: (u32, Vec<(u32, u32)>),
}

impl<'t> CommentScan<'t, '_> {
    fn line(&mut self, number: usize, start: usize, line: &'t str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return;
        }
        let rest = line.strip_prefix("---").map_or(trimmed, str::trim);
        if rest.len() < trimmed.len() && self.is_body {
            self.end_document(start);
        }
        if rest.is_empty() || line.starts_with('%') {
            return;
        }
        let is_comment = rest.starts_with('#');
        if !is_comment {
            self.content(number);
        }
        let Some((at, list)) = allowed(line) else {
            return;
        };
        let span = Span::new(
            self.file,
            offset(start + at),
            offset(start + line.trim_end().len()),
        );
        if self.is_in_text(span) {
            return;
        }
        let scope = (!is_comment).then_some(AllowanceScope::Line(number));
        if is_comment {
            self.pending.push(self.found.len());
        }
        self.found.push(Comment { span, list, scope });
    }

    /// Returns whether a place is in a scalar, rather than between values.
    fn is_in_text(&mut self, span: Span) -> bool {
        let Some(document) = locate::document_at(span, self.documents) else {
            return false;
        };
        let start = document.node.span.start;
        if self.texts.0 != start || self.texts.1.is_empty() {
            self.texts = (start, texts(&document.node));
        }
        let before = self
            .texts
            .1
            .partition_point(|(start, _)| *start <= span.start);
        before > 0 && span.start < self.texts.1[before - 1].1
    }

    /// A line with more than a comment: waiting comments apply to it, or to the document that it begins.
    fn content(&mut self, number: usize) {
        let pending = std::mem::take(&mut self.pending);
        for i in pending {
            if self.is_body {
                self.found[i].scope = Some(AllowanceScope::Line(number));
            } else {
                self.found[i].scope = Some(AllowanceScope::Bytes(
                    offset(self.start),
                    offset(self.start),
                ));
                self.head.push(i);
            }
        }
        if !self.is_body {
            self.first = self.found.len();
        }
        self.is_body = true;
    }

    fn end_document(&mut self, end: usize) {
        for i in self.head.drain(..) {
            if let Some(AllowanceScope::Bytes(_, until)) = &mut self.found[i].scope {
                // An empty place may be at the very end.
                *until = offset(end) + 1;
            }
        }
        let before = |at: usize| {
            let start = (self.file, offset(at));
            self.documents
                .partition_point(|d| (d.node.span.file, d.node.span.start) < start)
        };
        if self.is_body && before(self.start) == before(end) {
            self.found.truncate(self.first);
        }
        self.pending.clear();
        (self.is_body, self.start) = (false, end);
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).expect("a text is at most 64 MiB")
}

/// The start of the promgen comment of a line, and what it allows.
fn allowed(line: &str) -> Option<(usize, Option<&str>)> {
    let mark = line.find(MARK)?;
    let before = line[..mark].trim_end().strip_suffix('#')?;
    if !(before.is_empty() || before.ends_with([' ', '\t', '#'])) {
        return None;
    }
    let rest = line[mark + MARK.len()..].trim();
    // The mark of generated files, which is not about findings.
    if rest == "generated" {
        return None;
    }
    let rest = rest.strip_prefix("allow");
    let list = rest.and_then(|rest| rest.trim_start().strip_prefix('(')?.split_once(')'));
    Some((before.len(), list.map(|(list, _)| list)))
}

/// The places of all scalars of a document, in order. The scalar of an alias counts at its anchor.
fn texts(root: &Node) -> Vec<(u32, u32)> {
    let texts = nodes::all([root]).filter(|node| node.as_str().is_some());
    let mut texts: Vec<_> = texts.map(|node| (node.span.start, node.span.end)).collect();
    texts.sort_unstable();
    texts
}
