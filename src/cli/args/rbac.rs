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
pub(crate) struct RbacArgs {
    /// Use only this workload
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse, conflicts_with = "operator")]
    pub(crate) workload: Option<WorkloadName>,
    /// Print only what the input does not grant; exit code 1 if anything is missing
    #[arg(long)]
    pub(crate) check: bool,
    /// Print what the operator in the input needs for itself, for its flags
    #[arg(long)]
    pub(crate) operator: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}
