//! The rows of the table of the chart, each with the versions that it is of: what a run reads of the table.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "reads a file of the crate where it is compiled"
)]

use std::fmt::Write as _;
use std::path::Path;

use promgen_facts::{CodeRow, FactTable};

/// The table.
const TABLE: &str = "facts/chart.txt";

fn main() {
    println!("cargo::rerun-if-changed={TABLE}");
    let table = std::fs::read_to_string(TABLE).expect("the crate has its table");
    let rows = FactTable::read(&table).expect(TABLE).code;
    let releases = rows.iter().filter(|row| row.noun == "release");
    let versions = releases.flat_map(|row| {
        std::iter::once(row.since).chain(row.value.split(' ').filter(|other| !other.is_empty()))
    });
    let versions: Vec<&str> = versions.collect();
    let number = |version: &str| versions.iter().position(|known| *known == version);
    let mut text = format!(
        "/// All versions, in their order.\npub(super) static VERSIONS: &[&str] = &{versions:?};\n"
    );
    for noun in ["operator", "form", "field", "unread", "read", "value"] {
        let all: Vec<&CodeRow<'_>> = rows.iter().filter(|row| row.noun == noun).collect();
        let _ = writeln!(
            text,
            "/// The rows about a {noun}.\npub(super) static {}: &[TableRow] = &[",
            noun.to_uppercase()
        );
        for (at, row) in all.iter().enumerate() {
            let CodeRow {
                name, since, value, ..
            } = row;
            let next = all.get(at + 1).filter(|next| next.name == *name);
            let until = next.map_or(Some(versions.len()), |next| number(next.since));
            let (from, until) = number(since).zip(until).expect(since);
            if *value != "gone" {
                let _ = writeln!(
                    text,
                    "TableRow {{ name: {name:?}, value: {value:?}, from: {from}, until: {until} }},"
                );
            }
        }
        text.push_str("];\n");
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo has a folder for it");
    std::fs::write(Path::new(&folder).join("chart.rs"), text).expect("the folder can be written");
}
