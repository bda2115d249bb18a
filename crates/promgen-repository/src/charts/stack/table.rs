//! The table of the chart: what each release of it reads, installs and sets by default.
//!
//! `cargo xtask charts` writes it, in the form of the table of facts: `noun name version value`, where a row holds from its
//! version on, up to the next one of the same name.

use std::sync::LazyLock;

use promgen_resources::facts::{CodeRow, FactTable};
use promgen_text::version::Version;

/// The table.
const TABLE: &str = include_str!("../../../facts/chart.txt");

/// The value of a row that a version has no longer.
const GONE: &str = "gone";

/// A row, with the version from which on it holds.
struct DatedRow {
    row: CodeRow<'static>,
    since: Version,
}

/// All rows, in the order of the table.
static ROWS: LazyLock<Vec<DatedRow>> = LazyLock::new(|| {
    let table = FactTable::read(TABLE).expect("a test reads the table");
    let row = |row: CodeRow<'static>| {
        let since = Version::parse(row.since)?;
        Some(DatedRow { row, since })
    };
    table.code.into_iter().filter_map(row).collect()
});

/// All rows of a noun, in the order of the table.
pub(super) fn rows(noun: &str) -> impl Iterator<Item = CodeRow<'static>> {
    let rows = ROWS.iter().filter(move |row| row.row.noun == noun);
    rows.map(|row| row.row)
}

/// What a version has of a noun: names and values, in the order of the table.
pub(super) fn at(noun: &str, version: &Version) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    let rows = ROWS
        .iter()
        .filter(|row| row.row.noun == noun && row.since <= *version);
    for DatedRow { row, .. } in rows {
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
