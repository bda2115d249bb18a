//! Stable sorts that share their code.

use std::cmp::Ordering;

/// Sorts a slice as the methods of the standard library do: equal items keep their order. The compiler writes the sort of the
/// standard library out for each type and each comparison, 8 kB at a time, and this one once.
pub trait Order<T> {
    /// Sorts by a comparison.
    fn order_by(&mut self, compare: impl FnMut(&T, &T) -> Ordering);

    /// Sorts by a key, which is made for each comparison.
    fn order_by_key<K: Ord>(&mut self, key: impl FnMut(&T) -> K);
}

impl<T> Order<T> for [T] {
    fn order_by(&mut self, mut compare: impl FnMut(&T, &T) -> Ordering) {
        let mut from = permutation(self.len(), &mut |a, b| compare(&self[a], &self[b]));
        for start in 0..from.len() {
            // A cycle: each place gets its item from the next one, and the first item wanders to the last place.
            let mut to = start;
            loop {
                let next = std::mem::replace(&mut from[to], to);
                if next == start {
                    break;
                }
                self.swap(to, next);
                to = next;
            }
        }
    }

    fn order_by_key<K: Ord>(&mut self, mut key: impl FnMut(&T) -> K) {
        self.order_by(|a, b| key(a).cmp(&key(b)));
    }
}

/// For each place of the sorted items the place of the item that belongs there.
#[expect(clippy::disallowed_methods, reason = "the one sort that the others share")]
fn permutation(n: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut from: Vec<usize> = (0..n).collect();
    from.sort_by(|a, b| compare(*a, *b));
    from
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "compared with it")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts_as_the_standard_library_does(items in prop::collection::vec((0u8..20, any::<u8>()), 0..200)) {
            let (mut own, mut std) = (items.clone(), items.clone());
            own.order_by_key(|(key, _)| *key);
            std.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(&own, &std);
            own.order_by(|a, b| b.cmp(a));
            std.sort_by(|a, b| b.cmp(a));
            prop_assert_eq!(own, std);
        }
    }

    #[test]
    fn a_long_cycle_takes_one_pass() {
        let mut items: Vec<u32> = (1..100_000).chain([0]).collect();
        items.order_by_key(|item| *item);
        assert!(items.iter().copied().eq(0..100_000));
    }
}
