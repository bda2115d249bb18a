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

/// A row, with the version from which on it holds.
struct DatedRow {
    row: CodeRow<'static>,
    since: Version,
}

/// All rows by their noun, in the order of the table.
static ROWS: LazyLock<BTreeMap<&str, Vec<DatedRow>>> = LazyLock::new(|| {
    let table = FactTable::read(TABLE).expect("a test reads the table");
    let mut rows: BTreeMap<&str, Vec<DatedRow>> = BTreeMap::new();
    let mut versions: BTreeMap<&str, Option<Version>> = BTreeMap::new();
    for row in table.code {
        let since = versions
            .entry(row.since)
            .or_insert_with(|| Version::parse(row.since));
        if let Some(since) = since.clone() {
            rows.entry(row.noun)
                .or_default()
                .push(DatedRow { row, since });
        }
    }
    rows
});

fn of_noun(noun: &str) -> &'static [DatedRow] {
    ROWS.get(noun).map_or(&[], Vec::as_slice)
}

/// All rows of a noun, in the order of the table.
pub(super) fn rows(noun: &str) -> impl Iterator<Item = CodeRow<'static>> {
    of_noun(noun).iter().map(|row| row.row)
}

/// What a version has of a noun: names and values, in the order of the table.
pub(super) fn at(noun: &str, version: &Version) -> Vec<(&'static str, &'static str)> {
    let mut found: Vec<(&str, &str)> = Vec::new();
    let rows = of_noun(noun).iter().filter(|row| row.since <= *version);
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
