//! The only module that accesses the disk.
//!
//! In: paths as given by the user. Out: [`Input`]s for the library; files and trees that are written completely or not at
//! all. Listings are sorted, so that a run does not depend on the order in which a disk lists its files.

#![expect(clippy::disallowed_methods, reason = "this module is the only user")]

mod disk;
mod find;
mod git;
mod helm;
mod ignored;
mod leftovers;
mod matching;
mod names;
pub(crate) mod ordinary;
mod programs;
mod promtool;
mod replaceable;
mod same;
mod staged;
mod stamp;
mod territory;
mod tree;
mod watcher;
mod workspace;
mod write;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::LazyLock;
use std::time::SystemTime;

pub(super) use crate::cli::fs::disk::{Disk, has};
use crate::cli::fs::find::{FoundFile, Search, Source, UnreadChild};
pub(super) use crate::cli::fs::git::{
    GitError, ReadRevision, Revision, closest_in, file_in, read_revision,
};
pub(super) use crate::cli::fs::helm::{Ask, render};
use crate::cli::fs::leftovers::sweep;
pub(super) use crate::cli::fs::matching::matching;
pub(super) use crate::cli::fs::ordinary::{
    read_beside, read_files, read_input, read_ordinary_text, read_templates, read_text,
};
pub(super) use crate::cli::fs::programs::open;
pub(super) use crate::cli::fs::promtool::{Promtool, Scratch};
pub(super) use crate::cli::fs::same::update_file;
pub(super) use crate::cli::fs::staged::{remove_on_signals, succeed_on_signals};
use crate::cli::fs::stamp::Stamp;
use crate::cli::fs::territory::Territory;
pub(super) use crate::cli::fs::tree::{
    FileTree, TreeChanges, check_apart, check_folder, names_of_workload, read_list, write_tree,
};
pub(super) use crate::cli::fs::watcher::{FileWatcher, WatchedPlaces};
pub(super) use crate::cli::fs::workspace::{Boundary, Workspace, plain, short};
pub(super) use crate::cli::fs::write::{
    Access, Replaces, check_output, is_earlier_output, is_folder, rewrite, write_file, write_into,
};
use promgen_repository::kustomize::read::gather::assets;
use promgen_repository::path::KUSTOMIZATION_FILES;
use promgen_text::CollectOrdered;
use promgen_text::limits::Limits;
use promgen_text::parallel;
use promgen_text::source::Input;

/// The name of standard input.
pub(super) const STDIN: &str = "<stdin>";

/// Maximum number of bytes read of one input: one more than the library accepts, so that it can report too many.
const MAX_BYTES: u64 = promgen_text::input::MAX_BYTES as u64 + 1;

/// Manifests, and the files that they were read from.
#[derive(Debug, Default)]
pub(crate) struct ReadManifests {
    /// The texts. Their names are for display: the name of a path that is not UTF-8 is not a path.
    pub(super) inputs: Vec<Input>,
    /// The file of each text. `None` for standard input.
    pub(super) files: Vec<Option<PathBuf>>,
    /// The stamps of the first files, by which a later run knows that they have not changed.
    stamps: Vec<Option<Stamp>>,
    /// The folders that were searched, by their absolute paths without links.
    folders: BTreeSet<PathBuf>,
    /// Where links lead that stand in these folders, likewise.
    targets: BTreeSet<PathBuf>,
}

impl ReadManifests {
    /// The file of a text.
    pub(super) fn file(&self, index: usize) -> Option<&Path> {
        self.files.get(index)?.as_deref()
    }

    /// The same without some files.
    pub(super) fn without(self, is_left_out: &dyn Fn(&Path) -> bool) -> Self {
        let all = self.inputs.into_iter().zip(self.files);
        let kept = all.filter(|(_, file)| !file.as_deref().is_some_and(is_left_out));
        let (inputs, files) = kept.unzip();
        // The stamps are those of all files.
        Self {
            inputs,
            files,
            stamps: Vec::new(),
            ..self
        }
    }

    /// Removes what a killed run has left in the folders of these files, in which this run may write.
    pub(super) fn sweep(&self) {
        let folders = self
            .files
            .iter()
            .flatten()
            .filter_map(|file| absolute(file).parent().map(Path::to_owned));
        self.folders
            .iter()
            .cloned()
            .chain(folders)
            .collect_set()
            .iter()
            .for_each(|folder| sweep(folder));
    }
}

/// Returns whether a path gives manifests.
pub(super) fn gives_manifests(path: &Path) -> bool {
    let mut search = Search::new(Territory::of([path]), false, Limits::default());
    search.add_manifests(path);
    !search.take_unread().is_empty() || !search.into_parts().0.is_empty()
}

/// What a folder with a kustomization stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folders {
    /// The kustomization alone: the user asks for what it builds. Not the folder of the whole run, [`is_tree`]: what applies its
    /// kustomization is among its manifests, or nothing does.
    Built,
    /// All manifests in it, as in any other folder. A file that cannot be read is an input that was not read.
    Searched,
}

/// Whether files are read that Git ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IgnoredPaths {
    Read,
    Skipped,
}

impl IgnoredPaths {
    /// As `--no-ignore` says.
    pub(super) const fn of(no_ignore: bool) -> Self {
        if no_ignore { Self::Read } else { Self::Skipped }
    }
}

/// Reads manifests, and the files that kustomizations among them refer to, wherever those are.
///
/// # Errors
/// One message for each path that cannot be read, or that contains no manifest.
pub(super) fn read_repository(
    paths: &[PathBuf],
    is_left_out: impl Fn(&Path) -> bool,
    folders: Folders,
    ignored: IgnoredPaths,
    limits: Limits,
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    read_again(
        &ReadManifests::default(),
        paths,
        is_left_out,
        folders,
        ignored,
        limits,
        stdin,
    )
}

/// The same, when some of it was read before: a file that has not changed since is not read again.
pub(super) fn read_again(
    earlier: &ReadManifests,
    paths: &[PathBuf],
    is_left_out: impl Fn(&Path) -> bool,
    folders: Folders,
    ignored: IgnoredPaths,
    limits: Limits,
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    let disk = Disk::of(paths);
    let asks_for_builds = folders == Folders::Built;
    let mut search = Search::new(
        disk.territory().clone(),
        ignored == IgnoredPaths::Read,
        limits,
    );
    for path in paths {
        let kustomization = KUSTOMIZATION_FILES
            .iter()
            .map(|name| path.join(name))
            .find(|file| file.is_file());
        match kustomization.filter(|_| asks_for_builds && !is_tree(path)) {
            Some(file) => search.add_file(
                file.strip_prefix(".")
                    .map_or_else(|_| file.clone(), Path::to_owned),
            ),
            None => search.add_manifests(path),
        }
    }
    search.retain(|path| !is_left_out(path));
    let unread = if asks_for_builds {
        Vec::new()
    } else {
        search.take_unread()
    };
    let folders = search.take_folders();
    let (sources, failures) = search.into_parts();
    if !failures.is_empty() {
        return Err(failures);
    }
    let is_in_folder = |path: &Path| !paths.iter().any(|named| named == path);
    let may_fail = |path: &Path| !asks_for_builds && is_in_folder(path);
    let mut manifests = read_sources(sources, earlier, disk.territory(), &may_fail, stdin)?;
    manifests.folders = folders;
    for UnreadChild { path, why, .. } in unread {
        manifests
            .inputs
            .push(Input::unread(display_name(&path), why));
        manifests.files.push(Some(path));
    }
    for asset in assets(&disk, &manifests.inputs) {
        manifests.files.push(Some(PathBuf::from(&asset.name)));
        manifests.inputs.push(asset);
    }
    Ok(manifests)
}

/// Returns whether a folder is the whole of what a run is about: the current one, or the root of a repository.
fn is_tree(folder: &Path) -> bool {
    folder.join(".git").exists() || absolute(folder) == absolute(Path::new("."))
}

/// What would be searched for the manifests of these paths, of which nothing is read.
fn searched(paths: &[PathBuf], finds_ignored: bool, limits: Limits) -> ReadManifests {
    let mut search = Search::new(Territory::of(paths), finds_ignored, limits);
    paths.iter().for_each(|path| search.add_manifests(path));
    ReadManifests {
        folders: search.take_folders(),
        ..ReadManifests::default()
    }
}

/// Reads files of a territory. One that may fail is an input that was not read.
fn read_sources(
    sources: Vec<Source>,
    earlier: &ReadManifests,
    territory: &Territory,
    may_fail: &(dyn Fn(&Path) -> bool + Sync),
    stdin: &mut dyn Read,
) -> Result<ReadManifests, Vec<String>> {
    let known = KnownFiles::of(earlier);
    let unread = |path: &Path, why| Ok((Input::unread(display_name(path), why), None));
    let read = |source: &Source| match source {
        Source::Stdin => None,
        Source::File(file) => Some(known.unchanged(file).map_or_else(
            || match read_owned(file, territory) {
                Err(error) if may_fail(&file.path) => {
                    unread(&file.path, UnreadChild::new(&file.path, &error).why)
                }
                read => read.map_err(|error| cannot_read(&file.path, &error)),
            },
            Ok,
        )),
        Source::Unread(path, why) => Some(unread(path, why.clone())),
    };
    let files = parallel::map(&sources, 1, read);
    let results = files
        .into_iter()
        .map(|file| file.unwrap_or_else(|| Ok((read_stdin(stdin)?, None))));
    let (inputs, stamps) = all_or_messages(results)?.into_iter().unzip();
    let targets = targets(&sources);
    let files = sources.into_iter().map(Source::into_path).collect();
    Ok(ReadManifests {
        inputs,
        files,
        stamps,
        targets,
        ..ReadManifests::default()
    })
}

/// The place where links among files lead.
fn targets(sources: &[Source]) -> BTreeSet<PathBuf> {
    let target = |source: &Source| match source {
        Source::File(file) => file.leads_to.clone(),
        Source::Stdin | Source::Unread(..) => None,
    };
    sources.iter().filter_map(target).collect_set()
}

/// The files that were read before, by their paths.
struct KnownFiles<'m> {
    by_path: Vec<(&'m OsStr, &'m Input, &'m Stamp)>,
}

impl<'m> KnownFiles<'m> {
    fn of(earlier: &'m ReadManifests) -> Self {
        let files = earlier
            .files
            .iter()
            .zip(&earlier.inputs)
            .zip(&earlier.stamps);
        let known = files.filter_map(|((file, input), stamp)| {
            Some((file.as_deref()?.as_os_str(), input, stamp.as_ref()?))
        });
        let mut by_path: Vec<_> = known.collect();
        by_path.sort_by_key(|(path, ..)| *path);
        Self { by_path }
    }

    /// The text that was read of a file, if it has not changed. Where a link leads may have changed otherwise.
    fn unchanged(&self, file: &FoundFile) -> Option<(Input, Option<Stamp>)> {
        let FoundFile {
            path,
            leads_to: None,
        } = file
        else {
            return None;
        };
        let at = self
            .by_path
            .binary_search_by_key(&path.as_os_str(), |(path, ..)| path)
            .ok()?;
        let (_, input, stamp) = self.by_path[at];
        let now = Stamp::now(&fs::symlink_metadata(path).ok()?);
        (now.as_ref() == Some(stamp)).then(|| (input.clone(), now))
    }
}

/// The closest file of that name: in the folder of a path, or in one above it, up to the one that contains `.git`. The
/// entry may be of any type, such as a broken link.
pub(super) fn find_upwards(path: &Path, name: &str) -> Option<PathBuf> {
    upwards(path, name)
        .into_iter()
        .find(|file| file.symlink_metadata().is_ok())
}

/// The places where that file may be, from the closest place on.
pub(super) fn upwards(path: &Path, name: &str) -> Vec<PathBuf> {
    let path = absolute(path);
    let folder = if path.is_dir() {
        Some(path.as_path())
    } else {
        path.parent()
    };
    let mut files = Vec::new();
    for folder in folder.into_iter().flat_map(Path::ancestors) {
        files.push(folder.join(name));
        if folder.join(".git").exists() {
            break;
        }
    }
    files
}

/// The absolute path without links; unchanged if the file does not exist.
pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path == Path::new("-") {
        Path::new(".")
    } else {
        path
    };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Returns whether a folder may be a repository, so that it is read though nobody named it: it is one of Git, or it is
/// small.
pub(super) fn may_be_repository(folder: &Path) -> bool {
    const SMALL: usize = 64;
    folder.join(".git").exists()
        || fs::read_dir(folder).is_ok_and(|entries| entries.take(SMALL + 1).count() <= SMALL)
}

/// Returns whether a non-empty file of that name exists.
pub(super) fn holds_text(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0)
}

/// The absolute path of a file without links. `None` if the file does not exist.
pub(super) fn existing(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok()
}

/// Returns whether nothing is at a path.
pub(super) fn is_absent(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err()
}

/// The names in a folder, in order; none if it cannot be read.
pub(super) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// The paths of a run: the current folder if it names none.
pub(super) fn or_current(paths: &[PathBuf]) -> &[PathBuf] {
    static CURRENT: LazyLock<[PathBuf; 1]> = LazyLock::new(|| [PathBuf::from(".")]);
    if paths.is_empty() { &*CURRENT } else { paths }
}

/// A path relative to the current folder, if it is below it: as users write paths.
pub(super) fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(absolute(Path::new(".")))
        .unwrap_or(path)
        .to_owned()
}

fn name_below(folder: &Path, path: &Path) -> String {
    let components = path.strip_prefix(folder).unwrap_or(path).components();
    components
        .map(|c| c.as_os_str().to_string_lossy())
        .collect::<Vec<_>>()
        .join("/")
}

fn all_or_messages<T>(
    results: impl Iterator<Item = Result<T, String>>,
) -> Result<Vec<T>, Vec<String>> {
    let (mut inputs, mut failures) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(input) => inputs.push(input),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() {
        Ok(inputs)
    } else {
        Err(failures)
    }
}

/// Reads a manifest that belongs to the repository. One that does not is an input without bytes.
fn read_owned(file: &FoundFile, territory: &Territory) -> io::Result<(Input, Option<Stamp>)> {
    let FoundFile { path, leads_to } = file;
    let belongs_to = leads_to
        .as_deref()
        .map_or(Ok(None), |real| territory.place(path, real));
    match belongs_to {
        Ok(belongs_to) => read_file(path).map(|(input, stamp)| {
            (
                Input {
                    belongs_to,
                    ..input
                },
                stamp,
            )
        }),
        Err(why) => Ok((Input::unread(display_name(path), why), None)),
    }
}

/// The name of a file in messages.
fn display_name(path: &Path) -> String {
    path.to_string_lossy().replace(MAIN_SEPARATOR, "/")
}

fn read_file(path: &Path) -> io::Result<(Input, Option<Stamp>)> {
    let now = SystemTime::now();
    let file = fs::File::open(path)?;
    let metadata = file.metadata().ok();
    let expected = metadata
        .as_ref()
        .map_or(0, fs::Metadata::len)
        .min(MAX_BYTES);
    let bytes = read_limited(file, expected)?;
    Ok((
        Input::new(display_name(path), bytes),
        metadata.and_then(|metadata| Stamp::of(&metadata, now)),
    ))
}

/// Reads standard input.
///
/// # Errors
/// A message, if it cannot be read, or is larger than any input that promgen accepts.
pub(super) fn read_standard_input(stdin: &mut dyn Read) -> Result<Input, String> {
    let input = read_stdin(stdin)?;
    // A part of it must never be passed on.
    if input.bytes.len() as u64 == MAX_BYTES {
        return Err(format!(
            "cannot read standard input: it is larger than {} bytes",
            MAX_BYTES - 1
        ));
    }
    Ok(input)
}

fn read_stdin(stdin: &mut dyn Read) -> Result<Input, String> {
    let bytes =
        read_limited(stdin, 0).map_err(|error| format!("cannot read standard input: {error}"))?;
    Ok(Input::new(STDIN, bytes))
}

fn read_limited(from: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    from.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The message about a path that cannot be read.
pub(super) fn cannot_read(path: &Path, error: &io::Error) -> String {
    // The folder in which promgen runs may be gone.
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    format!("cannot read `{}`: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(earlier: &ReadManifests, folder: &Path) -> ReadManifests {
        read_again(
            earlier,
            &[folder.to_owned()],
            |_| false,
            Folders::Searched,
            IgnoredPaths::Skipped,
            Limits::default(),
            &mut io::empty(),
        )
        .unwrap()
    }

    fn texts(manifests: &ReadManifests) -> Vec<&str> {
        manifests
            .inputs
            .iter()
            .map(|input| input.bytes.as_text().unwrap())
            .collect()
    }

    /// Gives a file an old time, as a file has that was not written just now.
    #[cfg(unix)]
    fn age(manifests: &mut ReadManifests) {
        for (file, stamp) in manifests.files.iter().zip(&mut manifests.stamps) {
            *stamp = Stamp::now(&fs::metadata(file.as_deref().unwrap()).unwrap());
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_what_has_changed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        ["a", "b"]
            .into_iter()
            .for_each(|name| fs::write(path(&format!("{name}.yaml")), name).unwrap());
        let mut before = read(&ReadManifests::default(), folder.path());
        assert!(
            before.stamps.iter().all(Option::is_none),
            "a new file may change without a trace"
        );
        age(&mut before);
        // What was read shows that it is not read again.
        before
            .inputs
            .iter_mut()
            .for_each(|input| input.bytes = b"known".to_vec().into());
        assert_eq!(texts(&read(&before, folder.path())), ["known", "known"]);
        fs::write(path("new"), "c").unwrap();
        fs::rename(path("new"), path("b.yaml")).unwrap();
        fs::write(path("c.yaml"), "d").unwrap();
        assert_eq!(texts(&read(&before, folder.path())), ["known", "c", "d"]);
        fs::remove_file(path("a.yaml")).unwrap();
        std::os::unix::fs::symlink("c.yaml", path("a.yaml")).unwrap();
        assert_eq!(texts(&read(&before, folder.path())), ["d", "c"]);
    }
}
