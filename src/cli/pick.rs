//! The workload that the user names, and what to say if there is none.

use crate::cli::{Exit, Failure, Io, report};
use crate::diag::Level;
use crate::output::{Output, Workload, WorkloadId};

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
