//! What `.gitignore` and `.ignore` files leave out, as in Git and ripgrep: the closest file that says something decides.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::cli::fs::cannot_read;
use crate::cli::fs::ordinary::{MAX_SETTINGS_BYTES, read_ordinary};
use crate::cli::fs::workspace::Workspace;
use promgen_text::limits::{Limit, Limits};

/// The names of files that list what to leave out.
const FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The size that the files of a run may have: each rule is compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct IgnoreRoom {
    limits: Limits,
    n_bytes: u64,
}

impl IgnoreRoom {
    /// The size in the limits.
    pub(super) const fn new(limits: Limits) -> Self {
        Self { limits, n_bytes: 0 }
    }

    fn take(&mut self, file: &Path) -> Result<(), String> {
        self.n_bytes += file.metadata().map_or(0, |metadata| metadata.len());
        if self.n_bytes <= self.limits.get(Limit::IgnoreBytes) {
            return Ok(());
        }
        let excess = self.limits.excess(Limit::IgnoreBytes);
        let message = excess.message("what the files .gitignore and .ignore hold");
        Err(format!(
            "cannot read `{}`: {message}; {}",
            file.display(),
            excess.help()
        ))
    }
}

/// The rules of a folder and of those above it.
#[derive(Clone, Debug, Default)]
pub(super) struct IgnoredFiles {
    rules: Option<Arc<IgnoreRules>>,
}

#[derive(Debug)]
struct IgnoreRules {
    own: Gitignore,
    above: IgnoredFiles,
}

impl IgnoredFiles {
    /// The rules above a folder, up to the repository that it belongs to. None outside of a repository.
    ///
    /// # Errors
    /// As [`IgnoredFiles::enter`].
    pub(super) fn above(folder: &Path, room: &mut IgnoreRoom) -> Result<Self, String> {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let above: Vec<&Path> = folder.ancestors().skip(1).collect();
        let is_root = folder.join(".git").exists();
        let Some(root) = above
            .iter()
            .position(|folder| folder.join(".git").exists())
            .filter(|_| !is_root)
        else {
            return Ok(Self::default());
        };
        above[..=root]
            .iter()
            .rev()
            .try_fold(Self::default(), |ignored, folder| {
                ignored.enter(folder, room)
            })
    }

    /// The rules in a folder.
    ///
    /// # Errors
    /// There are too many rules, or a file leads out of the repository.
    pub(super) fn enter(&self, folder: &Path, room: &mut IgnoreRoom) -> Result<Self, String> {
        let is_there = |file: &PathBuf| file.exists() && !file.is_dir();
        let files: Vec<PathBuf> = FILES
            .iter()
            .map(|name| folder.join(name))
            .filter(is_there)
            .collect();
        if files.is_empty() {
            return Ok(self.clone());
        }
        let boundary = Workspace::of(&[]).found(folder);
        let mut builder = GitignoreBuilder::new(folder);
        for file in files {
            room.take(&file)?;
            let text = read_ordinary(&file, &boundary, MAX_SETTINGS_BYTES)
                .map_err(|error| cannot_read(&file, &error))?;
            add(&mut builder, &file, &text);
        }
        Ok(match builder.build() {
            Ok(own) => Self {
                rules: Some(Arc::new(IgnoreRules {
                    own,
                    above: self.clone(),
                })),
            },
            Err(_) => self.clone(),
        })
    }

    /// Returns whether a path in the folder is left out.
    pub(super) fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        let mut rules = self.rules.as_deref();
        while let Some(IgnoreRules { own, above }) = rules {
            let absolute = own.path().is_absolute() && !path.is_absolute();
            let path = if absolute {
                path.canonicalize().unwrap_or_else(|_| path.to_owned())
            } else {
                path.to_owned()
            };
            match own.matched(&path, is_folder) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => rules = above.rules.as_deref(),
            }
        }
        false
    }
}

/// The places of the rules of a folder and of those above it, up to the repository that it belongs to.
pub(super) fn files_above(folder: &Path) -> Vec<PathBuf> {
    let above: Vec<&Path> = folder.ancestors().collect();
    let root = above.iter().position(|folder| folder.join(".git").exists());
    let above = root.map_or(&[][..], |root| &above[..=root]);
    above
        .iter()
        .flat_map(|folder| FILES.map(|name| folder.join(name)))
        .collect()
}

/// Adds the lines of a file. A line that is no pattern is none in Git either.
fn add(builder: &mut GitignoreBuilder, file: &Path, text: &[u8]) {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    for line in text
        .split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok())
    {
        let _ = builder.add_line(Some(file.to_owned()), line);
    }
}
