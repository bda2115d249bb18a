//! YAML in a text of YAML: values in a ConfigMap, in a field of an Application; or in a file that one is made of.

use super::Node;
use super::edit::replace_spans;
use super::read::{INVALID_YAML, read};
use crate::diag::Sink;
use crate::source::{FileId, Sources, Span};

/// The value that a text holds, each part with its place in the file if the text is a block there, or stands there as it is. `None` if
/// it holds none.
#[must_use]
pub fn parse(text: &str, span: Span, sources: &Sources) -> Option<Node> {
    let mut plain = root(span.file, text)?;
    if sources.text(span) == text {
        shift(&mut plain, span.start);
        return Some(plain);
    }
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
    documents(file, text)?.into_iter().next()
}

/// All documents of a text. `None` if one of them is broken.
#[must_use]
pub fn documents(file: FileId, text: &str) -> Option<Vec<Node>> {
    let mut sink = Sink::default();
    let documents = read(file, text, &mut sink);
    let is_broken = sink
        .diagnostics()
        .iter()
        .any(|found| *found.rule == INVALID_YAML);
    let roots = documents
        .into_iter()
        .map(|document| document.root.into_value());
    (!is_broken).then(|| roots.collect())
}

/// The content of a block of the source: its lines as they stand, each as far in as the others.
fn in_block(span: Span, sources: &Sources) -> Option<Node> {
    let written = sources.text(span);
    if !written.starts_with('|') {
        return None;
    }
    let start = written.find('\n')? + 1;
    let mut node = root(span.file, &written[start..])?;
    shift(
        &mut node,
        span.start.checked_add(u32::try_from(start).ok()?)?,
    );
    Some(node)
}

/// Moves all places of a value.
fn shift(node: &mut Node, by: u32) {
    replace_spans(node, &|span| Span {
        start: span.start.saturating_add(by),
        end: span.end.saturating_add(by),
        ..span
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text at the place of `b`, of a text in a file.
    fn place_of(file: &str, text: &str, from: &str) -> String {
        let mut sources = Sources::default();
        let id = sources.add("a".to_owned(), file.to_owned());
        let start = file.find(from).unwrap();
        let offset = |at: usize| u32::try_from(at).unwrap();
        let span = Span::new(id, offset(start), offset(file.len()));
        let value = parse(text, span, &sources).unwrap();
        sources
            .text(value.find(&["a", "b"]).unwrap().span)
            .to_owned()
    }

    #[test]
    fn parts_have_their_places() {
        let text = "a:\n  b: c\n";
        assert_eq!(place_of(text, text, "a"), "c");
        assert_eq!(place_of(&format!("# x\n{text}"), text, "a"), "c");
        assert_eq!(place_of("v: |\n  a:\n    b: c\n", text, "|"), "c");
        assert_eq!(place_of("v: YTo=", text, "YTo="), "YTo=");
    }
}
