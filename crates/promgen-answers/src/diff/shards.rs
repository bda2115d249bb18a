//! Shards and zones that differ.

use promgen_compile::sharding::plan::{Plan, Shard};

changes! {
    /// The shards of a workload, if they differ.
    #[derive(Default)]
    ShardChanges {
        /// The number of shards in the base.
        from: usize,
        /// The number of shards in the head.
        to: usize,
        /// The zones in the base.
        zones_from: Vec<String>,
        /// The zones in the head.
        zones_to: Vec<String>,
        /// The shards of both that scrape another zone, or another part of it.
        reassigned: Vec<Reassigned>,
        /// The fate of the data of shards that are removed, or that run in another zone.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        stored: Vec<String>,
    }

    /// A shard that scrapes another zone, or another part of its zone.
    Reassigned {
        /// Its index.
        shard: u32,
        /// The targets in the base.
        from: String,
        /// The targets in the head.
        to: String,
    }
}

/// Compares two plans.
pub(crate) fn changes(
    base: &Plan,
    head: &Plan,
    stored: impl FnOnce() -> Vec<String>,
) -> Option<ShardChanges> {
    if base == head {
        return None;
    }
    let both = base
        .shards
        .iter()
        .filter_map(|old| Some((old, find(head, old.index)?)));
    let reassigned = both.filter(|(old, new)| old != new);
    let reassigned = reassigned.map(|(old, new)| Reassigned {
        shard: old.index,
        from: part(old),
        to: part(new),
    });
    Some(ShardChanges {
        from: base.shards.len(),
        to: head.shards.len(),
        zones_from: base.zones.clone(),
        zones_to: head.zones.clone(),
        reassigned: reassigned.collect(),
        stored: stored(),
    })
}

fn find(plan: &Plan, index: u32) -> Option<&Shard> {
    plan.shards.iter().find(|shard| shard.index == index)
}

/// `zone-a/0`: the zone and the part of it.
fn part(shard: &Shard) -> String {
    match &shard.zone {
        Some(zone) => format!("{zone}/{}", shard.in_zone),
        None => shard.in_zone.to_string(),
    }
}
