//! Removes what a killed run has left in a folder: staged files and folders of a process that no longer runs.
//!
//! Only a run that writes in the folder does that, once, and only to what its own user owns and what has the name of a staged
//! file. Whether a process runs is known where there is a `/proc`; elsewhere, everything stays.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::fs::staged::{remove, staged_by, undisturbed};

/// The folders that are done.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Removes what killed runs have left in a folder in which this run writes.
pub(crate) fn sweep(folder: &Path) {
    let Ok(folder) = fs::canonicalize(folder) else {
        return;
    };
    if is_first(&folder) {
        sweep_again(&folder);
    }
}

fn is_first(folder: &Path) -> bool {
    SWEPT
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(folder.to_owned())
}

/// The same of an absolute path without links, whether it is done or not.
fn sweep_again(folder: &Path) {
    // What this process has staged is known, and nothing is staged meanwhile.
    let staged = undisturbed();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(staged_by);
        if let Some(process) = process
            && has_ended(process)
            && is_own(&entry)
            && !staged.contains(&entry.path())
        {
            remove(&entry.path());
        }
    }
}

/// Returns whether no process of that number runs. This one is known to have ended, too: it may have the number of an earlier
/// one, and what it has staged itself is no leftover.
fn has_ended(process: u32) -> bool {
    process == std::process::id()
        || Path::new("/proc/self").exists() && !Path::new(&format!("/proc/{process}")).exists()
}

/// Returns whether the user of this process owns an entry. The system may hide the processes of others.
fn is_own(entry: &fs::DirEntry) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;

        let owner =
            |metadata: std::io::Result<fs::Metadata>| metadata.map(|metadata| metadata.uid()).ok();
        owner(entry.metadata()).is_some_and(|uid| owner(fs::metadata("/proc/self")) == Some(uid))
    }
    #[cfg(not(unix))]
    {
        let _ = entry;
        false
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::cli::fs::staged::StagedFile;

    /// More than any system numbers its processes.
    const GONE: u32 = u32::MAX;

    #[test]
    fn only_what_has_the_name_of_an_ended_run_goes() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (live, own) = (std::os::unix::process::parent_id(), std::process::id());
        let gone = [
            format!(".promgen-{GONE}-0.tmp"),
            format!(".promgen-{GONE}-17.tmp"),
            format!(".promgen-{own}-9.tmp"),
        ];
        let stays = [
            ".promgen-mine.tmp".to_owned(),
            format!(".promgen-{live}-0.tmp"),
            format!(".promgen-{GONE}.tmp"),
            format!(".promgen-{GONE}-0.tmp.yaml"),
            format!(".promgen-{GONE}-+1.tmp"),
            format!("promgen-{GONE}-0.tmp"),
            ".promgen-99999999999-0.tmp".to_owned(),
        ];
        gone.iter()
            .chain(&stays)
            .for_each(|name| fs::write(root.join(name), "x").unwrap());
        fs::create_dir_all(root.join(format!(".promgen-{GONE}-3.tmp/prometheus"))).unwrap();
        fs::write(
            root.join(format!(".promgen-{GONE}-3.tmp/prometheus/a.yaml")),
            "x",
        )
        .unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("a.yaml"), "x").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.join(format!(".promgen-{GONE}-4.tmp")))
            .unwrap();
        let (staged, ()) = StagedFile::create(&root, |path| fs::write(path, "x")).unwrap();
        sweep(folder.path());
        let mut left: Vec<_> = fs::read_dir(&root)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort_unstable();
        let staged_name = staged
            .path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        let mut expected: Vec<String> = stays.into_iter().chain([staged_name]).collect();
        expected.sort_unstable();
        assert_eq!(left, expected);
        assert!(
            outside.path().join("a.yaml").exists(),
            "a link goes, and not what it leads to"
        );
    }
}
