//! `promgen shards`.

pub(in crate::cli) mod print;
mod rules;

use std::io::Write;

use crate::cli::args::{Color, ShardsArgs, ShardsFormat};
use crate::cli::ask::simulate::words::without;
use crate::cli::ask::{jobless, population};
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::write::status::{cannot_write, read_once, table};
use crate::cli::{Exit, Failure, Io, charts, load, pick, report};
use promgen_compile::output::{Layout, Output, Workload};
use promgen_driver::{Model, Project};
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::given::GivenTarget;
use promgen_targets::distribution::{self, Distribution};
use promgen_targets::simulate::{Scenario, Setup, Simulation, Targets, Weights, simulate};

/// The shards of a workload, with what they scrape.
pub(in crate::cli) struct ScrapedShards<'a> {
    workload: &'a Workload,
    targets: Distribution,
    /// The series of the targets, with `--metrics`.
    series: Option<Simulation>,
}

/// The sources of targets and of their series.
struct ShardSources<'a> {
    args: &'a ShardsArgs,
    given: Option<&'a [GivenTarget]>,
    weights: &'a Weights,
}

/// Compiles, prints the targets of each shard, then reports the findings.
pub(in crate::cli) fn run(
    args: &ShardsArgs,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    read_once("shards", &args.compile.paths, &[&args.population.targets])?;
    if args.rules {
        return rules::run(args, color, io);
    }
    let (inputs, templates) = load(&args.compile, io)?;
    let given = population::given(&args.population, &args.compile, io)?;
    let weights = args.metrics.weights(&args.compile.paths, io.stdin)?;
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
    let question = EachEnvironment {
        is_about_targets: true,
        form,
        is_asked: &has_workload,
    };
    let sources = ShardSources {
        args,
        given: given.as_deref(),
        weights: &weights,
    };
    each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| of_environment(&sources, model, color, io),
    )
}

/// Prints the targets of each shard of an environment, then reports the findings.
fn of_environment(
    sources: &ShardSources<'_>,
    model: Model,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let args = sources.args;
    let (output, discovery) = model.into_discovery();
    let chosen = population::workloads(&args.population, &output);
    let workloads = chosen.as_deref().unwrap_or_default();
    let mut all = Vec::with_capacity(workloads.len());
    for workload in workloads {
        all.push(sources.scraped(workload, &discovery, io));
    }
    let terminal = io.terminal;
    let print = |out: &mut dyn Write| match args.format.unwrap_or(ShardsFormat::Table) {
        ShardsFormat::Table => print::table(&all, table::Look::plain(color, terminal), out),
        ShardsFormat::Yaml => print::yaml(&all, out),
        ShardsFormat::Json => print::json(&all, out),
        ShardsFormat::Csv => print::csv(&all, out),
        ShardsFormat::Mermaid => print::mermaid(&all, out),
    };
    // Without the workload that is asked for, there is nothing to print, not even the head of a table.
    let printed = if chosen.is_ok() {
        io.print(print)
    } else {
        Ok(())
    };
    let exit = report::findings(&output, color, io);
    notes(args, &output, &all, io);
    printed.map_err(|error| cannot_write(&error))?;
    match chosen {
        Ok(_) => Ok(exit),
        Err(reason) => pick::nothing(reason, &output, exit, io),
    }
}

impl ShardSources<'_> {
    fn scraped<'w>(
        &self,
        workload: &'w Workload,
        discovery: &Discovery,
        io: &mut Io<'_>,
    ) -> ScrapedShards<'w> {
        let targets = population::shares(&self.args.population, workload, self.given, io)
            .unwrap_or_else(|| distribution::discovered(workload, discovery));
        let counted = || {
            let (present, targets) = (Scenario::from(workload), self.targets(discovery));
            simulate(
                &Setup {
                    present: &present,
                    candidates: &[],
                    targets,
                    weights: self.weights,
                },
                &|_, _| {},
            )
        };
        ScrapedShards {
            workload,
            targets,
            series: (!self.weights.is_empty()).then(counted),
        }
    }

    /// Whose series are counted: `--metrics` excludes generated targets, which are of no job.
    fn targets<'t>(&'t self, discovery: &'t Discovery) -> Targets<'t> {
        self.given
            .map_or(Targets::Discovered(discovery), Targets::Given)
    }
}

/// Notes on the figures.
fn notes(args: &ShardsArgs, output: &Output, all: &[ScrapedShards<'_>], io: &mut Io<'_>) {
    if all.is_empty() && args.population.workload.is_none() {
        report::note(&format!("no shards: {}", pick::no_scraper(output)), io);
    }
    for ScrapedShards {
        workload,
        targets: shares,
        series,
    } in all
    {
        let id = &workload.id;
        for note in series
            .iter()
            .flat_map(|series| without(series, "count of series"))
        {
            report::note(&format!("{id}: {note}"), io);
        }
        for what in &shares.unknown {
            report::note(&format!("{id}: skipped: {what}"), io);
        }
        if shares.n_uncovered > 0 {
            report::note(
                &format!(
                    "{id}: {} of {} targets have no shard",
                    shares.n_uncovered, shares.n_targets
                ),
                io,
            );
        }
        if shares.n_doubled > 0 {
            let text = format!(
                "{id}: {} of {} targets have several shards",
                shares.n_doubled, shares.n_targets
            );
            report::note(&text, io);
        }
        let is_empty = shares.n_targets == 0 && args.population.targets.is_none();
        if is_empty && !jobless::note(workload, io) {
            let text = match shares.n_dropped {
                0 => "no targets discovered; add Services, Pods, … to the input, or use --random"
                    .to_owned(),
                n => format!(
                    "relabel rules drop all {n} discovered targets; `promgen explain` says which"
                ),
            };
            report::note(&format!("{id}: {text}"), io);
        }
    }
}
