//! Arguments of `prove`, and those about targets that it shares with `shards`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, parse_workload};
use crate::output::WorkloadId;

pub(super) const PROVE_EXAMPLES: &str = "\
Examples:
  promgen prove manifests/                  is every target scraped by exactly one shard?
  promgen prove manifests/ --workload Prometheus/monitoring/k8s
  promgen prove manifests/ --random 100000  and try it on made-up targets
  promgen prove manifests/ --targets targets.json --format json

Exit codes:
  0  every class of targets, and every target that is known, is scraped by exactly one shard
  1  there is a counterexample: uncovered, doubled, or an idle shard; or errors among the findings
  2  wrong arguments, or reading or writing failed";

/// Arguments of `prove`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ProveArgs {
    #[command(flatten)]
    pub(in crate::cli) population: PopulationArgs,
    /// Syntax of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: ProveFormat,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// `--format` of `prove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ProveFormat {
    Text,
    Json,
}

/// Which workloads, and which targets.
#[derive(Debug, Args)]
pub(in crate::cli) struct PopulationArgs {
    /// Only the shards of this workload
    #[arg(long, value_name = "KIND/NS/NAME", value_parser = parse_workload)]
    pub(in crate::cli) workload: Option<WorkloadId>,
    /// Targets instead of those of the input: a file of Prometheus' file discovery, an answer of its /api/v1/targets, or
    /// what `promtool check service-discovery` prints; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) targets: Option<PathBuf>,
    /// So many made-up targets instead of those of the input
    #[arg(long, value_name = "N", conflicts_with = "targets", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub(in crate::cli) random: Option<u32>,
    /// The zones of made-up targets, separated by commas; without it, those of the workload
    #[arg(long, value_name = "ZONES", value_delimiter = ',', requires = "random")]
    pub(in crate::cli) zones: Vec<String>,
    /// The seed of made-up targets: the same gives the same
    #[arg(long, value_name = "SEED", default_value = "0", requires = "random")]
    pub(in crate::cli) seed: u64,
}
