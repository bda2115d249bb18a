//! Targets that are lost, new, or scraped by other shards.
//!
//! In: two compiled workloads, and what targets are discovered from. Out: the targets whose shards differ. Runs the printed
//! rules. A target is the same if its source and address are: its other labels may differ.

pub(crate) mod meter;

use crate::diff;
use crate::diff::jobs;
use std::collections::BTreeMap;

use crate::diff::listed::Listed;
use meter::Meter;
use promgen_compile::output::{Job, Workload};
use promgen_targets::assign::{Assigner, Assignment};
use promgen_targets::discovery::job::{Globals, scrape_labels};
use promgen_targets::discovery::shared::DiscoveredJobs;
use promgen_targets::discovery::{ADDRESS, Discovery, TargetGroup, label_set};
use promgen_text::CollectOrdered;
use promgen_text::parallel;
use promgen_text::yaml::Map;

changes! {
    /// The targets that differ.
    #[derive(Default)]
    TargetChanges {
        /// Targets that no shard scrapes any more.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        lost: Listed<TargetChange>,
        /// Targets that no shard scraped.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        gained: Listed<TargetChange>,
        /// Targets that other shards scrape.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        moved: Listed<TargetChange>,
        /// Targets that another job scrapes.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        rejobbed: Listed<TargetChange>,
        /// Jobs and sections that are not followed, and why: their targets are unknown.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        unknown: Listed<String>,
    }

    /// A target that differs.
    #[derive(Default)]
    TargetChange {
        /// Its job.
        job: String,
        /// Its address before relabeling. `Deployment/shop/cart:9090` for the pods of a template, which have none yet.
        address: String,
        /// The object that it is discovered from: `pod/shop/web-0`.
        #[serde(skip_serializing_if = "String::is_empty")]
        source: String,
        /// The shards that scrape it in the base.
        from: Vec<u32>,
        /// The shards that scrape it in the head.
        to: Vec<u32>,
        /// Why it is lost, or which job scrapes it now.
        #[serde(skip_serializing_if = "String::is_empty")]
        why: String,
    }
}

impl TargetChanges {
    /// Returns whether no target differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.lost.is_empty()
            && self.gained.is_empty()
            && self.moved.is_empty()
            && self.rejobbed.is_empty()
    }
}

/// A workload, and what its targets are discovered from.
#[derive(Clone, Copy)]
pub(crate) struct Scraper<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) discovery: &'a Discovery,
}

/// A target of a job: its source, its address, and its number among those alike.
type TargetKey = (String, String, usize);

/// The source and address of a target, and the shards that scrape it.
type AssignedTarget = ((String, String), Option<Vec<u32>>);

/// The targets of a job with the shards that scrape each. `None` if the job drops it.
type TargetsOfJob = BTreeMap<TargetKey, Option<Vec<u32>>>;

/// The targets of a job, and the parts of it that are not followed.
type ScrapedTargets = (TargetsOfJob, Vec<String>);

/// Compares the targets of two workloads; of one that only one side has, all targets are new or lost. `gained` is what
/// workloads begin to scrape: a target that this one loses may be theirs.
pub(crate) fn changes<'g>(
    base: Option<Scraper<'_>>,
    head: Option<Scraper<'_>>,
    gained: &dyn Fn() -> &'g Scraping,
    meter: &Meter,
) -> TargetChanges {
    let is_same_input = matches!((base, head), (Some(a), Some(b)) if a.discovery == b.discovery
        && a.workload.plan == b.workload.plan && a.workload.sharding_rules == b.workload.sharding_rules
        && a.workload.name_scheme() == b.workload.name_scheme()
        && globals(a.workload) == globals(b.workload));
    let (old, new) = (jobs_of(base), jobs_of(head));
    let is_unchanged = |(name, _): &&(&str, usize)| {
        let [before, after] =
            [&old, &new].map(|jobs| jobs.get(&(*name, 1)).map(|job| &job.section));
        let has_several = || {
            [&old, &new]
                .iter()
                .any(|jobs| jobs.contains_key(&(*name, 2)))
        };
        is_same_input && before == after && !has_several()
    };
    let keys: Vec<_> = diff::keys(&old, &new).collect();
    let differing = parallel::map(&keys, 64, |key| (!is_unchanged(key)).then_some(**key))
        .into_iter()
        .flatten();
    let compared: Vec<_> = differing.collect_set().into_iter().collect();
    let asked = |side, jobs: &BTreeMap<(&str, usize), &Job>| {
        discover(
            side,
            compared.iter().filter_map(|key| jobs.get(key)).copied(),
        )
    };
    let (of_old, of_new) = (asked(base, &old), asked(head, &new));
    let n_targets = |jobs: &BTreeMap<(&str, usize), &Job>, found: &DiscoveredJobs| -> usize {
        compared
            .iter()
            .filter_map(|key| jobs.get(key))
            .map(|job| found.n_targets(job))
            .sum()
    };
    if !meter.takes_targets(n_targets(&old, &of_old) + n_targets(&new, &of_new)) {
        return TargetChanges::default();
    }
    let both = |key: &(&str, usize)| {
        let before = scraped(base, old.get(key).copied(), &of_old);
        [before, scraped(head, new.get(key).copied(), &of_new)]
    };
    let found = parallel::map(&compared, 1, both);
    let (mut changes, mut lost) = (TargetChanges::default(), Vec::new());
    for ((name, n), [before, after]) in compared.into_iter().zip(&found) {
        compare(
            name,
            before,
            after,
            new.contains_key(&(name, n)) || head.is_none(),
            &mut changes,
            &mut lost,
        );
    }
    if let (Some(head), false) = (head, lost.is_empty()) {
        lost = find_elsewhere(
            &scraping(head, |job| job.name.clone(), meter),
            lost,
            &mut changes,
        );
    }
    if !lost.is_empty() {
        lost = find_elsewhere(gained(), lost, &mut changes);
    }
    changes.lost = lost.into_iter().collect();
    changes
}

/// Compares the targets of a job.
fn compare(
    job: &str,
    before: &ScrapedTargets,
    after: &ScrapedTargets,
    has_job: bool,
    changes: &mut TargetChanges,
    lost: &mut Vec<TargetChange>,
) {
    for why in before.1.iter().chain(&after.1) {
        if !changes.unknown.items.contains(why) {
            changes.unknown.push(why.clone());
        }
    }
    // What is not followed on one side only would look as if it were gone.
    for key in diff::keys(&before.0, &after.0) {
        let shards = |side: &ScrapedTargets| side.0.get(key).cloned().flatten().unwrap_or_default();
        let (from, to) = (shards(before), shards(after));
        if from == to {
            continue;
        }
        let why = match after.0.get(key) {
            _ if !to.is_empty() => "",
            None if !has_job => "the job is dropped",
            None => "it is no longer discovered",
            Some(None) => "a relabel rule drops it",
            Some(Some(_)) => "no shard keeps it",
        };
        let is_empty = (from.is_empty(), to.is_empty());
        let (job, address, source, why) =
            (job.to_owned(), key.1.clone(), key.0.clone(), why.to_owned());
        let target = TargetChange {
            job,
            address,
            source,
            from,
            to,
            why,
        };
        match is_empty {
            (false, true) => lost.push(target),
            (true, _) => changes.gained.push(target),
            (false, false) => changes.moved.push(target),
        }
    }
}

/// The targets that jobs scrape by source and address, each with its job and shards.
pub(crate) type Scraping = BTreeMap<(String, String), (String, Vec<u32>)>;

/// Everything that a workload scrapes. `name` names a job.
pub(crate) fn scraping(of: Scraper<'_>, name: impl Fn(&Job) -> String, meter: &Meter) -> Scraping {
    let jobs: Vec<&Job> = of.workload.jobs().iter().collect();
    let discovered = discover(Some(of), jobs.iter().copied());
    if !meter.takes_targets(jobs.iter().map(|job| discovered.n_targets(job)).sum()) {
        return Scraping::new();
    }
    let found: Vec<ScrapedTargets> =
        parallel::map(&jobs, 1, |job| scraped(Some(of), Some(job), &discovered));
    let mut scraping = Scraping::new();
    for (job, (targets, _)) in jobs.iter().zip(found) {
        for ((source, address, _), shards) in targets {
            if let Some(shards) = shards.filter(|shards| !shards.is_empty()) {
                scraping
                    .entry((source, address))
                    .or_insert_with(|| (name(job), shards));
            }
        }
    }
    scraping
}

/// Finds the lost targets that something else of the head scrapes, and returns the others.
fn find_elsewhere(
    scraping: &Scraping,
    lost: Vec<TargetChange>,
    changes: &mut TargetChanges,
) -> Vec<TargetChange> {
    let mut left = Vec::new();
    for mut target in lost {
        match scraping.get(&(target.source.clone(), target.address.clone())) {
            Some((by, shards)) => {
                target.to.clone_from(shards);
                target.why = format!("{by} scrapes it");
                changes.rejobbed.push(target);
            }
            None => left.push(target),
        }
    }
    left
}

fn globals(workload: &Workload) -> Option<&Map> {
    workload.config.as_ref()?.global()
}

/// The jobs by name and number.
fn jobs_of(side: Option<Scraper<'_>>) -> BTreeMap<(&str, usize), &Job> {
    jobs::numbered(side.map_or(&[][..], |side| side.workload.jobs()))
}

/// The target groups of jobs.
fn discover<'j>(side: Option<Scraper<'_>>, jobs: impl Iterator<Item = &'j Job>) -> DiscoveredJobs {
    let Some(Scraper {
        workload,
        discovery,
    }) = side
    else {
        return DiscoveredJobs::default();
    };
    DiscoveredJobs::of(discovery, &workload.id.namespace, jobs)
}

/// The targets of a job, and the shards that scrape each.
fn scraped(
    side: Option<Scraper<'_>>,
    job: Option<&Job>,
    discovered: &DiscoveredJobs,
) -> ScrapedTargets {
    let (Some(Scraper { workload, .. }), Some(job)) = (side, job) else {
        return ScrapedTargets::default();
    };
    let Some(found) = discovered.get(job) else {
        return ScrapedTargets::default();
    };
    let mut unknown: Vec<String> = found
        .unfollowed
        .iter()
        .map(|u| format!("{}, {}: {}", job.name, u.section, u.why))
        .collect();
    if found.groups.iter().all(|group| group.targets.is_empty()) {
        return (TargetsOfJob::new(), unknown);
    }
    let n_sharding = job.n_sharing(&workload.sharding_rules).unwrap_or(0);
    let assigner = match Assigner::new(job.rules(), &workload.plan.shards, workload.name_scheme()) {
        Ok(assigner) => assigner.with_sharding_rules(n_sharding),
        Err(error) => {
            unknown.push(format!("{}: {error}", job.name));
            return (TargetsOfJob::new(), unknown);
        }
    };
    let globals = workload
        .config
        .as_ref()
        .map(Globals::of)
        .unwrap_or_default();
    let mut targets = Vec::new();
    for group in &found.groups {
        for mut labels in group.merged() {
            let address = labels
                .get(ADDRESS)
                .map(ToString::to_string)
                .unwrap_or_default();
            scrape_labels(job, globals, &mut labels);
            let shards = match assigner.assign(&label_set(&labels)) {
                Assignment::Dropped => None,
                Assignment::Kept(shards) => Some(shards),
                Assignment::TooMuch(_) => continue,
            };
            targets.push(((source(group), address), shards));
        }
    }
    (numbered(targets), unknown)
}

/// The source of a target. That of a static target is an index, which means nothing.
fn source(group: &TargetGroup) -> String {
    if group.source.contains('/') {
        group.source.clone()
    } else {
        String::new()
    }
}

/// Numbers the targets of the same source and address, in their order.
fn numbered(mut targets: Vec<AssignedTarget>) -> TargetsOfJob {
    targets.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut numbered: Vec<(TargetKey, Option<Vec<u32>>)> = Vec::with_capacity(targets.len());
    for ((source, address), shards) in targets {
        let n = match numbered.last() {
            Some((last, _)) if (&last.0, &last.1) == (&source, &address) => last.2 + 1,
            _ => 0,
        };
        numbered.push(((source, address, n), shards));
    }
    numbered.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_alike_are_numbered_in_their_order() {
        let target =
            |address: &str, shard| ((String::new(), address.to_owned()), Some(vec![shard]));
        let targets = numbered(vec![
            target("b", 1),
            target("a", 2),
            target("b", 3),
            target("b", 4),
        ]);
        let shown: Vec<_> = targets
            .iter()
            .map(|((_, address, n), shards)| (address.as_str(), *n, shards))
            .collect();
        let shards = |shard| Some(vec![shard]);
        let expected = [
            ("a", 0, &shards(2)),
            ("b", 0, &shards(1)),
            ("b", 1, &shards(3)),
            ("b", 2, &shards(4)),
        ];
        assert_eq!(shown, expected);
    }
}
