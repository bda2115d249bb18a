//! YAML in a text of YAML: values in a ConfigMap, in a field of an Application.

use super::Node;
use super::edit::replace_spans;
use super::read::{INVALID_YAML, read};
use crate::diag::Sink;
use crate::source::{FileId, Sources, Span};

/// The value that a text holds, each part with its place in the file if the text is a block there. `None` if it holds none.
#[must_use]
pub fn parse(text: &str, span: Span, sources: &Sources) -> Option<Node> {
    let mut plain = root(span.file, text)?;
    match in_block(span, sources).filter(|placed| placed.to_value() == plain.to_value()) {
        Some(placed) => Some(placed),
        None => {
            replace_spans(&mut plain, &|_| span);
            Some(plain)
        }
    }
}

/// The first document of a text. `None` if it does not parse.
#[must_use]
pub fn root(file: FileId, text: &str) -> Option<Node> {
    let mut sink = Sink::default();
    let document = read(file, text, &mut sink).into_iter().next()?;
    let is_broken = sink
        .diagnostics()
        .iter()
        .any(|found| *found.rule == INVALID_YAML);
    (!is_broken).then(|| document.root.into_value())
}

/// The content of a block of the source: its lines as they stand, each as far in as the others.
fn in_block(span: Span, sources: &Sources) -> Option<Node> {
    let written = sources.text(span);
    if !written.starts_with('|') {
        return None;
    }
    let start = written.find('\n')? + 1;
    let mut node = root(span.file, &written[start..])?;
    let by = span.start.checked_add(u32::try_from(start).ok()?)?;
    replace_spans(&mut node, &|span| Span {
        start: span.start.saturating_add(by),
        end: span.end.saturating_add(by),
        ..span
    });
    Some(node)
}
