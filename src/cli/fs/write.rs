//! Files and trees that are written whole or not at all.
//!
//! Everything is first written beside its place and then renamed, so that a reader sees the old file or the new one,
//! and a run that fails leaves nothing behind.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::output::{File, Folder, RULES_FOLDER};

/// Whether a path on the command line means a folder: it is one, or it ends in a separator.
pub(in crate::cli) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes())
}

/// Writes a file. A link keeps its place, and what it leads to is replaced; a pipe or device is written to as it is.
pub(in crate::cli) fn write_file(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return fill_buffered(OpenOptions::new().write(true).open(&target)?, fill);
    }
    let folder = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let (staged, file) = Staged::create(folder, |path| OpenOptions::new().write(true).create_new(true).open(path))?;
    fill_buffered(file, fill)?;
    if let Some(metadata) = existing {
        fs::set_permissions(&staged.path, metadata.permissions())?;
    }
    staged.move_to(&target)
}

/// Writes files below a folder, and removes what earlier runs left in the folders of their workloads: what would have
/// been written by such a run, as `is_ours` says of a path within a workload's folder. `gone` are further files that an
/// earlier run wrote, relative to the root.
pub(in crate::cli) fn write_tree(
    root: &Path,
    files: &[File<'_>],
    folders: &[Folder],
    is_ours: impl Fn(&str) -> bool,
    gone: &[String],
) -> io::Result<()> {
    fs::create_dir_all(root)?;
    let (staged, ()) = Staged::create(root, |path| fs::create_dir(path))?;
    for file in files {
        let path = staged.path.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(&staged.path))?;
        fill_buffered(fs::File::create(path)?, |out| file.write(out))?;
    }
    for file in files {
        let target = root.join(&file.path);
        fs::create_dir_all(target.parent().unwrap_or(root))?;
        fs::rename(staged.path.join(&file.path), target)?;
    }
    let current: BTreeSet<PathBuf> = files.iter().map(|file| root.join(&file.path)).collect();
    for folder in folders {
        let folder = root.join(&folder.path);
        remove_outdated(&folder, "", &current, &is_ours)?;
        let rules = folder.join(RULES_FOLDER);
        remove_outdated(&rules, &format!("{RULES_FOLDER}/"), &current, &is_ours)?;
        // Nothing is lost if it is not empty, or not there.
        let _ = fs::remove_dir(rules);
    }
    gone.iter().try_for_each(|path| remove_below(root, path))
}

/// Removes a file below a folder, and the folders between them that are empty then.
fn remove_below(root: &Path, path: &str) -> io::Result<()> {
    match fs::remove_file(root.join(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed?,
    }
    for folder in Path::new(path).ancestors().skip(1).take_while(|folder| *folder != Path::new("")) {
        // It is not empty if it still holds something.
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Removes files of a folder that this run would have written anew. `prefix` is the folder's path in that of a workload.
fn remove_outdated(
    folder: &Path,
    prefix: &str,
    current: &BTreeSet<PathBuf>,
    is_ours: &impl Fn(&str) -> bool,
) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let is_ours = entry.file_name().to_str().is_some_and(|name| is_ours(&format!("{prefix}{name}")));
        if is_ours && entry.file_type()?.is_file() && !current.contains(&entry.path()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn fill_buffered(file: fs::File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(256 << 10, file);
    fill(&mut out)?;
    out.flush()
}

/// A file or folder under a name of its own, which is removed unless it was moved to its place.
struct Staged {
    path: PathBuf,
}

impl Staged {
    /// Creates it in a folder, under a hidden name that nothing has yet.
    fn create<T>(folder: &Path, create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(Self, T)> {
        for attempt in 0_u32.. {
            let path = folder.join(format!(".promgen-{}-{attempt}.tmp", std::process::id()));
            match create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                created => return created.map(|created| (Self { path }, created)),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn move_to(self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // There may be nothing left to remove, and nobody to tell if it fails.
        let _ = if self.path.is_dir() { fs::remove_dir_all(&self.path) } else { fs::remove_file(&self.path) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Emission, Layout, Output, is_generated, sample};

    fn write_output(root: &Path, output: &Output, emission: &Emission) -> io::Result<()> {
        let is_ours = |path: &str| is_generated(path, &emission.outdated());
        write_tree(root, &output.files(emission), &output.folders(), is_ours, &[])
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    }

    fn broken(_: &mut dyn Write) -> io::Result<()> {
        Err(io::Error::other("no more"))
    }

    #[test]
    fn a_file_is_replaced_whole_or_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.yaml");
        write_file(&path, |out| out.write_all(b"one")).unwrap();
        write_file(&path, broken).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write_file(&path, |out| out.write_all(b"two")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(folder.path()), ["out.yaml"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_mode_stays_a_mode() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("real.yaml"), folder.path().join("link.yaml"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        symlink("real.yaml", &link).unwrap();
        write_file(&link, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_tree_drops_what_an_earlier_run_left_and_keeps_what_is_the_users() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("prometheus/monitoring/k8s");
        let mut emission = Emission::default();
        emission.parts.insert(crate::output::Part::Raw);
        write_output(root.path(), &sample::per_shard(), &emission).unwrap();
        assert_eq!(
            fs::read_to_string(folder.join("prometheus-1.yaml")).unwrap(),
            "shard: 1\n\nzone:\n- b $(POD_NAME)\n"
        );
        fs::write(folder.join("kustomization.yaml"), "mine").unwrap();
        fs::create_dir(folder.join("statefulset-7.yaml")).unwrap();
        fs::create_dir_all(root.path().join("prometheus/monitoring/other")).unwrap();
        fs::write(root.path().join("prometheus/monitoring/other/prometheus.yaml"), "not of this run").unwrap();

        let emission = Emission { layout: Layout::Operator, ..Emission::default() };
        write_output(root.path(), &sample::operator(), &emission).unwrap();
        let expected = [
            "kustomization.yaml",
            "prometheus.yaml",
            "secret-prometheus-k8s.yaml",
            "selection.json",
            "statefulset-0.yaml",
            "statefulset-7.yaml",
            "status.yaml",
        ];
        assert_eq!(names(&folder), expected);
        assert_eq!(names(&root.path().join("prometheus/monitoring")), ["k8s", "other"]);
        assert_eq!(names(&root.path().join("prometheus/monitoring/other")), ["prometheus.yaml"]);
        assert_eq!(names(root.path()), ["prometheus"]);
    }

    #[test]
    fn a_tree_that_cannot_be_written_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let mut output = sample::operator();
        output.workloads[0].id.name = "x".repeat(5000);
        write_output(root.path(), &output, &Emission::default()).unwrap_err();
        assert!(names(root.path()).is_empty());
    }

    #[test]
    fn a_path_that_ends_in_a_separator_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_folder(folder.path()));
        assert!(is_folder(Path::new("not-there/")));
        assert!(!is_folder(Path::new("not-there")));
    }
}
