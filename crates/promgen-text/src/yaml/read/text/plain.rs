//! Plain scalars.

use std::borrow::Cow;

use crate::yaml::read::cursor::Cursor;
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::text::{Breaks, ScannedText};

/// Bytes at which a plain scalar may end: always, or between brackets only.
const ENDS: [u8; 256] = {
    let mut ends = [0; 256];
    let always = b" \t\n\r:\xc2\xe2";
    let flow = b",?[]{}";
    let mut i = 0;
    while i < always.len() {
        ends[always[i] as usize] = 3;
        i += 1;
    }
    i = 0;
    while i < flow.len() {
        ends[flow[i] as usize] = 2;
        i += 1;
    }
    ends
};

/// Scans a plain scalar. Lines that go on with it are indented by `indent` columns at least.
///
/// # Errors
/// A tab that indents such a line.
pub(in crate::yaml::read) fn plain<'a>(
    cursor: &mut Cursor<'a>,
    indent: usize,
) -> SyntaxResult<ScannedText<'a>> {
    let start = cursor.pos;
    let mut text = Cow::Borrowed("");
    cursor.keys = false;
    loop {
        let from = cursor.pos;
        let end = plain_line(cursor);
        match &mut text {
            Cow::Borrowed(_) => text = Cow::Borrowed(&cursor.text[start..end]),
            Cow::Owned(text) => text.push_str(&cursor.text[from..end]),
        }
        let Some(mut breaks) = plain_breaks(cursor, indent)? else {
            return Ok(ScannedText { text, start, end });
        };
        let goes_on = !cursor.is_end()
            && cursor.byte() != Some(b'#')
            // Within brackets, indentation does not count.
            && (cursor.flow > 0 || cursor.column() >= indent)
            && !ends_plain(cursor, cursor.pos);
        if !goes_on {
            return Ok(ScannedText { text, start, end });
        }
        breaks.fold_into(text.to_mut());
        cursor.keys = false;
    }
}

/// Passes over the plain text of one line and the blanks after it; gives the end without them.
fn plain_line(cursor: &mut Cursor<'_>) -> usize {
    let bytes = cursor.text.as_bytes();
    let mask = if cursor.flow > 0 { 2 } else { 1 };
    let mut at = cursor.pos;
    loop {
        while at < bytes.len() && ENDS[usize::from(bytes[at])] & mask == 0 {
            at += 1;
        }
        if !ends_plain(cursor, at) {
            at += 1;
            continue;
        }
        let end = at;
        while matches!(bytes.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        cursor.pos = at;
        let is_over =
            at == end || cursor.is_blank_at(at) || bytes[at] == b'#' || ends_plain(cursor, at);
        if is_over {
            return end;
        }
    }
}

/// Returns whether a plain scalar cannot go on at a position.
fn ends_plain(cursor: &Cursor<'_>, at: usize) -> bool {
    match cursor.text.as_bytes().get(at) {
        None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
        Some(b':') => cursor.is_blank_at(at + 1),
        Some(b',' | b'?' | b'[' | b']' | b'{' | b'}') => cursor.flow > 0,
        // The first bytes of U+0085, and of U+2028 and U+2029.
        Some(0xc2 | 0xe2) => cursor.exotic && cursor.break_at(at) > 0,
        Some(_) => false,
    }
}

/// Passes over line breaks and indentation after a line of a plain scalar; none if the line goes on.
fn plain_breaks(cursor: &mut Cursor<'_>, indent: usize) -> SyntaxResult<Option<Breaks>> {
    let Some(first) = cursor.take_break() else {
        return Ok(None);
    };
    let mut breaks = Breaks {
        first: Some(first),
        others: String::new(),
    };
    cursor.keys = true;
    loop {
        match cursor.byte() {
            Some(b'\t') if cursor.column() < indent => return Err(syntax::tab(cursor.pos)),
            Some(b' ' | b'\t') => cursor.pos += 1,
            _ => match cursor.take_break() {
                Some(normal) => breaks.add(normal),
                None => return Ok(Some(breaks)),
            },
        }
    }
}
