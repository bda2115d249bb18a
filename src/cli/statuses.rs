//! Statuses that a command is given in files: earlier ones, and those of a cluster.

use std::path::{Path, PathBuf};

use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_compile::output::Output;
use promgen_resources::observed_status::Statuses;

/// The statuses of a file, for a run with these paths. An invalid status is reported like a manifest, and is a failure.
pub(super) fn read(
    file: &Path,
    paths: &[PathBuf],
    namespace: &str,
    io: &mut Io<'_>,
) -> Result<Statuses, Failure> {
    let workspace = fs::Workspace::of(paths);
    let read =
        fs::read_files(&[file.to_owned()], &workspace, io.stdin).map_err(Failure::Messages)?;
    let (statuses, diagnostics, sources) = Statuses::read(&read.inputs, namespace);
    let output = Output {
        diagnostics,
        sources,
        ..Output::default()
    };
    match report::in_full(&output, io) {
        Exit::Clean => Ok(statuses),
        Exit::Findings | Exit::Failure => Err(Failure::message(format!(
            "no statuses can be read from `{}`",
            file.display()
        ))),
    }
}
