//! The numbers of shards around the present one, for a page about everything.
//!
//! In: a model. Out: a simulation of each workload with several shards, and the page of all of them, of which others show the
//! style and the articles.

use crate::cli::ask::simulate::html::{self, DescribedSimulation};
use crate::cli::ask::simulate::{Simulated, is_daemon_set, json};
use promgen_compile::output::{Workload, WorkloadId};
use promgen_compile::sharding::reshard::Reshard;
use promgen_driver::Model;
use promgen_targets::simulate::{
    CandidateCount, Scenario, Setup, Simulation, Targets, Weights, simulate,
};
use promgen_text::source::Input;
use promgen_text::yaml::emit::to_json;

/// The largest number of shards that is simulated without being asked for.
const MAX_SHARDS: usize = 48;

/// The number of generated targets, where the input has none.
const N_TARGETS: u32 = 2_000;

/// A simulated workload.
#[derive(Debug)]
pub(in crate::cli) struct Around {
    id: WorkloadId,
    simulation: Simulation,
    /// Its targets are generated.
    is_made_up: bool,
}

/// The workloads of a model with several shards, at most `max` of them: of the targets in the input, or of generated ones if
/// there are none.
pub(in crate::cli) fn simulated(model: &Model, max: usize) -> Vec<Around> {
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

fn of_workload(workload: &Workload, model: &Model) -> Around {
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
    let (id, zones) = (workload.id.clone(), &workload.plan.zones);
    if found.all.targets > 0 {
        return Around {
            id,
            simulation: found,
            is_made_up: false,
        };
    }
    let simulation = simulated(Targets::MadeUp {
        n: N_TARGETS as usize,
        zones,
        seed: 0,
    });
    Around {
        id,
        simulation,
        is_made_up: true,
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
pub(in crate::cli) fn values(all: &[Around]) -> Vec<serde_json::Value> {
    let value = |around: &Around| {
        let simulated = Simulated {
            id: &around.id,
            simulation: around.simulation.clone(),
        };
        serde_json::from_str(&to_json(&json::value(&simulated).into())).unwrap_or_default()
    };
    all.iter().map(value).collect()
}

/// The page.
///
/// # Errors
/// The user's template fails.
pub(in crate::cli) fn page(all: &[Around], templates: &[Input]) -> Result<String, String> {
    let told = all.iter().map(|around| {
        let targets = if around.is_made_up {
            html::generated(&around.simulation, 0)
        } else {
            html::found(&around.simulation)
        };
        let simulated = Simulated {
            id: &around.id,
            simulation: around.simulation.clone(),
        };
        DescribedSimulation {
            simulated,
            about: vec![targets, html::EVEN.to_owned()],
        }
    });
    html::page_of("Shards", "targets", &told.collect::<Vec<_>>(), templates)
}
