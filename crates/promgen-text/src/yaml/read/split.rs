//! Cuts a file where its documents begin, so that they can be parsed apart from each other.
//!
//! In: the text of a file. Out: parts of it that hold one document each, a document's directives with it, or comments.

use std::ops::Range;

use memchr::memmem;

const MARK: char = '\u{feff}';

/// A document's place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPart {
    /// Its bytes.
    pub range: Range<usize>,
    /// It may start without a `---`: the first one of a file may, one after `...` may not.
    pub(super) bare: bool,
}

/// The documents, in order, without blank ones and without a byte order mark at their start.
pub(super) fn documents(text: &str) -> Vec<DocumentPart> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (line, marker) in markers(text) {
        match marker {
            Marker::Begin if is_prologue(&text[start..line]) => {}
            Marker::Begin => {
                push(&mut parts, text, start..line);
                start = line;
            }
            Marker::End => {
                let end = next_line(text, line);
                push(&mut parts, text, start..end);
                start = end;
            }
        }
    }
    push(&mut parts, text, start..text.len());
    parts
}

fn push(parts: &mut Vec<DocumentPart>, text: &str, range: Range<usize>) {
    let mark = mark_length(&text[range.clone()]);
    // A prefix longer than the byte order mark has a `---` line of its own, which started the document.
    let bare = range.start == 0 || mark > MARK.len_utf8();
    let range = range.start + mark..range.end;
    // Not all white space: a tab is left for the parser to judge.
    if !text[range.clone()]
        .trim_matches([' ', '\n', '\r'])
        .is_empty()
    {
        parts.push(DocumentPart { range, bare });
    }
}

/// All markers with the start of their line, where a byte order mark may stand.
fn markers(text: &str) -> impl Iterator<Item = (usize, Marker)> {
    let found = |needle: &'static [u8], marker| {
        memmem::find_iter(text.as_bytes(), needle)
            .filter_map(move |at| line_of_marker(text, at).map(|line| (line, marker)))
    };
    let mut begins = found(b"---", Marker::Begin).peekable();
    let mut ends = found(b"...", Marker::End).peekable();
    // Both iterators are in the order of the text; merging them keeps it.
    std::iter::from_fn(move || match (begins.peek(), ends.peek()) {
        (Some(begin), Some(end)) if end.0 < begin.0 => ends.next(),
        (Some(_), _) => begins.next(),
        (None, _) => ends.next(),
    })
}

/// The line breaks of YAML 1.1.
pub const BREAKS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

fn next_line(text: &str, line: usize) -> usize {
    let end = text[line..].find(BREAKS).map_or(text.len(), |i| line + i);
    let width = if text[end..].starts_with("\r\n") {
        2
    } else {
        text[end..].chars().next().map_or(0, char::len_utf8)
    };
    end + width
}

/// The start of the line whose first three characters are at a position; none if those are no marker.
fn line_of_marker(text: &str, at: usize) -> Option<usize> {
    let after = text[at + 3..].chars().next();
    // `---a` and `----` are plain scalars.
    let is_blank = after.is_none_or(|c| matches!(c, ' ' | '\t') || BREAKS.contains(&c));
    let before = text[..at].strip_suffix(MARK).unwrap_or(&text[..at]);
    let starts_line = before.is_empty() || before.ends_with(BREAKS);
    (is_blank && starts_line).then_some(before.len())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// `---`
    Begin,
    /// `...`
    End,
}

/// Returns whether this is the directives before a `---`, which belong to its document.
fn is_prologue(before: &str) -> bool {
    let mut directives = false;
    for line in before.strip_prefix(MARK).unwrap_or(before).lines() {
        match line.trim_ascii_start().as_bytes().first() {
            None | Some(b'#') => {}
            Some(b'%') if line.starts_with('%') => directives = true,
            Some(_) => return false,
        }
    }
    directives
}

/// The number of bytes that a byte order mark takes at the start of a document, with a `---` line of its own before it:
/// what tools leave behind that put files together.
fn mark_length(text: &str) -> usize {
    let body = text.strip_prefix("---").map_or(text, |rest| {
        let rest = rest.trim_start_matches([' ', '\t', '\r']);
        rest.strip_prefix('\n').unwrap_or(text)
    });
    if body.starts_with(MARK) {
        text.len() - body.len() + MARK.len_utf8()
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        documents(text)
            .into_iter()
            .map(|part| &text[part.range])
            .collect()
    }

    #[test]
    fn markers_cut_where_they_start_a_line() {
        assert_eq!(
            cut("a: 1\n---\nb: 2\n--- c\n---d\n ---\n"),
            ["a: 1\n", "---\nb: 2\n", "--- c\n---d\n ---\n"]
        );
        assert_eq!(
            cut("a\r\n---\r\nb\r\n---"),
            ["a\r\n", "---\r\nb\r\n", "---"]
        );
        assert_eq!(
            cut("a\n...\nb\n... # end\n"),
            ["a\n...\n", "b\n... # end\n"]
        );
        assert_eq!(
            cut("a\r---\rb\u{2028}--- c"),
            ["a\r", "---\rb\u{2028}", "--- c"]
        );
        assert_eq!(cut("a\r...\r---\rb"), ["a\r...\r", "---\rb"]);
        assert_eq!(cut(" \r\n \n"), [""; 0]);
    }

    #[test]
    fn directives_stay_with_their_document() {
        assert_eq!(
            cut("%YAML 1.1\n# x\n---\na\n"),
            ["%YAML 1.1\n# x\n---\na\n"]
        );
        assert_eq!(
            cut("a\n...\n%TAG ! x\n---\nb\n"),
            ["a\n...\n", "%TAG ! x\n---\nb\n"]
        );
        assert_eq!(cut("# licence\n---\na\n"), ["# licence\n", "---\na\n"]);
    }

    #[test]
    fn byte_order_marks_between_documents_are_dropped() {
        assert_eq!(
            cut("a\n\u{feff}---\nb\n---\n\u{feff}c\n"),
            ["a\n", "---\nb\n", "c\n"]
        );
        assert_eq!(cut("\u{feff}a\n...\n\u{feff}b\n"), ["a\n...\n", "b\n"]);
    }
}
