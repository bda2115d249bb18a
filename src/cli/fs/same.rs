//! Compares a file with what is to be written to it, without holding either.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use crate::cli::fs::write::{
    Access, BUFFER_BYTES, Replaces, fill_buffered, is_stream, prepare, write_file,
};
use promgen_compile::output::generated::record::Digester;

/// What is written, and its digest, if that is asked for.
pub(super) struct DigestedWriter<'d, W> {
    pub(super) inner: W,
    pub(super) digester: &'d mut Option<Digester>,
}

impl<W: Write> Write for DigestedWriter<'_, W> {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(part)?;
        if let Some(digester) = self.digester {
            digester.update(&part[..n]);
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A file that takes what it holds already, and nothing else.
struct ComparedFile {
    held: BufReader<File>,
    is_same: bool,
}

impl Write for ComparedFile {
    fn write(&mut self, part: &[u8]) -> io::Result<usize> {
        let held = self.held.fill_buf()?;
        let n = held.len().min(part.len());
        self.is_same &= held[..n] == part[..n] && (n > 0 || part.is_empty());
        if !self.is_same {
            return Err(io::Error::other("the content differs"));
        }
        self.held.consume(n);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file as [`write_file`] does, unless it has that content already. Returns whether it was written.
///
/// # Errors
/// As [`write_file`].
pub(crate) fn update_file(
    path: &Path,
    access: Access,
    replaces: Replaces,
    fill: impl Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<bool> {
    prepare(path, replaces)?;
    let is_same = !is_stream(path) && has_content(path, access, &mut None, &fill)?;
    if !is_same {
        write_file(path, access, replaces, fill)?;
    }
    Ok(!is_same)
}

/// Returns whether a regular file has that content, and no more readers than it may have. Stops where they differ: the digest
/// is that of the content only if they are the same.
///
/// # Errors
/// An I/O error of the content, or of a file that was opened.
pub(super) fn has_content(
    path: &Path,
    access: Access,
    digester: &mut Option<Digester>,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<bool> {
    // Opening a pipe waits for a writer.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && access.suits(&metadata)) {
        return Ok(false);
    }
    let Ok(file) = File::open(path) else {
        return Ok(false);
    };
    let inner = ComparedFile {
        held: BufReader::with_capacity(BUFFER_BYTES, file),
        is_same: true,
    };
    let mut compared = DigestedWriter { inner, digester };
    match fill_buffered(&mut compared, fill) {
        Err(_) if !compared.inner.is_same => Ok(false),
        Err(error) => Err(error),
        Ok(()) => Ok(compared.inner.held.fill_buf()?.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::output::generated::record::digest;

    #[test]
    fn only_the_same_bytes_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // Longer than a buffer, so that it comes in parts.
        let long = "a".repeat(BUFFER_BYTES + 1);
        for held in ["", "one", &long] {
            fs::write(&path, held).unwrap();
            for written in [
                "",
                "one",
                "ona",
                "on",
                "one ",
                &long,
                &long[1..],
                &format!("{long}a"),
            ] {
                let mut digester = Some(Digester::default());
                let fill = |out: &mut dyn Write| out.write_all(written.as_bytes());
                let is_same = has_content(&path, Access::Usual, &mut digester, fill).unwrap();
                assert_eq!(
                    is_same,
                    held == written,
                    "{} and {} bytes",
                    held.len(),
                    written.len()
                );
                if is_same {
                    assert_eq!(digester.unwrap().finish(), digest(written.as_bytes()));
                }
            }
        }
        let failing = |_: &mut dyn Write| Err(io::Error::other("no more"));
        has_content(&path, Access::Usual, &mut None, failing).unwrap_err();
        assert!(!has_content(folder.path(), Access::Usual, &mut None, |_| Ok(())).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn a_secret_that_others_may_read_is_written_again() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "a").unwrap();
        for (mode, access, is_same) in [
            (0o600, Access::Private, true),
            (0o640, Access::Private, false),
            (0o604, Access::Private, false),
            (0o644, Access::Usual, true),
        ] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let found = has_content(&path, access, &mut None, |out| out.write_all(b"a")).unwrap();
            assert_eq!(found, is_same, "{mode:o}");
        }
    }
}
