//! Which items of a list have the same identity, and where what becomes of each identity stands.

use std::collections::BTreeMap;

use promgen_text::yaml::Node;

use super::key_text;

/// The identity of items of the object and of the patch.
pub(super) struct ItemIdentity {
    group: usize,
    /// It lacks the last key.
    pub is_partial: bool,
    /// Its first item in the patch.
    pub patch: Option<usize>,
    pub old: Option<Places>,
}

/// The place of the items of one identity in the object.
pub(super) struct Places {
    pub first: usize,
    pub last: usize,
    /// The place of it in the list, if no partial item displaces it.
    stands: Option<usize>,
}

/// Identities that differ in the last key only. They are numbered by their places among all identities of the list.
#[derive(Default)]
struct IdentityGroup {
    /// The first and the last complete one.
    complete: Option<(usize, usize)>,
    partial: Option<usize>,
    /// The last partial item of the object, if there is a complete identity.
    barrier: Option<usize>,
}

impl IdentityGroup {
    /// The complete identity whose patch the partial item repeats.
    fn repeated(&self) -> Option<usize> {
        let ((first, last), partial) = self.complete.zip(self.partial)?;
        Some(if first < partial { first } else { last })
    }

    fn add(&mut self, place: usize, is_partial: bool) {
        if is_partial {
            self.partial = Some(place);
        } else {
            self.complete = Some((self.complete.map_or(place, |(first, _)| first), place));
        }
    }
}

/// The role of an identity in its group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IdentityRole {
    Plain,
    /// A partial item repeats its patch.
    Repeated,
    /// It is that of a partial item in a group with a complete one: it stands for nothing.
    Void,
}

/// The item in the list for an identity.
pub(super) enum ItemOutcome {
    /// An item of the object, changed or not.
    Kept(Node),
    /// An item that only the patch has.
    Added(Node),
    /// An item that the patch deletes, and a partial item brings back.
    Restored(Node),
}

impl ItemOutcome {
    pub(super) fn into_item(self) -> Node {
        match self {
            Self::Kept(item) | Self::Added(item) | Self::Restored(item) => item,
        }
    }
}

/// The place of an item in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ItemPosition {
    /// Ahead of the others, by the place of its identity.
    Ahead(usize),
    /// By its index in the object.
    Within(usize),
}

/// The identities of a list, in the order in which the patch and then the object name them.
pub(super) struct Identities {
    pub all: Vec<ItemIdentity>,
    groups: Vec<IdentityGroup>,
    has_one_key: bool,
}

impl Identities {
    pub(super) fn of(old: &[Node], patch: &[Node], keys: &[&str]) -> Self {
        let mut numbers = GroupNumbers {
            keys,
            groups: BTreeMap::new(),
            identities: BTreeMap::new(),
        };
        let mut this = Self {
            all: Vec::new(),
            groups: Vec::new(),
            has_one_key: keys.len() == 1,
        };
        for (index, item) in patch.iter().enumerate() {
            let place = this.place(&mut numbers, item);
            this.all[place].patch.get_or_insert(index);
        }
        let places: Vec<_> = old
            .iter()
            .map(|item| this.place(&mut numbers, item))
            .collect();
        this.find_barriers(&places);
        for (index, place) in places.into_iter().enumerate() {
            let identity = &mut this.all[place];
            let is_displaced = this.groups[identity.group]
                .barrier
                .is_some_and(|barrier| index < barrier);
            let places = identity.old.get_or_insert(Places {
                first: index,
                last: index,
                stands: None,
            });
            places.last = index;
            // With one key, the list has the item at the place of the first of several; with two, at that of the last.
            if !is_displaced && (places.stands.is_none() || !this.has_one_key) {
                places.stands = Some(index);
            }
        }
        this
    }

    /// The place of the identity of an item.
    fn place(&mut self, numbers: &mut GroupNumbers<'_>, item: &Node) -> usize {
        let (group, last_key) = numbers.of(item);
        let is_partial = last_key.is_empty();
        let next = self.all.len();
        let place = *numbers.identities.entry((group, last_key)).or_insert(next);
        if place == next {
            self.all.push(ItemIdentity {
                group,
                is_partial,
                patch: None,
                old: None,
            });
            self.groups
                .resize_with(numbers.groups.len(), IdentityGroup::default);
            self.groups[group].add(place, is_partial);
        }
        place
    }

    fn find_barriers(&mut self, places: &[usize]) {
        for (index, place) in places
            .iter()
            .enumerate()
            .filter(|(_, place)| self.all[**place].is_partial)
        {
            let group = &mut self.groups[self.all[*place].group];
            group.barrier = group.complete.map(|_| index);
        }
    }

    pub(super) fn role(&self, place: usize) -> IdentityRole {
        let identity = &self.all[place];
        let group = &self.groups[identity.group];
        match group.complete {
            Some(_) if identity.is_partial => IdentityRole::Void,
            Some(_) if group.repeated() == Some(place) => IdentityRole::Repeated,
            _ => IdentityRole::Plain,
        }
    }

    /// The place of an outcome in the list. `None`: a partial item of the object displaces it, or keeps it out.
    pub(super) fn position(&self, place: usize, outcome: &ItemOutcome) -> Option<ItemPosition> {
        let identity = &self.all[place];
        let group = &self.groups[identity.group];
        let is_repeated = self.role(place) == IdentityRole::Repeated;
        let partial = group.partial.filter(|_| is_repeated).unwrap_or(place);
        match outcome {
            ItemOutcome::Kept(_) if group.barrier.is_some() || !self.has_one_key => identity
                .old
                .as_ref()
                .and_then(|places| places.stands)
                .map(ItemPosition::Within),
            _ if group.barrier.is_some() => None,
            ItemOutcome::Kept(_) | ItemOutcome::Added(_) => {
                Some(ItemPosition::Ahead(place.min(partial)))
            }
            ItemOutcome::Restored(_) => Some(ItemPosition::Ahead(place.max(partial))),
        }
    }
}

/// The numbers of groups, and the places of identities, by the texts of the keys.
struct GroupNumbers<'k> {
    keys: &'k [&'k str],
    groups: BTreeMap<String, usize>,
    identities: BTreeMap<(usize, String), usize>,
}

impl GroupNumbers<'_> {
    /// The number of an item's group, and its text of the last key.
    fn of(&mut self, item: &Node) -> (usize, String) {
        let Some((last, others)) = self.keys.split_last() else {
            return (0, String::new());
        };
        let next = self.groups.len();
        // There is at most one other key.
        let group = others.iter().map(|key| key_text(item, key)).collect();
        (
            *self.groups.entry(group).or_insert(next),
            key_text(item, last),
        )
    }
}
