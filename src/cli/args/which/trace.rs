//! Arguments of `trace`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::{CompileArgs, ScopeArgs, TracedFormat};
use promgen_targets::discovery::TargetLabels;
use promgen_targets::trace::find::{self, TargetQuery};

pub(in crate::cli::args) const TRACE_EXAMPLES: &str = "\
Examples:
  promgen trace manifests/ --target 10.0.0.1:9090
  promgen trace manifests/ --target pod/shop/cart-0 --shard 2 --format json
  promgen trace manifests/ --labels '{__address__=\"10.0.0.1:80\"}' --job serviceMonitor/shop/cart/0
  promgen trace --jsonl cases.jsonl
  echo '{\"labels\": {\"a\": \"1\"}, \"rules\": [{\"action\": \"labeldrop\", \"regex\": \"a\"}]}' |
    promgen trace --jsonl -";

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(in crate::cli) struct TraceArgs {
    /// Target: an address (without a port: any port), or an object such as pod/shop/cart-0 [default: every target]
    #[arg(long, value_name = "TARGET", value_parser = TargetQuery::parse)]
    target: Option<TargetQuery>,
    /// Labels before relabeling, instead of a target: {name="value", …} or name=value,…
    #[arg(long, value_name = "LABELS", value_parser = find::labels, conflicts_with = "target")]
    labels: Option<TargetLabels>,
    #[command(flatten)]
    pub(in crate::cli) scope: ScopeArgs,
    /// Run the rules of this shard [default: the shard that scrapes the target, or the one that drops it last]
    #[arg(long, value_name = "INDEX")]
    pub(in crate::cli) shard: Option<u32>,
    /// Maximum number of targets
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    pub(in crate::cli) limit: u32,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: TracedFormat,
    /// Read cases from this file instead of manifests: one JSON object per line with name, scheme, labels and rules; `-`
    /// is standard input. The output is one line per case with name, keep, out and error
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["paths", "target", "labels", "workload", "job", "node", "shard", "limit", "format"])]
    pub(in crate::cli) jsonl: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

impl TraceArgs {
    /// What to trace.
    pub(in crate::cli) fn wanted(&self) -> TargetQuery {
        let labels = self.labels.clone().map(TargetQuery::Labels);
        self.target.clone().or(labels).unwrap_or(TargetQuery::Any)
    }
}
