//! Input texts and places in them.
//!
//! In: named byte strings, as the caller read them. Out: [`Sources`], which turn a byte [`Span`] into line and column.
//! Reads nothing itself: the caller hands over everything beforehand.

use std::fmt;

/// One input: a name for messages, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// What messages call it: a path as the user wrote it, or `<stdin>`.
    pub name: String,
    /// The bytes, UTF-8 for anything that can be compiled. What is not becomes a diagnostic.
    pub bytes: Vec<u8>,
}

impl Input {
    /// An input from anything that holds bytes or text.
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

/// The number of a file in [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span of `start..end` in `file`.
    #[must_use]
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A file's name and text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name that messages use.
    pub name: String,
    /// The text, without a byte order mark.
    pub text: String,
}

/// All texts of a run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and gives its number.
    pub fn add(&mut self, name: String, text: String) -> FileId {
        self.files.push(SourceFile { name, text });
        FileId(u32::try_from(self.files.len() - 1).expect("fewer than 2^32 files"))
    }

    /// The file of that number.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files with their numbers.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(u32::try_from(i).expect("fewer than 2^32 files")), f))
    }

    /// The text below a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Where a span starts.
    #[must_use]
    pub fn start(&self, span: Span) -> Position {
        self.position(span.file, span.start)
    }

    /// Where a span ends (one past its last character).
    #[must_use]
    pub fn end(&self, span: Span) -> Position {
        self.position(span.file, span.end)
    }

    fn position(&self, file: FileId, offset: u32) -> Position {
        let text = &self.file(file).text;
        let before = &text.as_bytes()[..(offset as usize).min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |i| i + 1);
        Position {
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_from_one() {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), "a: 1\nü: x\n".into());
        assert_eq!(sources.start(Span::new(file, 9, 10)), Position { line: 2, column: 4 });
        assert_eq!(sources.start(Span::new(file, 0, 1)).to_string(), "1:1");
    }
}
