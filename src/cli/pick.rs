//! Finds the workload given by the user, or reports that it does not exist.

use crate::cli::{Exit, Failure, Io, report};
use promgen_compile::output::{Output, Workload, WorkloadId};
use promgen_compile::sharding::plan::Shard;
use promgen_text::diag::Level;

/// The workload of that name, among those that a command supports.
///
/// # Errors
/// It does not exist; lists the existing ones.
pub(super) fn find<'o>(id: &WorkloadId, workloads: &[&'o Workload]) -> Result<&'o Workload, String> {
    let found = workloads.iter().find(|workload| workload.id == *id);
    found.copied().ok_or_else(|| match workloads {
        [] => format!("{id} not found"),
        [_, ..] => format!("{id} not found; existing ones:{}", list(workloads)),
    })
}

/// The shard with that index.
///
/// # Errors
/// It does not exist; lists the existing ones.
pub(super) fn shard(workload: &Workload, index: u32) -> Result<&Shard, Failure> {
    let shards = &workload.plan.shards;
    shards.iter().find(|shard| shard.index == index).ok_or_else(|| {
        let last = shards.iter().map(|shard| shard.index).max().unwrap_or_default();
        Failure::message(format!("{} has no shard {index}; existing shards: 0 to {last}", workload.id))
    })
}

/// The workloads, one per line.
pub(super) fn list(workloads: &[&Workload]) -> String {
    workloads.iter().map(|workload| format!("\n  {}", workload.id)).collect()
}

/// The end of a command that has nothing to print. If a resource was refused, the finding is the reason. Otherwise the
/// arguments are wrong.
pub(super) fn nothing(reason: String, output: &Output, exit: Exit, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if output.worst_level() == Some(Level::Error) {
        report::failures(&[reason], io);
        return Ok(exit);
    }
    Err(Failure::message(reason))
}
