//! Whether every target is scraped by exactly one shard.
//!
//! In: a compiled workload, and what targets are discovered from. Out: a [`Proof`], which says for each class of targets how
//! many shards scrape it, and names targets that no shard scrapes or several do, and shards that scrape nothing.
//!
//! Two ways lead there, and it is always told which was taken. By symbol: the rules that share targets are run once for each
//! class (a zone, or all targets) and each residue that a hash can leave; the hash of an address can leave any of them, and the
//! rules look at nothing else of it. By enumeration: the rules of a job are run on all its targets that are known. Runs the
//! rules that are printed; those of the plan are not asked.

mod classes;
mod jobs;

use std::collections::BTreeSet;

use crate::assign::Assigner;
use crate::discovery::Discovery;
use promgen_compile::output::Workload;

pub use classes::{Class, Kind, Outcome};
pub use jobs::{Counterexample, Method, OfJob};

/// What is shown of a workload.
#[derive(Clone, Debug)]
pub struct Proof {
    /// What becomes of each class of targets, by symbol; or why that cannot be told.
    pub classes: Result<Vec<Class>, String>,
    /// The shards that scrape nothing, whatever the targets are. Empty if that cannot be told.
    pub idle: Vec<u32>,
    /// What becomes of the targets of each job, in the order of the configuration.
    pub jobs: Vec<OfJob>,
}

impl Proof {
    /// Whether every class of targets that has a place, and every target that is known, is scraped by exactly one shard, and
    /// every shard scrapes something.
    #[must_use]
    pub fn holds(&self) -> bool {
        let classes = self.classes.as_deref().unwrap_or_default();
        self.idle.is_empty() && classes.iter().all(Class::holds) && self.jobs.iter().all(OfJob::holds)
    }
}

/// Shows what it can of a workload.
#[must_use]
pub fn prove(workload: &Workload, discovery: &Discovery) -> Proof {
    let assigner = Assigner::new(&workload.sharding_rules, &workload.plan.shards, workload.name_scheme());
    let classes = assigner.map_err(|error| error.to_string()).and_then(|assigner| {
        let assigner = assigner.with_sharding_rules(workload.sharding_rules.len());
        classes::classes(&assigner, &workload.plan.zones, &[])
    });
    let jobs = jobs::jobs(workload, discovery, &classes);
    let idle = classes.as_ref().map_or_else(|_| Vec::new(), |classes| idle(workload, classes));
    Proof { classes, idle, jobs }
}

/// The shards that scrape nothing of any class. Targets that ask not to be shared are scraped by all.
fn idle(workload: &Workload, classes: &[Class]) -> Vec<u32> {
    let shared = classes.iter().filter(|class| class.kind.is_shared());
    let busy: BTreeSet<u32> = shared.flat_map(|class| class.outcome.shards.iter().copied()).collect();
    workload.plan.shards.iter().map(|shard| shard.index).filter(|shard| !busy.contains(shard)).collect()
}
