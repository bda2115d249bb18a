//! The table of the chart: what each release of it reads, installs and sets by default.
//!
//! `cargo xtask charts` writes it, in the form of the table of facts: `noun name version value`, where a row holds from its
//! version on, up to the next one of the same name.

use promgen_resources::facts::{self, CodeRow};
use promgen_text::version::Version;

/// The table.
const TABLE: &str = include_str!("../../../facts/chart.txt");

/// The value of a row that a version has no longer.
const GONE: &str = "gone";

/// All rows of a noun, in the order of the table.
pub(super) fn rows(noun: &'static str) -> impl Iterator<Item = CodeRow<'static>> {
    facts::rows(TABLE, noun)
}

/// What a version has of a noun: names and values, in the order of the table.
pub(super) fn at(noun: &'static str, version: &Version) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    // Most rows are as old as the one above.
    let mut last = ("", false);
    let mut is_held = |row: &CodeRow<'static>| {
        if row.since != last.0 {
            last = (row.since, holds(row, version));
        }
        last.1
    };
    for row in rows(noun).filter(|row| is_held(row)) {
        match found.last_mut() {
            Some((name, value)) if *name == row.name => *value = row.value,
            _ => found.push((row.name, row.value)),
        }
    }
    found.retain(|(_, value)| *value != GONE);
    found
}

/// Returns whether a row is of a version, or of one before it.
pub(super) fn holds(row: &CodeRow<'_>, version: &Version) -> bool {
    Version::parse(row.since).is_some_and(|since| since <= *version)
}

/// Returns whether a row takes away what was there.
pub(super) fn is_gone(row: &CodeRow<'_>) -> bool {
    row.value == GONE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_format_of_facts() {
        let table = facts::FactTable::read(TABLE).unwrap();
        let nouns = [
            "release", "operator", "form", "field", "unread", "read", "value",
        ];
        for row in table.code.iter().filter(|row| row.noun != "unknown") {
            assert!(nouns.contains(&row.noun), "{row:?}");
        }
        for noun in nouns {
            let read = table.code.iter().filter(|row| row.noun == noun);
            assert!(rows(noun).eq(read.copied()), "{noun}");
        }
    }
}
