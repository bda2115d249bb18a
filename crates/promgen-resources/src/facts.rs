//! The table of facts: what the operator's releases have, as `cargo xtask facts` reads it from their code.
//!
//! `facts/operator.txt` is the one place for these facts; docs/facts.md says what its rows mean.

use std::sync::LazyLock;

pub use promgen_facts::{CodeRow, FORMAT, FactTable, types};

/// What the table says of releases. The types are those of [`api`](crate::api).
static RELEASES: LazyLock<FactTable<'static>> = LazyLock::new(|| {
    let text = include_str!(concat!(env!("OUT_DIR"), "/releases.txt"));
    FactTable::read(text).expect("a test reads the table")
});

/// All of the table.
#[cfg(test)]
pub(crate) const WHOLE: &str = include_str!("../facts/operator.txt");

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
