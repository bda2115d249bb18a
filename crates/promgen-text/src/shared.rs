//! [`Shared`]: a value that many hold, and what they derive of it.
//!
//! A document is the same in a later project if its text is the same. What is derived of it is then kept with it, so that
//! a change of one document costs little in a repository of many.

use std::any::Any;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

/// A value that many hold. Each result that is derived of it is kept, by its type, as long as the value is there.
///
/// ```
/// use promgen_text::shared::Shared;
///
/// struct Length(usize);
///
/// let mut text = Shared::new("four".to_owned());
/// assert_eq!(text.derive(|text| Length(text.len())).0, 4);
/// // What was derived before the change is gone.
/// text.make_mut().push('s');
/// assert_eq!(text.derive(|text| Length(text.len())).0, 5);
/// ```
pub struct Shared<T>(Arc<SharedInner<T>>);

/// A value, and what was derived of it.
struct SharedInner<T> {
    value: T,
    derived: Derived,
}

/// Results of different types.
#[derive(Default)]
struct Derived(Mutex<Vec<Arc<dyn Any + Send + Sync>>>);

/// The value that was derived for a key.
struct ForKey<K, D> {
    key: K,
    derived: D,
}

impl<T> Shared<T> {
    /// Shares a value.
    #[must_use]
    pub fn new(value: T) -> Self {
        Self(Arc::new(SharedInner {
            value,
            derived: Derived::default(),
        }))
    }

    /// Returns whether two are the same one, rather than equal.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The place of the value, which tells it from others as long as it is there.
    #[must_use]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// What `make` derives of the value, which must depend on nothing else: the result that is kept with the value if there
    /// is one. Each derivation has a type of its own.
    pub fn derive<D: Any + Send + Sync>(&self, make: impl FnOnce(&T) -> D) -> Arc<D> {
        let known = || self.0.derived.find(|_: &D| true);
        known().unwrap_or_else(|| self.0.derived.keep(Arc::new(make(&self.0.value)), |_| true))
    }
}

impl<T: Clone> Shared<T> {
    /// The value, to change it: a value of its own, if others hold it too. What was derived of it is forgotten.
    pub fn make_mut(&mut self) -> &mut T {
        let held = Arc::make_mut(&mut self.0);
        held.derived = Derived::default();
        &mut held.value
    }

    /// The value alone: a copy, if others hold it too.
    #[must_use]
    pub fn into_value(self) -> T {
        Arc::unwrap_or_clone(self.0).value
    }
}

/// The items of a list or a map, which clones share until one of them changes.
///
/// ```
/// use promgen_text::shared::SharedItems;
///
/// let one: SharedItems<u8> = [1, 2].into_iter().collect();
/// let mut other = one.clone();
/// assert!(one.is_same(&other));
/// other.push(3);
/// assert_eq!((one.len(), other.len()), (2, 3));
/// ```
#[derive(Debug)]
pub struct SharedItems<T>(triomphe::Arc<Vec<T>>);

impl<T> SharedItems<T> {
    /// Returns whether two are the same ones, rather than equal.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        triomphe::Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> SharedItems<T> {
    /// Returns whether nobody else holds them.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.0.is_unique()
    }
}

impl<T> Clone for SharedItems<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for SharedItems<T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<T: PartialEq> PartialEq for SharedItems<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0 == other.0
    }
}

impl<T> Deref for SharedItems<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Clone> DerefMut for SharedItems<T> {
    /// The items, to change them: items of its own, if others hold them too.
    fn deref_mut(&mut self) -> &mut Vec<T> {
        triomphe::Arc::make_mut(&mut self.0)
    }
}

impl<T> From<Vec<T>> for SharedItems<T> {
    fn from(items: Vec<T>) -> Self {
        Self(triomphe::Arc::new(items))
    }
}

impl<T: Clone> From<SharedItems<T>> for Vec<T> {
    /// The items alone: a copy, if others hold them too.
    fn from(items: SharedItems<T>) -> Self {
        triomphe::Arc::unwrap_or_clone(items.0)
    }
}

impl<T> FromIterator<T> for SharedItems<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T: Clone> IntoIterator for SharedItems<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        triomphe::Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'i, T> IntoIterator for &'i SharedItems<T> {
    type Item = &'i T;
    type IntoIter = std::slice::Iter<'i, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'i, T: Clone> IntoIterator for &'i mut SharedItems<T> {
    type Item = &'i mut T;
    type IntoIter = std::slice::IterMut<'i, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// The value derived for a key: it depends on the shared value and the key alone.
pub struct Keyed<K, D>(Arc<ForKey<K, D>>);

impl<K, D> Clone for Keyed<K, D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K, D> Deref for Keyed<K, D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.0.derived
    }
}

impl<T> Shared<T> {
    /// Derives a value that depends on a key, too. Only the result for the last key is kept.
    pub fn derive_for<K, D>(&self, key: &K, make: impl FnOnce(&T) -> D) -> Keyed<K, D>
    where
        K: Any + Send + Sync + PartialEq + Clone,
        D: Any + Send + Sync,
    {
        let is_same = |known: &ForKey<K, D>| known.key == *key;
        let known = self.0.derived.find(is_same);
        Keyed(known.unwrap_or_else(|| {
            let derived = make(&self.0.value);
            self.0.derived.keep(
                Arc::new(ForKey {
                    key: key.clone(),
                    derived,
                }),
                is_same,
            )
        }))
    }
}

impl Derived {
    fn find<D: Any + Send + Sync>(&self, fits: impl Fn(&D) -> bool) -> Option<Arc<D>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all
            .iter()
            .find_map(|derived| Arc::clone(derived).downcast::<D>().ok());
        known.filter(|known| fits(known))
    }

    /// Keeps a result, in the place of one that does not fit. Of two that are made at the same time, the first one counts.
    fn keep<D: Any + Send + Sync>(&self, made: Arc<D>, fits: impl Fn(&D) -> bool) -> Arc<D> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|derived| derived.is::<D>());
        match at {
            Some(at) => {
                if let Ok(known) = Arc::clone(&all[at]).downcast::<D>()
                    && fits(&known)
                {
                    return known;
                }
                all[at] = made.clone();
            }
            None => {
                all.reserve_exact(1);
                all.push(made.clone());
            }
        }
        made
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: Clone> Clone for SharedInner<T> {
    /// What changes the copy would not be in what was derived.
    fn clone(&self) -> Self {
        Self {
            value: self.value.clone(),
            derived: Derived::default(),
        }
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.value == other.0.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Length(usize);

    #[derive(Clone, Copy)]
    struct Counted(usize);

    #[test]
    fn a_result_is_made_once_for_all_who_hold_the_value() {
        let text = Shared::new("text".to_owned());
        let other = text.clone();
        assert_eq!(text.derive(|text| Length(text.len())).0, 4);
        assert_eq!(other.derive(|_| Length(0)).0, 4, "it is derived already");
        assert_eq!(
            other.derive(|_| Counted(1)).0,
            1,
            "another type is another result"
        );
    }

    #[test]
    fn a_result_for_another_key_replaces_the_one_before() {
        let text = Shared::new("text".to_owned());
        let count = |key: &char| {
            let Counted(count) = *text.derive_for(key, |text| Counted(text.matches(*key).count()));
            count
        };
        assert_eq!((count(&'t'), count(&'x'), count(&'t')), (2, 1, 2));
        let Counted(kept) = *text.derive_for(&'t', |_| Counted(9));
        assert_eq!(kept, 2);
    }

    #[test]
    fn a_change_is_not_that_of_others_and_forgets_what_was_derived() {
        let mut text = Shared::new("text".to_owned());
        let other = text.clone();
        text.derive(|text| Length(text.len()));
        text.make_mut().push('s');
        assert_eq!(
            (
                text.derive(|text| Length(text.len())).0,
                other.derive(|_| Length(0)).0
            ),
            (5, 4)
        );
        text.make_mut().push('!');
        assert_eq!(
            text.derive(|text| Length(text.len())).0,
            6,
            "also if nobody else holds the value"
        );
    }
}
