//! The result of a selector on a server.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::lineage::discover::Exporter;
use crate::lineage::exporters::{ExporterLack, KnownExporter};
use crate::lineage::job::{ReachedTargets, ScrapedJob, SeriesFate, is_synthetic, synthetic};
use crate::lineage::labels::SeriesLabels;
use crate::lineage::matcher::{SeriesMatcher, SeriesSelector, unmet};
use crate::lineage::server::SeriesServer;

/// The result of a selector.
#[derive(Clone, Debug)]
pub enum SelectorAnswer {
    /// There may be series.
    Possible,
    /// There surely is none.
    Nothing(Box<Absence>),
}

/// Why there is no series.
#[derive(Clone, Debug)]
pub enum Absence {
    /// No target has a value that meets the condition.
    Unmet {
        /// The condition.
        matcher: SeriesMatcher,
        /// The condition that leaves only the targets that do not meet the other. `None`: no target of any job meets it.
        within: Option<SeriesMatcher>,
    },
    /// Every job that could expose it drops it.
    Dropped {
        /// The metric.
        name: String,
        /// The number of each job, and of its rule for samples.
        by: Vec<(usize, usize)>,
    },
    /// The rules that record it find nothing.
    NotRecorded {
        /// The series.
        name: String,
    },
    /// The rules that record it make no series that meet the condition.
    RecordedOtherwise {
        /// The series.
        name: String,
        /// The condition.
        matcher: SeriesMatcher,
    },
    /// No metric has the name, as a dump shows.
    Unexposed {
        /// The metric.
        name: String,
    },
    /// The targets are exporters that do not expose it.
    NotMade {
        /// The metric.
        name: String,
        /// The first of these exporters.
        by: Arc<KnownExporter>,
        /// Why it does not.
        why: ExporterLack,
    },
}

/// How surely a job makes the series of a selector, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SeriesMaking {
    /// It does not.
    No,
    /// The rule for samples of that number drops them.
    Dropped(usize),
    /// It discovers other targets than before, which are not known.
    Moved,
    /// It makes something else of what its targets have than before.
    Switched,
    /// It takes native histograms, and the classic ones of a name only where there is no native one.
    Native,
    /// Only if its targets expose labels that win over their own.
    Open,
    /// Its targets may expose them.
    Likely,
    /// Its targets expose them.
    Sure,
}

/// The maximum number of recorded series that a condition on names is asked of: beyond it, any of them may meet it.
const MAX_NAMES: usize = 1000;

/// A sort of targets, with its job.
type Sort<'s> = (usize, &'s ScrapedJob, &'s ReachedTargets);

impl SeriesServer {
    /// The result of a selector.
    #[must_use]
    pub fn find(&self, selector: &SeriesSelector) -> SelectorAnswer {
        self.find_within(selector, &mut Vec::new())
    }

    pub(super) fn find_within(
        &self,
        selector: &SeriesSelector,
        visited: &mut Vec<usize>,
    ) -> SelectorAnswer {
        if selector.matchers.iter().any(SeriesMatcher::is_impossible) {
            return SelectorAnswer::Possible;
        }
        if let Some(names) = &selector.names {
            let mut nothing = None;
            for name in names {
                match self.find_named(selector, name, visited) {
                    SelectorAnswer::Possible => return SelectorAnswer::Possible,
                    SelectorAnswer::Nothing(absence) => nothing = nothing.or(Some(absence)),
                }
            }
            return nothing.map_or(SelectorAnswer::Possible, SelectorAnswer::Nothing);
        }
        let is_recorded = self.records.len() > MAX_NAMES
            || self.records.keys().any(|name| selector.may_name(name));
        if self.open.is_some() || self.jobs.is_empty() || is_recorded {
            return SelectorAnswer::Possible;
        }
        let synthesized = synthetic().filter(|name| selector.may_name(name));
        if synthesized
            .into_iter()
            .any(|name| matches!(self.scraped(selector, Some(name)), SelectorAnswer::Possible))
        {
            return SelectorAnswer::Possible;
        }
        self.scraped(selector, None)
    }

    fn find_named(
        &self,
        selector: &SeriesSelector,
        name: &str,
        visited: &mut Vec<usize>,
    ) -> SelectorAnswer {
        if matches!(name, "ALERTS" | "ALERTS_FOR_STATE") {
            return SelectorAnswer::Possible;
        }
        let recorded =
            (!self.records(name).is_empty()).then(|| self.recorded(selector, name, visited));
        match &recorded {
            Some(SelectorAnswer::Possible) => return SelectorAnswer::Possible,
            Some(SelectorAnswer::Nothing(_)) if !name.contains(':') => {}
            Some(SelectorAnswer::Nothing(_)) => {
                return recorded.unwrap_or(SelectorAnswer::Possible);
            }
            None if name.contains(':') => return SelectorAnswer::Possible,
            None => {}
        }
        if let Some(known) = &self.known_metrics
            && !is_synthetic(name)
            && !known.contains(name)
        {
            return SelectorAnswer::Nothing(Box::new(Absence::Unexposed {
                name: name.to_owned(),
            }));
        }
        if self.open.is_some() || self.jobs.is_empty() {
            return SelectorAnswer::Possible;
        }
        match self.scraped(selector, Some(name)) {
            SelectorAnswer::Possible => SelectorAnswer::Possible,
            // What a rule should make is known by its name.
            SelectorAnswer::Nothing(absence) => {
                recorded.unwrap_or(SelectorAnswer::Nothing(absence))
            }
        }
    }

    /// The series that rules record.
    fn recorded(
        &self,
        selector: &SeriesSelector,
        name: &str,
        visited: &mut Vec<usize>,
    ) -> SelectorAnswer {
        let mut otherwise = None;
        for rule in self.records(name) {
            for labels in self.shapes_of(rule, visited, false) {
                match unmet(&selector.matchers, &labels) {
                    None => return SelectorAnswer::Possible,
                    Some(matcher) => otherwise = otherwise.or(Some(matcher.clone())),
                }
            }
        }
        let name = name.to_owned();
        SelectorAnswer::Nothing(Box::new(match otherwise {
            Some(matcher) => Absence::RecordedOtherwise { name, matcher },
            None => Absence::NotRecorded { name },
        }))
    }

    /// The sorts of targets that a selector can be about.
    fn sorts<'s>(&'s self, selector: &SeriesSelector) -> Box<dyn Iterator<Item = Sort<'s>> + 's> {
        match selector.jobs() {
            Some(names) => Box::new(self.index.of(&names).map(|at| self.sort(at))),
            None => Box::new(self.all()),
        }
    }

    fn sort(&self, (at, number): (usize, usize)) -> Sort<'_> {
        let job = &self.jobs[at];
        (at, job, &job.targets[number])
    }

    fn all(&self) -> impl Iterator<Item = Sort<'_>> {
        let jobs = self.jobs.iter().enumerate();
        jobs.flat_map(|(at, job)| job.targets.iter().map(move |targets| (at, job, targets)))
    }

    /// The sorts of targets whose series may meet a selector, each with the series; those that rules for samples drop are left
    /// out.
    pub(super) fn matching<'s>(
        &'s self,
        selector: &SeriesSelector,
        name: Option<&str>,
    ) -> impl Iterator<Item = (&'s ScrapedJob, &'s SeriesLabels)> {
        let sorts = self.sorts(selector);
        sorts.into_iter().filter_map(move |(_, job, targets)| {
            let is_exposed = name.is_none_or(|name| job.may_expose(targets, name));
            let fate = Self::outcome(selector, name, job, targets);
            let is_there = is_exposed && fate == Some(SeriesFate::Possible);
            is_there.then(|| (job, job.labels_of(targets, name)))
        })
    }

    /// What a job does with a metric, for each sort of its targets that can have it: `None` if it may expose the metric, and else
    /// the number of the rule for samples that drops it.
    #[must_use]
    pub fn fates(
        &self,
        selector: &SeriesSelector,
        name: &str,
        job: &ScrapedJob,
    ) -> Vec<Option<usize>> {
        let targets = job.targets.iter();
        let targets = targets.filter(|targets| job.may_expose(targets, name));
        let fate = |targets| Self::outcome(selector, Some(name), job, targets);
        let fates = targets.filter_map(fate).map(|fate| match fate {
            SeriesFate::Possible => None,
            SeriesFate::DroppedBy(rule) => Some(rule),
        });
        fates.collect()
    }

    /// How surely a job makes the series of a selector.
    #[must_use]
    pub fn making(selector: &SeriesSelector, name: &str, job: &ScrapedJob) -> SeriesMaking {
        let of_targets = |targets: &ReachedTargets| {
            if targets.is_stopped || !job.may_expose(targets, name) {
                return SeriesMaking::No;
            }
            match Self::outcome(selector, Some(name), job, targets) {
                None => return SeriesMaking::No,
                Some(SeriesFate::DroppedBy(rule)) => return SeriesMaking::Dropped(rule),
                Some(SeriesFate::Possible) => {}
            }
            let of_job = selector.matchers.iter().filter(|of| of.label == "job");
            let own = targets.labels.get("job");
            let is_its = job.may_set("job") || of_job.into_iter().all(|of| of.may_meet(own));
            let is_sure = is_synthetic(name)
                || targets
                    .exporter
                    .known()
                    .is_some_and(|known| known.group(name).is_some())
                || targets.metrics.is_some();
            match is_its {
                false => SeriesMaking::Open,
                true if job.taken.is_native_alone() && name.ends_with("_bucket") => {
                    SeriesMaking::Native
                }
                true if is_sure && !targets.is_guess => SeriesMaking::Sure,
                true => SeriesMaking::Likely,
            }
        };
        job.targets
            .iter()
            .map(of_targets)
            .max()
            .unwrap_or(SeriesMaking::No)
    }

    /// The outcome for series of targets. `None` if their targets do not meet the selector.
    fn outcome(
        selector: &SeriesSelector,
        name: Option<&str>,
        job: &ScrapedJob,
        targets: &ReachedTargets,
    ) -> Option<SeriesFate> {
        let labels = job.labels_of(targets, name);
        let is_synthesized = name.is_some_and(is_synthetic);
        let changes = !is_synthesized && job.changes_labels();
        if !changes && unmet(&selector.matchers, labels).is_some() {
            return None;
        }
        if is_synthesized {
            return Some(SeriesFate::Possible);
        }
        let fate = job.outcome(labels, name, &selector.matchers);
        if changes && fate == SeriesFate::Possible {
            let after = job.relabeled(labels.clone(), name);
            return unmet(&selector.matchers, &after).is_none().then_some(fate);
        }
        Some(fate)
    }

    fn scraped(&self, selector: &SeriesSelector, name: Option<&str>) -> SelectorAnswer {
        let mut dropped = BTreeSet::new();
        let (mut is_dumped, mut silent) = (false, Vec::new());
        for (at, job, targets) in self.sorts(selector) {
            let fate = Self::outcome(selector, name, job, targets);
            if name.is_some_and(|name| !job.may_expose(targets, name)) {
                is_dumped |= targets.metrics.is_some();
                silent.extend(fate.map(|_| &targets.exporter));
                continue;
            }
            match fate {
                Some(SeriesFate::Possible) => return SelectorAnswer::Possible,
                Some(SeriesFate::DroppedBy(rule)) => drop(dropped.insert((at, rule))),
                None => {}
            }
        }
        if !dropped.is_empty() {
            let name = name.map_or_else(|| selector.title(), str::to_owned);
            return SelectorAnswer::Nothing(Box::new(Absence::Dropped {
                name,
                by: dropped.into_iter().collect(),
            }));
        }
        if let Some(name) = name.filter(|_| is_dumped) {
            return SelectorAnswer::Nothing(Box::new(Absence::Unexposed {
                name: name.to_owned(),
            }));
        }
        if let Some(name) = name.filter(|_| !silent.is_empty()) {
            return not_made(name, &silent);
        }
        self.unmet(selector, name)
            .map_or(SelectorAnswer::Possible, |absence| {
                SelectorAnswer::Nothing(Box::new(absence))
            })
    }

    /// The condition of a selector that no target meets.
    fn unmet(&self, selector: &SeriesSelector, name: Option<&str>) -> Option<Absence> {
        let is_synthesized = name.is_some_and(is_synthetic);
        let meets = |matcher: &SeriesMatcher, (_, job, targets): &Sort<'_>| {
            let labels = job.labels_of(targets, name);
            match !is_synthesized && job.may_set(&matcher.label) {
                true => matcher.may_meet(job.relabeled(labels.clone(), name).get(&matcher.label)),
                false => matcher.may_meet(labels.get(&matcher.label)),
            }
        };
        let (of_job, of_others): (Vec<&SeriesMatcher>, Vec<&SeriesMatcher>) = selector
            .matchers
            .iter()
            .partition(|matcher| matcher.label == "job");
        let matchers: Vec<&SeriesMatcher> = of_job.into_iter().chain(of_others).collect();
        for matcher in &matchers {
            let is_met = match matcher.texts().filter(|_| matcher.label == "job") {
                Some(names) => self
                    .index
                    .of(&names)
                    .map(|at| self.sort(at))
                    .any(|sort| meets(matcher, &sort)),
                None => self.all().any(|sort| meets(matcher, &sort)),
            };
            if !is_met {
                return Some(Absence::Unmet {
                    matcher: (*matcher).clone(),
                    within: None,
                });
            }
        }
        let (first, others) = matchers.split_first()?;
        let left: Vec<Sort<'_>> = self.all().filter(|sort| meets(first, sort)).collect();
        let culprit = others
            .iter()
            .find(|matcher| !left.iter().any(|sort| meets(matcher, sort)));
        let culprit = culprit.or_else(|| others.first()).unwrap_or(first);
        let within = (first.label != culprit.label).then(|| (*first).clone());
        Some(Absence::Unmet {
            matcher: (*culprit).clone(),
            within,
        })
    }
}

/// What is said of a metric that exporters do not expose, though they meet the selector.
fn not_made(name: &str, silent: &[&Exporter]) -> SelectorAnswer {
    let lacks = silent.iter().find_map(|exporter| match exporter {
        Exporter::Known(known) => Some((known, known.lack(name)?)),
        Exporter::Unknown | Exporter::OfOwnMetrics | Exporter::StateMetrics | Exporter::Kubelet => {
            None
        }
    });
    match lacks {
        Some((by, why)) => SelectorAnswer::Nothing(Box::new(Absence::NotMade {
            name: name.to_owned(),
            by: Arc::clone(by),
            why,
        })),
        None => SelectorAnswer::Possible,
    }
}
