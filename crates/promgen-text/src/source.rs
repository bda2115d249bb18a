//! Input texts and places in them.
//!
//! In: named byte strings, as the caller read them. Out: [`Sources`], which turn a byte [`Span`] into line and column.
//! Reads nothing itself: the caller hands over everything beforehand.

mod bytes;
pub(crate) mod numbers;

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::shared::Shared;
pub use bytes::{FileBytes, SourceText};

/// One input: a name for messages, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name in messages: a path as the user wrote it, or `<stdin>`.
    pub name: String,
    /// The bytes, UTF-8 for anything that can be compiled. What is not becomes a diagnostic.
    pub bytes: FileBytes,
    /// It holds no objects of its own, and is only there for what refers to it: a base or an input of a kustomization.
    pub is_asset: bool,
    /// The lowest folder that the file belongs to, if a link leads out of its own folder. A kustomization in that folder, or
    /// above it, may read the file.
    pub belongs_to: Option<String>,
    /// Why the caller did not read the file, which becomes a diagnostic. The bytes are empty then.
    pub unread: Option<Unread>,
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unread {
    /// A link leads out of the folder that the file has to be in.
    Outside,
    /// It is a pipe, a device, or something else without an end.
    Irregular,
    /// It is a link to this path, where there is nothing.
    BrokenLink(String),
    /// The error of the system.
    Failed(String),
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("it leads out of the repository"),
            Self::Irregular => f.write_str("it is not a regular file"),
            Self::BrokenLink(target) => write!(f, "it leads to `{target}`, which does not exist"),
            Self::Failed(error) => f.write_str(error),
        }
    }
}

impl Input {
    /// An input from anything that holds bytes or text.
    pub fn new(name: impl Into<String>, bytes: impl Into<FileBytes>) -> Self {
        Self {
            name: name.into(),
            bytes: bytes.into(),
            is_asset: false,
            belongs_to: None,
            unread: None,
        }
    }

    /// An input that is there, but was not read.
    #[must_use]
    pub fn unread(name: impl Into<String>, why: Unread) -> Self {
        Self {
            unread: Some(why),
            ..Self::new(name, "")
        }
    }

    /// An input that something refers to.
    #[must_use]
    pub fn asset(self) -> Self {
        Self {
            is_asset: true,
            ..self
        }
    }
}

/// The line above each YAML document that promgen writes, by which it recognizes its own output in the input.
pub const GENERATED: &str = "# promgen: generated";

/// The name of the record of generated files that cannot carry the mark, at the root of a tree. It is hidden, and no tool
/// takes it for a manifest.
pub const RECORD: &str = ".promgen.sha256";

/// The number of a file in [`Sources`]. Files that come later have greater numbers. A file keeps its number in the sources of
/// later inputs ([`Sources::with`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// That number, for a text that is in no [`Sources`], or in those of nobody else.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

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

    /// Returns whether another place is this one, or within it.
    #[must_use]
    pub fn holds(self, other: Self) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
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
    pub text: SourceText,
    /// Why there is no text, if the file is not read.
    pub unread: Option<Unread>,
    /// The number of line breaks that stand before each block, and in all; counted when a place is first asked for, as
    /// most files are never pointed into.
    breaks_before: OnceLock<Vec<u32>>,
    /// A byte is a character; found out with the first place too.
    is_ascii: OnceLock<bool>,
}

impl SourceFile {
    fn breaks_before(&self) -> &[u32] {
        self.breaks_before.get_or_init(|| {
            let blocks = self.text.as_bytes().chunks(BLOCK).map(n_breaks);
            let sums = blocks.scan(0, |sum, n| {
                *sum += n;
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        })
    }

    /// The number, from 1, of the line that holds that byte.
    #[must_use]
    pub fn line_of(&self, offset: u32) -> usize {
        let offset = (offset as usize).min(self.text.len());
        let block = offset / BLOCK;
        let in_block = n_breaks(&self.text.as_bytes()[block * BLOCK..offset]);
        (self.breaks_before()[block] + in_block) as usize + 1
    }

    /// One past the `n`th line break; the end of the text if it has fewer.
    fn behind_break(&self, n: usize) -> usize {
        let before = self.breaks_before();
        let block = before
            .partition_point(|breaks| (*breaks as usize) < n)
            .saturating_sub(1);
        let start = block * BLOCK;
        let mut breaks =
            memchr::memchr_iter(b'\n', &self.text.as_bytes()[start.min(self.text.len())..]);
        breaks
            .nth(n - 1 - before[block] as usize)
            .map_or(self.text.len(), |at| start + at + 1)
    }

    /// The first byte of a line, counted from 1, and one past its last, which is its line break if it has one. Past
    /// the last line: the end of the text.
    #[must_use]
    pub fn line_range(&self, line: usize) -> std::ops::Range<usize> {
        let start = |line: usize| {
            if line == 0 {
                0
            } else {
                self.behind_break(line)
            }
        };
        start(line - 1)..start(line)
    }
}

/// The bytes of a block, of which the line breaks are counted: to list where they are takes ten times as long.
const BLOCK: usize = 4096;

fn n_breaks(text: &[u8]) -> u32 {
    u32::try_from(memchr::memchr_iter(b'\n', text).count()).expect("texts are shorter than 4 GiB")
}

/// All texts of a run. Its clones share the texts.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// By their numbers.
    files: Vec<(FileId, Shared<SourceFile>)>,
}

impl Sources {
    /// Adds a file behind the others and gives its number.
    pub fn add(&mut self, name: String, text: String) -> FileId {
        let id = numbers::next(self.files.last().map(|(id, _)| *id));
        self.add_as(id, name, text.into(), None);
        id
    }

    /// Adds a file behind the others.
    pub(crate) fn add_as(
        &mut self,
        id: FileId,
        name: String,
        text: SourceText,
        unread: Option<Unread>,
    ) {
        let file = SourceFile {
            name,
            text,
            unread,
            breaks_before: OnceLock::new(),
            is_ascii: OnceLock::new(),
        };
        self.files.push((id, Shared::new(file)));
    }

    /// Adds a file of other sources, behind the others.
    pub(crate) fn share(&mut self, id: FileId, file: &Shared<SourceFile>) {
        self.files.push((id, file.clone()));
    }

    /// The number of files that stand before that one. `None` if there is none of that number.
    #[must_use]
    pub fn index_of(&self, id: FileId) -> Option<usize> {
        self.files.binary_search_by_key(&id, |(id, _)| *id).ok()
    }

    /// The file of that number. `None` if there is none.
    pub(crate) fn get(&self, id: FileId) -> Option<&Shared<SourceFile>> {
        self.index_of(id).map(|index| &self.files[index].1)
    }

    fn shared(&self, id: FileId) -> &Shared<SourceFile> {
        self.get(id).expect("a place is in one of the files")
    }

    /// Returns whether other sources have the same text under that number.
    #[must_use]
    pub fn has_text_of(&self, other: &Self, id: FileId) -> bool {
        let (Some(own), Some(others)) = (self.get(id), other.get(id)) else {
            return false;
        };
        own.is_same(others) || own.text == others.text
    }

    /// The file of that number.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        self.shared(id)
    }

    /// What `make` derives of a file and its number, once for all runs that share the file.
    pub fn derive<D: Any + Send + Sync>(
        &self,
        id: FileId,
        make: impl FnOnce(&SourceFile) -> D,
    ) -> Arc<D> {
        self.shared(id).derive(make)
    }

    /// All files with their numbers.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (FileId, &SourceFile)> {
        self.files.iter().map(|(id, file)| (*id, &**file))
    }

    /// The text below a span.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file)
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// The start of a span.
    #[must_use]
    pub fn start(&self, span: Span) -> Position {
        self.position(span.file, span.start)
    }

    /// The end of a span (one past its last character).
    #[must_use]
    pub fn end(&self, span: Span) -> Position {
        self.position(span.file, span.end)
    }

    fn position(&self, file: FileId, offset: u32) -> Position {
        let file = self.file(file);
        let offset = (offset as usize).min(file.text.len());
        let line = file.line_of(u32::try_from(offset).unwrap_or(u32::MAX));
        let before = &file.text.as_bytes()[file.line_range(line).start..offset];
        // A manifest of one long line has places at its end too: to count them all again each time would take too long.
        let is_ascii = *file.is_ascii.get_or_init(|| file.text.is_ascii());
        let n_before = if is_ascii {
            before.len()
        } else {
            String::from_utf8_lossy(before).chars().count()
        };
        Position {
            line,
            column: n_before + 1,
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
        assert_eq!(
            sources.start(Span::new(file, 9, 10)),
            Position { line: 2, column: 4 }
        );
        assert_eq!(sources.start(Span::new(file, 0, 1)).to_string(), "1:1");
    }

    #[test]
    fn lines_are_found_by_byte_and_by_number() {
        let mut sources = Sources::default();
        let file = sources.add("a.yaml".into(), "a\nbc\n\nd".into());
        let file = sources.file(file);
        assert_eq!(
            [0, 1, 2, 4, 5, 6, 7].map(|offset| file.line_of(offset)),
            [1, 1, 2, 2, 3, 4, 4]
        );
        assert_eq!(
            [1, 2, 3, 4, 5].map(|line| &file.text[file.line_range(line)]),
            ["a\n", "bc\n", "\n", "d", ""]
        );
    }

    #[test]
    fn lines_of_a_long_text_are_found_too() {
        let lines: Vec<String> = (0..700)
            .map(|i| format!("{}\n", "x".repeat(i * 7 % 91 + i / 600 * BLOCK)))
            .collect();
        for text in [
            lines.concat(),
            lines.concat() + "end",
            "\n".repeat(2 * BLOCK),
            "x".repeat(2 * BLOCK),
        ] {
            let mut sources = Sources::default();
            let file = sources.add("a.yaml".into(), text.clone());
            let (file, mut start) = (sources.file(file), 0);
            for (index, line) in text.split_inclusive('\n').enumerate() {
                assert_eq!(file.line_range(index + 1), start..start + line.len());
                let last = u32::try_from(start + line.len() - 1).unwrap();
                assert_eq!(
                    (file.line_of(start.try_into().unwrap()), file.line_of(last)),
                    (index + 1, index + 1)
                );
                start += line.len();
            }
            let n_lines = text.matches('\n').count() + 1;
            assert_eq!(file.line_range(n_lines + 1), text.len()..text.len());
            assert_eq!(file.line_of(u32::MAX), n_lines);
        }
    }
}
