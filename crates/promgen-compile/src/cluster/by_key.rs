//! [`ByKey`]: what is stored by namespace and name.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Index;

use std::collections::btree_map::{Iter, Keys};

use super::Key;

/// Values by namespace and name. The keys are in a map of their own, because the compiler writes a map out for each type
/// of its values, and there are as many types as kinds of objects.
#[derive(Clone)]
pub struct ByKey<T> {
    positions: BTreeMap<Key, usize>,
    values: Vec<T>,
}

impl<T> ByKey<T> {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&T>
    where
        Key: Borrow<Q>,
    {
        self.positions.get(key).map(|position| &self.values[*position])
    }

    /// Adds the value of a key, unless it has one: then returns both.
    pub fn add(&mut self, key: Key, value: T) -> Option<(&mut T, T)> {
        let position = *self.positions.entry(key).or_insert(self.values.len());
        if position == self.values.len() {
            self.values.push(value);
            return None;
        }
        Some((&mut self.values[position], value))
    }

    /// Whether there is a value of that key.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        Key: Borrow<Q>,
    {
        self.positions.contains_key(key)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Key, value: T) {
        if let Some((old, value)) = self.add(key, value) {
            *old = value;
        }
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> Keys<'_, Key, usize> {
        self.positions.keys()
    }

    /// The entries, by key.
    #[must_use]
    pub fn iter(&self) -> Entries<'_, T> {
        Entries { positions: self.positions.iter(), values: &self.values }
    }

    /// The entries from a key on, which is among them.
    #[must_use]
    pub fn iter_from<Q: Ord + ?Sized>(&self, key: &Q) -> Entries<'_, T>
    where
        Key: Borrow<Q>,
    {
        Entries { positions: self.positions.iter_from(key), values: &self.values }
    }

    /// The values, by key.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values, to change them, in the order in which they were stored.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.values.iter_mut()
    }
}

impl<T> Index<&str> for ByKey<T> {
    type Output = T;

    /// The value of a key that is there: `namespace/name`.
    ///
    /// # Panics
    ///
    /// If it is not.
    fn index(&self, key: &str) -> &T {
        &self.values[self.positions[key]]
    }
}

impl<T> Default for ByKey<T> {
    fn default() -> Self {
        Self { positions: BTreeMap::new(), values: Vec::new() }
    }
}

impl<T: fmt::Debug> fmt::Debug for ByKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for ByKey<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}

impl<T> FromIterator<(Key, T)> for ByKey<T> {
    fn from_iter<I: IntoIterator<Item = (Key, T)>>(entries: I) -> Self {
        let mut out = Self::default();
        entries.into_iter().for_each(|(key, value)| out.insert(key, value));
        out
    }
}

impl<'a, T> IntoIterator for &'a ByKey<T> {
    type Item = (&'a Key, &'a T);
    type IntoIter = Entries<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The entries of a [`ByKey`].
#[derive(Debug)]
pub struct Entries<'a, T> {
    positions: Iter<'a, Key, usize>,
    values: &'a [T],
}

impl<T> Clone for Entries<'_, T> {
    fn clone(&self) -> Self {
        Self { positions: self.positions.clone(), values: self.values }
    }
}

impl<'a, T> Iterator for Entries<'a, T> {
    type Item = (&'a Key, &'a T);

    fn next(&mut self) -> Option<Self::Item> {
        self.positions.next().map(|(key, position)| (key, &self.values[*position]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.positions.size_hint()
    }
}

impl<T> ExactSizeIterator for Entries<'_, T> {}
