//! A program that answers questions, one after the other, within a time.

use std::io::{self, BufRead, ErrorKind, Read, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::cli::fs::programs::child::ChildProcess;

/// The number of bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// The number of chunks that wait to be taken.
const N_WAITING: usize = 4;

/// A running program that is asked, and read as a stream.
pub(in crate::cli::fs) struct ProgramSession {
    /// Ends with the session.
    _child: ChildProcess,
    asks: ChildStdin,
    chunks: Receiver<Vec<u8>>,
    chunk: Vec<u8>,
    at: usize,
    /// The time that it may still be waited for.
    left: Duration,
}

impl ProgramSession {
    /// Starts it. Nobody reads its standard error.
    pub(in crate::cli::fs) fn start(mut command: Command, left: Duration) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = ChildProcess::start(command)?;
        let (Some(asks), Some(mut answers)) = child.streams() else {
            return Err(ErrorKind::BrokenPipe.into());
        };
        let (send, chunks) = sync_channel(N_WAITING);
        thread::spawn(move || {
            let mut chunk = vec![0; CHUNK];
            loop {
                let Ok(n_bytes) = answers.read(&mut chunk) else {
                    return;
                };
                // Most answers are short.
                if n_bytes == 0 || send.send(chunk[..n_bytes].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Self {
            _child: child,
            asks,
            chunks,
            chunk: Vec::new(),
            at: 0,
            left,
        })
    }

    /// Asks it something: lines, which fit into a pipe, so that it need not answer before it has read them.
    pub(in crate::cli::fs) fn ask(&mut self, line: &str) -> io::Result<()> {
        self.asks.write_all(format!("{line}\n").as_bytes())
    }
}

impl Read for ProgramSession {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.fill_buf()?.read(into)?;
        self.consume(n_bytes);
        Ok(n_bytes)
    }
}

impl BufRead for ProgramSession {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at == self.chunk.len() {
            let start = Instant::now();
            let received = self.chunks.recv_timeout(self.left);
            self.left = self.left.saturating_sub(start.elapsed());
            self.at = 0;
            self.chunk = match received {
                Ok(chunk) => chunk,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => Vec::new(),
                Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {
                    return Err(ErrorKind::TimedOut.into());
                }
            };
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, n_bytes: usize) {
        self.at += n_bytes;
    }
}
