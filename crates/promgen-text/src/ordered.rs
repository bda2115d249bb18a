//! Collects into ordered maps and sets.
//!
//! `collect` sorts first, with a sorting algorithm of seven kilobytes for each type. An insertion is compiled anyway.

use std::collections::{BTreeMap, BTreeSet};

/// Iterators that become ordered maps and sets.
pub trait Ordered: Iterator {
    /// The pairs as a map. Of several with the same key, the last counts.
    ///
    /// ```
    /// use promgen_text::ordered::Ordered;
    ///
    /// let map = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect_map();
    /// assert_eq!(map.into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 3)]);
    /// ```
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)> + Sized,
    {
        let mut map = BTreeMap::new();
        for (key, value) in self {
            map.insert(key, value);
        }
        map
    }

    /// The items as a set.
    fn collect_set(self) -> BTreeSet<Self::Item>
    where
        Self: Sized,
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        for item in self {
            set.insert(item);
        }
        set
    }
}

impl<I: Iterator> Ordered for I {}
