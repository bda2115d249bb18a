//! Writes files completely or not at all.
//!
//! Everything is first written to a temporary name and then renamed, so that a reader sees the old file or the new one,
//! and a failed run leaves nothing behind. What somebody else has written is only replaced on request.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::Path;

use crate::cli::fs::leftovers::sweep;
use crate::cli::fs::ordinary::read_ordinary;
use crate::cli::fs::replaceable::is_replaceable;
use crate::cli::fs::staged::StagedFile;
use crate::cli::fs::workspace::{Boundary, check_written, plain};
use crate::cli::fs::{MAX_BYTES, existing};

/// The bytes that are written or compared at once.
pub(super) const BUFFER_BYTES: usize = 256 << 10;

/// The readers of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// As the umask or the replaced file allows.
    Usual,
    /// Only the user: the output may contain secrets.
    Private,
}

impl Access {
    /// The access to output with or without values of Secrets.
    pub(crate) const fn of(reveals_secrets: bool) -> Self {
        if reveals_secrets {
            Self::Private
        } else {
            Self::Usual
        }
    }

    pub(super) fn new_file(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if self == Self::Private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options
    }

    /// Returns whether a file has no more readers than these.
    pub(super) fn suits(self, file: &fs::Metadata) -> bool {
        #[cfg(unix)]
        let is_private = std::os::unix::fs::MetadataExt::mode(file) & 0o077 == 0;
        #[cfg(not(unix))]
        let is_private = file.is_file();
        self == Self::Usual || is_private
    }

    pub(super) fn new_folder(self) -> DirBuilder {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        if self == Self::Private {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        builder
    }
}

/// What an output may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaces {
    /// What promgen has written, and what is empty.
    Ours,
    /// Any file but an input: the user asks for it.
    Anything,
}

impl Replaces {
    /// As `--force` says.
    pub(crate) const fn of(force: bool) -> Self {
        if force { Self::Anything } else { Self::Ours }
    }
}

/// Returns whether a path is standard output or standard error. The system may show them as files, which are not to be replaced
/// by others.
pub(super) fn is_stream(path: &Path) -> bool {
    const STREAMS: [&str; 6] = [
        "/dev/stdout",
        "/dev/stderr",
        "/dev/fd/1",
        "/dev/fd/2",
        "/proc/self/fd/1",
        "/proc/self/fd/2",
    ];
    let path = plain(path);
    STREAMS.iter().any(|stream| path == Path::new(stream))
}

/// Checks that a file may be written: that it is in the repository, and that nobody's work is lost with it. A device and a pipe
/// have no content to lose.
///
/// # Errors
/// It leads out of the repository; it exists, and promgen has not written it; it cannot be read; or it is a link that leads
/// nowhere.
pub(crate) fn check_output(path: &Path, replaces: Replaces) -> io::Result<()> {
    check_written(path)?;
    if replaces == Replaces::Anything || is_stream(path) {
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() > 0 => {}
        Err(_) if path.is_symlink() => {
            return Err(io::Error::other(
                "it is a link to a file that does not exist; use another path",
            ));
        }
        Ok(_) | Err(_) => return Ok(()),
    }
    let is_ours = match read_ordinary(path, &Boundary::Open, MAX_BYTES - 1) {
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => false,
        content => is_replaceable(&content?),
    };
    let text =
        "it exists, and promgen has not written it; use another path, or --force to replace it";
    if is_ours {
        Ok(())
    } else {
        Err(io::Error::other(text))
    }
}

/// Returns whether that is a file of an earlier run, or an empty one.
pub(crate) fn is_earlier_output(path: &Path) -> bool {
    path.is_file() && check_output(path, Replaces::Ours).is_ok()
}

/// Returns whether a path on the command line is a folder: it exists as one, or it ends in a separator.
pub(crate) fn is_folder(path: &Path) -> bool {
    path.is_dir()
        || path
            .as_os_str()
            .as_encoded_bytes()
            .ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes())
}

/// Writes a file that the command line names. Replaces the target of a link; writes directly to a pipe or device.
///
/// # Errors
/// An I/O error; or a link leads out of the repository; or the file must not be replaced.
pub(crate) fn write_file(
    path: &Path,
    access: Access,
    replaces: Replaces,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    prepare(path, replaces)?;
    if is_stream(path) {
        // Behind what is there already, as the shell may have asked.
        return fill_buffered(OpenOptions::new().append(true).open(path)?, fill);
    }
    replace_file(path, access, fill)
}

/// Checks a file to write, and removes what a killed run has left beside it.
pub(super) fn prepare(path: &Path, replaces: Replaces) -> io::Result<()> {
    check_output(path, replaces)?;
    if !is_stream(path) {
        sweep(folder_of(
            &existing(path).unwrap_or_else(|| path.to_owned()),
        ));
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// The same for a file of promgen's own.
pub(super) fn replace_file(
    path: &Path,
    access: Access,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing
        .as_ref()
        .is_some_and(|metadata| !metadata.is_file())
    {
        return fill_buffered(OpenOptions::new().write(true).open(&target)?, fill);
    }
    let (staged, file) =
        StagedFile::create(folder_of(&target), |path| access.new_file().open(path))?;
    fill_buffered(file, fill)?;
    if let Some(metadata) = existing.filter(|_| access == Access::Usual) {
        fs::set_permissions(&staged.path, metadata.permissions())?;
    }
    staged.move_to(&target)
}

/// Writes named files into a folder, which is created if it does not exist.
pub(crate) fn write_into(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    check_written(folder)?;
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| {
        let path = folder.join(name);
        write_file(&path, Access::Usual, Replaces::Ours, |out| {
            out.write_all(text)
        })
        .map_err(|error| io::Error::new(error.kind(), format!("`{name}`: {error}")))
    })
}

/// Replaces the content of a file that was read before. There is the old content or the new one at any moment, so that the
/// file is another one then: its mode stays, and its owner and group if the user may set them, but another hard link keeps
/// the old content. A link stays, and its target is replaced.
///
/// # Errors
/// An I/O error, or the file has changed since it was read.
pub(crate) fn rewrite(path: &Path, before: &[u8], after: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path)?;
    // A file that the user must not write stays, even if its folder may change.
    let mut old = OpenOptions::new().read(true).write(true).open(&target)?;
    let folder = target.parent().ok_or(io::ErrorKind::IsADirectory)?;
    let (staged, mut new) =
        StagedFile::create(folder, |path| Access::Private.new_file().open(path))?;
    new.write_all(after)?;
    take_over(&old.metadata()?, &new)?;
    let mut current = Vec::with_capacity(before.len() + 1);
    // One more byte shows whether the file has grown.
    (&mut old)
        .take(before.len() as u64 + 1)
        .read_to_end(&mut current)?;
    if current != before {
        return Err(io::Error::other(
            "the file has changed since promgen read it; nothing is written",
        ));
    }
    // Some systems move no open file.
    drop((old, new));
    staged.move_to(&target)
}

/// Gives a new file the owner, the group and the mode of an old one.
fn take_over(old: &fs::Metadata, new: &fs::File) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, fchown};

        let to = |uid| fchown(new, uid, Some(old.gid()));
        // Only root may give files away, and a user only to groups that the user is in.
        let _ = to(Some(old.uid())).or_else(|_| to(None));
    }
    new.set_permissions(old.permissions())
}

pub(super) fn fill_buffered(
    file: impl Write,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER_BYTES, file);
    fill(&mut out)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort_unstable();
        names
    }

    fn broken(_: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::other("no more"))
    }

    #[test]
    fn a_file_is_replaced_whole_or_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.yaml");
        write_file(&path, Access::Usual, Replaces::Anything, |out| {
            out.write_all(b"one")
        })
        .unwrap();
        write_file(&path, Access::Usual, Replaces::Anything, broken).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write_file(&path, Access::Usual, Replaces::Anything, |out| {
            out.write_all(b"two")
        })
        .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["out.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (
            folder.path().join("real.yaml"),
            folder.path().join("link.yaml"),
        );
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real.yaml", &link).unwrap();
        write_file(&link, Access::Usual, Replaces::Anything, |out| {
            out.write_all(b"new")
        })
        .unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_holds_secrets_is_private_from_the_start() {
        use std::os::unix::fs::PermissionsExt as _;

        let root = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = root.path().join("out.yaml");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let created = |out: &mut dyn Write| {
            let staged = fs::read_dir(root.path())?
                .map(|entry| entry.unwrap().path())
                .find(|entry| *entry != path);
            assert_eq!(mode(&staged.unwrap()), 0o600);
            out.write_all(b"new")
        };
        write_file(&path, Access::Private, Replaces::Anything, created).unwrap();
        assert_eq!(
            (mode(&path), fs::read_to_string(&path).unwrap().as_str()),
            (0o600, "new")
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_rewritten_whole_unless_somebody_else_changed_it() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.yaml"), "a: 10\n").unwrap();
        fs::hard_link(path("a.yaml"), path("hard.yaml")).unwrap();
        fs::set_permissions(path("a.yaml"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a.yaml", path("link.yaml")).unwrap();
        rewrite(&path("link.yaml"), b"a: 10\n", b"a: 1\n").unwrap();
        assert_eq!(fs::read_to_string(path("a.yaml")).unwrap(), "a: 1\n");
        assert_eq!(
            fs::read_to_string(path("hard.yaml")).unwrap(),
            "a: 10\n",
            "it is never half of both"
        );
        assert!(path("link.yaml").is_symlink());
        assert_eq!(
            fs::metadata(path("a.yaml")).unwrap().permissions().mode() & 0o777,
            0o640
        );
        for before in ["a: 10\n", "a: 1"] {
            let error = rewrite(&path("a.yaml"), before.as_bytes(), b"lost")
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("has changed since promgen read it"),
                "{error}"
            );
        }
        assert_eq!(fs::read_to_string(path("a.yaml")).unwrap(), "a: 1\n");
        assert_eq!(names(folder.path()), ["a.yaml", "hard.yaml", "link.yaml"]);
    }

    #[test]
    fn a_path_that_ends_in_a_separator_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_folder(folder.path()));
        assert!(is_folder(Path::new("not-there/")));
        assert!(!is_folder(Path::new("not-there")));
    }
}
