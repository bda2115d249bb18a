//! The note about a workload without scrape jobs.

use crate::cli::{Io, report};
use promgen_compile::output::Workload;

/// Prints that a workload has no scrape job, and how to print its sharding. Returns whether it printed a note.
pub(crate) fn note(workload: &Workload, io: &mut Io<'_>) -> bool {
    if workload.plan.shards.is_empty()
        || workload.error.is_some()
        || workload.is_paused()
        || !workload.id.kind.has_shards()
    {
        return false;
    }
    let why = match &workload.config {
        Some(config) if !config.jobs.is_empty() => return false,
        Some(_) => "it selects no resource in the input that the operator accepts",
        None => "it has no monitor selector, so the operator leaves its configuration to the user",
    };
    let more = match workload.plan.shards.len() {
        1 => "",
        _ => "; `promgen shards --rules` prints its sharding rules and placements",
    };
    let text = format!("{} has no scrape jobs: {why}{more}", workload.id);
    report::note(&text, io);
    true
}
