//! The answer of `shards`, which every format prints.

use crate::cli::ask::shards::ScrapedShards;
use crate::cli::json::answers;
use promgen_compile::output::{Workload, WorkloadId};
use promgen_compile::sharding::plan::Shard;
use promgen_targets::simulate::{Amount, Simulation, UNIT};
use promgen_text::yaml::Value;

answers! {
    /// The targets of shards.
    Shards {
        /// By workload.
        workloads: Vec<WorkloadShards>,
    }

    /// The targets of the shards of a workload.
    WorkloadShards {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The modulus of the hash.
        modulus: u64,
        /// The number of targets.
        targets: u64,
        /// The number of their series, with `--metrics`.
        series?: u64,
        /// The targets whose series no file shows: they count with the mean.
        without_series?: u64,
        /// Those that no shard scrapes.
        uncovered: u64,
        /// Those that several shards scrape.
        doubled: u64,
        /// Its shards.
        shards: Vec<ShardTargets>,
        /// Its name.
        #[serde(skip)]
        id: WorkloadId,
    }

    /// The targets of a shard.
    ShardTargets {
        /// Its number, from 0.
        shard: u32,
        /// Its pods.
        pods: i64,
        /// Its zone.
        zone?: String,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// The number of its targets.
        targets: u64,
        /// The number of their series, with `--metrics`.
        series?: u64,
        /// Its part of all targets, from 0 to 1.
        share: f64,
        /// The number of series, with fractions: a target may count with the mean.
        #[serde(skip)]
        weight: Option<f64>,
    }
}

impl Shards {
    /// The answer about workloads.
    pub(super) fn of(all: &[ScrapedShards<'_>]) -> Self {
        Self {
            workloads: all.iter().map(WorkloadShards::of).collect(),
        }
    }
}

impl WorkloadShards {
    fn of(scraped: &ScrapedShards<'_>) -> Self {
        let ScrapedShards {
            workload,
            targets,
            series,
        } = scraped;
        let pods = pods(workload);
        let shard = |shard: &Shard| {
            let n_targets = targets.of_shards.get(&shard.index).copied();
            let n_targets = n_targets.unwrap_or_default();
            let load = series.as_ref().map(|series| load(series, shard));
            ShardTargets {
                shard: shard.index,
                pods,
                zone: shard.zone.clone(),
                in_zone: shard.in_zone,
                targets: n_targets as u64,
                series: load.map(whole),
                share: share(n_targets, targets.n_targets),
                weight: load.map(Amount::weight),
            }
        };
        Self {
            workload: workload.id.to_string(),
            modulus: workload.plan.modulus.into(),
            targets: targets.n_targets as u64,
            series: series.as_ref().map(|series| whole(series.all)),
            without_series: series.as_ref().map(|series| series.n_unweighted),
            uncovered: targets.n_uncovered as u64,
            doubled: targets.n_doubled as u64,
            shards: workload.plan.shards.iter().map(shard).collect(),
            id: workload.id.clone(),
        }
    }
}

/// The series of the targets that a shard scrapes.
fn load(series: &Simulation, shard: &Shard) -> Amount {
    let shards = &series.present.shards;
    let own = shards.iter().find(|load| load.shard.index == shard.index);
    own.map(|load| load.amount).unwrap_or_default()
}

/// The weight of an amount, as a whole number.
fn whole(amount: Amount) -> u64 {
    u64::try_from(amount.weight / u128::from(UNIT)).unwrap_or(u64::MAX)
}

/// The pods of each shard. Operator: the default is one.
fn pods(workload: &Workload) -> i64 {
    let replicas = workload
        .resource
        .get("spec")
        .and_then(|spec| spec.get("replicas"));
    match replicas {
        Some(Value::Int(replicas)) if *replicas >= 0 => *replicas,
        _ => 1,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a share of targets that fit into memory"
)]
fn share(n: usize, n_all: usize) -> f64 {
    if n_all == 0 {
        0.0
    } else {
        n as f64 / n_all as f64
    }
}
