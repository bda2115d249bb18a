//! Classes of targets that the rules treat alike, but for the residue of a hash.
//!
//! In: the rules that share targets, and the zones. Out: for each class, how many of the rests of the hash are scraped by one
//! shard, by none, by several. The label that is hashed stands for any text but the empty one, without `;`, which joins
//! labels in rules.

use std::collections::BTreeSet;

use crate::assign::{Assigner, Assignment};
use promgen_compile::prometheus::relabel::program::ANY;
use promgen_compile::prometheus::relabel::{LabelSet, RuleError};

/// The label that tells that a target is to be scraped by every shard. Operator: `__tmp_disable_sharding`.
pub(super) const EXEMPT: &str = "__tmp_disable_sharding";
/// The label that tells what to hash instead of the address. Operator: `__tmp_hash`.
const HASH: &str = "__tmp_hash";
/// Most runs of the rules.
const MAX_RUNS: u64 = 3_000_000;
/// Most zones that are gone through.
const MAX_ZONES: usize = 256;
/// Most zones that a second label tells beside the first.
const MAX_SECOND: usize = 3;

/// What the targets of a class have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Nothing: zones do not matter.
    Any,
    /// The zone.
    Zone(String),
    /// That two labels tell different zones.
    TwoZones,
    /// That their zone is none of the workload's.
    OtherZone,
    /// That no label tells their zone.
    NoZone,
    /// That they ask not to be shared, wherever they are.
    Exempt,
}

impl Kind {
    /// Whether such targets are meant to be scraped by one shard.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        match self {
            Self::Any | Self::Zone(_) | Self::TwoZones => true,
            Self::OtherZone | Self::NoZone | Self::Exempt => false,
        }
    }
}

/// A class of targets, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What the targets have in common.
    pub kind: Kind,
    /// In how many ways labels may tell that.
    pub n_ways: usize,
    /// What becomes of them.
    pub outcome: Outcome,
}

impl Class {
    /// Whether each target is scraped by one shard, if that is meant to be.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.kind.is_shared() || (self.outcome.uncovered.is_empty() && self.outcome.doubled.is_empty())
    }
}

/// How many shards scrape the targets of a class, by the residue that their hash leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// How many cases there are: ways and rests.
    pub n_cases: u64,
    /// The rests of which no shard scrapes the targets.
    pub uncovered: BTreeSet<u64>,
    /// The shards that scrape the same targets.
    pub doubled: BTreeSet<Vec<u32>>,
    /// The shards that scrape any.
    pub shards: BTreeSet<u32>,
}

impl Outcome {
    fn add(&mut self, residue: u64, shards: Vec<u32>) {
        self.n_cases += 1;
        self.shards.extend(&shards);
        match shards.len() {
            0 => drop(self.uncovered.insert(residue)),
            1 => {}
            _ => drop(self.doubled.insert(shards)),
        }
    }
}

/// What becomes of each class. `fixed` are labels that a job sets for all its targets.
///
/// # Errors
/// Why the rules cannot be run on classes.
pub(super) fn classes(assigner: &Assigner, zones: &[String], fixed: &[(&str, &str)]) -> Result<Vec<Class>, String> {
    let deciding = assigner.deciding().ok_or("rules go by the names of labels, so that any label may decide")?;
    if zones.len() > MAX_ZONES {
        return Err(format!("there are {} zones, more than the {MAX_ZONES} that are gone through", zones.len()));
    }
    let members = Members { zones, hashed: &deciding.hashed, labels: &deciding.labels }.all();
    if (members.len() as u64).saturating_mul(deciding.n_residues) > MAX_RUNS {
        return Err(format!("there are too many classes: {} times {} rests", members.len(), deciding.n_residues));
    }
    let mut classes: Vec<Class> = Vec::new();
    for (kind, mut labels) in members {
        for (name, value) in fixed {
            labels.set(*name, *value);
        }
        let at = classes.iter().position(|class| class.kind == kind).unwrap_or_else(|| {
            classes.push(Class { kind, n_ways: 0, outcome: Outcome::default() });
            classes.len() - 1
        });
        let class = &mut classes[at];
        class.n_ways += 1;
        for residue in 0..deciding.n_residues {
            match assigner.assign_all(&labels, residue) {
                Some(Assignment::Kept(shards)) => class.outcome.add(residue, shards),
                Some(Assignment::Dropped) => class.outcome.add(residue, Vec::new()),
                Some(Assignment::TooMuch(rule)) => return Err(RuleError::too_much(rule).to_string()),
                None => return Err("rules look into the very text that is hashed".to_owned()),
            }
        }
    }
    classes.sort_by(|a, b| a.kind.cmp(&b.kind));
    Ok(classes)
}

/// What the targets of classes are made of.
struct Members<'m> {
    zones: &'m [String],
    hashed: &'m [&'m str],
    labels: &'m [&'m str],
}

impl Members<'_> {
    /// Every way in which labels may tell a class, with that class.
    fn all(&self) -> Vec<(Kind, LabelSet)> {
        let mut members = Vec::new();
        for base in self.bases() {
            if self.labels.contains(&EXEMPT) {
                let exempt = with(&base, EXEMPT, "true");
                members.extend(self.places(&exempt).into_iter().map(|(_, labels)| (Kind::Exempt, labels)));
            }
            members.extend(self.places(&base));
        }
        members
    }

    /// What is hashed: the address, or what is told instead of it.
    fn bases(&self) -> Vec<LabelSet> {
        let any = ANY.to_string();
        let base: LabelSet =
            self.hashed.iter().filter(|name| **name != HASH).map(|name| (*name, any.as_str())).collect();
        let told = self.hashed.contains(&HASH).then(|| with(&base, HASH, &any));
        std::iter::once(base).chain(told).collect()
    }

    /// Where such a target may be.
    fn places(&self, base: &LabelSet) -> Vec<(Kind, LabelSet)> {
        let tellers = self.tellers();
        if tellers.is_empty() || self.zones.is_empty() {
            return vec![(Kind::Any, base.clone())];
        }
        let mut places = vec![(Kind::NoZone, base.clone())];
        let other = self.other_zone();
        for teller in &tellers {
            places.push((Kind::OtherZone, self.told(base, teller, &other)));
            for zone in self.zones {
                let told = self.told(base, teller, zone);
                for second in tellers.iter().filter(|second| *second > teller) {
                    let others = self.zones.iter().filter(|other| *other != zone).take(MAX_SECOND);
                    places.extend(others.map(|other| (Kind::TwoZones, self.told(&told, second, other))));
                }
                places.push((Kind::Zone(zone.clone()), told));
            }
        }
        places
    }

    /// The labels that tell a zone.
    fn tellers(&self) -> Vec<&str> {
        self.labels.iter().filter(|name| is_teller(name)).copied().collect()
    }

    /// The labels with a zone told by one of them, and that it is there, which discovery tells of labels of objects.
    fn told(&self, base: &LabelSet, teller: &str, zone: &str) -> LabelSet {
        let told = with(base, teller, zone);
        let present = teller.replacen("_label_", PRESENT, 1);
        let is_read = present != teller && self.labels.contains(&present.as_str());
        if is_read { with(&told, &present, "true") } else { told }
    }

    /// A name that no zone has.
    fn other_zone(&self) -> String {
        let longest = self.zones.iter().map(String::len).max().unwrap_or(0);
        "x".repeat(longest + 1)
    }
}

/// Whether a label that decides, and is not hashed, tells a zone.
pub(super) fn is_teller(name: &str) -> bool {
    name != EXEMPT && !name.contains(PRESENT)
}

/// What stands in the name of a label that tells that another is there.
const PRESENT: &str = "_labelpresent_";

fn with(base: &LabelSet, name: &str, value: &str) -> LabelSet {
    let mut labels = base.clone();
    labels.set(name, value);
    labels
}
