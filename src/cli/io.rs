//! What a run can see of the world: three streams and a few facts about the terminal.

use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, Read, Write};

use anstream::{AutoStream, ColorChoice};

/// The streams of a run. Tests hand over buffers.
pub struct Io<'a> {
    /// Where `-` reads.
    pub stdin: &'a mut dyn Read,
    /// Where results go.
    pub stdout: &'a mut dyn Write,
    /// Where findings and failures go.
    pub stderr: &'a mut dyn Write,
    /// Facts about the terminal.
    pub terminal: Terminal,
}

/// Facts about the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Whether standard output shows colours, and the user has not forbidden them.
    pub stdout_color: bool,
    /// The same for standard error.
    pub stderr_color: bool,
    /// Whether a line of standard error can be drawn anew: somebody watches, and the cursor moves.
    pub stderr_redraws: bool,
    /// Columns.
    pub width: usize,
}

/// Columns where there is no terminal to ask.
const DEFAULT_WIDTH: usize = 100;

impl Default for Terminal {
    /// No terminal: no colours, nothing drawn, 100 columns.
    fn default() -> Self {
        Self { stdout_color: false, stderr_color: false, stderr_redraws: false, width: DEFAULT_WIDTH }
    }
}

impl Terminal {
    /// The facts of this process; `NO_COLOR` and its relatives are respected.
    pub(super) fn detect() -> Self {
        let width = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
        Self {
            stdout_color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            stderr_color: AutoStream::choice(&io::stderr()) != ColorChoice::Never,
            stderr_redraws: io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
            width: width.filter(|width| *width >= 20).unwrap_or(DEFAULT_WIDTH),
        }
    }
}

/// Bytes gathered before they are written: large enough that a stream of megabytes takes few system calls.
const BUFFER: usize = 256 << 10;

impl Io<'_> {
    /// Writes to standard output. A reader that has gone away has seen enough, so that is a success.
    pub(super) fn print(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BUFFER, &mut *self.stdout);
        match write(&mut out).and_then(|()| out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                // What is left in the buffer has nowhere to go.
                let _ = out.into_parts();
                Ok(())
            }
            result => result,
        }
    }
}
