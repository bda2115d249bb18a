//! `promgen shards`.

pub(crate) mod answer;
mod print;
pub(crate) mod rules;

use std::io::Write;

use crate::cli::args::{ShardsArgs, ShardsFormat};
use crate::cli::ask::shards::answer::Shards;
use crate::cli::ask::simulate::words::without;
use crate::cli::ask::{jobless, population};
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::io::read_once;
use crate::cli::{Exit, Failure, Io, json, pick, read_project, report, table};
use promgen_compile::output::{Output, Workload};
use promgen_model::Model;
use promgen_targets::discovery::Discovery;
use promgen_targets::discovery::given::GivenTarget;
use promgen_targets::distribution::{self, Distribution};
use promgen_targets::simulate::{Scenario, Setup, Simulation, Targets, Weights, simulate};

/// The shards of a workload, with what they scrape.
pub(crate) struct ScrapedShards<'a> {
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
pub(crate) fn run(args: &ShardsArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    read_once(
        "shards",
        &args.compile.paths,
        &[&args.population.of.targets],
    )?;
    if args.rules {
        return rules::run(args, io);
    }
    let (mut given, mut weights) = (None, Weights::default());
    let project = read_project(&args.compile, io, |options, io| {
        given = population::given(&args.population, &args.compile, io)?;
        let options = args.metrics.over(options, &args.compile.paths, io.stdin)?;
        weights = Weights::of_series(&options.metrics).map_err(Failure::message)?;
        Ok(
            match given.is_some() || args.population.of.random.is_some() {
                true => population::without_limit(options),
                false => options,
            },
        )
    })?;
    let form = match args.format.unwrap_or(ShardsFormat::Table) {
        ShardsFormat::Json => AnswerForm::Json("shards"),
        ShardsFormat::Yaml => AnswerForm::Commented,
        ShardsFormat::Table | ShardsFormat::Csv | ShardsFormat::Mermaid => AnswerForm::Text,
    };
    let sources = ShardSources {
        args,
        given: given.as_deref(),
        weights: &weights,
    };
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_targets(form),
        io,
        &mut |model, io| of_environment(&sources, model, io),
    )
}

/// Prints the targets of each shard of an environment, then reports the findings.
fn of_environment(
    sources: &ShardSources<'_>,
    model: Model,
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
    let answer = Shards::of(&all);
    let print = |out: &mut dyn Write| match args.format.unwrap_or(ShardsFormat::Table) {
        ShardsFormat::Table => print::table(&answer, table::Look::plain(terminal), out),
        ShardsFormat::Yaml => print::yaml(&answer, out),
        ShardsFormat::Json => json::write_answer("shards", &answer, out),
        ShardsFormat::Csv => print::csv(&answer, out),
        ShardsFormat::Mermaid => print::mermaid(&answer, out),
    };
    // Without the workload that is asked for, there is nothing to print, not even the head of a table.
    let printed = if chosen.is_ok() {
        io.print(print)
    } else {
        Ok(())
    };
    let exit = report::findings(&output, io);
    notes(args, &output, &all, io);
    printed?;
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
    if all.is_empty() && args.population.of.workload.is_none() {
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
        let is_empty = shares.n_targets == 0 && args.population.of.targets.is_none();
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
