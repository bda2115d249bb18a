//! The environment of a run: three streams and a few facts about the terminal.

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};

use anstream::{AutoStream, ColorChoice};

use crate::cli::Failure;

/// The streams of a run. Tests pass buffers.
pub struct Io<'a> {
    /// The source of `-`.
    pub stdin: &'a mut dyn Read,
    /// The sink of results.
    pub stdout: &'a mut dyn Write,
    /// The sink of findings and failures.
    pub stderr: &'a mut dyn Write,
    /// Facts about the terminal.
    pub terminal: Terminal,
}

/// Facts about the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Standard output supports colors, and the user has not disabled them.
    pub stdout_color: bool,
    /// The same for standard error.
    pub stderr_color: bool,
    /// The user wants colors in files, too.
    pub file_color: bool,
    /// Standard output is a terminal.
    pub stdout_is_terminal: bool,
    /// A line of standard error can be redrawn: it is a terminal with a movable cursor.
    pub stderr_redraws: bool,
    /// Both streams go to a terminal whose screen can be cleared.
    pub clears: bool,
    /// Columns.
    pub width: usize,
    /// The amount that is printed on standard error besides findings and failures.
    pub verbosity: Verbosity,
    /// Commands other than `lint` print the findings, too, instead of their number.
    pub shows_findings: bool,
}

/// The amount that a run prints on standard error besides findings and failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Nothing.
    Quiet,
    /// Notes, and a summary of the findings.
    #[default]
    Usual,
    /// Also which files are read, and how long each phase takes.
    Verbose,
}

/// Columns without a terminal.
const DEFAULT_WIDTH: usize = 100;

impl Default for Terminal {
    /// No terminal: no colors, no progress bar, 100 columns.
    fn default() -> Self {
        Self {
            stdout_color: false,
            stderr_color: false,
            file_color: false,
            stdout_is_terminal: false,
            stderr_redraws: false,
            clears: false,
            width: DEFAULT_WIDTH,
            verbosity: Verbosity::Usual,
            shows_findings: false,
        }
    }
}

impl Terminal {
    /// The facts of this process; `NO_COLOR` and its relatives are respected.
    pub(super) fn detect() -> Self {
        let width =
            terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
        let redraws = io::stderr().is_terminal()
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            stdout_color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            stderr_color: AutoStream::choice(&io::stderr()) != ColorChoice::Never,
            stdout_is_terminal: io::stdout().is_terminal(),
            stderr_redraws: redraws,
            clears: redraws && io::stdout().is_terminal(),
            width: width.filter(|width| *width >= 20).unwrap_or(DEFAULT_WIDTH),
            ..Self::default()
        }
    }
}

/// Refuses a command that would read standard input twice: for its paths, and for the files of its options.
pub(super) fn read_once(
    command: &'static str,
    paths: &[PathBuf],
    files: &[&Option<PathBuf>],
) -> Result<(), Failure> {
    let is_stdin = |path: &&PathBuf| path.as_path() == Path::new("-");
    let of_files = files.iter().copied().flatten().filter(is_stdin).count();
    if of_files > 0 && of_files + paths.iter().filter(is_stdin).count() > 1 {
        let text = "standard input can be read only once: use `-` only once";
        return Err(Failure::usage(
            command,
            clap::error::ErrorKind::ArgumentConflict,
            text,
        ));
    }
    Ok(())
}

/// The buffer size in bytes: large enough that a stream of megabytes takes few system calls.
const BUFFER: usize = 256 << 10;

impl Io<'_> {
    /// The same streams, with another use of the terminal.
    pub(super) fn with_terminal(&mut self, terminal: Terminal) -> Io<'_> {
        Io {
            stdin: self.stdin,
            stdout: self.stdout,
            stderr: self.stderr,
            terminal,
        }
    }

    /// The same streams, with another one for findings and failures.
    pub(super) fn with_stderr<'s>(&'s mut self, stderr: &'s mut dyn Write) -> Io<'s> {
        Io {
            stdin: self.stdin,
            stdout: self.stdout,
            stderr,
            terminal: self.terminal,
        }
    }

    /// Writes to standard output. A closed pipe is a success: the reader has seen enough.
    pub(super) fn print(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = BufWriter::with_capacity(BUFFER, &mut *self.stdout);
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                // The rest of the buffer has no reader.
                let _ = out.into_parts();
                Ok(())
            }
            result => result.map_err(|error| {
                Failure::message(format!("cannot write standard output: {error}"))
            }),
        }
    }
}
