//! What a Prometheus can answer: its jobs, the rules that it evaluates, and which selectors find nothing there.

mod judge;
mod select;
mod shape;
mod sides;

pub use judge::{AbsentAlways, Judgement, Lack, ShortRange};
pub use select::{Absence, SelectorAnswer, SeriesMaking};
pub use shape::{ResultLabels, kept_labels};
pub use sides::{ApartLabel, LabelDifference, UnmatchedSides};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::lineage::job::{JobIndex, ScrapedJob};
use crate::lineage::labels::SeriesLabels;
use promgen_prometheus::promql::Tree;
use promgen_targets::network::truth::Truth;
use promgen_text::CollectOrdered;

/// A rule whose series a server has.
#[derive(Debug)]
pub struct RecordedSeries {
    /// The name of the series.
    pub name: String,
    /// The number by which those who ask know the rule.
    pub number: usize,
    /// Its expression. `None` if it does not parse.
    pub tree: Option<Tree>,
    /// The text of the expression.
    pub text: String,
    /// The labels that it adds or replaces.
    pub labels: Vec<(String, String)>,
    /// The label that is enforced in it, with its value.
    pub enforced: Option<(String, String)>,
    /// Its series, once somebody asks: those that there may be, and those that there are if each grouping has its labels.
    shapes: [OnceLock<Vec<SeriesLabels>>; 2],
}

impl RecordedSeries {
    /// A recording rule.
    #[must_use]
    pub fn new(
        name: String,
        number: usize,
        tree: Option<Tree>,
        text: String,
        labels: Vec<(String, String)>,
        enforced: Option<(String, String)>,
    ) -> Self {
        Self {
            name,
            number,
            tree,
            text,
            labels,
            enforced,
            shapes: [OnceLock::new(), OnceLock::new()],
        }
    }

    fn enforced(&self) -> Option<(&str, &str)> {
        self.enforced
            .as_ref()
            .map(|(label, value)| (label.as_str(), value.as_str()))
    }
}

/// What a Prometheus can answer.
#[derive(Debug)]
pub struct SeriesServer {
    /// `Prometheus monitoring/k8s`
    pub what: String,
    /// Its jobs.
    pub jobs: Vec<ScrapedJob>,
    /// Why series may come from elsewhere, if they may.
    pub open: Option<String>,
    /// The metrics that there are, if a dump says so.
    pub known_metrics: Option<BTreeSet<String>>,
    /// The labels that are added to what servers send, so that their own series may lack them, whoever groups by them.
    pub external: BTreeSet<String>,
    index: JobIndex,
    records: BTreeMap<String, Vec<RecordedSeries>>,
}

impl SeriesServer {
    /// A server with these jobs and recording rules.
    #[must_use]
    pub fn new(
        what: String,
        jobs: Vec<ScrapedJob>,
        open: Option<String>,
        recorded: Vec<RecordedSeries>,
    ) -> Self {
        let mut records: BTreeMap<String, Vec<RecordedSeries>> = BTreeMap::new();
        for series in recorded {
            records.entry(series.name.clone()).or_default().push(series);
        }
        let index = JobIndex::new(&jobs);
        Self {
            what,
            jobs,
            open,
            known_metrics: None,
            external: BTreeSet::from(["cluster".to_owned()]),
            index,
            records,
        }
    }

    /// Takes over which metrics targets expose: those that have the name as their job. Of a job alone that has no known name, it
    /// may be the name.
    pub fn know_exposed(&mut self, dumps: &[(String, BTreeSet<String>)]) {
        let is_only = self.jobs.len() == 1;
        for targets in self.jobs.iter_mut().flat_map(|job| &mut job.targets) {
            let is_own = |name: &str| match targets.has_job(name) {
                Truth::Yes => true,
                Truth::No => false,
                Truth::Unknown => is_only,
            };
            let own = dumps.iter().filter(|(name, _)| is_own(name));
            let mut own = own.map(|(_, metrics)| metrics).peekable();
            if own.peek().is_some() {
                targets.metrics = Some(own.flat_map(BTreeSet::iter).cloned().collect_set());
            }
        }
    }

    /// Returns whether a target has that name as its job.
    pub fn has_job(&self, name: &str) -> Truth {
        let targets = self.jobs.iter().flat_map(|job| &job.targets);
        let open = self.open.as_ref().map(|_| Truth::Unknown);
        Truth::any(targets.map(|targets| targets.has_job(name)).chain(open))
    }

    /// The rules that record a series.
    #[must_use]
    pub fn records(&self, name: &str) -> &[RecordedSeries] {
        self.records
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// The names of jobs, as far as they are known; those of Secrets are left out.
    pub fn job_names(&self) -> impl Iterator<Item = &str> {
        let is_shown = |job: &&ScrapedJob| !job.is_secret;
        let shown = self
            .jobs
            .iter()
            .filter(is_shown)
            .flat_map(|job| &job.targets);
        let names = shown.filter_map(|targets| targets.labels.named("job")?.known());
        names.collect_set().into_iter()
    }
}
