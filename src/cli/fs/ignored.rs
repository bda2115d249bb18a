//! What `.gitignore` and `.ignore` files leave out, as in Git and ripgrep: the closest file that says something decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The names of files that list what to leave out.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The rules of a folder and of those above it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ignored {
    rules: Option<Arc<Rules>>,
}

#[derive(Debug)]
struct Rules {
    own: Gitignore,
    above: Ignored,
}

impl Ignored {
    /// The rules above a folder, up to the repository that it belongs to. None outside of a repository.
    pub(super) fn above(folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let above: Vec<&Path> = folder.ancestors().skip(1).collect();
        let is_root = folder.join(".git").exists();
        let Some(root) = above.iter().position(|folder| folder.join(".git").exists()).filter(|_| !is_root) else {
            return Self::default();
        };
        above[..=root].iter().rev().fold(Self::default(), |ignored, folder| ignored.enter(folder))
    }

    /// The rules in a folder.
    pub(super) fn enter(&self, folder: &Path) -> Self {
        let files: Vec<PathBuf> = FILES.iter().map(|name| folder.join(name)).filter(|file| file.is_file()).collect();
        if files.is_empty() {
            return self.clone();
        }
        let mut builder = GitignoreBuilder::new(folder);
        for file in &files {
            // A line that is no pattern is none in Git either.
            let _ = builder.add(file);
        }
        match builder.build() {
            Ok(own) => Self { rules: Some(Arc::new(Rules { own, above: self.clone() })) },
            Err(_) => self.clone(),
        }
    }

    /// Whether a path in the folder is left out.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut rules = self.rules.as_deref();
        while let Some(Rules { own, above }) = rules {
            let absolute = own.path().is_absolute() && !path.is_absolute();
            let path = if absolute { path.canonicalize().unwrap_or_else(|_| path.to_owned()) } else { path.to_owned() };
            match own.matched(&path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => rules = above.rules.as_deref(),
            }
        }
        false
    }
}
