//! Tables of facts: what the releases of a program have, as an `xtask` reads it from their code. This crate alone reads them, where promgen
//! is compiled and where it runs.
//!
//! In: the text of a table. Out: its rows, its blocks, and the types of the newest release. docs/facts.md says what its rows mean. Three
//! parts stand below its first line, which has the version of the format: rows about the code (`noun name release value`), blocks of what a
//! release changed, and types.

pub mod types;

use memchr::memchr;
use types::FactTypes;

/// The first line of a table in the format that is read here.
pub const FORMAT: &str = "promgen facts 1";

/// A table, or the part of one that is about releases.
#[derive(Debug, Default, PartialEq)]
pub struct FactTable<'t> {
    /// The rows about the code, in order.
    pub code: Vec<CodeRow<'t>>,
    /// The lines of blocks, each below the title of its block: `changes v0.81.0`.
    pub blocks: Vec<(&'t str, &'t str)>,
    /// The types.
    pub types: FactTypes<'t>,
}

/// A row about the code of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRow<'t> {
    /// The subject: `flag`.
    pub noun: &'t str,
    /// Its name.
    pub name: &'t str,
    /// The first release of which this is known; it holds up to the next row of that name.
    pub since: &'t str,
    /// The value, `gone` if it is there no longer.
    pub value: &'t str,
}

impl<'t> FactTable<'t> {
    /// Reads a table.
    ///
    /// # Errors
    /// Which line is wrong, and why.
    pub fn read(text: &'t str) -> Result<Self, String> {
        if text.lines().next() != Some(FORMAT) {
            return Err(format!("expected {FORMAT:?} in the first line"));
        }
        let mut table = Self::default();
        let mut block = "";
        for (number, line) in text.lines().enumerate().skip(1) {
            let wrong = |why: String| format!("line {}: {why}", number + 1);
            match line.split_once(' ').unwrap_or((line, "")) {
                ("" | "#", "") | ("#", _) => {}
                ("changes" | "version", _) => block = line,
                ("+" | "~", _) => table.blocks.push((block, line)),
                ("kind" | "type" | "", _) => table.types.take(line).map_err(wrong)?,
                (noun, rest) => table.code.extend(code_row(noun, rest)),
            }
        }
        Ok(table)
    }
}

/// A text before and after the first of a separator, which is ASCII.
fn cut(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = memchr(separator, text.as_bytes())?;
    Some((&text[..at], &text[at + 1..]))
}

fn code_row<'t>(noun: &'t str, rest: &'t str) -> Option<CodeRow<'t>> {
    let (name, rest) = cut(rest, b' ')?;
    let (since, value) = cut(rest, b' ')?;
    Some(CodeRow {
        noun,
        name,
        since,
        value,
    })
}
