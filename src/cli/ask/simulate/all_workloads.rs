//! The numbers of shards around the present one, for a page about everything.
//!
//! In: a model. Out: a simulation of each workload with several shards, and the page of all of them, of which others show the
//! style and the articles.

use crate::cli::ask::simulate::answer::WorkloadSimulation;
use crate::cli::ask::simulate::html::{self, DescribedSimulation};
use crate::cli::ask::simulate::{Simulated, is_daemon_set};
use promgen_compile::output::Workload;
use promgen_compile::sharding::reshard::Reshard;
use promgen_model::Model;
use promgen_targets::simulate::{CandidateCount, Scenario, Setup, Targets, Weights, simulate};
use promgen_text::source::Input;

/// The largest number of shards that is simulated without being asked for.
const MAX_SHARDS: usize = 48;

/// The number of generated targets, where the input has none.
const N_TARGETS: u32 = 2_000;

/// A simulated workload.
#[derive(Debug)]
pub(crate) struct WorkloadRange {
    simulated: Simulated,
    /// Its targets are generated.
    is_made_up: bool,
}

/// The workloads of a model with several shards, at most `max` of them: of the targets in the input, or of generated ones if
/// there are none.
pub(crate) fn simulated(model: &Model, max: usize) -> Vec<WorkloadRange> {
    let is_meant = |workload: &&Workload| {
        let n_shards = workload.plan.shards.len();
        workload.id.kind.has_shards()
            && !is_daemon_set(workload)
            && (2..=MAX_SHARDS).contains(&n_shards)
    };
    model
        .output()
        .each_workload()
        .filter(is_meant)
        .take(max)
        .map(|workload| of_workload(workload, model))
        .collect()
}

fn of_workload(workload: &Workload, model: &Model) -> WorkloadRange {
    let candidates = candidates(workload, model);
    let (present, weights) = (Scenario::from(workload), Weights::default());
    let simulated = |targets| {
        simulate(
            &Setup {
                present: &present,
                candidates: &candidates,
                targets,
                weights: &weights,
            },
            &|_, _| {},
        )
    };
    let found = simulated(Targets::Discovered(model.discovery()));
    let is_made_up = found.all.targets == 0;
    let simulation = match is_made_up {
        true => simulated(Targets::MadeUp {
            n: N_TARGETS as usize,
            zones: &workload.plan.zones,
            seed: 0,
        }),
        false => found,
    };
    WorkloadRange {
        simulated: Simulated {
            id: workload.id.clone(),
            simulation,
        },
        is_made_up,
    }
}

/// The present number of shards, one less, and two more: by as many shards as there are zones.
fn candidates(workload: &Workload, model: &Model) -> Vec<CandidateCount> {
    let present = u32::try_from(workload.plan.shards.len()).unwrap_or(u32::MAX);
    let step = u32::try_from(workload.plan.zones.len().max(1)).unwrap_or(1);
    let numbers = [
        present.saturating_sub(step),
        present,
        present + step,
        present + 2 * step,
    ];
    let candidate = |shards: u32| {
        let scenario = model.reshard(
            &workload.id,
            &Reshard {
                shards,
                zones: None,
            },
            |workload| Scenario::from(workload),
        );
        CandidateCount {
            n_shards: shards,
            scenario,
        }
    };
    numbers
        .into_iter()
        .filter(|n| *n > 0)
        .map(candidate)
        .collect()
}

/// The simulations, as `promgen simulate --format json` prints them.
pub(crate) fn answers(all: &[WorkloadRange]) -> Vec<WorkloadSimulation> {
    all.iter()
        .map(|around| WorkloadSimulation::of(&around.simulated))
        .collect()
}

/// The page.
///
/// # Errors
/// The user's template fails.
pub(crate) fn page(all: &[WorkloadRange], templates: &[Input]) -> Result<String, String> {
    let told = all.iter().map(|around| {
        let simulation = &around.simulated.simulation;
        let targets = if around.is_made_up {
            html::generated(simulation, 0)
        } else {
            html::found(simulation)
        };
        DescribedSimulation {
            simulated: &around.simulated,
            about: vec![targets, html::EVEN.to_owned()],
        }
    });
    html::page_of("Shards", "targets", &told.collect::<Vec<_>>(), templates)
}
