//! The same cases as older releases of the operator answer them, and the facts of every release.
//!
//! The recordings are archives of the files that differ from those of the current release; `tar` takes them apart. Cases
//! that do not agree yet are named in `known_gaps_of_releases.txt`, which may only shrink.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use promgen_resources::gates::FEATURES;
use promgen_resources::release::{self, RELEASES, Release};
use promgen_testing::needs;
use promgen_text::version::Version;
use rayon::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use super::cases::{self, Case};
use crate::support::{sweeps_all, swept};

/// The families that are recorded with every release.
const RECORDED: &[&str] = &["config", "mixed", "selection", "statefulset", "status"];

/// The recordings of a release, taken apart; v0.93.0 answers as `expected` has it.
pub(super) fn recorded(root: &Path, release: &Release) -> TempDir {
    let folder = TempDir::new().unwrap();
    if release.operator != "v0.93.0" {
        unpack(&archive(root, release), folder.path());
    }
    folder
}

fn archive(root: &Path, release: &Release) -> PathBuf {
    root.join("operators")
        .join(format!("{}.tar.xz", release.operator))
}

/// Takes an archive apart.
pub(super) fn unpack(archive: &Path, folder: &Path) {
    let done = Command::new("tar")
        .arg("-xf")
        .arg(archive)
        .arg("-C")
        .arg(folder)
        .status();
    assert!(
        done.is_ok_and(|status| status.success()),
        "`tar` does not take {} apart",
        archive.display()
    );
}

/// The cases of the families that are recorded with every release.
pub(super) fn cases_of_all_releases(root: &Path) -> Vec<Case> {
    let is_recorded =
        |case: &Case| RECORDED.contains(&case.family.as_str()) && !case.name.contains('@');
    cases::all(root).into_iter().filter(is_recorded).collect()
}

fn gaps_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/conformance/known_gaps_of_releases.txt")
}

/// Compares the answers of a release; the cases that do not agree must be those that are listed. `is_wide`: all families are
/// recorded.
#[expect(
    clippy::print_stdout,
    reason = "the figures are for whoever reads the log"
)]
fn compare(operator: &str, is_wide: bool) {
    let root = super::root();
    let release = RELEASES
        .iter()
        .find(|release| release.operator == operator)
        .unwrap();
    assert!(release.is_verified, "{operator} has recordings");
    let folder = recorded(&root, release);
    let (_answers, mut cases) = if is_wide {
        cases::packed(&root)
    } else {
        (TempDir::new().unwrap(), Vec::new())
    };
    let is_asked = |case: &Case| !case.name.contains('@');
    cases.extend(
        if is_wide {
            cases::all(&root)
        } else {
            cases_of_all_releases(&root)
        }
        .into_iter()
        .filter(is_asked),
    );
    assert!(
        cases.len() >= if is_wide { 3863 } else { 1071 },
        "{} cases",
        cases.len()
    );
    let cases: Vec<Case> = swept(5, cases)
        .into_iter()
        .map(|case| case.answered_by(release, folder.path()))
        .collect();
    let failing: BTreeMap<&str, String> = cases
        .par_iter()
        .filter_map(|case| {
            let why: Vec<_> = case
                .run()
                .into_iter()
                .map(|d| format!("{} {}", d.file, d.what))
                .collect();
            let differs = !why.is_empty() && !case.is_recorded_without_refusals();
            differs.then(|| (case.name.as_str(), why.join(", ")))
        })
        .collect::<Vec<_>>()
        .into_iter()
        .collect();
    println!(
        "{operator}: {}/{}",
        cases.len() - failing.len(),
        cases.len()
    );
    let text = fs::read_to_string(gaps_file()).unwrap_or_default();
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix(operator)?.strip_prefix(' '))
        .collect();
    let unlisted: Vec<_> = failing
        .iter()
        .filter(|(case, _)| !listed.contains(case))
        .collect();
    assert!(unlisted.is_empty(), "{operator} disagrees: {unlisted:#?}");
    let gone: Vec<_> = listed
        .into_iter()
        .filter(|case| !failing.contains_key(*case))
        .filter(|case| sweeps_all() || cases.iter().any(|asked| asked.name == *case))
        .collect();
    assert!(
        gone.is_empty(),
        "{operator} agrees now, take them off the list: {gone:?}"
    );
}

#[needs(recordings, tar)]
#[test]
fn v0_94_agrees() {
    compare("v0.94.1", true);
}

#[needs(recordings, tar)]
#[test]
fn v0_93_agrees() {
    compare("v0.93.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_92_agrees() {
    compare("v0.92.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_91_agrees() {
    compare("v0.91.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_90_agrees() {
    compare("v0.90.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_88_agrees() {
    compare("v0.88.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_84_agrees() {
    compare("v0.84.0", false);
}

#[needs(recordings, tar)]
#[test]
fn v0_80_agrees() {
    compare("v0.80.0", false);
}

/// Returns whether promgen knows a release: the facts beside the project may go further.
fn is_known(operator: &str) -> bool {
    Version::parse(operator)
        .is_some_and(|version| RELEASES.last().is_some_and(|last| version <= last.version))
}

/// The defaults, images and feature gates of every minor release are those that were read from it.
#[needs(recordings)]
#[test]
fn defaults_are_those_of_the_releases() {
    let root = super::root();
    let text = fs::read_to_string(root.join("operators/releases.json")).unwrap();
    let facts: Value = serde_json::from_str(&text).unwrap();
    for (operator, facts) in facts["releases"].as_object().unwrap() {
        if !is_known(operator) {
            continue;
        }
        let row = RELEASES
            .iter()
            .find(|row| row.operator == operator)
            .unwrap_or_else(|| panic!("{operator} has no row"));
        assert_eq!(
            facts["defaultPrometheusVersion"], row.prometheus,
            "{operator}"
        );
        assert_eq!(
            facts["defaultAlertmanagerVersion"], row.alertmanager,
            "{operator}"
        );
        assert_eq!(facts["defaultThanosVersion"], row.thanos, "{operator}");
        assert_eq!(
            facts["configReloader"]["image"],
            row.reloader_image(),
            "{operator}"
        );
        assert!(facts["recorded"] == true || !row.is_verified, "{operator}");
        let images = [
            *release::PROMETHEUS_IMAGE,
            *release::ALERTMANAGER_IMAGE,
            *release::THANOS_IMAGE,
        ];
        for (product, image) in ["prometheus", "alertmanager", "thanos"].iter().zip(images) {
            assert_eq!(facts["images"][product], image, "{operator}");
        }
        let gates = facts["featureGates"].as_object().unwrap();
        for feature in FEATURES {
            let ours = feature
                .is_known(&row.version)
                .then(|| feature.default(&row.version));
            assert_eq!(
                gates.get(feature.name).map(|gate| gate["enabled"] == true),
                ours,
                "{operator} {}",
                feature.name
            );
        }
    }
}

/// Releases with recordings beside the project, the oldest first.
fn recorded_releases(root: &Path) -> Vec<&'static Release> {
    let is_recorded =
        |release: &&Release| release.operator == "v0.93.0" || archive(root, release).is_file();
    RELEASES
        .iter()
        .filter(|release| release.is_verified)
        .filter(is_recorded)
        .collect()
}

/// What an upgrade names as changed is what differs between the recorded trees of two neighbouring releases: every
/// workload of which a file differs, and no other.
#[needs(recordings, tar)]
#[test]
fn an_upgrade_names_what_the_recordings_show() {
    let root = super::root();
    let releases = recorded_releases(&root);
    let folders: Vec<TempDir> = releases
        .iter()
        .map(|release| recorded(&root, release))
        .collect();
    let answers = |n: usize| -> Vec<Case> {
        let cases = cases_of_all_releases(&root);
        cases
            .into_iter()
            .map(|case| case.answered_by(releases[n], folders[n].path()))
            .collect()
    };
    let answers: Vec<Vec<Case>> = (0..releases.len()).map(answers).collect();
    let pairs =
        (0..answers[0].len()).flat_map(|case| (1..releases.len()).map(move |new| (case, new)));
    let faults: Vec<String> = swept(8, pairs)
        .into_par_iter()
        .filter_map(|(case, new)| {
            let (old, new) = (&answers[new - 1][case], &answers[new][case]);
            let (named, recorded) = (old.named_as_changed(new), old.recorded_as_changed(new));
            let differs = named != recorded && !new.is_recorded_without_refusals();
            differs.then(|| format!("{}: named {named:?}, recorded {recorded:?}", new.name))
        })
        .collect();
    assert!(faults.is_empty(), "{} faults: {faults:#?}", faults.len());
}
