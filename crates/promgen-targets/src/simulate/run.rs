//! Runs targets through the rules of several scenarios.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::assign::{Assigner, Assignment};
use crate::discovery::given::{GivenJobs, GivenTarget};
use crate::discovery::job::{Globals, complete};
use crate::discovery::{ADDRESS, Discovery, TargetLabels};
use crate::distribution::{Population, mixed};
use crate::simulate::series::JobWeights;
use crate::simulate::tally::Tally;
use crate::simulate::{Progress, Scenario, Setup, ShardZones, Targets, Weights};
use promgen_compile::output::Job;
use promgen_prometheus::relabel::{CompiledRule, LabelSet, RuleError, relabel, rules};
use promgen_text::parallel;

/// Targets that are counted in one go.
const CHUNK: usize = 4_096;

/// The counts, and what was skipped.
pub(super) struct Counted {
    pub(super) tally: Tally,
    pub(super) unknown: Vec<String>,
}

/// The inputs of counting a target.
struct CountingRun<'a> {
    scenarios: &'a [&'a Scenario],
    /// For each scenario the first that is the same: what it does with a target is known then.
    firsts: &'a [usize],
    zones: &'a [ShardZones],
    weights: &'a Weights,
    meter: ProgressMeter<'a>,
}

/// Adds up what is done.
struct ProgressMeter<'a> {
    progress: Progress<'a>,
    done: AtomicUsize,
    n_all: usize,
}

impl ProgressMeter<'_> {
    fn add(&self, n: usize) {
        let before = self.done.fetch_add(n, Ordering::Relaxed);
        (self.progress)(before + n, self.n_all);
    }
}

/// Counts the targets of a setup under each scenario.
pub(super) fn count(
    setup: &Setup<'_>,
    scenarios: &[&Scenario],
    zones: &[ShardZones],
    progress: Progress<'_>,
) -> Counted {
    let meter = |n_all| ProgressMeter {
        progress,
        done: AtomicUsize::new(0),
        n_all,
    };
    let first = |scenario: &&Scenario| {
        scenarios
            .iter()
            .position(|other| other == scenario)
            .unwrap_or_default()
    };
    let firsts: Vec<usize> = scenarios.iter().map(first).collect();
    let run = |n_all| CountingRun {
        scenarios,
        firsts: &firsts,
        zones,
        weights: setup.weights,
        meter: meter(n_all),
    };
    match setup.targets {
        Targets::Discovered(discovery) => {
            let jobs = jobs_of(scenarios);
            discovered(&run(jobs.len()), &jobs, discovery)
        }
        Targets::Given(given) => {
            let jobs = jobs_of(scenarios);
            of_file(given, &jobs, &run)
        }
        Targets::MadeUp { n, zones, seed } => random(&run(n), n, zones, seed),
    }
}

/// A job of the present scenario, and the same job in each.
struct JobVersions {
    of_scenarios: Vec<Job>,
}

impl JobVersions {
    fn name(&self) -> &str {
        &self.of_scenarios[0].name
    }
}

/// The jobs that all scenarios have. Another number of shards adds none.
fn jobs_of(scenarios: &[&Scenario]) -> Vec<JobVersions> {
    let read = |scenario: &&Scenario| {
        scenario
            .config
            .as_ref()
            .map(|config| config.jobs.clone())
            .unwrap_or_default()
    };
    let mut lists: Vec<_> = parallel::map(scenarios, 1, read)
        .into_iter()
        .map(Vec::into_iter)
        .collect();
    let mut versions = Vec::new();
    while let Some(of_scenarios) = lists
        .iter_mut()
        .map(Iterator::next)
        .collect::<Option<Vec<Job>>>()
    {
        versions.push(JobVersions { of_scenarios });
    }
    versions
}

/// The targets that are discovered in the input.
fn discovered(run: &CountingRun<'_>, jobs: &[JobVersions], discovery: &Discovery) -> Counted {
    let namespace = &run.scenarios[0].id.namespace;
    of_jobs(run, jobs, |job, unknown| {
        let found = discovery.job_without_others(job, namespace);
        let unfollowed = found.unfollowed.iter();
        unknown.extend(unfollowed.map(|section| format!("{}, {section}", job.name)));
        found.merged()
    })
}

/// The targets of a file: those of a job through its rules, the others through those that share targets.
fn of_file<'r>(
    given: &[GivenTarget],
    jobs: &[JobVersions],
    run: &dyn Fn(usize) -> CountingRun<'r>,
) -> Counted {
    let given = GivenJobs::of(given);
    let others = &given.others;
    let run = run(jobs.len() + others.len());
    let mut counted = of_jobs(&run, jobs, |job, _| given.targets(job));
    counted
        .unknown
        .extend(given.unknown(|name| jobs.iter().any(|job| job.name() == name)));
    let weights = run.weights.of_job(&Job::default(), run.scenarios[0].scheme);
    let alone = alone(&run, others.len(), |targets, tally, assigners| {
        for labels in &others[targets] {
            add(
                &run,
                tally,
                assigners,
                |_| labels,
                || weight(&weights, labels, labels),
            );
        }
    });
    counted.merge(alone)
}

/// Generated targets.
fn random(run: &CountingRun<'_>, n: usize, zones: &[String], seed: u64) -> Counted {
    alone(run, n, |targets, tally, assigners| {
        let mut population = Population::new(zones, seed);
        for i in targets {
            let labels = population.target(i);
            let weight = || Some(run.weights.draw(mixed(!seed.wrapping_add(i as u64))));
            add(run, tally, assigners, |_| labels, weight);
        }
    })
}

/// Runs `n` targets through the rules that share them, and nothing else.
fn alone(
    run: &CountingRun<'_>,
    n: usize,
    add: impl Fn(Range<usize>, &mut Tally, &[Assigner]) + Sync,
) -> Counted {
    let assigner = |scenario: &&Scenario| {
        let rules = &scenario.sharding_rules;
        Assigner::new(rules, &scenario.plan.shards, scenario.scheme)
            .map(|assigner| assigner.with_sharding_rules(rules.len()))
    };
    let refused = |error: RuleError| {
        let why = format!("the sharding rules: {error}");
        Counted::of(Tally::new(run.zones), Some(why))
    };
    let assigners: Vec<Assigner> = match run.scenarios.iter().map(assigner).collect() {
        Ok(assigners) => assigners,
        Err(error) => return refused(error),
    };
    let tally = in_chunks(
        run,
        n,
        |targets, tally| add(targets, tally, &assigners),
        |n| run.meter.add(n),
    );
    match tally.too_much {
        Some(rule) => refused(RuleError::too_much(rule)),
        None => Counted::of(tally, None),
    }
}

/// Counts `n` targets on all cores, and reports progress.
fn in_chunks(
    run: &CountingRun<'_>,
    n: usize,
    add: impl Fn(Range<usize>, &mut Tally) + Sync,
    done: impl Fn(usize) + Sync,
) -> Tally {
    let chunk = |index: usize| {
        let mut tally = Tally::new(run.zones);
        let targets = index * CHUNK..n.min((index + 1) * CHUNK);
        let n_targets = targets.len();
        add(targets, &mut tally);
        done(n_targets);
        tally
    };
    let chunks = parallel::ranges(n.div_ceil(CHUNK), 1, |range| {
        range.map(chunk).fold(Tally::default(), Tally::merge)
    });
    chunks.into_iter().fold(Tally::new(run.zones), Tally::merge)
}

/// Counts a target. Its labels may differ from scenario to scenario.
fn add<'l>(
    run: &CountingRun<'_>,
    tally: &mut Tally,
    assigners: &[Assigner],
    labels: impl Fn(usize) -> &'l LabelSet,
    weight: impl FnOnce() -> Option<u64>,
) {
    if tally.too_much.is_some() {
        return;
    }
    let mut is_target = false;
    let mut keepers: Vec<Vec<u32>> = Vec::with_capacity(assigners.len());
    for (index, assigner) in assigners.iter().enumerate() {
        if let Some(same) = keepers.get(run.firsts[index]) {
            keepers.push(same.clone());
            continue;
        }
        keepers.push(match assigner.assign(labels(index)) {
            Assignment::Dropped => Vec::new(),
            Assignment::Kept(shards) => {
                is_target = true;
                shards
            }
            Assignment::TooMuch(rule) => return tally.too_much = Some(rule),
        });
    }
    if is_target {
        let own = weight();
        tally.n_unweighted += u64::from(own.is_none() && !run.weights.is_empty());
        tally.add(
            &keepers,
            own.unwrap_or_else(|| run.weights.mean()),
            run.zones,
        );
    }
}

/// The weight of a target by its labels after relabeling, or else before. Prometheus: what has no label `instance` gets
/// its address for one.
fn weight(weights: &JobWeights<'_>, after: &LabelSet, before: &LabelSet) -> Option<u64> {
    weights.of(after, |name| match (after.get(name), name) {
        ("", "instance") => match after.get(ADDRESS) {
            "" => before.get(ADDRESS),
            address => address,
        },
        ("", _) => before.get(name),
        (value, _) => value,
    })
}

impl Counted {
    fn of(tally: Tally, unknown: Option<String>) -> Self {
        Self {
            tally,
            unknown: unknown.into_iter().collect(),
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.unknown.extend(other.unknown);
        Self {
            tally: self.tally.merge(other.tally),
            unknown: self.unknown,
        }
    }
}

/// Runs the targets of every job through its rules.
fn of_jobs(
    run: &CountingRun<'_>,
    jobs: &[JobVersions],
    targets: impl Fn(&Job, &mut Vec<String>) -> Vec<TargetLabels> + Sync,
) -> Counted {
    let globals = run.scenarios[0]
        .config
        .as_ref()
        .map(Globals::of)
        .unwrap_or_default();
    let of_job = |versions: &JobVersions| {
        let mut unknown = Vec::new();
        let populations = Populations::new(versions, |job| targets(job, &mut unknown), globals);
        let tally = of_job(run, versions, &populations).unwrap_or_else(|error| {
            unknown.push(format!("{}: {error}", versions.name()));
            Tally::new(run.zones)
        });
        run.meter.add(1);
        Counted { tally, unknown }
    };
    // Collected before merging, so that skipped sections are in the order of the jobs.
    let counted: Vec<Counted> = parallel::map(jobs, 1, of_job);
    let nothing = Counted::of(Tally::new(run.zones), None);
    counted.into_iter().fold(nothing, Counted::merge)
}

/// The targets of a job. Zones may ask for labels of nodes, so that the same target has other labels; their order and
/// number are the same.
struct Populations {
    distinct: Vec<Vec<LabelSet>>,
    /// The index in `distinct` of the targets of each scenario.
    of_scenarios: Vec<usize>,
}

impl Populations {
    fn new(
        versions: &JobVersions,
        mut find: impl FnMut(&Job) -> Vec<TargetLabels>,
        globals: Globals,
    ) -> Self {
        let (mut found, mut of_scenarios): (Vec<(&Job, Vec<LabelSet>)>, Vec<usize>) =
            (Vec::new(), Vec::new());
        for job in &versions.of_scenarios {
            let at = found
                .iter()
                .position(|(other, _)| other.discoveries().eq(job.discoveries()));
            of_scenarios.push(at.unwrap_or_else(|| {
                let targets = find(job).into_iter();
                let targets = targets.map(|labels| complete(job, globals, labels));
                found.push((job, targets.collect()));
                found.len() - 1
            }));
        }
        Self {
            distinct: found.into_iter().map(|(_, targets)| targets).collect(),
            of_scenarios,
        }
    }
}

fn of_job(
    run: &CountingRun<'_>,
    versions: &JobVersions,
    populations: &Populations,
) -> Result<Tally, RuleError> {
    let n_targets = populations
        .distinct
        .iter()
        .map(Vec::len)
        .min()
        .unwrap_or_default();
    if n_targets == 0 {
        return Ok(Tally::new(run.zones));
    }
    let assigners = versions
        .of_scenarios
        .iter()
        .zip(run.scenarios)
        .map(|(job, scenario)| {
            let assigner = Assigner::new(job.rules(), &scenario.plan.shards, scenario.scheme)?;
            Ok(assigner.with_sharding_rules(n_sharding(job, scenario)))
        })
        .collect::<Result<Vec<_>, RuleError>>()?;
    let own = own_rules(versions, run)?;
    let weights = run
        .weights
        .of_job(&versions.of_scenarios[0], run.scenarios[0].scheme);
    let count = |i: usize, tally: &mut Tally| {
        let labels = |scenario: usize| &populations.distinct[populations.of_scenarios[scenario]][i];
        let weight = || {
            let before = labels(0);
            let after = if run.weights.is_empty() {
                None
            } else {
                relabel(before, &own).ok()
            };
            weight(&weights, after.as_ref().unwrap_or(before), before)
        };
        add(run, tally, &assigners, labels, weight);
    };
    let tally = in_chunks(
        run,
        n_targets,
        |targets, tally| targets.for_each(|i| count(i, tally)),
        |_| {},
    );
    tally
        .too_much
        .map_or(Ok(tally), |rule| Err(RuleError::too_much(rule)))
}

/// The rules of the job itself, which tell the labels that its targets end up with.
fn own_rules(
    versions: &JobVersions,
    run: &CountingRun<'_>,
) -> Result<Vec<CompiledRule>, RuleError> {
    let job = &versions.of_scenarios[0];
    let n_own = job
        .rules()
        .len()
        .saturating_sub(n_sharding(job, run.scenarios[0]));
    rules(&job.rules()[..n_own], run.scenarios[0].scheme)
}

/// The number of rules of a job that share its targets. Jobs with their own sharding rules end in another way.
fn n_sharding(job: &Job, scenario: &Scenario) -> usize {
    job.n_sharing(&scenario.sharding_rules).unwrap_or(0)
}
