//! The lines of each part.

use std::collections::BTreeMap;

use crate::diff::files::FileChange;
use crate::diff::findings::ChangedFinding;
use crate::diff::jobs::{JobChanges, NamedJob};
use crate::diff::listed::Listed;
use crate::diff::objects::{ObjectChange, Restart};
use crate::diff::outline::summary::title;
use crate::diff::outline::values::{self, arrow};
use crate::diff::outline::{Line, OutlinePart, counted};
use crate::diff::routes::RouteChange;
use crate::diff::rules::{NamedRule, RuleChange};
use crate::diff::selection::{SelectionChange, SelectionState};
use crate::diff::series::{PossibleLoss, SeriesChange};
use crate::diff::shards::ShardChanges;
use crate::diff::statuses::ResourceChange;
use crate::diff::targets::{TargetChange, TargetChanges};
use crate::diff::value::{Change, FieldChange};
use crate::diff::{Changes, KeptState, WorkloadChanges};

/// The maximum number of names in one line.
const MAX_NAMES: usize = 5;

pub(super) fn parts(changes: &Changes) -> Vec<OutlinePart> {
    let mut parts: Vec<OutlinePart> = changes.workloads.iter().map(workload).collect();
    let mut add = |title: &str, write: &dyn Fn(&mut OutlineLines)| {
        let mut lines = OutlineLines::default();
        write(&mut lines);
        if !lines.0.is_empty() {
            parts.push(OutlinePart {
                title: title.to_owned(),
                lines: lines.0,
            });
        }
    };
    add("resources", &|lines| {
        lines.list(0, &changes.resources, resource)
    });
    add("series that rules and dashboards read", &|lines| {
        lines.list(0, &changes.series, reader);
        lines.list(0, &changes.possible_losses, possible_loss);
    });
    add("new findings", &|lines| {
        lines.list(0, &changes.findings.new, |lines, depth, f| {
            finding(lines, depth, '+', f)
        })
    });
    add("findings that are gone", &|lines| {
        lines.list(0, &changes.findings.gone, |lines, depth, f| {
            finding(lines, depth, '-', f)
        });
    });
    add("other changes", &|lines| {
        for file in changes.files.items.iter().filter(|file| file.is_other) {
            other(lines, file);
        }
    });
    parts
}

/// The targets that are lost, those of a job together.
pub(super) fn lost(changes: &Changes) -> Vec<String> {
    let mut lines = Vec::new();
    for workload in &changes.workloads {
        let mut by_job: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for target in &workload.targets.lost.items {
            by_job.entry(&target.job).or_default().push(&target.address);
        }
        for (job, targets) in by_job {
            let n = counted(targets.len(), "target");
            let listed = names(targets.iter().copied(), targets.len());
            lines.push(format!("{n} of {job} of {}: {listed}", title(workload)));
        }
        if workload.targets.lost.n_left_out() > 0 {
            lines.push(format!(
                "{} more of {}",
                workload.targets.lost.n_left_out(),
                title(workload)
            ));
        }
    }
    lines
}

/// Lines that are being written.
#[derive(Default)]
struct OutlineLines(Vec<Line>);

impl OutlineLines {
    fn add(&mut self, depth: usize, sign: char, text: impl Into<String>) {
        self.0.push(Line {
            depth,
            sign,
            text: text.into(),
        });
    }

    /// The items of a list, and how many are left out.
    fn list<T>(&mut self, depth: usize, list: &Listed<T>, each: impl Fn(&mut Self, usize, &T)) {
        for item in &list.items {
            each(self, depth, item);
        }
        self.left_out(depth, list);
    }

    fn left_out<T>(&mut self, depth: usize, list: &Listed<T>) {
        if list.n_left_out() > 0 {
            self.add(depth, ' ', format!("… and {} more", list.n_left_out()));
        }
    }

    /// A list below a heading, if it has lines.
    fn section<T>(&mut self, heading: &str, list: &Listed<T>, each: impl Fn(&mut Self, usize, &T)) {
        if !list.is_empty() {
            let n_before = self.0.len();
            self.add(0, ' ', heading);
            self.list(1, list, each);
            self.0.truncate(if self.0.len() == n_before + 1 {
                n_before
            } else {
                self.0.len()
            });
        }
    }
}

fn workload(workload: &WorkloadChanges) -> OutlinePart {
    OutlinePart {
        title: title(workload),
        lines: of_workload(workload),
    }
}

/// `, and with them 2 jobs`.
fn with_it(workload: &WorkloadChanges) -> String {
    match workload.losses.jobs {
        0 => String::new(),
        jobs => format!("; {} lost", counted(jobs, "job")),
    }
}

/// The lines of a workload.
pub fn of_workload(workload: &WorkloadChanges) -> Vec<Line> {
    let mut lines = OutlineLines::default();
    let was_refused = workload.kept == Some(KeptState::WasRefused);
    match workload.change {
        Change::Added if was_refused => {
            lines.add(
                0,
                '+',
                "the API server accepts it: it refused the base, so that the cluster has an older state, or none",
            );
        }
        Change::Added => lines.add(0, '+', "the workload is new"),
        Change::Removed => lines.add(
            0,
            '-',
            format!("the workload is removed{}", with_it(workload)),
        ),
        Change::Changed | Change::Moved => {}
    }
    match workload.pods {
        Some(Change::Added) => lines.add(0, '+', "its pods start: it had `replicas: 0`"),
        Some(_) => lines.add(
            0,
            '-',
            format!("its pods stop: `replicas: 0`{}", with_it(workload)),
        ),
        None => {}
    }
    if workload.kept == Some(KeptState::Refused) {
        lines.add(
            0,
            ' ',
            "the API server refuses it: the cluster keeps the old state",
        );
    }
    for (what, change) in [
        ("version of Prometheus", &workload.version),
        ("error of the operator", &workload.error),
    ] {
        if let Some(FieldChange {
            change, from, to, ..
        }) = change
        {
            lines.add(
                0,
                change.sign(),
                format!("{what}: {}", arrow(from.as_deref(), to.as_deref())),
            );
        }
    }
    for note in workload.upgrade.iter().chain(&workload.stale) {
        lines.add(0, '!', note.clone());
    }
    if let Some(changes) = &workload.shards {
        shards(&mut lines, changes);
    }
    lines.section("manifest", &workload.fields, field);
    lines.section("selection", &workload.selection, selection);
    jobs(&mut lines, &workload.jobs);
    lines.section("settings", &workload.settings, field);
    targets(&mut lines, &workload.targets);
    lines.section("rules", &workload.rules, rule);
    lines.section("who is paged", &workload.routes, route);
    lines.section("pods that restart", &workload.restarts, restart);
    lines.section("objects", &workload.objects, object);
    lines.section("status", &workload.status, field);
    lines.0
}

/// The lines of fields.
pub fn of_fields(depth: usize, fields: &Listed<FieldChange>) -> Vec<Line> {
    let mut lines = OutlineLines::default();
    lines.list(depth, fields, field);
    lines.0
}

fn shown_path(field: &FieldChange) -> &str {
    match field.path.as_str() {
        "" => "(all)",
        path => path,
    }
}

fn field_text(field: &FieldChange) -> String {
    let path = shown_path(field);
    match field.change {
        Change::Moved => format!("{path}: in another order"),
        _ => format!(
            "{path}: {}",
            arrow(field.from.as_deref(), field.to.as_deref())
        ),
    }
}

fn field(lines: &mut OutlineLines, depth: usize, field: &FieldChange) {
    field_because(lines, depth, field, "");
}

/// A field, and the cause of the difference if it is known.
fn field_because(lines: &mut OutlineLines, depth: usize, field: &FieldChange, because: &str) {
    let Some(differing) = values::lines(field.from.as_deref(), field.to.as_deref()) else {
        return lines.add(
            depth,
            field.change.sign(),
            format!("{}{because}", field_text(field)),
        );
    };
    let path = shown_path(field);
    lines.add(depth, field.change.sign(), format!("{path}:{because}"));
    for (sign, text) in differing {
        lines.add(depth + 1, sign, text);
    }
}

fn shards(lines: &mut OutlineLines, shards: &ShardChanges) {
    if shards.from != shards.to {
        lines.add(0, '~', format!("shards: {} -> {}", shards.from, shards.to));
    }
    if shards.zones_from != shards.zones_to {
        let zones = |zones: &[String]| {
            if zones.is_empty() {
                "none".to_owned()
            } else {
                zones.join(", ")
            }
        };
        lines.add(
            0,
            '~',
            format!(
                "zones: {} -> {}",
                zones(&shards.zones_from),
                zones(&shards.zones_to)
            ),
        );
    }
    for shard in &shards.reassigned {
        lines.add(
            0,
            '~',
            format!(
                "shard {} scrapes {} -> {}",
                shard.shard, shard.from, shard.to
            ),
        );
    }
    for note in &shards.stored {
        lines.add(0, '!', note.clone());
    }
}

fn selection(lines: &mut OutlineLines, depth: usize, resource: &SelectionChange) {
    let what = match (resource.from, resource.to) {
        (_, SelectionState::Accepted) => '+',
        (SelectionState::Accepted, _) => '-',
        _ => '~',
    };
    let state = |state| match state {
        SelectionState::Accepted => "selected",
        SelectionState::Refused => "refused",
        SelectionState::NotSelected => "not selected",
        SelectionState::Absent => "absent",
    };
    let text = format!(
        "{} {}: {} -> {}",
        resource.kind,
        resource.name,
        state(resource.from),
        state(resource.to)
    );
    lines.add(depth, what, text);
    for why in &resource.why {
        lines.add(depth + 1, ' ', why.clone());
    }
}

fn job_name(job: &NamedJob) -> String {
    job.place.as_ref().map_or_else(
        || job.name.clone(),
        |place| format!("{}  ({place})", job.name),
    )
}

fn jobs(lines: &mut OutlineLines, jobs: &JobChanges) {
    if jobs.is_empty() {
        return;
    }
    lines.add(0, ' ', "jobs");
    lines.list(1, &jobs.added, |lines, depth, job| {
        lines.add(depth, '+', job_name(job))
    });
    lines.list(1, &jobs.dropped, |lines, depth, job| {
        lines.add(depth, '-', job_name(job))
    });
    lines.list(1, &jobs.changed, |lines, depth, changed| {
        match changed.jobs.items.as_slice() {
            [job] => lines.add(depth, '~', job_name(job)),
            jobs => {
                let listed = names(jobs.iter().map(|job| job.name.as_str()), changed.jobs.total);
                lines.add(
                    depth,
                    '~',
                    format!("{}: {listed}", counted(changed.jobs.total, "job")),
                );
            }
        }
        lines.list(depth + 1, &changed.fields, field);
    });
    if jobs.is_reordered {
        lines.add(1, '~', "in another order");
    }
}

/// The first names, and how many more there are.
pub fn names<'n>(names: impl Iterator<Item = &'n str>, total: usize) -> String {
    let listed: Vec<&str> = names.take(MAX_NAMES).collect();
    match total.saturating_sub(listed.len()) {
        0 => listed.join(", "),
        n => format!("{} and {n} more", listed.join(", ")),
    }
}

fn listed_names(list: &Listed<String>) -> String {
    names(list.items.iter().map(String::as_str), list.total)
}

fn targets(lines: &mut OutlineLines, targets: &TargetChanges) {
    let listed = |shards: &[u32]| match shards {
        [] => "none".to_owned(),
        shards => shards
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let name = |target: &TargetChange| match target.source.as_str() {
        "" => format!("{} of {}", target.address, target.job),
        source => format!("{} ({source}) of {}", target.address, target.job),
    };
    for (list, sign, what) in [
        (&targets.lost, '!', "lost"),
        (&targets.gained, '+', "new"),
        (&targets.moved, '~', "moved to other shards"),
        (&targets.rejobbed, '~', "moved to other jobs"),
    ] {
        lines.section(
            &format!("targets {what}: {}", list.total),
            list,
            |lines, depth, target| {
                let shards = format!("shard {} -> {}", listed(&target.from), listed(&target.to));
                let why = match (
                    target.why.as_str(),
                    target.from.is_empty() && target.to.is_empty(),
                ) {
                    ("", _) => shards,
                    (why, true) => why.to_owned(),
                    (why, false) => format!("{shards}: {why}"),
                };
                lines.add(depth, sign, format!("{}: {why}", name(target)));
            },
        );
    }
}

fn rule(lines: &mut OutlineLines, depth: usize, rule: &RuleChange) {
    let name = match &rule.rule {
        Some(NamedRule::Alert(alert)) => format!("alert {alert}"),
        Some(NamedRule::Record(record)) => format!("record {record}"),
        None if rule.group.is_some() => "the group".to_owned(),
        None => "the file".to_owned(),
    };
    let group = rule
        .group
        .iter()
        .map(|group| format!(" of group {group}"))
        .collect::<String>();
    let order = if rule.change == Change::Moved {
        ": in another order"
    } else {
        ""
    };
    lines.add(
        depth,
        rule.change.sign(),
        format!("{name}{group} in {}{order}", rule.file),
    );
    lines.list(depth + 1, &rule.fields, field);
}

fn route(lines: &mut OutlineLines, depth: usize, route: &RouteChange) {
    let receivers = |receivers: &[String]| {
        if receivers.is_empty() {
            "nobody".to_owned()
        } else {
            receivers.join(", ")
        }
    };
    let (from, to) = (receivers(&route.from), receivers(&route.to));
    let alerts = listed_names(&route.alerts);
    let (sign, text) = match (route.from.is_empty(), route.to.is_empty()) {
        (true, false) => ('+', format!("{alerts}: {to}")),
        (false, true) => ('-', format!("{alerts}: {from}")),
        _ => ('~', format!("{alerts}: {from} -> {to}")),
    };
    lines.add(depth, sign, text);
}

fn restart(lines: &mut OutlineLines, depth: usize, restart: &Restart) {
    let pods = restart.pods.map(|pods| {
        format!(
            " ({})",
            counted(usize::try_from(pods).unwrap_or_default(), "pod")
        )
    });
    let how = if restart.is_recreated {
        ": the operator deletes and creates it"
    } else {
        ""
    };
    let listed = listed_names(&restart.names);
    lines.add(
        depth,
        '!',
        format!("{} {listed}{}{how}", restart.kind, pods.unwrap_or_default()),
    );
    lines.list(depth + 1, &restart.fields, |lines, depth, of| {
        let cause = of
            .cause
            .as_ref()
            .map(|cause| format!("  because of {cause}"))
            .unwrap_or_default();
        field_because(lines, depth, &of.field, &cause);
    });
}

/// An object, without what is already among the pods that restart.
fn object(lines: &mut OutlineLines, depth: usize, object: &ObjectChange) {
    let is_shown = |field: &&FieldChange| !field.path.starts_with("spec.template");
    let shown: Vec<&FieldChange> = object.fields.items.iter().filter(is_shown).collect();
    if shown.is_empty() && !object.fields.is_empty() {
        return;
    }
    let listed = listed_names(&object.names);
    lines.add(
        depth,
        object.change.sign(),
        format!("{} {listed}", object.kind),
    );
    for of in shown {
        field(lines, depth + 1, of);
    }
    lines.left_out(depth + 1, &object.fields);
}

fn resource(lines: &mut OutlineLines, depth: usize, resource: &ResourceChange) {
    let name = of_environment(&resource.resource, resource.environment.as_ref());
    lines.add(depth, resource.change.sign(), name);
    lines.list(depth + 1, &resource.fields, field);
    lines.list(depth + 1, &resource.status, |lines, depth, of| {
        field(
            lines,
            depth,
            &FieldChange {
                path: format!("status.{}", of.path),
                ..of.clone()
            },
        );
    });
}

fn reader(lines: &mut OutlineLines, depth: usize, of: &SeriesChange) {
    let name = of_environment(&of.reader, of.environment.as_ref());
    match of.change {
        Change::Removed => lines.add(depth, '!', format!("{name} loses them: {}", of.why)),
        Change::Added | Change::Changed | Change::Moved => {
            lines.add(
                depth,
                '+',
                format!("{name} finds them again; before: {}", of.why),
            );
        }
    }
}

fn possible_loss(lines: &mut OutlineLines, depth: usize, of: &PossibleLoss) {
    let n = of.readers.total;
    let noun = if n == 1 {
        "rule or panel"
    } else {
        "rules and panels"
    };
    let subject = of_environment(&format!("{n} {noun}"), of.environment.as_ref());
    let PossibleLoss { cause, unknown, .. } = of;
    let text = match of.is_of_any_job {
        true => format!("{subject} may have read it, though they ask for no job: {cause}"),
        false => {
            let listed = listed_names(&of.readers);
            format!("{subject} may lose them: {cause}, and {unknown}: {listed}")
        }
    };
    lines.add(depth, '?', text);
}

fn finding(lines: &mut OutlineLines, depth: usize, sign: char, finding: &ChangedFinding) {
    let place = finding
        .place
        .as_ref()
        .map(|place| format!("  ({place})"))
        .unwrap_or_default();
    lines.add(
        depth,
        sign,
        format!(
            "{}[{}]: {}{place}",
            finding.level, finding.code, finding.message
        ),
    );
}

fn other(lines: &mut OutlineLines, file: &FileChange) {
    let what = if file.is_secret {
        "values of Secrets differ in"
    } else {
        "other change in"
    };
    lines.add(
        0,
        file.change.sign(),
        format!(
            "{what} {}",
            of_environment(&file.path, file.environment.as_ref())
        ),
    );
}

/// A name, with its environment if there are several.
fn of_environment(name: &str, environment: Option<&String>) -> String {
    environment.map_or_else(
        || name.to_owned(),
        |environment| format!("{name} in {environment}"),
    )
}
