//! Questions whose answers are recorded beside the project: what each must say, and must not say.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use promgen_testing::needs;
use rayon::prelude::*;
use regress::Regex;
use serde_json::Value;

use crate::conformance;
use crate::support::{sweeps_all, swept};

/// The questions whose answers are not yet as they should be. The list may only shrink.
fn gaps_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/answers/known_gaps.txt")
}

fn known_gaps() -> BTreeSet<String> {
    let text = fs::read_to_string(gaps_file()).unwrap_or_default();
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

/// What is wrong with the answers of a folder.
fn faults(folder: &Path) -> Vec<String> {
    let wanted: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("want.json")).unwrap()).unwrap();
    wanted
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|wanted| faults_of(folder, wanted))
        .collect()
}

fn faults_of(folder: &Path, wanted: &Value) -> Vec<String> {
    let args = wanted["args"].as_str().unwrap();
    let copy = tempfile::tempdir().unwrap();
    copy_all(&folder.join("input"), copy.path());
    let mut command = Command::new(env!("CARGO_BIN_EXE_promgen"));
    let ran = command
        .args(words(args))
        .current_dir(copy.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = [ran.stdout.as_slice(), &ran.stderr]
        .map(String::from_utf8_lossy)
        .concat();
    let patterns = |key: &str| {
        let patterns = wanted[key].as_array().cloned().unwrap_or_default();
        patterns
            .into_iter()
            .map(|pattern| pattern.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let is_in = |pattern: &String| pattern_of(pattern).find(&text).is_some();
    let mut faults = Vec::new();
    if let Some(exit) = wanted.get("exit").and_then(Value::as_i64)
        && ran.status.code().map(i64::from) != Some(exit)
    {
        faults.push(format!("{args}: exit {:?}, not {exit}", ran.status.code()));
    }
    faults.extend(
        patterns("has")
            .iter()
            .filter(|has| !is_in(has))
            .map(|has| format!("{args}: does not say /{has}/")),
    );
    faults.extend(
        patterns("lacks")
            .iter()
            .filter(|lacks| is_in(lacks))
            .map(|lacks| format!("{args}: says /{lacks}/")),
    );
    if let Some(equals) = wanted.get("equals").and_then(Value::as_str)
        && ran.stdout != fs::read(folder.join(equals)).unwrap()
    {
        faults.push(format!("{args}: standard output is not {equals}"));
    }
    faults
}

/// A pattern as Python writes it: its flags stand in front.
fn pattern_of(text: &str) -> Regex {
    let flagged = text
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'));
    let flagged = flagged.filter(|(flags, _)| flags.chars().all(|flag| "ims".contains(flag)));
    let (flags, pattern) = flagged.unwrap_or(("", text));
    Regex::with_flags(pattern, flags).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The words of a command line, as a shell splits it; quotes of both kinds keep words together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(end), _) if c == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(
        words(r#"route 'a="b c"' --x "" y"#),
        ["route", "a=\"b c\"", "--x", "", "y"]
    );
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}

/// The families of questions, and the least number of cases of each: one that is lost is noticed.
const FAMILIES: &[(&str, usize)] = &[
    ("answers", 48),
    ("firstday", 67),
    ("gitops", 56),
    ("mistakes2", 88),
    ("reports", 61),
    ("../scrape/cases", 39),
];

/// The cases of all families, as `family/case`.
fn cases(root: &Path) -> Vec<String> {
    let of_family = |(family, least): &(&str, usize)| {
        let mut cases: Vec<String> = conformance::cases::folders(&root.join(family))
            .into_iter()
            .map(|case| format!("{family}/{case}"))
            .filter(|case| root.join(case).join("want.json").is_file())
            .collect();
        cases.sort_unstable();
        assert!(
            cases.len() >= *least,
            "{family} has {} cases, fewer than {least}",
            cases.len()
        );
        cases
    };
    FAMILIES.iter().flat_map(of_family).collect()
}

#[test]
fn gaps_are_written_only_from_what_is_recorded() {
    conformance::assert_gaps_can_be_written();
}

/// `UPDATE_GAPS=1` writes the list of gaps anew.
#[needs(recordings)]
#[test]
fn answers_are_as_recorded() {
    let root = conformance::root();
    let known = known_gaps();
    let (mut gaps, mut unexpected) = (Vec::new(), Vec::new());
    let writes_gaps = std::env::var_os("UPDATE_GAPS").is_some();
    let cases = if writes_gaps {
        cases(&root)
    } else {
        swept(9, cases(&root))
    };
    let asked: BTreeSet<String> = cases.iter().cloned().collect();
    let answers: Vec<Vec<String>> = cases
        .par_iter()
        .map(|case| faults(&root.join(case)))
        .collect();
    for (name, faults) in cases.into_iter().zip(answers) {
        if faults.is_empty() {
            continue;
        }
        if !known.contains(&name) {
            unexpected.extend(faults.into_iter().map(|fault| format!("{name}: {fault}")));
        }
        gaps.push(name);
    }
    if writes_gaps {
        let head = "# Recorded questions whose answers are not yet as they should be. The list may only shrink.\n";
        let lines: String = gaps.iter().map(|gap| format!("{gap}\n")).collect();
        return fs::write(gaps_file(), format!("{head}{lines}")).unwrap();
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
    let is_closed =
        |name: &&String| !gaps.contains(name) && (sweeps_all() || asked.contains(name.as_str()));
    let closed: Vec<&String> = known.iter().filter(is_closed).collect();
    assert!(
        closed.is_empty(),
        "these agree now, remove them with UPDATE_GAPS=1: {closed:?}"
    );
}
