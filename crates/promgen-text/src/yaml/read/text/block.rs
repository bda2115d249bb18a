//! Block scalars: `|` keeps its lines, `>` folds them.

use std::borrow::Cow;

use crate::yaml::read::cursor::Cursor;
use crate::yaml::read::syntax::{self, SyntaxResult};
use crate::yaml::read::text::{Breaks, ScannedText};

/// The header of a block scalar, the line of its `|` or `>`.
struct Header {
    folded: bool,
    /// Final line breaks are all kept (`+`) or all dropped (`-`); one is kept otherwise.
    keep: Option<bool>,
    /// The indentation beyond the parent's, if it is given.
    indent: usize,
    /// The end, without a comment.
    end: usize,
}

/// Scans a block scalar, from its `|` or `>` on. `parent` is the column of the collection that holds it, if any.
///
/// # Errors
/// Its header is invalid, or a tab indents.
pub(in crate::yaml::read) fn block<'a>(
    cursor: &mut Cursor<'a>,
    parent: Option<usize>,
) -> SyntaxResult<ScannedText<'a>> {
    let start = cursor.pos;
    let header = header(cursor)?;
    let given = (header.indent > 0).then(|| parent.unwrap_or(0) + header.indent);
    let mut lines = BlockLines {
        folded: header.folded,
        text: String::new(),
        breaks: Breaks::default(),
        after_blank: false,
    };
    let mut end = header.end;
    cursor.take_break();
    let least = parent.map_or(1, |column| column + 1);
    let indent = breaks(cursor, given, least, &mut lines.breaks.others)?;
    while cursor.column() == indent && cursor.byte().is_some() {
        let from = cursor.pos;
        cursor.skip_line();
        end = cursor.pos;
        lines.add(&cursor.text[from..end]);
        lines.breaks.first = cursor.take_break();
        breaks(cursor, Some(indent), least, &mut lines.breaks.others)?;
    }
    cursor.keys = true;
    Ok(ScannedText {
        text: Cow::Owned(lines.finish(header.keep)),
        start,
        end,
    })
}

/// The lines of a block scalar so far.
struct BlockLines {
    folded: bool,
    text: String,
    /// The line breaks after the last line.
    breaks: Breaks,
    /// The last line starts with a blank: then the break after it is kept.
    after_blank: bool,
}

impl BlockLines {
    fn add(&mut self, line: &str) {
        // A line that is indented further keeps the breaks around it.
        let starts_blank = line.starts_with([' ', '\t']);
        match self.breaks.first.take() {
            Some('\n') if self.folded && !self.after_blank && !starts_blank => {
                self.text.push_str(if self.breaks.others.is_empty() {
                    " "
                } else {
                    ""
                });
            }
            Some(normal) => self.text.push(normal),
            None => {}
        }
        self.text.push_str(&self.breaks.others);
        self.breaks.others.clear();
        self.text.push_str(line);
        self.after_blank = starts_blank;
    }

    /// The text, with all of its final line breaks, none, or one.
    fn finish(mut self, keep: Option<bool>) -> String {
        if keep != Some(false) {
            self.text.extend(self.breaks.first);
        }
        if keep == Some(true) {
            self.text.push_str(&self.breaks.others);
        }
        self.text
    }
}

fn header(cursor: &mut Cursor<'_>) -> SyntaxResult<Header> {
    let mut header = Header {
        folded: cursor.byte() == Some(b'>'),
        keep: None,
        indent: 0,
        end: 0,
    };
    cursor.pos += 1;
    // The two indicators come in either order.
    for _ in 0..2 {
        match cursor.byte() {
            Some(sign @ (b'+' | b'-')) if header.keep.is_none() => header.keep = Some(sign == b'+'),
            Some(digit @ b'1'..=b'9') if header.indent == 0 => {
                header.indent = usize::from(digit - b'0')
            }
            _ => break,
        }
        cursor.pos += 1;
    }
    header.end = cursor.pos;
    cursor.skip_blanks();
    if cursor.byte() == Some(b'#') {
        cursor.skip_line();
    }
    if cursor.byte().is_some() && cursor.break_at(cursor.pos) == 0 {
        return Err(syntax::block_header(cursor.pos));
    }
    Ok(header)
}

/// Passes over blank lines and the indentation of the next one. Gives the indentation, which the first lines tell if it
/// is not known: the widest of the blank ones counts too.
fn breaks(
    cursor: &mut Cursor<'_>,
    known: Option<usize>,
    least: usize,
    found: &mut String,
) -> SyntaxResult<usize> {
    let mut widest = 0;
    loop {
        while cursor.byte() == Some(b' ') && known.is_none_or(|indent| cursor.column() < indent) {
            cursor.pos += 1;
        }
        widest = widest.max(cursor.column());
        if cursor.byte() == Some(b'\t') && known.is_none_or(|indent| cursor.column() < indent) {
            return Err(syntax::tab(cursor.pos));
        }
        match cursor.take_break() {
            Some(normal) => found.push(normal),
            None => return Ok(known.unwrap_or_else(|| widest.max(least))),
        }
    }
}
