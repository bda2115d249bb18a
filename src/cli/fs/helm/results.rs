//! The results that Helm has rendered before, kept for later runs.
//!
//! Each result is a file that only the user may read, named by the digest of all that it depends on. Results of values from
//! Secrets are never kept.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::cli::fs::write::{Access, replace_file};
use promgen_compile::output::generated::record::digest;

/// The form of the results: another one has other keys.
const FORM: &str = "1";

/// The length of a key.
const KEY: usize = 64;

/// The number of results that are kept.
const MAX_RESULTS: usize = 500;

/// A folder of results.
pub(super) struct Results {
    folder: PathBuf,
}

/// The key of a result, from all that it depends on.
pub(super) fn key(parts: &[&str]) -> String {
    let digests: Vec<String> = parts.iter().map(|part| digest(part.as_bytes())).collect();
    digest(format!("{FORM} {}", digests.join(" ")).as_bytes())
}

impl Results {
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.yaml"))
    }

    /// A result of that key, if it is no longer than that.
    pub(super) fn read(&self, key: &str, max: usize) -> Option<String> {
        let mut text = String::new();
        fs::File::open(self.path(key))
            .ok()?
            .take(max as u64 + 1)
            .read_to_string(&mut text)
            .ok()?;
        (text.len() <= max).then_some(text)
    }

    /// Keeps a result. A folder that cannot be written keeps nothing.
    pub(super) fn write(&self, key: &str, text: &str) {
        let kept = private_folder(&self.folder).and_then(|()| {
            replace_file(&self.path(key), Access::Private, |out| {
                out.write_all(text.as_bytes())
            })
        });
        if kept.is_ok() {
            let _ = self.forget_oldest();
        }
    }

    fn forget_oldest(&self) -> io::Result<()> {
        let mut all: Vec<(SystemTime, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let is_ours = |name: &str| name.len() == KEY + 5 && name.ends_with(".yaml");
            if !name.to_str().is_some_and(is_ours) {
                continue;
            }
            all.push((entry.metadata()?.modified()?, entry.path()));
        }
        all.sort_unstable();
        let n_many = all.len().saturating_sub(MAX_RESULTS);
        all.iter()
            .take(n_many)
            .try_for_each(|(_, path)| fs::remove_file(path))
    }
}

/// Creates a folder that only the user may read, and those above it.
pub(super) fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = Access::Private.new_folder();
    builder.recursive(true).create(folder)
}
