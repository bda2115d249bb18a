//! Arguments of `trace`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::{CompileArgs, ScopeArgs, TracedFormat};
use promgen_targets::trace::find::TargetQuery;

pub(in crate::cli::args) const TRACE_EXAMPLES: &str = "\
Examples:
  promgen trace 10.0.0.1:9090 manifests/
  promgen trace pod/shop/cart-0 manifests/ --shard 2 --format json
  promgen trace '{__address__=\"10.0.0.1:80\"}' manifests/ --job serviceMonitor/shop/cart/0
  promgen trace all manifests/ --limit 100
  promgen trace --cases cases.jsonl
  echo '{\"labels\": {\"a\": \"1\"}, \"rules\": [{\"action\": \"labeldrop\", \"regex\": \"a\"}]}' |
    promgen trace --cases -";

/// Arguments of `trace`.
#[derive(Debug, Args)]
pub(in crate::cli) struct TraceArgs {
    /// Target: an address (without a port: any port), an object such as pod/shop/cart-0, labels before relabeling, as
    /// {name="value", …} or name=value,…; or `all`
    #[arg(value_name = "TARGET", value_parser = TargetQuery::parse, required_unless_present = "cases")]
    target: Option<TargetQuery>,
    #[command(flatten)]
    pub(in crate::cli) scope: ScopeArgs,
    /// Run the rules of this shard [default: the shard that scrapes the target, or the one that drops it last]
    #[arg(long, value_name = "N")]
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
        conflicts_with_all = ["paths", "target", "workload", "job", "node", "shard", "limit", "format"])]
    pub(in crate::cli) cases: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

impl TraceArgs {
    /// What to trace.
    pub(in crate::cli) fn wanted(&self) -> TargetQuery {
        self.target.clone().unwrap_or(TargetQuery::Any)
    }
}
