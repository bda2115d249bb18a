//! Our schemas against the operator's CRDs, and our findings against the API server's verdicts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;

use super::*;

mod crd;
mod findings;
mod property;
mod verdict;

/// A place in the shared data, or `None` (said aloud) where it is not there.
fn shared(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")).join(path);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} is absent", path.display());
    None
}

#[expect(clippy::disallowed_methods, reason = "a test over data beside the project")]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_kind_has_a_shape() {
    for kind in Kind::ALL {
        let _ = shapes().root(*kind);
    }
}
