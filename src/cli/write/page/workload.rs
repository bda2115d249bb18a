//! A workload of the page: its zones and shards, what they scrape, and what it selects.

use crate::cli::json::answers;
use crate::cli::write::page::changes::{Mark, Marks};
use crate::cli::write::page::environment::SharedName;
use crate::cli::write::page::names::Names;
use crate::cli::write::page::routing::{self, RouteRow};
use crate::cli::write::page::{Cut, PlacePart, cut};
use promgen_answers::reachable::UnreachableJobs;
use promgen_compile::output::{SelectedKind, Workload, WorkloadId};
use promgen_compile::sharding::plan::{Plan, Shard};
use promgen_model::Model;
use promgen_targets::distribution::{self, Distribution};
use promgen_text::diag::count::counted;
use promgen_text::source::Sources;
use promgen_text::yaml::Value;

/// The most shards, jobs and selected resources that a workload shows.
const MAX_SHARDS: usize = 240;
const MAX_JOBS: usize = 200;
const MAX_SELECTED: usize = 300;

answers! {
    /// A workload.
    WorkloadPart as "ReportWorkload" {
        /// Its link in the page.
        id: String,
        /// Its kind.
        kind: &'static str,
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// The difference from the base; null if there is none.
        mark: Option<Mark>,
        /// The summary in a line: version, shards, jobs.
        about: String,
        /// Why it is not compiled.
        error: Option<String>,
        /// The number of shards.
        n_shards: usize,
        /// The number of jobs.
        n_jobs: usize,
        /// The number of targets in the input.
        n_targets: usize,
        /// The shards, by zone.
        grid: Vec<GridRow>,
        /// Whether it is sharded by topology.
        has_zones: bool,
        /// The note that the shards are cut.
        shards_cut: Option<Cut>,
        /// What no shard or several shards scrape, what is not counted, and the jobs that are not reached.
        coverage: Vec<String>,
        /// Whether the input has targets of it.
        has_targets: bool,
        /// Its jobs.
        jobs: Vec<JobRow>,
        /// The note that the jobs are cut.
        jobs_cut: Option<Cut>,
        /// The jobs and targets that it loses.
        lost: Vec<String>,
        /// What it selects, that which the operator refuses first.
        selected: Vec<SelectedRow>,
        /// The note that these are cut.
        selected_cut: Option<Cut>,
        /// The number of selected resources.
        n_selected: usize,
        /// The number of those that the operator refuses.
        n_refused: usize,
        /// The routing tree of an Alertmanager, from the root down.
        routes: Vec<RouteRow>,
        /// The note that the routes are cut.
        routes_cut: Option<Cut>,
        /// The conditions of its status.
        conditions: Vec<ConditionPart>,
    }
}

impl WorkloadPart {
    /// Its link in the page.
    pub(super) fn link(&self) -> &str {
        &self.id
    }

    /// How it stands out: `bad` if something is lost or not compiled, `changed` if it differs from the base.
    pub(super) fn tone(&self) -> &'static str {
        match () {
            () if self.error.is_some() || !self.lost.is_empty() => "bad",
            () if self.mark.is_some() => "changed",
            () => "",
        }
    }
}

answers! {
    /// The shards of a zone, or all shards.
    GridRow as "ReportShards" {
        /// The zone; empty if there are none.
        zone: String,
        /// Its shards.
        cells: Vec<Cell>,
    }

    /// A shard.
    Cell as "ReportShard" {
        /// Its number, from 0.
        index: u32,
        /// The targets that it scrapes; null if the input has none.
        targets: Option<usize>,
        /// Whether it scrapes none of those in the input.
        is_empty: bool,
    }

    /// A job.
    JobRow as "ReportJob" {
        /// Its name.
        name: String,
        #[serde(flatten)]
        place: PlacePart,
        /// Its targets; null if the input has none.
        targets: Option<usize>,
        /// The targets of each shard, in a line.
        spread: String,
        /// `new` or `changed`; null if it is as in the base.
        mark: Option<&'static str>,
    }
}

impl WorkloadPart {
    /// The jobs that are listed, each with its place.
    pub(super) fn job_keys(&self) -> impl Iterator<Item = SharedName<'_>> {
        let of = format!("{}/{}/{}", self.kind, self.namespace, self.name);
        let key = move |job: &'_ JobRow| format!("{of}/{}", job.name);
        self.jobs.iter().map(move |job| (key(job), job.place.key()))
    }
}

answers! {
    /// A selected resource.
    SelectedRow as "ReportSelected" {
        /// Its kind.
        kind: &'static str,
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// Why the operator refuses it; null if it does not.
        refusal: Option<String>,
    }

    /// A condition of its status.
    ConditionPart as "ReportCondition" {
        /// Its type.
        name: String,
        /// `True`, `False` or `Unknown`.
        status: String,
        /// Its reason.
        reason: String,
        /// Whether its status is not `True`.
        is_bad: bool,
    }
}

/// The part about a workload.
pub(super) fn part(
    workload: &Workload,
    model: &Model,
    unreachable: &UnreachableJobs,
    names: &Names,
    marks: &Marks,
) -> WorkloadPart {
    let (id, plan, sources) = (&workload.id, &workload.plan, &model.output().sources);
    let scrapes = id.kind.has_shards();
    let of_jobs = if scrapes {
        distribution::discovered_by_job(workload, model.discovery())
    } else {
        Vec::new()
    };
    let mut all = Distribution::default();
    of_jobs.iter().for_each(|of_job| all.merge(of_job));
    let n_jobs = workload
        .config
        .as_ref()
        .map_or(0, |config| config.jobs.len());
    let n_shards = if scrapes { plan.shards.len() } else { 0 };
    let mark = marks.of_workload(&id.to_string(), names);
    let jobs = jobs(workload, &of_jobs, &mark, sources);
    let n_selected = workload
        .selected
        .kinds
        .iter()
        .map(|kind| kind.resources.len())
        .sum();
    let n_refused = workload.selected.kinds.iter().map(n_refused).sum();
    let selected = selected(workload);
    let name = id.to_string();
    let (routes, routes_cut) = workload
        .routing
        .as_ref()
        .map(|tree| routing::rows(tree, sources))
        .unwrap_or_default();
    WorkloadPart {
        id: names.id(&name),
        kind: id.kind.kind(),
        namespace: id.namespace.clone(),
        name: id.name.clone(),
        about: about(workload, n_shards, n_jobs),
        error: workload.error.clone(),
        n_shards,
        n_jobs,
        n_targets: all.n_targets,
        grid: if scrapes {
            grid(plan, &all)
        } else {
            Vec::new()
        },
        has_zones: !plan.zones.is_empty(),
        shards_cut: cut(
            n_shards.min(MAX_SHARDS),
            n_shards,
            format!("promgen shards --workload {name}"),
        ),
        coverage: coverage(&all)
            .into_iter()
            .chain(unreached(id, unreachable))
            .collect(),
        has_targets: all.n_targets > 0,
        jobs_cut: cut(
            jobs.len(),
            n_jobs,
            format!("promgen config --workload {name}"),
        ),
        jobs,
        lost: mark.as_ref().map(Mark::lost).unwrap_or_default(),
        selected_cut: cut(
            selected.len(),
            n_selected,
            "promgen render --emit selection -o rendered/",
        ),
        selected,
        n_selected,
        n_refused,
        routes,
        routes_cut,
        conditions: conditions(&workload.status),
        mark,
    }
}

fn about(workload: &Workload, n_shards: usize, n_jobs: usize) -> String {
    let mut parts = Vec::new();
    parts.extend(
        workload
            .prometheus
            .as_ref()
            .map(|version| format!("Prometheus {version}")),
    );
    if n_shards > 0 {
        parts.push(counted(n_shards, "shard"));
        parts.push(counted(n_jobs, "job"));
    }
    let n_zones = workload.plan.zones.len();
    parts.extend(
        (n_zones > 0).then(|| format!("sharded by topology, {}", counted(n_zones, "zone"))),
    );
    let rules = workload.rule_files.len();
    parts.extend((rules > 0).then(|| counted(rules, "rule file")));
    parts.extend(workload.is_paused().then(|| "paused".to_owned()));
    parts.join(" · ")
}

fn grid(plan: &Plan, all: &Distribution) -> Vec<GridRow> {
    let cell = |shard: &Shard| {
        let n = all.of_shards.get(&shard.index).copied().unwrap_or_default();
        let has_targets = all.n_targets > 0;
        Cell {
            index: shard.index,
            targets: has_targets.then_some(n),
            is_empty: has_targets && n == 0,
        }
    };
    let shown = plan.shards.iter().take(MAX_SHARDS);
    if plan.zones.is_empty() {
        return vec![GridRow {
            zone: String::new(),
            cells: shown.map(cell).collect(),
        }];
    }
    let of_zone = |zone: &String| GridRow {
        zone: zone.clone(),
        cells: shown
            .clone()
            .filter(|shard| shard.zone.as_ref() == Some(zone))
            .map(cell)
            .collect(),
    };
    plan.zones.iter().map(of_zone).collect()
}

/// What is scraped by no shard or several, and what is not known.
fn coverage(all: &Distribution) -> Vec<String> {
    let mut lines = Vec::new();
    if all.n_uncovered > 0 {
        lines.push(format!(
            "{} of {} targets have no shard",
            all.n_uncovered, all.n_targets
        ));
    }
    if all.n_doubled > 0 {
        lines.push(format!(
            "{} of {} targets have several shards",
            all.n_doubled, all.n_targets
        ));
    }
    const MAX_UNKNOWN: usize = 5;
    lines.extend(
        all.unknown
            .iter()
            .take(MAX_UNKNOWN)
            .map(|what| format!("not counted: {what}")),
    );
    let more = all.unknown.len().saturating_sub(MAX_UNKNOWN);
    lines.extend(
        (more > 0).then(|| format!("{more} more not counted: `promgen shards` names them")),
    );
    lines
}

/// The jobs that get no targets.
fn unreached(id: &WorkloadId, unreachable: &UnreachableJobs) -> Vec<String> {
    const MAX_UNREACHED: usize = 20;
    let n_all = unreachable.of_workload(id).count();
    let first = unreachable.of_workload(id).take(MAX_UNREACHED);
    let mut lines: Vec<String> = first
        .map(|(job, why)| format!("job {job} is not reached: {why}"))
        .collect();
    let n_more = n_all.saturating_sub(MAX_UNREACHED);
    lines.extend((n_more > 0).then(|| {
        format!("{n_more} more jobs are not reached: `promgen lint --select PG13` names them")
    }));
    lines
}

fn jobs(
    workload: &Workload,
    of_jobs: &[Distribution],
    mark: &Option<Mark>,
    sources: &Sources,
) -> Vec<JobRow> {
    let has_targets = of_jobs.iter().any(|of_job| of_job.n_targets > 0);
    let jobs = workload
        .config
        .iter()
        .flat_map(|config| &config.jobs)
        .zip(of_jobs);
    jobs.take(MAX_JOBS)
        .map(|(job, of_job)| JobRow {
            name: job.name.clone(),
            place: PlacePart::of(job.origin, sources),
            targets: has_targets.then_some(of_job.n_targets),
            spread: spread(of_job),
            mark: mark.as_ref().and_then(|mark| mark.of_job(&job.name)),
        })
        .collect()
}

/// The targets of each shard, if these are few.
fn spread(of_job: &Distribution) -> String {
    const MAX: usize = 12;
    let n = of_job.of_shards.len();
    if of_job.n_targets == 0 || !(2..=MAX).contains(&n) {
        return String::new();
    }
    let counts: Vec<String> = of_job.of_shards.values().map(ToString::to_string).collect();
    counts.join(" · ")
}

fn n_refused(kind: &SelectedKind) -> usize {
    kind.resources
        .iter()
        .filter(|resource| resource.refusal.is_some())
        .count()
}

/// What it selects, that which the operator refuses first.
fn selected(workload: &Workload) -> Vec<SelectedRow> {
    let kinds = workload.selected.kinds.iter();
    let mut rows: Vec<SelectedRow> = kinds
        .flat_map(|kind| {
            kind.resources.iter().map(|resource| SelectedRow {
                kind: kind.kind,
                namespace: resource.namespace.to_string(),
                name: resource.name.to_string(),
                refusal: resource
                    .refusal
                    .as_ref()
                    .map(|refused| refused.message.clone()),
            })
        })
        .collect();
    rows.sort_by_key(|row| row.refusal.is_none());
    rows.truncate(MAX_SELECTED);
    rows
}

fn conditions(status: &Value) -> Vec<ConditionPart> {
    let all = status
        .get("conditions")
        .and_then(Value::as_seq)
        .unwrap_or_default();
    let text = |condition: &Value, key: &str| {
        condition
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    all.iter()
        .map(|condition| {
            let status = text(condition, "status");
            let is_bad = status != "True";
            ConditionPart {
                name: text(condition, "type"),
                is_bad,
                status,
                reason: text(condition, "reason"),
            }
        })
        .collect()
}
