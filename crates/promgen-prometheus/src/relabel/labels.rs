//! Label sets, and label sets under change.
//!
//! A [`LabelSet`] is sorted by the bytes of its names and has no empty values. A [`Builder`] stands on one and remembers
//! what is set and deleted, because `labelmap` goes through labels in the order of that history. Prometheus:
//! `labels.Labels`, `labels.Builder`.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::relabel::MAX_WORK;

type CowText<'a> = Cow<'a, str>;

/// Labels with their values. An empty value is the same as no label.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabelSet(Vec<(String, String)>);

impl LabelSet {
    /// The value of a label; empty if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        self.position(name).map_or("", |at| &self.0[at].1)
    }

    /// Sets a label; an empty value deletes it.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        let (name, value) = (name.into(), value.into());
        match (
            self.0
                .binary_search_by(|(known, _)| known.as_str().cmp(&name)),
            value.is_empty(),
        ) {
            (Ok(at), true) => drop(self.0.remove(at)),
            (Ok(at), false) => self.0[at].1 = value,
            (Err(_), true) => {}
            (Err(at), false) => self.0.insert(at, (name, value)),
        }
    }

    /// Sets a label anew, in the memory that its value has; a value that is left empty deletes it.
    pub fn rewrite(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        match self
            .0
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
        {
            Ok(at) => {
                let value = &mut self.0[at].1;
                value.clear();
                write(value);
                if value.is_empty() {
                    self.0.remove(at);
                }
            }
            Err(_) => {
                let mut value = String::new();
                write(&mut value);
                self.set(name, value);
            }
        }
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The number of labels.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no label.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_str().cmp(name))
            .ok()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for LabelSet {
    /// Of several values of one name the last counts.
    fn from_iter<I: IntoIterator<Item = (N, V)>>(labels: I) -> Self {
        let labels = labels.into_iter().map(|(n, v)| (n.into(), v.into()));
        Self::of(labels.collect())
    }
}

impl LabelSet {
    fn of(mut labels: Vec<(String, String)>) -> Self {
        labels.sort_by(|a, b| a.0.cmp(&b.0));
        labels.reverse();
        labels.dedup_by(|a, b| a.0 == b.0);
        labels.reverse();
        labels.retain(|(_, value)| !value.is_empty());
        Self(labels)
    }
}

/// A label set under change.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    base: &'a LabelSet,
    /// Names of the base that count no more.
    deleted: BTreeSet<CowText<'a>>,
    /// What is set, with a number that tells the order in which it was first set.
    added: BTreeMap<CowText<'a>, (usize, CowText<'a>)>,
    /// The number of what is set next.
    next: usize,
    /// The effects of rules so far.
    work: Cell<usize>,
}

impl<'a> Builder<'a> {
    /// The labels as they are.
    #[must_use]
    pub const fn new(base: &'a LabelSet) -> Self {
        Self {
            base,
            deleted: BTreeSet::new(),
            added: BTreeMap::new(),
            next: 0,
            work: Cell::new(0),
        }
    }

    /// The value of a label; empty if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        match self.added.get(name) {
            Some((_, value)) => value,
            None if self.deleted.contains(name) => "",
            None => self.base.get(name),
        }
    }

    /// Sets a label; an empty value deletes it.
    pub fn set(&mut self, name: impl Into<CowText<'a>>, value: impl Into<CowText<'a>>) {
        let (name, value) = (name.into(), value.into());
        if value.is_empty() {
            self.delete(name);
        // A label that is set again keeps its place in the order.
        } else if let Some((_, known)) = self.added.get_mut(&name) {
            *known = value;
        } else {
            // The name may be in `deleted`, too: what is added wins.
            self.added.insert(name, (self.next, value));
            self.next += 1;
        }
    }

    /// Deletes a label.
    pub fn delete(&mut self, name: impl Into<CowText<'a>>) {
        let name = name.into();
        // A label that is set later comes last, even if it was there before.
        self.added.remove(&name);
        if self.base.position(&name).is_some() {
            self.deleted.insert(name);
        }
    }

    /// Names and values: those of the base by name, less what was changed or deleted, then what was set in that order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let is_untouched =
            |name: &str| !self.deleted.contains(name) && !self.added.contains_key(name);
        let base = self.base.iter().filter(move |(name, _)| is_untouched(name));
        let mut added: Vec<_> = self.added.iter().collect();
        added.sort_unstable_by_key(|(_, (number, _))| *number);
        base.chain(
            added
                .into_iter()
                .map(|(name, (_, value))| (name.as_ref(), value.as_ref())),
        )
    }

    /// The labels as they are now.
    #[must_use]
    pub fn labels(&self) -> LabelSet {
        self.iter().collect()
    }

    /// Counts what a rule is about to do. `None` if that is more than [`MAX_WORK`] leaves.
    pub fn spend(&self, steps: usize) -> Option<()> {
        let spent = self.work.get().saturating_add(steps);
        self.work.set(spent);
        (spent <= MAX_WORK).then_some(())
    }

    /// The work that is left for rules.
    pub const fn left(&self) -> usize {
        MAX_WORK.saturating_sub(self.work.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_sorted_and_has_no_empty_values() {
        let set: LabelSet = [("b", "1"), ("a", "2"), ("c", ""), ("b", "3")]
            .into_iter()
            .collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [("a", "2"), ("b", "3")]);
        let mut set = set;
        set.set("a", "");
        set.set("A", "4");
        assert_eq!(set.iter().collect::<Vec<_>>(), [("A", "4"), ("b", "3")]);
        assert_eq!((set.get("b"), set.get("a")), ("3", ""));
    }

    #[test]
    fn a_builder_goes_through_labels_in_the_order_of_their_history() {
        let base: LabelSet = [("a", "1"), ("b", "2"), ("c", "3")].into_iter().collect();
        let mut builder = Builder::new(&base);
        builder.set("z", "4");
        builder.set("b", "5");
        builder.delete("z");
        builder.set("z", "6");
        builder.delete("c");
        assert_eq!(
            builder.iter().collect::<Vec<_>>(),
            [("a", "1"), ("b", "5"), ("z", "6")]
        );
        builder.set("c", "7");
        builder.delete("a");
        assert_eq!(
            builder.iter().collect::<Vec<_>>(),
            [("b", "5"), ("z", "6"), ("c", "7")]
        );
        assert_eq!((builder.get("c"), builder.get("a")), ("7", ""));
    }
}
