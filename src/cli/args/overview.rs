//! Arguments of a run without a command.

use clap::Args;

use crate::cli::args::{CompileArgs, EnvironmentArgs};

/// What to print an overview of.
#[derive(Debug, Args)]
pub(crate) struct OverviewArgs {
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}
