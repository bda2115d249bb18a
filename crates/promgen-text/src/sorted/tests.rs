//! Every operation does what the standard library's does.

#![expect(clippy::disallowed_types, reason = "the model that ours are compared with")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{SortedMap, SortedSet};

#[derive(Clone, Debug)]
enum Operation {
    Insert(u16, u16),
    Remove(u16),
    Add(u16),
    RetainOdd,
}

/// Enough for several chunks: among keys at random, in order, and in reverse.
fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let one = prop_oneof![
        20 => (0..2000_u16, any::<u16>()).prop_map(|(key, value)| Operation::Insert(key, value)),
        4 => (0..2000_u16).prop_map(Operation::Remove),
        8 => (0..2000_u16).prop_map(Operation::Add),
    ];
    let ascending = (0..900_u16).prop_map(|most| (0..most).map(|key| Operation::Insert(key * 2, key)).collect());
    let descending = (0..900_u16).prop_map(|most| (0..most).rev().map(|key| Operation::Insert(key * 2, key)).collect());
    let first: [BoxedStrategy<Vec<Operation>>; 3] = [Just(Vec::new()).boxed(), ascending.boxed(), descending.boxed()];
    (proptest::strategy::Union::new(first), prop::collection::vec(one, 0..600), any::<bool>()).prop_map(
        |(mut all, more, retains)| {
            all.extend(more);
            all.extend(retains.then_some(Operation::RetainOdd));
            all
        },
    )
}

fn apply(operation: &Operation, ours: &mut SortedMap<u16, u16>, theirs: &mut BTreeMap<u16, u16>) {
    match *operation {
        Operation::Insert(key, value) => assert_eq!(ours.insert(key, value), theirs.insert(key, value)),
        Operation::Remove(key) => assert_eq!(ours.remove(&key), theirs.remove(&key)),
        Operation::Add(key) => {
            let (own, other) = (ours.entry(key).or_insert(1), theirs.entry(key).or_insert(1));
            *own /= 2;
            *other /= 2;
        }
        Operation::RetainOdd => {
            ours.retain(|key, _| key % 3 > 0);
            theirs.retain(|key, _| key % 3 > 0);
        }
    }
}

/// What an iterator gives if it is asked from both ends in turn.
fn from_both_ends<T>(mut items: impl DoubleEndedIterator<Item = T> + ExactSizeIterator) -> Vec<T> {
    let mut out = Vec::new();
    while out.len() < 3000 {
        let left = items.len();
        let Some(item) = (if out.len() % 3 == 0 { items.next_back() } else { items.next() }) else { break };
        assert_eq!(items.len(), left - 1);
        out.push(item);
    }
    assert_eq!(items.len(), 0);
    out
}

proptest! {
    #[test]
    fn maps_do_what_b_trees_do(operations in operations(), asked in prop::collection::vec(0..2000_u16, 20)) {
        let (mut ours, mut theirs) = (SortedMap::new(), BTreeMap::new());
        for operation in &operations {
            apply(operation, &mut ours, &mut theirs);
            prop_assert_eq!(ours.len(), theirs.len());
        }
        prop_assert!(ours.iter().eq(&theirs));
        prop_assert_eq!(from_both_ends(ours.iter()), from_both_ends(theirs.iter()));
        prop_assert_eq!(from_both_ends(ours.iter_mut()), from_both_ends(theirs.iter_mut()));
        prop_assert_eq!(from_both_ends(ours.clone().into_iter()), from_both_ends(theirs.clone().into_iter()));
        for key in &asked {
            prop_assert_eq!(ours.get(key), theirs.get(key));
            prop_assert_eq!(ours.last_up_to(key), theirs.range(..=key).next_back());
            prop_assert!(ours.iter_from(key).eq(theirs.range(key..)));
        }
        prop_assert_eq!(&ours, &theirs.iter().map(|(key, value)| (*key, *value)).collect::<SortedMap<_, _>>());
        prop_assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        prop_assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&theirs).unwrap());
        prop_assert_eq!(&serde_json::from_str::<SortedMap<u16, u16>>(&serde_json::to_string(&ours).unwrap()).unwrap(), &ours);
    }

    #[test]
    fn sets_do_what_b_trees_do(
        a in prop::collection::vec(0..40_u8, 0..30),
        b in prop::collection::vec(0..40_u8, 0..30),
    ) {
        let (ours, other) = (a.iter().collect::<SortedSet<_>>(), b.iter().collect::<SortedSet<_>>());
        let (theirs, beside) = (a.iter().collect::<BTreeSet<_>>(), b.iter().collect::<BTreeSet<_>>());
        prop_assert!(ours.iter().eq(&theirs));
        prop_assert!(ours.difference(&other).eq(theirs.difference(&beside)));
        prop_assert!(ours.intersection(&other).eq(theirs.intersection(&beside)));
        prop_assert_eq!(ours.is_disjoint(&other), theirs.is_disjoint(&beside));
        prop_assert_eq!(ours.cmp(&other), theirs.cmp(&beside));
        prop_assert_eq!(from_both_ends(ours.clone().into_iter()), from_both_ends(theirs.clone().into_iter()));
        prop_assert_eq!(serde_json::to_string(&ours).unwrap(), serde_json::to_string(&theirs).unwrap());
    }
}
