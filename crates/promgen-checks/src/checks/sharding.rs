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
        zoneless::RULES,
        hash::RULES,
        zones::RULES,
        autoscaler::RULES,
        dialect::RULES,
        placement::RULES,
        volumes::RULES,
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
