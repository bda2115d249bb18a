//! A line on the terminal while a command says nothing for more than half a second.
//!
//! It goes before the first byte of output, and when a signal ends the run.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The time that a command may say nothing before the line appears.
const DELAY: Duration = Duration::from_millis(500);
/// The time between two drawings.
const TICK: Duration = Duration::from_millis(100);
/// The drawings in a second.
const TICKS_PER_SECOND: u64 = 10;
/// The escape sequence that removes a line from a terminal.
pub(super) const CLEAR: &str = "\r\u{1b}[K";

/// Whether something is drawn on the terminal that is to go.
static IS_DRAWN: AtomicBool = AtomicBool::new(false);
/// The phase of the run.
static PHASE: Mutex<&'static str> = Mutex::new("working");

/// Says what the run does from now on, and returns what it did before.
pub(crate) fn phase(name: &'static str) -> &'static str {
    let mut phase = PHASE.lock().unwrap_or_else(PoisonError::into_inner);
    std::mem::replace(&mut phase, name)
}

/// Notes whether something is drawn.
pub(super) fn set_drawn(is_drawn: bool) {
    IS_DRAWN.store(is_drawn, Ordering::SeqCst);
}

/// Removes what is drawn: a signal ends the process.
pub(crate) fn clear() {
    if IS_DRAWN.swap(false, Ordering::SeqCst) {
        let mut stderr = io::stderr();
        let _ = stderr
            .write_all(CLEAR.as_bytes())
            .and_then(|()| stderr.flush());
    }
}

/// Draws until it is stopped.
pub(crate) struct Waiting {
    running: RefCell<Option<(Sender<()>, JoinHandle<()>)>>,
}

impl Waiting {
    /// Starts to draw on standard error, if anybody watches.
    pub(crate) fn start(is_watched: bool) -> Self {
        let running = is_watched.then(|| running(DELAY, io::stderr()));
        Self {
            running: RefCell::new(running),
        }
    }

    /// Stops, and leaves the line empty.
    pub(crate) fn stop(&self) {
        let Some((sender, thread)) = self.running.borrow_mut().take() else {
            return;
        };
        drop(sender);
        // A thread that failed draws nothing any more.
        let _ = thread.join();
    }

    /// The stream, before whose first byte this stops.
    pub(crate) fn before<W: Write>(&self, stream: W) -> BeforeFirstByte<'_, W> {
        BeforeFirstByte {
            stream,
            waiting: self,
        }
    }
}

fn running(delay: Duration, out: impl Write + Send + 'static) -> (Sender<()>, JoinHandle<()>) {
    let (sender, receiver) = channel();
    let thread = thread::spawn(move || {
        let mut out = out;
        let mut wait = delay;
        let mut n_drawn: u64 = 0;
        while receiver.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            let seconds = n_drawn / TICKS_PER_SECOND;
            let phase = *PHASE.lock().unwrap_or_else(PoisonError::into_inner);
            // The whole run is no phase of it.
            let phase = if phase == "the run" { "working" } else { phase };
            set_drawn(true);
            let time = if seconds > 0 {
                format!(" {seconds} s")
            } else {
                String::new()
            };
            // An error in drawing has no reader.
            let _ = write!(out, "\r{phase} …{time}\u{1b}[K").and_then(|()| out.flush());
            (n_drawn, wait) = (n_drawn + 1, TICK);
        }
        if n_drawn > 0 {
            let _ = write!(out, "{CLEAR}").and_then(|()| out.flush());
            set_drawn(false);
        }
    });
    (sender, thread)
}

/// A stream, before whose first byte the line goes.
pub(crate) struct BeforeFirstByte<'w, W> {
    stream: W,
    waiting: &'w Waiting,
}

impl<W: Write> Write for BeforeFirstByte<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.stop();
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Shared {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_goes_before_the_first_byte() {
        let screen = Shared::default();
        let waiting = Waiting {
            running: RefCell::new(Some(running(Duration::ZERO, screen.clone()))),
        };
        let mut stdout = waiting.before(screen.clone());
        while screen.text().is_empty() {
            thread::yield_now();
        }
        writeln!(stdout, "done").unwrap();
        let text = screen.text();
        assert!(
            text.contains(" …") && text.ends_with(&format!("{CLEAR}done\n")),
            "{text:?}"
        );
    }

    #[test]
    fn a_short_run_draws_nothing() {
        let screen = Shared::default();
        let waiting = Waiting {
            running: RefCell::new(Some(running(DELAY * 1000, screen.clone()))),
        };
        waiting.stop();
        waiting.stop();
        assert_eq!(screen.text(), "");
    }
}
