//! Whether a file on the disk is the one that was read before.
//!
//! A file system counts time in steps, so that two writes may give a file the same time. A file that changed shortly before it
//! was read is read again.

use std::fs::Metadata;
use std::time::{Duration, SystemTime};

/// The longest step of the clock of a file system: FAT counts in two seconds.
const STEP: Duration = Duration::from_secs(2);

/// The metadata of a file, beside its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    n_bytes: u64,
    modified: SystemTime,
    /// Device, number and last change. A file that is moved here, or that gets an old time, differs in them.
    #[cfg(unix)]
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    /// The stamp of a file that was opened before that time. `None` if a later write could leave it as it is.
    pub(super) fn of(metadata: &Metadata, read: SystemTime) -> Option<Self> {
        let stamp = Self::now(metadata)?;
        let changed = [Some(stamp.modified), changed(metadata)]
            .into_iter()
            .flatten()
            .max()?;
        // A clock that is behind that of the disk says nothing.
        let age = read.duration_since(changed).ok()?;
        (age > STEP).then_some(stamp)
    }

    /// The stamp of a file as it is.
    pub(super) fn now(metadata: &Metadata) -> Option<Self> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;

        Some(Self {
            n_bytes: metadata.len(),
            modified: metadata.modified().ok()?,
            #[cfg(unix)]
            identity: (
                metadata.dev(),
                metadata.ino(),
                metadata.ctime(),
                metadata.ctime_nsec(),
            ),
        })
    }
}

/// When the file itself last changed, rather than its content.
#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;

    let (seconds, nanoseconds) = (
        u64::try_from(metadata.ctime()).ok()?,
        u32::try_from(metadata.ctime_nsec()).ok()?,
    );
    SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_a_file_that_is_older_than_a_step_of_the_clock_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "a").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        let written = metadata.modified().unwrap();
        assert_eq!(Stamp::of(&metadata, written), None);
        assert_eq!(Stamp::of(&metadata, written - STEP), None);
        let later = written + STEP * 3;
        let stamp = Stamp::of(&metadata, later).unwrap();
        assert_eq!(Stamp::now(&metadata).as_ref(), Some(&stamp));
        fs::write(&path, "ab").unwrap();
        assert_ne!(Stamp::now(&fs::metadata(&path).unwrap()), Some(stamp));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_the_same_size_and_time_is_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a", "b"].map(|name| folder.path().join(name));
        fs::write(&path, "a").unwrap();
        fs::write(&other, "b").unwrap();
        let before = fs::metadata(&path).unwrap();
        fs::File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(before.modified().unwrap())
            .unwrap();
        fs::rename(&other, &path).unwrap();
        assert_ne!(
            Stamp::now(&fs::metadata(&path).unwrap()),
            Stamp::now(&before)
        );
    }
}
