//! What is locked, and the advisories that are known of it without a network.

use std::collections::BTreeSet;
use std::fs;

use regex::Regex;

use crate::support::root;
use promgen_text::version::Version;

/// A line of `.ci/advisories`.
struct Advisory {
    id: String,
    name: String,
    /// The first version without the fault.
    fixed: Option<Version>,
}

impl Advisory {
    fn read(line: &str) -> Self {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [id, name, fixed, _, ..] = words[..] else {
            panic!("expected ID CRATE FIXED-IN WHAT: {line}")
        };
        let fixed = (fixed != "-").then(|| Version::parse(fixed).expect(line));
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            fixed,
        }
    }

    fn concerns(&self, name: &str, version: &Version) -> bool {
        self.name == name && self.fixed.as_ref().is_none_or(|fixed| version < fixed)
    }
}

/// The crates of a lock file.
fn locked(text: &str) -> Vec<(String, Version)> {
    let package = Regex::new("name = \"(.+)\"\nversion = \"(.+)\"").unwrap();
    let crates = package.captures_iter(text);
    crates
        .map(|found| {
            (
                found[1].to_owned(),
                Version::parse(&found[2]).expect(&found[2]),
            )
        })
        .collect()
}

/// The advisories that `deny.toml` accepts.
fn accepted(text: &str) -> BTreeSet<String> {
    Regex::new("id = \"(RUSTSEC-.+?)\"")
        .unwrap()
        .captures_iter(text)
        .map(|found| found[1].to_owned())
        .collect()
}

fn advisories(text: &str) -> Vec<Advisory> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(Advisory::read)
        .collect()
}

#[test]
fn no_locked_crate_has_an_advisory_that_is_not_accepted() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect(path);
    let locked = locked(&read("Cargo.lock"));
    let known = advisories(&read(".ci/advisories"));
    assert!(
        locked.len() > 100 && !known.is_empty(),
        "{} crates, {} advisories",
        locked.len(),
        known.len()
    );
    let concerning = known.iter().filter(|known| {
        locked
            .iter()
            .any(|(name, version)| known.concerns(name, version))
    });
    let concerning: BTreeSet<String> = concerning.map(|known| known.id.clone()).collect();
    assert_eq!(
        concerning,
        accepted(&read("deny.toml")),
        "left: what concerns Cargo.lock; right: what deny.toml accepts"
    );
    let unlocked = known
        .iter()
        .filter(|known| !locked.iter().any(|(name, _)| *name == known.name));
    assert_eq!(
        unlocked.map(|known| &known.name).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "not in Cargo.lock"
    );
}

#[test]
fn an_advisory_concerns_what_is_older_than_its_fix() {
    let [fixed, never] = [
        "RUSTSEC-1 time 0.3.47 overflow",
        "RUSTSEC-2 time - unmaintained",
    ]
    .map(Advisory::read);
    let version = |text| Version::parse(text).unwrap();
    assert!(
        fixed.concerns("time", &version("0.3.46")) && never.concerns("time", &version("9.0.0"))
    );
    assert!(
        !fixed.concerns("time", &version("0.3.47")) && !fixed.concerns("other", &version("0.1.0"))
    );
}
