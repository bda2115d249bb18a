//! Arguments of `status` and `health`, and those about statuses that `render` shares with them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::CompileArgs;
use crate::options::{Options, Profile};
use crate::time::Timestamp;

pub(super) const STATUS_EXAMPLES: &str = "\
Examples:
  promgen status manifests/                    what `kubectl get` will show once all pods run
  kubectl get sts,ds,pods -A -o yaml | promgen status manifests/ -
                                               what the operator writes about these pods
  promgen status manifests/ --check live.yaml  what differs from `kubectl get prometheus -A -o yaml`
  promgen status manifests/ --assert > assert.yaml
  promgen status manifests/ --profile aso --at 2026-11-21T08:20:47Z";

pub(super) const HEALTH_EXAMPLES: &str = "\
Examples:
  promgen health manifests/
  kubectl get prometheus,alertmanager -A -o yaml | promgen health -";

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(in crate::cli) struct StatusArgs {
    /// Syntax of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "yaml")]
    pub(in crate::cli) format: StatusFormat,
    /// Print only what stays the same from run to run, for `chainsaw assert` and kuttl
    #[arg(long)]
    pub(in crate::cli) assert: bool,
    /// Compare with the objects of a cluster, such as `kubectl get -o yaml` prints them: exit code 1 if they differ
    #[arg(long, value_name = "FILE", conflicts_with_all = ["assert", "format"])]
    pub(in crate::cli) check: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) manner: MannerArgs,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// Arguments of `health`.
#[derive(Debug, Args)]
pub(in crate::cli) struct HealthArgs {
    /// Syntax of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "table")]
    pub(in crate::cli) format: StatusFormat,
    /// Judge the expected status, even of objects that have one
    #[arg(long)]
    pub(in crate::cli) expected: bool,
    #[command(flatten)]
    pub(in crate::cli) manner: MannerArgs,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// How statuses are written.
#[derive(Debug, Args)]
pub(in crate::cli) struct MannerArgs {
    /// In whose manner statuses are written
    #[arg(long, value_enum, value_name = "PROFILE", default_value = "operator")]
    profile: ProfileArg,
    /// The time of the run: when conditions changed that were different before, and from when the deadline of shards is
    /// counted that were scaled away; without it, such times are left out
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Timestamp>,
    /// Statuses of earlier: a condition that did not change since keeps its time
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) previous: Option<PathBuf>,
}

impl MannerArgs {
    /// Those options, and the others. Earlier statuses are read by the caller.
    pub(in crate::cli) fn apply(&self, options: Options) -> Options {
        Options { profile: self.profile.into(), at: self.at, ..options }
    }
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a time such as 2026-11-21T08:20:47Z".to_owned())
}

/// `--format` of `status` and `health`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum StatusFormat {
    Yaml,
    Json,
    /// One line each, for people
    Table,
}

value_enum! {
    /// `--profile`.
    ProfileArg => Profile {
        /// As the operator writes them
        Operator,
        /// As the operator's first proposal has them: Available, Degraded, Reconciled
        Proposal,
        /// As ADR 27 of the Stackable data platform has them: Available, Progressing, Degraded, Upgradable, Paused, Stopped
        Stackable,
        /// As the Azure service operator has them: Ready, with a severity
        Aso,
    }
}
