//! Files and folders with a temporary name until they are complete.
//!
//! A staged file is removed when its owner is dropped, and when SIGHUP, SIGINT or SIGTERM ends the process: it may contain
//! secrets.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cli::fs::helm::process;
use crate::cli::progress;

/// The staged files of this process. While the lock is held, a signal does not end the process.
static STAGED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether a run goes on until the user ends it, so that its end is a success.
static IS_ENDLESS: AtomicBool = AtomicBool::new(false);

/// What the name of a staged file begins and ends with. Between are the number of the process and that of an attempt.
const PREFIX: &str = ".promgen-";
const SUFFIX: &str = ".tmp";

/// The maximum number of attempts to remove a folder that another thread still writes to.
#[cfg(unix)]
const MAX_ATTEMPTS: usize = 1000;

/// A file or folder with a temporary name, which is removed unless it is moved to its place.
pub(super) struct StagedFile {
    pub(super) path: PathBuf,
}

impl StagedFile {
    /// Creates it in a folder, with an unused hidden name.
    pub(super) fn create<T>(
        folder: &Path,
        create: impl Fn(&Path) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        // A relative path would break if the process changed its folder.
        let folder = fs::canonicalize(folder)?;
        let mut staged = undisturbed();
        for attempt in 0_u32.. {
            let path = folder.join(format!("{PREFIX}{}-{attempt}{SUFFIX}", std::process::id()));
            match create(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(created) => {
                    staged.insert(path.clone());
                    return Ok((Self { path }, created));
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Moves it to its place.
    pub(super) fn move_to(self, target: &Path) -> io::Result<()> {
        let mut staged = undisturbed();
        fs::rename(&self.path, target)?;
        staged.remove(&self.path);
        Ok(())
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        let mut staged = undisturbed();
        if staged.remove(&self.path) {
            remove(&self.path);
        }
    }
}

/// The number of the process that has staged a file of that name. `None`: that is no name of a staged file.
pub(super) fn staged_by(name: &str) -> Option<u32> {
    let (process, attempt) = name
        .strip_prefix(PREFIX)?
        .strip_suffix(SUFFIX)?
        .split_once('-')?;
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = (process.parse().ok()?, attempt.parse::<u32>().ok()?);
    (is_number(process) && is_number(attempt)).then_some(numbers.0)
}

/// Removes a staged file or folder.
pub(super) fn remove(path: &Path) {
    // There may be nothing left to remove, and an error has no reader. A link is no folder.
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_folder {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
}

/// Keeps signals from ending the process until the guard is dropped.
pub(super) fn undisturbed() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    STAGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, SIGINT and SIGTERM end the process with 0.
pub(crate) fn succeed_on_signals() {
    IS_ENDLESS.store(true, Ordering::SeqCst);
}

/// From now on, SIGHUP, SIGINT and SIGTERM remove what is staged before they end the process, and a file that exceeds the
/// limit of the shell (`ulimit -f`) is an error, not the end.
#[cfg(unix)]
pub(crate) fn remove_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;

    // Without a handler, the default one ends the process.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGXFSZ]) else {
        return;
    };
    // `nohup` ignores it, and a handler would undo that.
    if !is_ignored(SIGHUP) {
        let _ = signals.add_signal(SIGHUP);
    }
    std::thread::spawn(move || {
        // The write that the limit has stopped fails.
        let Some(signal) = signals.forever().find(|signal| *signal != SIGXFSZ) else {
            return;
        };
        progress::clear();
        // What runs would write into what is removed.
        process::end_all();
        let staged = undisturbed();
        for path in &*staged {
            (0..MAX_ATTEMPTS)
                .take_while(|_| path.exists())
                .for_each(|_| remove(path));
        }
        let is_wanted = IS_ENDLESS.load(Ordering::SeqCst) && signal != SIGHUP;
        // The exit code that shells report for a process ended by the signal.
        std::process::exit(if is_wanted { 0 } else { 128 + signal });
    });
}

/// Returns whether the process was started with that signal ignored. Only Linux says so without unsafe code.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    u32::try_from(signal - 1).is_ok_and(|bit| mask.checked_shr(bit).unwrap_or(0) & 1 == 1)
}

/// Other systems remove nothing.
#[cfg(not(unix))]
pub(crate) fn remove_on_signals() {}
