//! What stands where a tree is to be written, and what of it promgen wrote.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::cli::fs::ordinary::{MAX_KUSTOMIZATION_BYTES, MAX_LIST_BYTES, read_ordinary};
use crate::cli::fs::same::{DigestedWriter, has_content};
use crate::cli::fs::workspace::Boundary;
use crate::cli::fs::write::{Access, Replaces};
use crate::cli::fs::{MAX_BYTES, cannot_read, names_in};
use promgen_compile::output::generated::record::{self, Digester, Record, digest};
use promgen_compile::output::generated::{COMMENT, is_marked_file};
use promgen_compile::output::{KUSTOMIZATION, OutputFile};

/// The place where a file is to be written.
pub(super) enum Destination {
    /// Nothing is there, or something that may be replaced.
    Free,
    /// The file is there.
    Same {
        /// The digest of its content, if it cannot carry the mark.
        digest: Option<String>,
    },
}

/// Takes the digest of a file that cannot carry the mark.
pub(super) fn digester(file: &OutputFile<'_>) -> Option<Digester> {
    (!file.carries_mark()).then(Digester::default)
}

/// The files of earlier runs in a folder.
pub(super) struct EarlierFiles<'t> {
    root: &'t Path,
    /// Those that cannot carry the mark.
    pub(super) record: Record,
    /// There is a record.
    pub(super) has_record: bool,
    /// There is a file in its place that is no record.
    pub(super) has_foreign_record: bool,
    replaces: Replaces,
}

impl<'t> EarlierFiles<'t> {
    /// Reads the record.
    ///
    /// # Errors
    /// An I/O error, or it is a link.
    pub(super) fn read(root: &'t Path, replaces: Replaces) -> io::Result<Self> {
        let text = list(root, record::FILE, MAX_LIST_BYTES)?;
        let read = text.as_deref().and_then(Record::parse);
        let has_foreign_record = replaces == Replaces::Ours
            && read.is_none()
            && text.is_some_and(|text| !text.trim().is_empty());
        Ok(Self {
            root,
            has_record: read.is_some(),
            has_foreign_record,
            record: read.unwrap_or_default(),
            replaces,
        })
    }

    /// Returns whether promgen wrote a file, and nobody has changed it since.
    pub(super) fn is_ours(&self, path: &str) -> io::Result<bool> {
        Ok(self
            .content(path)?
            .is_some_and(|content| self.wrote(path, &content)))
    }

    fn wrote(&self, path: &str, content: &[u8]) -> bool {
        std::str::from_utf8(content).is_ok_and(is_marked_file)
            || self.record.contains(path, content)
    }

    /// The destination of a file. `None` if there is one that promgen did not write, or that has changed since.
    pub(super) fn destination(
        &self,
        file: &OutputFile<'_>,
        access: Access,
    ) -> io::Result<Option<Destination>> {
        if !is_file_below(self.root, &file.path)? {
            return Ok(Some(Destination::Free));
        }
        let mut digester = digester(file);
        if has_content(&self.root.join(&file.path), access, &mut digester, |out| {
            file.write(out)
        })? {
            return Ok(Some(Destination::Same {
                digest: digester.map(Digester::finish),
            }));
        }
        if self.replaces == Replaces::Anything {
            return Ok(Some(Destination::Free));
        }
        let Some(content) = self.content(&file.path)? else {
            return Ok(None);
        };
        if content.trim_ascii().is_empty() || self.wrote(&file.path, &content) {
            return Ok(Some(Destination::Free));
        }
        // The tree of an older version has no record, and that of an interrupted run an older one; Git may have changed line
        // breaks.
        let mut new = Some(Digester::default());
        file.write(&mut DigestedWriter {
            inner: io::sink(),
            digester: &mut new,
        })?;
        let is_same = new.map(Digester::finish) == Some(digest(&content));
        Ok(is_same.then_some(Destination::Free))
    }

    /// The content of a file. `None` if it is larger than any that promgen reads.
    fn content(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match read_ordinary(&self.root.join(path), &Boundary::Open, MAX_BYTES - 1) {
            Err(error) if error.kind() == ErrorKind::FileTooLarge => Ok(None),
            Err(error) => Err(io::Error::new(error.kind(), format!("`{path}`: {error}"))),
            Ok(content) => Ok(Some(content)),
        }
    }
}

/// Returns whether a folder has files, and none that promgen has written.
pub(super) fn is_taken(root: &Path) -> io::Result<bool> {
    let names = names_in(root);
    if names.iter().all(|name| name.starts_with('.')) {
        return Ok(false);
    }
    let has_mark = |name: &str| {
        Ok::<_, io::Error>(list(root, name, MAX_LIST_BYTES)?.is_some_and(|text| is_written(&text)))
    };
    Ok(!(has_mark(record::FILE)? || has_mark(KUSTOMIZATION)? || has_generated(root, DEPTH)))
}

/// Returns whether a text begins with the mark.
fn is_written(text: &str) -> bool {
    text.lines().any(|line| line.trim_end() == COMMENT)
}

/// The folders above a file of a workload: its kind, its namespace and its name.
const DEPTH: usize = 3;

/// Returns whether there is a file with the mark in a folder at that depth. No link is followed.
fn has_generated(folder: &Path, depth: usize) -> bool {
    names_in(folder).iter().any(|name| {
        let path = folder.join(name);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_dir() => depth > 0 && has_generated(&path, depth - 1),
            Ok(metadata) => depth == 0 && metadata.is_file() && is_marked(&path),
            Err(_) => false,
        }
    })
}

fn is_marked(path: &Path) -> bool {
    let content = read_ordinary(path, &Boundary::Open, MAX_BYTES - 1);
    content.is_ok_and(|content| std::str::from_utf8(&content).is_ok_and(is_marked_file))
}

/// Reads a list of files at the root of a tree. `None` if it does not exist.
///
/// # Errors
/// A message, if it is a link, cannot be read, or is not a text.
pub(crate) fn read_list(root: &Path, name: &str) -> Result<Option<String>, String> {
    list(root, name, MAX_KUSTOMIZATION_BYTES).map_err(|error| cannot_read(&root.join(name), &error))
}

fn list(root: &Path, name: &str, max: u64) -> io::Result<Option<String>> {
    if !is_file_below(root, name)? {
        return Ok(None);
    }
    let bytes = read_ordinary(&root.join(name), &Boundary::Open, max)?;
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Returns whether there is a file of that path below the root.
///
/// # Errors
/// An I/O error; or a component of the path below the root is a link, or is of another type.
pub(super) fn is_file_below(root: &Path, path: &str) -> io::Result<bool> {
    match found_below(root, path)? {
        Some(found) if !found.is_file() => {
            Err(io::Error::other(format!("`{path}` is not a regular file")))
        }
        found => Ok(found.is_some()),
    }
}

/// Returns whether there is a folder of that path below the root.
///
/// # Errors
/// As [`is_file_below`].
pub(super) fn is_folder_below(root: &Path, path: &str) -> io::Result<bool> {
    match found_below(root, path)? {
        Some(found) if !found.is_dir() => Err(is_no_folder(path)),
        found => Ok(found.is_some()),
    }
}

fn is_no_folder(path: &str) -> io::Error {
    io::Error::other(format!("`{path}` is not a folder"))
}

/// Returns whether nothing can be there: what has a name that is too long cannot exist.
pub(super) fn is_nothing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound | ErrorKind::InvalidFilename
    )
}

/// What stands at a path, if anything, reached without a link.
fn found_below(root: &Path, path: &str) -> io::Result<Option<fs::FileType>> {
    let (mut at, mut found) = (String::new(), None);
    for component in path.split('/') {
        if found.is_some_and(|above: fs::FileType| !above.is_dir()) {
            return Err(is_no_folder(&at));
        }
        at = if at.is_empty() {
            component.to_owned()
        } else {
            format!("{at}/{component}")
        };
        let file_type = match fs::symlink_metadata(root.join(&at)) {
            Err(error) if is_nothing(&error) => return Ok(None),
            metadata => metadata?.file_type(),
        };
        if file_type.is_symlink() {
            let message = format!(
                "`{at}` is a link, and promgen writes through none; delete it, or write to another folder"
            );
            return Err(io::Error::other(message));
        }
        found = Some(file_type);
    }
    Ok(found)
}
