//! Checks on sharding that need more than the plan: whether every target has a shard, and every shard has targets.

mod autoscaler;
mod dialect;
mod hash;
mod job;
mod placement;
mod volumes;
mod zoneless;
mod zones;

use crate::checks::Family;
use promgen_model::model::World;
use promgen_model::scraping::needs::ScrapingServer;
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &zoneless::ZONELESS,
        &hash::OWN_HASH,
        &zoneless::FUTILE_DISABLE,
        &zones::ZONE_PATTERN,
        &zones::NO_ZONES,
        &autoscaler::PINNED_SHARDS,
        &zones::UNKNOWN_ZONE,
        &zones::UNSERVED_ZONE,
        &dialect::NOT_OF_NODES,
        &dialect::PROPOSAL_DIALECT,
        &dialect::IGNORED_ZONES,
        &placement::NO_SHARDS,
        &placement::NO_NODE_TERM,
        &placement::EXCLUDED_ZONE,
        &volumes::VOLUME_ELSEWHERE,
        &autoscaler::FEWER_THAN_ZONES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    let servers: Vec<ScrapingServer<'_>> = ScrapingServer::all(model).collect();
    for server in &servers {
        zones::check(*server, sink);
        dialect::check(*server, sink);
        autoscaler::check(*server, sink);
        placement::check(*server, sink);
        volumes::check(*server, sink);
        zoneless::check(*server, sink);
        hash::additional(*server, sink);
    }
    hash::monitors(model, &servers, sink);
}

#[cfg(test)]
mod tests;
