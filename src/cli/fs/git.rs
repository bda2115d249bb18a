//! Manifests of a git revision, without a checkout.
//!
//! In: a revision, and paths. Out: the texts that the paths would give in a checkout. Runs the `git` command in the repository that
//! contains the current folder: `rev-parse` names the commit, `ls-tree` lists its files, `cat-file` gives their bytes.

mod blobs;
mod cause;
mod commit;
mod place;
mod repository;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::cli::fs::git::blobs::Unavailable;
use crate::cli::fs::git::commit::{Commit, below_root};
use crate::cli::fs::git::repository::GitRepository;
use crate::cli::fs::{MAX_BYTES, names};
use promgen_repository::kustomize::read::gather::{Content, Files as _, assets};
use promgen_repository::path::{folder, join};
use promgen_text::limits::Limits;
use promgen_text::source::{FileBytes, Input};

/// Why a revision cannot be read.
#[derive(Debug)]
pub(crate) enum GitError {
    /// The argument is wrong: there is no such revision, no repository, or no `git`.
    Usage(String),
    /// Files cannot be read. One message each.
    Read(Vec<String>),
}

/// A revision to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Revision {
    /// A revision, as `git rev-parse` reads it.
    Named(String),
    /// The best common ancestor of two revisions.
    MergeBase(String, String),
}

/// The files that paths give in a revision.
#[derive(Debug, Default)]
pub(crate) struct ReadRevision {
    /// The manifests, and what they refer to.
    pub(crate) inputs: Vec<Input>,
    /// The paths that give no manifest, each with a message that says so.
    pub(crate) absent: Vec<(PathBuf, String)>,
    /// The submodules that were left out: their content is in other repositories.
    pub(crate) submodules: BTreeSet<String>,
}

/// Reads the manifests that paths give in a revision. As [`read_repository`](super::read_repository), a folder with a
/// kustomization is that kustomization alone, but for the current one and the root.
///
/// # Errors
/// As [`GitError`] lists.
pub(crate) fn read_revision(
    revision: &Revision,
    paths: &[PathBuf],
    limits: &Limits,
) -> Result<ReadRevision, GitError> {
    let (repository, commit) = revision.find(limits)?;
    let tree = Commit::of(&repository, &commit, None)?;
    let (mut names, mut absent, mut failures) = (BTreeSet::new(), Vec::new(), Vec::new());
    for path in paths {
        match tree.asked(path) {
            Ok(found) if found.is_empty() => {
                let message = format!(
                    "no manifest (.yaml, .yml, .json) found in `{}` of {}",
                    path.display(),
                    short(&commit)
                );
                absent.push((path.clone(), message));
            }
            Ok(found) => names.extend(found),
            Err(message) => failures.push(message),
        }
    }
    if !failures.is_empty() {
        return Err(GitError::Read(failures));
    }
    tree.prepare(&names)?;
    let mut inputs = Vec::new();
    for name in &names {
        match tree.read(name) {
            Content::File { bytes, belongs_to } => inputs.push(Input {
                belongs_to,
                ..Input::new(name.clone(), bytes)
            }),
            Content::Unread(why) => inputs.push(Input::unread(name.clone(), why)),
            Content::Absent => {
                tree.check()?;
                failures.push(format!("cannot read `{name}` of {}", short(&commit)));
            }
        }
    }
    inputs.extend(if failures.is_empty() {
        assets(&tree, &inputs)
    } else {
        Vec::new()
    });
    tree.check()?;
    if !failures.is_empty() {
        return Err(GitError::Read(failures));
    }
    let submodules = tree.skipped.take();
    Ok(ReadRevision {
        inputs,
        absent,
        submodules,
    })
}

/// The closest file of that name in a revision: in the folder of a path, or in one above it. Its path is relative to the current
/// folder. A path outside of the repository has none.
///
/// # Errors
/// The revision cannot be read.
pub(crate) fn closest_in(
    revision: &str,
    start: &Path,
    name: &str,
    limits: &Limits,
) -> Result<Option<(PathBuf, FileBytes)>, GitError> {
    let (repository, commit) = Revision::Named(revision.to_owned()).find(limits)?;
    let Ok(start) = below_root(&repository, start) else {
        return Ok(None);
    };
    let above = |at: &String| (at != ".").then(|| folder(at).to_owned());
    let folders = std::iter::successors(Some(start), above);
    let rooted: Vec<String> = folders
        .map(|at| join(".", &format!("{at}/{name}")))
        .collect();
    first_of(&repository, &commit, &rooted)
}

/// A file of a revision. `None` if there is none.
///
/// # Errors
/// The revision cannot be read.
pub(crate) fn file_in(
    revision: &str,
    path: &Path,
    limits: &Limits,
) -> Result<Option<FileBytes>, GitError> {
    let (repository, commit) = Revision::Named(revision.to_owned()).find(limits)?;
    let Ok(rooted) = below_root(&repository, path) else {
        return Ok(None);
    };
    Ok(first_of(&repository, &commit, &[rooted])?.map(|(_, bytes)| bytes))
}

/// The first of some paths from the root that is a file, relative to the current folder.
fn first_of(
    repository: &GitRepository,
    commit: &str,
    rooted: &[String],
) -> Result<Option<(PathBuf, FileBytes)>, GitError> {
    let tree = Commit::of(repository, commit, Some(rooted))?;
    for path in rooted.iter().map(|path| tree.relative(path)) {
        match tree.read(&path) {
            Content::File { bytes, .. } => return Ok(Some((PathBuf::from(path), bytes))),
            Content::Unread(why) => {
                return Err(GitError::Read(vec![format!(
                    "cannot read `{path}` of {}: {why}",
                    short(commit)
                )]));
            }
            Content::Absent => tree.check()?,
        }
    }
    Ok(None)
}

/// Writes the files below a path of a revision to a folder, or a file that the path is. `is_rooted`: whether the path is from
/// the root of the repository. Returns whether there are any.
///
/// # Errors
/// A message, if the revision cannot be read, or has too many files there.
pub(super) fn export(
    revision: &Revision,
    path: &str,
    is_rooted: bool,
    target: &Path,
    limits: &Limits,
) -> Result<bool, String> {
    let message = |error: GitError| match error {
        GitError::Usage(text) => text,
        GitError::Read(messages) => messages.join("; "),
    };
    let (repository, commit) = revision.find(limits).map_err(message)?;
    let rooted = if is_rooted {
        Ok(join(".", path.trim_start_matches(['.', '/'])))
    } else {
        below_root(&repository, Path::new(path))
    };
    let Ok(rooted) = rooted else { return Ok(false) };
    let tree =
        Commit::of(&repository, &commit, Some(std::slice::from_ref(&rooted))).map_err(message)?;
    let below = format!("{rooted}/");
    let files = tree
        .entries
        .range(below.clone()..)
        .take_while(|(name, _)| name.starts_with(&below));
    let files: Vec<_> = files.filter(|(_, entry)| !entry.is_link).collect();
    if files.len() > MAX_FILES {
        return Err("the chart is too large".to_owned());
    }
    let mut n_bytes = 0;
    if let Some((name, _)) = files
        .iter()
        .find(|(name, _)| !names::is_ordinary_path(&name[below.len()..]))
    {
        return Err(format!(
            "`{name}` is no path of a file: nothing of the chart is written"
        ));
    }
    for (name, entry) in &files {
        let bytes = tree.content(&entry.id).map_err(|why| match why {
            Unavailable::Missing => format!("cannot read `{name}`"),
            Unavailable::Refused(error) => message(error),
        })?;
        let bytes = bytes.ok_or("the chart is too large")?;
        n_bytes += bytes.len() as u64;
        if n_bytes > MAX_BYTES {
            return Err("the chart is too large".to_owned());
        }
        let file = target.join(&name[below.len()..]);
        let written = file
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(file, &*bytes));
        written.map_err(|error| format!("cannot write a temporary file: {error}"))?;
    }
    Ok(!files.is_empty())
}

/// The number of files of a chart that are read.
const MAX_FILES: usize = 10_000;

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn usage(text: String) -> GitError {
    GitError::Usage(text)
}

impl Revision {
    /// The repository of the current folder, and the commit in it.
    fn find(&self, limits: &Limits) -> Result<(GitRepository, String), GitError> {
        let (Self::Named(first) | Self::MergeBase(first, _)) = self;
        let repository = GitRepository::find(first, limits)?;
        let commit = match self {
            Self::Named(name) => named(&repository, name)?,
            Self::MergeBase(a, b) => {
                let (a, b) = (named(&repository, a)?, named(&repository, b)?);
                repository
                    .text(&["merge-base", &a, &b])
                    .map_err(|error| match error {
                        GitError::Usage(_) => cause::of_missing_ancestor(&repository, &a, &b),
                        error @ GitError::Read(_) => error,
                    })?
            }
        };
        Ok((repository, commit))
    }
}

fn named(repository: &GitRepository, name: &str) -> Result<String, GitError> {
    let asked = format!("{name}^{{commit}}");
    match repository.text(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &asked,
    ]) {
        Ok(commit) if commit.len() >= 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()) => {
            repository.check_parent(name)?;
            Ok(commit)
        }
        Err(error @ GitError::Read(_)) => Err(error),
        _ => Err(cause::of_missing_revision(repository, name)),
    }
}
