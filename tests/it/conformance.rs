//! Every recorded case, through the library, against what the real operator answered.
//!
//! Cases that do not agree yet are named in `known_gaps.txt`. The list may only shrink: a listed case that agrees fails
//! the test as well as an unlisted one that does not. `UPDATE_GAPS=1` rewrites the list.

mod cases;
mod compare;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use cases::Case;

/// The recorded data, if it stands beside the project. A user's clone has none.
pub(crate) fn root() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    if root.is_dir() {
        return Some(root);
    }
    println!("skipped: no recorded answers beside the project");
    None
}

fn gaps_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance/known_gaps.txt")
}

fn known_gaps() -> BTreeSet<String> {
    let text = fs::read_to_string(gaps_file()).unwrap_or_default();
    text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn recorded_cases_agree_but_for_the_known_gaps() {
    let Some(root) = root() else { return };
    let cases = cases::all(&root);
    let results: Vec<(String, Vec<String>)> = cases.par_iter().map(|case| (case.name.clone(), case.run())).collect();
    print!("{}", figures(&cases, &results));
    let failing: BTreeSet<String> = results.iter().filter(|(_, why)| !why.is_empty()).map(|(n, _)| n.clone()).collect();
    if std::env::var_os("UPDATE_GAPS").is_some() {
        write_gaps(&failing);
        return;
    }
    let known = known_gaps();
    let mut complaints = String::new();
    for (name, why) in results.iter().filter(|(name, why)| !why.is_empty() && !known.contains(name)) {
        let _ = writeln!(complaints, "{name} does not agree:\n  {}", why.join("\n  "));
    }
    for name in known.difference(&failing) {
        let _ = writeln!(complaints, "{name} agrees (or is gone): take it off the list");
    }
    assert!(complaints.is_empty(), "{complaints}");
}

fn write_gaps(failing: &BTreeSet<String>) {
    let mut text = "# Recorded cases that do not agree yet. The list may only shrink.\n".to_owned();
    for name in failing {
        text.push_str(name);
        text.push('\n');
    }
    fs::write(gaps_file(), text).unwrap();
}

/// Agreeing cases per family.
fn figures(cases: &[Case], results: &[(String, Vec<String>)]) -> String {
    let mut out = String::new();
    let families: BTreeSet<&str> = cases.iter().map(|c| c.family.as_str()).collect();
    for family in families {
        let of_family: Vec<_> = cases.iter().zip(results).filter(|(c, _)| c.family == family).collect();
        let agree = of_family.iter().filter(|(_, (_, why))| why.is_empty()).count();
        let _ = writeln!(out, "{family}: {agree}/{}", of_family.len());
    }
    out
}
