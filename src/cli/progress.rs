//! A progress bar of a long run, and a line while a command says nothing. Only on a terminal, never in a pipe or a file.

mod waiting;

use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::cli::Io;
use promgen_text::diag::escape;
pub(super) use waiting::{Waiting, clear, phase};

/// Columns of the bar.
const WIDTH: usize = 24;
/// Work of fewer steps is too short for a bar.
const LONG: usize = 200_000;

/// Runs work on another thread, and draws its progress. `weight` is its number of steps; [`LONG`] steps or more get a bar.
/// `work` reports the done and the total amount.
pub(super) fn watch<T: Send>(
    what: &str,
    weight: usize,
    io: &mut Io<'_>,
    work: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> T + Send,
) -> T {
    if !io.terminal.stderr_redraws || weight < LONG {
        return work(&|_, _| {});
    }
    let (sender, receiver) = channel();
    let result = thread::scope(|scope| {
        let worker = scope.spawn(move || work(&|done, all| send(&sender, done, all)));
        let mut shown = None;
        // Ends when the worker drops the sender.
        for percent in receiver {
            if shown.is_none_or(|shown| percent > shown) {
                draw(what, percent, io);
                shown = Some(percent);
            }
        }
        worker.join()
    });
    // An error in clearing the bar has no reader.
    let _ = write!(io.stderr, "{}", waiting::CLEAR);
    let _ = io.stderr.flush();
    waiting::set_drawn(false);
    result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn send(sender: &Sender<usize>, done: usize, all: usize) {
    let percent = done.saturating_mul(100) / all.max(1);
    // The receiver outlives the worker.
    let _ = sender.send(percent.min(100));
}

fn draw(what: &str, percent: usize, io: &mut Io<'_>) {
    let full = percent * WIDTH / 100;
    let what = escape::line(what);
    let line = format!(
        "{what} [{}{}] {percent:3}%",
        "=".repeat(full),
        " ".repeat(WIDTH - full)
    );
    let shown: String = line
        .chars()
        .take(io.terminal.width.saturating_sub(1))
        .collect();
    waiting::set_drawn(true);
    let _ = write!(io.stderr, "\r{shown}\u{1b}[K");
    let _ = io.stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Terminal;

    fn watched(terminal: Terminal, weight: usize) -> (usize, String) {
        let (mut stdin, mut stdout, mut stderr) = (std::io::empty(), std::io::sink(), Vec::new());
        let mut io = Io {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal,
        };
        let result = watch("counting", weight, &mut io, |progress| {
            [0, 1, 50, 49, 51, 100, 200]
                .into_iter()
                .for_each(|done| progress(done, 100));
            7
        });
        (result, String::from_utf8(stderr).unwrap())
    }

    #[test]
    fn a_bar_is_drawn_where_somebody_watches_and_wiped_away() {
        let watching = Terminal {
            stderr_redraws: true,
            ..Terminal::default()
        };
        let (result, drawn) = watched(watching, LONG);
        assert_eq!(result, 7);
        let lines: Vec<&str> = drawn.split('\r').collect();
        assert_eq!(lines.len(), 1 + 5 + 1, "{drawn:?}");
        assert_eq!(lines[3], "counting [============            ]  50%\u{1b}[K");
        assert_eq!(
            (lines[5], lines[6]),
            (
                "counting [========================] 100%\u{1b}[K",
                "\u{1b}[K"
            )
        );
        let narrow = Terminal {
            width: 20,
            ..watching
        };
        assert!(
            watched(narrow, LONG)
                .1
                .split('\r')
                .all(|line| line.trim_end_matches("\u{1b}[K").len() < 20)
        );
    }

    #[test]
    fn nothing_is_drawn_elsewhere_or_for_short_work() {
        let watching = Terminal {
            stderr_redraws: true,
            ..Terminal::default()
        };
        let colored = Terminal {
            stderr_color: true,
            ..Terminal::default()
        };
        assert_eq!(watched(Terminal::default(), usize::MAX), (7, String::new()));
        assert_eq!(watched(colored, usize::MAX), (7, String::new()));
        assert_eq!(watched(watching, LONG - 1), (7, String::new()));
    }
}
