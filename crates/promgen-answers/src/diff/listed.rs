//! Lists of a bounded length, which count what they leave out.

/// The maximum number of items that a list keeps.
pub const MAX_ITEMS: usize = 1_000;

changes! {
    /// The first items of a list, and how many it has.
    Listed<T> as "ListOf{T}" {
        /// The number of items, those left out among them.
        total: usize,
        /// The first items.
        items: Vec<T>,
    }
}

impl<T> Default for Listed<T> {
    fn default() -> Self {
        Self {
            total: 0,
            items: Vec::new(),
        }
    }
}

impl<T> Listed<T> {
    /// Adds an item; one beyond the maximum is only counted.
    pub(crate) fn push(&mut self, item: T) {
        self.total += 1;
        if self.items.len() < MAX_ITEMS {
            self.items.push(item);
        }
    }

    /// Adds the items of another list.
    pub(crate) fn append(&mut self, other: Self) {
        let total = self.total + other.total;
        other.items.into_iter().for_each(|item| self.push(item));
        self.total = total;
    }

    /// Leaves items out; those beyond the maximum stay counted.
    pub(crate) fn retain(&mut self, keeps: impl FnMut(&T) -> bool) {
        let before = self.items.len();
        self.items.retain(keeps);
        self.total -= before - self.items.len();
    }

    /// Returns whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The number of items that are left out.
    #[must_use]
    pub const fn n_left_out(&self) -> usize {
        self.total - self.items.len()
    }
}

impl<T> FromIterator<T> for Listed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut listed = Self::default();
        items.into_iter().for_each(|item| listed.push(item));
        listed
    }
}

/// Collects equal things under what they have in common, in the order in which they come.
#[derive(Debug)]
pub(crate) struct ThingGroups<K, T>(indexmap::IndexMap<K, Vec<T>>);

impl<K: std::hash::Hash + Eq, T> ThingGroups<K, T> {
    /// No groups.
    pub(crate) fn new() -> Self {
        Self(indexmap::IndexMap::new())
    }

    /// Adds a thing.
    pub(crate) fn add(&mut self, key: K, item: T) {
        self.0.entry(key).or_default().push(item);
    }

    /// The groups in the order of their first things.
    pub(crate) fn into_groups(self) -> impl Iterator<Item = (K, Vec<T>)> {
        self.0.into_iter()
    }
}
