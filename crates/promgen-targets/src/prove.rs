//! Proves that exactly one shard scrapes every target.
//!
//! In: a compiled workload, and the objects that targets are discovered from. Out: a [`Proof`]: for each class of targets
//! the number of shards that scrape it, the targets with no shard or with several, and the shards without targets.
//!
//! The proof reports its method. Symbolic: the sharding rules run once for each class (a zone, or all targets) and each
//! residue of the hash; the hash of an address can have any residue, and the rules read nothing else of the address. By
//! enumeration: the rules of a job run on all its known targets. Both run the printed rules, not those of the plan.

mod classes;
mod hashed_texts;
mod jobs;

use std::collections::BTreeSet;

use crate::assign::Assigner;
use crate::discovery::Discovery;
use crate::prove::hashed_texts::{HashedText, HashedTexts};
use promgen_compile::output::{Job, Workload};
use promgen_prometheus::relabel::rules;
use promgen_text::CollectOrdered;

pub use classes::{ClassKind, Coverage, TargetClass};
pub use jobs::{Counterexample, Method, OfJob};

/// The proof for a workload.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The symbolic result for each class of targets, or why it does not exist.
    pub classes: Result<Vec<TargetClass>, String>,
    /// The shards that scrape nothing, whatever the targets are. Empty without a symbolic result.
    pub idle: Vec<u32>,
    /// The result for the targets of each job, in the order of the configuration.
    pub jobs: Vec<OfJob>,
}

impl Proof {
    /// Returns whether exactly one shard scrapes every sharded class of targets and every known target, and every shard
    /// scrapes something.
    #[must_use]
    pub fn holds(&self) -> bool {
        let classes = self.classes.as_deref().unwrap_or_default();
        self.idle.is_empty()
            && classes.iter().all(TargetClass::holds)
            && self.jobs.iter().all(OfJob::holds)
    }
}

/// Proves what is possible for a workload.
#[must_use]
pub fn prove(workload: &Workload, discovery: &Discovery) -> Proof {
    let assigner = Assigner::new(
        &workload.sharding_rules,
        &workload.plan.shards,
        workload.name_scheme(),
    );
    let classes = assigner
        .map_err(|error| error.to_string())
        .and_then(|assigner| {
            let assigner = assigner.with_sharding_rules(workload.sharding_rules.len());
            classes::classes(&assigner, &workload.plan.zones, &[])
        });
    let jobs = jobs::jobs(workload, discovery, &classes);
    let idle = classes
        .as_ref()
        .map_or_else(|_| Vec::new(), |classes| idle(workload, classes, &jobs));
    Proof {
        classes,
        idle,
        jobs,
    }
}

/// The label that the sharding rules hash, if no discovery and no rule of any job sets it. `None` without jobs.
#[must_use]
pub fn absent_hash_label(workload: &Workload) -> Option<String> {
    let assigner = Assigner::new(
        &workload.sharding_rules,
        &workload.plan.shards,
        workload.name_scheme(),
    )
    .ok()?;
    let hashed = assigner.deciding()?.hashed;
    let [label] = hashed.as_slice() else {
        return None;
    };
    let jobs = &workload.config.as_ref()?.jobs;
    let is_absent = |job: &Job| {
        let n_own = job
            .rules()
            .len()
            .checked_sub(job.n_sharing(&workload.sharding_rules)?)?;
        let own = rules(&job.rules()[..n_own], workload.name_scheme()).ok()?;
        let texts = HashedTexts::after(job, &own.iter().collect::<Vec<_>>());
        Some(texts.get(label) == HashedText::Same(Some(String::new())))
    };
    (!jobs.is_empty() && jobs.iter().all(|job| is_absent(job) == Some(true)))
        .then(|| (*label).to_owned())
}

/// The shards that scrape nothing of any class of any job. All shards scrape targets that disable sharding.
fn idle(workload: &Workload, classes: &[TargetClass], jobs: &[OfJob]) -> Vec<u32> {
    // What is enumerated, and what disables sharding, may have targets on any shard.
    let is_narrow = |job: &OfJob| job.method == Method::Symbol && !job.classes.is_empty();
    let shared: Vec<&TargetClass> = match !jobs.is_empty() && jobs.iter().all(is_narrow) {
        true => jobs
            .iter()
            .flat_map(|job| &job.classes)
            .filter(|class| class.kind.is_shared())
            .collect(),
        false => classes
            .iter()
            .filter(|class| class.kind.is_shared())
            .collect(),
    };
    let busy: BTreeSet<u32> = shared
        .into_iter()
        .flat_map(|class| class.outcome.shards.iter().copied())
        .collect_set();
    workload
        .plan
        .shards
        .iter()
        .map(|shard| shard.index)
        .filter(|shard| !busy.contains(shard))
        .collect()
}
