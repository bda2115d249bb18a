//! The only module that accesses the disk.
//!
//! In: paths as given by the user. Out: [`Input`]s for the library; files and trees that are written completely or not at
//! all. Listings are sorted, so that a run does not depend on the order in which a disk lists its files.

#![expect(clippy::disallowed_methods, reason = "this module is the only user")]

mod disk;
mod find;
mod git;
mod ignored;
mod staged;
mod write;

use std::fs;
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use rayon::prelude::*;

pub(super) use crate::cli::fs::disk::{Disk, has};
use crate::cli::fs::find::{Search, Source};
pub(super) use crate::cli::fs::git::{GitError, Revision, read_revision};
pub(super) use crate::cli::fs::staged::remove_on_signals;
pub(super) use crate::cli::fs::write::{Access, is_folder, rewrite, write_file, write_into, write_tree};
use promgen_repository::kustomize::read::gather::assets;
use promgen_repository::path::KUSTOMIZATION_FILES;
use promgen_text::limits::Limits;
use promgen_text::source::Input;

/// The name of standard input.
pub(super) const STDIN: &str = "<stdin>";

/// Maximum number of bytes read of one input: one more than the library accepts, so that it can report too many.
const MAX_BYTES: u64 = promgen_text::input::MAX_BYTES as u64 + 1;

/// Manifests, and the files that they were read from.
#[derive(Debug, Default)]
pub(super) struct ReadManifests {
    /// The texts. Their names are for display: the name of a path that is not UTF-8 is not a path.
    pub(super) inputs: Vec<Input>,
    /// The file of each text. `None` for standard input.
    pub(super) files: Vec<Option<PathBuf>>,
}

impl ReadManifests {
    /// The file of a text.
    pub(super) fn file(&self, index: usize) -> Option<&Path> {
        self.files.get(index)?.as_deref()
    }
}

/// Reads manifests, in the order of the paths and sorted within folders. A path given twice is read once.
///
/// # Errors
/// One message for each path that cannot be read, or that contains no manifest.
pub(super) fn read_manifests(paths: &[PathBuf], stdin: &mut dyn Read) -> Result<Vec<Input>, Vec<String>> {
    read_manifests_but(paths, |_| false, stdin).map(|manifests| manifests.inputs)
}

/// The same with their files, except those that are left out.
///
/// # Errors
/// As [`read_manifests`].
pub(super) fn read_manifests_but(
    paths: &[PathBuf],
    is_left_out: impl Fn(&Path) -> bool,
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    let mut search = Search::default();
    for path in paths {
        search.add_manifests(path);
    }
    search.retain(|path| !is_left_out(path));
    let (sources, failures) = search.into_parts();
    if failures.is_empty() { read_sources(sources, stdin) } else { Err(failures) }
}

/// Reads manifests, and the files that kustomizations among them refer to, wherever those are. If the user asks for builds,
/// a folder with a kustomization is that kustomization alone. What Git ignores is only read if `finds_ignored`.
///
/// # Errors
/// As [`read_manifests`].
pub(super) fn read_repository(
    paths: &[PathBuf],
    is_left_out: impl Fn(&Path) -> bool,
    (asks_for_builds, finds_ignored): (bool, bool),
    limits: Limits,
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    let mut search = Search::new(finds_ignored, limits);
    for path in paths {
        let kustomization = KUSTOMIZATION_FILES.iter().map(|name| path.join(name)).find(|file| file.is_file());
        match kustomization.filter(|_| asks_for_builds) {
            Some(file) => search.add_file(file.strip_prefix(".").map_or_else(|_| file.clone(), Path::to_owned)),
            None => search.add_manifests(path),
        }
    }
    search.retain(|path| !is_left_out(path));
    let (sources, failures) = search.into_parts();
    if !failures.is_empty() {
        return Err(failures);
    }
    let mut manifests = read_sources(sources, stdin)?;
    for asset in assets(&Disk, &manifests.inputs) {
        manifests.files.push(Some(PathBuf::from(&asset.name)));
        manifests.inputs.push(asset);
    }
    Ok(manifests)
}

fn read_sources(sources: Vec<Source>, stdin: &mut dyn Read) -> Result<ReadManifests, Vec<String>> {
    let read = |source: &Source| match source {
        Source::Stdin => None,
        Source::File(path) => Some(read_file(path)),
    };
    let files: Vec<_> = sources.par_iter().map(read).collect();
    let results = files.into_iter().map(|file| file.unwrap_or_else(|| read_stdin(stdin)));
    let inputs = all_or_messages(results)?;
    let file = |source| match source {
        Source::Stdin => None,
        Source::File(path) => Some(path),
    };
    Ok(ReadManifests { inputs, files: sources.into_iter().map(file).collect() })
}

/// Reads templates, named relative to their folder with `/` between components.
///
/// # Errors
/// One message for each file that cannot be read, or one if no file exists.
pub(super) fn read_templates(folder: &Path) -> Result<Vec<Input>, Vec<String>> {
    let mut search = Search::default();
    search.add_templates(folder);
    let (sources, failures) = search.into_parts();
    if !failures.is_empty() {
        return Err(failures);
    }
    all_or_messages(sources.iter().filter_map(|source| match source {
        Source::Stdin => None,
        Source::File(path) => Some(read_file(path).map(|input| Input { name: name_below(folder, path), ..input })),
    }))
}

/// Reads a text.
///
/// # Errors
/// A message, if it cannot be read or is not a text.
pub(super) fn read_text(path: &Path) -> Result<String, String> {
    let input = read_file(path)?;
    String::from_utf8(input.bytes).map_err(|_| format!("cannot read `{}`: it is not UTF-8", path.display()))
}

/// Reads a text that must be a regular file, or a link to one: a pipe or a device may never end.
///
/// # Errors
/// A message, if it is not a regular file, cannot be read, or is not a text.
pub(super) fn read_ordinary_text(path: &Path) -> Result<String, String> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => Err(format!("cannot read `{}`: it is not a file", path.display())),
        Ok(_) => read_text(path),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

/// The closest file of that name: in the folder of a path, or in one above it, up to the one that contains `.git`. The
/// entry may be of any type, such as a broken link.
pub(super) fn find_upwards(path: &Path, name: &str) -> Option<PathBuf> {
    let path = absolute(path);
    let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
    for folder in folder?.ancestors() {
        let file = folder.join(name);
        if file.symlink_metadata().is_ok() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The absolute path without links; unchanged if the file does not exist.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path == Path::new("-") { Path::new(".") } else { path };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Whether a non-empty file of that name exists.
pub(super) fn holds_text(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}

/// The absolute path of a file without links. `None` if the file does not exist.
pub(super) fn existing(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// A path relative to the current folder, if it is below it: as users write paths.
pub(super) fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(absolute(Path::new("."))).unwrap_or(path).to_owned()
}

fn name_below(folder: &Path, path: &Path) -> String {
    let components = path.strip_prefix(folder).unwrap_or(path).components();
    components.map(|c| c.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

fn all_or_messages(results: impl Iterator<Item = Result<Input, String>>) -> Result<Vec<Input>, Vec<String>> {
    let (mut inputs, mut failures) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(input) => inputs.push(input),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() { Ok(inputs) } else { Err(failures) }
}

fn read_file(path: &Path) -> Result<Input, String> {
    let read = || -> io::Result<Input> {
        let file = fs::File::open(path)?;
        let expected = file.metadata().map_or(0, |metadata| metadata.len()).min(MAX_BYTES);
        read_limited(file, expected).map(|bytes| Input::new(path.to_string_lossy().replace(MAIN_SEPARATOR, "/"), bytes))
    };
    read().map_err(|error| cannot_read(path, &error))
}

/// Reads standard input.
///
/// # Errors
/// A message, if it cannot be read, or is larger than any input that promgen accepts.
pub(super) fn read_standard_input(stdin: &mut dyn Read) -> Result<Input, String> {
    let input = read_stdin(stdin)?;
    // A part of it must never be passed on.
    if input.bytes.len() as u64 == MAX_BYTES {
        return Err(format!("cannot read standard input: it is larger than {} bytes", MAX_BYTES - 1));
    }
    Ok(input)
}

fn read_stdin(stdin: &mut dyn Read) -> Result<Input, String> {
    let bytes = read_limited(stdin, 0).map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(Input::new(STDIN, bytes))
}

fn read_limited(from: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    from.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn cannot_read(path: &Path, error: &io::Error) -> String {
    format!("cannot read `{}`: {error}", path.display())
}
