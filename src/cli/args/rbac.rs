//! Arguments of `rbac`.

use clap::Args;

use crate::cli::args::{CompileArgs, EnvironmentArgs, LiveArgs, WorkloadName};

pub(super) const RBAC_EXAMPLES: &str = "\
Examples:
  promgen rbac manifests/                             the least Roles and bindings of all workloads
  promgen rbac manifests/ --workload monitoring/k8s | kubectl apply -f -
  promgen rbac manifests/ --check                     what is not granted yet
  promgen rbac manifests/ --operator --check          the same for the operator itself";

/// Arguments of `rbac`.
#[derive(Debug, Args)]
pub(in crate::cli) struct RbacArgs {
    /// Use only this workload
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse, conflicts_with = "operator")]
    pub(in crate::cli) workload: Option<WorkloadName>,
    /// Print only what the input does not grant; exit code 1 if anything is missing
    #[arg(long)]
    pub(in crate::cli) check: bool,
    /// Print what the operator in the input needs for itself, for its flags
    #[arg(long)]
    pub(in crate::cli) operator: bool,
    #[command(flatten)]
    pub(in crate::cli) live: LiveArgs,
    #[command(flatten)]
    pub(in crate::cli) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}
