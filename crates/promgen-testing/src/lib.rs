//! What tests share: the recordings beside the project, and files that are written from code.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests read their data"
)]

use std::fs;
use std::path::{Path, PathBuf};

pub use promgen_needs::{has, needs};

pub mod texts;

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder of the recordings. A user's clone has none: a test that reads them has the attribute
/// `#[needs(recordings)]`.
///
/// # Panics
/// It is absent.
#[must_use]
pub fn recorded(path: &str) -> PathBuf {
    let recorded = root().join("../shared").join(path);
    assert!(
        recorded.exists(),
        "needs the recordings beside the project: {} is absent",
        recorded.display()
    );
    recorded
}

/// The text of a file of the recordings.
///
/// # Panics
/// As [`recorded`], or the file is no text.
#[must_use]
pub fn recorded_text(path: &str) -> String {
    fs::read_to_string(recorded(path)).unwrap()
}

/// Fails where `PROMGEN_CONFORMANCE` is `required`, as `.ci/run` sets it, and tests are ignored for want of recordings.
///
/// # Panics
/// The recordings were absent when the tests were compiled.
pub fn assert_recordings_if_required() {
    let is_required = std::env::var("PROMGEN_CONFORMANCE").is_ok_and(|value| value == "required");
    assert!(
        !is_required || has!(recordings),
        "the recordings were absent when the tests were compiled"
    );
}

/// Compares a file of the project, by its path from the root, with what code writes. `UPDATE_DOCS=1` rewrites the file.
///
/// # Panics
/// Both differ; the message shows where.
pub fn assert_written(path: &str, current: &str) {
    let file = root().join(path);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, current).unwrap();
        return;
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let diff = similar::TextDiff::from_lines(text.as_str(), current);
    let shown = diff.unified_diff().header(path, "current").to_string();
    assert!(
        text == current,
        "{path} is out of date: run this test with UPDATE_DOCS=1\n{shown}"
    );
}

#[test]
fn recordings_are_there_if_they_are_required() {
    assert_recordings_if_required();
}
