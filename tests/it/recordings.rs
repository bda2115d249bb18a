//! What releases of the operator answer to the corpus of this repository, against promgen. The recordings travel with the
//! clone: `oracle/README.md` says how they are made. Nothing here is skipped.
//!
//! What does not agree yet is listed in `known_gaps.txt`, which may only shrink; `UPDATE_GAPS=1` rewrites it. So is a case
//! that a release gives no answer to, with the cause that the recording has.

mod archive;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use promgen::{Assume, Input, Layout, Options};
use promgen_resources::gates::{FEATURES, Target};
use promgen_resources::release::{RELEASES, Release};
use promgen_text::diag::{Diagnostic, Level};
use promgen_text::version::Version;
use rayon::prelude::*;
use serde_json::Value;

use crate::conformance::{cases, compare};
use crate::support::{self, root, swept};

/// The end of the name of an archive.
const ARCHIVE: &str = ".tar.zst";
/// The archive that is of no release: the inputs.
const CORPUS: &str = "corpus";
/// The least number of recorded releases: one that is lost is noticed.
const LEAST_RELEASES: usize = 4;
/// The least number of cases: one that is lost is noticed.
const LEAST: usize = 770;
/// The file of a case without an answer: the cause.
const UNANSWERED: &str = "unanswered.txt";
/// The finding of a value that the release's API server refuses. promgen compiles the resource all the same.
const LATER_VALUE: &str = "PG313";
/// What promgen shows of a ruler, and the recordings have only within its Secret.
const NOT_RECORDED: &str = "/remote-write.yaml";

/// What the API server of the oracle grants beside what every operator may do.
const MAY_READ: &str = "apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: prometheus-operator}
rules: [{apiGroups: [storage.k8s.io], resources: [storageclasses], verbs: [get]}]
";

/// Files by their path, or cases by their name.
type Files = BTreeMap<String, String>;
type Answers = BTreeMap<String, Files>;

/// One input.
struct Case {
    name: String,
    text: String,
    /// What it says otherwise than the other cases: the cluster's version, the feature gates of the operator.
    conditions: Value,
}

/// The files of an archive, by case.
fn by_case(files: Vec<(String, String)>) -> Answers {
    let mut cases = Answers::new();
    for (path, text) in files {
        let mut parts = path.splitn(3, '/');
        let (family, case, file) = (
            parts.next().unwrap(),
            parts.next().unwrap(),
            parts.next().unwrap(),
        );
        cases
            .entry(format!("{family}/{case}"))
            .or_default()
            .insert(file.to_owned(), text);
    }
    cases
}

fn recordings() -> PathBuf {
    root().join("oracle/recordings")
}

fn corpus() -> Vec<Case> {
    let cases = by_case(archive::files(&recordings().join("corpus.tar.zst"))).into_iter();
    let case = |(name, mut files): (String, Files)| {
        let conditions = files
            .remove("case.json")
            .map_or(Value::Null, |text| serde_json::from_str(&text).unwrap());
        Case {
            name,
            text: files.remove("input.yaml").unwrap(),
            conditions,
        }
    };
    cases.map(case).collect()
}

fn release(operator: &str) -> &'static Release {
    RELEASES
        .iter()
        .find(|release| release.operator == operator)
        .unwrap_or_else(|| panic!("{operator} is unknown"))
}

impl Case {
    fn options(&self, release: &Release) -> Options {
        let features = FEATURES
            .iter()
            .filter(|feature| feature.is_known(&release.version))
            .map(|feature| {
                let is_on = self.conditions["featureGates"][feature.name]
                    .as_bool()
                    .unwrap_or(true);
                (feature.name.to_owned(), is_on)
            });
        let mut target = Target {
            operator: Some(release.version.clone()),
            features: features.collect(),
            ..Target::default()
        };
        if let Some(version) = self.conditions["kubernetes"].as_str() {
            target.kubernetes = Version::parse_tolerant(version).unwrap();
        }
        Options {
            target,
            assume: Assume::Missing,
            layout: Layout::Operator,
            reveal_secrets: true,
            ..Options::default()
        }
    }

    /// The files that promgen writes, and the resources that it says the API server refuses.
    fn compile(&self, release: &Release) -> (Files, BTreeSet<String>) {
        let inputs = [Input::new(
            "input.yaml",
            format!("{}\n---\n{MAY_READ}", self.text).into_bytes(),
        )];
        let output = support::compile(&inputs, &self.options(release));
        // An unknown field is pruned, which is no refusal.
        let is_refusal = |found: &&Diagnostic| {
            let is_of_server = found.rule.code.starts_with("PG0") && found.rule.code != "PG010";
            found.level == Level::Error && (is_of_server || found.rule.code == LATER_VALUE)
        };
        let errors = output.diagnostics.iter().filter(is_refusal);
        let refused = errors
            .filter_map(|found| found.resource.as_ref())
            .map(ToString::to_string)
            .collect();
        (cases::tree(&output), refused)
    }

    /// What does not agree with the answers of a release: a file, and why. `agreed` has the texts that agree already, so that
    /// what releases have in common is read once.
    fn differences(
        &self,
        release: &Release,
        expected: &Files,
        agreed: &mut BTreeMap<String, [String; 2]>,
    ) -> BTreeMap<String, &'static str> {
        let mut why = BTreeMap::new();
        if let Some(cause) = expected.get(UNANSWERED) {
            let cause = cause.lines().next().unwrap_or_default();
            why.insert(format!("{UNANSWERED}: {cause}"), "has no answer");
            return why;
        }
        let (have, refused) = self.compile(release);
        // Where the operator crashes, nothing is known of any workload.
        if expected.contains_key("panic.txt") {
            return why;
        }
        if refused_of(expected) != refused {
            why.insert("refused.json".to_owned(), "differs");
        }
        for (name, expected) in expected.iter().filter(|(name, _)| name.contains('/')) {
            let Some(got) = have.get(name) else {
                why.insert(name.clone(), "is missing");
                continue;
            };
            let texts = [expected.clone(), got.clone()];
            if agreed.get(name) == Some(&texts) {
                continue;
            }
            let is_same = plain(expected) == plain(got) || compare::same(name, expected, got);
            if is_same
                || name.ends_with("/selection.json")
                    && compare::same(name, expected, &without_error(got))
            {
                agreed.insert(name.clone(), texts);
            } else {
                if let Ok(dir) = std::env::var("DUMP_GAPS") {
                    let base = format!(
                        "{dir}/{}/{}/{}",
                        release.operator,
                        self.name,
                        name.replace('/', "_")
                    );
                    fs::create_dir_all(std::path::Path::new(&base).parent().unwrap()).unwrap();
                    fs::write(format!("{base}.want"), expected).unwrap();
                    fs::write(format!("{base}.have"), got).unwrap();
                }
                why.insert(name.clone(), "differs");
            }
        }
        // The operator says nothing of what it selects for a workload that is paused, or fails before.
        let ours = have
            .keys()
            .filter(|name| !name.ends_with(NOT_RECORDED) && !name.ends_with("/selection.json"));
        why.extend(
            ours.filter(|name| !expected.contains_key(*name))
                .map(|name| (name.clone(), "is not expected")),
        );
        why
    }
}

/// What is selected, without the error that ended it: the recordings have it in `error.txt` alone.
fn without_error(selection: &str) -> String {
    let mut selection: Value = serde_json::from_str(selection).unwrap();
    selection.as_object_mut().unwrap().remove("error");
    selection.to_string()
}

/// A text without what the comparison passes over. Most texts are equal then, and need not be read as data.
fn plain(text: &str) -> String {
    const PASSED_OVER: &[(&str, &str)] = &[
        ("# promgen: generated\n", ""),
        ("---\n", ""),
        (
            "  annotations:\n    prometheus-operator-input-hash: \"\"\n",
            "",
        ),
        ("    prometheus-operator-input-hash: \"\"\n", ""),
        ("        resources: {}\n", ""),
        ("- lastTransitionTime: NOW\n      ", "- "),
        ("\"1970-01-01T00:00:00Z\"", "NOW"),
    ];
    PASSED_OVER
        .iter()
        .fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The resources that the API server refused, `Kind/namespace/name` each.
fn refused_of(answer: &Files) -> BTreeSet<String> {
    let Some(text) = answer.get("refused.json") else {
        return BTreeSet::new();
    };
    let refused: Vec<BTreeMap<String, String>> = serde_json::from_str(text).unwrap();
    let shown = |refused: &BTreeMap<String, String>| {
        let part = |key: &str| refused.get(key).cloned().unwrap_or_default();
        let namespace = Some(part("namespace")).filter(|namespace| !namespace.is_empty());
        format!(
            "{}/{}/{}",
            part("kind"),
            namespace.unwrap_or_else(|| "default".to_owned()),
            part("name")
        )
    };
    refused.iter().map(shown).collect()
}

/// `release family/case file`, and why.
type Gaps = BTreeMap<String, &'static str>;

/// Compares all cases with all releases.
fn compare_all(cases: &[Case], releases: &[(&'static Release, Answers)]) -> Gaps {
    let of_case =
        |case: &Case| {
            let (mut agreed, mut gaps) = (BTreeMap::new(), Gaps::new());
            for (release, answers) in releases {
                let expected = answers.get(&case.name).unwrap_or_else(|| {
                    panic!("{} has no answer of {}", case.name, release.operator)
                });
                let mut compared = || case.differences(release, expected, &mut agreed);
                let differences = catch_unwind(AssertUnwindSafe(&mut compared))
                    .unwrap_or_else(|_| BTreeMap::from([("promgen".to_owned(), "panics")]));
                gaps.extend(differences.into_iter().map(|(file, why)| {
                    (format!("{} {} {file}", release.operator, case.name), why)
                }));
            }
            gaps
        };
    let all: Vec<Gaps> = cases.par_iter().map(of_case).collect();
    all.into_iter().flatten().collect()
}

fn gaps_file() -> PathBuf {
    root().join("tests/it/recordings/known_gaps.txt")
}

#[test]
fn the_recordings_agree_but_for_the_known_gaps() {
    let updates = std::env::var_os("UPDATE_GAPS").is_some();
    let cases = corpus();
    assert!(cases.len() >= LEAST, "{} cases", cases.len());
    let cases = if updates { cases } else { swept(1, cases) };
    let answers = |operator: &String| {
        (
            release(operator),
            by_case(archive::files(
                &recordings().join(format!("{operator}.tar.zst")),
            )),
        )
    };
    let archives = cases::files(&recordings()).into_iter();
    let archives = archives.filter_map(|(name, _)| Some(name.strip_suffix(ARCHIVE)?.to_owned()));
    let recorded: Vec<String> = archives.filter(|name| name != CORPUS).collect();
    assert!(recorded.len() >= LEAST_RELEASES, "{recorded:?}");
    let releases: Vec<_> = recorded.par_iter().map(answers).collect();
    let gaps = compare_all(&cases, &releases);
    if updates {
        let lines: String = gaps.keys().map(|gap| format!("{gap}\n")).collect();
        fs::write(gaps_file(), lines).unwrap();
        return;
    }
    let text = fs::read_to_string(gaps_file()).unwrap_or_default();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    let is_compared = |gap: &&str| {
        gap.split(' ')
            .nth(1)
            .is_some_and(|case| names.contains(case))
    };
    let known: BTreeSet<&str> = text.lines().filter(is_compared).collect();
    let mut complaints = String::new();
    for (gap, why) in gaps.iter().filter(|(gap, _)| !known.contains(gap.as_str())) {
        let _ = writeln!(complaints, "{gap} {why}");
    }
    for gap in known.iter().filter(|gap| !gaps.contains_key(**gap)) {
        let _ = writeln!(
            complaints,
            "{gap} agrees (or is gone): take it off the list"
        );
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// The answers in a folder, as `cargo xtask mutants` leaves them.
fn answers_in(folder: &Path) -> Answers {
    let read = |(name, path): (String, PathBuf)| {
        (format!("mutants/{name}"), fs::read_to_string(path).unwrap())
    };
    by_case(cases::files(folder).into_iter().map(read).collect())
}

/// Keeps the mutants that differ where no later run removes them, each with the operator's answer, and says which ones differ in what.
fn kept(folder: &Path, inputs: &Answers, answers: &Answers, gaps: &Gaps) -> String {
    let mut shown = String::new();
    for (gap, why) in gaps {
        let (_, of_case) = gap.split_once(" mutants/").unwrap();
        let (case, file) = of_case.split_once(' ').unwrap();
        let (name, to) = (format!("mutants/{case}"), folder.join(case));
        let answer = answers[&name].iter();
        let answer = answer.map(|(path, text)| (to.join("answer").join(path), text));
        let input = inputs[&name].iter();
        for (path, text) in answer.chain(input.map(|(path, text)| (to.join(path), text))) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let _ = writeln!(shown, "{}: {file} {why}", to.display());
    }
    shown
}

#[test]
fn a_mutant_that_differs_is_kept_with_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let of_all = |file: &str| {
        let files = |case: &str| Files::from([(file.to_owned(), format!("of {case}"))]);
        let cases = ["mutants/7-00001", "mutants/7-00002"];
        Answers::from(cases.map(|case| (case.to_owned(), files(case))))
    };
    let (inputs, answers) = (of_all("input.yaml"), of_all("prometheus/mon/a/status.yaml"));
    let gap = "v0.94.1 mutants/7-00002 prometheus/mon/a/status.yaml".to_owned();
    let shown = kept(
        folder.path(),
        &inputs,
        &answers,
        &Gaps::from([(gap, "differs")]),
    );
    let case = folder.path().join("7-00002");
    let line = format!("{}: prometheus/mon/a/status.yaml differs\n", case.display());
    assert_eq!(shown, line);
    for file in ["input.yaml", "answer/prometheus/mon/a/status.yaml"] {
        let text = fs::read_to_string(case.join(file)).unwrap();
        assert_eq!(text, "of mutants/7-00002");
    }
    assert!(!folder.path().join("7-00001").exists());
}

/// `cargo xtask mutants` runs this one; it keeps and shows what differs.
#[test]
#[ignore = "needs what `cargo xtask mutants` leaves"]
fn mutants_agree() {
    let folder =
        PathBuf::from(std::env::var("PROMGEN_MUTANTS").expect("cargo xtask mutants sets it"));
    let operator = std::env::var("PROMGEN_MUTANTS_OF").expect("cargo xtask mutants sets it");
    let inputs = answers_in(&folder.join("inputs"));
    let case = |(name, files): (&String, &Files)| Case {
        name: name.clone(),
        text: files["input.yaml"].clone(),
        conditions: Value::Null,
    };
    let cases: Vec<Case> = inputs.iter().map(case).collect();
    let answers = answers_in(&folder.join("answers"));
    let (answered, unanswered): (Vec<_>, Vec<_>) = cases.into_iter().partition(|case| {
        answers
            .get(&case.name)
            .is_some_and(|files| !files.contains_key(UNANSWERED))
    });
    let releases = [(release(&operator), answers)];
    let gaps = compare_all(&answered, &releases);
    println!(
        "{} mutants answered, {} not",
        answered.len(),
        unanswered.len()
    );
    let differing = kept(&folder.join("kept"), &inputs, &releases[0].1, &gaps);
    assert!(!answered.is_empty(), "no mutant has an answer");
    assert!(
        gaps.is_empty(),
        "{differing}To add one to the corpus: cargo xtask keep {}/kept/CASE/input.yaml NAME",
        folder.display()
    );
}
