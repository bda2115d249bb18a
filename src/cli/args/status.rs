//! Arguments of `status`, and those about statuses that `render` shares with them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs};
use crate::cli::{Failure, Io, statuses};
use promgen_compile::options::{Options, Profile};
use promgen_text::time::Timestamp;

pub(super) const STATUS_EXAMPLES: &str = "\
Examples:
  promgen status manifests/                    what `kubectl get` will show once all pods run
  kubectl get sts,ds,pods -A -o yaml | promgen status manifests/ -
                                               what the operator writes about these pods
  promgen status manifests/ --live live.yaml  what differs from `kubectl get prometheus -A -o yaml`
  promgen status manifests/ --health          how Argo CD, Flux and kubectl evaluate it
  kubectl get prometheus,alertmanager -A -o yaml | promgen status --health -
  promgen status manifests/ --assert > assert.yaml
  promgen status manifests/ --profile aso --at 2026-11-21T08:20:47Z";

/// Arguments of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Format of the output [default: yaml; with --health: table]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<StatusSyntax>,
    /// Print how Argo CD, Flux and kubectl evaluate each status; exit code 1 if one takes it for unhealthy
    #[arg(long, conflicts_with_all = ["assert", "live"])]
    pub(crate) health: bool,
    /// With --health: use the expected status, even for objects with an observed one
    #[arg(long)]
    pub(crate) expected: bool,
    /// Print assertions for chainsaw and kuttl: only fields that are the same in every run
    #[arg(long)]
    pub(crate) assert: bool,
    /// Compare with a cluster: the output of `kubectl get -o yaml`, or `-`; exit code 1 if a status differs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["assert", "format"])]
    pub(crate) live: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) profile: ProfileArgs,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// The form of statuses.
#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    /// Form of statuses
    #[arg(long, value_enum, value_name = "PROFILE", default_value = "operator")]
    profile: ProfileArg,
    /// Time, such as 2026-11-22T03:00:00Z, of the run: the transition time of conditions that change, and the start of the deadline of retained shards;
    /// without it, conditions change at 1970-01-01T00:00:00Z
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    at: Option<Timestamp>,
    /// Earlier statuses; a condition that does not change keeps its transition time
    #[arg(long, value_name = "FILE")]
    pub(crate) previous: Option<PathBuf>,
}

impl StatusArgs {
    /// The format of the output.
    pub(crate) fn syntax(&self) -> StatusSyntax {
        self.format.unwrap_or(if self.health {
            StatusSyntax::Table
        } else {
            StatusSyntax::Yaml
        })
    }
}

impl ProfileArgs {
    /// The options with these settings, and with the earlier statuses, for a run with these paths.
    pub(crate) fn over(
        &self,
        options: Options,
        paths: &[PathBuf],
        io: &mut Io<'_>,
    ) -> Result<Options, Failure> {
        let mut options = Options {
            profile: self.profile.into(),
            at: self.at,
            ..options
        };
        if let Some(file) = &self.previous {
            options.previous = statuses::read(file, paths, &options.namespace, io)?;
        }
        Ok(options)
    }
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a time such as 2026-11-21T08:20:47Z".to_owned())
}

/// `--format` of `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusSyntax {
    /// One line per resource
    Table,
    Yaml,
    /// The objects in an object of the command
    Json,
    /// The objects as a `List`, as kubectl prints them
    List,
}

value_enum! {
    /// `--profile`.
    ProfileArg => Profile {
        /// The operator's
        Operator,
        /// The operator's first proposal: Available, Degraded, Reconciled
        Proposal,
        /// ADR 27 of the Stackable data platform: Available, Progressing, Degraded, Upgradable, Paused, Stopped
        Stackable,
        /// Azure Service Operator: Ready, with a severity
        Aso,
    }
}
