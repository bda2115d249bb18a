//! Arguments of a run without a command.

use clap::Args;

use crate::cli::args::{CompileArgs, EnvironmentArgs};

/// What to print an overview of.
#[derive(Debug, Args)]
pub(in crate::cli) struct OverviewArgs {
    #[command(flatten)]
    pub(in crate::cli) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}
