//! Every recorded case, through the library, against what the real operator answered.
//!
//! Cases that do not agree yet are named in `known_gaps.txt`. The list may only shrink: a listed case that agrees fails
//! the test as well as an unlisted one that does not, for each kind of file. `UPDATE_GAPS=1` rewrites the list.

mod admission;
pub(crate) mod cases;
mod cluster;
pub(crate) mod compare;
mod relabel;
mod releases;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use promgen_testing::{has, needs, recorded};
use rayon::prelude::*;

use crate::support::{sweeps_all, swept};
use cases::{Case, Difference};

/// The families that every case of is compared, and the least number of cases of each: one that is lost is noticed.
const FAMILIES: &[(&str, usize)] = &[
    ("alertmanager-config", 274),
    ("alertmanager-generated", 503),
    ("alertmanager-statefulset", 47),
    ("config", 364),
    ("daemonset", 27),
    ("generated", 303),
    ("mixed", 249),
    ("random", 851),
    ("releases", 44),
    ("rules", 21),
    ("selection", 165),
    ("statefulset", 126),
    ("status", 167),
    ("thanosruler-statefulset", 42),
    ("webconfig", 6),
    ("wild", 23),
    ("zero", 651),
];

/// The recorded data beside the project. A user's clone has none.
pub(crate) fn root() -> PathBuf {
    recorded("conformance")
}

/// `UPDATE_GAPS` without recordings would do nothing, in silence.
pub(crate) fn assert_gaps_can_be_written() {
    let is_asked = std::env::var_os("UPDATE_GAPS").is_some();
    assert!(
        !is_asked || has!(recordings),
        "UPDATE_GAPS needs the recordings beside the project"
    );
}

fn gaps_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance/known_gaps.txt")
}

/// Cases with the kinds of file that do not agree yet: `family/case: kind kind`.
fn known_gaps() -> Gaps {
    let text = fs::read_to_string(gaps_file()).unwrap_or_default();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let gap = |line: &str| {
        let (case, kinds) = line.split_once(": ")?;
        Some((
            case.to_owned(),
            kinds.split(' ').map(str::to_owned).collect(),
        ))
    };
    lines.filter_map(gap).collect()
}

/// The recorded cases that do not agree yet, as `family/case`. What is derived from them cannot be right.
pub(crate) fn gaps() -> BTreeSet<String> {
    known_gaps().keys().cloned().collect()
}

type Gaps = BTreeMap<String, BTreeSet<String>>;

#[test]
fn recordings_are_there_if_they_are_required() {
    promgen_testing::assert_recordings_if_required();
    assert_gaps_can_be_written();
}

#[needs(recordings, tar)]
#[test]
fn recorded_cases_agree_but_for_the_known_gaps() {
    let root = root();
    let (_answers, packed) = cases::packed(&root);
    let later = releases::recorded(&root, cases::answering());
    let answered = |case: Case| case.answered_by(cases::answering(), later.path());
    let cases: Vec<Case> = cases::all(&root)
        .into_iter()
        .chain(packed)
        .map(answered)
        .collect();
    for (family, least) in FAMILIES {
        let n = cases
            .iter()
            .filter(|case| case.family == *family && !case.name.contains('@'))
            .count();
        assert!(n >= *least, "{family} has {n} cases, fewer than {least}");
    }
    let writes_gaps = std::env::var_os("UPDATE_GAPS").is_some();
    let cases = if writes_gaps { cases } else { swept(4, cases) };
    let results: Vec<(String, Vec<Difference>)> = cases
        .par_iter()
        .map(|case| (case.name.clone(), case.run()))
        .collect();
    print!("{}", figures(&cases, &results));
    let failing: Gaps = results
        .iter()
        .filter(|(_, differences)| !differences.is_empty())
        .map(|(name, differences)| {
            (
                name.clone(),
                differences.iter().map(|d| kind(&d.file)).collect(),
            )
        })
        .collect();
    if writes_gaps {
        write_gaps(&failing);
        return;
    }
    let complaints = complaints(&known_gaps(), &failing, &results);
    assert!(complaints.is_empty(), "{complaints}");
}

fn complaints(known: &Gaps, failing: &Gaps, results: &[(String, Vec<Difference>)]) -> String {
    let (mut out, none) = (String::new(), BTreeSet::new());
    for (name, differences) in results {
        let listed = known.get(name).unwrap_or(&none);
        for difference in differences
            .iter()
            .filter(|d| !listed.contains(&kind(&d.file)))
        {
            let _ = writeln!(out, "{name}: {} {}", difference.file, difference.what);
        }
    }
    let is_asked = |name: &String| sweeps_all() || results.iter().any(|(asked, _)| asked == name);
    for (name, kinds) in known.iter().filter(|(name, _)| is_asked(name)) {
        for kind in kinds.difference(failing.get(name).unwrap_or(&none)) {
            let _ = writeln!(
                out,
                "{name}: every {kind} agrees (or is gone): take it off the list"
            );
        }
    }
    out
}

/// What is listed of a file: the agent's StatefulSets are one kind of gap, whatever their number.
fn kind(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let workload = folder.split('/').next().unwrap_or_default();
    let name = if folder.ends_with("/rules") {
        "rules"
    } else {
        name
    };
    let stem = name.split(['-', '.']).next().unwrap_or(name);
    format!("{workload}/{stem}")
}

fn write_gaps(failing: &Gaps) {
    let mut text =
        "# Recorded cases with the kinds of file that do not agree yet. The list may only shrink.\n".to_owned();
    for (name, kinds) in failing {
        let kinds: Vec<_> = kinds.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{name}: {}", kinds.join(" "));
    }
    fs::write(gaps_file(), text).unwrap();
}

/// Agreeing cases per family.
fn figures(cases: &[Case], results: &[(String, Vec<Difference>)]) -> String {
    let mut out = String::new();
    let families: BTreeSet<&str> = cases.iter().map(|c| c.family.as_str()).collect();
    for family in families {
        let of_family: Vec<_> = cases
            .iter()
            .zip(results)
            .filter(|(c, _)| c.family == family)
            .collect();
        let agree = of_family
            .iter()
            .filter(|(_, (_, why))| why.is_empty())
            .count();
        let _ = writeln!(out, "{family}: {agree}/{}", of_family.len());
    }
    out
}
