//! The differences as lines, which every format for people prints.
//!
//! In: changes, what was not compared, and notes. Out: an [`DiffOutline`]: what is lost, a head, and the lines of each part. Lines are
//! texts of one line each, which those who print them escape.

pub mod lines;
pub mod summary;
mod values;

use schemars::JsonSchema;
use serde::Serialize;

use crate::diff::Changes;
use promgen_text::diag::count::counted;

/// All that a comparison says.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Whole<'a> {
    /// The differences.
    #[serde(flatten)]
    pub changes: &'a Changes,
    /// The parts that neither side was compared for, and why.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub not_compared: &'a [String],
    /// The limits of the answer.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub notes: &'a [String],
}

/// Everything that differs, as lines.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct DiffOutline {
    /// The targets that are lost, each line with a job.
    pub lost: Vec<String>,
    /// The head: what differs, counted.
    pub summary: Vec<String>,
    /// The parts: each workload, then what belongs to none.
    pub parts: Vec<OutlinePart>,
}

/// A part of what differs.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct OutlinePart {
    /// Its title: a workload, or what belongs to none.
    pub title: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// A line of what differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChangedLine")]
pub struct Line {
    /// Its depth below the title.
    pub depth: usize,
    /// `+`, `-`, `~`, `!` for a loss, or a blank.
    pub sign: char,
    /// Its text.
    pub text: String,
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
