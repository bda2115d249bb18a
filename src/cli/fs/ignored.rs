//! What `.gitignore` and `.ignore` files leave out, as in Git and ripgrep: the closest file that says something decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::cli::fs::cannot_read;
use crate::cli::fs::ordinary::{MAX_SETTINGS_BYTES, read_ordinary};
use crate::cli::fs::workspace::Workspace;

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
    /// The rules above a folder, up to the repository that it belongs to. None outside of a repository. Adds the files that
    /// are refused to the failures.
    pub(super) fn above(folder: &Path, failures: &mut Vec<String>) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let above: Vec<&Path> = folder.ancestors().skip(1).collect();
        let is_root = folder.join(".git").exists();
        let Some(root) = above.iter().position(|folder| folder.join(".git").exists()).filter(|_| !is_root) else {
            return Self::default();
        };
        above[..=root].iter().rev().fold(Self::default(), |ignored, folder| ignored.enter(folder, failures))
    }

    /// The rules in a folder. Adds the files that are refused to the failures.
    pub(super) fn enter(&self, folder: &Path, failures: &mut Vec<String>) -> Self {
        let is_there = |file: &PathBuf| file.exists() && !file.is_dir();
        let files: Vec<PathBuf> = FILES.iter().map(|name| folder.join(name)).filter(is_there).collect();
        if files.is_empty() {
            return self.clone();
        }
        let boundary = Workspace::of(&[]).found(folder);
        let mut builder = GitignoreBuilder::new(folder);
        for file in files {
            match read_ordinary(&file, &boundary, MAX_SETTINGS_BYTES) {
                Ok(text) => add(&mut builder, &file, &text),
                Err(error) => failures.push(cannot_read(&file, &error)),
            }
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

/// Adds the lines of a file. A line that is no pattern is none in Git either.
fn add(builder: &mut GitignoreBuilder, file: &Path, text: &[u8]) {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    for line in text.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
        let _ = builder.add_line(Some(file.to_owned()), line);
    }
}
