//! A simulation as a table.

use std::io::{self, Write};

use crate::cli::ask::simulate::{Simulated, words};
use crate::cli::report::one_line;
use crate::cli::table;
use promgen_targets::simulate::{
    CRITERION, CountChange, Figures, Moves, Recommendation, Simulation,
};
use promgen_text::diag::count::counted;

const HEAD: [&str; 15] = [
    "NAMESPACE",
    "RESOURCE",
    "SHARDS",
    "BIGGEST",
    "MAX/MEAN",
    "GINI",
    "EMPTY",
    "UNCOVERED",
    "DOUBLED",
    "MOVED",
    "STEP",
    "CROSSED",
    "PODS",
    "VOLUMES",
    "VERDICT",
];

/// One line per number of shards, and one sentence per workload.
pub(super) fn print(
    all: &[Simulated],
    look: table::Look<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(all.iter().flat_map(lines));
    let look = table::Look {
        keep: &["SHARDS", "MOVED", "VERDICT"],
        tone,
        ..look
    };
    table::write(&rows, look, out)?;
    for Simulated { id, simulation } in all {
        for step in &simulation.steps {
            if let Recommendation::Refused(why) = &step.verdict {
                let line = format!(
                    "{id}: {} refused: {why}",
                    counted(step.n_shards as usize, "shard")
                );
                writeln!(out, "{}", look.paint.red(&one_line(&line)))?;
            }
        }
    }
    for Simulated { id, simulation } in all {
        writeln!(
            out,
            "{}",
            one_line(&format!("{id}: {}", words::conclusion(simulation)))
        )?;
    }
    let chooses = |simulation: &Simulation| {
        simulation.least_movement.is_some() && words::has_choice(simulation)
    };
    if all.iter().any(|simulated| chooses(&simulated.simulation)) {
        writeln!(out, "least movement: {CRITERION}")?;
    }
    Ok(())
}

/// The least movement stands out, and so does what cannot be.
fn tone(row: &[String]) -> table::Tone {
    match row.last().map(String::as_str) {
        Some("least movement") => table::Tone::Good,
        Some("" | "now" | "unchanged") | None => table::Tone::Plain,
        Some(_) => table::Tone::Bad,
    }
}

fn lines(simulated: &Simulated) -> Vec<[String; 15]> {
    let Simulated { id, simulation } = simulated;
    let line = |n_shards: usize, cells: [String; 11], verdict: String| {
        let resource = format!("{}/{}", id.kind.kind(), id.name);
        let head = [id.namespace.clone(), resource, n_shards.to_string()];
        let all: Vec<String> = head.into_iter().chain(cells).chain([verdict]).collect();
        all.try_into().expect("3 cells, 11 and 1")
    };
    let present = &simulation.present;
    let mut lines = vec![line(
        present.shards.len(),
        cells(simulation, present, None),
        "now".to_owned(),
    )];
    for (index, step) in simulation.steps.iter().enumerate() {
        let cells = match &step.figures {
            Some(figures) => cells(simulation, figures, Some(&figures.from_present)),
            None => Default::default(),
        };
        let verdict = match &step.verdict {
            // Why stands below.
            Recommendation::Refused(_) => "refused".to_owned(),
            _ => words::verdict(simulation, index),
        };
        lines.push(line(step.n_shards as usize, cells, verdict));
    }
    lines
}

fn cells(simulation: &Simulation, figures: &Figures, moves: Option<&Moves>) -> [String; 11] {
    let (all, spread) = (simulation.all, figures.spread);
    let has_load = all.weight > 0;
    let share = |amount: promgen_targets::simulate::Amount| {
        if has_load {
            words::percent(amount.share(all))
        } else {
            String::new()
        }
    };
    let figure = |figure: f64| {
        if has_load {
            format!("{figure:.3}")
        } else {
            String::new()
        }
    };
    let with_change = |n: u64, change: Option<CountChange>| match change.map(words::change) {
        Some(change) if !change.is_empty() => format!("{n} ({change})"),
        _ => n.to_string(),
    };
    let volumes = moves.map(|moves| moves.volumes).unwrap_or_default();
    [
        if has_load {
            words::weight(figures.biggest().weight())
        } else {
            String::new()
        },
        figure(spread.max_over_mean),
        figure(spread.gini),
        spread.n_empty.to_string(),
        figures.uncovered.targets.to_string(),
        figures.doubled.targets.to_string(),
        moves.map(|moves| share(moves.moved)).unwrap_or_default(),
        moves
            .map(|_| share(figures.from_previous.moved))
            .unwrap_or_default(),
        moves
            .and_then(|moves| moves.crossed)
            .map(share)
            .unwrap_or_default(),
        with_change(figures.footprint.pods, moves.map(|moves| moves.pods)),
        figures
            .footprint
            .volumes
            .map(|n| with_change(n, volumes))
            .unwrap_or_default(),
    ]
}
