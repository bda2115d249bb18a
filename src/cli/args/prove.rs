//! Arguments of `prove`, and those about targets that it shares with `shards`.

mod simulate;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, WorkloadName};
use promgen_prometheus::labels::names::label_value_errors;
pub(super) use simulate::SIMULATE_EXAMPLES;
pub(crate) use simulate::{SimulateArgs, SimulateFormat};

pub(super) const PROVE_EXAMPLES: &str = "\
Examples:
  promgen prove manifests/                  is every target scraped by exactly one shard?
  promgen prove manifests/ --workload Prometheus/monitoring/k8s
  promgen prove manifests/ --random 100000  also check it on generated targets
  promgen prove manifests/ --targets targets.json --format json
  promgen prove manifests/ --strict         and has every target a zone with a shard?";

/// Arguments of `prove`.
#[derive(Debug, Args)]
pub(crate) struct ProveArgs {
    #[command(flatten)]
    pub(crate) population: PopulationArgs,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ProveFormat,
    /// Also fail if targets of other zones or without a zone have no shard, or if a job could not be checked
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// `--format` of `prove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProveFormat {
    Text,
    Json,
}

/// The workloads and the targets, with their zones.
#[derive(Debug, Args)]
pub(crate) struct PopulationArgs {
    #[command(flatten)]
    pub(crate) of: GivenTargetArgs,
    /// Zones of generated targets, separated by commas [default: those of the workload]
    #[arg(
        long,
        value_name = "ZONES",
        value_delimiter = ',',
        value_parser = zone,
        requires = "random",
        help_heading = "Targets"
    )]
    pub(crate) random_zones: Vec<String>,
}

/// The workload and the targets.
#[derive(Debug, Args)]
pub(crate) struct GivenTargetArgs {
    /// Use only the shards of this workload
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse)]
    pub(crate) workload: Option<WorkloadName>,
    /// Read targets from this file instead of the manifests: a file of file discovery, a response of /api/v1/targets, or the
    /// output of `promtool check service-discovery`; `-` is standard input
    #[arg(long, value_name = "FILE", help_heading = "Targets")]
    pub(crate) targets: Option<PathBuf>,
    /// Generate this number of targets instead
    #[arg(long, value_name = "N", conflicts_with = "targets", value_parser = clap::value_parser!(u32).range(1..=100_000_000), help_heading = "Targets")]
    pub(crate) random: Option<u32>,
    /// Seed of the generated targets
    #[arg(
        long,
        value_name = "N",
        default_value = "0",
        requires = "random",
        help_heading = "Targets"
    )]
    pub(crate) seed: u64,
}

/// The name of a zone, which is the value of a label.
fn zone(text: &str) -> Result<String, String> {
    match label_value_errors(text).as_slice() {
        [] if !text.is_empty() => Ok(text.to_owned()),
        _ => Err("expected the names of zones, such as a,b,c".to_owned()),
    }
}
