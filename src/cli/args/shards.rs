//! Arguments of `shards`.

use clap::{Args, ValueEnum};

use crate::cli::args::metrics::counting_series;
use crate::cli::args::{CompileArgs, EnvironmentArgs, MetricsArgs, PopulationArgs};

pub(super) const SHARDS_EXAMPLES: &str = "\
Examples:
  promgen shards manifests/                 of the Services, Pods, EndpointSlices, … in the input
  kubectl get pods,services,endpointslices,nodes -A -o yaml | promgen shards manifests/ -
  promgen shards manifests/ --targets targets.json
  promgen shards manifests/ --metrics api.prom   also the series of each shard
  promgen shards prometheus.yaml --rules    the relabel rules and the placement of each shard
  promgen shards manifests/ --random 100000 --random-zones a,b,c --format mermaid";

/// Arguments of `shards`.
#[derive(Debug, Args)]
#[command(mut_arg("metrics", |arg| counting_series(arg).conflicts_with_all(["rules", "random"])))]
pub(crate) struct ShardsArgs {
    /// Print the sharding rules, zone and placement of each shard instead, as YAML or JSON. Requires only the
    /// Prometheus resource
    #[arg(long, conflicts_with_all = ["targets", "random", "random_zones"])]
    pub(crate) rules: bool,
    #[command(flatten)]
    pub(crate) population: PopulationArgs,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    /// Format of the output [default: table; with --rules: yaml]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<ShardsFormat>,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// `--format` of `shards`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShardsFormat {
    Table,
    Yaml,
    Json,
    Csv,
    /// A diagram, for Markdown
    Mermaid,
}
