//! The files of a kustomization, read where the kustomization names them.

use std::fs;
use std::path::Path;

use promgen_repository::kustomize::read::gather::{Content, Files};
use promgen_text::source::Unread;

use crate::cli::fs::territory::Territory;
use crate::cli::fs::{absolute, read_limited};

/// The disk, as far as it belongs to the repository.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Disk {
    territory: Territory,
}

impl Disk {
    /// The disk as far as paths on the command line reach.
    pub(in crate::cli) fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self { territory: Territory::of(paths) }
    }

    /// What belongs to the repository.
    pub(in crate::cli) const fn territory(&self) -> &Territory {
        &self.territory
    }
}

impl Files for Disk {
    fn read(&self, path: &str) -> Content {
        let Ok(real) = fs::canonicalize(path) else { return Content::Absent };
        let belongs_to = match self.territory.place(Path::new(path), &real) {
            Ok(belongs_to) => belongs_to,
            Err(why) => return Content::Unread(why),
        };
        // A pipe or a device may never end.
        let Ok(metadata) = fs::metadata(&real) else { return Content::Absent };
        if metadata.is_dir() {
            return Content::Absent;
        }
        if !metadata.is_file() {
            return Content::Unread(Unread::Irregular);
        }
        let read = fs::File::open(&real).and_then(|file| read_limited(file, metadata.len()));
        read.map_or(Content::Absent, |bytes| Content::File { bytes, belongs_to })
    }

    fn is_folder(&self, path: &str) -> bool {
        let real = fs::canonicalize(path).ok().filter(|real| real.is_dir());
        real.is_some_and(|real| self.territory.owns(Path::new(path), &real))
    }

    fn resolve(&self, path: &str) -> String {
        absolute(Path::new(path)).to_string_lossy().replace('\\', "/")
    }
}

/// Whether there is something of that name in a folder.
pub(in crate::cli) fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}
