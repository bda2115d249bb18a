//! Assigns shards to zones.
//!
//! In: the number of shards, the zones, and the handling of surplus shards. Out: a [`Plan`]. Pure arithmetic, independent
//! of YAML, Kubernetes objects and versions.

use std::collections::BTreeMap;

/// The distribution of targets to the shards of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The modulus of the hash: targets (of a zone, under topology sharding) are assigned to this number of indexes.
    pub modulus: u32,
    /// The shards, by index. At least one.
    pub shards: Vec<Shard>,
    /// The zones to scrape, as listed. Empty unless sharding is by topology.
    pub zones: Vec<String>,
}

/// One shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0: `$(SHARD)`.
    pub index: u32,
    /// The zone that it scrapes and runs in, under topology sharding: `$(TOPOLOGY_ZONE)`.
    pub zone: Option<String>,
    /// The hash value that it keeps: its index, or its index in the zone: `$(INZONE_SHARD)`.
    pub in_zone: u32,
}

/// The handling of surplus shards, beyond a multiple of the number of zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surplus {
    /// They get an index that no target hashes to. Operator: `InzoneShardForShard` does not wrap around.
    Idle,
    /// Their index wraps around within their zone. The table of the zone-aware sharding proposal.
    Double,
}

impl Plan {
    /// Shards that split all targets by their hash. Operator: mode `Address`; proposal: mode `classic`.
    #[must_use]
    pub fn address(n_shards: u32) -> Self {
        let n_shards = n_shards.max(1);
        let shards = (0..n_shards)
            .map(|index| Shard {
                index,
                zone: None,
                in_zone: index,
            })
            .collect();
        Self {
            modulus: n_shards,
            shards,
            zones: Vec::new(),
        }
    }

    /// Shards that each serve one zone: zone `i mod zones`, in turn. Operator: `TopologyZoneForShard`, `shardsPerZone`,
    /// `InzoneShardForShard`. Without zones this is [`Plan::address`].
    #[must_use]
    pub fn topology(n_shards: u32, zones: &[String], surplus: Surplus) -> Self {
        let n_shards = n_shards.max(1);
        let Some(n_zones) = u32::try_from(zones.len()).ok().filter(|n| *n > 0) else {
            return Self::address(n_shards);
        };
        // Rounded down: fewer shards than zones leave zones without a shard, but never a modulus of 0.
        let modulus = (n_shards / n_zones).max(1);
        let shard = |index: u32| Shard {
            index,
            zone: Some(zones[(index % n_zones) as usize].clone()),
            in_zone: match surplus {
                // May be as big as the modulus or bigger, and then matches no hash.
                Surplus::Idle => index / n_zones,
                Surplus::Double => index / n_zones % modulus,
            },
        };
        Self {
            modulus,
            shards: (0..n_shards).map(shard).collect(),
            zones: zones.to_vec(),
        }
    }

    /// Shards that no target can hash to.
    pub fn idle(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().filter(|s| s.in_zone >= self.modulus)
    }

    /// Groups of shards that scrape the same targets, each group by index.
    #[must_use]
    pub fn doubled(&self) -> Vec<Vec<u32>> {
        let mut groups: BTreeMap<(Option<&str>, u32), Vec<u32>> = BTreeMap::new();
        for shard in self.shards.iter().filter(|s| s.in_zone < self.modulus) {
            groups
                .entry((shard.zone.as_deref(), shard.in_zone))
                .or_default()
                .push(shard.index);
        }
        let mut doubled: Vec<_> = groups.into_values().filter(|g| g.len() > 1).collect();
        doubled.sort_unstable();
        doubled
    }

    /// Zones that no shard scrapes.
    #[must_use]
    pub fn uncovered(&self) -> Vec<&str> {
        let covered = |zone: &&String| self.shards.iter().any(|s| s.zone.as_ref() == Some(zone));
        self.zones
            .iter()
            .filter(|z| !covered(z))
            .map(String::as_str)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(n: usize) -> Vec<String> {
        ('A'..='Z').take(n).map(String::from).collect()
    }

    fn row<T>(plan: &Plan, cell: impl Fn(&Shard) -> T) -> Vec<T> {
        plan.shards.iter().map(cell).collect()
    }

    #[test]
    fn ten_shards_on_three_zones_follow_the_tables() {
        let proposal = Plan::topology(10, &zones(3), Surplus::Double);
        let letters: String = row(&proposal, |s| s.zone.clone().unwrap_or_default()).concat();
        assert_eq!(letters, "ABCABCABCA");
        assert_eq!(
            row(&proposal, |s| s.in_zone),
            [0, 0, 0, 1, 1, 1, 2, 2, 2, 0]
        );
        assert_eq!(proposal.doubled(), [[0, 9]]);
        let operator = Plan::topology(10, &zones(3), Surplus::Idle);
        assert_eq!(
            row(&operator, |s| s.in_zone),
            [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
        );
        assert_eq!(operator.idle().map(|s| s.index).collect::<Vec<_>>(), [9]);
        assert_eq!((proposal.modulus, operator.modulus), (3, 3));
    }

    #[test]
    fn two_shards_on_three_zones_leave_one_uncovered() {
        for surplus in [Surplus::Idle, Surplus::Double] {
            let plan = Plan::topology(2, &zones(3), surplus);
            assert_eq!((plan.modulus, row(&plan, |s| s.in_zone)), (1, vec![0, 0]));
            assert_eq!(plan.uncovered(), ["C"]);
        }
    }

    /// Every residue of every zone, and who keeps it, for both dialects.
    #[test]
    fn every_residue_is_served_as_the_dialect_says() {
        for n_shards in 1..=64 {
            for n_zones in 0..=8 {
                for surplus in [Surplus::Idle, Surplus::Double] {
                    check_coverage(n_shards, &zones(n_zones), surplus);
                }
            }
        }
    }

    fn check_coverage(n_shards: u32, zones: &[String], surplus: Surplus) {
        let plan = Plan::topology(n_shards, zones, surplus);
        assert_eq!(plan.shards.len(), n_shards as usize);
        let all: Vec<Option<&str>> = if zones.is_empty() {
            vec![None]
        } else {
            zones.iter().map(|z| Some(z.as_str())).collect()
        };
        let (mut hit, mut doubled, mut uncovered) =
            (vec![0; n_shards as usize], Vec::new(), Vec::new());
        for zone in all {
            for residue in 0..plan.modulus {
                let keeps = |s: &&Shard| s.zone.as_deref() == zone && s.in_zone == residue;
                let keepers: Vec<u32> = plan.shards.iter().filter(keeps).map(|s| s.index).collect();
                keepers.iter().for_each(|i| hit[*i as usize] += 1);
                match keepers.len() {
                    0 => uncovered.extend(zone),
                    1 => {}
                    _ => doubled.push(keepers),
                }
            }
        }
        doubled.sort_unstable();
        assert_eq!(
            plan.doubled(),
            doubled,
            "{n_shards} on {} {surplus:?}",
            zones.len()
        );
        assert_eq!(plan.uncovered(), uncovered);
        assert_eq!(uncovered.is_empty(), n_shards as usize >= zones.len());
        let never: Vec<u32> = (0..n_shards).filter(|i| hit[*i as usize] == 0).collect();
        assert_eq!(plan.idle().map(|s| s.index).collect::<Vec<_>>(), never);
        let surplus_shards = if zones.is_empty() {
            0
        } else {
            n_shards as usize % zones.len()
        };
        let expected = if n_shards as usize > zones.len() {
            surplus_shards
        } else {
            0
        };
        match surplus {
            Surplus::Idle => assert_eq!((never.len(), doubled.len()), (expected, 0)),
            Surplus::Double => assert_eq!((never.len(), doubled.len()), (0, expected)),
        }
    }
}
