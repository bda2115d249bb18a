//! What unit tests share: the recordings beside the project, and values from texts.

use std::path::{Path, PathBuf};

/// A file or folder of the recordings. `None`, and a line that says so, where there are no recordings: a user's clone has
/// none. With `PROMGEN_CONFORMANCE=required`, as `.ci/run` sets it, that is a failure.
pub(crate) fn recorded(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let path = root.join(path);
    if path.exists() {
        return Some(path);
    }
    assert!(!is_required() && !root.is_dir(), "{} is absent", path.display());
    println!("skipped: {} is absent", path.display());
    None
}

/// The text of a file of the recordings.
#[expect(clippy::disallowed_methods, reason = "a test reads its data")]
pub(crate) fn recorded_text(path: &str) -> Option<String> {
    recorded(path).map(|path| std::fs::read_to_string(path).unwrap())
}

/// A value of an API type, from JSON or YAML in flow style.
pub(crate) fn from_yaml<T: crate::yaml::decode::Decode>(text: &str) -> T {
    let mut sink = crate::diag::Sink::default();
    let parsed = crate::yaml::read::read(crate::source::FileId(0), text, &mut sink);
    crate::yaml::decode(&parsed[0].root).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "a test is told what it needs")]
fn is_required() -> bool {
    std::env::var("PROMGEN_CONFORMANCE").is_ok_and(|value| value == "required")
}
