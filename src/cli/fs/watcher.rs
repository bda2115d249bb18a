//! Waits until something changes on the disk.
//!
//! An event is only a reason to look: what has changed, if anything, is found out by those who read. The system may lose
//! events, or report what has not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _, WatcherKind,
};

use crate::cli::fs::find::Search;
use crate::cli::fs::territory::Territory;
use crate::cli::fs::workspace::plain;
use crate::cli::fs::{ReadManifests, absolute, ignored, or_current, searched};
use promgen_text::CollectOrdered;
use promgen_text::limits::Limits;

/// The time in which nothing may change before a run, as several writes belong together.
const QUIET: Duration = Duration::from_millis(20);
/// The longest wait for such a time.
const MAX_WAIT: Duration = Duration::from_millis(250);
/// The time between two looks at files that the system does not watch.
const POLL: Duration = Duration::from_secs(1);

/// The input of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WatchedPlaces {
    /// Absolute folders of which each entry matters.
    folders: BTreeSet<PathBuf>,
    /// Absolute paths of files, which need not exist.
    files: BTreeSet<PathBuf>,
}

impl WatchedPlaces {
    /// The places of manifests, and of the files that say which files of a folder are read. `paths` are those of the run.
    pub(crate) fn of(manifests: &ReadManifests, paths: &[PathBuf]) -> Self {
        let mut places = Self {
            folders: manifests.folders.clone(),
            files: manifests.targets.clone(),
        };
        places.add_files(paths.iter().filter(|path| *path != Path::new("-")));
        for folder in paths.iter().map(|path| absolute(path)) {
            places.files.extend(ignored::files_above(&folder));
        }
        // What a kustomization names may be there later, beside what it names now.
        let assets = manifests
            .files
            .iter()
            .skip(manifests.stamps.len())
            .flatten();
        places
            .folders
            .extend(assets.filter_map(|file| absolute(file).parent().map(Path::to_owned)));
        places
    }

    /// The places of a run with these paths. Before anything was read, those where it would be searched.
    pub(crate) fn of_run(
        read: Option<&ReadManifests>,
        paths: &[PathBuf],
        finds_ignored: bool,
    ) -> Self {
        let paths = or_current(paths);
        match read {
            Some(manifests) => Self::of(manifests, paths),
            None => Self::of(&searched(paths, finds_ignored, Limits::default()), paths),
        }
    }

    /// Adds the folder of templates.
    pub(crate) fn add_templates(&mut self, folder: Option<&Path>) {
        let Some(folder) = folder else { return };
        self.add_files([folder]);
        let mut search = Search::new(Territory::of([folder]), true, Limits::default());
        search.add_templates(folder);
        self.folders.extend(search.take_folders());
    }

    /// Adds files, as they are named and where links lead.
    pub(crate) fn add_files<P: AsRef<Path>>(&mut self, files: impl IntoIterator<Item = P>) {
        for file in files {
            self.files.insert(absolute(file.as_ref()));
            self.files.insert(plain(file.as_ref()));
        }
    }

    /// Adds other places.
    pub(crate) fn extend(&mut self, others: Self) {
        self.folders.extend(others.folders);
        self.files.extend(others.files);
    }

    /// Returns whether what happens at a path matters: it is one of the files, is in one of the folders, or is a folder
    /// above them.
    fn concerns(&self, path: &Path) -> bool {
        let is_above = |of: &BTreeSet<PathBuf>| {
            // Paths are sorted part by part: those below one follow it.
            of.range::<Path, _>((Bound::Included(path), Bound::Unbounded))
                .next()
                .is_some_and(|place| place.starts_with(path))
        };
        path.parent()
            .is_some_and(|folder| self.folders.contains(folder))
            || is_above(&self.folders)
            || is_above(&self.files)
    }

    /// The folders to watch, and whether with all that is below them: where the system watches trees, each tree once.
    fn watched(&self, watches_trees: bool) -> BTreeMap<PathBuf, RecursiveMode> {
        let mut watched = BTreeMap::new();
        let existing = |file: &PathBuf| {
            file.ancestors()
                .skip(1)
                .find(|folder| folder.is_dir())
                .map(Path::to_owned)
        };
        for folder in self.files.iter().filter_map(existing) {
            watched.insert(folder, RecursiveMode::NonRecursive);
        }
        let mut tree: Option<&Path> = None;
        for folder in &self.folders {
            let is_below = watches_trees && tree.is_some_and(|tree| folder.starts_with(tree));
            if !is_below {
                tree = Some(folder);
                let mode = if watches_trees {
                    RecursiveMode::Recursive
                } else {
                    RecursiveMode::NonRecursive
                };
                watched.insert(folder.clone(), mode);
            }
        }
        watched
    }
}

/// A notice of the system.
#[derive(Debug)]
enum Notice {
    /// Something happened at these paths.
    Changed(Vec<PathBuf>, Happening),
    /// Something happened, and the system does not say where.
    Somewhere,
    /// The watcher does not work, or not for all folders.
    Failed(String),
}

/// What happened at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Happening {
    /// A file was written, and more may follow.
    Written,
    /// Who wrote a file has closed it.
    Closed,
    /// There is something else at the path, or nothing: a folder may be another one now.
    Replaced,
    /// Anything else.
    Other,
}

impl Notice {
    /// `None` if nothing changed.
    fn of(event: notify::Result<Event>) -> Option<Self> {
        let event = match event {
            Ok(event) => event,
            Err(error) => return Some(Self::Failed(explained(&error))),
        };
        if event.need_rescan() || event.paths.is_empty() {
            return Some(Self::Somewhere);
        }
        let happening = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => Happening::Closed,
            EventKind::Access(_) => return None,
            EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Create(_)
            | EventKind::Remove(_) => Happening::Replaced,
            EventKind::Modify(ModifyKind::Data(_)) => Happening::Written,
            EventKind::Modify(_) | EventKind::Any | EventKind::Other => Happening::Other,
        };
        Some(Self::Changed(event.paths, happening))
    }
}

/// Why the system does not watch a folder, and what helps.
fn explained(error: &notify::Error) -> String {
    let is_exhausted = matches!(&error.kind, ErrorKind::MaxFilesWatch)
        || matches!(&error.kind, ErrorKind::Io(error) if error.raw_os_error() == Some(24));
    match is_exhausted {
        true => "the limit of the system is reached: raise fs.inotify.max_user_watches and \
                 fs.inotify.max_user_instances with sysctl"
            .to_owned(),
        false => error.to_string(),
    }
}

/// Waits for changes.
pub(crate) struct FileWatcher {
    /// `None` if the system gives none.
    system: Option<RecommendedWatcher>,
    notices: Receiver<Notice>,
    /// Keeps the channel open, even if nobody else does.
    sender: Sender<Notice>,
    places: WatchedPlaces,
    watched: BTreeMap<PathBuf, RecursiveMode>,
    /// Watched folders that were moved, removed or replaced.
    stale: BTreeSet<PathBuf>,
    /// Files that somebody is writing, where the system says when that ends.
    open: BTreeSet<PathBuf>,
    /// Why files are compared time and again instead.
    fault: Option<String>,
}

impl FileWatcher {
    /// A watcher of nothing yet.
    pub(crate) fn new() -> Self {
        let mut watcher = Self::silent();
        let sender = watcher.sender.clone();
        let system = notify::recommended_watcher(move |event| {
            // Whoever waited is gone when nobody receives.
            Notice::of(event)
                .into_iter()
                .for_each(|notice| drop(sender.send(notice)));
        });
        watcher.fault = system.as_ref().err().map(explained);
        watcher.system = system.ok();
        watcher
    }

    /// A watcher that the system tells nothing.
    fn silent() -> Self {
        let (sender, notices) = channel();
        Self {
            system: None,
            notices,
            sender,
            places: WatchedPlaces::default(),
            watched: BTreeMap::new(),
            stale: BTreeSet::new(),
            open: BTreeSet::new(),
            fault: None,
        }
    }

    /// Why the system does not watch all places, so that this compares the files each second.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Watches these places instead of those before. In new ones something may have changed since they were read: there is
    /// something to look at.
    pub(crate) fn watch(&mut self, places: WatchedPlaces) {
        let kind = RecommendedWatcher::kind();
        let wanted = places.watched(!matches!(kind, WatcherKind::Inotify | WatcherKind::Kqueue));
        self.places = places;
        let Some(system) = &mut self.system else {
            return;
        };
        let stale = std::mem::take(&mut self.stale);
        let stays = |(folder, mode): &(&PathBuf, &RecursiveMode)| {
            wanted.get(*folder) == Some(*mode) && !stale.contains(*folder)
        };
        let (kept, gone): (Vec<_>, Vec<_>) = self.watched.iter().partition(stays);
        let kept: BTreeSet<&PathBuf> = kept.into_iter().map(|(folder, _)| folder).collect_set();
        let new: Vec<_> = wanted
            .iter()
            .filter(|(folder, _)| !kept.contains(*folder))
            .collect();
        if gone.is_empty() && new.is_empty() {
            return;
        }
        let mut paths = system.paths_mut();
        for (folder, _) in gone {
            // A folder that was removed is watched no longer.
            let _ = paths.remove(folder);
        }
        let mut fault = None;
        for (folder, mode) in &new {
            match paths.add(folder, **mode) {
                // It was removed since: whoever watches the folder above it knows.
                Err(error) if is_absent(&error) => {}
                added => fault = fault.or(added.err().map(|error| explained(&error))),
            }
        }
        let fault = fault.or(paths.commit().err().map(|error| explained(&error)));
        self.fault = self.fault.take().or(fault);
        if !new.is_empty() {
            // The receiver is here.
            let _ = self.sender.send(Notice::Somewhere);
        }
        self.watched = wanted;
    }

    /// Waits until something changes, and then until nothing does for a moment and no file is half written.
    pub(crate) fn wait(&mut self) {
        while !self.takes(None) {}
        let first = Instant::now();
        let mut last = first;
        loop {
            let until = if self.open.is_empty() {
                (last + QUIET).min(first + MAX_WAIT)
            } else {
                first + MAX_WAIT
            };
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                break;
            };
            if self.takes(Some(left)) {
                last = Instant::now();
            }
        }
        // Who keeps a file open is waited for once.
        self.open = BTreeSet::new();
    }

    /// Waits for the next notice, at most for some time. Returns whether it matters.
    fn takes(&mut self, timeout: Option<Duration>) -> bool {
        let polls = self.fault.is_some() && timeout.is_none();
        let notice = match timeout.or(polls.then_some(POLL)) {
            Some(timeout) => self.notices.recv_timeout(timeout),
            None => self
                .notices
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match notice {
            Ok(notice) => self.take(notice),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => polls,
        }
    }

    /// Notes what the system says. Returns whether it matters.
    fn take(&mut self, notice: Notice) -> bool {
        match notice {
            Notice::Changed(paths, happening) => {
                let concerned = paths.iter().any(|path| self.places.concerns(path));
                for path in paths {
                    self.note(path, happening, concerned);
                }
                concerned
            }
            Notice::Somewhere => true,
            Notice::Failed(why) => {
                self.fault.get_or_insert(why);
                true
            }
        }
    }

    fn note(&mut self, path: PathBuf, happening: Happening, is_concerned: bool) {
        match happening {
            Happening::Written
                if is_concerned && RecommendedWatcher::kind() == WatcherKind::Inotify =>
            {
                self.open.insert(path);
            }
            Happening::Closed => {
                self.open.remove(&path);
            }
            Happening::Replaced => {
                let below = self.watched.range(path.clone()..).map(|(folder, _)| folder);
                self.stale.extend(
                    below
                        .take_while(|folder| folder.starts_with(&path))
                        .cloned(),
                );
                self.open.remove(&path);
            }
            Happening::Written | Happening::Other => {}
        }
    }
}

/// Returns whether there is nothing to watch: the folder was removed, or nobody reads it.
fn is_absent(error: &notify::Error) -> bool {
    use std::io::ErrorKind::{NotFound, PermissionDenied};

    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => matches!(error.kind(), NotFound | PermissionDenied),
        ErrorKind::Generic(_)
        | ErrorKind::WatchNotFound
        | ErrorKind::InvalidConfig(_)
        | ErrorKind::MaxFilesWatch => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn places(folders: &[&str], files: &[&str]) -> WatchedPlaces {
        let set = |paths: &[&str]| paths.iter().map(PathBuf::from).collect();
        WatchedPlaces {
            folders: set(folders),
            files: set(files),
        }
    }

    #[test]
    fn a_place_is_a_file_or_what_is_in_a_folder_and_the_folders_above() {
        let places = places(&["/r/a", "/r/a/b"], &["/r/x/promgen.yaml"]);
        for path in [
            "/r/a/m.yaml",
            "/r/a/b",
            "/r/a/b/m.yaml",
            "/r/a",
            "/r",
            "/r/x",
            "/r/x/promgen.yaml",
        ] {
            assert!(places.concerns(Path::new(path)), "{path}");
        }
        for path in [
            "/r/b",
            "/r/x/other.yaml",
            "/r/ab/m.yaml",
            "/r/a/c/m.yaml",
            "/q",
        ] {
            assert!(!places.concerns(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn trees_are_watched_once_where_the_system_watches_trees() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("a/b")).unwrap();
        let places = WatchedPlaces {
            folders: ["a", "a/b"].map(at).into_iter().collect(),
            files: ["missing/x.yaml", "y.yaml"].map(at).into_iter().collect(),
        };
        let modes = |watches_trees| {
            let watched = places.watched(watches_trees);
            let name = |path: &PathBuf| {
                path.strip_prefix(root.path())
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            };
            watched
                .iter()
                .map(|(path, mode)| (name(path), *mode == RecursiveMode::Recursive))
                .collect::<Vec<_>>()
        };
        let named = |list: &[(&str, bool)]| {
            list.iter()
                .map(|(name, tree)| ((*name).to_owned(), *tree))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            modes(false),
            named(&[("", false), ("a", false), ("a/b", false)])
        );
        assert_eq!(modes(true), named(&[("", false), ("a", true)]));
    }

    #[test]
    fn notices_that_are_there_are_one_change() {
        let mut watcher = FileWatcher::silent();
        watcher.places = places(&["/r"], &[]);
        let changed = |path: &str| Notice::Changed(vec![PathBuf::from(path)], Happening::Closed);
        for path in ["/q/x", "/r/a", "/q/y", "/r/b", "/r/c"] {
            watcher.sender.send(changed(path)).unwrap();
        }
        watcher.wait();
        assert!(watcher.notices.try_recv().is_err(), "all of them are taken");
        watcher.sender.send(Notice::Somewhere).unwrap();
        watcher.wait();
        watcher
            .sender
            .send(Notice::Failed("no more".to_owned()))
            .unwrap();
        watcher.wait();
        assert_eq!(watcher.fault(), Some("no more"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_is_waited_for_until_it_is_closed_or_replaced() {
        let mut watcher = FileWatcher::silent();
        watcher.places = places(&["/r"], &[]);
        let mut take = |path: &str, happening| {
            watcher.take(Notice::Changed(vec![PathBuf::from(path)], happening));
            watcher.open.len()
        };
        let seen = [
            take("/q/a", Happening::Written),
            take("/r/a", Happening::Written),
            take("/r/b", Happening::Written),
            take("/r/a", Happening::Closed),
            take("/r/b", Happening::Replaced),
        ];
        assert_eq!(seen, [0, 1, 2, 1, 0]);
    }

    #[test]
    fn a_new_place_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let mut watcher = FileWatcher::new();
        let places = WatchedPlaces {
            folders: BTreeSet::from([absolute(folder.path())]),
            ..WatchedPlaces::default()
        };
        watcher.watch(places.clone());
        watcher.wait();
        assert!(watcher.fault().is_some() || watcher.watched.len() == 1);
        watcher.watch(places);
        assert!(watcher.notices.try_recv().is_err(), "nothing is new");
        fs::write(folder.path().join("a"), "a").unwrap();
        watcher.wait();
        watcher.watch(WatchedPlaces::default());
        assert!(watcher.watched.is_empty());
    }

    #[test]
    fn reading_is_no_change() {
        let event = |kind| Notice::of(Ok(Event::new(kind).add_path(PathBuf::from("/r/a"))));
        assert!(event(EventKind::Access(AccessKind::Open(AccessMode::Any))).is_none());
        assert!(event(EventKind::Access(AccessKind::Close(AccessMode::Write))).is_some());
        let overflow = Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan);
        assert!(matches!(Notice::of(Ok(overflow)), Some(Notice::Somewhere)));
    }

    #[test]
    fn a_limit_of_the_system_is_explained() {
        let error = notify::Error::new(ErrorKind::MaxFilesWatch);
        assert!(explained(&error).contains("fs.inotify.max_user_watches"));
    }

    #[test]
    fn a_folder_that_is_replaced_is_watched_anew() {
        let mut watcher = FileWatcher::silent();
        watcher.watched = ["/r", "/r/a", "/r/a/b"]
            .map(|path| (PathBuf::from(path), RecursiveMode::NonRecursive))
            .into_iter()
            .collect();
        watcher.take(Notice::Changed(
            vec![PathBuf::from("/r/a")],
            Happening::Replaced,
        ));
        assert_eq!(
            watcher.stale.iter().collect::<Vec<_>>(),
            [Path::new("/r/a"), Path::new("/r/a/b")]
        );
    }
}
