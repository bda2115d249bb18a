//! Arguments of `which` and `trace`.

mod trace;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, WorkloadName};
use promgen_targets::trace::find::TargetQuery;
pub(super) use trace::TRACE_EXAMPLES;
pub(in crate::cli) use trace::TraceArgs;

pub(super) const WHICH_EXAMPLES: &str = "\
Examples:
  promgen which 10.0.0.1:9090 manifests/    a target by its address
  promgen which pod/shop/cart-0 manifests/  of a pod; or service/, endpointslice/, ingress/, node/
  promgen which '{__address__=\"10.0.0.1:80\", __meta_kubernetes_pod_node_name=\"n1\"}' manifests/
  kubectl get pods,services,endpointslices,nodes -A -o yaml |
    promgen which 10.0.0.1:9090 manifests/ -
  promgen which pod/shop/cart-0 . --job podMonitor/shop/cart/0 --format json";

/// Arguments of `which`.
#[derive(Debug, Args)]
pub(in crate::cli) struct WhichArgs {
    /// Target: an address (without a port: any port), an object such as pod/shop/cart-0, labels before relabeling, as
    /// {name="value", …} or name=value,…; or `all`
    #[arg(value_name = "TARGET", value_parser = TargetQuery::parse)]
    pub(in crate::cli) target: TargetQuery,
    #[command(flatten)]
    pub(in crate::cli) scope: ScopeArgs,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: TracedFormat,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// The scope of the search.
#[derive(Debug, Args)]
pub(in crate::cli) struct ScopeArgs {
    /// Use only this workload
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse)]
    pub(in crate::cli) workload: Option<WorkloadName>,
    /// Use only this job, such as serviceMonitor/shop/cart/0
    #[arg(long, value_name = "JOB")]
    pub(in crate::cli) job: Option<String>,
    /// For agents that run as a DaemonSet: use the agent on this node
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) node: Option<String>,
}

/// `--format` of `which` and `trace`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum TracedFormat {
    /// For people
    Text,
    Json,
}
