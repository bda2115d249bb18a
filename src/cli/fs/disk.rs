//! The files of a kustomization, read where the kustomization names them.

use std::fs;
use std::path::Path;

use promgen_repository::kustomize::read::gather::Files;

use crate::cli::fs::{absolute, read_limited};

/// The disk.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        // A pipe or a device may never end.
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let file = fs::File::open(path).ok()?;
        read_limited(file, metadata.len()).ok()
    }

    fn is_folder(&self, path: &str) -> bool {
        Path::new(path).is_dir()
    }

    fn resolve(&self, path: &str) -> String {
        absolute(Path::new(path)).to_string_lossy().replace('\\', "/")
    }
}

/// Whether there is something of that name in a folder.
pub(in crate::cli) fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}
