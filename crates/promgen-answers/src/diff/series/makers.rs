//! What makes the series that rules and panels read: what the base has and the head lacks, and what leaves open whether
//! something else makes them.
//!
//! In: both worlds. Out: the readers that surely lose their series, as nothing but rules makes a name with colons, and those that
//! may lose them, by cause.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::{Workload, WorkloadId};
use promgen_model::lineage::bounds::asks_for_whole;
use promgen_model::lineage::job::{ReachedTargets, ScrapedJob};
use promgen_model::lineage::matcher::{SeriesMatcher, SeriesSelector};
use promgen_model::lineage::server::{SelectorAnswer, SeriesMaking, SeriesServer};
use promgen_model::model::World;
use promgen_model::model::lineage::dashboards;
use promgen_model::model::lineage::readers::{self, ReadExpression};
use promgen_model::model::lineage::words::{job_title, not_made, open_labels};
use promgen_model::model::lineage::{LineageModel, RuleServer};
use promgen_targets::network::truth::Truth;
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::{Map, Value};

use super::bounds::{self, BoundsChange};
use super::switches;
use promgen_text::CollectOrdered;

/// The number of jobs that may make a series, up to which one that is gone counts as having made it.
const FEW: usize = 3;

/// The number of rules that a series may go through on its way to a reader.
const MAX_DEPTH: usize = 6;

/// Why a reader loses its series.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LossCause {
    /// What the head lacks.
    pub(super) cause: String,
    /// What leaves open whether something else makes them. `None`: nothing does.
    pub(super) open: Option<String>,
    /// Nothing says that they were of what the head lacks: the reader asks for no job.
    pub(super) is_of_any_job: bool,
}

impl LossCause {
    /// No rule records a series any more.
    fn unrecorded(name: &str, open: Option<String>) -> Self {
        Self {
            cause: format!("no rule records `{name}` any more"),
            open,
            is_of_any_job: false,
        }
    }
}

/// The readers of the head, by their number, that lose what the base made for them.
pub(super) fn losses(base: &World<'_>, head: &World<'_>) -> BTreeMap<usize, LossCause> {
    let (old, new) = (base.lineage(), head.lineage());
    // The operator leaves the jobs of a paused server as they are.
    let is_paused = |id: &WorkloadId| head.workload(id).is_some_and(Workload::is_paused);
    let pairs: Vec<ServerPair<'_>> = new
        .servers
        .iter()
        .filter(|server| !is_paused(&server.id))
        .filter_map(|server| {
            let before = old.servers.iter().find(|of| of.id == server.id)?;
            Some(ServerPair::new(base, before, head, server, old, new))
        })
        .filter(|pair| pair.is_fed || pair.differs())
        .collect();
    let recorded = |of: &'_ LineageModel| -> BTreeSet<String> {
        let names = of.rules.iter().filter_map(|rule| rule.record.clone());
        names.filter(|name| name.contains(':')).collect_set()
    };
    let unrecorded = &recorded(old) - &recorded(new);
    if !pairs.iter().any(ServerPair::differs) && unrecorded.is_empty() {
        return BTreeMap::new();
    }
    let boards = dashboards::all(head);
    let readers = readers::expressions(head, &boards);
    let mut lost: BTreeMap<usize, LossCause> = BTreeMap::new();
    for _ in 0..MAX_DEPTH {
        let gone = Gone::of(&readers, &lost);
        let found = readers.iter().enumerate();
        let found = found.filter(|(number, _)| !lost.contains_key(number));
        let found: Vec<_> = found
            .filter_map(|(number, reader)| {
                let own = match reader.servers.as_slice() {
                    [] => of_ruler(reader, &unrecorded, &gone, head.unseen()),
                    _ => of_reader(reader, &pairs, &gone),
                };
                let mut cause = own.or_else(|| of_others(reader, &pairs, &gone))?;
                cause.open = reader.open.map(str::to_owned).or(cause.open);
                Some((number, cause))
            })
            .collect();
        if found.is_empty() {
            break;
        }
        lost.extend(found);
    }
    lost.into_iter()
        .map(|(at, cause)| (readers[at].number, cause))
        .collect_map()
}

/// The recorded series whose rules have lost what they read, each with the cause.
struct Gone<'r>(BTreeMap<&'r str, &'r LossCause>);

impl<'r> Gone<'r> {
    fn of(readers: &[ReadExpression<'r>], lost: &'r BTreeMap<usize, LossCause>) -> Self {
        let mut gone = BTreeMap::new();
        let mut kept = BTreeSet::new();
        for (number, reader) in readers.iter().enumerate() {
            let Some(record) = reader.record else {
                continue;
            };
            match lost.get(&number) {
                Some(cause) => drop(gone.insert(record, cause)),
                None => drop(kept.insert(record)),
            }
        }
        gone.retain(|record, _| !kept.contains(record));
        Self(gone)
    }
}

/// The loss of a rule that a ThanosRuler evaluates: no rule at all records what it reads.
fn of_ruler(
    reader: &ReadExpression<'_>,
    unrecorded: &BTreeSet<String>,
    gone: &Gone<'_>,
    unseen: Option<&str>,
) -> Option<LossCause> {
    let selectors = reader.tree.selectors(reader.tree.root()).into_iter();
    let mut names = selectors.filter_map(|selector| selector.name.as_deref());
    names.find_map(|name| match gone.0.get(name) {
        Some(cause) => Some((*cause).clone()),
        None => unrecorded
            .contains(name)
            .then(|| LossCause::unrecorded(name, unseen.map(str::to_owned))),
    })
}

/// The loss of a reader on the servers that it asks.
fn of_reader(
    reader: &ReadExpression<'_>,
    pairs: &[ServerPair<'_>],
    gone: &Gone<'_>,
) -> Option<LossCause> {
    let mut own = pairs.iter().filter(|pair| reader.servers.contains(pair.id));
    own.find_map(|pair| pair.loss_of(reader, gone, reader.open.is_some()))
}

/// The loss of a reader that has series of other servers: a ThanosRuler evaluates it, or a server that takes what others scrape.
fn of_others(
    reader: &ReadExpression<'_>,
    pairs: &[ServerPair<'_>],
    gone: &Gone<'_>,
) -> Option<LossCause> {
    let mut fed = pairs
        .iter()
        .filter(|pair| pair.is_fed && reader.servers.contains(pair.id));
    let asks = match fed.next() {
        Some(fed) => &fed.new.what,
        None if reader.servers.is_empty() => "the ThanosRuler",
        None => return None,
    };
    let mut others = pairs
        .iter()
        .filter(|pair| !reader.servers.contains(pair.id));
    let cause = others.find_map(|pair| pair.loss_of(reader, gone, true))?;
    Some(LossCause {
        open: Some(format!("{asks} may have them from another server")),
        ..cause
    })
}

/// A server on both sides.
struct ServerPair<'w> {
    id: &'w WorkloadId,
    old: &'w SeriesServer,
    new: &'w SeriesServer,
    /// The jobs of the base that are gone, or others in the head.
    changed: Vec<ChangedJob<'w>>,
    /// The sections of the jobs on both sides.
    sections: BTreeMap<&'w str, (&'w Map, &'w Map)>,
    /// The recorded series of the head.
    recorded: BTreeSet<&'w str>,
    /// The recorded series that the head lacks.
    unrecorded: BTreeSet<&'w str>,
    /// All jobs store bounds of buckets otherwise.
    bounds: Option<BoundsChange>,
    /// The server of the head has series that others scrape.
    is_fed: bool,
}

/// A job of the base that is gone, or another one in the head.
struct ChangedJob<'w> {
    before: &'w ScrapedJob,
    now: Option<&'w ScrapedJob>,
    /// Its targets are not in the input, and it chooses others than before.
    finds_others: bool,
    /// It finds the value of the label `job` elsewhere than before.
    is_renamed: bool,
}

impl<'w> ServerPair<'w> {
    fn new(
        base: &World<'w>,
        before: &'w RuleServer,
        head: &World<'w>,
        after: &'w RuleServer,
        old: &'w LineageModel,
        new: &'w LineageModel,
    ) -> Self {
        let sections = |workload: Option<&'w Workload>| -> BTreeMap<&'w str, &'w Map> {
            let jobs = workload.into_iter().flat_map(|workload| workload.jobs());
            jobs.map(|job| (&*job.name, &job.section)).collect_map()
        };
        let (of_base, of_head) = (base.workload(&after.id), head.workload(&after.id));
        let bounds = of_base
            .zip(of_head)
            .and_then(|(old, new)| bounds::of_workload(old, new));
        let (of_base, of_head) = (sections(of_base), sections(of_head));
        let both = of_base.into_iter();
        let both = both.filter_map(|(name, old)| Some((name, (old, *of_head.get(name)?))));
        let sections: BTreeMap<&str, (&Map, &Map)> = both.collect_map();
        let jobs = &after.server.jobs;
        let changed = before.server.jobs.iter().filter_map(|job| {
            let now = jobs.iter().find(|of| of.name == job.name);
            let differs = |is_other: &dyn Fn(&Map, &Map) -> bool| {
                let both = sections.get(&*job.name);
                both.is_some_and(|(old, new)| is_other(old, new))
            };
            let is_changed = now.is_none_or(|now| {
                job.targets != now.targets
                    || job.taken != now.taken
                    || !job.is_secret && differs(&Map::ne)
            });
            is_changed.then(|| ChangedJob {
                before: job,
                now,
                finds_others: [Some(job), now].into_iter().flatten().all(is_guess)
                    && differs(&|old, new| choices(old) != choices(new)),
                is_renamed: differs(&|old, new| naming(old).ne(naming(new))),
            })
        });
        let recorded = |lineage: &'w LineageModel, of: &'w RuleServer| {
            let rules = of.rules.iter().map(|number| &lineage.rules[*number]);
            rules
                .filter_map(|rule| rule.record.as_deref())
                .collect_set()
        };
        let is_recorded = recorded(new, after);
        Self {
            id: &after.id,
            old: &before.server,
            new: &after.server,
            changed: changed.collect(),
            sections,
            unrecorded: &recorded(old, before) - &is_recorded,
            recorded: is_recorded,
            bounds,
            is_fed: after.is_fed,
        }
    }

    /// Why a reader loses series here, if it does.
    fn loss_of(
        &self,
        reader: &ReadExpression<'_>,
        gone: &Gone<'_>,
        is_open: bool,
    ) -> Option<LossCause> {
        let selectors = reader.tree.selectors(reader.tree.root()).into_iter();
        let causes = selectors.filter_map(|written| {
            let selector = SeriesSelector::of(written, reader.enforced);
            let Some(names) = &selector.names else {
                return self.loss_of_some(&selector);
            };
            let asks_for_whole = asks_for_whole(reader.tree, written).is_some();
            let is_native = switches::reads_native(reader.tree, written);
            let causes = names.iter().map(|name| {
                let lost = self.loss(&selector, name, is_native, gone, is_open);
                let other = || asks_for_whole.then(|| self.other_bounds(&selector, name))?;
                lost.or_else(other)
            });
            causes.collect::<Option<Vec<_>>>()?.into_iter().next()
        });
        causes.min_by_key(|cause| cause.is_of_any_job)
    }

    fn differs(&self) -> bool {
        !self.changed.is_empty() || !self.unrecorded.is_empty() || self.bounds.is_some()
    }

    /// Why the series of a selector may be lost, if something that made them is.
    fn loss(
        &self,
        selector: &SeriesSelector,
        name: &str,
        is_native: bool,
        gone: &Gone<'_>,
        is_open: bool,
    ) -> Option<LossCause> {
        if let Some(cause) = gone.0.get(name) {
            return Some((*cause).clone());
        }
        if self.unrecorded.contains(name) {
            let open = match name.contains(':') {
                true => self.new.open.clone(),
                false => self.open(selector, name, None),
            };
            return Some(LossCause::unrecorded(name, open));
        }
        if name.contains(':') || !self.new.records(name).is_empty() {
            return None;
        }
        let making = |job: &ScrapedJob| SeriesServer::making(selector, name, job);
        // Most selectors read nothing of what changes, and need no look at all jobs.
        let lost = self.lost_makers(selector, name, is_native);
        if lost.is_empty() {
            return None;
        }
        let makers = self.makers(selector, name);
        let is_its = |job: &ScrapedJob| makers.iter().any(|of| of.name == job.name);
        let (changed, now) = lost.into_iter().find(|(of, _)| is_its(of.before))?;
        let (job, is_there) = (changed.before, changed.now);
        // Proven to find nothing, which others say; or still there by another job, or by one that is new.
        let is_old = |of: &ScrapedJob| {
            let mut before = self.old.jobs.iter();
            before.any(|old| old.name == of.name && making(old) >= SeriesMaking::Likely)
        };
        let is_made = |of: &ScrapedJob| match making(of) {
            SeriesMaking::Sure => true,
            SeriesMaking::Likely => !is_old(of),
            _ => false,
        };
        let switch = is_there.filter(|_| now == SeriesMaking::Switched);
        let switch = switch.and_then(|new| switches::of_job(selector, name, is_native, job, new));
        let mut jobs = self.new.jobs.iter();
        if jobs.any(|of| is_made(of) && (switch.is_none() || of.name != job.name))
            || !is_open && matches!(self.new.find(selector), SelectorAnswer::Nothing(_))
        {
            return None;
        }
        let (of_switch, may_stay) = switch.map(|of| (of.cause, of.unless)).unzip();
        let cause = of_switch.unwrap_or_else(|| unmade(name, job, is_there, now));
        let asks = |of: &SeriesMatcher| of.label == "job" && !of.operator.starts_with('!');
        let is_told = selector.matchers.iter().any(asks)
            || matches!(now, SeriesMaking::Dropped(_) | SeriesMaking::Switched)
            || job.is_prefix_of(name)
            || makers.len() <= FEW;
        let unknown = || "what else exposes them is not known".to_owned();
        // A server without jobs has nothing else that exposes them.
        let has_others = !self.new.jobs.is_empty() || self.new.open.is_some();
        Some(LossCause {
            cause,
            open: may_stay.flatten().or_else(|| {
                has_others.then_some(())?;
                let others = self.open(selector, name, Some(&job.name));
                Some(others.unwrap_or_else(unknown))
            }),
            is_of_any_job: !is_told,
        })
    }

    /// The jobs of the base that make the series of a selector, as far as is known: of a job that is asked for, those that are named so.
    fn makers(&self, selector: &SeriesSelector, name: &str) -> Vec<&'w ScrapedJob> {
        let asked = selector.jobs().unwrap_or_default();
        let making =
            |of: &&ScrapedJob| SeriesServer::making(selector, name, of) >= SeriesMaking::Likely;
        let made = self.old.jobs.iter().filter(making);
        let (named, others): (Vec<_>, Vec<_>) = made.partition(|job| job.is_named(&asked));
        if named.is_empty() { others } else { named }
    }

    /// The changed jobs that made the series of a selector and may do so no longer, each with how surely it makes them now.
    fn lost_makers(
        &self,
        selector: &SeriesSelector,
        name: &str,
        is_native: bool,
    ) -> Vec<(&ChangedJob<'w>, SeriesMaking)> {
        let making = |job: &ScrapedJob| SeriesServer::making(selector, name, job);
        let asked = selector.jobs().unwrap_or_default();
        let is_asked = |of: &ReachedTargets| asked.iter().any(|job| of.has_job(job) == Truth::Yes);
        let is_known = |job: &ScrapedJob| asked.is_empty() || job.targets.iter().all(is_asked);
        let lost = self.changed.iter().filter_map(|changed| {
            let job = changed.before;
            let switch = |now| switches::of_job(selector, name, is_native, job, now);
            let now = match changed.now {
                Some(_) if changed.finds_others => SeriesMaking::Moved,
                Some(now) if switch(now).is_some() => SeriesMaking::Switched,
                Some(now) if changed.is_renamed && !is_known(now) => {
                    making(now).min(SeriesMaking::Open)
                }
                now => now.map_or(SeriesMaking::No, making),
            };
            let is_lost = now <= SeriesMaking::Open && making(job) >= SeriesMaking::Likely;
            is_lost.then_some((changed, now))
        });
        lost.collect()
    }

    /// The loss of a selector that names no metric, if no rule records what it took of recorded series.
    fn loss_of_some(&self, selector: &SeriesSelector) -> Option<LossCause> {
        let name = self
            .unrecorded
            .iter()
            .find(|name| selector.may_name(name))?;
        let is_left = self.recorded.iter().any(|name| selector.may_name(name));
        let open = || Some("another metric may have such a name".to_owned());
        (!is_left && name.contains(':')).then(|| LossCause::unrecorded(name, open()))
    }

    /// The loss of a selector that asks for whole bounds, where they are stored so no longer.
    fn other_bounds(&self, selector: &SeriesSelector, name: &str) -> Option<LossCause> {
        let change = |job: &ScrapedJob| {
            let of_job = || {
                let (old, new) = self.sections.get(&*job.name)?;
                bounds::of_job(old, new)
            };
            self.bounds.or_else(of_job)
        };
        let mut by_job = self
            .makers(selector, name)
            .into_iter()
            .filter_map(|job| Some(change(job)?.cause(&job_title(job))));
        let SeriesServer { jobs, open, .. } = self.old;
        let is_elsewhere = jobs.is_empty() || open.is_some();
        let is_there = is_elsewhere || !self.old.records(name).is_empty();
        let of_rule = || Some(self.bounds.filter(|_| is_there)?.cause(""));
        Some(LossCause {
            cause: by_job.next().or_else(of_rule)?,
            open: Some(bounds::OPEN.to_owned()),
            is_of_any_job: false,
        })
    }

    /// What leaves open whether a series is made.
    fn open(&self, selector: &SeriesSelector, name: &str, lost: Option<&str>) -> Option<String> {
        let making = |job: &&ScrapedJob| SeriesServer::making(selector, name, job);
        let others = self.new.jobs.iter().filter(|of| Some(&*of.name) != lost);
        let best = others
            .max_by_key(making)
            .filter(|of| making(of) >= SeriesMaking::Open);
        let words = |job| match making(&job) {
            SeriesMaking::Open => format!("{} {}", job_title(job), open_labels(job)),
            _ => format!("{} may expose them, too", job_title(job)),
        };
        best.map(words).or_else(|| self.new.open.clone())
    }
}

/// Why a job makes a series no longer, but for switches.
fn unmade(
    name: &str,
    before: &ScrapedJob,
    now: Option<&ScrapedJob>,
    making: SeriesMaking,
) -> String {
    let title = job_title(before);
    let Some(now) = now else {
        return format!("{title} is gone");
    };
    let mut known = now.targets.iter().filter_map(|of| of.exporter.known());
    let of_targets = |job: &ScrapedJob| -> Vec<_> {
        let targets = job.targets.iter();
        targets.map(|of| of.labels.clone()).collect()
    };
    match making {
        SeriesMaking::Dropped(_) => format!("{title} drops `{name}` now"),
        SeriesMaking::Moved => {
            format!("{title} discovers other targets now, which are not in the input")
        }
        _ if now.targets.is_empty() => format!("{title} has no targets any more"),
        _ if now.is_stopped() => format!("the pods of {title} have `replicas: 0` now"),
        _ => match known.find_map(|known| Some((known, known.lack(name)?))) {
            Some((known, why)) => not_made(name, known, why).message,
            None if of_targets(before) == of_targets(now) => {
                format!("{title} does not expose them any more")
            }
            None => format!("the labels of {title} are others now"),
        },
    }
}

/// Returns whether the input does not have the targets of a job.
fn is_guess(job: &ScrapedJob) -> bool {
    job.targets.iter().all(|of| of.is_guess)
}

/// The rules of a job for the label `job` of its targets.
fn naming(section: &Map) -> impl Iterator<Item = &Value> {
    let rules = section.items_of("relabel_configs").iter();
    rules.filter(|rule| rule.text_of("target_label") == Some("job"))
}

/// What a job discovers, and which of it it keeps.
fn choices(section: &Map) -> Vec<String> {
    let chooses = |rule: &&Value| {
        let action = rule.text_of("action").unwrap_or_default();
        action.starts_with("keep") || action.starts_with("drop")
    };
    let rules = section.items_of("relabel_configs").iter().filter(chooses);
    let found = section.items_of("kubernetes_sd_configs").iter();
    found.chain(rules).map(of_any_role).collect()
}

/// A discovery, or a rule on what it finds, as a text that is the same for Endpoints and EndpointSlices: both find the same
/// targets, and have the same labels of them by other names.
fn of_any_role(written: &Value) -> String {
    let text = to_string(written, Dialect::YamlV2);
    let text = text.replace("_endpointslice_endpoint_", "_endpoint_");
    text.replace("endpointslice", "endpoint")
        .replace("endpoints", "endpoint")
}
