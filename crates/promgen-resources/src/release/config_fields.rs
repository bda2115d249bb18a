//! The fields of Alertmanager's own configuration, by its version.
//!
//! They stand in the table of [`arguments`], as `cargo xtask arguments` reads them from Alertmanager's types: a row is a path, and the
//! path at which the fields of its value stand, if it has some.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::arguments::{self, ArgumentVerdict, ProgramArguments};
use promgen_text::version::Version;

/// What is known of a field in a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigVerdict {
    /// Alertmanager knows it, or may do so.
    Taken,
    /// This later version is the first one of the table that knows it.
    Later(Version),
    /// An earlier version is the last to know it.
    Gone(Version),
    /// No version of the table knows it.
    Unknown {
        /// The version is in the table, so that Alertmanager surely refuses it.
        is_proven: bool,
    },
}

/// A field of a part of the configuration.
#[derive(Clone, Debug)]
pub struct ConfigField {
    /// What is known of it.
    pub verdict: ConfigVerdict,
    /// The part which its value is, or which each item of it is.
    pub part: Option<&'static str>,
}

/// A row of the table.
struct ConfigFieldRow {
    /// The field.
    key: &'static str,
    /// The part of its value.
    below: Option<&'static str>,
    /// Its name in the table.
    name: &'static str,
}

/// The rows by the part that has the field, in the order of the table.
static ROWS: LazyLock<BTreeMap<&'static str, Vec<ConfigFieldRow>>> = LazyLock::new(|| {
    let mut by_part: BTreeMap<&str, Vec<ConfigFieldRow>> = BTreeMap::new();
    for name in table().into_iter().flat_map(ProgramArguments::names) {
        let (path, below) = name
            .split_once(':')
            .map_or((name, None), |(path, of)| (path, Some(of)));
        let (part, key) = path.rsplit_once('.').unwrap_or(("", path));
        let row = ConfigFieldRow { key, below, name };
        by_part.entry(part).or_default().push(row);
    }
    by_part
});

fn rows(part: &str) -> &'static [ConfigFieldRow] {
    ROWS.get(part).map(Vec::as_slice).unwrap_or_default()
}

fn table() -> Option<&'static ProgramArguments<'static>> {
    arguments::of(arguments::ALERTMANAGER_CONFIG)
}

/// The newest version of the table.
#[must_use]
pub fn newest() -> Option<&'static Version> {
    table()?.releases.last()
}

/// The names of the fields of a part.
pub fn names(part: &str) -> impl Iterator<Item = &'static str> {
    rows(part).iter().map(|row| row.key)
}

/// The parts that have a field of that name.
#[must_use]
pub fn homes(key: &str) -> Vec<&'static str> {
    let parts = ROWS.iter();
    let with_key = parts.filter(|(_, rows)| rows.iter().any(|row| row.key == key));
    with_key.map(|(part, _)| *part).collect()
}

/// A part as users know it: one of many has the name of the field whose value it is.
#[must_use]
pub fn shown(part: &str) -> &str {
    let is_shared = part.starts_with(|c: char| c.is_ascii_uppercase());
    let mut users = ROWS.values().flatten();
    let user = users.find(|row| is_shared && row.below == Some(part));
    user.map_or(part, |row| row.key)
}

/// A field of a part in a version; without one, the table does not tell what is refused. Two rows differ in where the fields of the value stand.
#[must_use]
pub fn field(part: &str, key: &str, version: Option<&Version>) -> ConfigField {
    let unknown = |is_proven| ConfigField {
        verdict: ConfigVerdict::Unknown { is_proven },
        part: None,
    };
    let Some(table) = table() else {
        return unknown(false);
    };
    let ends = table
        .releases
        .first()
        .zip(table.releases.last())
        .zip(version);
    let is_covered =
        ends.is_some_and(|((first, last), version)| first <= version && version <= last);
    let found = rows(part).iter().filter(|row| row.key == key);
    let taken = |row| {
        version.map_or(ArgumentVerdict::Taken, |version| {
            table.verdict(row, version)
        })
    };
    let found: Vec<_> = found
        .map(|row| (row.below, row.name, taken(row.name)))
        .collect();
    let of_version = found.iter().find(|of| of.2 == ArgumentVerdict::Taken);
    let Some((below, _, verdict)) = of_version.or(found.last()) else {
        return unknown(is_covered);
    };
    let ranges = || found.iter().filter_map(|(_, row, _)| table.range(row));
    let verdict = match (ranges().map(|of| of.0).min(), ranges().map(|of| of.1).max()) {
        _ if *verdict == ArgumentVerdict::Taken => ConfigVerdict::Taken,
        (Some(first), _) if version < Some(first) => ConfigVerdict::Later(first.clone()),
        (_, Some(last)) if Some(last) < version => ConfigVerdict::Gone(last.clone()),
        _ => ConfigVerdict::Taken,
    };
    // A type whose fields the table lacks is a map of the user.
    let part = below.filter(|part| names(part).next().is_some());
    ConfigField { verdict, part }
}
