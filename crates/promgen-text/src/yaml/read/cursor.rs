//! A place in a text, and the small steps from there to the next token.
//!
//! Line breaks are those of YAML 1.1: besides LF, CR and CRLF also U+0085, U+2028 and U+2029.

use crate::yaml::read::syntax::{self, SyntaxResult};

/// The place where a document's text is read.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) pos: usize,
    /// The start of the current line.
    pub(super) line: usize,
    /// A key or an entry of a block collection may start here: only blanks and indicators are before it.
    pub(super) keys: bool,
    /// The number of brackets that are open.
    pub(super) flow: usize,
    /// The text has one of the line breaks that only YAML 1.1 knows, which takes the slow ways through.
    pub(super) exotic: bool,
    /// The escapes of texts in double quotes are those of JSON.
    pub(super) json: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let has = |needle: &[u8]| memchr::memmem::find(bytes, needle).is_some();
        let exotic = has(b"\xc2\x85") || has(b"\xe2\x80\xa8") || has(b"\xe2\x80\xa9");
        Self {
            text,
            pos: 0,
            line: 0,
            keys: true,
            flow: 0,
            exotic,
            json: false,
        }
    }

    /// The byte here; none at the end.
    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.pos).copied()
    }

    /// The rest of the text.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.pos..).unwrap_or_default()
    }

    /// Bytes since the start of the line. Only what stands before a token of a block collection matters, which is ASCII.
    pub(super) const fn column(&self) -> usize {
        self.pos - self.line
    }

    /// The length of the line break at a position, or 0.
    pub(super) fn break_at(&self, at: usize) -> usize {
        match self.text.as_bytes().get(at..).unwrap_or_default() {
            // The pair is one break: it comes before its first byte alone.
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            [0xc2, 0x85, ..] => 2,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => 0,
        }
    }

    /// Returns whether a blank, a line break or the end is at a position.
    pub(super) fn is_blank_at(&self, at: usize) -> bool {
        match self.text.as_bytes().get(at) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r') => true,
            Some(0xc2 | 0xe2) => self.exotic && self.break_at(at) > 0,
            Some(_) => false,
        }
    }

    /// Returns whether an indicator of block collections is here: the character, and a blank after it.
    pub(super) fn is_indicator(&self, indicator: u8) -> bool {
        self.byte() == Some(indicator) && self.is_blank_at(self.pos + 1)
    }

    /// Returns whether the document ends here: with the text, or at a marker.
    pub(super) fn is_end(&self) -> bool {
        match self.rest() {
            [] => true,
            // Only at the very start of a line, with a blank behind: `---x` is text.
            [b'-', b'-', b'-', ..] | [b'.', b'.', b'.', ..] => {
                self.column() == 0 && self.is_blank_at(self.pos + 3)
            }
            _ => false,
        }
    }

    /// Passes over blanks within a line.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.byte() {
            self.pos += 1;
        }
    }

    /// Passes over all up to the next line break.
    pub(super) fn skip_line(&mut self) {
        self.pos = self.line_end(self.pos);
    }

    /// The end of the line of a position, before its break.
    pub(super) fn line_end(&self, from: usize) -> usize {
        let bytes = self.text.as_bytes();
        if !self.exotic {
            return memchr::memchr2(b'\n', b'\r', &bytes[from..]).map_or(bytes.len(), |i| from + i);
        }
        (from..bytes.len())
            .find(|&at| self.break_at(at) > 0)
            .unwrap_or(bytes.len())
    }

    /// Passes over the line break here and gives it as go-yaml keeps it; none if there is none.
    pub(super) fn take_break(&mut self) -> Option<char> {
        let length = self.break_at(self.pos);
        let normal = match length {
            0 => return None,
            // U+2028 and U+2029 are kept as they are; all other breaks become a line feed.
            3 => self.text[self.pos..].chars().next()?,
            _ => '\n',
        };
        self.pos += length;
        self.line = self.pos;
        Some(normal)
    }

    /// Passes over blanks, comments and line breaks to the next token.
    ///
    /// # Errors
    /// A tab where only spaces may be.
    pub(super) fn next_token(&mut self) -> SyntaxResult {
        loop {
            match self.byte() {
                Some(b' ') => self.pos += 1,
                // Within brackets, or behind something on the line, a tab is a blank; as indentation it is an error.
                Some(b'\t') if self.flow > 0 || !self.keys => self.pos += 1,
                Some(b'\t') => return Err(syntax::tab(self.pos)),
                Some(b'#') => self.skip_line(),
                Some(b'\n' | b'\r') => self.next_line(),
                Some(0xc2 | 0xe2) if self.exotic && self.break_at(self.pos) > 0 => self.next_line(),
                Some(_) | None => return Ok(()),
            }
        }
    }

    fn next_line(&mut self) {
        self.take_break();
        // Within brackets, indentation means nothing, so no key of a block begins there.
        if self.flow == 0 {
            self.keys = true;
        }
    }
}
