//! Proofs for the targets of each job.

use std::collections::BTreeSet;

use crate::assign::{Assigner, Assignment};
use crate::discovery::job::{Globals, complete};
use crate::discovery::{ADDRESS, Discovery};
use crate::prove::classes::{self, EXEMPT, HASH, TargetClass};
use crate::prove::hashed_texts::{HashedText, HashedTexts};
use crate::trace::of_shard;
use promgen_compile::output::Job;
use promgen_compile::output::Workload;
use promgen_prometheus::relabel::slice::{constants, deciding};
use promgen_prometheus::relabel::{Action, CompiledRule, LabelSet, RuleError, relabel, rules};
use promgen_text::CollectOrdered;
use promgen_text::source::Span;
use promgen_text::yaml::Value;

/// The maximum number of stored counterexamples of a job; the others are only counted.
const MAX_SHOWN: usize = 5;

/// The number of targets that are made up to refute that own rules keep what the sharding rules do.
const N_MADE_UP: usize = 64;

/// The method of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// For all possible targets: the job ends with the sharding rules of the workload, and does not change the labels that
    /// these read.
    Symbol,
    /// For the known targets, as a symbolic proof is impossible for this reason.
    Enumeration(String),
}

/// The result for the targets of a job.
#[derive(Clone, Debug)]
pub struct OfJob {
    /// Its name.
    pub name: String,
    /// Its source.
    pub origin: Option<Span>,
    /// The method.
    pub method: Method,
    /// The classes of its targets, for a symbolic proof.
    pub classes: Vec<TargetClass>,
    /// The number of known targets.
    pub n_targets: usize,
    /// All its targets disable sharding: all shards scrape them.
    pub is_exempt: bool,
    /// The number of known targets that disable sharding.
    pub n_exempt: usize,
    /// The number of known targets that not exactly one shard scrapes, and should.
    pub n_counterexamples: usize,
    /// The first of them.
    pub counterexamples: Vec<Counterexample>,
    /// The reasons why something was skipped.
    pub unknown: Vec<String>,
    /// Why targets lose their shard, whichever they are.
    pub refutation: Option<String>,
    /// The note about the hash of its targets, where it is special.
    pub note: Option<String>,
}

/// A target that not exactly one shard scrapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// Its labels before the rules of the job.
    pub labels: LabelSet,
    /// The shards that scrape it.
    pub shards: Vec<u32>,
}

impl OfJob {
    /// Returns whether there is no counterexample.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.classes.iter().all(TargetClass::holds)
            && self.n_counterexamples == 0
            && self.refutation.is_none()
    }

    /// Returns whether the result is open: it has its own rules, and no known target to run them on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.method, Method::Enumeration(_))
            && self.n_targets == 0
            && self.refutation.is_none()
    }
}

/// Checks every job. `of_workload` are the classes of the rules that most jobs end with.
pub(super) fn jobs(
    workload: &Workload,
    discovery: &Discovery,
    of_workload: &Result<Vec<TargetClass>, String>,
) -> Vec<OfJob> {
    let Some(config) = &workload.config else {
        return Vec::new();
    };
    let globals = Globals::of(config);
    let known = Tail {
        rules: workload.sharding_rules.clone(),
        classes: of_workload.clone(),
        read: None,
    };
    let mut known_tails = vec![known];
    config
        .jobs
        .iter()
        .map(|job| {
            Prover {
                workload,
                discovery,
                globals,
                job,
            }
            .job(&mut known_tails)
        })
        .collect()
}

/// Rules that end jobs.
struct Tail {
    rules: Vec<Value>,
    /// The classes that they make.
    classes: Result<Vec<TargetClass>, String>,
    /// The labels that they read, once they are asked for.
    read: Option<Result<ReadLabels, String>>,
}

/// The labels that sharding rules read.
#[derive(Clone)]
struct ReadLabels {
    hashed: Vec<String>,
    others: Vec<String>,
}

/// The classes of targets that runs with symbols prove.
#[derive(Default)]
struct Symbolic {
    classes: Vec<TargetClass>,
    note: Option<String>,
    is_exempt: bool,
}

struct Prover<'p> {
    workload: &'p Workload,
    discovery: &'p Discovery,
    globals: Globals,
    job: &'p Job,
}

impl Prover<'_> {
    fn job(&self, tails: &mut Vec<Tail>) -> OfJob {
        let refutation = self.refutation();
        let by_symbol = match self.differing() {
            Some(why) => Err(why),
            None => self.by_symbol(tails),
        };
        let (
            method,
            Symbolic {
                classes,
                note,
                is_exempt,
            },
        ) = match by_symbol {
            Ok(symbolic) => (Method::Symbol, symbolic),
            Err(why) => (Method::Enumeration(why), Symbolic::default()),
        };
        let mut of_job = OfJob {
            name: self.job.name.clone(),
            origin: self.job.origin,
            method,
            classes,
            n_targets: 0,
            is_exempt,
            n_exempt: 0,
            n_counterexamples: 0,
            counterexamples: Vec::new(),
            unknown: Vec::new(),
            refutation,
            note,
        };
        self.enumerate(&mut of_job);
        // The rules themselves have been run on them.
        if of_job.n_targets > 0 {
            of_job.refutation = None;
        }
        of_job
    }

    /// Why targets lose the shard that they hash to: the own rules drop them on some shards only, and a made-up target shows
    /// that these are not the shards that drop it anyway.
    fn refutation(&self) -> Option<String> {
        let why = self.differing()?;
        let (assigner, read) = self.per_shard()?;
        let is_lost = |number: usize| {
            let text = |label: &String| (label.clone(), format!("{label}-{number}"));
            let address = (ADDRESS.to_owned(), format!("10.0.0.{number}:80"));
            let labels: LabelSet = read.iter().map(text).chain([address]).collect();
            matches!(assigner.assign(&labels), Assignment::Kept(shards) if shards.len() != 1)
        };
        (0..N_MADE_UP).any(is_lost).then_some(why)
    }

    /// The rules that tell shards apart, and the labels that they read.
    fn per_shard(&self) -> Option<(Assigner, BTreeSet<String>)> {
        let n_own = self.n_own()?;
        let (own, tail) = self.job.rules().split_at(n_own);
        let (of_first, of_last) = (
            self.expanded(0)?,
            self.expanded(self.workload.plan.shards.len() - 1)?,
        );
        let compiled = self.rules(&of_first).ok()?;
        // What drops a target on every shard alike is no matter of sharding: the target passes it.
        let is_filter = |index: &usize| {
            let action = compiled[*index].action;
            matches!(
                action,
                Action::Keep | Action::Drop | Action::KeepEqual | Action::DropEqual
            ) && of_first[*index] == of_last[*index]
        };
        let passed: Vec<usize> = (0..n_own).filter(|index| !is_filter(index)).collect();
        let rules: Vec<Value> = passed
            .iter()
            .map(|index| own[*index].clone())
            .chain(tail.iter().cloned())
            .collect();
        let read = passed
            .iter()
            .flat_map(|index| compiled[*index].source_labels.iter().cloned());
        let assigner = self.assigner(&rules, tail.len()).ok()?;
        Some((assigner, read.collect_set()))
    }

    /// The own rules as a shard has them.
    fn expanded(&self, shard: usize) -> Option<Vec<Value>> {
        let shard = self.workload.plan.shards.get(shard)?;
        Some(of_shard(&self.job.rules()[..self.n_own()?], shard))
    }

    /// Returns whether the own rules drop targets on some shards only, in words.
    fn differing(&self) -> Option<String> {
        let last = self.workload.plan.shards.len().checked_sub(1)?;
        let (of_first, of_last) = (self.expanded(0)?, self.expanded(last)?);
        if of_first == of_last {
            return None;
        }
        let rules = self.rules(&of_first).ok()?;
        let decides = deciding(&rules.iter().collect::<Vec<_>>()).rules;
        let differs = decides
            .iter()
            .any(|index| of_first[*index] != of_last[*index]);
        differs.then(|| "its own relabelings drop targets on some shards only".to_owned())
    }

    /// The number of rules before those that share targets; none if the job does that by itself.
    fn n_own(&self) -> Option<usize> {
        self.job
            .rules()
            .len()
            .checked_sub(self.job.n_sharing(&self.workload.sharding_rules)?)
    }

    /// The classes of the job's targets.
    ///
    /// # Errors
    /// Why a symbolic proof is impossible.
    fn by_symbol(&self, tails: &mut Vec<Tail>) -> Result<Symbolic, String> {
        let n_own = self.n_own().ok_or("it has its own sharding rules")?;
        let (own, tail) = self.job.rules().split_at(n_own);
        let at = match tails.iter().position(|known| known.rules == tail) {
            Some(at) => at,
            None => {
                tails.push(Tail {
                    rules: tail.to_vec(),
                    classes: self.classes(tail, &[]),
                    read: None,
                });
                tails.len() - 1
            }
        };
        let ReadLabels {
            hashed,
            others: labels,
        } = tails[at]
            .read
            .get_or_insert_with(|| self.deciding(tail))
            .clone()?;
        let own = self.rules(own)?;
        let own: Vec<&CompiledRule> = own.iter().collect();
        let known = constants(&own, labels.iter().map(String::as_str))
            .ok_or("its relabelings change labels that the sharding rules read")?;
        let sets_zone = |name: &&str| {
            classes::is_zone_label(name) && known.get(*name).is_some_and(|zone| !zone.is_empty())
        };
        if !self.workload.plan.zones.is_empty()
            && !self.is_zonal()
            && !labels
                .iter()
                .map(String::as_str)
                .any(|label| sets_zone(&label))
        {
            return Err("its discovery does not set the zone of targets".to_owned());
        }
        let texts = HashedTexts::after(self.job, &own);
        let narrow = hashed
            .iter()
            .map(|label| (label.as_str(), texts.get(label)));
        // A text that is hashed stands for any text, unless all targets of the job have the same.
        let narrow = narrow
            .filter(|(label, text)| is_narrow(label, text))
            .collect::<Vec<_>>();
        if known.is_empty() && narrow.is_empty() {
            return Ok(Symbolic {
                classes: tails[at].classes.clone()?,
                ..Symbolic::default()
            });
        }
        // A label that the job sets for all targets has no other value. Disabled sharding is not an error.
        if known.get(EXEMPT).is_some_and(|value| !value.is_empty()) {
            return Ok(Symbolic {
                is_exempt: true,
                ..Symbolic::default()
            });
        }
        let fixed: Vec<(&str, &str)> = known
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let (classes, note) = match narrow.as_slice() {
            [] => (self.classes(tail, &fixed)?, None),
            [(label, text), ..] => (
                self.narrow_classes(tail, &fixed, label, text)?,
                Some(note(label, text)),
            ),
        };
        Ok(Symbolic {
            classes,
            note,
            is_exempt: false,
        })
    }

    /// The classes of targets that have few texts in a label that is hashed.
    fn narrow_classes(
        &self,
        tail: &[Value],
        fixed: &[(&str, &str)],
        label: &str,
        text: &HashedText,
    ) -> Result<Vec<TargetClass>, String> {
        let texts: Vec<String> = match text {
            HashedText::Same(Some(text)) => vec![text.clone()],
            HashedText::Residue(modulus) => {
                (0..*modulus).map(|residue| residue.to_string()).collect()
            }
            HashedText::Same(None) | HashedText::Any => {
                return Err(format!(
                    "all its targets have the same text in `{label}`, which is not known"
                ));
            }
        };
        let of_text = |text: &String| {
            let fixed: Vec<_> = fixed
                .iter()
                .copied()
                .chain([(label, text.as_str())])
                .collect();
            self.classes(tail, &fixed)
        };
        Ok(classes::merged(
            texts.iter().map(of_text).collect::<Result<_, _>>()?,
        ))
    }

    /// Returns whether the job's targets are from Kubernetes, whose labels may set a zone.
    fn is_zonal(&self) -> bool {
        self.job.kubernetes().next().is_some()
    }

    /// The labels that the sharding rules read.
    fn deciding(&self, tail: &[Value]) -> Result<ReadLabels, String> {
        let assigner = self.assigner(tail, self.workload.sharding_rules.len())?;
        let deciding = assigner
            .deciding()
            .ok_or("its rules match names of labels")?;
        let owned = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        Ok(ReadLabels {
            hashed: owned(&deciding.hashed),
            others: owned(&deciding.labels),
        })
    }

    fn classes(&self, tail: &[Value], fixed: &[(&str, &str)]) -> Result<Vec<TargetClass>, String> {
        let assigner = self.assigner(tail, self.workload.sharding_rules.len())?;
        classes::classes(&assigner, &self.workload.plan.zones, fixed)
    }

    /// The assigner of rules, of which the last `n_sharing` share targets.
    fn assigner(&self, values: &[Value], n_sharing: usize) -> Result<Assigner, String> {
        let shards = &self.workload.plan.shards;
        Assigner::new(values, shards, self.workload.name_scheme())
            .map(|assigner| assigner.with_sharding_rules(n_sharing))
            .map_err(|error| error.to_string())
    }

    /// Rules that are the same for all shards.
    fn rules(&self, values: &[Value]) -> Result<Vec<CompiledRule>, String> {
        rules(values, self.workload.name_scheme()).map_err(|error| error.to_string())
    }

    /// Runs all known targets through the rules of the job.
    fn enumerate(&self, of_job: &mut OfJob) {
        let found = self
            .discovery
            .job_without_others(self.job, &self.workload.id.namespace);
        of_job
            .unknown
            .extend(found.unfollowed.iter().map(ToString::to_string));
        let rules = self.job.rules();
        let n_own = self.n_own().unwrap_or(rules.len());
        let targets = found.merged();
        // Without targets, one shard is enough to check whether Prometheus accepts the rules.
        let shards = &self.workload.plan.shards;
        let shards = if targets.is_empty() {
            shards.get(..1).unwrap_or_default()
        } else {
            shards
        };
        let assigner = match Assigner::new(rules, shards, self.workload.name_scheme()) {
            Ok(assigner) => assigner.with_sharding_rules(rules.len() - n_own),
            Err(error) => return of_job.unknown.push(error.to_string()),
        };
        for labels in targets {
            let labels = complete(self.job, self.globals, labels);
            let shards = match assigner.assign(&labels) {
                Assignment::Dropped => continue,
                Assignment::Kept(shards) => shards,
                Assignment::TooMuch(rule) => {
                    return of_job.unknown.push(RuleError::too_much(rule).to_string());
                }
            };
            of_job.n_targets += 1;
            if shards.len() == 1 {
                continue;
            }
            if shards.len() > 1 && self.is_exempt(&labels, n_own) {
                of_job.n_exempt += 1;
                continue;
            }
            of_job.n_counterexamples += 1;
            if of_job.counterexamples.len() < MAX_SHOWN {
                of_job
                    .counterexamples
                    .push(Counterexample { labels, shards });
            }
        }
    }

    /// Returns whether the target disables sharding, before the sharding rules.
    fn is_exempt(&self, labels: &LabelSet, n_own: usize) -> bool {
        let own = self.rules(&self.job.rules()[..n_own]).ok();
        let labels = own.and_then(|own| relabel(labels, &own).ok());
        labels.is_some_and(|labels| !labels.get(EXEMPT).is_empty())
    }
}

/// Returns whether the text of a hashed label is not free. Without an override, the address is hashed.
fn is_narrow(label: &str, text: &HashedText) -> bool {
    match text {
        HashedText::Any => false,
        HashedText::Same(Some(text)) => !text.is_empty() || label != HASH,
        HashedText::Same(None) | HashedText::Residue(_) => true,
    }
}

fn note(label: &str, text: &HashedText) -> String {
    match text {
        HashedText::Same(Some(text)) if text.is_empty() => {
            format!(
                "no discovery and no rule of the job sets `{label}`: all its targets have the same hash"
            )
        }
        HashedText::Residue(modulus) => {
            format!("`{label}` has {modulus} texts at most, as the job hashes it by itself")
        }
        HashedText::Same(_) | HashedText::Any => {
            format!("all its targets have the same text in `{label}`, and thus the same hash")
        }
    }
}
