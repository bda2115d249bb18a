//! Counts targets, one by one, for several sets of shards at once.
//!
//! Stores no targets: counts of parts can be added in any order, so any number of targets fits.

use crate::simulate::Amount;
use promgen_compile::sharding::plan::Plan;

/// The fate of targets under several sets of shards. The first is the present one.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// All targets.
    pub(super) all: Amount,
    /// The targets without a weight of their own.
    pub(super) n_unweighted: u64,
    /// The counts of each set of shards.
    pub(super) counts: Vec<Count>,
    /// A rule that takes too many steps for a target. Nothing is counted from there on.
    pub(super) too_much: Option<usize>,
}

/// The counts of a set of shards.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    pub(super) of_shards: Vec<Amount>,
    pub(super) uncovered: Amount,
    pub(super) doubled: Amount,
    /// Compared with the present set of shards.
    pub(super) from_present: Crossing,
    /// Compared with the set before.
    pub(super) from_previous: Crossing,
}

/// Targets that change their shard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Crossing {
    pub(super) moved: Amount,
    /// The targets whose new shard is in another zone than the old one.
    pub(super) crossed: Amount,
}

/// The zone of each shard, by the number of the zone; none for shards without.
pub(super) type ShardZones = Vec<Option<u32>>;

/// The zones of all shards of several plans, numbered alike.
pub(super) fn number_zones(plans: &[&Plan]) -> Vec<ShardZones> {
    let mut names: Vec<&str> = Vec::new();
    let mut zones = Vec::with_capacity(plans.len());
    for plan in plans {
        let mut of_plan = ShardZones::with_capacity(plan.shards.len());
        for shard in &plan.shards {
            let number = shard.zone.as_deref().map(|zone| {
                names
                    .iter()
                    .position(|known| *known == zone)
                    .unwrap_or_else(|| {
                        names.push(zone);
                        names.len() - 1
                    })
            });
            of_plan.push(number.and_then(|number| u32::try_from(number).ok()));
        }
        zones.push(of_plan);
    }
    zones
}

impl Tally {
    /// Nothing yet, for plans of so many shards each.
    pub(super) fn new(zones: &[ShardZones]) -> Self {
        let count = |zones: &ShardZones| Count {
            of_shards: vec![Amount::default(); zones.len()],
            ..Count::default()
        };
        Self {
            counts: zones.iter().map(count).collect(),
            ..Self::default()
        }
    }

    /// Counts a target. `keepers` are the shards that scrape it, for each set of shards.
    pub(super) fn add<K: AsRef<[u32]>>(
        &mut self,
        keepers: &[K],
        weight: u64,
        zones: &[ShardZones],
    ) {
        let one = Amount {
            targets: 1,
            weight: weight.into(),
        };
        self.all += one;
        for (index, count) in self.counts.iter_mut().enumerate() {
            let now = keepers[index].as_ref();
            for shard in now {
                if let Some(load) = count.of_shards.get_mut(*shard as usize) {
                    *load += one;
                }
            }
            match now {
                [] => count.uncovered += one,
                [_] => {}
                [_, _, ..] => count.doubled += one,
            }
            for (crossing, before) in [
                (&mut count.from_present, 0),
                (&mut count.from_previous, index.saturating_sub(1)),
            ] {
                let old = keepers[before].as_ref();
                crossing.add(old, &zones[before], now, &zones[index], one);
            }
        }
    }

    /// Adds the counts of other targets.
    pub(super) fn merge(mut self, other: Self) -> Self {
        if self.counts.is_empty() {
            return other;
        }
        self.all += other.all;
        self.n_unweighted += other.n_unweighted;
        self.too_much = self.too_much.or(other.too_much);
        for (count, other) in self.counts.iter_mut().zip(other.counts) {
            for (load, other) in count.of_shards.iter_mut().zip(other.of_shards) {
                *load += other;
            }
            count.uncovered += other.uncovered;
            count.doubled += other.doubled;
            count.from_present.merge(other.from_present);
            count.from_previous.merge(other.from_previous);
        }
        self
    }
}

impl Crossing {
    /// Counts a target that was scraped, and is scraped by a shard that did not do so before.
    fn add(
        &mut self,
        old: &[u32],
        old_zones: &[Option<u32>],
        new: &[u32],
        zones: &[Option<u32>],
        one: Amount,
    ) {
        if old.is_empty() {
            return;
        }
        let mut others = new.iter().filter(|shard| !old.contains(shard)).peekable();
        if others.peek().is_none() {
            return;
        }
        self.moved += one;
        let zone = |zones: &[Option<u32>], shard: u32| zones.get(shard as usize).copied().flatten();
        let is_elsewhere = |shard: &u32| {
            zone(zones, *shard).is_some_and(|new| {
                old.iter()
                    .all(|old_shard| zone(old_zones, *old_shard).is_some_and(|old| old != new))
            })
        };
        if others.any(is_elsewhere) {
            self.crossed += one;
        }
    }

    fn merge(&mut self, other: Self) {
        self.moved += other.moved;
        self.crossed += other.crossed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crossing(
        old: &[u32],
        old_zones: &[Option<u32>],
        new: &[u32],
        zones: &[Option<u32>],
    ) -> (u64, u64) {
        let mut crossing = Crossing::default();
        crossing.add(
            old,
            old_zones,
            new,
            zones,
            Amount {
                targets: 1,
                weight: 1,
            },
        );
        (crossing.moved.targets, crossing.crossed.targets)
    }

    #[test]
    fn a_target_moves_if_a_shard_scrapes_it_that_did_not() {
        let none = &[None; 4][..];
        for (old, new, moved) in [
            (&[1][..], &[1][..], 0),
            (&[1], &[2], 1),
            (&[1], &[1, 2], 1),
            (&[1, 2], &[2], 0),
            (&[], &[2], 0),
            (&[1], &[], 0),
        ] {
            assert_eq!(
                crossing(old, none, new, none),
                (moved, 0),
                "{old:?} {new:?}"
            );
        }
    }

    #[test]
    fn it_crosses_zones_if_both_are_known_and_differ() {
        let (ab, ba) = (&[Some(0), Some(1)][..], &[Some(1), Some(0)][..]);
        assert_eq!(crossing(&[0], ab, &[1], ab), (1, 1));
        assert_eq!(crossing(&[0], ab, &[1], ba), (1, 0));
        assert_eq!(crossing(&[0], &[None, None], &[1], ab), (1, 0));
        assert_eq!(crossing(&[0, 1], ab, &[2], &[None, None, Some(1)]), (1, 0));
    }
}
