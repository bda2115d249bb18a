//! [`SortedSet`]: a map without values.

use std::borrow::Borrow;
use std::fmt;

use serde::ser::{Serialize, Serializer};

use super::map::{IntoIter, Keys, SortedMap};

/// A set in the order of its items.
///
/// ```
/// use promgen_text::sorted::SortedSet;
///
/// let set: SortedSet<_> = ["b", "a", "b"].into_iter().collect();
/// assert_eq!(set.into_iter().collect::<Vec<_>>(), ["a", "b"]);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SortedSet<T> {
    items: SortedMap<T, ()>,
}

impl<T> SortedSet<T> {
    /// An empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self { items: SortedMap::new() }
    }

    /// How many items it has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items, in order.
    #[must_use]
    pub fn iter(&self) -> Keys<'_, T, ()> {
        self.items.keys()
    }

    /// Removes the items that do not pass.
    pub fn retain(&mut self, mut passes: impl FnMut(&T) -> bool) {
        self.items.retain(|item, ()| passes(item));
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item. Returns whether it is new.
    pub fn insert(&mut self, item: T) -> bool {
        self.items.insert(item, ()).is_none()
    }

    /// Whether it has that item.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.contains_key(item)
    }

    /// The item of the set that is equal to another.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, item: &Q) -> Option<&T>
    where
        T: Borrow<Q>,
    {
        self.items.get_key_value(item).map(|(item, ())| item)
    }

    /// The items from one on, which is among them.
    pub fn iter_from<'a, Q: Ord + ?Sized>(&'a self, item: &Q) -> impl Iterator<Item = &'a T> + Clone
    where
        T: Borrow<Q> + 'a,
    {
        self.items.iter_from(item).map(|(item, ())| item)
    }

    /// Removes an item. Returns whether it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.remove(item).is_some()
    }

    /// The items that another set does not have.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(|item| !other.contains(*item))
    }

    /// The items that another set has as well.
    pub fn intersection<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a T> + Clone {
        self.iter().filter(|item| other.contains(*item))
    }

    /// Whether another set has none of the items.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        self.intersection(other).next().is_none()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = Keys<'a, T, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The items of a set: of [`SortedSet::into_iter`].
#[derive(Debug)]
pub struct IntoItems<T>(IntoIter<T, ()>);

impl<T> Iterator for IntoItems<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.0.next().map(|(item, ())| item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> DoubleEndedIterator for IntoItems<T> {
    fn next_back(&mut self) -> Option<T> {
        self.0.next_back().map(|(item, ())| item)
    }
}

impl<T> ExactSizeIterator for IntoItems<T> {}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = IntoItems<T>;

    fn into_iter(self) -> Self::IntoIter {
        IntoItems(self.items.into_iter())
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<'a, T: Ord + Copy> Extend<&'a T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, items: I) {
        for item in items {
            self.insert(*item);
        }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = Self::new();
        set.extend(items);
        set
    }
}

impl<T: Ord, const N: usize> From<[T; N]> for SortedSet<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SortedSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl<T: Serialize> Serialize for SortedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}
