//! Keeps output from replacing input files.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::cli::output::cannot_write;
use crate::cli::{Failure, fs};
use promgen_compile::output::Output;
use promgen_text::source::FileId;

/// The files that no output may replace.
#[derive(Debug, Default)]
pub(super) struct SparedFiles {
    files: BTreeSet<PathBuf>,
}

impl SparedFiles {
    /// The manifests written by users: empty files and files with only promgen's own output may be replaced.
    /// `files` are those of the first sources of the output.
    pub(super) fn of(output: &Output, files: &[Option<PathBuf>]) -> Self {
        let is_precious = |(id, file): &(FileId, &promgen_text::source::SourceFile)| {
            !output.generated.is_whole(*id) && !file.text.trim().is_empty()
        };
        let named = output.sources.files().zip(files);
        let precious = named.filter(|(file, _)| is_precious(file));
        let disk = fs::Disk::default();
        let files = precious.filter_map(|(_, path)| disk.real(path.as_deref()?));
        Self {
            files: files.collect(),
        }
    }

    /// Files, whatever their content.
    pub(super) fn files<'p>(files: impl IntoIterator<Item = &'p Path>) -> Self {
        Self {
            files: files.into_iter().filter_map(fs::existing).collect(),
        }
    }

    /// Checks the file to write, if there is one: it is no input, and nobody's work is lost with it.
    ///
    /// # Errors
    /// It must not be replaced.
    pub(super) fn check_output(
        &self,
        target: Option<&Path>,
        replaces: fs::Replaces,
    ) -> Result<(), Failure> {
        self.check(target)?;
        let Some(target) = target else { return Ok(()) };
        fs::check_output(target, replaces).map_err(|error| cannot_write(target, &error))
    }

    /// Checks the files to write.
    ///
    /// # Errors
    /// One of them must not be replaced.
    pub(super) fn check<'p>(
        &self,
        targets: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
        let is_spared = |target: &&Path| {
            fs::existing(target).is_some_and(|target| self.files.contains(&target))
        };
        match targets.into_iter().find(is_spared) {
            Some(target) => Err(Failure::message(format!(
                "cannot write `{}`: it is an input file; use another path",
                target.display()
            ))),
            None => Ok(()),
        }
    }
}

/// A test that a file in a folder of the input is what an earlier run has written to the file of this one: it is none of the
/// input then, so that the second run reads what the first has read. What the user types is always an input.
pub(super) fn is_earlier_output<'p>(
    output: Option<&Path>,
    typed: &'p [PathBuf],
) -> impl Fn(&Path) -> bool + use<'p> {
    let output = output
        .filter(|path| fs::is_earlier_output(path))
        .map(|path| (path.file_name().map(OsStr::to_owned), fs::absolute(path)));
    move |path| {
        let is_same = |(name, real): &(Option<OsString>, PathBuf)| {
            let is_named = path.file_name() == name.as_deref() || path.is_symlink();
            is_named
                && fs::absolute(path) == *real
                && !typed.iter().any(|typed| fs::absolute(typed) == *real)
        };
        output.as_ref().is_some_and(is_same)
    }
}
