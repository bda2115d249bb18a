//! A simulation as JSON, with all figures.

use std::io::{self, Write};

use crate::cli::ask::simulate::Simulated;
use crate::cli::json;
use promgen_targets::simulate::{
    Amount, CRITERION, CountChange, Figures, Load, Moves, Recommendation, SimulatedCount,
    Simulation,
};
use promgen_text::yaml::{Map, Value};

pub(super) fn print(all: &[Simulated<'_>], out: &mut dyn Write) -> io::Result<()> {
    let values: Vec<Value> = all
        .iter()
        .map(|simulated| value(simulated).into())
        .collect();
    json::write_list("simulate", "workloads", values, out)
}

/// The simulation of a workload.
pub(super) fn value(simulated: &Simulated<'_>) -> Map {
    let Simulated { id, simulation } = simulated;
    let mut map = Map::new()
        .with("workload", id.to_string())
        .with("targets", simulation.all.targets)
        .with("weight", float(simulation.all.weight()))
        .with("withoutWeight", simulation.n_unweighted)
        .with("present", figures(simulation, &simulation.present))
        .with(
            "steps",
            simulation
                .steps
                .iter()
                .map(|of| step(simulation, of).into())
                .collect::<Vec<Value>>(),
        );
    if let Some(least) = simulation
        .least_movement
        .and_then(|index| simulation.steps.get(index))
    {
        map.push(
            "leastMovement",
            Map::new()
                .with("shards", least.n_shards)
                .with("criterion", CRITERION),
        );
    }
    let unknown: Vec<Value> = simulation
        .unknown
        .iter()
        .map(|what| what.clone().into())
        .collect();
    map.with("notLookedAt", unknown)
}

fn step(simulation: &Simulation, step: &SimulatedCount) -> Map {
    let mut map = Map::new().with("shards", step.n_shards);
    let numbers =
        |numbers: &[u32]| Value::Seq(numbers.iter().map(|number| Value::from(*number)).collect());
    match &step.verdict {
        Recommendation::Same => map.push("verdict", "same"),
        Recommendation::Possible => map.push("verdict", "possible"),
        Recommendation::Refused(why) => map.extend(
            Map::new()
                .with("verdict", "refused")
                .with("why", why.clone()),
        ),
        Recommendation::Uncovers(n) => {
            map.extend(Map::new().with("verdict", "uncovers").with("uncovers", *n))
        }
        Recommendation::Doubles(groups) => {
            let groups: Vec<Value> = groups.iter().map(|group| numbers(group)).collect();
            map.extend(
                Map::new()
                    .with("verdict", "doubles")
                    .with("doubles", groups),
            );
        }
        Recommendation::Idles(shards) => map.extend(
            Map::new()
                .with("verdict", "idles")
                .with("idles", numbers(shards)),
        ),
    }
    if let Some(of) = &step.figures {
        map.push("figures", figures(simulation, of));
        map.push("fromPresent", moves(simulation, &of.from_present));
        map.push("fromPrevious", moves(simulation, &of.from_previous));
    }
    map
}

fn figures(simulation: &Simulation, figures: &Figures) -> Map {
    let (all, spread) = (simulation.all, figures.spread);
    let zones: Vec<Value> = figures
        .zones
        .iter()
        .map(|zone| zone.clone().into())
        .collect();
    let mut map = Map::new()
        .with("zones", zones)
        .with("biggest", amount(figures.biggest(), all))
        .with("maxOverMean", float(spread.max_over_mean))
        .with("gini", float(spread.gini))
        .with("variation", float(spread.variation))
        .with("empty", spread.n_empty as u64)
        .with("uncovered", amount(figures.uncovered, all))
        .with("doubled", amount(figures.doubled, all))
        .with("pods", figures.footprint.pods);
    map.push_some("volumes", figures.footprint.volumes);
    map.push_some("volumeSize", figures.footprint.storage.clone());
    map.with(
        "shards",
        figures
            .shards
            .iter()
            .map(|of| load(of, all).into())
            .collect::<Vec<Value>>(),
    )
}

fn load(load: &Load, all: Amount) -> Map {
    let mut map = Map::new().with("shard", load.shard.index);
    map.push_some("zone", load.shard.zone.clone());
    map.push("inZone", load.shard.in_zone);
    map.extend(amount(load.amount, all));
    map
}

fn moves(simulation: &Simulation, moves: &Moves) -> Map {
    let mut map = Map::new().with("moved", amount(moves.moved, simulation.all));
    map.push_some(
        "crossed",
        moves.crossed.map(|crossed| amount(crossed, simulation.all)),
    );
    map.push("pods", change(moves.pods));
    map.push_some("volumes", moves.volumes.map(change));
    map.with(
        "rezoned",
        moves
            .rezoned
            .iter()
            .map(|shard| Value::from(*shard))
            .collect::<Vec<_>>(),
    )
}

fn amount(amount: Amount, all: Amount) -> Map {
    Map::new()
        .with("targets", amount.targets)
        .with("weight", float(amount.weight()))
        .with("share", float(amount.share(all)))
}

fn change(change: CountChange) -> Map {
    Map::new()
        .with("created", change.created)
        .with("retired", change.retired)
}

/// Rounds to a readable number of digits.
fn float(figure: f64) -> f64 {
    (figure * 1e6).round() / 1e6
}
