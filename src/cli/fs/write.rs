//! Writes files and trees completely or not at all.
//!
//! Everything is first written to a temporary name and then renamed, so that a reader sees the old file or the new one,
//! and a failed run leaves nothing behind.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};

use crate::cli::fs::staged::{Staged, undisturbed};
use promgen_compile::output::{File, Folder, RULES_FOLDER};
use promgen_text::sorted::SortedSet;

/// Who can read the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Access {
    /// As the umask or the replaced file allows.
    Usual,
    /// Only the user: the output may contain secrets.
    Private,
}

impl Access {
    /// The access to output with or without values of Secrets.
    pub(in crate::cli) const fn of(reveals_secrets: bool) -> Self {
        if reveals_secrets { Self::Private } else { Self::Usual }
    }

    fn new_file(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if self == Self::Private {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options
    }

    fn new_folder(self) -> DirBuilder {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has modes"))]
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        if self == Self::Private {
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        }
        builder
    }
}

/// Whether a path on the command line is a folder: it exists as one, or it ends in a separator.
pub(in crate::cli) fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(std::path::MAIN_SEPARATOR_STR.as_bytes())
}

/// Writes a file. Replaces the target of a link; writes directly to a pipe or device.
pub(in crate::cli) fn write_file(
    path: &Path,
    access: Access,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| !metadata.is_file()) {
        return fill_buffered(OpenOptions::new().write(true).open(&target)?, fill);
    }
    let folder = match target.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let (staged, file) = Staged::create(folder, |path| access.new_file().open(path))?;
    fill_buffered(file, fill)?;
    if let Some(metadata) = existing.filter(|_| access == Access::Usual) {
        fs::set_permissions(&staged.path, metadata.permissions())?;
    }
    staged.move_to(&target)
}

/// Writes named files into a folder, which is created if it does not exist.
pub(in crate::cli) fn write_into(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    files.iter().try_for_each(|(name, text)| write_file(&folder.join(name), Access::Usual, |out| out.write_all(text)))
}

/// Changes a file in place, so that its owner, its mode and its hard links stay.
///
/// # Errors
/// An I/O error, or the file has changed since it was read.
pub(in crate::cli) fn rewrite(path: &Path, before: &[u8], after: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut current = Vec::with_capacity(before.len() + 1);
    // One more byte shows whether the file has grown.
    (&mut file).take(before.len() as u64 + 1).read_to_end(&mut current)?;
    if current != before {
        return Err(io::Error::other("the file has changed since promgen read it; nothing is written"));
    }
    file.rewind()?;
    let _undisturbed = undisturbed();
    file.write_all(after)?;
    file.set_len(after.len() as u64)
}

/// Writes files below a folder, and removes outdated files of earlier runs from the folders of their workloads. `is_ours`
/// returns whether promgen writes a path in a workload's folder. `gone` are further files of an earlier run, relative to
/// the root.
pub(in crate::cli) fn write_tree(
    root: &Path,
    access: Access,
    files: &[File<'_>],
    folders: &[Folder],
    is_ours: impl Fn(&str) -> bool,
    gone: &[String],
) -> io::Result<()> {
    fs::create_dir_all(root)?;
    let (staged, ()) = Staged::create(root, |path| access.new_folder().create(path))?;
    for file in files {
        let path = staged.path.join(&file.path);
        let created = {
            // A folder that a signal has removed must not come into being again.
            let _guard = undisturbed();
            let created = fs::create_dir_all(path.parent().unwrap_or(&staged.path));
            created.and_then(|()| access.new_file().open(path)).map_err(|error| of_name(file, error))?
        };
        fill_buffered(created, |out| file.write(out))?;
    }
    for file in files {
        let target = root.join(&file.path);
        fs::create_dir_all(target.parent().unwrap_or(root))?;
        fs::rename(staged.path.join(&file.path), target)?;
    }
    let current: SortedSet<PathBuf> = files.iter().map(|file| root.join(&file.path)).collect();
    for folder in folders {
        let folder = root.join(&folder.path);
        remove_outdated(&folder, "", &current, &is_ours)?;
        let rules = folder.join(RULES_FOLDER);
        remove_outdated(&rules, &format!("{RULES_FOLDER}/"), &current, &is_ours)?;
        // It is correct to fail if the folder is not empty or does not exist.
        let _ = fs::remove_dir(rules);
    }
    gone.iter().try_for_each(|path| remove_below(root, path))
}

/// Adds the resource whose name is too long for a file to the error.
fn of_name(file: &File<'_>, error: io::Error) -> io::Error {
    if error.kind() != ErrorKind::InvalidFilename {
        return error;
    }
    let message = format!("the name of {} is too long for the file system: `{}`", file.subject(), file.path);
    io::Error::new(ErrorKind::InvalidFilename, message)
}

/// Removes a file below a folder, and the folders between them that are empty then.
fn remove_below(root: &Path, path: &str) -> io::Result<()> {
    match fs::remove_file(root.join(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        removed => removed?,
    }
    for folder in Path::new(path).ancestors().skip(1).take_while(|folder| *folder != Path::new("")) {
        // It fails if the folder is not empty.
        if fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Removes files of a folder that this run did not write. `prefix` is the folder's path in that of a workload.
fn remove_outdated(
    folder: &Path,
    prefix: &str,
    current: &SortedSet<PathBuf>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_compile::output::{Emission, Layout, Output, is_generated, sample};

    fn write_output(root: &Path, output: &Output, emission: &Emission) -> io::Result<()> {
        let is_ours = |path: &str| is_generated(path, &emission.outdated());
        write_tree(root, Access::Usual, &output.files(emission), &output.folders(), is_ours, &[])
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
        write_file(&path, Access::Usual, |out| out.write_all(b"one")).unwrap();
        write_file(&path, Access::Usual, broken).unwrap_err();
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        write_file(&path, Access::Usual, |out| out.write_all(b"two")).unwrap();
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
        write_file(&link, Access::Usual, |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_tree_drops_what_an_earlier_run_left_and_keeps_what_is_the_users() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("prometheus/monitoring/k8s");
        let mut emission = Emission::default();
        emission.parts.insert(promgen_compile::output::Part::Raw);
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
        let error = write_output(root.path(), &output, &Emission::default()).unwrap_err().to_string();
        let named = "the name of Prometheus/monitoring/xxx";
        assert!(error.starts_with(named) && error.contains("x is too long for the file system: `"), "{error}");
        assert!(names(root.path()).is_empty());
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
            let staged = fs::read_dir(root.path())?.map(|entry| entry.unwrap().path()).find(|entry| *entry != path);
            assert_eq!(mode(&staged.unwrap()), 0o600);
            out.write_all(b"new")
        };
        write_file(&path, Access::Private, created).unwrap();
        assert_eq!((mode(&path), fs::read_to_string(&path).unwrap().as_str()), (0o600, "new"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_changed_in_place_unless_somebody_else_changed_it() {
        use std::os::unix::fs::MetadataExt as _;

        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.yaml"), folder.path().join("hard.yaml"));
        fs::write(&path, "a: 10\n").unwrap();
        fs::hard_link(&path, &link).unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        rewrite(&path, b"a: 10\n", b"a: 1\n").unwrap();
        assert_eq!(
            (fs::read_to_string(&link).unwrap().as_str(), fs::metadata(&path).unwrap().ino()),
            ("a: 1\n", inode)
        );
        for before in ["a: 10\n", "a: 1"] {
            let error = rewrite(&path, before.as_bytes(), b"lost").unwrap_err().to_string();
            assert!(error.contains("has changed since promgen read it"), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 1\n");
    }

    #[test]
    fn a_path_that_ends_in_a_separator_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_folder(folder.path()));
        assert!(is_folder(Path::new("not-there/")));
        assert!(!is_folder(Path::new("not-there")));
    }
}
