//! The differences as lines, which every format for people prints.
//!
//! In: changes, what was not compared, and notes. Out: an [`DiffOutline`]: what is lost, a head, and the lines of each part. Lines are
//! texts of one line each, which those who print them escape.

pub mod lines;
pub mod summary;
mod values;

use crate::diff::Changes;
use promgen_text::diag::count::counted;

changes! {
    /// All that a comparison says.
    Whole<'a> {
        /// The differences.
        #[serde(flatten)]
        changes: &'a Changes,
        /// The parts that neither side was compared for, and why.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        not_compared: &'a [String],
        /// The limits of the answer.
        #[serde(skip_serializing_if = "<[String]>::is_empty")]
        notes: &'a [String],
    }

    /// Everything that differs, as lines.
    #[derive(Default)]
    DiffOutline {
        /// The targets that are lost, each line with a job.
        lost: Vec<String>,
        /// The head: what differs, counted.
        summary: Vec<String>,
        /// The parts: each workload, then what belongs to none.
        parts: Vec<OutlinePart>,
    }

    /// A part of what differs.
    #[derive(Default)]
    OutlinePart {
        /// Its title: a workload, or what belongs to none.
        title: String,
        /// Its lines.
        lines: Vec<Line>,
    }

    /// A line of what differs.
    Line as "ChangedLine" {
        /// Its depth below the title.
        depth: usize,
        /// `+`, `-`, `~`, `!` for a loss, or a blank.
        sign: char,
        /// Its text.
        text: String,
    }
}

impl DiffOutline {
    /// The outline of changes, of what was not compared, and of notes.
    #[must_use]
    pub fn new(whole: &Whole<'_>) -> Self {
        Self {
            lost: lines::lost(whole.changes),
            summary: summary::lines(whole),
            parts: lines::parts(whole.changes),
        }
    }
}
