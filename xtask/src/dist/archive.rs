//! Archives whose bytes follow from their contents alone: sorted, of one owner, of one time.

use std::io::{Cursor, Write as _};

use flate2::{Compression, GzBuilder};
use tar::{EntryType, Header};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// When everything was made, in seconds since 1970: the first day of 1980, before which a zip archive knows no time.
pub(crate) const MADE: u64 = 315_532_800;

/// A file of a package, or a folder, whose path ends in `/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    /// Relative to the package.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
    /// It is a program.
    runs: bool,
}

impl Entry {
    /// A file that is read.
    pub(crate) fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            runs: false,
        }
    }

    /// A file that is run.
    pub(crate) fn program(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            runs: true,
            ..Self::new(path, bytes)
        }
    }

    /// The same file at another place.
    pub(crate) fn at(&self, path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..self.clone()
        }
    }

    /// Its permissions.
    pub(crate) fn mode(&self) -> u32 {
        if self.runs || self.path.ends_with('/') {
            0o755
        } else {
            0o644
        }
    }
}

/// The entries in the order of their paths.
fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_unstable();
    sorted
}

/// A tar archive.
pub(crate) fn tar(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut builder = tar::Builder::new(Vec::new());
    for entry in sorted(entries) {
        let mut header = Header::new_gnu();
        header.set_entry_type(if entry.path.ends_with('/') {
            EntryType::Directory
        } else {
            EntryType::Regular
        });
        header.set_size(entry.bytes.len() as u64);
        header.set_mode(entry.mode());
        header.set_mtime(MADE);
        header.set_uid(0);
        header.set_gid(0);
        builder
            .append_data(&mut header, &entry.path, entry.bytes.as_slice())
            .map_err(|why| format!("{}: {why}", entry.path))?;
    }
    builder.into_inner().map_err(|why| why.to_string())
}

/// Gzipped bytes, without a name or a time.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder
        .write_all(bytes)
        .and_then(|()| encoder.finish())
        .map_err(|why| why.to_string())
}

/// A gzipped tar archive.
pub(crate) fn tar_gz(entries: &[Entry]) -> Result<Vec<u8>, String> {
    gzip(&tar(entries)?)
}

/// A zip archive.
pub(crate) fn zip(entries: &[Entry]) -> Result<Vec<u8>, String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in sorted(entries) {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::default())
            .system(zip::System::Unix)
            .unix_permissions(entry.mode());
        writer
            .start_file(&entry.path, options)
            .map_err(|why| format!("{}: {why}", entry.path))?;
        writer
            .write_all(&entry.bytes)
            .map_err(|why| format!("{}: {why}", entry.path))?;
    }
    writer
        .finish()
        .map(Cursor::into_inner)
        .map_err(|why| why.to_string())
}
