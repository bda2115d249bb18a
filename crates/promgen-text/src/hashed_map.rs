//! [`HashedMap`]: a map that can be asked and not listed, so that no order can leak from it.

#![expect(clippy::disallowed_types, reason = "the map has no iterator")]

use std::collections::HashMap;
use std::hash::Hash;

/// A map without an order. A lookup takes the same time however many entries there are.
///
/// ```
/// use promgen_text::hashed_map::HashedMap;
///
/// let mut map = HashedMap::default();
/// assert_eq!(map.insert("a", 1), None);
/// assert_eq!(map.insert("a", 2), Some(1));
/// assert_eq!(map.get(&"a"), Some(&2));
/// ```
#[derive(Debug)]
pub struct HashedMap<K, V>(HashMap<K, V>);

impl<K, V> Default for HashedMap<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Hash + Eq, V> HashedMap<K, V> {
    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.0.get(key)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.0.get_mut(key)
    }

    /// The value of a key, which is the default one if there is none yet.
    pub fn entry(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.0.entry(key).or_default()
    }

    /// Sets the value of a key. Returns the one before.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.0.insert(key, value)
    }
}
