//! The head: one line for the whole, then one for each workload.

use crate::cli::ask::diff::outline::counted;
use promgen_driver::diff::value::Change;
use promgen_driver::diff::{Changes, KeptState, WorkloadChanges};

pub(super) fn lines(changes: &Changes, unseen: &[String]) -> Vec<String> {
    let unseen = unseen.iter().map(|what| format!("not compared: {what}"));
    if changes.is_empty() {
        return match unseen.len() {
            0 => vec!["no differences".to_owned()],
            _ => std::iter::once("nothing differs in what is compared".to_owned()).chain(unseen).collect(),
        };
    }
    let mut whole = vec![match changes.workloads.len() {
        1 => "1 workload differs".to_owned(),
        n => format!("{n} workloads differ"),
    }];
    let lost = changes.n_lost();
    whole.extend((lost > 0).then(|| format!("{} lost", counted(lost, "target"))));
    let restarts: usize = changes.workloads.iter().map(n_restarting).sum();
    whole.extend((restarts > 0).then(|| restarting(restarts)));
    let (new, gone) = (changes.findings.new.total, changes.findings.gone.total);
    whole.extend((new > 0).then(|| format!("{new} new {}", if new == 1 { "finding" } else { "findings" })));
    whole.extend((gone > 0).then(|| format!("{} gone", counted(gone, "finding"))));
    whole.push(format!("{} of the rendered tree", counted(changes.files.total, "file")));
    let workloads = changes.workloads.iter().map(|w| format!("{}: {}", w.workload, workload(w)));
    std::iter::once(whole.join(", ")).chain(unseen).chain(workloads).collect()
}

fn n_restarting(workload: &WorkloadChanges) -> usize {
    let pods = workload.restarts.items.iter().filter_map(|restart| restart.pods);
    usize::try_from(pods.sum::<u64>()).unwrap_or(usize::MAX)
}

/// What differs of a workload, counted.
pub(in crate::cli::ask::diff) fn workload(workload: &WorkloadChanges) -> String {
    match workload.change {
        Change::Added if workload.kept == Some(KeptState::WasRefused) => {
            return "accepted; the API server refused it before".to_owned();
        }
        Change::Added => return "added".to_owned(),
        Change::Removed => return "removed".to_owned(),
        Change::Changed | Change::Moved => {}
    }
    match workload.kept {
        Some(KeptState::Paused) => return "paused: the operator leaves its objects as they are".to_owned(),
        Some(KeptState::Refused) => return "refused by the API server: the cluster keeps the old state".to_owned(),
        Some(KeptState::WasRefused) | None => {}
    }
    let mut parts = Vec::new();
    let mut add = |n: usize, text: String| parts.extend((n > 0).then_some(text));
    if let Some(shards) = workload.shards.as_ref().filter(|shards| shards.from != shards.to) {
        add(1, format!("shards {} -> {}", shards.from, shards.to));
    }
    let jobs = [(jobs_added(workload), "+"), (workload.jobs.dropped.total, "-"), (workload.jobs.n_changed, "~")];
    let jobs: Vec<String> = jobs.iter().filter(|(n, _)| *n > 0).map(|(n, sign)| format!("{sign}{n}")).collect();
    add(jobs.len(), format!("jobs {}", jobs.join(" ")));
    add(workload.selection.total, counted(workload.selection.total, "selected resource"));
    for (list, what) in [
        (workload.targets.lost.total, "lost"),
        (workload.targets.gained.total, "new"),
        (workload.targets.moved.total, "moved"),
    ] {
        add(list, format!("{} {what}", counted(list, "target")));
    }
    add(workload.settings.total, counted(workload.settings.total, "setting"));
    add(workload.rules.total, counted(workload.rules.total, "rule"));
    let routed: usize = workload.routes.items.iter().map(|route| route.alerts.total).sum();
    add(routed, format!("{} to other receivers", counted(routed, "alert")));
    let pods = n_restarting(workload);
    add(pods, restarting(pods));
    add(workload.objects.total, counted(workload.objects.items.iter().map(|o| o.names.total).sum(), "object"));
    add(workload.status.total, "status".to_owned());
    if parts.is_empty() { "its manifest".to_owned() } else { parts.join(", ") }
}

const fn jobs_added(workload: &WorkloadChanges) -> usize {
    workload.jobs.added.total
}

/// `4 pods restart`.
fn restarting(pods: usize) -> String {
    format!("{} restart{}", counted(pods, "pod"), if pods == 1 { "s" } else { "" })
}
