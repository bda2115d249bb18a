//! A simulation as a self-contained HTML report.
//!
//! In: the simulation. Out: the page. This module computes texts and coordinates; the template
//! `report/simulate.html.j2`, which users can override, sets the layout.

mod charts;

use serde::Serialize;

use crate::cli::args::SimulateArgs;
use crate::cli::ask::simulate::html::charts::{
    Bars, ChartEntry, RowChart, bars, nice, panel_width, rows,
};
use crate::cli::ask::simulate::{Simulated, words};
use promgen_compile::sharding::template;
use promgen_targets::simulate::{
    Amount, CRITERION, CountChange, Figures, Recommendation, SimulatedCount, Simulation,
};
use promgen_text::diag::count::counted;
use promgen_text::source::Input;

const TEMPLATE: &str = "report/simulate.html.j2";
/// The number of zones with a distinct color.
const N_COLORS: usize = 8;

/// The input of the template.
#[derive(Debug, Serialize)]
struct SimulationPage<'a> {
    title: String,
    criterion: &'a str,
    version: &'a str,
    /// The name of the weight.
    load: &'a str,
    panel_width: f64,
    reports: Vec<WorkloadReport>,
}

/// A workload.
#[derive(Debug, Serialize)]
struct WorkloadReport {
    kind: &'static str,
    namespace: String,
    name: String,
    present: usize,
    conclusion: String,
    /// The targets and weights of the simulation.
    about: Vec<String>,
    facts: Vec<SimulationFact>,
    zones: Vec<Zone>,
    panels: Vec<Panel>,
    charts: Vec<Figure>,
    rows: Vec<TableLine>,
    /// There is anything to draw.
    has_load: bool,
    notes: Vec<String>,
}

/// A headline figure.
#[derive(Debug, Serialize)]
struct SimulationFact {
    label: &'static str,
    value: String,
    detail: String,
}

/// A figure of every step.
#[derive(Debug, Serialize)]
struct Figure {
    title: &'static str,
    lead: &'static str,
    /// The description for screen readers.
    description: &'static str,
    is_bars: bool,
    rows: RowChart,
}

#[derive(Debug, Serialize)]
struct Zone {
    name: String,
    class: String,
}

/// The load of the shards of a step.
#[derive(Debug, Serialize)]
struct Panel {
    title: String,
    badge: String,
    /// The meaning of the badge: `best`, `now`, `bad`, or nothing.
    mood: &'static str,
    summary: String,
    chart: Option<Bars>,
}

/// A line of the table.
#[derive(Debug, Serialize)]
struct TableLine {
    n_shards: String,
    badge: String,
    mood: &'static str,
    cells: Vec<String>,
}

/// A simulation, and what it is of.
pub(super) struct DescribedSimulation<'a> {
    pub(super) simulated: &'a Simulated,
    /// Its targets and weights.
    pub(super) about: Vec<String>,
}

/// The page.
///
/// # Errors
/// The user's template fails.
pub(super) fn page(
    args: &SimulateArgs,
    all: &[Simulated],
    templates: &[Input],
) -> Result<String, String> {
    let title = match all {
        [only] => format!("Shards of {}/{}", only.id.namespace, only.id.name),
        _ => "Shards".to_owned(),
    };
    let load = match (&args.weights, args.metrics.metrics.is_empty()) {
        (Some(_), _) => "weight",
        (None, false) => "series",
        (None, true) => "targets",
    };
    let reports = all
        .iter()
        .map(|simulated| report(simulated, about(args, &simulated.simulation)))
        .collect();
    fill(&title, load, reports, templates)
}

/// The page about these simulations.
///
/// # Errors
/// The user's template fails.
pub(super) fn page_of(
    title: &str,
    load: &str,
    all: &[DescribedSimulation<'_>],
    templates: &[Input],
) -> Result<String, String> {
    fill(
        title,
        load,
        all.iter()
            .map(|told| report(told.simulated, told.about.clone()))
            .collect(),
        templates,
    )
}

fn fill(
    title: &str,
    load: &str,
    reports: Vec<WorkloadReport>,
    templates: &[Input],
) -> Result<String, String> {
    let page = SimulationPage {
        title: title.to_owned(),
        criterion: CRITERION,
        version: env!("CARGO_PKG_VERSION"),
        load,
        panel_width: panel_width(),
        reports,
    };
    template::page(TEMPLATE, templates, &page)
}

fn report(simulated: &Simulated, about: Vec<String>) -> WorkloadReport {
    let Simulated { id, simulation } = simulated;
    let zones = zones(simulation);
    WorkloadReport {
        kind: id.kind.kind(),
        namespace: id.namespace.clone(),
        name: id.name.clone(),
        present: simulation.present.shards.len(),
        conclusion: words::conclusion(simulation),
        about,
        facts: facts(simulation),
        panels: panels(simulation, &zones),
        charts: charts(simulation),
        rows: lines(simulation),
        has_load: simulation.all.weight > 0,
        zones: zones
            .into_iter()
            .enumerate()
            .map(|(index, name)| Zone {
                name,
                class: class(index),
            })
            .collect(),
        notes: words::notes(simulation),
    }
}

fn class(index: usize) -> String {
    format!("z{}", index % N_COLORS)
}

/// All zones of any step, the present ones first.
fn zones(simulation: &Simulation) -> Vec<String> {
    let mut zones: Vec<String> = Vec::new();
    let of_steps = simulation
        .steps
        .iter()
        .filter_map(|step| step.figures.as_ref());
    for zone in [&simulation.present]
        .into_iter()
        .chain(of_steps)
        .flat_map(|figures| &figures.zones)
    {
        if !zones.contains(zone) {
            zones.push(zone.clone());
        }
    }
    zones
}

fn about(args: &SimulateArgs, simulation: &Simulation) -> Vec<String> {
    let targets = match (&args.of.targets, args.of.random) {
        (Some(file), _) => format!("{} targets from {}", number(simulation), file.display()),
        (None, Some(_)) => generated(simulation, args.of.seed),
        (None, None) => found(simulation),
    };
    let weights = match (&args.weights, args.metrics.metrics.as_slice()) {
        (Some(file), _) => format!("weights from {}", file.display()),
        (None, [file]) => format!("series from {}", file.display()),
        (None, [_, _, ..]) => format!("series from {} files", args.metrics.metrics.len()),
        (None, []) => EVEN.to_owned(),
    };
    vec![targets, weights]
}

/// The note where no weights are given.
pub(super) const EVEN: &str = "all weights equal";

fn number(simulation: &Simulation) -> String {
    words::thousands(&simulation.all.targets.to_string())
}

/// The note about generated targets.
pub(super) fn generated(simulation: &Simulation, seed: u64) -> String {
    format!("{} generated targets, seed {seed}", number(simulation))
}

/// The note about discovered targets.
pub(super) fn found(simulation: &Simulation) -> String {
    format!("{} targets discovered in the input", number(simulation))
}

fn facts(simulation: &Simulation) -> Vec<SimulationFact> {
    let Some(step) = simulation
        .least_movement
        .and_then(|index| simulation.steps.get(index))
    else {
        return Vec::new();
    };
    let Some(figures) = &step.figures else {
        return Vec::new();
    };
    let (all, moves, present) = (simulation.all, &figures.from_present, &simulation.present);
    let moved = words::thousands(&moves.moved.targets.to_string());
    let volumes = moves
        .volumes
        .map(words::change)
        .filter(|change| !change.is_empty());
    let size = figures
        .footprint
        .storage
        .as_deref()
        .map(|size| format!(" of {size}"))
        .unwrap_or_default();
    vec![
        SimulationFact {
            label: "Cheapest step",
            value: counted(step.n_shards as usize, "shard"),
            detail: format!("from {}", present.shards.len()),
        },
        SimulationFact {
            label: "Load that moves",
            value: words::percent(moves.moved.share(all)),
            detail: format!(
                "{moved} of {} targets",
                words::thousands(&all.targets.to_string())
            ),
        },
        SimulationFact {
            label: "Largest shard",
            value: words::percent(figures.biggest().share(all)),
            detail: format!(
                "of the load; now {}",
                words::percent(present.biggest().share(all))
            ),
        },
        SimulationFact {
            label: "Pods",
            value: with_change(figures.footprint.pods, moves.pods),
            detail: volumes.map_or_else(
                || "no change of volumes".to_owned(),
                |n| format!("{n} volumes{size}"),
            ),
        },
    ]
}

fn with_change(n: u64, change: CountChange) -> String {
    match words::change(change) {
        change if change.is_empty() => n.to_string(),
        change => format!("{n} ({change})"),
    }
}

fn panels(simulation: &Simulation, zones: &[String]) -> Vec<Panel> {
    let of_steps = simulation
        .steps
        .iter()
        .filter_map(|step| step.figures.as_ref());
    let biggest = [&simulation.present]
        .into_iter()
        .chain(of_steps)
        .map(|figures| figures.biggest().weight());
    let max = nice(biggest.fold(0.0, f64::max));
    let class_of = |zone: Option<&str>| {
        let index = zone.and_then(|zone| zones.iter().position(|known| known == zone));
        index.map_or_else(|| "plain".to_owned(), class)
    };
    let panel =
        |n_shards: usize, figures: Option<&Figures>, badge: String, mood: &'static str| Panel {
            title: counted(n_shards, "shard"),
            summary: figures
                .map(|figures| summary(figures, simulation.all))
                .unwrap_or_default(),
            badge,
            mood,
            chart: figures.map(|figures| bars(figures, max, class_of)),
        };
    let present = &simulation.present;
    let mut panels = vec![panel(
        present.shards.len(),
        Some(present),
        "now".to_owned(),
        "now",
    )];
    for (index, step) in simulation
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.verdict != Recommendation::Same)
    {
        let badge = words::verdict(simulation, index);
        panels.push(panel(
            step.n_shards as usize,
            step.figures.as_ref(),
            badge,
            mood(simulation, index),
        ));
    }
    panels
}

fn summary(figures: &Figures, all: Amount) -> String {
    if all.weight == 0 {
        return String::new();
    }
    let mut text = format!("largest {:.2} × mean", figures.spread.max_over_mean);
    if figures.spread.n_empty > 0 {
        text += &format!(", {} empty", figures.spread.n_empty);
    }
    if figures.uncovered.targets > 0 {
        text += &format!(
            ", {} without a shard",
            words::percent(figures.uncovered.share_of_targets(all))
        );
    }
    text
}

/// The meaning of the verdict about a step, for its color.
fn mood(simulation: &Simulation, index: usize) -> &'static str {
    if simulation.least_movement == Some(index) {
        return "best";
    }
    match simulation.steps[index].verdict {
        Recommendation::Same => "now",
        Recommendation::Possible => "",
        Recommendation::Refused(_)
        | Recommendation::Uncovers(_)
        | Recommendation::Doubles(_)
        | Recommendation::Idles(_) => "bad",
    }
}

fn charts(simulation: &Simulation) -> Vec<Figure> {
    let ratio = |figures: &Figures| figures.spread.max_over_mean.max(1.0);
    vec![
        Figure {
            title: "Load that moves",
            lead: "Load that moves to another shard: its series start again there.",
            description: "Two bars per number of shards: the share of the load that moves from the present shards, and from \
                          the previous step.",
            is_bars: true,
            rows: moved(simulation),
        },
        Figure {
            title: "Largest shard",
            lead: "Its load divided by the mean: 1 is the optimum.",
            description: "One point per number of shards: 1 is the optimum.",
            is_bars: false,
            rows: spread(simulation, 1.0, ratio, |value| format!("{value:.2}")),
        },
        Figure {
            title: "Gini coefficient",
            lead: "Over all shards: 0 if all have the same load, near 1 if one has the entire load.",
            description: "One point per number of shards: 0 is the optimum.",
            is_bars: false,
            rows: spread(
                simulation,
                0.0,
                |figures| figures.spread.gini,
                |value| format!("{value:.3}"),
            ),
        },
    ]
}

/// A row for each step: the load that moves, from the present and from the previous step.
fn moved(simulation: &Simulation) -> RowChart {
    let share = |amount: Amount| amount.share(simulation.all) * 100.0;
    let values = |figures: &Figures| {
        vec![
            (share(figures.from_present.moved), "total"),
            (share(figures.from_previous.moved), "step"),
        ]
    };
    let row = |(index, step): (usize, &SimulatedCount)| ChartEntry {
        label: step.n_shards.to_string(),
        is_best: simulation.least_movement == Some(index),
        values: step.figures.as_ref().map(values).unwrap_or_default(),
    };
    rows(
        simulation.steps.iter().enumerate().map(row).collect(),
        0.0,
        |value| format!("{value:.0}%"),
    )
}

/// A row for the present and each other step.
fn spread(
    simulation: &Simulation,
    origin: f64,
    value: impl Fn(&Figures) -> f64,
    text: impl Fn(f64) -> String,
) -> RowChart {
    let now = ChartEntry {
        label: "now".to_owned(),
        is_best: false,
        values: vec![(value(&simulation.present), "now")],
    };
    let others = simulation
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.verdict != Recommendation::Same);
    let row = |(index, step): (usize, &SimulatedCount)| ChartEntry {
        label: step.n_shards.to_string(),
        is_best: simulation.least_movement == Some(index),
        values: step
            .figures
            .as_ref()
            .map(|figures| vec![(value(figures), "total")])
            .unwrap_or_default(),
    };
    rows(
        [now].into_iter().chain(others.map(row)).collect(),
        origin,
        text,
    )
}

fn lines(simulation: &Simulation) -> Vec<TableLine> {
    let present = &simulation.present;
    let mut lines = vec![TableLine {
        n_shards: present.shards.len().to_string(),
        badge: "now".to_owned(),
        mood: "now",
        cells: cells(simulation, present, StepLine::Now),
    }];
    for (index, step) in simulation.steps.iter().enumerate() {
        lines.push(TableLine {
            n_shards: step.n_shards.to_string(),
            badge: words::verdict(simulation, index),
            mood: mood(simulation, index),
            cells: step
                .figures
                .as_ref()
                .map(|figures| cells(simulation, figures, StepLine::Step))
                .unwrap_or_default(),
        });
    }
    lines
}

/// The number of shards that a line is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepLine {
    /// The present one, from which nothing moves.
    Now,
    /// Another one.
    Step,
}

/// The cells of a line, in the order of the columns in the template.
fn cells(simulation: &Simulation, figures: &Figures, line: StepLine) -> Vec<String> {
    let (all, spread) = (simulation.all, figures.spread);
    let share = |amount: Amount| words::percent(amount.share(all));
    let (moves, step) = (&figures.from_present, &figures.from_previous);
    let of_step = |text: String| {
        if line == StepLine::Step {
            text
        } else {
            "–".to_owned()
        }
    };
    let count = |amount: Amount| words::thousands(&amount.targets.to_string());
    vec![
        of_step(share(moves.moved)),
        of_step(share(step.moved)),
        moves
            .crossed
            .map_or_else(|| "–".to_owned(), |crossed| of_step(share(crossed))),
        words::weight(figures.biggest().weight()),
        format!("{:.3}", spread.max_over_mean),
        format!("{:.3}", spread.gini),
        spread.n_empty.to_string(),
        count(figures.uncovered),
        count(figures.doubled),
        with_change(figures.footprint.pods, moves.pods),
        figures.footprint.volumes.map_or_else(
            || "–".to_owned(),
            |n| with_change(n, moves.volumes.unwrap_or_default()),
        ),
    ]
}
