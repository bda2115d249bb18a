//! The table of the chart: what each release of it reads, installs and sets by default.
//!
//! `cargo xtask charts` writes it, in the form of the table of facts: `noun name version value`, where a row holds from its
//! version on, up to the next one of the same name. `build.rs` makes the rows of it that are here.

include!(concat!(env!("OUT_DIR"), "/chart.rs"));

/// A row, with the numbers of the first version that it is of, and of the first one behind those.
#[derive(Debug)]
pub(super) struct TableRow {
    pub(super) name: &'static str,
    pub(super) value: &'static str,
    from: u16,
    until: u16,
}

impl TableRow {
    /// Returns whether it is of the version with that number.
    pub(super) fn is_of(&self, version: u16) -> bool {
        (self.from..self.until).contains(&version)
    }
}

/// The number of a version.
pub(super) fn number(version: &str) -> Option<u16> {
    let at = VERSIONS.iter().position(|known| *known == version)?;
    u16::try_from(at).ok()
}

/// What a version has of rows: names and values, in the order of the table.
pub(super) fn at(
    rows: &'static [TableRow],
    version: &str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    let version = number(version);
    let own = rows
        .iter()
        .filter(move |row| version.is_some_and(|version| row.is_of(version)));
    own.map(|row| (row.name, row.value))
}

#[cfg(test)]
mod tests {
    use promgen_resources::facts;

    use super::*;

    const TABLE: &str = include_str!("../../../facts/chart.txt");

    #[test]
    fn the_table_has_the_format_of_facts() {
        let table = facts::FactTable::read(TABLE).unwrap();
        for row in &table.code {
            let nouns = [
                "release", "operator", "form", "field", "unread", "read", "value", "unknown",
            ];
            assert!(nouns.contains(&row.noun), "{row:?}");
        }
        let is_there = |row: &&facts::CodeRow<'_>| row.value != "gone";
        for (noun, rows) in [("field", FIELD), ("read", READ), ("value", VALUE)] {
            let of_noun = table.code.iter().filter(|row| row.noun == noun);
            assert_eq!(of_noun.filter(is_there).count(), rows.len(), "{noun}");
        }
    }

    #[test]
    fn a_row_is_of_the_versions_up_to_the_next_one() {
        let operator = |version| {
            at(OPERATOR, version)
                .map(|(_, operator)| operator)
                .collect()
        };
        for (version, expected) in [
            ("45.0.0", vec!["v0.63.0"]),
            ("75.11.0", vec!["v0.83.0"]),
            ("1.0.0", vec![]),
        ] {
            let found: Vec<&str> = operator(version);
            assert_eq!(found, expected, "{version}");
        }
        for row in FIELD.iter().chain(READ).chain(VALUE) {
            assert!(row.from < row.until, "{row:?}");
        }
    }
}
