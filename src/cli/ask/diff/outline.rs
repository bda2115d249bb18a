//! What differs as lines, which every format for people prints.

pub(super) mod lines;
pub(super) mod summary;
mod values;

use crate::cli::ask::diff::Whole;
use promgen_text::diag::count::counted;

/// Everything that differs, as lines.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The end of the marker of a comment.
    pub(super) marker: String,
    /// The targets that are lost, each line with a job.
    pub(super) lost: Vec<String>,
    /// The head: what differs, counted.
    pub(super) summary: Vec<String>,
    /// The parts: each workload, then what belongs to none.
    pub(super) parts: Vec<OutlinePart>,
}

/// A part of the whole.
#[derive(Debug, Default)]
pub(super) struct OutlinePart {
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
    /// The outline of changes, of what was not compared, and of notes.
    pub(super) fn new(whole: &Whole<'_>) -> Self {
        let (lost, marker) = (lines::lost(whole.changes), String::new());
        Self { marker, lost, summary: summary::lines(whole), parts: lines::parts(whole.changes) }
    }
}
