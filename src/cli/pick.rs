//! Finds the workload given by the user, or reports that it does not exist.

use crate::cli::args::WorkloadName;
use crate::cli::{Exit, Failure, Io, report};
use promgen_compile::output::{Output, Workload, WorkloadKind};
use promgen_compile::sharding::plan::Shard;
use promgen_text::diag::Level;

/// The workload of that name, among those that a command supports.
///
/// # Errors
/// The API server refuses it, or it does not exist, or several kinds have one of that name; lists the existing ones.
pub(super) fn find<'o>(
    id: &WorkloadName,
    workloads: &[&'o Workload],
    output: &Output,
) -> Result<&'o Workload, String> {
    let found: Vec<&Workload> = workloads
        .iter()
        .copied()
        .filter(|workload| id.fits(&workload.id))
        .collect();
    match found.as_slice() {
        [found] => return Ok(found),
        [] => {}
        several => {
            return Err(format!(
                "several workloads are named {id}; add the kind:{}",
                list(several)
            ));
        }
    }
    if let Some((refused, why)) = output.refused.iter().find(|(refused, _)| id.fits(refused)) {
        return Err(format!("the API server refuses {refused}: {why}"));
    }
    Err(match workloads {
        [] => format!("{id} not found"),
        [_, ..] => format!("{id} not found; existing ones:{}", list(workloads)),
    })
}

/// The message of a command that finds no workload: there is none, or the API server refuses them.
pub(super) fn no_workload(output: &Output) -> String {
    none(&WorkloadKind::ALL, output)
}

/// The message of a command that finds no workload that scrapes.
pub(super) fn no_scraper(output: &Output) -> String {
    none(
        &[WorkloadKind::Prometheus, WorkloadKind::PrometheusAgent],
        output,
    )
}

fn none(kinds: &[WorkloadKind], output: &Output) -> String {
    const MAX_NAMES: usize = 5;
    let refused: Vec<String> = output
        .refused
        .iter()
        .filter(|(id, _)| kinds.contains(&id.kind))
        .map(|(id, _)| id.to_string())
        .collect();
    if refused.is_empty() {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.kind()).collect();
        let (last, others) = names.split_last().expect("some kinds");
        let unread = output
            .unread_charts
            .as_ref()
            .map(|unread| format!("; {unread}"))
            .unwrap_or_default();
        return format!("no {} or {last} found{unread}", others.join(", "));
    }
    let refused = report::listed(&refused, MAX_NAMES);
    format!("the API server refuses {refused}")
}

/// The shard with that index.
///
/// # Errors
/// It does not exist; lists the existing ones.
pub(super) fn shard(workload: &Workload, index: u32) -> Result<&Shard, Failure> {
    let shards = &workload.plan.shards;
    shards
        .iter()
        .find(|shard| shard.index == index)
        .ok_or_else(|| {
            let last = shards
                .iter()
                .map(|shard| shard.index)
                .max()
                .unwrap_or_default();
            Failure::message(format!(
                "{} has no shard {index}; existing shards: 0 to {last}",
                workload.id
            ))
        })
}

/// The workloads, one per line.
pub(super) fn list(workloads: &[&Workload]) -> String {
    workloads
        .iter()
        .map(|workload| format!("\n  {}", workload.id))
        .collect()
}

/// The end of a command that has nothing to print. If a resource was refused, the finding is the reason. Otherwise the
/// arguments are wrong.
pub(super) fn nothing(
    reason: String,
    output: &Output,
    exit: Exit,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    if output.worst_level() == Some(Level::Error) {
        report::errors(output, io);
        report::failures(&[reason], io);
        return Ok(exit);
    }
    Err(Failure::message(reason))
}
