//! The jobs whose targets a Prometheus may not discover or cannot reach.

use std::collections::BTreeMap;

use promgen_compile::output::WorkloadId;
use promgen_model::Model;
use promgen_model::scraping::needs::{Answers, ScrapingServer};
use promgen_model::scraping::ways::{self, ScraperPods};

/// The jobs of a model that get no targets, each with the reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnreachableJobs(BTreeMap<WorkloadId, BTreeMap<String, String>>);

impl UnreachableJobs {
    /// Asks permissions and policies about all jobs.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        model.view(&[], |view| {
            let of_workload =
                |scraper: ScrapingServer<'_>| (scraper.workload.id.clone(), of_workload(scraper));
            Self(ScrapingServer::all(view).map(of_workload).collect())
        })
    }

    /// Their number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Why a job of a workload gets no targets.
    #[must_use]
    pub fn why(&self, workload: &WorkloadId, job: &str) -> Option<&str> {
        self.0.get(workload)?.get(job).map(String::as_str)
    }

    /// The jobs of a workload, each with the reason.
    pub fn of_workload(&self, workload: &WorkloadId) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .get(workload)
            .into_iter()
            .flatten()
            .map(|(job, why)| (job.as_str(), why.as_str()))
    }
}

fn of_workload(scraper: ScrapingServer<'_>) -> BTreeMap<String, String> {
    let mut answers = Answers::new(scraper.authority());
    let pods = ScraperPods::of(scraper);
    let mut known = pods.ways(scraper.model);
    let mut unreachable = BTreeMap::new();
    for job in scraper.jobs() {
        let lacks = answers.lacks(scraper.needs(job));
        let mut blocked = || {
            let ways = ways::of_job(scraper, job, &mut known).filter(ways::JobWays::is_blocked)?;
            ways.blocked
                .as_deref()
                .map(|first| ways::why(scraper, first))
        };
        let why = match lacks.is_empty() {
            false => Some(format!(
                "service account {} may not {}",
                answers.authority.account,
                lacks.text()
            )),
            true => blocked(),
        };
        if let Some(why) = why {
            unreachable.insert(job.name.clone(), why);
        }
    }
    unreachable
}
