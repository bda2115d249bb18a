//! The table of the chart: what each release of it reads, installs and sets by default.
//!
//! `cargo xtask charts` writes it, in the form of the table of facts: `noun name version value`, where a row holds from its
//! version on, up to the next one of the same name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use promgen_resources::facts::{CodeRow, FactTable};
use promgen_text::version::Version;

/// The table.
const TABLE: &str = include_str!("../../../facts/chart.txt");

/// The value of a row that a version has no longer.
const GONE: &str = "gone";

/// All rows, in the order of the table.
static ROWS: LazyLock<Vec<CodeRow<'_>>> = LazyLock::new(|| {
    let table = FactTable::read(TABLE);
    table.expect("a test reads the table").code
});

/// All rows of a noun, in the order of the table.
pub(super) fn rows(noun: &str) -> impl Iterator<Item = CodeRow<'static>> {
    ROWS.iter().filter(move |row| row.noun == noun).copied()
}

/// What a version has of a noun: names and values, in the order of the table.
pub(super) fn at(noun: &str, version: &Version) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    let mut holds: BTreeMap<&str, bool> = BTreeMap::new();
    let (mut last, mut is_held) = ("", false);
    for row in rows(noun) {
        if row.since != last {
            last = row.since;
            let ask = || Version::parse(last).is_some_and(|since| since <= *version);
            is_held = *holds.entry(last).or_insert_with(ask);
        }
        if !is_held {
            continue;
        }
        match found.last_mut() {
            Some((name, value)) if *name == row.name => *value = row.value,
            _ => found.push((row.name, row.value)),
        }
    }
    found.retain(|(_, value)| *value != GONE);
    found
}

/// Returns whether a row takes away what was there.
pub(super) fn is_gone(row: &CodeRow<'_>) -> bool {
    row.value == GONE
}
