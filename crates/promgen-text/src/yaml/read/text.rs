//! The text of a scalar: plain, in quotes, or a block of lines.
//!
//! In: a cursor at the first character. Out: the text with its lines folded and escapes resolved, borrowed where it
//! stands in the source as it is; the cursor is behind it.

mod block;
mod plain;
mod quoted;

use std::borrow::Cow;

pub(super) use block::block;
pub(super) use plain::plain;
pub(super) use quoted::quoted;

/// A scalar's text and the bytes where it stands.
#[derive(Debug)]
pub(super) struct ScannedText<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Line breaks in a row, which become a space if there is one, and one less if there are several.
#[derive(Default)]
struct Breaks {
    first: Option<char>,
    others: String,
}

impl Breaks {
    fn add(&mut self, normal: char) {
        match self.first {
            None => self.first = Some(normal),
            Some(_) => self.others.push(normal),
        }
    }

    fn fold_into(&mut self, text: &mut String) {
        match self.first.take() {
            None => {}
            Some('\n') if self.others.is_empty() => text.push(' '),
            Some('\n') => text.push_str(&self.others),
            Some(separator) => {
                text.push(separator);
                text.push_str(&self.others);
            }
        }
        self.others.clear();
    }
}
