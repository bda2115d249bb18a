//! What differs as lines, which every format for people prints.

pub(super) mod lines;
pub(super) mod summary;
mod values;

use crate::cli::ask::diff::Whole;
use promgen_text::diag::count::counted;

/// Everything that differs, as lines.
#[derive(Debug, Default)]
pub(in crate::cli) struct DiffOutline {
    /// The end of the marker of a comment.
    pub(super) marker: String,
    /// The targets that are lost, each line with a job.
    pub(in crate::cli) lost: Vec<String>,
    /// The head: what differs, counted.
    pub(in crate::cli) summary: Vec<String>,
    /// The parts: each workload, then what belongs to none.
    pub(in crate::cli) parts: Vec<OutlinePart>,
}

/// A part of the whole.
#[derive(Debug, Default)]
pub(in crate::cli) struct OutlinePart {
    pub(in crate::cli) title: String,
    pub(in crate::cli) lines: Vec<Line>,
}

/// A line.
#[derive(Debug)]
pub(in crate::cli) struct Line {
    /// Its depth.
    pub(in crate::cli) depth: usize,
    /// `+`, `-`, `~`, `!` for a loss, or a blank.
    pub(in crate::cli) sign: char,
    pub(in crate::cli) text: String,
}

impl DiffOutline {
    /// The outline of changes, of what was not compared, and of notes.
    pub(super) fn new(whole: &Whole<'_>) -> Self {
        let (lost, marker) = (lines::lost(whole.changes), String::new());
        Self { marker, lost, summary: summary::lines(whole), parts: lines::parts(whole.changes) }
    }
}
