//! `promgen lint --select PG0` reports an error on exactly the resources that the API server refused, for the same
//! reasons, at the lines where they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use promgen_testing::needs;
use serde_json::Value;

use super::cases::folders;
use super::root;
use crate::support::{promgen, swept};

/// Kind, namespace, name.
type Resource = [String; 3];

/// What is wrong with a resource: `field: message` in the words of the API server, and where that is, if one can tell.
type Causes = BTreeSet<String>;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The refused resources of a case. A cause without a field says only that other rules were not looked at.
fn refused(case: &Path) -> BTreeMap<Resource, Causes> {
    let verdicts: Value =
        serde_json::from_str(&fs::read_to_string(case.join("verdict.json")).unwrap()).unwrap();
    let refused = verdicts
        .as_array()
        .unwrap()
        .iter()
        .filter(|verdict| verdict["accepted"] != true);
    let causes = |verdict: &Value| {
        let causes = verdict["causes"].as_array().cloned().unwrap_or_default();
        let causes = causes.iter().filter(|cause| cause["field"] != "<nil>");
        causes
            .map(|cause| format!("{}: {}", text(&cause["field"]), text(&cause["message"])))
            .collect()
    };
    refused
        .map(|verdict| {
            (
                ["kind", "namespace", "name"].map(|key| text(&verdict[key])),
                causes(verdict),
            )
        })
        .collect()
}

/// What lint has to say about a case.
fn findings(input: &Path) -> Vec<Value> {
    let args = [
        "lint",
        "--assume",
        "missing",
        "--select",
        "PG0",
        "--format",
        "json",
        input.to_str().unwrap(),
    ];
    let ran = promgen(&args);
    let mut written: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", ran.stderr));
    let Value::Array(found) = written["findings"].take() else {
        panic!("{args:?}: {}", ran.stdout)
    };
    assert_eq!(
        ran.code == 1,
        found.iter().any(|finding| finding["level"] == "error"),
        "{}",
        input.display()
    );
    found
        .into_iter()
        .filter(|finding| finding["level"] == "error")
        .collect()
}

/// What is wrong with a place: the line of a cause has to name its field, or the nearest parent that is there.
fn misplaced(finding: &Value) -> Option<String> {
    let (field, _) = finding["message"].as_str()?.split_once(": ")?;
    let file = fs::read_to_string(finding["file"].as_str()?).ok()?;
    let line = file
        .lines()
        .nth(usize::try_from(finding["line"].as_u64()?).ok()? - 1)?;
    let keys: Vec<_> = field
        .split(['.', '[', ']'])
        .filter(|key| key.parse::<usize>().is_err() && !key.is_empty())
        .collect();
    let last = keys.last()?;
    let is_missing = finding["rule"] == "missing-field";
    let is_item = field.ends_with(']');
    let named =
        |key: &str| line.contains(&format!("{key}:")) || line.contains(&format!("{key}\":"));
    // What is missing may be there as a null.
    let fine = if is_missing {
        !named(last) || line.ends_with("null")
    } else {
        is_item || named(last)
    };
    (!fine).then(|| format!("{field} is not in line `{line}`"))
}

/// What differs in a case.
fn differences(case: &Path) -> Vec<String> {
    let input: PathBuf = [case.join("input"), case.join("input.yaml")]
        .into_iter()
        .find(|path| path.exists())
        .unwrap();
    let (refused, mut ours, mut differences) = (
        refused(case),
        BTreeMap::<Resource, Causes>::new(),
        Vec::new(),
    );
    for finding in findings(&input) {
        let resource = ["kind", "namespace", "name"].map(|key| text(&finding["resource"][key]));
        ours.entry(resource)
            .or_default()
            .insert(text(&finding["message"]));
        differences.extend(misplaced(&finding));
    }
    let names = |all: &BTreeMap<Resource, Causes>| all.keys().cloned().collect::<BTreeSet<_>>();
    if names(&ours) != names(&refused) {
        differences.push(format!(
            "we refuse {:?}, the API server {:?}",
            names(&ours),
            names(&refused)
        ));
    }
    for (resource, causes) in &refused {
        // Of a namespace that it does not know, the API server does not say why there can be none of that name.
        if !causes.is_empty() && ours.get(resource).is_some_and(|ours| ours != causes) {
            differences.push(format!(
                "{resource:?}: ours {:?}, the API server's {causes:?}",
                ours[resource]
            ));
        }
    }
    differences
}

#[needs(recordings)]
#[test]
fn lint_refuses_what_the_api_server_refuses() {
    let root = root();
    let mut complaints = Vec::new();
    for family in ["admission", "wild"] {
        let (mut n_cases, mut n_refused) = (0, 0);
        for case in swept(6, folders(&root.join(family)))
            .into_iter()
            .map(|case| root.join(family).join(case))
        {
            if case.join("verdict.json").exists() {
                n_cases += 1;
                n_refused += refused(&case).len();
                complaints.extend(
                    differences(&case)
                        .into_iter()
                        .map(|what| format!("{}: {what}", case.display())),
                );
            }
        }
        println!("{family}: {n_cases} cases, {n_refused} resources refused");
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
