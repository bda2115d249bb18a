//! `--environment`.

use clap::Args;

/// The environments that a question is about.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EnvironmentArgs {
    /// Answer only for the environments of that folder: a path, its last part, or a glob [default: all]
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Vec<String>,
}
