//! What is said of a workload that scrapes nothing.

use crate::cli::{Io, report};
use promgen_compile::output::Workload;
use promgen_text::yaml::Value;

/// Says that a workload has no scrape job, and what tells its sharding all the same. True if it was said.
pub(in crate::cli) fn note(workload: &Workload, io: &mut Io<'_>) -> bool {
    let is_paused = workload.resource.get("spec").and_then(|spec| spec.get("paused")) == Some(&Value::Bool(true));
    if workload.plan.shards.is_empty() || workload.error.is_some() || is_paused || !workload.id.kind.has_shards() {
        return false;
    }
    let why = match &workload.config {
        Some(config) if !config.pieces.is_empty() => return false,
        Some(_) => "no resource of the input is selected and accepted",
        None => "it has no selector of monitors, so its configuration is left to the user",
    };
    let more = match workload.plan.shards.len() {
        1 => "",
        _ => "; `promgen shards --rules` prints its sharding rules and placements",
    };
    let text = format!("{}: no scrape job results: {why}{more}", workload.id);
    report::note(&text, io);
    true
}
