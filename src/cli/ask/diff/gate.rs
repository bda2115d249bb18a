//! `diff --fail-on`: what fails a comparison, and how that is said.

use crate::cli::args::DiffFailure;
use crate::cli::{Io, report};
use promgen_answers::diff::value::Change;
use promgen_answers::diff::{Changes, KeptState, WorkloadChanges};
use promgen_text::diag::count::counted;

/// Returns whether one of these occurs. Each that does is noted.
pub(super) fn fails(asked: &[DiffFailure], changes: &Changes, io: &mut Io<'_>) -> bool {
    let mut failed: Vec<String> = asked
        .iter()
        .filter_map(|what| reason(*what, changes))
        .collect();
    // Of a workload that is refused, nobody knows what the fixed one does.
    let is_about_workloads = |what: &DiffFailure| {
        !matches!(
            what,
            DiffFailure::NewErrors
                | DiffFailure::NewWarnings
                | DiffFailure::LostAlerts
                | DiffFailure::LostSeries
                | DiffFailure::MaybeLostSeries
        )
    };
    let refused = changes
        .workloads
        .iter()
        .filter(|workload| workload.kept == Some(KeptState::Refused));
    if asked.iter().any(is_about_workloads) {
        let open = |workload: &WorkloadChanges| {
            format!(
                "{} is refused: what it selected and scraped is not compared",
                workload.workload
            )
        };
        failed.extend(refused.map(open));
    }
    failed
        .iter()
        .for_each(|reason| report::note(&format!("failed: {reason}"), io));
    !failed.is_empty()
}

/// The number of its occurrences, in words. `None` if there is none.
fn reason(what: DiffFailure, changes: &Changes) -> Option<String> {
    let of_workloads =
        |count: fn(&WorkloadChanges) -> usize| changes.workloads.iter().map(count).sum::<usize>();
    let new = &changes.findings.n_new;
    let (n, noun, verb) = match what {
        DiffFailure::LostTargets => (changes.n_lost(), "target", "lost"),
        DiffFailure::LostJobs => (of_workloads(|workload| workload.losses.jobs), "job", "lost"),
        DiffFailure::Unselected => (
            of_workloads(|workload| workload.losses.resources),
            "resource",
            "no longer selected or accepted",
        ),
        DiffFailure::LostAlerts => (changes.n_lost_alerts, "alert", "lost"),
        DiffFailure::LostSeries => (
            changes.n_lost_readers(),
            "expression",
            "that found something before",
        ),
        DiffFailure::MaybeLostSeries => (
            changes.n_possibly_lost_readers(),
            "expression",
            "that may find nothing any more",
        ),
        DiffFailure::RemovedWorkloads => (
            of_workloads(|workload| usize::from(workload.change == Change::Removed)),
            "workload",
            "removed",
        ),
        DiffFailure::Restarts => (
            of_workloads(|workload| workload.restarts.total),
            "restart",
            "of pods",
        ),
        DiffFailure::NewErrors => (new.errors, "error", "new"),
        DiffFailure::NewWarnings => (new.warnings, "warning", "new"),
    };
    (n > 0).then(|| format!("{} {verb}", counted(n, noun)))
}
