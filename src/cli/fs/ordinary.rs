//! Reads the files beside the manifests: settings, baselines, tests, targets, statuses, templates.
//!
//! A file of a repository must be a regular file in it. What is refused is not opened, so that no message can quote it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::cli::fs::find::{FoundFile, Search, Source};
use crate::cli::fs::territory::Territory;
use crate::cli::fs::workspace::{Boundary, Workspace};
use crate::cli::fs::{
    MAX_BYTES, ReadManifests, all_or_messages, cannot_read, name_below, read_limited, read_stdin,
    relative, targets,
};
use promgen_text::limits::Limits;
use promgen_text::source::Input;

/// The maximum number of bytes of settings: `promgen.yaml`, a `.gitignore`, a template. Small ones already cost much to
/// prepare.
pub(crate) const MAX_SETTINGS_BYTES: u64 = 256 << 10;

/// The maximum number of bytes of a list in YAML: the `kustomization.yaml` of a tree.
pub(crate) const MAX_KUSTOMIZATION_BYTES: u64 = 2 << 20;

/// The maximum number of bytes of other lists: a baseline, alerts, the record of a tree.
pub(crate) const MAX_LIST_BYTES: u64 = 16 << 20;

/// Reads settings, which must be a regular file inside of a boundary.
///
/// # Errors
/// A message, if they are not, cannot be read, are too large, or are not a text.
pub(crate) fn read_ordinary_text(path: &Path, boundary: &Boundary) -> Result<String, String> {
    as_text(path, read_ordinary(path, boundary, MAX_SETTINGS_BYTES))
}

/// Reads a list, which must be a regular file inside of a boundary; outside of any repository, a pipe or a device, too.
///
/// # Errors
/// As [`read_ordinary_text`].
pub(crate) fn read_text(path: &Path, boundary: &Boundary) -> Result<String, String> {
    as_text(path, read_any(path, boundary, MAX_LIST_BYTES))
}

/// The files among these that are there, to compare them with what they are later. What is refused is not read here either.
pub(crate) fn read_beside(files: &[PathBuf], workspace: &Workspace) -> Vec<Input> {
    let read = |path: &PathBuf| {
        let bytes = read_ordinary(path, &workspace.typed(path), MAX_LIST_BYTES).ok()?;
        Some(Input::new(
            relative(path)
                .to_string_lossy()
                .replace(MAIN_SEPARATOR, "/"),
            bytes,
        ))
    };
    files.iter().filter_map(read).collect()
}

fn as_text(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<String, String> {
    let bytes = bytes.map_err(|error| cannot_read(path, &error))?;
    String::from_utf8(bytes)
        .map_err(|_| format!("cannot read `{}`: it is not UTF-8", path.display()))
}

/// Reads a file that must be a regular one inside of a boundary, and have no more bytes than it says.
///
/// # Errors
/// An I/O error, or why it is refused.
pub(super) fn read_ordinary(path: &Path, boundary: &Boundary, max: u64) -> io::Result<Vec<u8>> {
    let is_not_regular = || io::Error::other("it is not a regular file");
    boundary.check(path)?;
    // Opening a pipe waits for a writer.
    if !fs::metadata(path)?.is_file() {
        return Err(is_not_regular());
    }
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let bytes = read_up_to(file, size, max)?;
    // A file of `/proc` says that it is empty, and one that grows may never end.
    if bytes.len() as u64 > size {
        Err(is_not_regular())
    } else {
        Ok(bytes)
    }
}

/// The same; what the user typed outside of any repository may be a pipe or a device.
fn read_any(path: &Path, boundary: &Boundary, max: u64) -> io::Result<Vec<u8>> {
    if *boundary == Boundary::Open && !fs::metadata(path)?.is_file() {
        return read_up_to(File::open(path)?, 0, max);
    }
    read_ordinary(path, boundary, max)
}

/// Reads all, up to a maximum.
fn read_up_to(from: impl Read, expected: u64, max: u64) -> io::Result<Vec<u8>> {
    let too_large = || {
        io::Error::new(
            ErrorKind::FileTooLarge,
            format!("it is larger than {max} bytes"),
        )
    };
    if expected > max {
        return Err(too_large());
    }
    let bytes = read_limited(from.take(max + 1), expected)?;
    if bytes.len() as u64 > max {
        Err(too_large())
    } else {
        Ok(bytes)
    }
}

/// Reads files that the user typed, and the manifests of folders among them, in the order of the paths and sorted within
/// folders. A path given twice is read once.
///
/// # Errors
/// One message for each path that is refused, cannot be read, or contains no manifest.
pub(crate) fn read_files(
    paths: &[PathBuf],
    workspace: &Workspace,
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    let (mut search, mut failures) = (
        Search::new(Territory::of(paths), false, Limits::default()),
        Vec::new(),
    );
    for path in paths {
        let is_stdin = path == Path::new("-");
        match workspace
            .typed(path)
            .check(path)
            .or_else(|error| if is_stdin { Ok(()) } else { Err(error) })
        {
            Ok(()) => search.add_manifests(path),
            Err(error) => failures.push(cannot_read(path, &error)),
        }
    }
    let folders = search.take_folders();
    let (sources, missing) = search.into_parts();
    failures.extend(missing);
    if !failures.is_empty() {
        return Err(failures);
    }
    let read = |source: &Source| match source {
        Source::Stdin => read_stdin(stdin),
        Source::File(FoundFile { path, .. }) => {
            read_input(path, &boundary_of(path, paths, workspace))
        }
        Source::Unread(path, why) => Err(format!("cannot read `{}`: {why}", path.display())),
    };
    let inputs = all_or_messages(sources.iter().map(read))?;
    let targets = targets(&sources);
    let files = sources.into_iter().map(Source::into_path).collect();
    Ok(ReadManifests {
        inputs,
        files,
        folders,
        targets,
        ..ReadManifests::default()
    })
}

/// The boundary of a file that one of the paths is or contains.
fn boundary_of(file: &Path, paths: &[PathBuf], workspace: &Workspace) -> Boundary {
    let holds = |folder: &&PathBuf| file.starts_with(folder.strip_prefix(".").unwrap_or(folder));
    match paths.iter().filter(|path| path.is_dir()).find(holds) {
        Some(folder) if !paths.iter().any(|path| path == file) => workspace.found(folder),
        _ => workspace.typed(file),
    }
}

/// Reads a file.
pub(crate) fn read_input(path: &Path, boundary: &Boundary) -> Result<Input, String> {
    let bytes =
        read_any(path, boundary, MAX_BYTES - 1).map_err(|error| cannot_read(path, &error))?;
    Ok(Input::new(
        path.to_string_lossy().replace(MAIN_SEPARATOR, "/"),
        bytes,
    ))
}

/// Reads templates, named relative to their folder with `/` between components.
///
/// # Errors
/// One message for each file that is refused or cannot be read, or one if no file exists.
pub(crate) fn read_templates(
    folder: &Path,
    workspace: &Workspace,
) -> Result<Vec<Input>, Vec<String>> {
    let mut search = Search::new(Territory::of([folder]), true, Limits::default());
    if folder.exists() {
        workspace
            .typed(folder)
            .check(folder)
            .map_err(|error| vec![cannot_read(folder, &error)])?;
    }
    search.add_templates(folder);
    let (sources, failures) = search.into_parts();
    if !failures.is_empty() {
        return Err(failures);
    }
    let boundary = workspace.found(folder);
    let files = sources.iter().filter_map(|source| match source {
        Source::Stdin => None,
        // The boundary refuses what must not be read.
        Source::File(FoundFile { path, .. }) | Source::Unread(path, _) => Some(path),
    });
    all_or_messages(files.map(|path| {
        let bytes = read_ordinary(path, &boundary, MAX_SETTINGS_BYTES)
            .map_err(|error| cannot_read(path, &error))?;
        Ok(Input::new(name_below(folder, path), bytes))
    }))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_file_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "12345").unwrap();
        let read =
            |max| read_ordinary(&path, &Boundary::Open, max).map_err(|error| error.to_string());
        assert_eq!(read(5).unwrap(), b"12345");
        assert_eq!(read(4).unwrap_err(), "it is larger than 4 bytes");
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 40)
            .unwrap();
        let refused = read_ordinary_text(&path, &Boundary::Open).unwrap_err();
        assert!(
            refused.ends_with("it is larger than 262144 bytes"),
            "{refused}"
        );
    }

    #[test]
    fn only_a_regular_file_is_ordinary() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(
            Command::new("mkfifo")
                .arg(&fifo)
                .status()
                .unwrap()
                .success()
        );
        for path in [&fifo, folder.path(), Path::new("/dev/null")] {
            let refused = read_ordinary_text(path, &Boundary::Open).unwrap_err();
            assert!(refused.ends_with("it is not a regular file"), "{refused}");
        }
        if Path::new("/proc/self/environ").exists() {
            let refused = read_text(Path::new("/proc/self/environ"), &Boundary::Open).unwrap_err();
            assert!(refused.ends_with("it is not a regular file"), "{refused}");
        }
        assert_eq!(
            read_text(Path::new("/dev/null"), &Boundary::Open).unwrap(),
            ""
        );
        let within = Boundary::Repository(fs::canonicalize(folder.path()).unwrap());
        let refused = read_text(&fifo, &within).unwrap_err();
        assert!(refused.ends_with("it is not a regular file"), "{refused}");
    }
}
