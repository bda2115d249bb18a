//! The cost of another number of shards, or of other zones.
//!
//! In: a workload as it is, the same workload compiled for every other number of shards, and targets: those that are
//! discovered in the input, those of a file, or generated ones. Out: a [`Simulation`]: for each number the balance of the load,
//! the load that moves to another shard, and the created and removed pods and volumes. Runs the printed rules for that
//! number. Compiles nothing and stores no targets, so that millions of targets fit.

mod footprint;
mod run;
mod series;
mod spread;
mod tally;
mod verdict;
mod weights;

use std::ops::AddAssign;

use crate::discovery::Discovery;
use crate::discovery::given::GivenTarget;
use promgen_compile::output::{Config, Workload, WorkloadId};
use promgen_compile::sharding::plan::{Plan, Shard};
use promgen_prometheus::relabel::NameScheme;
use promgen_text::yaml::Value;

pub use footprint::{CountChange, Footprint};
pub use spread::Spread;
pub use verdict::{CRITERION, Recommendation};
pub use weights::{UNIT, Weights};

use run::Counted;
use tally::{Count, Crossing, ShardZones};

/// A workload with a certain number of shards.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    id: WorkloadId,
    plan: Plan,
    sharding_rules: Vec<Value>,
    config: Option<Config>,
    footprint: Footprint,
    scheme: NameScheme,
}

impl From<&Workload> for Scenario {
    fn from(workload: &Workload) -> Self {
        Self {
            id: workload.id.clone(),
            plan: workload.plan.clone(),
            sharding_rules: workload.sharding_rules.clone(),
            config: workload.config.clone(),
            footprint: Footprint::of(workload),
            scheme: workload.name_scheme(),
        }
    }
}

/// A number of shards to simulate.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateCount {
    /// The number.
    pub n_shards: u32,
    /// The workload with this number, or why it is refused.
    pub scenario: Result<Scenario, String>,
}

/// The targets to look at.
#[derive(Clone, Copy, Debug)]
pub enum Targets<'a> {
    /// The targets that are discovered in the input.
    Discovered(&'a Discovery),
    /// The targets of a file.
    Given(&'a [GivenTarget]),
    /// Generated ones: a number of addresses, evenly over these zones.
    MadeUp {
        /// The number.
        n: usize,
        /// Their zones.
        zones: &'a [String],
        /// The seed: an equal one makes equal targets.
        seed: u64,
    },
}

/// The inputs of a simulation.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The workload as it is.
    pub present: &'a Scenario,
    /// The numbers of shards to look at, in the order in which one would go through them.
    pub candidates: &'a [CandidateCount],
    /// The targets.
    pub targets: Targets<'a>,
    /// Their weights.
    pub weights: &'a Weights,
}

/// Called with the done and the total amount of work. From any thread, and not in order.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// A number of targets, and their weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// The number.
    pub targets: u64,
    /// Their weight in thousandths.
    pub weight: u128,
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.targets += other.targets;
        self.weight += other.weight;
    }
}

impl Amount {
    /// The share that this is of everything: of the targets.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    pub fn share_of_targets(self, all: Self) -> f64 {
        if all.targets == 0 {
            0.0
        } else {
            self.targets as f64 / all.targets as f64
        }
    }

    /// The share that this is of everything: of the weight.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    pub fn share(self, all: Self) -> f64 {
        if all.weight == 0 {
            0.0
        } else {
            self.weight as f64 / all.weight as f64
        }
    }

    /// The weight.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
    pub fn weight(self) -> f64 {
        self.weight as f64 / UNIT as f64
    }
}

/// The simulation of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulation {
    /// All targets.
    pub all: Amount,
    /// The number of targets without a weight, which have the mean of the others.
    pub n_unweighted: u64,
    /// The workload as it is.
    pub present: Figures,
    /// The numbers of shards that were looked at, in their order.
    pub steps: Vec<SimulatedCount>,
    /// The index of the one of them that moves least: see [`CRITERION`].
    pub least_movement: Option<usize>,
    /// The jobs, or sections of one, that were skipped, and why.
    pub unknown: Vec<String>,
}

/// A number of shards.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedCount {
    /// The number.
    pub n_shards: u32,
    /// The verdict: it can be recommended, or not.
    pub verdict: Recommendation,
    /// The figures. `None` if it is refused.
    pub figures: Option<Figures>,
}

/// The figures of a number of shards.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The shards with what they scrape.
    pub shards: Vec<Load>,
    /// The zones that they are assigned onto.
    pub zones: Vec<String>,
    /// The evenness of the weight over them.
    pub spread: Spread,
    /// Targets that no shard scrapes.
    pub uncovered: Amount,
    /// Targets that several shards scrape.
    pub doubled: Amount,
    /// The pods and volumes that run.
    pub footprint: Footprint,
    /// The moves, compared with the present.
    pub from_present: Moves,
    /// The moves, compared with the number before.
    pub from_previous: Moves,
}

impl Figures {
    /// The greatest load that any shard carries.
    #[must_use]
    pub fn biggest(&self) -> Amount {
        self.shards
            .iter()
            .map(|load| load.amount)
            .max_by_key(|amount| amount.weight)
            .unwrap_or_default()
    }
}

/// The load of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The shard.
    pub shard: Shard,
    /// Its targets.
    pub amount: Amount,
}

/// The moves from one number of shards to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moves {
    /// Targets that were scraped, and are scraped by a shard that did not do so before.
    pub moved: Amount,
    /// Those of them whose new shard is in another zone than the old one. None if the shards of either have no zone.
    pub crossed: Option<Amount>,
    /// Pods.
    pub pods: CountChange,
    /// Volumes. None if what runs is not known.
    pub volumes: Option<CountChange>,
    /// Shards whose pods must run in another zone than before, where their volumes may not be available.
    pub rezoned: Vec<u32>,
}

/// Simulates.
#[must_use]
pub fn simulate(setup: &Setup<'_>, progress: Progress<'_>) -> Simulation {
    let possible = setup
        .candidates
        .iter()
        .filter_map(|candidate| candidate.scenario.as_ref().ok());
    let scenarios: Vec<&Scenario> = [setup.present].into_iter().chain(possible).collect();
    let plans: Vec<&Plan> = scenarios.iter().map(|scenario| &scenario.plan).collect();
    let zones = tally::number_zones(&plans);
    let Counted { tally, unknown } = run::count(setup, &scenarios, &zones, progress);
    let mut figures: Vec<Figures> = Vec::with_capacity(scenarios.len());
    for (index, count) in tally.counts.iter().enumerate() {
        let compared = [0, index.saturating_sub(1)]
            .map(|before| (scenarios[before], zones[before].as_slice()));
        figures.push(of_scenario(
            (scenarios[index], &zones[index]),
            count,
            compared,
        ));
    }
    let mut figures = figures.into_iter();
    let present = figures.next().expect("the present scenario is the first");
    let steps: Vec<SimulatedCount> = setup
        .candidates
        .iter()
        .map(|candidate| step(candidate, setup.present, &present, &mut figures))
        .collect();
    let least = verdict::least_movement(&steps, tally.all);
    Simulation {
        all: tally.all,
        n_unweighted: tally.n_unweighted,
        present,
        steps,
        least_movement: least,
        unknown,
    }
}

type InZones<'a> = (&'a Scenario, &'a [Option<u32>]);

fn of_scenario(own: InZones<'_>, count: &Count, [present, previous]: [InZones<'_>; 2]) -> Figures {
    let plan = &own.0.plan;
    let load = |(shard, amount): (&Shard, &Amount)| Load {
        shard: shard.clone(),
        amount: *amount,
    };
    let weights: Vec<u128> = count.of_shards.iter().map(|amount| amount.weight).collect();
    Figures {
        shards: plan.shards.iter().zip(&count.of_shards).map(load).collect(),
        zones: plan.zones.clone(),
        spread: Spread::of(&weights),
        uncovered: count.uncovered,
        doubled: count.doubled,
        footprint: own.0.footprint.clone(),
        from_present: moves(present, own, &count.from_present),
        from_previous: moves(previous, own, &count.from_previous),
    }
}

fn moves(before: InZones<'_>, after: InZones<'_>, crossing: &Crossing) -> Moves {
    let ((before, old_zones), (after, new_zones)) = (before, after);
    let has_zones = |zones: &[Option<u32>]| zones.iter().any(Option::is_some);
    let both = old_zones.iter().zip(new_zones).zip(0_u32..);
    Moves {
        moved: crossing.moved,
        crossed: (has_zones(old_zones) && has_zones(new_zones)).then_some(crossing.crossed),
        pods: before.footprint.pods_to(&after.footprint),
        volumes: before.footprint.volumes_to(&after.footprint),
        rezoned: both
            .filter(|((old, new), _)| new.is_some() && old != new)
            .map(|(_, shard)| shard)
            .collect(),
    }
}

fn step(
    candidate: &CandidateCount,
    present: &Scenario,
    now: &Figures,
    figures: &mut impl Iterator<Item = Figures>,
) -> SimulatedCount {
    let n_shards = candidate.n_shards;
    match &candidate.scenario {
        Err(why) => SimulatedCount {
            n_shards,
            verdict: Recommendation::Refused(why.clone()),
            figures: None,
        },
        Ok(scenario) => {
            let figures = figures.next().expect("as many figures as scenarios");
            let verdict = if scenario.plan == present.plan {
                Recommendation::Same
            } else {
                Recommendation::of(&scenario.plan, &figures, now)
            };
            SimulatedCount {
                n_shards,
                verdict,
                figures: Some(figures),
            }
        }
    }
}
