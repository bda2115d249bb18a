//! Text in single and in double quotes.

use std::fmt::Write as _;

use crate::yaml::emit::fold::{self, WIDTH};
use crate::yaml::emit::scalar::{ScalarPosition, is_break, is_printable};
use crate::yaml::emit::tree::pad;

/// Writes text in single quotes, folded if there is a place, which a key has not.
pub(super) fn single(out: &mut String, text: &str, place: Option<ScalarPosition>) {
    out.push('\'');
    match place {
        // Each character may take two columns.
        Some(place)
            if out.len() - place.line + 2 * text.len() > WIDTH || text.contains(is_break) =>
        {
            folded_single(out, text, place);
        }
        _ => {
            let mut start = 0;
            for at in memchr::memchr_iter(b'\'', text.as_bytes()) {
                out.push_str(&text[start..=at]);
                start = at;
            }
            out.push_str(&text[start..]);
        }
    }
    out.push('\'');
}

fn folded_single(out: &mut String, text: &str, place: ScalarPosition) {
    let mut column = fold::column(out, place);
    let mut previous = None;
    for (at, c) in text.char_indices() {
        let last = at + c.len_utf8() == text.len();
        let folds = c == ' ' && column > WIDTH && at > 0 && !last && previous != Some(' ');
        if folds && text.as_bytes()[at + 1] != b' ' {
            fold::line(out, place.indent);
            column = place.indent;
        } else if is_break(c) {
            out.push(c);
            column = 0;
        } else {
            // A line feed in single quotes is written as it is, and the next line is indented.
            if previous.is_some_and(is_break) {
                pad(out, place.indent);
                column = place.indent;
            }
            // Doubled within single quotes.
            if c == '\'' {
                out.push(c);
                column += 1;
            }
            out.push(c);
            column += 1;
        }
        previous = Some(c);
    }
}

/// Writes text in double quotes, folded if there is a place, which a key has not.
pub(super) fn double(out: &mut String, text: &str, place: Option<ScalarPosition>) {
    out.push('"');
    let bare = text
        .bytes()
        .all(|b| matches!(b, b'!' | b'#'..=b'[' | b']'..=b'~'));
    if bare {
        out.push_str(text);
    } else {
        escaped(out, text, place);
    }
    out.push('"');
}

fn escaped(out: &mut String, text: &str, place: Option<ScalarPosition>) {
    // Go looks for the byte order mark at the start of the text whichever character it is at.
    let marked = text.starts_with('\u{feff}');
    let mut column = place.map_or(0, |place| fold::column(out, place));
    let mut after_space = false;
    for (at, c) in text.char_indices() {
        if marked || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
            let start = out.len();
            escape(out, c);
            column += out.len() - start;
            after_space = false;
            continue;
        }
        let next = text.as_bytes().get(at + 1);
        match place {
            Some(place)
                if c == ' ' && !after_space && column > WIDTH && at > 0 && next.is_some() =>
            {
                fold::line(out, place.indent);
                column = place.indent;
                // A space at the start of the next line would be lost in folding.
                if next == Some(&b' ') {
                    out.push('\\');
                    column += 1;
                }
            }
            _ => {
                out.push(c);
                column += 1;
            }
        }
        after_space = c == ' ';
    }
}

fn escape(out: &mut String, c: char) {
    let short = match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(c);
            // Writing to a string cannot fail.
            let _ = match code {
                0..=0xff => write!(out, "\\x{code:02X}"),
                0x100..=0xffff => write!(out, "\\u{code:04X}"),
                _ => write!(out, "\\U{code:08X}"),
            };
            return;
        }
    };
    out.push('\\');
    out.push(short);
}
