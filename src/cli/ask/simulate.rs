//! `promgen simulate`.

pub(crate) mod all_workloads;
pub(crate) mod answer;
mod csv;
mod html;
mod table;
pub(crate) mod words;

use std::io::Write;
use std::path::PathBuf;

use crate::cli::args::{SimulateArgs, SimulateFormat};
use crate::cli::ask::population;
use crate::cli::ask::simulate::answer::Simulate;
use crate::cli::environments::{AnswerForm, EachEnvironment, each, only};
use crate::cli::io::read_once;
use crate::cli::output::{OutputTarget, file_of};
use crate::cli::spare::{SparedFiles, is_earlier_output};
use crate::cli::table::Look;
use crate::cli::{Exit, Failure, Io, Terminal, charts, fs, json, load, pick, progress, report};
use promgen_compile::options::Options;
use promgen_compile::output::{Layout, Output, Workload, WorkloadId};
use promgen_compile::sharding::reshard::Reshard;
use promgen_model::{Model, Project};
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::given::GivenTarget;
use promgen_targets::simulate::{
    CandidateCount, Footprint, Scenario, Setup, Simulation, Targets, Weights, simulate,
};
use promgen_text::diag::Level;

/// A workload with its simulation.
#[derive(Debug)]
struct Simulated {
    id: WorkloadId,
    simulation: Simulation,
}

/// Compiles, simulates, then reports the findings.
pub(crate) fn run(args: &SimulateArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once(
        "simulate",
        &args.compile.paths,
        &[&args.of.targets, &args.weights],
    )?;
    let target = file_of(args.output.as_ref());
    let (manifests, templates) = load(
        &args.compile,
        &is_earlier_output(target, &args.compile.paths),
        io,
    )?;
    let read = manifests
        .files
        .iter()
        .flatten()
        .chain(&args.of.targets)
        .chain(&args.weights)
        .chain(&args.metrics.metrics);
    let read = read.map(PathBuf::as_path);
    SparedFiles::files(read).check_output(target, args.force.replaces())?;
    let given = args
        .of
        .targets
        .as_ref()
        .map(|file| population::read(file, &args.compile, io))
        .transpose()?;
    let options = args.compile.options(Layout::Operator, templates);
    let mut options = args.metrics.over(options, &args.compile.paths, io.stdin)?;
    let weights = match &args.weights {
        Some(file) => read_weights(file, args, io)?,
        None => Weights::of_series(&options.metrics).map_err(Failure::message)?,
    };
    if given.is_some() || args.of.random.is_some() {
        options = population::without_limit(options);
    }
    let options = charts::rendered(options, &manifests.inputs, &args.compile, io)?;
    let project = Project::read(&manifests.inputs, &options);
    drop(manifests);
    if args.output.is_some() {
        only(&project, &args.environments, "the simulation", io)?;
    }
    let is_json = args.format == SimulateFormat::Json && target.is_none();
    let form = AnswerForm::json_or_text(is_json, "simulate");
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_targets(form),
        io,
        &mut |model, io| of_environment(args, model, given.as_deref(), &weights, &options, io),
    )
}

/// Simulates the workloads of an environment, then reports the findings.
fn of_environment(
    args: &SimulateArgs,
    model: Model,
    given: Option<&[GivenTarget]>,
    weights: &Weights,
    options: &Options,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let variants_of = |workload: &Workload| {
        if is_meant(args, workload) {
            reshards(args, workload)
        } else {
            Vec::new()
        }
    };
    let compiled = model.reshards(variants_of, |workload| Scenario::from(workload));
    let (output, discovery) = model.into_discovery();
    let chosen = choose(args, &output);
    let mut simulated = Vec::new();
    for (workload, compiled) in output
        .each_workload()
        .zip(compiled)
        .filter(|(workload, _)| is_meant(args, workload))
    {
        let sources = SimulationSources {
            args,
            discovery: &discovery,
            given,
            weights,
        };
        let simulation = of_workload(&sources, workload, compiled, io);
        simulated.push(Simulated {
            id: workload.id.clone(),
            simulation,
        });
    }
    let written = if chosen.is_ok() {
        write(args, &simulated, options, io)
    } else {
        Ok(())
    };
    let exit = report::findings(&output, io);
    notes(args, &output, &simulated, io);
    written?;
    match chosen {
        Ok(()) => Ok(if is_refused(&simulated) {
            Exit::Findings
        } else {
            exit
        }),
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}

/// Returns whether the workload is selected and has shards.
fn is_meant(args: &SimulateArgs, workload: &Workload) -> bool {
    let is_named = args
        .of
        .workload
        .as_ref()
        .is_none_or(|id| id.fits(&workload.id));
    is_named && workload.id.kind.has_shards() && !is_daemon_set(workload)
}

fn is_daemon_set(workload: &Workload) -> bool {
    Footprint::of(workload).is_daemon_set
}

/// Reports why the given workload cannot be simulated.
fn choose(args: &SimulateArgs, output: &Output) -> Result<(), String> {
    let Some(id) = &args.of.workload else {
        return Ok(());
    };
    let all: Vec<_> = output.each_workload().collect();
    let workload = pick::find(id, &all, output)?;
    let id = &workload.id;
    if !id.kind.has_shards() {
        Err(format!(
            "{id} has no shards: only Prometheus and PrometheusAgent have shards"
        ))
    } else if is_daemon_set(workload) {
        Err(format!(
            "{id} has no shards: it runs as a DaemonSet, and each pod scrapes the targets on its node"
        ))
    } else {
        Ok(())
    }
}

fn reshards(args: &SimulateArgs, workload: &Workload) -> Vec<Reshard> {
    let present = || vec![u32::try_from(workload.plan.shards.len()).unwrap_or(u32::MAX)];
    let numbers = args
        .shards
        .as_ref()
        .map_or_else(present, |numbers| numbers.0.clone());
    let zones = args.zones.as_ref().map(|zones| zones.0.clone());
    numbers
        .into_iter()
        .map(|shards| Reshard {
            shards,
            zones: zones.clone(),
        })
        .collect()
}

fn read_weights(file: &PathBuf, args: &SimulateArgs, io: &mut Io<'_>) -> Result<Weights, Failure> {
    let workspace = fs::Workspace::of(&args.compile.paths);
    let read = fs::read_files(std::slice::from_ref(file), &workspace, io.stdin)
        .map_err(Failure::Messages)?;
    let [input] = read.inputs.as_slice() else {
        return Err(Failure::message(format!(
            "cannot read weights from `{}`: expected one file",
            file.display()
        )));
    };
    let failed = |error: String| {
        Failure::message(format!(
            "cannot read weights from `{}`: {error}",
            input.name
        ))
    };
    let text = input
        .bytes
        .as_text()
        .ok_or_else(|| failed("it is not UTF-8".to_owned()))?;
    Weights::read(text).map_err(failed)
}

/// The sources of targets and weights.
struct SimulationSources<'a> {
    args: &'a SimulateArgs,
    discovery: &'a Discovery,
    given: Option<&'a [GivenTarget]>,
    weights: &'a Weights,
}

fn of_workload(
    sources: &SimulationSources<'_>,
    workload: &Workload,
    compiled: Vec<Result<Scenario, String>>,
    io: &mut Io<'_>,
) -> Simulation {
    let args = sources.args;
    let numbers = reshards(args, workload)
        .into_iter()
        .map(|reshard| reshard.shards);
    let candidates: Vec<_> = numbers
        .zip(compiled)
        .map(|(n_shards, scenario)| CandidateCount { n_shards, scenario })
        .collect();
    let zones = zones(args, workload);
    let targets = match (sources.given, args.of.random) {
        (Some(given), _) => Targets::Given(given),
        (None, Some(n)) => Targets::MadeUp {
            n: n as usize,
            zones: &zones,
            seed: args.of.seed,
        },
        (None, None) => Targets::Discovered(sources.discovery),
    };
    let n_targets = match targets {
        Targets::Given(given) => given.len(),
        Targets::MadeUp { n, .. } => n,
        // The number is unknown before, and small.
        Targets::Discovered(_) => 0,
    };
    let present = Scenario::from(workload);
    let setup = Setup {
        present: &present,
        candidates: &candidates,
        targets,
        weights: sources.weights,
    };
    let what = workload.id.to_string();
    progress::watch(
        &what,
        n_targets.saturating_mul(candidates.len() + 1),
        io,
        |progress| simulate(&setup, progress),
    )
}

/// The zones of generated targets: the present ones, and those of --zones.
fn zones(args: &SimulateArgs, workload: &Workload) -> Vec<String> {
    let mut zones = workload.plan.zones.clone();
    for zone in args.zones.iter().flat_map(|zones| &zones.0) {
        if !zones.contains(zone) {
            zones.push(zone.clone());
        }
    }
    zones
}

fn write(
    args: &SimulateArgs,
    simulated: &[Simulated],
    options: &Options,
    io: &mut Io<'_>,
) -> Result<(), Failure> {
    let page = match args.format {
        SimulateFormat::Html => {
            Some(html::page(args, simulated, &options.templates).map_err(Failure::message)?)
        }
        SimulateFormat::Table | SimulateFormat::Csv | SimulateFormat::Json => None,
    };
    // A file has no colors, unless they are asked for.
    let terminal = Terminal {
        stdout_color: match args.output {
            None => io.terminal.stdout_color,
            Some(_) => io.terminal.file_color,
        },
        ..io.terminal
    };
    let look = Look::plain(terminal);
    let print = |out: &mut dyn Write| match args.format {
        SimulateFormat::Table => table::print(simulated, look, out),
        SimulateFormat::Csv => csv::print(simulated, out),
        SimulateFormat::Json => json::write_answer("simulate", &Simulate::of(simulated), out),
        SimulateFormat::Html => out.write_all(page.as_deref().unwrap_or_default().as_bytes()),
    };
    let destination = OutputTarget {
        path: file_of(args.output.as_ref()),
        reveals_secrets: options.reveal_secrets,
        force: args.force,
    };
    destination.write(simulated.len(), "simulation", io, print)
}

/// Returns whether every simulated number is refused.
fn is_refused(simulated: &[Simulated]) -> bool {
    let mut steps = simulated
        .iter()
        .flat_map(|simulated| &simulated.simulation.steps)
        .peekable();
    steps.peek().is_some() && steps.all(|step| step.figures.is_none())
}

/// Notes on the figures.
fn notes(args: &SimulateArgs, output: &Output, simulated: &[Simulated], io: &mut Io<'_>) {
    if simulated.is_empty()
        && args.of.workload.is_none()
        && output.worst_level() != Some(Level::Error)
    {
        report::note(
            "nothing to simulate: no Prometheus or PrometheusAgent with shards found",
            io,
        );
    }
    for workload in output
        .each_workload()
        .filter(|workload| args.of.workload.is_none() && is_daemon_set(workload))
    {
        report::note(
            &format!(
                "{}: skipped: it runs as a DaemonSet, which has no shards",
                workload.id
            ),
            io,
        );
    }
    for Simulated { id, simulation } in simulated {
        for note in words::notes(simulation) {
            report::note(&format!("{id}: {note}"), io);
        }
        if simulation.all.targets == 0 && args.of.targets.is_none() {
            let text = format!(
                "{id}: no targets discovered; add Services, Pods, … to the input, or use --random"
            );
            report::note(&text, io);
        }
    }
}
