//! A simulation as comma-separated values: one line per number of shards, the present one first.

use std::io::{self, Write};

use crate::cli::ask::simulate::{Simulated, words};
use promgen_targets::simulate::{CountChange, Figures, Simulation};
use promgen_text::diag::escape;

const HEAD: &str = "namespace,resource,shards,zones,targets,weight,biggest,max_over_mean,gini,variation,empty,uncovered,doubled,\
                    moved_targets,moved_share,moved_targets_step,moved_share_step,crossed_targets,pods,pods_created,\
                    pods_retired,volumes,volumes_created,volumes_retired,verdict";

pub(super) fn print(all: &[Simulated], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEAD}")?;
    for Simulated { id, simulation } in all {
        let head = [
            id.namespace.clone(),
            format!("{}/{}", id.kind.kind(), id.name),
        ];
        let mut line = |n_shards: usize, figures: Option<&Figures>, verdict: String| {
            let figures = figures.map_or_else(
                || vec![String::new(); 21],
                |figures| cells(simulation, figures),
            );
            let cells = head
                .iter()
                .cloned()
                .chain([n_shards.to_string()])
                .chain(figures)
                .chain([verdict]);
            writeln!(
                out,
                "{}",
                cells
                    .map(|cell| escape::csv(&cell))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        };
        line(
            simulation.present.shards.len(),
            Some(&simulation.present),
            "now".to_owned(),
        )?;
        for (index, step) in simulation.steps.iter().enumerate() {
            line(
                step.n_shards as usize,
                step.figures.as_ref(),
                words::verdict(simulation, index),
            )?;
        }
    }
    Ok(())
}

fn cells(simulation: &Simulation, figures: &Figures) -> Vec<String> {
    let (all, spread, footprint) = (simulation.all, figures.spread, &figures.footprint);
    let (moves, step) = (&figures.from_present, &figures.from_previous);
    let figure = |figure: f64| format!("{figure:.6}");
    let maybe = |n: Option<u64>| n.map(|n| n.to_string()).unwrap_or_default();
    let of_volumes = |part: fn(CountChange) -> u64| maybe(moves.volumes.map(part));
    vec![
        figures.zones.join(" "),
        all.targets.to_string(),
        all.weight().to_string(),
        figures.biggest().weight().to_string(),
        figure(spread.max_over_mean),
        figure(spread.gini),
        figure(spread.variation),
        spread.n_empty.to_string(),
        figures.uncovered.targets.to_string(),
        figures.doubled.targets.to_string(),
        moves.moved.targets.to_string(),
        figure(moves.moved.share(all)),
        step.moved.targets.to_string(),
        figure(step.moved.share(all)),
        maybe(moves.crossed.map(|crossed| crossed.targets)),
        footprint.pods.to_string(),
        moves.pods.created.to_string(),
        moves.pods.retired.to_string(),
        maybe(footprint.volumes),
        of_volumes(|change| change.created),
        of_volumes(|change| change.retired),
    ]
}
