//! Assigns shards to zones. Arithmetic only.

/// How a workload's shards share the targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The modulus of the hash: targets per zone are dealt onto so many in-zone indexes.
    pub modulus: u32,
    /// The shards, by index. At least one.
    pub shards: Vec<Shard>,
}

/// One shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Its number, from 0: `$(SHARD)`.
    pub index: u32,
    /// The zone that it scrapes and runs in, under topology sharding: `$(TOPOLOGY_ZONE)`.
    pub zone: Option<String>,
    /// Its number within the zone: `$(INZONE_SHARD)`.
    pub in_zone: u32,
}
