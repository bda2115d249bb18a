//! The table of facts: what the operator's releases have, as `cargo xtask facts` reads it from their code.
//!
//! `facts/operator.txt` is the one place for these facts; docs/facts.md says what its rows mean. Three parts stand below its
//! first line, which has the version of the format: rows about the code (`noun name release value`), blocks of what a release
//! changed, and the types of the newest release.

pub mod types;

/// The facts of releases in the table. The types are compiled into those of [`api`](crate::api).
pub const TABLE: &str = promgen_derive::facts_of_releases!();

/// All of the table.
#[cfg(test)]
pub(crate) const WHOLE: &str = include_str!("../facts/operator.txt");

/// The first line of a table in the format that is read here.
pub const FORMAT: &str = "promgen facts 1";

/// A row about the code of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeRow {
    /// The subject: `flag`.
    pub noun: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The first release of which this is known; it holds up to the next row of that name.
    pub since: &'static str,
    /// The value, `gone` if it is there no longer.
    pub value: &'static str,
}

/// The number of rows about a noun.
pub(crate) const fn number_of(noun: &str) -> usize {
    let mut number = 0;
    while find(noun, None, number).is_some() {
        number += 1;
    }
    number
}

/// The row of that number about a noun. It must be there: the program does not compile otherwise.
pub(crate) const fn row(noun: &str, number: usize) -> CodeRow {
    find(noun, None, number).expect("the table has so many rows about the noun")
}

/// The row of that number about a name, the oldest release first. None if there are fewer.
pub(crate) const fn of_name(noun: &str, name: &str, number: usize) -> Option<CodeRow> {
    find(noun, Some(name), number)
}

/// The row of the newest release about a name. It must be there: the program does not compile otherwise.
pub(crate) const fn newest(noun: &str, name: &str) -> CodeRow {
    let mut number = 0;
    while of_name(noun, name, number + 1).is_some() {
        number += 1;
    }
    of_name(noun, name, number).expect("the table has a row of that name")
}

const fn find(noun: &str, name: Option<&str>, number: usize) -> Option<CodeRow> {
    let (mut rest, mut n_found) = (TABLE, 0);
    loop {
        let (line, after) = cut(rest, b'\n');
        if rest.is_empty() || is_block(line) {
            return None;
        }
        rest = after;
        if !starts_with(line, noun) {
            continue;
        }
        let row = code_row(line);
        let is_of_name = match name {
            Some(name) => same(row.name, name),
            None => true,
        };
        if is_of_name && n_found == number {
            return Some(row);
        }
        n_found += is_of_name as usize;
    }
}

/// All rows about a noun, in the order of the table.
pub fn code_rows(noun: &str) -> impl Iterator<Item = CodeRow> {
    let lines = TABLE
        .lines()
        .take_while(|line| !is_block(line))
        .map(code_row);
    lines.filter(move |row| row.noun == noun)
}

/// The lines of all blocks with that title, each with the rest of its title: `changes v0.81.0`.
pub fn blocks(title: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut of = None;
    TABLE
        .lines()
        .filter_map(move |line| match line.split_once(' ') {
            Some(("+" | "~", _)) => of.map(|of| (of, line)),
            Some((other, rest)) if is_block(line) => {
                of = (other == title).then_some(rest);
                None
            }
            _ => None,
        })
}

const fn code_row(line: &'static str) -> CodeRow {
    let (noun, rest) = cut(line, b' ');
    let (name, rest) = cut(rest, b' ');
    let (since, value) = cut(rest, b' ');
    CodeRow {
        noun,
        name,
        since,
        value,
    }
}

/// Returns whether a line begins a block, above which all rows about the code stand.
const fn is_block(line: &str) -> bool {
    starts_with(line, "changes")
        || starts_with(line, "version")
        || starts_with(line, "kind")
        || starts_with(line, "type")
}

/// Returns whether that is the first word of a line.
const fn starts_with(line: &str, word: &str) -> bool {
    let (line, word) = (line.as_bytes(), word.as_bytes());
    let mut at = 0;
    while at < word.len() && at < line.len() && line[at] == word[at] {
        at += 1;
    }
    at == word.len() && at < line.len() && line[at] == b' '
}

/// A text before and after a delimiter.
pub(crate) const fn cut(text: &str, delimiter: u8) -> (&str, &str) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == delimiter {
            return (text.split_at(at).0, text.split_at(at + 1).1);
        }
        at += 1;
    }
    (text, "")
}

pub(crate) const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_format_that_is_read() {
        assert_eq!(TABLE.lines().next(), Some(FORMAT));
        for line in TABLE.lines().take_while(|line| !is_block(line)).skip(1) {
            let row = code_row(line);
            let is_known =
                ["release", "feature", "flag", "function", "job", "supports"].contains(&row.noun);
            assert!(
                line.is_empty() || line.starts_with('#') || is_known && row.since.len() > 1,
                "{line}"
            );
        }
    }

    #[test]
    fn rows_are_found_by_name_and_release() {
        let row = newest("feature", "PrometheusTopologySharding");
        assert_eq!((row.since, row.value), ("v0.92.0", "on"));
        assert_eq!(
            of_name("feature", "PrometheusTopologySharding", 0).map(|row| row.value),
            Some("off")
        );
        assert_eq!(of_name("feature", "Prometheus", 0), None);
    }
}
