//! The targets of many jobs: each query runs once, as many jobs ask the same.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::discovery::Discovery;
use crate::discovery::job::JobTargets;
use promgen_compile::output::Job;
use promgen_text::parallel;
use promgen_text::sorted::SortedMap;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{Map, Value};

/// The target groups of jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiscoveredJobs(SortedMap<String, JobTargets>);

impl DiscoveredJobs {
    /// Discovers the targets of jobs. `own_namespace` is the one that Prometheus runs in.
    #[must_use]
    pub fn of<'j>(discovery: &Discovery, own_namespace: &str, jobs: impl Iterator<Item = &'j Job>) -> Self {
        let queries: Vec<_> = distinct(jobs).into_iter().collect();
        let found = parallel::map(&queries, 1, |(_, (query, _))| discovery.job(query, own_namespace));
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
        self.0.get(&key(&query(&job.section)))
    }
}

/// The number of targets that jobs discover: a target counts for each job. Beyond `max`, any greater number.
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
    let queries: Vec<(Map, usize)> = distinct(jobs).into_values().collect();
    parallel::map(&queries, 1, |(query, n_jobs)| {
        if n_all.load(Ordering::Relaxed) <= max {
            let n = discovery.job(query, own_namespace).n_targets().saturating_mul(*n_jobs);
            // The sum of all threads does not wrap.
            n_all.fetch_add(n.min(usize::MAX >> 16), Ordering::Relaxed);
        }
    });
    n_all.into_inner()
}

/// The distinct queries, each with the number of jobs that ask it.
fn distinct<'j>(jobs: impl Iterator<Item = &'j Job>) -> SortedMap<String, (Map, usize)> {
    let mut distinct: SortedMap<String, (Map, usize)> = SortedMap::new();
    for job in jobs {
        let query = query(&job.section);
        distinct.entry(key(&query)).or_insert_with(|| (query, 0)).1 += 1;
    }
    distinct
}

/// The sections of a job that say where its targets come from.
fn query(job: &Map) -> Map {
    let is_query = |key: &str| key == "static_configs" || key.ends_with("_sd_configs");
    job.iter().filter(|(key, _)| is_query(key)).cloned().collect()
}

fn key(query: &Map) -> String {
    to_json(&Value::Map(query.clone()))
}
