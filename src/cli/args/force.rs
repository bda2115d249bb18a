//! `--force`.

use clap::Args;

use crate::cli::fs::Replaces;

/// Whether an output may replace what promgen has not written.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ForceArgs {
    /// Replace a file that promgen has not written, unless it is an input; write to a folder that has other files
    #[arg(long)]
    force: bool,
}

impl ForceArgs {
    /// What an output may replace.
    pub(crate) const fn replaces(self) -> Replaces {
        Replaces::of(self.force)
    }
}
