//! The workload that the user names, and what to say if there is none.

use crate::cli::{Exit, Failure, Io, report};
use promgen_compile::output::{Output, Workload, WorkloadId};
use promgen_compile::sharding::plan::Shard;
use promgen_text::diag::Level;

/// The workload of that name, among those that a command is about.
///
/// # Errors
/// That there is none, and which there are.
pub(super) fn find<'o>(id: &WorkloadId, workloads: &[&'o Workload]) -> Result<&'o Workload, String> {
    let found = workloads.iter().find(|workload| workload.id == *id);
    found.copied().ok_or_else(|| match workloads {
        [] => format!("no {id} found"),
        [_, ..] => format!("no {id} found; there are{}", list(workloads)),
    })
}

/// The shard of that number.
///
/// # Errors
/// That there is none, and which there are.
pub(super) fn shard(workload: &Workload, index: u32) -> Result<&Shard, Failure> {
    let shards = &workload.plan.shards;
    shards.iter().find(|shard| shard.index == index).ok_or_else(|| {
        let last = shards.iter().map(|shard| shard.index).max().unwrap_or_default();
        Failure::message(format!("{} has no shard {index}, only 0 to {last}", workload.id))
    })
}

/// The workloads, a line each.
pub(super) fn list(workloads: &[&Workload]) -> String {
    workloads.iter().map(|workload| format!("\n  {}", workload.id)).collect()
}

/// How a command ends that has nothing to print. A resource that was refused is not there to be printed; the finding says
/// why. Otherwise what the user asked for makes no sense.
pub(super) fn nothing(reason: String, output: &Output, exit: Exit, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if output.worst_level() == Some(Level::Error) {
        report::failures(&[reason], io);
        return Ok(exit);
    }
    Err(Failure::message(reason))
}
