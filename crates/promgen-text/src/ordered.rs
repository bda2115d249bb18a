//! Ordered maps and sets, made of an iterator without a sort.
//!
//! `collect` sorts what it takes before it builds the tree, and compiles that sort once more for each type: a tenth of all
//! machine code. To insert one by one is as fast for what is small or nearly in order.

use std::collections::{BTreeMap, BTreeSet};

/// `collect` into an ordered map or set. Where a large iterator is in no order, `collect` itself is faster.
pub trait CollectOrdered: Iterator + Sized {
    /// A map; of pairs with the same key the last value stays.
    fn collect_map<K: Ord, V>(self) -> BTreeMap<K, V>
    where
        Self: Iterator<Item = (K, V)>,
    {
        let mut map = BTreeMap::new();
        map.extend(self);
        map
    }

    /// A set; of equal items the first stays.
    fn collect_set(self) -> BTreeSet<Self::Item>
    where
        Self::Item: Ord,
    {
        let mut set = BTreeSet::new();
        set.extend(self);
        set
    }
}

impl<I: Iterator> CollectOrdered for I {}
