//! Tables as text: sections of rows, each with a head. What stands above the first one explains them.

use promgen_text::CollectOrdered;
use std::collections::BTreeMap;

/// The sections of a table: the head and the rows of each.
pub(super) fn sections(
    table: &'static str,
) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    let sections = table.split("\n[").skip(1);
    sections.filter_map(|section| {
        let (head, rows) = section.split_once("]\n")?;
        let is_row = |row: &&str| !row.is_empty() && !row.starts_with('#');
        Some((head, rows.lines().filter(is_row)))
    })
}

/// The fields of each section, with what the table says of them.
pub(super) type FieldTable<V> = BTreeMap<&'static str, Vec<(&'static str, V)>>;

/// Reads a table whose rows are names of fields, and what holds for each of them.
pub(super) fn fields<V>(table: &'static str, read: fn(&'static str) -> V) -> FieldTable<V> {
    let of_row = |row: &'static str| {
        let (names, value) = row.split_once(' ').unwrap_or((row, ""));
        names.split(',').map(move |name| (name, read(value)))
    };
    sections(table)
        .map(|(head, rows)| (head, rows.flat_map(of_row).collect()))
        .collect_map()
}
