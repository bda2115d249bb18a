//! Where a command writes: to standard output, or to a file that the user names.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::args::ForceArgs;
use crate::cli::{Failure, Io, fs, report};

/// The file that the user names for an output. `None`: standard output, which is `-`, too.
pub(super) fn file_of(output: Option<&PathBuf>) -> Option<&Path> {
    output
        .map(PathBuf::as_path)
        .filter(|path| *path != Path::new("-"))
}

/// The failure of a path that cannot be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::message(format!("cannot write `{}`: {error}", path.display()))
}

/// The destination of an output.
#[derive(Clone, Copy)]
pub(super) struct OutputTarget<'a> {
    /// The file. `None`: standard output.
    pub(super) path: Option<&'a Path>,
    /// The output has the values of Secrets.
    pub(super) reveals_secrets: bool,
    /// Whether the file may replace another.
    pub(super) force: ForceArgs,
}

impl OutputTarget<'_> {
    /// Writes an output, which consists of so many things, and says so of a file.
    pub(super) fn write(
        self,
        n: usize,
        what: &str,
        io: &mut Io<'_>,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let Some(path) = self.path else {
            return io.print(write);
        };
        let access = fs::Access::of(self.reveals_secrets);
        fs::write_file(path, access, self.force.replaces(), write)
            .map_err(|error| cannot_write(path, &error))?;
        report::written(n, what, path, io);
        Ok(())
    }
}
