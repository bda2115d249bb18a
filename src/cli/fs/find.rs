//! Finds the files of a path.
//!
//! Skips hidden files and folders, and what Git ignores. Follows links, and enters each folder once, so that cycles of links end.
//! What cannot be read in a folder is kept apart: it stops some commands, and is a finding of others.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cli::fs::cannot_read;
use crate::cli::fs::ignored::{IgnoreRoom, IgnoredFiles};
use crate::cli::fs::territory::Territory;
use promgen_repository::path::SOURCE_IGNORE;
use promgen_text::limits::Limits;
use promgen_text::source::Unread;

/// Extensions of manifests in folders. A file given by its own path may have any extension.
const MANIFESTS: &[&str] = &["yaml", "yml", "json"];

/// The name of a kustomization without an extension.
const KUSTOMIZATION: &str = "Kustomization";

/// Extension of templates.
const TEMPLATES: &[&str] = &["j2"];

/// The configuration file, which is not a manifest.
const CONFIG: &str = promgen_checks::config::FILE_NAME;

/// The record of a rendered tree, which tells its files from those of users.
const RECORD: &str = promgen_text::source::RECORD;

/// The names of further files that are read.
const OTHERS: [&str; 3] = [KUSTOMIZATION, RECORD, SOURCE_IGNORE];

/// Something to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(FoundFile),
    /// A file or folder that must not be read.
    Unread(PathBuf, Unread),
}

impl Source {
    /// Its path, if it has one.
    pub(super) fn into_path(self) -> Option<PathBuf> {
        match self {
            Self::Stdin => None,
            Self::File(FoundFile { path, .. }) | Self::Unread(path, _) => Some(path),
        }
    }
}

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundFile {
    /// Its path, as the user knows it.
    pub(super) path: PathBuf,
    /// The target of a link, absolute and without links. `None` if the path is no link, or does not resolve, as for a pipe from
    /// a shell.
    pub(super) leads_to: Option<PathBuf>,
}

/// The content of a folder that cannot be read.
#[derive(Debug)]
pub(super) struct UnreadChild {
    pub(super) path: PathBuf,
    pub(super) why: Unread,
    /// The message of a command that it stops.
    message: String,
}

impl UnreadChild {
    /// Why the file or folder could not be read.
    pub(super) fn new(path: &Path, error: &io::Error) -> Self {
        let target = fs::read_link(path)
            .ok()
            .filter(|_| error.kind() == io::ErrorKind::NotFound);
        let why = target.map_or_else(
            || Unread::Failed(error.to_string()),
            |target| Unread::BrokenLink(target.to_string_lossy().into_owned()),
        );
        let path = path.strip_prefix(".").unwrap_or(path);
        Self {
            path: path.to_owned(),
            why,
            message: cannot_read(path, error),
        }
    }
}

/// The files found so far.
#[derive(Debug, Default)]
pub(super) struct Search {
    sources: Vec<Source>,
    /// The results, each file by its absolute path without links. As paths, they would be compared part by part.
    seen: BTreeSet<OsString>,
    failures: Vec<String>,
    /// The content of folders that cannot be read.
    unread: Vec<UnreadChild>,
    /// The folders that were entered, by their absolute paths without links.
    folders: BTreeSet<PathBuf>,
    /// Files that Git ignores are found too.
    finds_ignored: bool,
    /// The number of manifests and folders that `.gitignore` leaves out.
    n_ignored: usize,
    /// What belongs to the repository.
    territory: Territory,
    limits: Limits,
}

impl Search {
    /// A search that does not leave a territory. It finds what Git ignores, too, if `finds_ignored`.
    pub(super) fn new(territory: Territory, finds_ignored: bool, limits: Limits) -> Self {
        Self {
            territory,
            finds_ignored,
            limits,
            ..Self::default()
        }
    }

    /// Leaves out excluded files.
    pub(super) fn retain(&mut self, keeps: impl Fn(&Path) -> bool) {
        self.sources.retain(|source| match source {
            Source::Stdin => true,
            Source::File(FoundFile { path, .. }) | Source::Unread(path, _) => keeps(path),
        });
        self.unread.retain(|child| keeps(&child.path));
    }

    /// The unreadable content of folders. From now on, it is no error.
    pub(super) fn take_unread(&mut self) -> Vec<UnreadChild> {
        std::mem::take(&mut self.unread)
    }

    /// The folders that were entered.
    pub(super) fn take_folders(&mut self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.folders)
    }

    /// The files to read, and the errors.
    pub(super) fn into_parts(self) -> (Vec<Source>, Vec<String>) {
        let unread = self.unread.into_iter().map(|child| child.message);
        (
            self.sources,
            self.failures.into_iter().chain(unread).collect(),
        )
    }

    /// Adds the files of a path on the command line: standard input, a file, or the manifests of a folder.
    pub(super) fn add_manifests(&mut self, path: &Path) {
        if path == Path::new("-") {
            self.add(Source::Stdin, PathBuf::from("-"));
            return;
        }
        match fs::metadata(path) {
            Ok(_) if fs::canonicalize(path).is_ok_and(|real| !self.territory.owns(path, &real)) => {
                self.failures.push(format!(
                    "cannot read `{}`: {}",
                    path.display(),
                    Unread::Outside
                ));
            }
            Ok(metadata) if metadata.is_dir() => {
                if self.add_folder(path, MANIFESTS) == 0 {
                    let ignored = match self.n_ignored {
                        0 => String::new(),
                        n => format!(
                            ": {n} of its paths match .gitignore, though Git may track them; --no-ignore reads them"
                        ),
                    };
                    self.failures.push(format!(
                        "no manifest (.yaml, .yml, .json) found in `{}`{ignored}",
                        path.display()
                    ));
                }
            }
            Ok(_) => self.add_file(path.to_owned()),
            Err(error) => self.failures.push(cannot_read(path, &error)),
        }
    }

    /// Adds the templates of a folder.
    pub(super) fn add_templates(&mut self, folder: &Path) {
        if self.add_folder(folder, TEMPLATES) == 0 && self.unread.is_empty() {
            self.failures
                .push(format!("no template (.j2) found in `{}`", folder.display()));
        }
    }

    fn add(&mut self, source: Source, identity: PathBuf) {
        if self.seen.insert(identity.into_os_string()) {
            self.sources.push(source);
        }
    }

    /// Adds a file.
    pub(super) fn add_file(&mut self, path: PathBuf) {
        let real = fs::canonicalize(&path).ok();
        // The path of a pipe from a shell does not resolve; its name identifies it.
        let identity = real.clone().unwrap_or_else(|| path.clone());
        self.add(
            Source::File(FoundFile {
                path,
                leads_to: real,
            }),
            identity,
        );
    }

    fn add_child(&mut self, child: Child) {
        let path = shown(&child.path);
        match child.real {
            Some(real) => self.add(
                Source::File(FoundFile {
                    path,
                    leads_to: None,
                }),
                real,
            ),
            None => self.add_file(path),
        }
    }

    fn add_unread(&mut self, path: &Path, why: Unread) {
        self.add(Source::Unread(shown(path), why), path.to_owned());
    }

    /// Lists a folder.
    fn enter(&mut self, path: &Path, real: PathBuf) -> io::Result<Vec<Child>> {
        let children = children(path, &real);
        self.folders.insert(real);
        children
    }

    /// Returns whether a link leads to a folder that must not be read.
    fn leads_out(&self, child: &Child, real: &Path) -> bool {
        child.real.is_none() && !self.territory.owns(&child.path, real)
    }

    /// Adds all files below a folder that have one of the extensions, and returns their number; failures count too.
    fn add_folder(&mut self, folder: &Path, extensions: &[&str]) -> usize {
        let (mut n_found, mut entered) = (0, BTreeSet::new());
        self.n_ignored = 0;
        let respects = !self.finds_ignored && extensions == MANIFESTS;
        let mut room = IgnoreRoom::new(self.limits);
        let above = if respects {
            IgnoredFiles::above(folder, &mut room)
        } else {
            Ok(IgnoredFiles::default())
        };
        let mut pending = match above {
            Ok(above) => vec![(
                Child {
                    path: folder.to_owned(),
                    real: None,
                    file_type: None,
                },
                above,
            )],
            Err(failure) => {
                self.failures.push(failure);
                return 1;
            }
        };
        while let Some((child, ignored)) = pending.pop() {
            let path = &child.path;
            match classify(&child, extensions, &mut entered) {
                Ok(EntryType::Folder(_)) if path != folder && ignored.leaves_out(path, true) => {
                    self.n_ignored += 1;
                }
                Ok(EntryType::Wanted | EntryType::Irregular) if ignored.leaves_out(path, false) => {
                    self.n_ignored += 1;
                }
                Ok(EntryType::Folder(real)) if self.leads_out(&child, &real) => {
                    n_found += 1;
                    self.add_unread(path, Unread::Outside);
                }
                Ok(EntryType::Irregular) => {
                    n_found += 1;
                    self.add_unread(path, Unread::Irregular);
                }
                Ok(EntryType::Folder(real)) => match self.enter(path, real) {
                    Ok(children) => {
                        let ignored = if respects {
                            ignored.enter(path, &mut room)
                        } else {
                            Ok(ignored)
                        };
                        let ignored = match ignored {
                            Ok(ignored) => ignored,
                            Err(failure) => {
                                self.failures.push(failure);
                                return 1;
                            }
                        };
                        // The last one pushed is processed first.
                        pending.extend(
                            children
                                .into_iter()
                                .rev()
                                .map(|child| (child, ignored.clone())),
                        );
                    }
                    Err(error) => {
                        n_found += 1;
                        self.unread.push(UnreadChild::new(path, &error));
                    }
                },
                Ok(EntryType::Wanted) => {
                    n_found += 1;
                    self.add_child(child);
                }
                Ok(EntryType::Other) => {}
                Err(_) if ignored.leaves_out(path, false) => {}
                Err(error) => {
                    n_found += 1;
                    self.unread.push(UnreadChild::new(path, &error));
                }
            }
        }
        n_found
    }
}

/// A path as the user writes it.
fn shown(path: &Path) -> PathBuf {
    path.strip_prefix(".")
        .map_or_else(|_| path.to_owned(), Path::to_owned)
}

/// Returns whether a file below a folder is one of its manifests: no part of its path is hidden, and it is not our
/// configuration.
pub(super) fn is_manifest(below: &str) -> bool {
    let name = below.rsplit('/').next().unwrap_or(below);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_wanted = MANIFESTS
        .iter()
        .any(|wanted| extension.eq_ignore_ascii_case(wanted))
        && name != CONFIG;
    let is_hidden = |part: &str| part.starts_with('.') && !OTHERS.contains(&part);
    (is_wanted || OTHERS.contains(&name)) && !below.split('/').any(is_hidden)
}

/// An entry of a folder. What the folder says is not asked of the disk again.
struct Child {
    path: PathBuf,
    /// The absolute path without links. `None` for a link, and where the search begins.
    real: Option<PathBuf>,
    /// `None` for a link, and where the search begins.
    file_type: Option<fs::FileType>,
}

/// The type of a path in a folder.
enum EntryType {
    /// A folder that has not been entered yet, with its absolute path without links.
    Folder(PathBuf),
    /// A file with one of the extensions.
    Wanted,
    /// A pipe, a device, or the like with one of the extensions.
    Irregular,
    /// Anything else.
    Other,
}

fn classify(
    child: &Child,
    extensions: &[&str],
    entered: &mut BTreeSet<PathBuf>,
) -> io::Result<EntryType> {
    let path = &child.path;
    let is_wanted = path
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|extension| {
            extensions
                .iter()
                .any(|wanted| extension.eq_ignore_ascii_case(wanted))
        });
    let is_named = || {
        path.file_name()
            .is_some_and(|name| OTHERS.iter().any(|other| name == *other))
    };
    let is_wanted = is_wanted || extensions == MANIFESTS && is_named();
    let file_type = match child
        .file_type
        .map_or_else(|| fs::metadata(path).map(|found| found.file_type()), Ok)
    {
        Ok(file_type) => file_type,
        // A broken link that would not be read anyway.
        Err(_) if !is_wanted && path.is_symlink() => return Ok(EntryType::Other),
        Err(error) => return Err(error),
    };
    if file_type.is_dir() {
        let real = child
            .real
            .clone()
            .map_or_else(|| fs::canonicalize(path), Ok)?;
        return Ok(if entered.insert(real.clone()) {
            EntryType::Folder(real)
        } else {
            EntryType::Other
        });
    }
    Ok(match (is_wanted, file_type.is_file()) {
        (true, true) => EntryType::Wanted,
        (true, false) => EntryType::Irregular,
        (false, _) => EntryType::Other,
    })
}

/// The visible entries of a folder, sorted, without our own configuration. `real` is its absolute path without links.
fn children(folder: &Path, real: &Path) -> io::Result<Vec<Child>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_hidden =
            name.as_encoded_bytes().starts_with(b".") && !OTHERS.iter().any(|other| name == *other);
        if !is_hidden && name != CONFIG {
            let file_type = entry
                .file_type()
                .ok()
                .filter(|file_type| !file_type.is_symlink());
            let real = file_type.map(|_| real.join(entry.file_name()));
            found.push(Child {
                path: entry.path(),
                real,
                file_type,
            });
        }
    }
    // All are in the same folder, so this is the order of their paths, which would be compared part by part.
    found.sort_by_cached_key(|child| child.path.file_name().map(OsStr::to_owned));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    fn search(root: &Path, finds_ignored: bool) -> Search {
        Search::new(Territory::of([root]), finds_ignored, Limits::default())
    }

    fn found(root: &Path, paths: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut search = search(root, false);
        for path in paths {
            search.add_manifests(&root.join(path));
        }
        let (sources, failures) = search.into_parts();
        let name = |source: Source| match source {
            Source::Stdin => "-".to_owned(),
            Source::File(FoundFile { path, .. }) | Source::Unread(path, _) => path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .replace('\\', "/"),
        };
        (sources.into_iter().map(name).collect(), failures)
    }

    #[test]
    fn folders_give_their_manifests_sorted_and_without_what_is_hidden() {
        let root = tempfile::tempdir().unwrap();
        touch(
            root.path(),
            &[
                "b.yaml",
                "a/z.json",
                "a/c.YML",
                "README.md",
                ".git/x.yaml",
                ".hidden.yaml",
                "a.d/x.txt",
                "promgen.yaml",
            ],
        );
        assert_eq!(
            found(root.path(), &[""]),
            (
                ["a/c.YML", "a/z.json", "b.yaml"]
                    .map(str::to_owned)
                    .to_vec(),
                vec![]
            )
        );
    }

    #[test]
    fn what_is_named_twice_is_found_once_where_it_is_named_first() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["a/x.yaml", "a/y.yaml", "z.txt"]);
        let (names, failures) = found(
            root.path(),
            &["a/y.yaml", "a", "a/../a", "z.txt", "a/x.yaml"],
        );
        assert_eq!(names, ["a/y.yaml", "a/x.yaml", "z.txt"]);
        assert!(failures.is_empty());
    }

    #[test]
    fn every_path_that_gives_nothing_is_named() {
        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["empty/notes.txt", "a.yaml"]);
        let (_, failures) = found(root.path(), &["missing", "empty", "a.yaml"]);
        assert_eq!(failures.len(), 2);
        assert!(
            failures[0].starts_with("cannot read") && failures[0].contains("missing"),
            "{failures:?}"
        );
        assert!(
            failures[1].starts_with("no manifest") && failures[1].contains("empty"),
            "{failures:?}"
        );
    }

    #[test]
    fn what_git_ignores_is_skipped_unless_it_is_asked_for() {
        let root = tempfile::tempdir().unwrap();
        touch(
            root.path(),
            &[
                "a.yaml",
                "out/b.yaml",
                "sub/c.yaml",
                "sub/keep.yaml",
                "sub/out/d.yaml",
                ".git/HEAD",
            ],
        );
        fs::write(root.path().join(".gitignore"), "/out/\nkeep.yaml\n").unwrap();
        fs::write(root.path().join("sub/.gitignore"), "c.*\n!keep.yaml\n").unwrap();
        let names = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            found(root.path(), &[""]).0,
            names(&["a.yaml", "sub/keep.yaml", "sub/out/d.yaml"])
        );
        assert_eq!(
            found(root.path(), &["sub"]).0,
            names(&["sub/keep.yaml", "sub/out/d.yaml"])
        );
        assert_eq!(
            found(root.path(), &["out"]).0,
            names(&["out/b.yaml"]),
            "a folder that is named is not ignored"
        );
        let mut all = search(root.path(), true);
        all.add_manifests(root.path());
        assert_eq!(all.into_parts().0.len(), 5);
        fs::write(root.path().join("sub/.gitignore"), "*\n").unwrap();
        for (folder, n) in [("sub", 3), (".git", 0)] {
            let mut none = search(root.path(), false);
            none.add_manifests(&root.path().join(folder));
            let told = none.into_parts().1.concat();
            let counts = format!(": {n} of its paths match .gitignore");
            assert!(
                told.contains("no manifest") && told.contains(&counts) == (n > 0),
                "{told}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_once_and_circles_end() {
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        touch(root.path(), &["a/..data/real.yaml", "b/x.yaml"]);
        symlink("..data/real.yaml", root.path().join("a/mounted.yaml")).unwrap();
        symlink("..", root.path().join("a/up")).unwrap();
        symlink("../a", root.path().join("b/a")).unwrap();
        symlink("nowhere", root.path().join("b/dangling")).unwrap();
        assert_eq!(found(root.path(), &[""]).0, ["a/mounted.yaml", "b/x.yaml"]);
        symlink("nowhere", root.path().join("b/dangling.yaml")).unwrap();
        assert_eq!(found(root.path(), &["b"]).1.len(), 1);
        let mut given = search(root.path(), false);
        given.add_manifests(root.path());
        let unread = given.take_unread();
        let found: Vec<_> = unread
            .iter()
            .map(|child| (child.path.strip_prefix(root.path()).unwrap(), &child.why))
            .collect();
        assert_eq!(
            found,
            [(
                Path::new("b/dangling.yaml"),
                &Unread::BrokenLink("nowhere".to_owned())
            )]
        );
        assert_eq!(given.into_parts().1, Vec::<String>::new());
        fs::write(root.path().join(".gitignore"), "dangling.*\n").unwrap();
        let mut given = search(root.path(), false);
        given.add_manifests(root.path());
        assert!(given.take_unread().is_empty());
    }

    #[test]
    fn templates_are_files_of_their_own_kind() {
        let root = tempfile::tempdir().unwrap();
        touch(
            root.path(),
            &["relabel/operator-address.yaml.j2", "relabel/notes.yaml"],
        );
        let mut given = search(root.path(), true);
        given.add_templates(root.path());
        assert_eq!(given.into_parts().0.len(), 1);
        let mut missing = search(root.path(), true);
        missing.add_templates(&root.path().join("none"));
        assert_eq!(missing.into_parts().1.len(), 1);
    }
}
