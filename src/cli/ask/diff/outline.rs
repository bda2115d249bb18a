//! What differs as lines, which every format for people prints.

pub(super) mod lines;
pub(super) mod summary;

use promgen_driver::diff::Changes;
use promgen_text::diag::count::counted;

/// Everything that differs, as lines.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The head: what differs, counted.
    pub(super) summary: Vec<String>,
    /// The parts: each workload, then what belongs to none.
    pub(super) parts: Vec<Part>,
}

/// A part of the whole.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
}

/// A line.
#[derive(Debug)]
pub(super) struct Line {
    /// Its depth.
    pub(super) depth: usize,
    /// `+`, `-`, `~`, `!` for a loss, or a blank.
    pub(super) sign: char,
    pub(super) text: String,
}

impl Outline {
    /// The outline of changes, and of what was not compared.
    pub(super) fn new(changes: &Changes, unseen: &[String]) -> Self {
        Self { summary: summary::lines(changes, unseen), parts: lines::parts(changes) }
    }
}
