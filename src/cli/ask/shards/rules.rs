//! `promgen shards --rules`: the rules and placement of each shard, from the workload's resource alone.

use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::cli::args::{ShardsArgs, ShardsFormat};
use crate::cli::ask::population;
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::json::answers;
use crate::cli::{Exit, Failure, Io, json, pick, read_project, report};
use promgen_compile::output::{Output, Workload, expand_value};
use promgen_compile::sharding::plan::Shard;
use promgen_text::diag::escape;
use promgen_text::yaml::emit::to_report;
use promgen_text::yaml::{Map, Value};

answers! {
    /// The rules of shards.
    ShardRules {
        /// By workload.
        workloads: Vec<WorkloadRules>,
    }

    /// The rules of the shards of a workload.
    WorkloadRules {
        /// KIND/NAMESPACE/NAME.
        workload: String,
        /// The modulus of the hash.
        modulus: u64,
        /// Its shards.
        shards: Vec<RulesOfShard>,
    }

    /// The rules of a shard.
    RulesOfShard {
        /// Its number, from 0.
        shard: u32,
        /// Its zone.
        zone?: String,
        /// Its number among the shards of its zone, from 0.
        in_zone: u32,
        /// The fields of its pods that decide where they run, as Kubernetes has them.
        placement: Value as "serde_json::Value",
        /// Its sharding rules, as Prometheus has them.
        #[serde(rename = "relabel_configs")]
        relabel_configs: Vec<Value> as "Vec<serde_json::Value>",
    }
}

/// Compiles, prints rules and placements, then reports the findings.
pub(super) fn run(args: &ShardsArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let format = args.format.unwrap_or(ShardsFormat::Yaml);
    if matches!(
        format,
        ShardsFormat::Table | ShardsFormat::Csv | ShardsFormat::Mermaid
    ) {
        let text = "`--rules` prints YAML, or JSON with `--format json`";
        return Err(Failure::usage("shards", ErrorKind::ArgumentConflict, text));
    }
    let project = read_project(&args.compile, io, |options, _| Ok(options))?;
    let form = if format == ShardsFormat::Json {
        AnswerForm::Json("shards")
    } else {
        AnswerForm::Commented
    };
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(form),
        io,
        &mut |model, io| of_environment(args, format, &model.into_output(), io),
    )
}

/// Prints the rules and placements of an environment, then reports the findings.
fn of_environment(
    args: &ShardsArgs,
    format: ShardsFormat,
    output: &Output,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let chosen = population::workloads(&args.population, output);
    let workloads = chosen.as_deref().unwrap_or_default();
    let printed = io.print(|out| match format {
        ShardsFormat::Json => {
            let workloads = workloads.iter().copied().map(of_workload).collect();
            json::write_answer("shards", &ShardRules { workloads }, out)
        }
        _ => yaml(workloads, out),
    });
    let exit = report::findings(output, io);
    if workloads.is_empty() && args.population.of.workload.is_none() {
        report::note(&format!("no shards: {}", pick::no_scraper(output)), io);
    }
    printed?;
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
            write!(
                out,
                "{}",
                to_report(&json::value(&of_shard(workload, shard)))
            )?;
            separator = "---\n";
        }
    }
    Ok(())
}

/// The rules of the shards of a workload.
fn of_workload(workload: &Workload) -> WorkloadRules {
    let shards = workload.plan.shards.iter();
    WorkloadRules {
        workload: workload.id.to_string(),
        modulus: workload.plan.modulus.into(),
        shards: shards.map(|shard| of_shard(workload, shard)).collect(),
    }
}

/// The rules and placement of a shard, with placeholders filled in.
fn of_shard(workload: &Workload, shard: &Shard) -> RulesOfShard {
    let placement = workload.placements.get(shard.index as usize).cloned();
    let rules = workload.sharding_rules.iter();
    RulesOfShard {
        shard: shard.index,
        zone: shard.zone.clone(),
        in_zone: shard.in_zone,
        placement: placement.unwrap_or_else(|| Map::new().into()),
        relabel_configs: rules.map(|rule| expand_value(rule, shard)).collect(),
    }
}
