//! The files that belong to a run: those of the repository that its paths are in.
//!
//! A change of a repository may hold a link to any file of the machine that checks it. Such a file is not read, whichever
//! command asks for it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::cli::fs::workspace::{Boundary, Workspace, plain};
use promgen_text::source::Unread;

/// The folders that a run may read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Territory {
    boundaries: Vec<Boundary>,
}

impl Territory {
    /// The territory of the paths on the command line.
    pub(crate) fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths: Vec<PathBuf> = paths
            .into_iter()
            .map(|path| path.as_ref().to_owned())
            .collect();
        let workspace = Workspace::of(&paths);
        let boundary = |path: &PathBuf| {
            if path.is_dir() {
                workspace.found(path)
            } else {
                workspace.typed(path)
            }
        };
        Self {
            boundaries: paths.iter().map(boundary).collect(),
        }
    }

    /// Returns whether a path leads to something of the repository. `real` is its absolute path without links.
    pub(crate) fn owns(&self, path: &Path, real: &Path) -> bool {
        // Outside of Git nobody says how far the files of the user reach: a path without a link is theirs.
        let is_plain = || plain(path) == real;
        self.boundaries.iter().any(|boundary| match boundary {
            Boundary::Open => true,
            Boundary::Repository(root) => {
                real.starts_with(root) || !root.join(".git").exists() && is_plain()
            }
            Boundary::Left => false,
        })
    }

    /// Returns whether an absolute path without links is in a repository of the run, whatever names it.
    pub(crate) fn holds(&self, real: &Path) -> bool {
        let is_below = |boundary: &Boundary| matches!(boundary, Boundary::Repository(root) if real.starts_with(root));
        self.boundaries.iter().any(is_below)
    }

    /// The lowest folder that a file belongs to. `None` if that is its own folder, as it is without links.
    ///
    /// # Errors
    /// The file is outside of the repository.
    pub(crate) fn place(&self, path: &Path, real: &Path) -> Result<Option<String>, Unread> {
        if !self.owns(path, real) {
            return Err(Unread::Outside);
        }
        let mut folder = parent(path);
        let mut is_own = true;
        while let Ok(lowest) = fs::canonicalize(&folder) {
            if real.starts_with(&lowest) {
                return Ok((!is_own).then(|| name(&folder)));
            }
            is_own = false;
            folder = above(&folder);
        }
        Ok(Some("/".to_owned()))
    }
}

fn parent(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        Some(_) => PathBuf::from("."),
        None => above(path),
    }
}

/// The folder above a folder.
fn above(folder: &Path) -> PathBuf {
    match folder.components().next_back() {
        Some(Component::Normal(_)) => parent(folder),
        Some(Component::ParentDir) => folder.join(".."),
        Some(Component::CurDir) | None => PathBuf::from(".."),
        // There is nothing above the root: a path that does not exist ends the search.
        Some(Component::RootDir | Component::Prefix(_)) => PathBuf::new(),
    }
}

fn name(folder: &Path) -> String {
    promgen_repository::path::join(".", &folder.to_string_lossy().replace('\\', "/"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with `repo/manifests` and `outside`.
    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["repo/manifests/prod", "outside"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("outside/a.yaml"), "a").unwrap();
        fs::write(folder.path().join("repo/a.yaml"), "a").unwrap();
        folder
    }

    fn place(typed: &Path, file: &Path) -> Result<Option<String>, Unread> {
        Territory::of([typed]).place(file, &fs::canonicalize(file).unwrap())
    }

    #[test]
    fn a_link_out_of_the_repository_is_outside() {
        let folder = tree();
        let repo = folder.path().join("repo");
        let (link, inner) = (
            repo.join("manifests/link.yaml"),
            repo.join("manifests/prod/inner.yaml"),
        );
        symlink("../../outside/a.yaml", &link).unwrap();
        symlink("../../a.yaml", &inner).unwrap();
        let manifests = repo.join("manifests");
        for typed in [&repo, &manifests] {
            assert_eq!(place(typed, &link), Err(Unread::Outside));
        }
        assert_eq!(place(&repo, &repo.join("a.yaml")), Ok(None));
        assert_eq!(place(&repo, &inner), Ok(Some(repo.display().to_string())));
        // Without a repository, what the user types is all there is; with one, all of it.
        assert_eq!(place(&manifests, &inner), Err(Unread::Outside));
        fs::create_dir(repo.join(".git")).unwrap();
        assert_eq!(
            place(&manifests, &inner),
            Ok(Some(repo.display().to_string()))
        );
        assert_eq!(place(&manifests, &link), Err(Unread::Outside));
    }

    #[test]
    fn a_path_on_the_command_line_may_be_a_link_of_a_stranger() {
        let folder = tree();
        let repo = folder.path().join("repo");
        symlink("../outside", repo.join("link")).unwrap();
        let (typed, file) = (repo.join("link"), repo.join("link/a.yaml"));
        assert_eq!(
            place(&typed, &file),
            Ok(None),
            "no repository: the user says what it is"
        );
        fs::create_dir(repo.join(".git")).unwrap();
        assert_eq!(place(&typed, &file), Err(Unread::Outside));
    }

    #[test]
    fn a_base_beside_the_folder_is_the_users_without_a_repository() {
        let folder = tree();
        let repo = folder.path().join("repo");
        let typed = repo.join("manifests/prod");
        let base = repo.join("manifests/prod/../../a.yaml");
        assert_eq!(place(&typed, &base), Ok(None));
        fs::create_dir(repo.join("manifests/.git")).unwrap();
        assert_eq!(place(&typed, &base), Err(Unread::Outside));
    }
}
