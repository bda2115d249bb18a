//! Which values the templates of the chart read, step by step.

use std::collections::BTreeMap;

use super::table::{self, READ, TableRow, UNREAD};

/// The value of a row whose value is read with all below it.
const WHOLE: &str = "whole";

/// The step to any item of a list or map.
pub(crate) const ITEM: &str = "[]";

/// What is read of a value, by a version or by any.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadValue {
    /// The rows of the value, and of all below it, which stand together.
    rows: &'static [TableRow],
    /// The length of the path to the value.
    above: usize,
    version: Option<u16>,
}

impl ReadValue {
    /// What a version reads of all values; `None` for what some version reads.
    pub(crate) fn root(version: Option<&str>) -> Self {
        Self {
            rows: READ,
            above: 0,
            version: version.and_then(table::number),
        }
    }

    /// What some version reads.
    pub(crate) fn in_any_version() -> Self {
        Self::root(None)
    }

    /// The rows that are of the version: one of each path.
    fn held(self) -> impl Iterator<Item = &'static TableRow> {
        let of_path = self.rows.chunk_by(|a, b| a.name == b.name);
        of_path.filter_map(move |rows| match self.version {
            Some(version) => rows.iter().find(|row| row.is_of(version)),
            None => rows.iter().max_by_key(|row| row.value == WHOLE),
        })
    }

    /// The step of a row from the value to what is below it: a key, or [`ITEM`].
    fn step_of(self, row: &TableRow) -> Option<&'static str> {
        let rest = &row.name[self.above..];
        if rest.starts_with(ITEM) {
            return Some(ITEM);
        }
        let key = rest.strip_prefix('.').unwrap_or(rest);
        let key = key.split(['.', '[']).next().unwrap_or_default();
        (!key.is_empty()).then_some(key)
    }

    /// Returns whether all below it is read, too, or not; `None` if it is read nowhere. Its own rows are the first ones.
    fn reads_all(self) -> Option<bool> {
        let is_own = |row: &&TableRow| row.name.len() == self.above;
        let n_own = self.rows.iter().take_while(is_own).count();
        let own = Self {
            rows: &self.rows[..n_own],
            ..self
        };
        own.held().next().map(|row| row.value == WHOLE)
    }

    /// All below it is read, too. Otherwise templates only ask whether it is set.
    pub(crate) fn is_whole(self) -> bool {
        self.reads_all() == Some(true)
    }

    /// Some keys of it are read on their own, not with what is around it.
    pub(crate) fn is_apart(self) -> bool {
        self.reads_all() == Some(false) && self.has_below()
    }

    /// What is read of a key, or of any item.
    pub(crate) fn get(self, key: &str) -> Option<Self> {
        let is_root = self.above == 0;
        let dot = usize::from(!is_root && key != ITEM);
        let leads_to_it = |row: &&TableRow| {
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
    table::at(UNREAD, version).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(value: ReadValue, path: &str, found: &mut Vec<String>) {
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
        let version = "88.5.3";
        for (version, rows) in [
            (None, {
                let mut any: Vec<&str> = READ.iter().map(|row| row.name).collect();
                any.dedup();
                any
            }),
            (Some(version), {
                table::at(READ, version).map(|(path, _)| path).collect()
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
        let of = |version| {
            let path = [
                "prometheus",
                "additionalServiceMonitors",
                ITEM,
                "attachMetadata",
            ];
            ReadValue::root(version).find(&path).is_some()
        };
        assert!(of(None) && !of(Some("75.0.0")));
    }
}
