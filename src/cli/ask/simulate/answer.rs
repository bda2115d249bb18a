//! The answer of `simulate`, with all figures.

use serde::Serializer;

use crate::cli::ask::simulate::Simulated;
use crate::cli::json::answers;
use promgen_targets::simulate::{
    Amount, CRITERION, CountChange, Figures, Load, Moves, Recommendation, SimulatedCount,
};

answers! {
    /// Simulations.
    Simulate {
        /// By workload.
        workloads: Vec<WorkloadSimulation>,
    }

    /// The simulation of a workload.
    WorkloadSimulation {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The number of targets.
        targets: u64,
        /// Their weight.
        #[serde(serialize_with = "rounded")]
        weight: f64,
        /// Targets without a weight, which have the mean.
        without_weight: u64,
        /// The present state.
        present: ShardFigures,
        /// How it would be.
        steps: Vec<SimulatedStep>,
        /// The step that moves least.
        least_movement?: LeastMovement,
        /// The part that was not looked at.
        not_looked_at: Vec<String>,
    }

    /// The step that moves least.
    LeastMovement {
        /// Its number of shards.
        shards: u64,
        /// What decides.
        criterion: &'static str,
    }

    /// A number of shards.
    SimulatedStep {
        /// The number.
        shards: u64,
        /// Whether it can be recommended.
        verdict: StepVerdict,
        /// Why the API server refuses it.
        why?: String,
        /// The number of targets that lose their shard.
        uncovers?: u64,
        /// Groups of shards that scrape the same targets.
        doubles?: Vec<Vec<u32>>,
        /// Shards that no target can match.
        idles?: Vec<u32>,
        /// Its figures; absent if it is refused.
        figures?: ShardFigures,
        /// The changes from the present number.
        from_present?: Movement,
        /// The changes from the step before.
        from_previous?: Movement,
    }

    /// The figures of a number of shards.
    ShardFigures {
        /// Its zones.
        zones: Vec<String>,
        /// The largest shard.
        biggest: LoadAmount,
        /// The largest shard, divided by the mean.
        #[serde(serialize_with = "rounded")]
        max_over_mean: f64,
        /// The Gini coefficient.
        #[serde(serialize_with = "rounded")]
        gini: f64,
        /// The coefficient of variation.
        #[serde(serialize_with = "rounded")]
        variation: f64,
        /// The number of shards without targets.
        empty: u64,
        /// The targets that no shard scrapes.
        uncovered: LoadAmount,
        /// The targets that several shards scrape.
        doubled: LoadAmount,
        /// The number of pods.
        pods: u64,
        /// The number of volumes.
        volumes?: u64,
        /// The size of each volume.
        volume_size?: String,
        /// Its shards.
        shards: Vec<ShardLoad>,
    }

    /// The load of a shard.
    ShardLoad {
        /// Its number, from 0.
        shard: u32,
        /// Its zone.
        zone?: String,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// Its load.
        #[serde(flatten)]
        load: LoadAmount,
    }

    /// An amount of load.
    LoadAmount {
        /// The number of targets.
        targets: u64,
        /// Their weight.
        #[serde(serialize_with = "rounded")]
        weight: f64,
        /// Their part of the whole weight, from 0 to 1.
        #[serde(serialize_with = "rounded")]
        share: f64,
    }

    /// The changes.
    Movement {
        /// The targets that another shard scrapes.
        moved: LoadAmount,
        /// The targets that a shard of another zone scrapes.
        crossed?: LoadAmount,
        /// Pods.
        pods: CreatedAndRetired,
        /// Volumes.
        volumes?: CreatedAndRetired,
        /// Shards that must run in another zone.
        rezoned: Vec<u32>,
    }

    /// The numbers of those that come and go.
    CreatedAndRetired {
        /// The number of new ones.
        created: u64,
        /// The number of those that go.
        retired: u64,
    }
}

answers! {
    /// Whether a number of shards can be recommended.
    #[derive(Clone, Copy)]
    enum StepVerdict {
        /// It is the present number.
        Same,
        /// It has no disadvantage.
        Possible,
        /// The API server refuses it.
        Refused,
        /// Targets lose their shard.
        Uncovers,
        /// Shards scrape the same targets.
        Doubles,
        /// No target can match some shards.
        Idles,
    }
}

impl Simulate {
    /// The answer about workloads.
    pub(super) fn of(all: &[Simulated]) -> Self {
        Self {
            workloads: all.iter().map(WorkloadSimulation::of).collect(),
        }
    }
}

impl WorkloadSimulation {
    /// The answer about a workload.
    pub(super) fn of(Simulated { id, simulation }: &Simulated) -> Self {
        let all = simulation.all;
        let least = simulation
            .least_movement
            .and_then(|index| simulation.steps.get(index));
        let steps = simulation.steps.iter();
        Self {
            workload: id.to_string(),
            targets: all.targets,
            weight: all.weight(),
            without_weight: simulation.n_unweighted,
            present: ShardFigures::of(&simulation.present, all),
            steps: steps.map(|step| SimulatedStep::of(step, all)).collect(),
            least_movement: least.map(|step| LeastMovement {
                shards: step.n_shards.into(),
                criterion: CRITERION,
            }),
            not_looked_at: simulation.unknown.clone(),
        }
    }
}

impl SimulatedStep {
    fn of(step: &SimulatedCount, all: Amount) -> Self {
        let figures = step.figures.as_ref();
        let mut of_step = Self {
            shards: step.n_shards.into(),
            verdict: StepVerdict::Same,
            why: None,
            uncovers: None,
            doubles: None,
            idles: None,
            figures: figures.map(|figures| ShardFigures::of(figures, all)),
            from_present: figures.map(|figures| Movement::of(&figures.from_present, all)),
            from_previous: figures.map(|figures| Movement::of(&figures.from_previous, all)),
        };
        of_step.verdict = match step.verdict.clone() {
            Recommendation::Same => StepVerdict::Same,
            Recommendation::Possible => StepVerdict::Possible,
            Recommendation::Refused(why) => {
                of_step.why = Some(why);
                StepVerdict::Refused
            }
            Recommendation::Uncovers(n) => {
                of_step.uncovers = Some(n);
                StepVerdict::Uncovers
            }
            Recommendation::Doubles(groups) => {
                of_step.doubles = Some(groups);
                StepVerdict::Doubles
            }
            Recommendation::Idles(shards) => {
                of_step.idles = Some(shards);
                StepVerdict::Idles
            }
        };
        of_step
    }
}

impl ShardFigures {
    fn of(figures: &Figures, all: Amount) -> Self {
        let (spread, footprint) = (figures.spread, &figures.footprint);
        let load = |load: &Load| ShardLoad {
            shard: load.shard.index,
            zone: load.shard.zone.clone(),
            in_zone: load.shard.in_zone,
            load: LoadAmount::of(load.amount, all),
        };
        Self {
            zones: figures.zones.clone(),
            biggest: LoadAmount::of(figures.biggest(), all),
            max_over_mean: spread.max_over_mean,
            gini: spread.gini,
            variation: spread.variation,
            empty: spread.n_empty as u64,
            uncovered: LoadAmount::of(figures.uncovered, all),
            doubled: LoadAmount::of(figures.doubled, all),
            pods: footprint.pods,
            volumes: footprint.volumes,
            volume_size: footprint.storage.clone(),
            shards: figures.shards.iter().map(load).collect(),
        }
    }
}

impl LoadAmount {
    fn of(amount: Amount, all: Amount) -> Self {
        Self {
            targets: amount.targets,
            weight: amount.weight(),
            share: amount.share(all),
        }
    }
}

impl Movement {
    fn of(moves: &Moves, all: Amount) -> Self {
        Self {
            moved: LoadAmount::of(moves.moved, all),
            crossed: moves.crossed.map(|crossed| LoadAmount::of(crossed, all)),
            pods: moves.pods.into(),
            volumes: moves.volumes.map(CreatedAndRetired::from),
            rezoned: moves.rezoned.clone(),
        }
    }
}

impl From<CountChange> for CreatedAndRetired {
    fn from(change: CountChange) -> Self {
        Self {
            created: change.created,
            retired: change.retired,
        }
    }
}

/// Writes a readable number of digits, and a whole number as such.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn rounded<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let figure = (figure * 1e6).round() / 1e6;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and fits")]
    if figure.fract() == 0.0 && figure.abs() < 9e18 {
        serializer.serialize_i64(figure as i64)
    } else {
        serializer.serialize_f64(figure)
    }
}
