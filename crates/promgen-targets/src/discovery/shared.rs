//! The targets of many jobs: each query runs once, as many jobs ask the same.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::discovery::Discovery;
use crate::discovery::job::{JobTargets, refused};
use promgen_compile::output::Job;
use promgen_text::parallel;
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::to_json;

/// The target groups of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoveredJobs(BTreeMap<String, JobTargets>);

impl DiscoveredJobs {
    /// Discovers the targets of jobs. `own_namespace` is the one that Prometheus runs in.
    #[must_use]
    pub fn of<'j>(
        discovery: &Discovery,
        own_namespace: &str,
        jobs: impl Iterator<Item = &'j Job>,
    ) -> Self {
        let queries: Vec<_> = distinct(jobs).into_iter().collect();
        let found = parallel::map(&queries, 1, |(_, (query, _))| {
            discovery.job(query, own_namespace)
        });
        Self(queries.into_iter().map(|(key, _)| key).zip(found).collect())
    }

    /// The number of targets that a job discovers.
    #[must_use]
    pub fn n_targets(&self, job: &Job) -> usize {
        self.get(job).map_or(0, JobTargets::n_targets)
    }

    /// The target groups of a job.
    #[must_use]
    pub fn get(&self, job: &Job) -> Option<&JobTargets> {
        self.0.get(&key(&query(job)))
    }
}

/// The number of targets that jobs discover, without those that their first rules drop: a target counts for each job. Beyond
/// `max`, any greater number.
#[must_use]
pub fn n_targets<'j>(
    discovery: &Discovery,
    own_namespace: &str,
    jobs: impl Iterator<Item = &'j Job>,
    max: usize,
) -> usize {
    if discovery.is_empty() {
        return 0;
    }
    let n_all = AtomicUsize::new(0);
    let jobs: Vec<&Job> = jobs.collect();
    parallel::map(&jobs, 1, |job| {
        if n_all.load(Ordering::Relaxed) <= max {
            let n = discovery.job_without_others(job, own_namespace).n_targets();
            // The sum of all threads does not wrap.
            n_all.fetch_add(n.min(usize::MAX >> 16), Ordering::Relaxed);
        }
    });
    n_all.into_inner()
}

/// The number of targets that jobs discover, whatever their rules do with them: a target counts for each job.
#[must_use]
pub fn n_candidates<'j>(
    discovery: &Discovery,
    own_namespace: &str,
    jobs: impl Iterator<Item = &'j Job>,
) -> usize {
    let n_of = |(query, n_jobs): (Job, usize)| {
        discovery
            .job(&query, own_namespace)
            .n_targets()
            .saturating_mul(n_jobs)
    };
    distinct(jobs)
        .into_values()
        .map(n_of)
        .fold(0, usize::saturating_add)
}

/// The distinct queries, each with the number of jobs that ask it.
fn distinct<'j>(jobs: impl Iterator<Item = &'j Job>) -> BTreeMap<String, (Job, usize)> {
    let mut distinct: BTreeMap<String, (Job, usize)> = BTreeMap::new();
    for job in jobs {
        let query = query(job);
        distinct.entry(key(&query)).or_insert_with(|| (query, 0)).1 += 1;
    }
    distinct
}

/// The sections of a job that say where its targets come from.
pub(crate) fn query(job: &Job) -> Job {
    // Whether a static target that is no address is one depends on the rules.
    job.discovery_alone(!refused(job).is_empty())
}

/// A query as a text.
pub(crate) fn key(query: &Job) -> String {
    to_json(&Value::Map(query.section.clone()))
}
