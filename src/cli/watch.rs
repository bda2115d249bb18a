//! `--watch`: runs a command again whenever something changes that it reads.
//!
//! In: a command in two steps, to read and to run, and what waits for changes. Out: the output of each run whose inputs are
//! others than those of the run before. What a run prints on standard output is the same as without `--watch`; all that
//! separates the runs is on standard error.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use crate::cli::args::RerunArgs;
use crate::cli::{Exit, Failure, Io, Verbosity, fs, report, times};
use promgen_text::CollectOrdered;
use promgen_text::diag::count::counted;
use promgen_text::source::Input;

/// The number of files that the line above a run names.
const MAX_NAMED: usize = 3;

/// A command that runs again and again.
pub(crate) trait Rerun {
    /// Reads what a run needs. Returns the names of what differs from what was read before.
    ///
    /// # Errors
    /// Something cannot be read: there is no run until it can.
    fn read(&mut self, io: &mut Io<'_>) -> Result<Vec<String>, Failure>;

    /// Runs with what was read.
    ///
    /// # Errors
    /// Something cannot be written.
    fn run(&mut self, io: &mut Io<'_>) -> Result<Exit, Failure>;

    /// The paths of the command.
    fn paths(&self) -> &[PathBuf];

    /// What it has read, or tried to read.
    fn places(&self) -> fs::WatchedPlaces;
}

/// What waits for changes.
pub(crate) trait ChangeSource {
    /// Watches these places instead of those before.
    fn watch(&mut self, places: fs::WatchedPlaces);

    /// Why it compares files each second, if it does.
    fn fault(&self) -> Option<String>;

    /// Waits for changes. Returns whether there may be any: there never will otherwise.
    fn wait(&mut self) -> bool;
}

impl ChangeSource for fs::FileWatcher {
    fn watch(&mut self, places: fs::WatchedPlaces) {
        Self::watch(self, places);
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self).map(str::to_owned)
    }

    fn wait(&mut self) -> bool {
        Self::wait(self);
        true
    }
}

/// Runs a command until the user ends it, or nobody reads its output any more.
pub(crate) fn run(
    command: &mut dyn Rerun,
    args: RerunArgs,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    fs::succeed_on_signals();
    repeat(command, &mut fs::FileWatcher::new(), args, io)
}

fn repeat(
    command: &mut dyn Rerun,
    changes: &mut dyn ChangeSource,
    args: RerunArgs,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let is_gone = Cell::new(false);
    let (mut stdout, mut stderr) = (
        Reader {
            stream: io.stdout,
            is_gone: &is_gone,
        },
        Reader {
            stream: io.stderr,
            is_gone: &is_gone,
        },
    );
    let io = &mut Io {
        stdin: io.stdin,
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: io.terminal,
    };
    let clears = io.terminal.clears && !args.no_clear;
    let mut turns = Turns {
        clears,
        is_first: true,
        unread: None,
        is_warned: false,
    };
    loop {
        turns.turn(command, io)?;
        changes.watch(command.places());
        turns.warn(changes.fault(), io);
        if is_gone.get() || !changes.wait() {
            return Ok(Exit::Clean);
        }
    }
}

/// The runs of a command.
struct Turns {
    /// Each run begins with an empty screen.
    clears: bool,
    is_first: bool,
    /// Why the last reading failed.
    unread: Option<Vec<String>>,
    /// The user knows that files are compared each second.
    is_warned: bool,
}

impl Turns {
    /// Reads, and runs if something is different.
    fn turn(&mut self, command: &mut dyn Rerun, io: &mut Io<'_>) -> Result<(), Failure> {
        let (said, milliseconds) = times::measured(|| self.run(command, io));
        if let Some(what) = said? {
            let text = format!("{what} {milliseconds:.0} ms; waiting for changes (Ctrl-C ends)");
            report::note(&text, io);
        }
        self.is_first = false;
        Ok(())
    }

    /// Returns what was done, for the line below it. `None` if there was nothing to do.
    fn run(&mut self, command: &mut dyn Rerun, io: &mut Io<'_>) -> Result<Option<String>, Failure> {
        // Nobody is told how a reading went that found nothing new.
        let mut notes = Vec::new();
        let quiet = &mut io.with_stderr(&mut notes);
        match command.read(quiet) {
            Ok(changed) if changed.is_empty() && !self.is_first && self.unread.is_none() => {
                Ok(None)
            }
            Ok(changed) => {
                self.unread = None;
                self.begin(&changed, &notes, io);
                let what = if self.is_first {
                    "run in".to_owned()
                } else {
                    counted(changed.len(), "change") + ", run in"
                };
                shown(command.run(io).map(|_| ()), io)?;
                Ok(Some(what))
            }
            Err(Failure::Messages(messages)) if self.unread.as_ref() == Some(&messages) => Ok(None),
            Err(Failure::Messages(messages))
                if !self.is_first || command.paths().iter().all(|path| path.exists()) =>
            {
                self.begin(&[], &notes, io);
                report::failures(&messages, io);
                self.unread = Some(messages);
                Ok(Some("not run,".to_owned()))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Separates a run from the one before, and prints what reading has to say.
    fn begin(&self, changed: &[String], notes: &[u8], io: &mut Io<'_>) {
        if !self.is_first && self.clears {
            let _ = io.stderr.write_all(CLEAR);
        }
        if !self.is_first && io.terminal.verbosity > Verbosity::Quiet {
            let _ = writeln!(io.stderr, "--- {}", report::one_line(&named(changed)));
        }
        let _ = io.stderr.write_all(notes).and_then(|()| io.stderr.flush());
    }

    /// Says once that the system does not watch the files.
    fn warn(&mut self, fault: Option<String>, io: &mut Io<'_>) {
        let Some(why) = fault else { return };
        if !std::mem::replace(&mut self.is_warned, true) {
            let text = "the system does not watch all files, so promgen compares them each second";
            report::note(&format!("{text}: {why}"), io);
        }
    }
}

/// Moves the cursor to the top of an empty screen. What scrolled away stays.
const CLEAR: &[u8] = b"\x1b[2J\x1b[H";

/// A failure of one run, which others follow.
fn shown(result: Result<(), Failure>, io: &mut Io<'_>) -> Result<(), Failure> {
    match result {
        Err(Failure::Messages(messages)) => {
            report::failures(&messages, io);
            Ok(())
        }
        result => result,
    }
}

/// `a.yaml, b.yaml and 3 more changed`.
fn named(changed: &[String]) -> String {
    if changed.is_empty() {
        return "changed".to_owned();
    }
    report::listed(changed, MAX_NAMED) + " changed"
}

/// The names of inputs that differ, are new, or are gone. Those that the command writes itself are not among them.
pub(crate) fn changed(
    before: &[Input],
    now: &[Input],
    is_ours: impl Fn(&Input) -> bool,
) -> Vec<String> {
    let old: BTreeMap<&str, &Input> = before
        .iter()
        .map(|input| (input.name.as_str(), input))
        .collect_map();
    let new: BTreeMap<&str, &Input> = now
        .iter()
        .map(|input| (input.name.as_str(), input))
        .collect_map();
    let gone = old
        .iter()
        .filter(|(name, _)| !new.contains_key(*name))
        .map(|(_, input)| *input);
    let others = new
        .iter()
        .filter(|(name, input)| old.get(*name) != Some(input))
        .map(|(_, input)| *input);
    let mut names: Vec<String> = gone
        .chain(others)
        .filter(|input| !is_ours(input))
        .map(|input| input.name.clone())
        .collect();
    names.sort_unstable();
    names
}

/// A stream that remembers whether its reader is gone.
struct Reader<'s, 'g> {
    stream: &'s mut dyn Write,
    is_gone: &'g Cell<bool>,
}

impl Reader<'_, '_> {
    fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        if result
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKind::BrokenPipe)
        {
            self.is_gone.set(true);
        }
        result
    }
}

impl Write for Reader<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.stream.write(bytes);
        self.note(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.stream.flush();
        self.note(flushed)
    }
}

#[cfg(test)]
mod tests;
