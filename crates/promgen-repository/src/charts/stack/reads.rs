//! Which values the templates of the chart read, step by step.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use promgen_resources::facts::CodeRow;
use promgen_text::version::Version;

use super::table;

/// The value of a row whose value is read with all below it.
const WHOLE: &str = "whole";

/// The step to any item of a list or map.
pub(crate) const ITEM: &str = "[]";

/// All rows. Those of a value and of all below it stand together.
fn rows() -> &'static [CodeRow<'static>] {
    static READ: OnceLock<Vec<CodeRow<'_>>> = OnceLock::new();
    READ.get_or_init(|| table::rows("read").collect())
}

/// What is read of a value, by a version or by any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadValue<'v> {
    /// The rows of the value, and of all below it.
    rows: &'static [CodeRow<'static>],
    /// The length of the path to the value.
    above: usize,
    version: Option<&'v Version>,
}

impl<'v> ReadValue<'v> {
    /// What a version reads of all values; `None` for what some version reads.
    pub(crate) fn root(version: Option<&'v Version>) -> Self {
        Self {
            rows: rows(),
            above: 0,
            version,
        }
    }

    /// What some version reads.
    pub(crate) fn in_any_version() -> Self {
        Self::root(None)
    }

    /// The rows that are of the version: of each path the last one that holds.
    fn held(self) -> impl Iterator<Item = &'static CodeRow<'static>> {
        let holds = move |row: &CodeRow<'_>| {
            self.version
                .is_none_or(|version| table::holds(row, version))
        };
        let of_path = self.rows.chunk_by(|a, b| a.name == b.name);
        of_path.filter_map(move |rows| {
            let mut held = rows.iter().rev().filter(|row| holds(row));
            match self.version {
                Some(_) => held.next().filter(|row| !table::is_gone(row)),
                None => held.max_by_key(|row| (row.value == WHOLE, !table::is_gone(row))),
            }
        })
    }

    /// The step of a row from the value to what is below it: a key, or [`ITEM`].
    fn step_of(self, row: &CodeRow<'static>) -> Option<&'static str> {
        let rest = &row.name[self.above..];
        if rest.starts_with(ITEM) {
            return Some(ITEM);
        }
        let key = rest.strip_prefix('.').unwrap_or(rest);
        let key = key.split(['.', '[']).next().unwrap_or_default();
        (!key.is_empty()).then_some(key)
    }

    /// All below it is read, too. Otherwise templates only ask whether it is set.
    pub(crate) fn is_whole(self) -> bool {
        let mut own = self.held().filter(|row| row.name.len() == self.above);
        own.any(|row| row.value == WHOLE)
    }

    /// Some keys of it are read on their own, not with what is around it.
    pub(crate) fn is_apart(self) -> bool {
        let mut own = self.held().filter(|row| row.name.len() == self.above);
        own.any(|row| row.value != WHOLE) && self.has_below()
    }

    /// What is read of a key, or of any item.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        let is_root = self.above == 0;
        let dot = usize::from(!is_root && key != ITEM);
        let leads_to_it = |row: &&CodeRow<'_>| {
            let rest = &row.name[self.above..];
            let behind = rest.get(dot..).and_then(|rest| rest.strip_prefix(key));
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(['.', '[']))
                && (dot == 0 || rest.starts_with('.'))
        };
        let first = self.rows.iter().position(|row| leads_to_it(&row))?;
        let rows = &self.rows[first..];
        let below = Self {
            rows: &rows[..rows.iter().take_while(leads_to_it).count()],
            above: self.above + dot + key.len(),
            version: self.version,
        };
        below.held().next().map(|_| below)
    }

    /// What is read below a path.
    pub(crate) fn find(self, path: &[&str]) -> Option<Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Returns whether anything is read at a path. A key may be that of an item.
    pub(crate) fn has(self, path: &[&str]) -> bool {
        path.split_first()
            .is_none_or(|(key, rest)| self.step(key).any(|value| value.has(rest)))
    }

    /// What is read of the value of a key: by its name, and as any item.
    pub(crate) fn step(self, key: &str) -> impl Iterator<Item = Self> {
        [self.get(key), self.get(ITEM).filter(|_| key != ITEM)]
            .into_iter()
            .flatten()
    }

    /// Returns whether anything is read below it.
    pub(crate) fn has_below(self) -> bool {
        self.held().any(|row| row.name.len() > self.above)
    }

    /// The paths of the values that have a key, at most some steps long and without [`ITEM`].
    pub(crate) fn places_of(self, key: &str, max_steps: usize) -> Vec<Vec<&'static str>> {
        let mut places: Vec<Vec<&str>> = Vec::new();
        for row in self.held().filter(|row| row.name.contains(key)) {
            let steps = row.name.split('[').next().unwrap_or_default();
            let steps: Vec<&str> = steps.split('.').take(max_steps + 1).collect();
            let at = steps.iter().position(|step| *step == key);
            if let Some(place) = at.map(|at| steps[..at].to_vec())
                && !places.contains(&place)
            {
                places.push(place);
            }
        }
        places
    }

    /// The keys that are read, without [`ITEM`].
    pub(crate) fn keys(self) -> impl Iterator<Item = &'static str> {
        let mut last = "";
        let steps = self.held().filter_map(move |row| self.step_of(row));
        steps.filter(move |step| {
            let is_new = *step != last && *step != ITEM;
            last = step;
            is_new
        })
    }
}

/// The default values of a version that no template reads, as JSON.
pub(crate) fn unread_defaults(version: &str) -> BTreeMap<&'static str, &'static str> {
    Version::parse(version)
        .map(|version| table::at("unread", &version).into_iter().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(value: ReadValue<'_>, path: &str, found: &mut Vec<String>) {
        if value.held().any(|row| row.name.len() == value.above) {
            found.push(path.to_owned());
        }
        for key in value.keys().chain([ITEM]) {
            let dot = if path.is_empty() || key == ITEM {
                ""
            } else {
                "."
            };
            if let Some(below) = value.get(key) {
                paths(below, &format!("{path}{dot}{key}"), found);
            }
        }
    }

    #[test]
    fn the_rows_of_a_value_stand_together() {
        let version = Version::parse("88.5.3");
        for (version, rows) in [
            (None, {
                let mut any: Vec<&str> = rows().iter().map(|row| row.name).collect();
                any.dedup();
                any
            }),
            (version.as_ref(), {
                let held = table::at("read", version.as_ref().unwrap());
                held.into_iter().map(|(path, _)| path).collect()
            }),
        ] {
            let mut found = Vec::new();
            paths(ReadValue::root(version), "", &mut found);
            found.sort_unstable();
            let mut rows = rows.clone();
            rows.sort_unstable();
            assert_eq!(found, rows);
        }
    }

    #[test]
    fn what_a_version_no_longer_reads_is_read_by_some_version() {
        let version = Version::parse("75.0.0");
        let of = |version| {
            let path = [
                "prometheus",
                "additionalServiceMonitors",
                ITEM,
                "attachMetadata",
            ];
            ReadValue::root(version).find(&path).is_some()
        };
        assert!(of(None) && !of(version.as_ref()));
    }
}
