//! The table of facts: what the operator's releases have, as `cargo xtask facts` reads it from their code.
//!
//! `facts/operator.txt` is the one place for these facts; docs/facts.md says what its rows mean. Three parts stand below its
//! first line, which has the version of the format: rows about the code (`noun name release value`), blocks of what a release
//! changed, and the types of the newest release.

pub mod types;

use std::sync::LazyLock;

use memchr::memchr;
use types::FactTypes;

/// What the table says of releases. The types are those of [`api`](crate::api).
static RELEASES: LazyLock<FactTable<'static>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/releases.txt"));
    FactTable::read(text).expect("a test reads the table")
});

/// All of the table.
#[cfg(test)]
pub(crate) const WHOLE: &str = include_str!("../facts/operator.txt");

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

/// All rows about a noun, in the order of the table.
pub fn code_rows(noun: &str) -> impl Iterator<Item = CodeRow<'static>> {
    let rows = RELEASES.code.iter();
    rows.filter(move |row| row.noun == noun).copied()
}

/// All rows about a name, the oldest release first.
pub(crate) fn of_name(noun: &str, name: &str) -> impl Iterator<Item = CodeRow<'static>> {
    code_rows(noun).filter(move |row| row.name == name)
}

/// The value of a name in the newest release. Empty if the table has no such row.
pub(crate) fn newest(noun: &str, name: &str) -> &'static str {
    of_name(noun, name).last().map_or("", |row| row.value)
}

/// The lines of all blocks with that title, each with the rest of its title: `changes v0.81.0`.
pub fn blocks(title: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = RELEASES.blocks.iter();
    lines.filter_map(move |(block, line)| {
        let (of, rest) = block.split_once(' ')?;
        (of == title).then_some((rest, *line))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_format_that_is_read() {
        let table = FactTable::read(WHOLE).unwrap();
        assert_eq!(
            (&table.code, &table.blocks),
            (&RELEASES.code, &RELEASES.blocks)
        );
        for row in &table.code {
            let nouns = ["release", "feature", "flag", "function", "job", "supports"];
            assert!(nouns.contains(&row.noun) && row.since.len() > 1, "{row:?}");
        }
        let lines = WHOLE.lines().filter(|line| {
            let mut words = line.split(' ');
            words.next().is_some_and(|noun| {
                ![
                    "", "#", "changes", "version", "+", "~", "kind", "type", "promgen",
                ]
                .contains(&noun)
            })
        });
        assert_eq!(table.code.len(), lines.count());
    }

    #[test]
    fn rows_are_found_by_name_and_release() {
        let rows: Vec<_> = of_name("feature", "PrometheusTopologySharding")
            .map(|row| (row.since, row.value))
            .collect();
        assert_eq!(rows, [("v0.80.0", "off"), ("v0.92.0", "on")]);
        assert_eq!(newest("feature", "PrometheusTopologySharding"), "on");
        assert_eq!(of_name("feature", "Prometheus").count(), 0);
    }
}
