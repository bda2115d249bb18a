//! Writes the tree of a run, and removes what earlier runs wrote and this one does not.
//!
//! Replaces and removes only files that promgen wrote: they carry the mark of generated documents, or the record of the tree
//! has the digest of their content, unless the user asks to replace others. Stays below the root: no component of a path may be a
//! link. All of that is checked before anything changes.

mod earlier;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::cli::fs::leftovers::sweep;
use crate::cli::fs::or_current;
use crate::cli::fs::same::DigestedWriter;
use crate::cli::fs::staged::{StagedFile, undisturbed};
pub(crate) use crate::cli::fs::tree::earlier::read_list;
use crate::cli::fs::tree::earlier::{
    Destination, EarlierFiles, digester, is_file_below, is_folder_below, is_nothing, is_taken,
};
use crate::cli::fs::workspace::{check_written, plain};
use crate::cli::fs::write::{Access, Replaces, fill_buffered};
use promgen_compile::output::generated::record::{self, Digester, Record};
use promgen_compile::output::{Folder, OutputFile, RULES_FOLDER};
use promgen_text::CollectOrdered;
use promgen_text::parallel;

/// The maximum number of files that a message names.
const MAX_NAMED: usize = 10;

/// The files to write, and those that may be removed. All paths are relative to the root, with `/` between components.
pub(crate) struct FileTree<'t, 'o> {
    /// The folder that contains the tree. It may be a link within the repository.
    pub(crate) root: &'t Path,
    /// The files.
    pub(crate) files: &'t [OutputFile<'o>],
    /// The folders of the workloads, which are searched for outdated files.
    pub(crate) folders: &'t [Folder],
    /// Further outdated files.
    pub(crate) gone: &'t [String],
    /// A test that a file of that path is outdated if this run does not write it.
    pub(crate) is_outdated: &'t dyn Fn(&str) -> bool,
}

/// The changes by writing a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TreeChanges {
    /// The number of files in the tree.
    pub(crate) files: usize,
    /// The number of files that were written.
    pub(crate) written: usize,
    /// The number of files that were removed.
    pub(crate) removed: usize,
}

/// Checks that a tree may be written to a folder: it is new or empty, or promgen has written to it before, or the user asks for
/// it. Hidden files do not count: they may be those of a repository.
///
/// # Errors
/// The folder has files of others only, or leads out of the repository.
pub(crate) fn check_folder(root: &Path, replaces: Replaces) -> io::Result<()> {
    check_written(root)?;
    if replaces == Replaces::Anything || !is_taken(root)? {
        return Ok(());
    }
    let text = "it is not empty, and promgen has not written to it; use another folder, or --force to write to this one";
    Err(io::Error::other(text))
}

/// Checks that a folder of output is no folder of the input, and contains none: promgen would read what it has written.
///
/// # Errors
/// It is, or it does.
pub(crate) fn check_apart(root: &Path, inputs: &[PathBuf]) -> io::Result<()> {
    let inputs = or_current(inputs);
    let real = |path: &Path| {
        fs::canonicalize(path)
            .or_else(|_| fs::canonicalize(plain(path)))
            .ok()
    };
    let Some(root) = real(root) else {
        return Ok(());
    };
    let holds = |input: &&PathBuf| {
        input.is_dir() && real(input).is_some_and(|input| input.starts_with(&root))
    };
    inputs.iter().find(holds).map_or(Ok(()), |input| {
        let input = input.display();
        let text =
            format!("`{input}` is read, and lies in the folder of the output; write to a folder in it or beside it");
        Err(io::Error::other(text))
    })
}

/// Writes a tree. Each file is replaced completely or not at all; one that has its content already stays.
///
/// # Errors
/// An I/O error; or a link, or a file that promgen did not write, is in the way, or the root leads out of the repository:
/// nothing has changed then.
pub(crate) fn write_tree(
    tree: &FileTree<'_, '_>,
    access: Access,
    replaces: Replaces,
) -> io::Result<TreeChanges> {
    check_written(tree.root)?;
    fs::create_dir_all(tree.root)?;
    let earlier = EarlierFiles::read(tree.root, replaces)?;
    let destinations = destinations(tree, &earlier, access)?;
    let outdated = outdated(tree, &earlier)?;
    // A run that was killed before it could write the record has left what this one writes.
    if !destinations
        .iter()
        .any(|destination| matches!(destination, Destination::Same { .. }))
    {
        check_folder(tree.root, replaces)?;
    }
    sweep(tree.root);
    let (staged, ()) = StagedFile::create(tree.root, |path| access.new_folder().create(path))?;
    let (new, record) = stage(
        tree,
        destinations,
        still_valid(tree, &earlier, &outdated),
        &staged,
        access,
    )?;
    // A signal waits, so that the record fits the files.
    let _undisturbed = undisturbed();
    for path in &new {
        let target = tree.root.join(path);
        fs::create_dir_all(target.parent().unwrap_or(tree.root))?;
        fs::rename(staged.path.join(path), target)?;
    }
    outdated
        .iter()
        .try_for_each(|path| remove_below(tree.root, path))?;
    // Last: if the process is killed before, the same run again accepts what it has written, because it is the same.
    match record.text() {
        Some(_) if record == earlier.record => {}
        Some(_) => fs::rename(staged.path.join(record::FILE), tree.root.join(record::FILE))?,
        None if earlier.has_record => remove_below(tree.root, record::FILE)?,
        None => {}
    }
    Ok(TreeChanges {
        files: tree.files.len(),
        written: new.len(),
        removed: outdated.len(),
    })
}

/// The destination of each file, if everything in the way may be replaced.
fn destinations(
    tree: &FileTree<'_, '_>,
    earlier: &EarlierFiles<'_>,
    access: Access,
) -> io::Result<Vec<Destination>> {
    for folder in tree.folders {
        is_folder_below(tree.root, &folder.path)?;
        is_folder_below(tree.root, &format!("{}/{RULES_FOLDER}", folder.path))?;
    }
    let found = parallel::map(tree.files, 1, |file| earlier.destination(file, access));
    let (mut destinations, mut foreign) = (Vec::with_capacity(found.len()), Vec::new());
    for (file, destination) in tree.files.iter().zip(found) {
        match destination? {
            Some(destination) => destinations.push(destination),
            None => foreign.push(file.path.as_str()),
        }
    }
    if earlier.has_foreign_record && tree.files.iter().any(|file| !file.carries_mark()) {
        foreign.push(record::FILE);
    }
    if foreign.is_empty() {
        Ok(destinations)
    } else {
        Err(in_the_way(&foreign))
    }
}

fn in_the_way(foreign: &[&str]) -> io::Error {
    let named: Vec<String> = foreign
        .iter()
        .take(MAX_NAMED)
        .map(|path| format!("`{path}`"))
        .collect();
    let more = match foreign.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    io::Error::other(format!(
        "promgen did not write {}{more}, or the content has changed since; delete what is not needed, write to another folder, \
         or use --force to replace what is in the way",
        named.join(", ")
    ))
}

/// The files of earlier runs that go: only those that promgen wrote.
fn outdated(tree: &FileTree<'_, '_>, earlier: &EarlierFiles<'_>) -> io::Result<BTreeSet<String>> {
    let current: BTreeSet<&str> = tree
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect_set();
    let mut found: BTreeSet<String> = earlier.record.paths().map(str::to_owned).collect_set();
    for folder in tree.folders {
        for folder in [
            folder.path.clone(),
            format!("{}/{RULES_FOLDER}", folder.path),
        ] {
            found.extend(
                names(&tree.root.join(&folder))?
                    .into_iter()
                    .map(|name| format!("{folder}/{name}")),
            );
        }
    }
    let found = found
        .into_iter()
        .filter(|path| (tree.is_outdated)(path))
        .chain(tree.gone.iter().cloned());
    let mut outdated = BTreeSet::new();
    for path in found.filter(|path| !current.contains(path.as_str())) {
        if is_file_below(tree.root, &path)? && earlier.is_ours(&path)? {
            outdated.insert(path);
        }
    }
    Ok(outdated)
}

/// The paths of the files in the folder of a workload, relative to it.
pub(crate) fn names_of_workload(folder: &Path) -> Vec<String> {
    let rules = names(&folder.join(RULES_FOLDER)).unwrap_or_default();
    let rules = rules
        .into_iter()
        .map(|name| format!("{RULES_FOLDER}/{name}"));
    names(folder)
        .unwrap_or_default()
        .into_iter()
        .chain(rules)
        .collect()
}

/// The names in a folder, if it exists.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if is_nothing(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        // A folder is none of promgen's files, whatever its name.
        if !entry.file_type()?.is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

/// The record of what stays from earlier runs.
fn still_valid(
    tree: &FileTree<'_, '_>,
    earlier: &EarlierFiles<'_>,
    outdated: &BTreeSet<String>,
) -> Record {
    let current: BTreeSet<&str> = tree
        .files
        .iter()
        .map(|file| file.path.as_str())
        .collect_set();
    let mut record = earlier.record.clone();
    record.retain(|path| {
        let stays = !outdated.contains(path) && !current.contains(path);
        stays && is_file_below(tree.root, path).unwrap_or(false)
    });
    record
}

/// Writes the files that are not there yet below a staged folder, with the record. Returns their paths, and the record.
fn stage<'t>(
    tree: &FileTree<'t, '_>,
    destinations: Vec<Destination>,
    mut record: Record,
    staged: &StagedFile,
    access: Access,
) -> io::Result<(Vec<&'t str>, Record)> {
    let mut new = Vec::with_capacity(tree.files.len());
    let files: Vec<_> = tree.files.iter().zip(destinations).collect();
    let digests = parallel::map(&files, 1, |(file, destination)| match destination {
        Destination::Same { digest } => Ok(digest.clone()),
        Destination::Free => stage_file(file, &staged.path, access),
    });
    for ((file, destination), digest) in files.into_iter().zip(digests) {
        if let Some(digest) = digest? {
            record.insert(&file.path, digest);
        }
        if !matches!(destination, Destination::Same { .. }) {
            new.push(file.path.as_str());
        }
    }
    if let Some(text) = record.text() {
        let created = {
            let _guard = undisturbed();
            access.new_file().open(staged.path.join(record::FILE))?
        };
        fill_buffered(created, |out| out.write_all(text.as_bytes()))?;
    }
    Ok((new, record))
}

/// Writes a file below a staged folder. Returns the digest of its content, if it cannot carry the mark.
fn stage_file(file: &OutputFile<'_>, staged: &Path, access: Access) -> io::Result<Option<String>> {
    let path = staged.join(&file.path);
    let created = {
        // A folder that a signal has removed must not come into being again.
        let _guard = undisturbed();
        let created = fs::create_dir_all(path.parent().unwrap_or(staged));
        created
            .and_then(|()| access.new_file().open(path))
            .map_err(|error| of_name(file, error))?
    };
    let mut digester = digester(file);
    fill_buffered(
        DigestedWriter {
            inner: created,
            digester: &mut digester,
        },
        |out| file.write(out),
    )?;
    Ok(digester.map(Digester::finish))
}

/// Adds the resource whose name is too long for a file to the error.
fn of_name(file: &OutputFile<'_>, error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::InvalidFilename {
        return error;
    }
    let message = format!(
        "the name of {} is too long for the file system: `{}`",
        file.subject(),
        file.path
    );
    io::Error::new(ErrorKind::InvalidFilename, message)
}

/// Removes a file below a folder, and the folders between them that are empty then.
fn remove_below(root: &Path, path: &str) -> io::Result<()> {
    match fs::remove_file(root.join(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed?,
    }
    for folder in Path::new(path)
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != Path::new(""))
    {
        // It fails if the folder is not empty.
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
