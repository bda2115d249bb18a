//! What tests share: the recordings beside the project, and files that are written from code.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::unwrap_used, reason = "tests read their data")]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder of the recordings. `None`, and a line that says so, where there are no recordings: a user's clone has
/// none.
///
/// # Panics
/// The recordings are there without it, or `PROMGEN_CONFORMANCE` is `required`, as `.ci/run` sets it.
#[must_use]
pub fn recorded(path: &str) -> Option<PathBuf> {
    let shared = root().join("../shared");
    let path = shared.join(path);
    if path.exists() {
        return Some(path);
    }
    assert!(!is_required() && !shared.is_dir(), "{} is absent", path.display());
    println!("skipped: {} is absent", path.display());
    None
}

/// The text of a file of the recordings.
///
/// # Panics
/// As [`recorded`], or the file is no text.
#[must_use]
pub fn recorded_text(path: &str) -> Option<String> {
    recorded(path).map(|path| fs::read_to_string(path).unwrap())
}

fn is_required() -> bool {
    std::env::var("PROMGEN_CONFORMANCE").is_ok_and(|value| value == "required")
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
    assert!(text == current, "{path} is out of date: run this test with UPDATE_DOCS=1\n{shown}");
}
