//! `--watch` and `--no-clear`.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;

use crate::cli::Failure;

/// Whether a command runs again and again.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct RerunArgs {
    /// Run again whenever a file changes, until Ctrl-C
    #[arg(long, help_heading = "Watch")]
    pub(crate) watch: bool,
    /// With --watch: do not clear the screen before a run
    #[arg(long, requires = "watch", help_heading = "Watch")]
    pub(crate) no_clear: bool,
}

impl RerunArgs {
    /// Refuses standard input, which can be read only once. `paths` are those of the command.
    pub(crate) fn check<'p>(
        self,
        command: &'static str,
        paths: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), Failure> {
        if self.watch && paths.into_iter().any(|path| path == Path::new("-")) {
            let text = "--watch reads files again and again, but standard input can be read only once: use files";
            return Err(Failure::usage(command, ErrorKind::ArgumentConflict, text));
        }
        Ok(())
    }
}
