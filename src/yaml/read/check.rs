//! What Go's reader refuses and the YAML crate lets pass: control characters, tabs that indent, Unicode's own line
//! separators.
//!
//! Candidates are looked for in the bare text, which nearly never has any; those that turn out to stand within a scalar
//! or between brackets are cleared while the parser passes over them. What is left is a fault.

use std::ops::Range;

use super::syntax::{self, Fault};

/// Finds the first character that go-yaml's reader does not accept anywhere.
///
/// # Errors
/// That character.
pub(super) fn characters(text: &str) -> Result<(), Fault> {
    // Only these bytes can start such a character; ordinary text has none of them but, abroad, 0xc2 and 0xef.
    let suspicious = |b: u8| (b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r')) || matches!(b, 0x7f | 0xc2 | 0xef);
    if !text.bytes().any(suspicious) {
        return Ok(());
    }
    let refused = |c: char| {
        matches!(c, '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}')
            || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    match text.char_indices().find(|(_, c)| refused(*c)) {
        Some((at, c)) => Err(syntax::control_character(c, at)),
        None => Ok(()),
    }
}

/// What a stretch of text is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    Plain,
    Quoted,
    Block,
}

#[derive(Clone, Copy, Debug)]
struct Suspect {
    at: usize,
    character: char,
}

/// Characters that are a fault unless something covers them, in the order of the text.
#[derive(Debug)]
pub(super) struct Suspects {
    list: std::iter::Peekable<std::vec::IntoIter<Suspect>>,
}

impl Suspects {
    /// All candidates of a text.
    pub(super) fn of(text: &str) -> Self {
        let tabs = indenting_tabs(text.as_bytes()).map(|at| Suspect { at, character: '\t' });
        let separators = memchr::memmem::find_iter(text.as_bytes(), b"\xe2\x80")
            .filter_map(|at| text[at..].chars().next().map(|character| Suspect { at, character }))
            .filter(|suspect| matches!(suspect.character, '\u{2028}' | '\u{2029}'));
        let mut list: Vec<Suspect> = tabs.chain(separators).collect();
        list.sort_unstable_by_key(|suspect| suspect.at);
        Self { list: list.into_iter().peekable() }
    }

    /// Clears what stands within a scalar.
    ///
    /// # Errors
    /// Something stands before it that nothing covers, or ends a line within it that must not end there.
    pub(super) fn cover(&mut self, range: &Range<usize>, cover: Cover, text: &str) -> Result<(), Fault> {
        self.none_left(range.start)?;
        while let Some(suspect) = self.list.next_if(|suspect| suspect.at < range.end) {
            let ends_line = suspect.character != '\t'
                && match cover {
                    Cover::Quoted => false,
                    Cover::Block => true,
                    // Indented, what follows goes on with the text.
                    Cover::Plain => !text[suspect.at + suspect.character.len_utf8()..].starts_with(' '),
                };
            if ends_line {
                return Err(syntax::suspect(suspect.character, suspect.at));
            }
        }
        Ok(())
    }

    /// Clears what stands between brackets.
    pub(super) fn cover_flow(&mut self, range: Range<usize>) {
        while self.list.next_if(|suspect| range.contains(&suspect.at)).is_some() {}
    }

    /// Sees to it that nothing before `end` is left.
    ///
    /// # Errors
    /// The first that is.
    pub(super) fn none_left(&mut self, end: usize) -> Result<(), Fault> {
        match self.list.next_if(|suspect| suspect.at < end) {
            Some(suspect) => Err(syntax::suspect(suspect.character, suspect.at)),
            None => Ok(()),
        }
    }
}

/// Tabs that stand where only spaces may: at the start of a line, or after a `-`, `?`, `:` there. The first tab of a line
/// tells for all of it.
fn indenting_tabs(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let mut seen = 0;
    memchr::memchr_iter(b'\t', bytes).filter(move |&at| {
        let line = memchr::memrchr2(b'\n', b'\r', &bytes[seen..at]).map(|i| seen + i + 1);
        let first = line.is_some() || seen == 0;
        let before = &bytes[line.unwrap_or(0)..at];
        seen = at;
        first && indents(before)
    })
}

/// Whether a line's start has nothing but spaces and indicators of block collections.
fn indents(mut before: &[u8]) -> bool {
    loop {
        before = before.trim_ascii_start();
        match before {
            [] | [b'-' | b'?' | b':'] => return true,
            [b'-' | b'?' | b':', b' ', after @ ..] => before = after,
            _ => return false,
        }
    }
}
