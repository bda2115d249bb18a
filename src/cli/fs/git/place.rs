//! The repository of the current folder: the one that contains it, and none that is a part of another.
//!
//! A commit can hold all files of a bare repository (`HEAD`, `config`, `objects`, `refs`), and git reads one that it finds on its way up.
//! It cannot hold anything named `.git`. So the way up looks for `.git` alone; a bare repository counts if there is no `.git` above it.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use crate::cli::fs::programs::set;

/// The largest file `.git` that is read.
const MAX_LINK: u64 = 4 << 10;

/// Where `git` runs, and what it must find there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GitPlace {
    /// In the current folder: `GIT_DIR` of the user names the repository.
    Given,
    /// In a bare repository.
    Bare(PathBuf),
    /// At the root of a work tree.
    WorkTree {
        root: PathBuf,
        /// The path of the current folder from the root, with `/` at its end.
        prefix: String,
        /// The work tree of which it is a submodule, and its path there.
        parent: Option<(PathBuf, String)>,
    },
}

impl GitPlace {
    /// The place of the current folder. `None` if it is in no repository.
    ///
    /// # Errors
    /// What is there may be a part of a commit.
    pub(super) fn find() -> Result<Option<Self>, String> {
        if set("GIT_DIR").is_some() {
            return Ok(Some(Self::Given));
        }
        let Ok(current) = fs::canonicalize(".") else {
            return Ok(None);
        };
        Self::of(&current)
    }

    /// The place of a folder without links.
    fn of(current: &Path) -> Result<Option<Self>, String> {
        let Some(root) = current.ancestors().find(|folder| has_repository(folder)) else {
            return Ok(Some(Self::Bare(current.to_owned())).filter(|_| is_bare(current)));
        };
        if let Some(bare) = current
            .ancestors()
            .take_while(|folder| *folder != root)
            .find(|folder| is_bare(folder))
        {
            return Err(format!(
                "`{}` looks like a repository, but lies in that of `{}`, whose commits may hold it: go to another folder, or \
                 set GIT_DIR to one of them",
                bare.display(),
                root.display()
            ));
        }
        let prefix = slashed(current.strip_prefix(root).unwrap_or(Path::new("")));
        let prefix = if prefix.is_empty() {
            prefix
        } else {
            format!("{prefix}/")
        };
        Ok(Some(Self::WorkTree {
            root: root.to_owned(),
            prefix,
            parent: parent_of(root)?,
        }))
    }
}

/// The work tree of which a root is a submodule, and its path there.
///
/// # Errors
/// The root is in a work tree, and has a file `.git` that leads to what a commit can hold, or to a repository that knows nothing of it.
fn parent_of(root: &Path) -> Result<Option<(PathBuf, String)>, String> {
    let Some(target) = target(&root.join(".git")) else {
        return Ok(None);
    };
    let foreign = |why: &str| {
        Err(format!(
            "`{}` leads to `{}`, {why}: set GIT_DIR",
            root.join(".git").display(),
            target.display()
        ))
    };
    let above = || {
        root.ancestors()
            .skip(1)
            .filter(|folder| has_repository(folder))
    };
    if std::iter::once(root)
        .chain(above())
        .any(|tree| may_be_committed(&target, tree))
    {
        return foreign("which a commit may hold");
    }
    let Some(parent) = above().next() else {
        return Ok(None);
    };
    let folder = parent.join(".git");
    let folder = self::target(&folder).or_else(|| fs::canonicalize(folder).ok());
    if folder.is_some_and(|folder| target.starts_with(folder.join("modules"))) {
        let below = slashed(root.strip_prefix(parent).unwrap_or(root));
        return Ok(Some((parent.to_owned(), below)));
    }
    // A linked work tree is known to its repository.
    let known =
        read(&target.join("gitdir")).and_then(|text| fs::canonicalize(text.trim_end()).ok());
    match known.is_some_and(|known| known.parent() == Some(root)) {
        true => Ok(None),
        false => foreign("which is not known to be its repository"),
    }
}

/// Returns whether a commit of a work tree can hold a path: it is below its root, and no part of it is named `.git`.
fn may_be_committed(path: &Path, root: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|below| !has_git(below))
}

fn has_git(path: &Path) -> bool {
    let is_git = |name: &OsStr| name.eq_ignore_ascii_case(".git");
    path.components()
        .any(|part| matches!(part, Component::Normal(name) if is_git(name)))
}

/// Where a file `.git` leads.
fn target(link: &Path) -> Option<PathBuf> {
    let text = read(link)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    fs::canonicalize(link.parent()?.join(path)).ok()
}

/// The text of a small file.
fn read(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    fs::File::open(file)
        .ok()?
        .take(MAX_LINK)
        .read_to_string(&mut text)
        .ok()?;
    Some(text)
}

/// Returns whether a folder is the root of a work tree.
fn has_repository(folder: &Path) -> bool {
    let git = folder.join(".git");
    git.is_file() || fs::symlink_metadata(git.join("HEAD")).is_ok() && git.join("refs").is_dir()
}

/// Returns whether `git` takes a folder for a repository.
fn is_bare(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("HEAD")).is_ok()
        && folder.join("objects").is_dir()
        && folder.join("refs").is_dir()
}

fn slashed(path: &Path) -> String {
    path.components()
        .map(|part| part.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes files: a name that ends with `/` is a repository without a work tree.
    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for (name, text) in files {
            let path = root.join(name);
            match name.ends_with('/') {
                true => {
                    ["objects", "refs"]
                        .iter()
                        .for_each(|name| fs::create_dir_all(path.join(name)).unwrap());
                    fs::write(path.join("HEAD"), text).unwrap();
                }
                false => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(path, text.replace("ROOT", root.to_str().unwrap())).unwrap();
                }
            }
        }
        (folder, root)
    }

    fn place(files: &[(&str, &str)], current: &str) -> Result<Option<(String, String)>, String> {
        let (_folder, root) = tree(files);
        fs::create_dir_all(root.join(current)).unwrap();
        let found = GitPlace::of(&root.join(current))?;
        Ok(found.map(|place| match place {
            GitPlace::Given => unreachable!(),
            GitPlace::Bare(folder) => (
                slashed(folder.strip_prefix(&root).unwrap()),
                "bare".to_owned(),
            ),
            GitPlace::WorkTree {
                root: top,
                prefix,
                parent,
            } => {
                let top = slashed(top.strip_prefix(&root).unwrap());
                (
                    top,
                    parent.map_or(prefix, |(_, below)| format!("submodule {below}")),
                )
            }
        }))
    }

    fn is_at(files: &[(&str, &str)], current: &str, root: &str, rest: &str) {
        assert_eq!(
            place(files, current),
            Ok(Some((root.to_owned(), rest.to_owned()))),
            "{current}"
        );
    }

    #[test]
    fn a_repository_contains_the_current_folder() {
        let plain = [("a/.git/", ""), ("a/b/HEAD", "")];
        is_at(&plain, "a", "a", "");
        is_at(&plain, "a/b/c", "a", "b/c/");
        is_at(&[("a/.git/", ""), ("a/b/.git/", "")], "a/b/c", "a/b", "c/");
        // A folder that is named so, and holds nothing.
        is_at(&[("a/.git/", ""), ("a/b/.git/x", "")], "a/b", "a", "b/");
        is_at(&[("m.git/", "")], "m.git", "m.git", "bare");
        assert_eq!(place(&[("m.git/", "")], "m.git/refs"), Ok(None));
        assert_eq!(place(&[("a/x", "")], "a"), Ok(None));
        // A work tree whose repository is elsewhere, a submodule, and a linked work tree within another.
        is_at(
            &[("sep.git/", ""), ("a/.git", "gitdir: ../sep.git\n")],
            "a/b",
            "a",
            "b/",
        );
        let submodule = [
            ("a/.git/", ""),
            ("a/.git/modules/s/", ""),
            ("a/s/.git", "gitdir: ../.git/modules/s\n"),
        ];
        is_at(&submodule, "a/s/b", "a/s", "submodule s");
        let linked = [
            ("a/.git/", ""),
            ("b/.git/", ""),
            ("b/.git/worktrees/w/gitdir", "ROOT/a/w/.git\n"),
            ("a/w/.git", "gitdir: ../../b/.git/worktrees/w"),
        ];
        is_at(&linked, "a/w", "a/w", "");
        let known = [
            ("a/.git/", ""),
            ("m/worktrees/w/gitdir", "ROOT/a/w/.git\n"),
            ("a/w/.git", "gitdir: ROOT/m/worktrees/w\n"),
        ];
        is_at(&known, "a/w/x", "a/w", "x/");
    }

    #[test]
    fn what_a_commit_may_hold_is_no_repository() {
        for (files, current, part) in [
            (
                &[("a/.git/", ""), ("a/m/", "")][..],
                "a/m",
                "looks like a repository",
            ),
            (
                &[("a/.git/", ""), ("a/m/", "")],
                "a/m/refs/x",
                "looks like a repository",
            ),
            (
                &[
                    ("a/.git/", ""),
                    ("a/x/y/", ""),
                    ("a/m/.git", "gitdir: ../x/y"),
                ],
                "a/m",
                "may hold",
            ),
            (&[("a/m/", ""), ("a/.git", "gitdir: m")], "a", "may hold"),
            (
                &[
                    ("a/.git/", ""),
                    ("other/", ""),
                    ("a/m/.git", "gitdir: ../../other"),
                ],
                "a/m",
                "not known",
            ),
        ] {
            let found = place(files, current).unwrap_err();
            assert!(
                found.contains(part) && found.contains("GIT_DIR"),
                "{current}: {found}"
            );
        }
    }
}
