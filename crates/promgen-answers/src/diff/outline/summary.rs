//! The head: one line for the whole, then one for each workload.

use crate::diff::outline::Whole;
use crate::diff::outline::counted;
use crate::diff::value::Change;
use crate::diff::{EnvironmentChange, KeptState, WorkloadChanges};

pub(super) fn lines(whole: &Whole<'_>) -> Vec<String> {
    let changes = whole.changes;
    let unseen = whole
        .not_compared
        .iter()
        .map(|what| format!("not compared: {what}"));
    let notes = whole.notes.iter().map(|note| format!("note: {note}"));
    if changes.is_empty() {
        let written = &changes.only_written;
        let first = match (unseen.len(), written.total) {
            (0, 0) => "no differences".to_owned(),
            (_, 0) => "nothing differs in what is compared".to_owned(),
            (_, n) => format!(
                "nothing that is rendered differs; {} written in another way",
                counted(n, "resource")
            ),
        };
        let written = written
            .items
            .iter()
            .map(|of| format!("{} {}", of.change.sign(), of.resource));
        return std::iter::once(first)
            .chain(written)
            .chain(unseen)
            .chain(notes)
            .collect();
    }
    let is_added = |of: &EnvironmentChange| of.change == Change::Added;
    let environments = changes.environments.iter().map(|of| {
        let what = if is_added(of) {
            "only in the head"
        } else {
            "only in the base"
        };
        format!("environment {}: {what}", of.environment)
    });
    let operators = changes.operators.iter().map(|of| {
        let place = of
            .environment
            .as_ref()
            .map_or_else(String::new, |name| format!(" in {name}"));
        format!("operator {} -> {}{place}", of.from, of.to)
    });
    let n_workloads = changes
        .workloads
        .iter()
        .filter(|workload| !workload.is_stand_in)
        .count();
    let mut whole = vec![match n_workloads {
        1 => "1 workload differs".to_owned(),
        0 if !changes.operators.is_empty() => "only the release of the operator differs".to_owned(),
        n => format!("{n} workloads differ"),
    }];
    let stand_ins = changes
        .workloads
        .iter()
        .filter(|workload| workload.is_stand_in);
    if stand_ins.count() > 0 {
        let what = "what no workload selects differs".to_owned();
        if n_workloads == 0 {
            whole = vec![what]
        } else {
            whole.push(what)
        }
    }
    let lost = changes.n_lost();
    whole.extend((lost > 0).then(|| format!("{} lost", counted(lost, "target"))));
    let n_readers = changes.n_lost_readers();
    whole.extend((n_readers > 0).then(|| readers(n_readers, ["loses", "lose"])));
    let n_possible = changes.n_possibly_lost_readers();
    whole.extend((n_possible > 0).then(|| readers(n_possible, ["may lose", "may lose"])));
    let restarts: usize = changes.workloads.iter().map(n_restarting).sum();
    whole.extend((restarts > 0).then(|| restarting(restarts)));
    let (new, gone) = (changes.findings.new.total, changes.findings.gone.total);
    whole.extend((new > 0).then(|| {
        format!(
            "{new} new {}",
            if new == 1 { "finding" } else { "findings" }
        )
    }));
    whole.extend((gone > 0).then(|| format!("{} gone", counted(gone, "finding"))));
    let n_files = changes.files.total;
    whole.extend(
        (n_files > 0).then(|| format!("{} of the rendered tree", counted(n_files, "file"))),
    );
    let workloads = changes
        .workloads
        .iter()
        .map(|w| format!("{}: {}", title(w), workload(w)));
    let first = std::iter::once(whole.join(", "));
    first
        .chain(unseen)
        .chain(environments)
        .chain(operators)
        .chain(workloads)
        .chain(notes)
        .collect()
}

/// The name of a workload, with its environment if there are several.
pub fn title(workload: &WorkloadChanges) -> String {
    match &workload.environment {
        Some(environment) => format!("{} in {environment}", workload.workload),
        None => workload.workload.clone(),
    }
}

fn n_restarting(workload: &WorkloadChanges) -> usize {
    let pods = workload
        .restarts
        .items
        .iter()
        .filter_map(|restart| restart.pods);
    usize::try_from(pods.sum::<u64>()).unwrap_or(usize::MAX)
}

/// The counts of the differences of a workload.
pub fn workload(workload: &WorkloadChanges) -> String {
    match workload.change {
        Change::Added if workload.kept == Some(KeptState::WasRefused) => {
            return "accepted; the API server refused it before".to_owned();
        }
        Change::Added => return "added".to_owned(),
        Change::Removed => return "removed".to_owned(),
        Change::Changed | Change::Moved => {}
    }
    match workload.kept {
        Some(KeptState::Paused) => {
            return "paused: the operator leaves its objects as they are".to_owned();
        }
        Some(KeptState::Refused) => {
            return "refused by the API server: the cluster keeps the old state".to_owned();
        }
        Some(KeptState::WasRefused) | None => {}
    }
    let mut parts = Vec::new();
    let mut add = |n: usize, text: String| parts.extend((n > 0).then_some(text));
    if let Some(pods) = workload.pods {
        add(
            1,
            if pods == Change::Added {
                "pods start"
            } else {
                "pods stop"
            }
            .to_owned(),
        );
    }
    if let Some(shards) = workload
        .shards
        .as_ref()
        .filter(|shards| shards.from != shards.to)
    {
        add(1, format!("shards {} -> {}", shards.from, shards.to));
    }
    let jobs = [
        (jobs_added(workload), "+"),
        (workload.jobs.dropped.total, "-"),
        (workload.jobs.n_changed, "~"),
    ];
    let jobs: Vec<String> = jobs
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, sign)| format!("{sign}{n}"))
        .collect();
    add(jobs.len(), format!("jobs {}", jobs.join(" ")));
    add(
        workload.selection.total,
        counted(workload.selection.total, "selected resource"),
    );
    for (list, what) in [
        (workload.targets.lost.total, "lost"),
        (workload.targets.gained.total, "new"),
        (workload.targets.moved.total, "moved"),
    ] {
        add(list, format!("{} {what}", counted(list, "target")));
    }
    add(
        workload.settings.total,
        counted(workload.settings.total, "setting"),
    );
    add(workload.rules.total, counted(workload.rules.total, "rule"));
    let routed: usize = workload
        .routes
        .items
        .iter()
        .map(|route| route.alerts.total)
        .sum();
    add(
        routed,
        format!("{} to other receivers", counted(routed, "alert")),
    );
    let pods = n_restarting(workload);
    add(pods, restarting(pods));
    add(
        workload.objects.total,
        counted(
            workload.objects.items.iter().map(|o| o.names.total).sum(),
            "object",
        ),
    );
    add(workload.status.total, "status".to_owned());
    if parts.is_empty() {
        "its manifest".to_owned()
    } else {
        parts.join(", ")
    }
}

const fn jobs_added(workload: &WorkloadChanges) -> usize {
    workload.jobs.added.total
}

/// `4 pods restart`.
fn restarting(pods: usize) -> String {
    format!(
        "{} restart{}",
        counted(pods, "pod"),
        if pods == 1 { "s" } else { "" }
    )
}

/// `1 rule or panel loses its series`
fn readers(n: usize, [one, several]: [&str; 2]) -> String {
    match n {
        1 => format!("1 rule or panel {one} its series"),
        n => format!("{n} rules and panels {several} their series"),
    }
}
