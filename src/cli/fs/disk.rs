//! The files of a kustomization, read where the kustomization names them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use promgen_repository::kustomize::read::gather::{Content, Files};
use promgen_text::source::Unread;

use crate::cli::fs::read_limited;
use crate::cli::fs::territory::Territory;

/// The disk, as far as it belongs to the repository.
#[derive(Clone, Debug, Default)]
pub(crate) struct Disk {
    territory: Territory,
    /// The folders of what was read, each with its absolute path without links: the system resolves a path part by part.
    folders: RefCell<BTreeMap<PathBuf, PathBuf>>,
}

impl Disk {
    /// The disk as far as paths on the command line reach.
    pub(crate) fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self {
            territory: Territory::of(paths),
            folders: RefCell::default(),
        }
    }

    /// What belongs to the repository.
    pub(crate) const fn territory(&self) -> &Territory {
        &self.territory
    }

    /// The absolute path without links. `None` if nothing is there.
    pub(crate) fn real(&self, path: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return fs::canonicalize(path).ok();
        };
        let known = self.folders.borrow().get(folder).cloned();
        let folder = match known {
            Some(real) => real,
            None => {
                let real = if folder == Path::new("") {
                    fs::canonicalize(".").ok()?
                } else {
                    self.real(folder)?
                };
                self.folders
                    .borrow_mut()
                    .insert(folder.to_owned(), real.clone());
                real
            }
        };
        let real = folder.join(name);
        if fs::symlink_metadata(&real).ok()?.is_symlink() {
            fs::canonicalize(&real).ok()
        } else {
            Some(real)
        }
    }
}

impl Files for Disk {
    fn read(&self, path: &str) -> Content {
        let Some(real) = self.real(Path::new(path)) else {
            return Content::Absent;
        };
        let belongs_to = match self.territory.place(Path::new(path), &real) {
            Ok(belongs_to) => belongs_to,
            Err(why) => return Content::Unread(why),
        };
        // A pipe or a device may never end.
        let Ok(metadata) = fs::metadata(&real) else {
            return Content::Absent;
        };
        if metadata.is_dir() {
            return Content::Absent;
        }
        if !metadata.is_file() {
            return Content::Unread(Unread::Irregular);
        }
        let read = fs::File::open(&real).and_then(|file| read_limited(file, metadata.len()));
        read.map_or(Content::Absent, |bytes| Content::File {
            bytes: bytes.into(),
            belongs_to,
        })
    }

    fn is_folder(&self, path: &str) -> bool {
        let real = self.real(Path::new(path)).filter(|real| real.is_dir());
        real.is_some_and(|real| self.territory.owns(Path::new(path), &real))
    }

    fn is_in_repository(&self, path: &str) -> bool {
        self.real(Path::new(path))
            .is_some_and(|real| self.territory.holds(&real))
    }

    fn resolve(&self, path: &str) -> String {
        let real = self.real(Path::new(path));
        real.as_deref()
            .unwrap_or(Path::new(path))
            .to_string_lossy()
            .replace('\\', "/")
    }
}

/// Returns whether there is something of that name in a folder.
pub(crate) fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}
