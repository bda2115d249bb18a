//! Arguments of `build`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{ForceArgs, HelmArgs, LimitArgs, RestrictorArgs, output_path};

pub(super) const BUILD_EXAMPLES: &str = "\
Examples:
  promgen build overlays/prod
  promgen build overlays/prod --annotate    with the file and line of each field
  promgen build overlays/prod -o built.yaml
  promgen build overlays/prod --format json | jq .kind
  promgen build overlays/prod | promgen lint -";

/// Arguments of `build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    /// Folder of a kustomization, or its file
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// Format of the objects
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) format: BuildFormat,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_parser = output_path())]
    pub(crate) output: Option<PathBuf>,
    /// Add a comment to each field with the file and line that it comes from
    #[arg(long)]
    pub(crate) annotate: bool,
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Print the values of Secrets instead of placeholders
    #[arg(long)]
    pub(crate) reveal_secrets: bool,
    #[command(flatten)]
    pub(crate) restrictor: RestrictorArgs,
    #[command(flatten)]
    pub(crate) helm: HelmArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `--format` of `build`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildFormat {
    Yaml,
    /// The objects in an object of the command
    Json,
    /// The objects as a `List`, as kubectl prints them
    List,
}
