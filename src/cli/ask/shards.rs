//! `promgen shards`.

pub(in crate::cli) mod print;
mod rules;

use std::io::Write;

use crate::cli::args::{Color, ShardsArgs, ShardsFormat};
use crate::cli::ask::{jobless, population};
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::write::status::{cannot_write, read_once, table};
use crate::cli::{Exit, Failure, Io, charts, load, pick, report};
use promgen_compile::output::{Layout, Output, Workload};
use promgen_driver::{Model, Project};
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::given::GivenTarget;
use promgen_targets::distribution::{self, Distribution};

/// Compiles, prints the targets of each shard, then reports the findings.
pub(in crate::cli) fn run(args: &ShardsArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once("shards", &args.compile.paths, &[&args.population.targets])?;
    if args.rules {
        return rules::run(args, color, io);
    }
    let (inputs, templates) = load(&args.compile, io)?;
    let given = population::given(&args.population, &args.compile, io)?;
    let mut options = args.compile.options(Layout::Operator, templates);
    if given.is_some() || args.population.random.is_some() {
        options = population::without_limit(options);
    }
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let form = match args.format.unwrap_or(ShardsFormat::Table) {
        ShardsFormat::Json => AnswerForm::Json("shards"),
        ShardsFormat::Yaml => AnswerForm::Commented,
        ShardsFormat::Table | ShardsFormat::Csv | ShardsFormat::Mermaid => AnswerForm::Text,
    };
    let question = EachEnvironment { kept: None, form, is_asked: &has_workload };
    each(&project, &args.environments, &question, io, &mut |model, io| {
        of_environment(args, model, given.as_deref(), color, io)
    })
}

/// Prints the targets of each shard of an environment, then reports the findings.
fn of_environment(
    args: &ShardsArgs,
    model: Model,
    given: Option<&[GivenTarget]>,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let (output, discovery) = model.into_discovery();
    let chosen = population::workloads(&args.population, &output);
    let workloads = chosen.as_deref().unwrap_or_default();
    let mut shares = Vec::with_capacity(workloads.len());
    for workload in workloads {
        shares.push((*workload, share(args, workload, &discovery, given, io)));
    }
    let terminal = io.terminal;
    let print = |out: &mut dyn Write| match args.format.unwrap_or(ShardsFormat::Table) {
        ShardsFormat::Table => print::table(&shares, table::Look::plain(color, terminal), out),
        ShardsFormat::Yaml => print::yaml(&shares, out),
        ShardsFormat::Json => print::json(&shares, out),
        ShardsFormat::Csv => print::csv(&shares, out),
        ShardsFormat::Mermaid => print::mermaid(&shares, out),
    };
    // Without the workload that is asked for, there is nothing to print, not even the head of a table.
    let printed = if chosen.is_ok() { io.print(print) } else { Ok(()) };
    let exit = report::findings(&output, color, io);
    notes(args, &output, &shares, io);
    printed.map_err(|error| cannot_write(&error))?;
    match chosen {
        Ok(_) => Ok(exit),
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}

fn share(
    args: &ShardsArgs,
    workload: &Workload,
    discovery: &Discovery,
    given: Option<&[GivenTarget]>,
    io: &mut Io<'_>,
) -> Distribution {
    population::shares(&args.population, workload, given, io)
        .unwrap_or_else(|| distribution::discovered(workload, discovery))
}

/// Notes on the figures.
fn notes(args: &ShardsArgs, output: &Output, shares: &[(&Workload, Distribution)], io: &mut Io<'_>) {
    if shares.is_empty() && args.population.workload.is_none() {
        report::note(&format!("no shards: {}", pick::no_scraper(output)), io);
    }
    for (workload, shares) in shares {
        let id = &workload.id;
        for what in &shares.unknown {
            report::note(&format!("{id}: skipped: {what}"), io);
        }
        if shares.n_uncovered > 0 {
            report::note(&format!("{id}: {} of {} targets have no shard", shares.n_uncovered, shares.n_targets), io);
        }
        if shares.n_doubled > 0 {
            let text = format!("{id}: {} of {} targets have several shards", shares.n_doubled, shares.n_targets);
            report::note(&text, io);
        }
        let is_empty = shares.n_targets == 0 && args.population.targets.is_none();
        if is_empty && !jobless::note(workload, io) {
            let text = match shares.n_dropped {
                0 => "no targets discovered; add Services, Pods, … to the input, or use --random".to_owned(),
                n => format!("relabel rules drop all {n} discovered targets; `promgen explain` says which"),
            };
            report::note(&format!("{id}: {text}"), io);
        }
    }
}
