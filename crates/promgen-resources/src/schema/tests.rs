//! Our schemas against the operator's CRDs, and our findings against the API server's verdicts.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde::Deserialize as _;
use serde_json::json;

use crate::release::{RELEASES, Release};
use crate::schema::*;

mod crd;
mod descriptions;
mod findings;
mod property;

use promgen_testing::{needs, recorded as shared};

#[expect(
    clippy::disallowed_methods,
    reason = "a test over data beside the project"
)]
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
