//! Lines of more than 80 columns: where Go breaks them.

use crate::yaml::emit::scalar::ScalarPosition;
use crate::yaml::emit::tree::pad;

/// A space beyond this column may become a line break.
pub(super) const WIDTH: usize = 80;

/// Writes plain text that has spaces.
pub(super) fn plain(out: &mut String, text: &str, place: ScalarPosition) {
    // In bytes, which are at least as many as columns: no line that is this short can be broken.
    if out.len() - place.line + text.len() <= WIDTH {
        return out.push_str(text);
    }
    let mut column = column(out, place);
    let mut rest = text;
    while let Some(at) = next_fold(rest, column) {
        out.push_str(&rest[..at]);
        line(out, place.indent);
        // The space becomes the line break.
        rest = &rest[at + 1..];
        column = place.indent;
    }
    out.push_str(rest);
}

/// Goes to the next line.
pub(super) fn line(out: &mut String, indent: usize) {
    out.push('\n');
    pad(out, indent);
}

/// The column at the end of the buffer, in characters.
pub(super) fn column(out: &str, place: ScalarPosition) -> usize {
    out[place.line..].chars().count()
}

/// The first space that is too far right and has none beside it.
fn next_fold(text: &str, column: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let from = skip_chars(text, (WIDTH + 1).saturating_sub(column))?;
    memchr::memchr_iter(b' ', &bytes[from..])
        .map(|at| from + at)
        // A run of spaces would be read back as one, so go-yaml breaks at single ones only.
        .find(|&at| {
            at > 0 && bytes[at - 1] != b' ' && bytes.get(at + 1).is_some_and(|&next| next != b' ')
        })
}

/// The byte at which a character of the text begins.
fn skip_chars(text: &str, count: usize) -> Option<usize> {
    if text.as_bytes().get(..count)?.is_ascii() {
        Some(count)
    } else {
        Some(text.char_indices().nth(count)?.0)
    }
}
