//! Arguments of `which`, and of `trace`, its earlier name with `--trace`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, WorkloadName};
use promgen_targets::trace::find::TargetQuery;

pub(super) const WHICH_EXAMPLES: &str = "\
Examples:
  promgen which 10.0.0.1:9090 manifests/    a target by its address
  promgen which pod/shop/cart-0 manifests/  of a pod; or service/, endpointslice/, ingress/, node/
  promgen which '{__address__=\"10.0.0.1:80\", __meta_kubernetes_pod_node_name=\"n1\"}' manifests/
  kubectl get pods,services,endpointslices,nodes -A -o yaml |
    promgen which 10.0.0.1:9090 manifests/ -
  promgen which pod/shop/cart-0 . --job podMonitor/shop/cart/0 --format json
  promgen which pod/shop/cart-0 . --trace   the effect of each relabel rule
  promgen which all . --trace --limit 100
  promgen which --trace --cases cases.jsonl";

/// Arguments of `which`.
#[derive(Debug, Args)]
pub(crate) struct WhichArgs {
    /// Target: an address (without a port: any port), an object such as pod/shop/cart-0, labels before relabeling, as
    /// {name="value", …} or name=value,…; or `all`
    #[arg(value_name = "TARGET", value_parser = TargetQuery::parse, required_unless_present = "cases")]
    target: Option<TargetQuery>,
    /// Print the effect of each relabel rule on the target
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    /// With --trace: run the rules of this shard [default: the shard that scrapes the target, or the one that drops it last]
    #[arg(long, value_name = "N")]
    pub(crate) shard: Option<u32>,
    /// With --trace: maximum number of targets [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// With --trace: read cases from this file instead of manifests: one JSON object per line with name, scheme, labels and
    /// rules; `-` is standard input. The output is one line per case with name, keep, out and error
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["paths", "target", "workload", "job", "node", "shard", "limit", "format"])]
    pub(crate) cases: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TracedFormat,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

impl WhichArgs {
    /// The targets that are asked about.
    pub(crate) fn wanted(&self) -> TargetQuery {
        self.target.clone().unwrap_or(TargetQuery::Any)
    }

    /// An option that requires `--trace`, if that is missing.
    pub(crate) fn needs_trace(&self) -> Option<&'static str> {
        let given = [
            (self.shard.is_some(), "--shard"),
            (self.limit.is_some(), "--limit"),
        ];
        given
            .into_iter()
            .find(|(is_given, _)| *is_given && !self.trace)
            .map(|(_, name)| name)
    }
}

/// The scope of the search.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Use only this workload
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse)]
    pub(crate) workload: Option<WorkloadName>,
    /// Use only this job, such as serviceMonitor/shop/cart/0
    #[arg(long, value_name = "JOB")]
    pub(crate) job: Option<String>,
    /// For agents that run as a DaemonSet: use the agent on this node
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
}

/// `--format` of `which`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TracedFormat {
    /// For people
    Text,
    Json,
}
