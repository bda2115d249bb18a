//! Which values the templates of the chart read, step by step.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use promgen_text::version::Version;

use super::table;

/// The value of a row whose value is read with all below it.
const WHOLE: &str = "whole";

/// The step to any item of a list or map.
pub(crate) const ITEM: &str = "[]";

/// What is read of a value.
#[derive(Debug, Default)]
pub(crate) struct ReadValue {
    /// All below it is read, too. Otherwise templates only ask whether it is set.
    pub(crate) is_whole: bool,
    /// What is read below it, by key.
    pub(crate) below: Vec<(&'static str, Self)>,
}

impl ReadValue {
    fn of(rows: impl Iterator<Item = (&'static str, &'static str)>) -> Self {
        let mut root = Self::default();
        for (path, how) in rows {
            let mut value = &mut root;
            for part in path.split('.') {
                let name = part.split('[').next().unwrap_or_default();
                value = value.entry(name);
                for _ in part[name.len()..].split(']').skip(1) {
                    value = value.entry(ITEM);
                }
            }
            value.is_whole |= how == WHOLE;
        }
        root
    }

    /// The value of a key, which is that of the row before unless it is new.
    fn entry(&mut self, key: &'static str) -> &mut Self {
        let at = self.below.iter().rposition(|(known, _)| *known == key);
        let at = at.unwrap_or_else(|| {
            self.below.push((key, Self::default()));
            self.below.len() - 1
        });
        &mut self.below[at].1
    }

    /// What is read of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        let mut below = self.below.iter();
        below.find_map(|(known, value)| (*known == key).then_some(value))
    }

    /// What a version reads of these values at the top, and the names of the others.
    pub(crate) fn at(version: &str, top: &[&str]) -> Self {
        let Some(version) = Version::parse(version) else {
            return Self::default();
        };
        let first = |path: &'static str| path.split(['.', '[']).next().unwrap_or_default();
        let (asked, others): (Vec<_>, Vec<_>) = table::at("read", &version)
            .into_iter()
            .partition(|(path, _)| top.contains(&first(path)));
        let mut names: Vec<&str> = others.into_iter().map(|(path, _)| first(path)).collect();
        names.dedup();
        Self::of(
            asked
                .into_iter()
                .chain(names.into_iter().map(|name| (name, WHOLE))),
        )
    }

    /// What some version reads.
    pub(crate) fn in_any_version() -> &'static Self {
        static READ: OnceLock<ReadValue> = OnceLock::new();
        READ.get_or_init(|| {
            let rows = table::rows("read").filter(|row| !table::is_gone(row));
            Self::of(rows.map(|row| (row.name, row.value)))
        })
    }

    /// What is read below a path.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| value.get(key))
    }

    /// Returns whether anything is read at a path. A key may be that of an item.
    pub(crate) fn has(&self, path: &[&str]) -> bool {
        path.split_first()
            .is_none_or(|(key, rest)| self.step(key).any(|value| value.has(rest)))
    }

    /// What is read of the value of a key: by its name, and as any item.
    pub(crate) fn step<'r>(&'r self, key: &str) -> impl Iterator<Item = &'r Self> {
        [self.get(key), self.get(ITEM)].into_iter().flatten()
    }

    /// The keys that are read.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        let keys = self.below.iter().map(|(key, _)| *key);
        keys.filter(|key| *key != ITEM)
    }
}

/// The default values of a version that no template reads, as JSON.
pub(crate) fn unread_defaults(version: &str) -> BTreeMap<&'static str, &'static str> {
    Version::parse(version)
        .map(|version| table::at("unread", &version).into_iter().collect())
        .unwrap_or_default()
}
