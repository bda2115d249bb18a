//! The types of the output of `simulate`.

use schemars::JsonSchema;
use serde::Serialize;

outputs! {
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
        weight: f64,
        /// Targets without a weight, which have the mean.
        without_weight: u64,
        /// The present state.
        present: ShardFigures,
        /// How it would be.
        steps: Vec<SimulatedStep>,
        /// The step that moves least.
        #[serde(skip_serializing_if = "Option::is_none")]
        least_movement: Option<LeastMovement>,
        /// The part that was not looked at.
        not_looked_at: Vec<String>,
    }

    /// The step that moves least.
    LeastMovement {
        /// Its number of shards.
        shards: u64,
        /// What decides.
        criterion: String,
    }

    /// A number of shards.
    SimulatedStep {
        /// The number.
        shards: u64,
        /// Whether it can be recommended.
        verdict: StepVerdict,
        /// Why the API server refuses it.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<String>,
        /// The number of targets that lose their shard.
        #[serde(skip_serializing_if = "Option::is_none")]
        uncovers: Option<u64>,
        /// Groups of shards that scrape the same targets.
        #[serde(skip_serializing_if = "Option::is_none")]
        doubles: Option<Vec<Vec<u32>>>,
        /// Shards that no target can match.
        #[serde(skip_serializing_if = "Option::is_none")]
        idles: Option<Vec<u32>>,
        /// Its figures; absent if it is refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        figures: Option<ShardFigures>,
        /// The changes from the present number.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_present: Option<Movement>,
        /// The changes from the step before.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_previous: Option<Movement>,
    }

    /// The figures of a number of shards.
    ShardFigures {
        /// Its zones.
        zones: Vec<String>,
        /// The largest shard.
        biggest: LoadAmount,
        /// The largest shard, divided by the mean.
        max_over_mean: f64,
        /// The Gini coefficient.
        gini: f64,
        /// The coefficient of variation.
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
        #[serde(skip_serializing_if = "Option::is_none")]
        volumes: Option<u64>,
        /// The size of each volume.
        #[serde(skip_serializing_if = "Option::is_none")]
        volume_size: Option<String>,
        /// Its shards.
        shards: Vec<ShardLoad>,
    }

    /// The load of a shard.
    ShardLoad {
        /// Its number, from 0.
        shard: u32,
        /// Its zone.
        #[serde(skip_serializing_if = "Option::is_none")]
        zone: Option<String>,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// The number of targets.
        targets: u64,
        /// Their weight.
        weight: f64,
        /// Their part of the whole weight, from 0 to 1.
        share: f64,
    }

    /// An amount of load.
    LoadAmount {
        /// The number of targets.
        targets: u64,
        /// Their weight.
        weight: f64,
        /// Their part of the whole weight, from 0 to 1.
        share: f64,
    }

    /// The changes.
    Movement {
        /// The targets that another shard scrapes.
        moved: LoadAmount,
        /// The targets that a shard of another zone scrapes.
        #[serde(skip_serializing_if = "Option::is_none")]
        crossed: Option<LoadAmount>,
        /// Pods.
        pods: CreatedAndRetired,
        /// Volumes.
        #[serde(skip_serializing_if = "Option::is_none")]
        volumes: Option<CreatedAndRetired>,
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

words! {
    /// Whether a number of shards can be recommended.
    StepVerdict, "lowercase" {
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
