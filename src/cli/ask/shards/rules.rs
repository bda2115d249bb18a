//! `promgen shards --rules`: the rules and placement of each shard, from the workload's resource alone.

use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::cli::args::{Color, ShardsArgs, ShardsFormat};
use crate::cli::ask::population;
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::write::status::cannot_write;
use crate::cli::{Exit, Failure, Io, charts, json, load, pick, report};
use promgen_compile::output::{Layout, Output, Workload, expand_value};
use promgen_compile::sharding::plan::Shard;
use promgen_driver::Project;
use promgen_text::diag::escape;
use promgen_text::yaml::emit::to_report;
use promgen_text::yaml::{Map, Value};

/// Compiles, prints rules and placements, then reports the findings.
pub(super) fn run(args: &ShardsArgs, color: Color, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let format = args.format.unwrap_or(ShardsFormat::Yaml);
    if matches!(
        format,
        ShardsFormat::Table | ShardsFormat::Csv | ShardsFormat::Mermaid
    ) {
        let text = "`--rules` prints YAML, or JSON with `--format json`";
        return Err(Failure::usage("shards", ErrorKind::ArgumentConflict, text));
    }
    let (inputs, templates) = load(&args.compile, io)?;
    let options = args.compile.options(Layout::Operator, templates);
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let form = if format == ShardsFormat::Json {
        AnswerForm::Json("shards")
    } else {
        AnswerForm::Commented
    };
    let question = EachEnvironment {
        is_about_targets: false,
        form,
        is_asked: &has_workload,
    };
    each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| of_environment((args, format), &model.into_output(), color, io),
    )
}

/// Prints the rules and placements of an environment, then reports the findings.
fn of_environment(
    (args, format): (&ShardsArgs, ShardsFormat),
    output: &Output,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let chosen = population::workloads(&args.population, output);
    let workloads = chosen.as_deref().unwrap_or_default();
    let printed = io.print(|out| match format {
        ShardsFormat::Json => print_json(workloads, out),
        _ => yaml(workloads, out),
    });
    let exit = report::findings(output, color, io);
    if workloads.is_empty() && args.population.workload.is_none() {
        report::note(&format!("no shards: {}", pick::no_scraper(output)), io);
    }
    printed.map_err(|error| cannot_write(&error))?;
    match chosen {
        Ok(_) => Ok(exit),
        Err(reason) => pick::nothing(reason, output, exit, io),
    }
}

/// A document for each shard, below a comment that names it.
fn yaml(workloads: &[&Workload], out: &mut dyn Write) -> io::Result<()> {
    let mut separator = "";
    for workload in workloads {
        let n_shards = workload.plan.shards.len();
        for shard in &workload.plan.shards {
            let id = escape::line(&workload.id.to_string());
            writeln!(
                out,
                "{separator}# {id}, shard {} of {n_shards}",
                shard.index
            )?;
            write!(out, "{}", to_report(&of_shard(workload, shard).into()))?;
            separator = "---\n";
        }
    }
    Ok(())
}

/// A list of workloads with their shards.
fn print_json(workloads: &[&Workload], out: &mut dyn Write) -> io::Result<()> {
    let of_workload = |workload: &&Workload| {
        let shards = workload
            .plan
            .shards
            .iter()
            .map(|shard| Value::from(of_shard(workload, shard)));
        let map = Map::new()
            .with("workload", workload.id.to_string())
            .with("modulus", workload.plan.modulus)
            .with("shards", shards.collect::<Vec<_>>());
        Value::from(map)
    };
    json::write_list(
        "shards",
        "workloads",
        workloads.iter().map(of_workload).collect(),
        out,
    )
}

/// The rules and placement of a shard, with placeholders filled in.
fn of_shard(workload: &Workload, shard: &Shard) -> Map {
    let mut map = Map::new().with("shard", shard.index);
    map.push_some("zone", shard.zone.clone());
    let placement = workload.placements.get(shard.index as usize).cloned();
    let rules: Vec<Value> = workload
        .sharding_rules
        .iter()
        .map(|rule| expand_value(rule, shard))
        .collect();
    map.with("inZone", shard.in_zone)
        .with("placement", placement.unwrap_or_else(|| Map::new().into()))
        .with("relabel_configs", rules)
}
