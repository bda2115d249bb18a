//! Literal blocks: `|`, and the text line by line.

use crate::yaml::emit::scalar::is_break;
use crate::yaml::emit::tree::pad;

/// Writes text that has a line feed and may be a literal block, and ends its last line.
pub(super) fn write(out: &mut String, text: &str, indent: usize) {
    out.push('|');
    if text.starts_with(|c| c == ' ' || is_break(c)) {
        // Where the indent cannot be seen from the first line, it is told.
        out.push('2');
    }
    out.push_str(chomping(text));
    out.push('\n');
    // About 40 bytes a line; a wrong guess costs a reallocation.
    out.reserve(text.len() + text.len() / 40 * indent);
    if text.is_ascii() {
        lines(out, text, indent);
    } else {
        broken_lines(out, text, indent);
    }
    if !text.ends_with(is_break) {
        out.push('\n');
    }
}

/// The chomping indicator: none, one or all of the final line breaks are kept.
fn chomping(text: &str) -> &'static str {
    let mut last = text.chars().rev();
    match (
        last.next().is_some_and(is_break),
        last.next().is_none_or(is_break),
    ) {
        (false, _) => "-",
        (true, true) => "+",
        (true, false) => "",
    }
}

pub(super) fn lines(out: &mut String, text: &str, indent: usize) {
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        // Empty lines are not indented.
        if end > start {
            pad(out, indent);
        }
        out.push_str(&text[start..=end]);
        start = end + 1;
    }
    if start < text.len() {
        pad(out, indent);
        out.push_str(&text[start..]);
    }
}

/// Writes the lines of a text in which other characters may break lines, too.
fn broken_lines(out: &mut String, text: &str, indent: usize) {
    for line in text.split_inclusive(is_break) {
        if !line.starts_with(is_break) {
            pad(out, indent);
        }
        out.push_str(line);
    }
}

/// Returns whether text is ASCII that may be a literal block and has a line feed: a fast answer for large texts. A
/// `false` says nothing.
pub(super) fn is_simple(bytes: &[u8]) -> bool {
    let plain = bytes.chunks(256).all(|chunk| {
        // Without a branch for each byte, so that it is done for many at once.
        chunk.iter().fold(true, |good, &byte| {
            good & (matches!(byte, b' '..=b'~') | (byte == b'\n'))
        })
    });
    plain
        // A space at the end of a line or of the text makes go-yaml take double quotes.
        && bytes.last() != Some(&b' ')
        && memchr::memchr(b'\n', bytes).is_some()
        && memchr::memmem::find(bytes, b" \n").is_none()
}
