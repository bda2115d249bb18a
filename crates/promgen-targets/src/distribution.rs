//! The distribution of the targets of a workload to its shards.
//!
//! In: a compiled workload, and targets: those that are discovered in the input, those of a file, or generated ones. Out: the
//! number of targets of each shard, and the numbers of targets with no shard and with several shards. Runs the printed rules.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::assign::{Assigner, Assignment};
use crate::discovery::given::{GivenJobs, GivenTarget};
use crate::discovery::job::{Globals, complete};
use crate::discovery::shared::n_candidates;
use crate::discovery::{Discovery, TargetLabels};
use promgen_compile::output::Job;
use promgen_compile::output::Workload;
use promgen_prometheus::relabel::{LabelSet, RuleError};
use promgen_text::CollectOrdered;
use promgen_text::parallel;

/// The distribution of targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// The number of targets of each shard, by index.
    pub of_shards: BTreeMap<u32, usize>,
    /// The number of targets.
    pub n_targets: usize,
    /// The number of targets without a shard.
    pub n_uncovered: usize,
    /// The number of targets with several shards.
    pub n_doubled: usize,
    /// The number of targets that relabel rules drop, or that have no address.
    pub n_dropped: usize,
    /// The jobs, or sections of one, that were skipped, and why.
    pub unknown: Vec<String>,
}

impl Distribution {
    fn new(workload: &Workload) -> Self {
        Self {
            of_shards: workload
                .plan
                .shards
                .iter()
                .map(|shard| (shard.index, 0))
                .collect_map(),
            ..Self::default()
        }
    }

    /// Adds other counts.
    pub fn merge(&mut self, other: &Self) {
        for (shard, n) in &other.of_shards {
            *self.of_shards.entry(*shard).or_default() += n;
        }
        self.n_targets += other.n_targets;
        self.n_dropped += other.n_dropped;
        self.n_uncovered += other.n_uncovered;
        self.n_doubled += other.n_doubled;
        other.unknown.iter().for_each(|why| self.add_unknown(why));
    }

    fn add_unknown(&mut self, why: &str) {
        if !self.unknown.iter().any(|known| known == why) {
            self.unknown.push(why.to_owned());
        }
    }

    /// Counts a target.
    fn add(&mut self, assignment: &Assignment) {
        let shards = match assignment {
            Assignment::Dropped => {
                self.n_dropped += 1;
                return;
            }
            Assignment::Kept(shards) => shards,
            Assignment::TooMuch(rule) => {
                return self.add_unknown(&format!(
                    "the sharding rules: {}",
                    RuleError::too_much(*rule)
                ));
            }
        };
        self.n_targets += 1;
        match shards.len() {
            0 => self.n_uncovered += 1,
            1 => {}
            _ => self.n_doubled += 1,
        }
        for shard in shards {
            *self.of_shards.entry(*shard).or_default() += 1;
        }
    }
}

/// The targets that are discovered in the input.
#[must_use]
pub fn discovered(workload: &Workload, discovery: &Discovery) -> Distribution {
    let mut found = discovered_of(workload, jobs_of(workload), discovery);
    if found.n_targets == 0 {
        // The first rules of the jobs drop the others.
        found.n_dropped = n_candidates(discovery, &workload.id.namespace, jobs_of(workload).iter());
    }
    found
}

/// The distribution of each job, in the order of the configuration.
#[must_use]
pub fn discovered_by_job(workload: &Workload, discovery: &Discovery) -> Vec<Distribution> {
    jobs_of(workload)
        .iter()
        .map(|job| discovered_of(workload, std::slice::from_ref(job), discovery))
        .collect()
}

fn discovered_of(workload: &Workload, jobs: &[Job], discovery: &Discovery) -> Distribution {
    of_jobs(workload, jobs, |job, unknown| {
        let found = discovery.job_without_others(job, &workload.id.namespace);
        let name = &job.name;
        let unfollowed = found.unfollowed.iter();
        unknown.extend(unfollowed.map(|section| format!("{name}, {section}")));
        let refused = found.refused.iter();
        unknown.extend(refused.map(|address| format!("{name}: {address} is no address")));
        found.merged()
    })
}

/// The targets of a file. Those that were discovered for a job are run through its rules, the others through the rules
/// that share targets alone.
#[must_use]
pub fn given(workload: &Workload, given: &[GivenTarget]) -> Distribution {
    let given = GivenJobs::of(given);
    let (jobs, others) = (jobs_of(workload), &given.others);
    let mut shares = of_jobs(workload, jobs, |job, _| given.targets(job));
    shares
        .unknown
        .extend(given.unknown(|name| jobs.iter().any(|job| job.name == name)));
    let counted = alone(workload, &mut shares, |assigner| {
        sum(parallel::ranges(others.len(), 1, |range| {
            let mut shares = Distribution::default();
            others[range]
                .iter()
                .for_each(|labels| shares.add(&assigner.assign(labels)));
            shares
        }))
    });
    shares.merge(&counted);
    shares
}

/// Generated targets: a number of addresses, evenly over these zones, reproducible by seed. Calls `progress` with the done
/// and the total number, from any thread.
#[must_use]
pub fn random(
    workload: &Workload,
    n: usize,
    zones: &[String],
    seed: u64,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Distribution {
    /// Targets between two reports.
    const STEP: usize = 4_096;
    let done = AtomicUsize::new(0);
    let mut shares = Distribution::new(workload);
    let counted = alone(workload, &mut shares, |assigner| {
        sum(parallel::ranges(n, 1, |range| {
            let (mut shares, mut population) =
                (Distribution::default(), Population::new(zones, seed));
            for i in range {
                // If one target exceeds the limit, all do.
                if shares.unknown.is_empty() {
                    shares.add(&assigner.assign(population.target(i)));
                }
                if i.is_multiple_of(STEP) {
                    progress(done.fetch_add(STEP, Ordering::Relaxed), n);
                }
            }
            shares
        }))
    });
    shares.merge(&counted);
    shares
}

/// Generated targets, one at a time.
#[derive(Clone, Debug)]
pub struct Population {
    seed: u64,
    /// A target of each zone; one without a zone if no zones exist.
    of_zones: Vec<LabelSet>,
}

impl Population {
    /// Targets with their zone in every label that rules may read. Reproducible by seed.
    #[must_use]
    pub fn new(zones: &[String], seed: u64) -> Self {
        const ZONE: &str = "topology_kubernetes_io_zone";
        let of_zone = |zone: &String| {
            let of_object = |object| {
                let label = (
                    format!("__meta_kubernetes_{object}_label_{ZONE}"),
                    zone.clone(),
                );
                [
                    label,
                    (
                        format!("__meta_kubernetes_{object}_labelpresent_{ZONE}"),
                        "true".to_owned(),
                    ),
                ]
            };
            ["pod", "node"].into_iter().flat_map(of_object).collect()
        };
        let of_zones = if zones.is_empty() {
            vec![LabelSet::default()]
        } else {
            zones.iter().map(of_zone).collect()
        };
        Self { seed, of_zones }
    }

    /// The target of that number.
    pub fn target(&mut self, index: usize) -> &LabelSet {
        let bits = mixed(self.seed.wrapping_add(index as u64));
        let zone = mixed(bits) % self.of_zones.len() as u64;
        let labels = &mut self.of_zones[usize::try_from(zone).expect("the number of a zone")];
        labels.rewrite("__address__", |address| {
            address.push_str("10");
            for shift in [0, 8, 16] {
                address.push('.');
                push_number(address, (bits >> shift) & 0xff);
            }
            address.push(':');
            push_number(address, 1024 + (bits >> 24) % 60_000);
        });
        labels
    }
}

/// Writes a number of at most five digits behind a text.
fn push_number(text: &mut String, number: u64) {
    let mut unit = 10_000;
    while unit > 1 && number < unit {
        unit /= 10;
    }
    while unit > 0 {
        text.push(char::from(
            b'0' + u8::try_from(number / unit % 10).expect("a digit"),
        ));
        unit /= 10;
    }
}

/// A pseudo-random number, reproducible by seed. The constants are those of splitmix64.
pub const fn mixed(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Runs targets through the sharding rules only.
fn alone(
    workload: &Workload,
    shares: &mut Distribution,
    count: impl FnOnce(&Assigner) -> Distribution,
) -> Distribution {
    match Assigner::new(
        &workload.sharding_rules,
        &workload.plan.shards,
        workload.name_scheme(),
    ) {
        Ok(assigner) => count(&assigner.with_sharding_rules(workload.sharding_rules.len())),
        Err(error) => {
            shares.unknown.push(format!("the sharding rules: {error}"));
            Distribution::default()
        }
    }
}

fn sum(shares: Vec<Distribution>) -> Distribution {
    shares
        .into_iter()
        .fold(Distribution::default(), |mut sum, part| {
            sum.merge(&part);
            sum
        })
}

fn jobs_of(workload: &Workload) -> &[Job] {
    workload.config.as_ref().map_or(&[], |config| &config.jobs)
}

/// Runs the targets of every job through its rules.
fn of_jobs(
    workload: &Workload,
    jobs: &[Job],
    targets: impl Fn(&Job, &mut Vec<String>) -> Vec<TargetLabels> + Sync,
) -> Distribution {
    let mut shares = Distribution::new(workload);
    let Some(config) = &workload.config else {
        return shares;
    };
    let globals = Globals::of(config);
    let assignment = parallel::map(jobs, 1, |job| {
        let mut unknown = Vec::new();
        let found = targets(job, &mut unknown);
        (of_job(workload, job, globals, found), unknown)
    });
    for (job, (assignment, unknown)) in jobs.iter().zip(assignment) {
        shares.unknown.extend(unknown);
        match assignment {
            Ok(assignment) => assignment
                .iter()
                .for_each(|assignment| shares.add(assignment)),
            Err(error) => shares.unknown.push(format!("{}: {error}", job.name)),
        }
    }
    shares
}

fn of_job(
    workload: &Workload,
    job: &Job,
    globals: Globals,
    found: Vec<TargetLabels>,
) -> Result<Vec<Assignment>, RuleError> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    // Jobs with their own sharding rules end in another way.
    let n_sharding = job.n_sharing(&workload.sharding_rules).unwrap_or(0);
    let assigner = Assigner::new(job.rules(), &workload.plan.shards, workload.name_scheme())?
        .with_sharding_rules(n_sharding);
    let assign = |labels: TargetLabels| match assigner.assign(&complete(job, globals, labels)) {
        Assignment::TooMuch(rule) => Err(RuleError::too_much(rule)),
        assignment @ (Assignment::Dropped | Assignment::Kept(_)) => Ok(assignment),
    };
    found.into_iter().map(assign).collect()
}
