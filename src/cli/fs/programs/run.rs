//! Runs a program within bounds: of the time that it takes, and of what it prints.

use std::io::{self, Read};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::fs::programs::child::ChildProcess;

/// The number of bytes that a program may print on standard error, where its output is apart.
const MAX_MESSAGES: u64 = 1 << 20;

/// The longest pause between two looks at a program.
const MAX_PAUSE: Duration = Duration::from_millis(5);

/// The time in which the output of a program that has ended must be read.
const GRACE: Duration = Duration::from_secs(2);

/// The bounds of a run.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli::fs) struct RunBounds {
    /// The moment at which it must have ended.
    pub(in crate::cli::fs) deadline: Instant,
    /// The number of bytes that it may print.
    pub(in crate::cli::fs) max_bytes: u64,
}

impl RunBounds {
    /// The bounds of a run that begins now.
    pub(in crate::cli::fs) fn of_seconds(seconds: u64, max_bytes: u64) -> Self {
        // A century, and no overflow.
        Self {
            deadline: Instant::now() + Duration::from_secs(seconds.min(u64::from(u32::MAX))),
            max_bytes,
        }
    }
}

/// Where standard error goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli::fs) enum Streams {
    /// It is read apart.
    Apart,
    /// It is a part of the output, in the order in which the program prints.
    Joined,
}

/// What a program printed, and how it ended.
#[derive(Debug)]
pub(in crate::cli::fs) struct Printed {
    pub(in crate::cli::fs) stdout: Vec<u8>,
    pub(in crate::cli::fs) stderr: Vec<u8>,
    pub(in crate::cli::fs) status: ExitStatus,
}

/// Why a run did not come to its end.
#[derive(Debug)]
pub(in crate::cli::fs) enum Unfinished {
    /// It cannot be started.
    Unstarted(io::Error),
    /// It takes too long.
    Late,
    /// It prints too much.
    TooMuch,
    /// It has ended, but left a process that holds its output.
    Held,
}

/// Runs a program to its end. Nothing of it is left then, but what has left its group.
///
/// # Errors
/// As [`Unfinished`] lists.
pub(in crate::cli::fs) fn run(
    command: Command,
    streams: Streams,
    bounds: RunBounds,
) -> Result<Printed, Unfinished> {
    let (mut child, outputs) = start(command, streams).map_err(Unfinished::Unstarted)?;
    let (send, receive) = channel();
    let mut printed = [Vec::new(), Vec::new()];
    for ((at, stream), max) in outputs
        .into_iter()
        .enumerate()
        .zip([bounds.max_bytes, MAX_MESSAGES])
    {
        collect(stream, max, at, send.clone());
    }
    drop(send);
    let mut note = |(at, bytes): (usize, Option<Vec<u8>>)| {
        bytes
            .map(|bytes| printed[at] = bytes)
            .ok_or(Unfinished::TooMuch)
    };
    let mut pause = MAX_PAUSE / 32;
    while !child.has_ended() {
        if Instant::now() >= bounds.deadline {
            return Err(Unfinished::Late);
        }
        match receive.recv_timeout(pause) {
            Ok(stream) => note(stream)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(pause),
        }
        pause = (pause * 2).min(MAX_PAUSE);
    }
    let status = child.end().map_err(Unfinished::Unstarted)?;
    let until = Instant::now() + GRACE;
    loop {
        match receive.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(stream) => note(stream)?,
            Err(RecvTimeoutError::Timeout) => return Err(Unfinished::Held),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let [stdout, stderr] = printed;
    Ok(Printed {
        stdout,
        stderr,
        status,
    })
}

type Pipe = Box<dyn Read + Send>;

/// Starts a program. Returns its standard output, and its standard error if that is apart.
fn start(mut command: Command, streams: Streams) -> io::Result<(ChildProcess, Vec<Pipe>)> {
    if streams == Streams::Joined {
        let (output, end) = io::pipe()?;
        command.stdout(end.try_clone()?).stderr(end);
        return Ok((ChildProcess::start(command)?, vec![Box::new(output)]));
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = ChildProcess::start(command)?;
    let stdout = child.0.stdout.take().map(|stream| Box::new(stream) as Pipe);
    let stderr = child.0.stderr.take().map(|stream| Box::new(stream) as Pipe);
    Ok((child, stdout.into_iter().chain(stderr).collect()))
}

/// Reads a stream in a thread of its own. A stream that is longer than that is closed, and has no bytes.
fn collect(stream: Pipe, max: u64, at: usize, send: Sender<(usize, Option<Vec<u8>>)>) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is what there is.
        let _ = stream.take(max.saturating_add(1)).read_to_end(&mut bytes);
        let _ = send.send((at, Some(bytes).filter(|bytes| bytes.len() as u64 <= max)));
    });
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, streams: Streams, bounds: RunBounds) -> Result<Printed, Unfinished> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, streams, bounds)
    }

    #[test]
    fn a_program_that_hangs_or_prints_without_end_is_stopped() {
        let start = Instant::now();
        let wide = RunBounds::of_seconds(600, 1 << 20);
        let late = || RunBounds::of_seconds(0, 1 << 20);
        for streams in [Streams::Apart, Streams::Joined] {
            let ran = |script, bounds| sh(script, streams, bounds);
            assert!(matches!(
                ran("sleep 600 & sleep 600", late()),
                Err(Unfinished::Late)
            ));
            assert!(matches!(
                ran("exec >&- 2>&-; sleep 600", late()),
                Err(Unfinished::Late)
            ));
            assert!(matches!(ran("yes", wide), Err(Unfinished::TooMuch)));
            assert!(matches!(ran("yes >&2", wide), Err(Unfinished::TooMuch)));
            assert!(matches!(
                ran("trap '' PIPE; while :; do yes; done", wide),
                Err(Unfinished::TooMuch)
            ));
            // What it leaves behind ends with it.
            assert_eq!(
                ran("echo a; sleep 600 & exit 3", wide)
                    .unwrap()
                    .status
                    .code(),
                Some(3)
            );
        }
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn joined_streams_are_in_order() {
        let bounds = RunBounds::of_seconds(60, 1 << 20);
        let script = "echo a; echo b >&2; echo c; exit 1";
        let printed = sh(script, Streams::Joined, bounds).unwrap();
        assert_eq!(
            (printed.stdout.as_slice(), printed.stderr.as_slice()),
            (&b"a\nb\nc\n"[..], &b""[..])
        );
        let printed = sh(script, Streams::Apart, bounds).unwrap();
        assert_eq!(
            (printed.stdout.as_slice(), printed.stderr.as_slice()),
            (&b"a\nc\n"[..], &b"b\n"[..])
        );
        assert_eq!(printed.status.code(), Some(1));
    }
}
