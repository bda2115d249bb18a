//! Cuts a file where its documents begin, so that they can be parsed apart from each other.
//!
//! In: the text of a file. Out: ranges of it that hold one document each, a document's directives with it. A range may
//! hold none (comments) or, where a marker was not seen, several: the parser copes with both.

use std::ops::Range;

use memchr::memchr_iter;

const MARK: char = '\u{feff}';

/// The ranges of the documents, in order, without blank ones and without a byte order mark at their start.
pub(super) fn documents(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let lines = std::iter::once(0).chain(memchr_iter(b'\n', text.as_bytes()).map(|i| i + 1));
    for line in lines {
        match marker(&text[line..]) {
            Some(Marker::Begin) if !is_prologue(&text[start..line]) => {
                push(&mut ranges, text, start..line);
                start = line;
            }
            Some(Marker::End) => {
                let end = line + text[line..].find('\n').map_or(text.len() - line, |i| i + 1);
                push(&mut ranges, text, start..end);
                start = end;
            }
            Some(Marker::Begin) | None => {}
        }
    }
    push(&mut ranges, text, start..text.len());
    ranges
}

fn push(ranges: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let start = range.start + mark_length(&text[range.clone()]);
    if !text[start..range.end].trim_ascii().is_empty() {
        ranges.push(start..range.end);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// `---`
    Begin,
    /// `...`
    End,
}

/// The marker at the start of a line. Looks at the first byte alone for nearly all lines.
fn marker(line: &str) -> Option<Marker> {
    let bytes = match line.as_bytes() {
        bytes @ [b'-' | b'.', ..] => bytes,
        [0xef, ..] => line.strip_prefix(MARK)?.as_bytes(),
        _ => return None,
    };
    let marker = match bytes.get(..3)? {
        b"---" => Marker::Begin,
        b"..." => Marker::End,
        _ => return None,
    };
    matches!(bytes.get(3), None | Some(b' ' | b'\t' | b'\r' | b'\n')).then_some(marker)
}

/// Whether this is the directives before a `---`, which belong to its document.
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

/// How many bytes a byte order mark takes at the start of a document, with a `---` line of its own before it: what
/// tools leave behind that put files together.
fn mark_length(text: &str) -> usize {
    let body = text.strip_prefix("---").map_or(text, |rest| {
        let rest = rest.trim_start_matches([' ', '\t', '\r']);
        rest.strip_prefix('\n').unwrap_or(text)
    });
    if body.starts_with(MARK) { text.len() - body.len() + MARK.len_utf8() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        documents(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn markers_cut_where_they_start_a_line() {
        assert_eq!(cut("a: 1\n---\nb: 2\n--- c\n---d\n ---\n"), ["a: 1\n", "---\nb: 2\n", "--- c\n---d\n ---\n"]);
        assert_eq!(cut("a\r\n---\r\nb\r\n---"), ["a\r\n", "---\r\nb\r\n", "---"]);
        assert_eq!(cut("a\n...\nb\n... # end\n"), ["a\n...\n", "b\n... # end\n"]);
        assert_eq!(cut(" \n\t\n"), [""; 0]);
    }

    #[test]
    fn directives_stay_with_their_document() {
        assert_eq!(cut("%YAML 1.1\n# x\n---\na\n"), ["%YAML 1.1\n# x\n---\na\n"]);
        assert_eq!(cut("a\n...\n%TAG ! x\n---\nb\n"), ["a\n...\n", "%TAG ! x\n---\nb\n"]);
        assert_eq!(cut("# licence\n---\na\n"), ["# licence\n", "---\na\n"]);
    }

    #[test]
    fn byte_order_marks_between_documents_are_dropped() {
        assert_eq!(cut("a\n\u{feff}---\nb\n---\n\u{feff}c\n"), ["a\n", "---\nb\n", "c\n"]);
        assert_eq!(cut("\u{feff}a\n...\n\u{feff}b\n"), ["a\n...\n", "b\n"]);
    }
}
