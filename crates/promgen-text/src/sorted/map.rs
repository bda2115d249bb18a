//! [`SortedMap`], its iterators and its entries.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::Index;
use std::{slice, vec};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

/// The most entries of a chunk. An insertion moves half of them on average; a hundred are still one page of memory.
const MAX_CHUNK: usize = 128;

/// A map in the order of its keys. Lookups take logarithmic time; an insertion moves the entries of one chunk at most, and
/// now and then the list of chunks.
///
/// ```
/// use promgen_text::sorted::SortedMap;
///
/// let map: SortedMap<_, _> = [("b", 1), ("a", 2), ("b", 3)].into_iter().collect();
/// assert_eq!(map.into_iter().collect::<Vec<_>>(), [("a", 2), ("b", 3)]);
/// ```
#[derive(Clone)]
pub struct SortedMap<K, V> {
    /// No chunk is empty, and keys ascend from chunk to chunk.
    chunks: Vec<Vec<(K, V)>>,
    len: usize,
}

/// A chunk, and an index in it.
type ChunkPosition = (usize, usize);

impl<K, V> SortedMap<K, V> {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { chunks: Vec::new(), len: 0 }
    }

    /// How many entries it has.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The entries, by key.
    #[must_use]
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { chunks: self.chunks.iter(), front: [].iter(), back: [].iter(), len: self.len }
    }

    /// The entries, by key, with values that can be changed.
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut { chunks: self.chunks.iter_mut(), front: [].iter_mut(), back: [].iter_mut(), len: self.len }
    }

    /// The keys.
    #[must_use]
    pub fn keys(&self) -> Keys<'_, K, V> {
        Keys(self.iter())
    }

    /// The values, by key.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// The values, by key, to change them.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// The keys alone.
    pub fn into_keys(self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator {
        self.into_iter().map(|(key, _)| key)
    }

    /// The values alone, by key.
    pub fn into_values(self) -> impl DoubleEndedIterator<Item = V> + ExactSizeIterator {
        self.into_iter().map(|(_, value)| value)
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.chunks.clear();
        self.len = 0;
    }

    /// Removes the entries that do not pass.
    pub fn retain(&mut self, mut passes: impl FnMut(&K, &mut V) -> bool) {
        self.len = 0;
        for chunk in &mut self.chunks {
            chunk.retain_mut(|(key, value)| passes(key, value));
            self.len += chunk.len();
        }
        self.chunks.retain(|chunk| !chunk.is_empty());
    }

    fn at(&self, (chunk, index): ChunkPosition) -> (&K, &V) {
        let (key, value) = &self.chunks[chunk][index];
        (key, value)
    }

    fn insert_at(&mut self, (mut chunk, mut index): ChunkPosition, key: K, value: V) -> &mut V {
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        if self.chunks[chunk].len() == MAX_CHUNK {
            // Whoever inserts in order gets full chunks.
            let kept = if index == MAX_CHUNK { MAX_CHUNK } else { MAX_CHUNK / 2 };
            let rest = self.chunks[chunk].split_off(kept);
            self.chunks.insert(chunk + 1, rest);
            if index > kept || index == MAX_CHUNK {
                (chunk, index) = (chunk + 1, index - kept);
            }
        }
        self.len += 1;
        self.chunks[chunk].insert(index, (key, value));
        &mut self.chunks[chunk][index].1
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Where the entry of a key is, or would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<ChunkPosition, ChunkPosition>
    where
        K: Borrow<Q>,
    {
        // The first chunk that does not end before the key, or the last one.
        let (mut chunk, mut end) = (0, self.chunks.len().saturating_sub(1));
        while chunk < end {
            let middle = usize::midpoint(chunk, end);
            match self.chunks[middle].last() {
                Some((last, _)) if last.borrow() < key => chunk = middle + 1,
                _ => end = middle,
            }
        }
        let entries = self.chunks.get(chunk).map_or([].as_slice(), Vec::as_slice);
        match entries.binary_search_by(|(other, _)| other.borrow().cmp(key)) {
            Ok(index) => Ok((chunk, index)),
            Err(index) => Err((chunk, index)),
        }
    }

    /// Where the entry of a key is, or would be, for an insertion. Most come in order: one comparison finds their place.
    fn find_slot(&self, key: &K) -> Result<ChunkPosition, ChunkPosition> {
        match self.chunks.last().and_then(|chunk| Some((chunk.len(), chunk.last()?))) {
            Some((len, (last, _))) if last < key => Err((self.chunks.len() - 1, len)),
            Some(_) | None => self.find(key),
        }
    }

    /// Sets the value of a key. Returns the former one.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find_slot(&key) {
            Ok((chunk, index)) => Some(std::mem::replace(&mut self.chunks[chunk][index].1, value)),
            Err(position) => {
                self.insert_at(position, key, value);
                None
            }
        }
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|position| self.at(position).1)
    }

    /// The value of a key, and the key as the map has it.
    #[must_use]
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|position| self.at(position))
    }

    /// The value of a key, to change it.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let (chunk, index) = self.find(key).ok()?;
        Some(&mut self.chunks[chunk][index].1)
    }

    /// Whether there is a value of that key.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Removes a key. Returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (chunk, index) = self.find(key).ok()?;
        let (_, value) = self.chunks[chunk].remove(index);
        if self.chunks[chunk].is_empty() {
            self.chunks.remove(chunk);
        }
        self.len -= 1;
        Some(value)
    }

    /// The place of a key, whether it has a value or not.
    pub fn entry(&mut self, key: K) -> MapSlot<'_, K, V> {
        let position = self.find_slot(&key);
        MapSlot { map: self, key, position }
    }

    /// The entries from a key on, which is among them.
    #[must_use]
    pub fn iter_from<Q: Ord + ?Sized>(&self, key: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (Ok((chunk, index)) | Err((chunk, index))) = self.find(key);
        let mut chunks = self.chunks[chunk..].iter();
        let front = chunks.next().map_or([].as_slice(), |entries| &entries[index..]);
        let len = front.len() + chunks.clone().map(Vec::len).sum::<usize>();
        Iter { chunks, front: front.iter(), back: [].iter(), len }
    }

    /// The entry of the largest key that is not above another.
    #[must_use]
    pub fn last_up_to<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok(position) => Some(self.at(position)),
            Err((0, 0)) => None,
            Err((chunk, 0)) => self.chunks[chunk - 1].last().map(|(key, value)| (key, value)),
            Err((chunk, index)) => Some(self.at((chunk, index - 1))),
        }
    }
}

/// The place of a key in a map: of [`SortedMap::entry`].
#[derive(Debug)]
pub struct MapSlot<'a, K, V> {
    map: &'a mut SortedMap<K, V>,
    key: K,
    position: Result<ChunkPosition, ChunkPosition>,
}

impl<'a, K, V> MapSlot<'a, K, V> {
    /// The value; if there is none yet, that one.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value; if there is none yet, the one that a function makes.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        self.or_insert_with_key(|_| value())
    }

    /// The value; if there is none yet, the one that a function makes for the key.
    pub fn or_insert_with_key(self, value: impl FnOnce(&K) -> V) -> &'a mut V {
        let MapSlot { map, key, position } = self;
        match position {
            Ok((chunk, index)) => &mut map.chunks[chunk][index].1,
            Err(position) => {
                let value = value(&key);
                map.insert_at(position, key, value)
            }
        }
    }

    /// The value; if there is none yet, the default of its type.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

/// Declares an iterator over chunks of entries, and what of an entry it gives.
macro_rules! iterator {
    ($(#[$doc:meta])* $name:ident<$($lt:lifetime,)? K, V>, $outer:ty, $inner:ty, $entry:pat => $item:expr, $Item:ty) => {
        $(#[$doc])*
        pub struct $name<$($lt,)? K, V> {
            chunks: $outer,
            front: $inner,
            back: $inner,
            len: usize,
        }

        impl<$($lt,)? K, V> Iterator for $name<$($lt,)? K, V> {
            type Item = $Item;

            fn next(&mut self) -> Option<Self::Item> {
                self.len = self.len.saturating_sub(1);
                loop {
                    if let Some($entry) = self.front.next() {
                        return Some($item);
                    }
                    let Some(chunk) = self.chunks.next() else {
                        return self.back.next().map(|$entry| $item);
                    };
                    self.front = chunk.into_iter();
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.len, Some(self.len))
            }
        }

        impl<$($lt,)? K, V> DoubleEndedIterator for $name<$($lt,)? K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.len = self.len.saturating_sub(1);
                loop {
                    if let Some($entry) = self.back.next_back() {
                        return Some($item);
                    }
                    let Some(chunk) = self.chunks.next_back() else {
                        return self.front.next_back().map(|$entry| $item);
                    };
                    self.back = chunk.into_iter();
                }
            }
        }

        impl<$($lt,)? K, V> ExactSizeIterator for $name<$($lt,)? K, V> {}

        impl<$($lt,)? K, V> fmt::Debug for $name<$($lt,)? K, V> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("len", &self.len).finish_non_exhaustive()
            }
        }
    };
}

iterator! {
    /// The entries of a map, by key: of [`SortedMap::iter`].
    Iter<'a, K, V>, slice::Iter<'a, Vec<(K, V)>>, slice::Iter<'a, (K, V)>, (key, value) => (key, value), (&'a K, &'a V)
}

iterator! {
    /// The entries of a map, by key: of [`SortedMap::iter_mut`].
    IterMut<'a, K, V>, slice::IterMut<'a, Vec<(K, V)>>, slice::IterMut<'a, (K, V)>,
    (key, value) => (&*key, value), (&'a K, &'a mut V)
}

iterator! {
    /// The entries of a map, by key: of [`SortedMap::into_iter`].
    IntoIter<K, V>, vec::IntoIter<Vec<(K, V)>>, vec::IntoIter<(K, V)>, entry => entry, (K, V)
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks.clone(), front: self.front.clone(), back: self.back.clone(), len: self.len }
    }
}

/// The keys of a map: of [`SortedMap::keys`].
#[derive(Debug)]
pub struct Keys<'a, K, V>(Iter<'a, K, V>);

impl<K, V> Clone for Keys<'_, K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<'a, K, V> Iterator for Keys<'a, K, V> {
    type Item = &'a K;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(key, _)| key)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Keys<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.0.next_back().map(|(key, _)| key)
    }
}

impl<K, V> ExactSizeIterator for Keys<'_, K, V> {}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut SortedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> Self::IntoIter {
        IntoIter {
            chunks: self.chunks.into_iter(),
            front: Vec::new().into_iter(),
            back: Vec::new().into_iter(),
            len: self.len,
        }
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    /// Of several values of a key, the last counts.
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            match self.chunks.last_mut() {
                // Most entries come in order.
                Some(chunk) if chunk.len() < MAX_CHUNK && chunk.last().is_some_and(|(last, _)| *last < key) => {
                    chunk.push((key, value));
                    self.len += 1;
                }
                _ => drop(self.insert(key, value)),
            }
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for SortedMap<K, V> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for SortedMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<K: Eq, V: Eq> Eq for SortedMap<K, V> {}

impl<K: PartialOrd, V: PartialOrd> PartialOrd for SortedMap<K, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.iter().partial_cmp(other)
    }
}

impl<K: Ord, V: Ord> Ord for SortedMap<K, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.iter().cmp(other)
    }
}

impl<K: Hash, V: Hash> Hash for SortedMap<K, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len.hash(state);
        for entry in self {
            entry.hash(state);
        }
    }
}

impl<K: Borrow<Q> + Ord, Q: Ord + ?Sized, V> Index<&Q> for SortedMap<K, V> {
    type Output = V;

    /// The value of a key that is there.
    ///
    /// # Panics
    ///
    /// If it is not.
    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("the key is there")
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor<K, V>(PhantomData<(K, V)>);

        impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for EntriesVisitor<K, V> {
            type Value = SortedMap<K, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
                let mut map = SortedMap::new();
                while let Some((key, value)) = entries.next_entry()? {
                    map.insert(key, value);
                }
                Ok(map)
            }
        }

        deserializer.deserialize_map(EntriesVisitor(PhantomData))
    }
}

#[expect(clippy::disallowed_types, reason = "both are the same in JSON")]
type JsonMap<K, V> = std::collections::BTreeMap<K, V>;

impl<K: JsonSchema, V: JsonSchema> JsonSchema for SortedMap<K, V> {
    fn inline_schema() -> bool {
        JsonMap::<K, V>::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        JsonMap::<K, V>::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        JsonMap::<K, V>::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        JsonMap::<K, V>::json_schema(generator)
    }
}
