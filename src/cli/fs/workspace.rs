//! Which folder a path must stay in: the repository of a run.
//!
//! Anybody can commit a link to any file of the machine that checks the commit, or a path with `..`. No text behind it may
//! reach a message, so readers and writers check a path before they open it. In: a path, and how the run came by it. Out: a
//! [`Boundary`].

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The folders that a run was started for. Each is a repository unless it is in one of Git.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Workspace {
    /// The absolute paths without links.
    folders: Vec<PathBuf>,
}

/// What a path must not lead out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// Nothing: the user typed a path outside of any repository.
    Open,
    /// A repository, by its absolute path without links.
    Repository(PathBuf),
    /// A link on the way leads out of a repository.
    Left,
}

impl Workspace {
    /// The workspace of a run with these paths: the current folder, the folders among the paths, and those of the files.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let all = std::iter::once(Path::new(".")).chain(paths.iter().map(PathBuf::as_path));
        let all = all.filter_map(|path| fs::canonicalize(path).ok());
        let folders = all.filter_map(|path| {
            if path.is_dir() {
                Some(path)
            } else {
                path.parent().map(Path::to_owned)
            }
        });
        // The whole disk is no repository.
        Self {
            folders: folders.filter(|folder| folder.parent().is_some()).collect(),
        }
    }

    /// The boundary of a path on the command line. A file in a repository must stay there; any other is the user's choice.
    pub(crate) fn typed(&self, path: &Path) -> Boundary {
        let path = plain(path);
        path.parent()
            .map_or(Boundary::Open, |folder| self.boundary(folder))
    }

    /// The boundary of what is found in a folder, and of what a file in it names.
    pub(crate) fn found(&self, folder: &Path) -> Boundary {
        match self.boundary(&plain(folder)) {
            Boundary::Open => {
                fs::canonicalize(plain(folder)).map_or(Boundary::Left, Boundary::Repository)
            }
            boundary => boundary,
        }
    }

    /// The repository of a folder: the closest one with `.git` at or above it, else the closest one of the workspace. Goes
    /// down component by component, so that a link leads to no other repository.
    fn boundary(&self, folder: &Path) -> Boundary {
        let (mut boundary, mut is_of_git) = (Boundary::Open, false);
        let mut above: Vec<&Path> = folder.ancestors().collect();
        above.reverse();
        for folder in above {
            let Ok(real) = fs::canonicalize(folder) else {
                break;
            };
            if matches!(&boundary, Boundary::Repository(root) if !real.starts_with(root)) {
                return Boundary::Left;
            }
            let begins = folder.join(".git").exists();
            if begins || !is_of_git && self.folders.contains(&real) {
                boundary = Boundary::Repository(real);
            }
            is_of_git |= begins;
        }
        boundary
    }
}

/// The absolute path without `.` and `..`, as it is written: links stay.
pub(crate) fn plain(path: &Path) -> PathBuf {
    // The empty path is the current folder.
    let path = std::path::absolute(Path::new(".").join(path)).unwrap_or_else(|_| path.to_owned());
    path.components()
        .fold(PathBuf::new(), |mut plain, component| {
            match component {
                Component::ParentDir => {
                    plain.pop();
                }
                component => plain.push(component),
            }
            plain
        })
}

/// The path without a folder that it enters and leaves at once, as `tests` in `tests/../rules`, unless a link is on the way.
pub(crate) fn short(path: PathBuf) -> PathBuf {
    let mut shorter = PathBuf::new();
    for component in path.components() {
        match (component, shorter.components().next_back()) {
            (Component::ParentDir, Some(Component::Normal(_))) => drop(shorter.pop()),
            (component, _) => shorter.push(component),
        }
    }
    let real = |path: &Path| fs::canonicalize(path).ok();
    if real(&path).is_some_and(|is| real(&shorter) == Some(is)) {
        shorter
    } else {
        path
    }
}

impl Boundary {
    /// Checks the path of an existing file or folder.
    ///
    /// # Errors
    /// It leads out of the repository, or does not exist.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::Open => Ok(()),
            Self::Repository(root) if fs::canonicalize(path)?.starts_with(root) => Ok(()),
            Self::Repository(_) | Self::Left => {
                Err(io::Error::other("it leads out of the repository"))
            }
        }
    }

    /// Checks the path of a file to write, which may not exist yet.
    ///
    /// # Errors
    /// As [`Boundary::check`].
    pub(crate) fn check_target(&self, path: &Path) -> io::Result<()> {
        let folder = path
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .unwrap_or(Path::new("."));
        self.check(if path.exists() { path } else { folder })
    }
}

/// Checks a file or folder to write, which the command line names and which may not exist yet.
///
/// # Errors
/// It leads out of the repository.
pub(super) fn check_written(path: &Path) -> io::Result<()> {
    let boundary = Workspace::of(&[]).typed(path);
    plain(path)
        .ancestors()
        .find(|path| path.exists())
        .map_or(Ok(()), |existing| boundary.check(existing))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Two folders, of which the first has links to the second, and `.git` where it says so.
    fn folders(repositories: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["in/sub", "out/.git"]
            .into_iter()
            .chain(repositories.iter().copied())
        {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for name in ["in/a", "in/sub/b", "out/c"] {
            fs::write(root.join(name), "").unwrap();
        }
        for (name, target) in [
            ("in/file", "../out/c"),
            ("in/folder", "../out"),
            ("in/sub/up", "../a"),
            ("in/same", "sub"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        (folder, root)
    }

    #[test]
    fn a_file_of_a_repository_stays_in_it() {
        let (_folder, root) = folders(&["in/.git"]);
        let workspace = Workspace::default();
        let check = |name: &str| {
            workspace
                .typed(&root.join(name))
                .check(&root.join(name))
                .is_ok()
        };
        for name in [
            "in/a",
            "in/sub/up",
            "in/same/b",
            "in/folder/../in/a",
            "out/c",
        ] {
            assert!(check(name), "{name}");
        }
        for name in ["in/file", "in/folder/c", "in/sub/../file", "in/missing"] {
            assert!(!check(name), "{name}");
        }
    }

    #[test]
    fn a_repository_in_another_has_its_own_boundary() {
        let (_folder, root) = folders(&["in/.git", "in/sub/.git"]);
        let boundary = Workspace::default().typed(&root.join("in/sub/up"));
        assert_eq!(boundary, Boundary::Repository(root.join("in/sub")));
        assert!(boundary.check(&root.join("in/sub/up")).is_err());
    }

    #[test]
    fn without_git_the_folders_of_the_run_are_repositories() {
        let (_folder, root) = folders(&[]);
        let workspace = Workspace::of(&[root.join("in/a"), root.join("in/sub")]);
        assert_eq!(
            workspace.typed(&root.join("in/a")),
            Boundary::Repository(root.join("in"))
        );
        assert_eq!(
            workspace.typed(&root.join("in/sub/up")),
            Boundary::Repository(root.join("in/sub"))
        );
        assert!(
            workspace
                .typed(&root.join("in/file"))
                .check(&root.join("in/file"))
                .is_err()
        );
        // A link of the user's own.
        assert!(
            Workspace::default()
                .typed(&root.join("in/file"))
                .check(&root.join("in/file"))
                .is_ok()
        );
        assert!(
            Workspace::default()
                .found(&root.join("in"))
                .check(&root.join("in/file"))
                .is_err()
        );
        assert!(
            Workspace::default()
                .found(&root.join("in"))
                .check(&root.join("out/c"))
                .is_err()
        );
    }

    #[test]
    fn a_file_to_write_stays_in_the_repository_too() {
        let (_folder, root) = folders(&["in/.git"]);
        let check = |name: &str| {
            Workspace::default()
                .typed(&root.join(name))
                .check_target(&root.join(name))
                .is_ok()
        };
        assert!(check("in/new") && check("in/same/new") && check("out/new") && check("new"));
        assert!(!check("in/file") && !check("in/folder/new") && !check("in/missing/new"));
    }

    #[test]
    fn the_whole_disk_is_no_repository() {
        assert!(
            !Workspace::of(&[PathBuf::from("/")])
                .folders
                .contains(&PathBuf::from("/"))
        );
        assert_eq!(plain(Path::new("/a/./b/../../../c")), Path::new("/c"));
    }
}
