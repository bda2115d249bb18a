//! The recorded configurations of Alertmanagers: `amtool check-config` on each, and random alerts through a hundred of them.

use std::fs;
use std::path::Path;

use promgen::routing::AlertLabels;
use promgen::{Assume, Input, Layout, Options, Output};
use promgen_compile::output::WorkloadKind;
use promgen_text::yaml::{Map, Value};
use rayon::prelude::*;

use super::{Random, VALUES, amtool, run};
use crate::conformance::{self, cases};

/// The families with Alertmanagers.
const FAMILIES: [&str; 3] = [
    "alertmanager-config",
    "alertmanager-generated",
    "alertmanager-statefulset",
];

/// The number of configurations that are asked about, and how many alerts each.
const TREES: usize = 100;
const ALERTS: usize = 100;

/// A configuration that the operator writes.
struct Written {
    case: String,
    text: String,
    /// What promgen says about it, if Alertmanager refuses it.
    refusal: Option<String>,
    output: Output,
    workload: usize,
}

fn written(root: &Path) -> Vec<Written> {
    let cases: Vec<String> = FAMILIES
        .iter()
        .flat_map(|family| {
            cases::folders(&root.join(family))
                .into_iter()
                .map(move |case| format!("{family}/{case}"))
        })
        .collect();
    let written = |case: &String| {
        let input = root.join(case).join("input.yaml");
        let Ok(bytes) = fs::read(&input) else {
            return Vec::new();
        };
        let options = Options {
            target: cases::target(None),
            assume: Assume::Missing,
            layout: Layout::Operator,
            reveal_secrets: true,
            ..Options::default()
        };
        let compile = || crate::support::compile(&[Input::new("input.yaml", &*bytes)], &options);
        let n_workloads = compile().workloads.len();
        let of = |workload: usize| {
            let output = compile();
            let found = output.workloads.get(workload)?;
            let text = found
                .config
                .as_ref()
                .filter(|_| found.id.kind == WorkloadKind::Alertmanager)?
                .text()
                .to_owned();
            let own = format!(
                "Alertmanager {}/{} refuses its configuration: ",
                found.id.namespace, found.id.name
            );
            let refusal = output
                .diagnostics
                .iter()
                .find_map(|d| d.message.strip_prefix(&own).map(str::to_owned));
            Some(Written {
                case: case.clone(),
                text,
                refusal,
                output,
                workload,
            })
        };
        (0..n_workloads).filter_map(of).collect()
    };
    cases.par_iter().flat_map(written).collect()
}

/// The verdict on each of the files `0.yaml`, `1.yaml` and so on, by the words of `amtool check-config`. `None`: it takes it.
fn verdicts(amtool: &str, folder: &Path, n: usize) -> Vec<Option<String>> {
    let files: Vec<String> = (0..n)
        .map(|index| folder.join(format!("{index}.yaml")).display().to_string())
        .collect();
    let check = |file: &String| {
        let checked = run(amtool, &["check-config", file]);
        let words = |text: String| {
            text.split_once("FAILED: ")
                .map_or(text.clone(), |(_, why)| why.trim().to_owned())
        };
        checked.err().map(words)
    };
    files.par_iter().map(check).collect()
}

#[test]
#[ignore = "needs AMTOOL, the program amtool, and the recordings beside the project"]
fn amtool_takes_the_recorded_configurations_or_promgen_says_why_not() {
    let (amtool, root) = (amtool(), conformance::root());
    let all = written(&root);
    let folder = tempfile::tempdir().unwrap();
    for (index, written) in all.iter().enumerate() {
        fs::write(folder.path().join(format!("{index}.yaml")), &written.text).unwrap();
    }
    let verdicts = verdicts(&amtool, folder.path(), all.len());
    let mut differ = Vec::new();
    for (written, verdict) in all.iter().zip(&verdicts) {
        // An amtool of today knows the fields that an Alertmanager of the past refuses, and may refuse what comes behind them.
        let is_of_the_past = written
            .refusal
            .as_ref()
            .is_some_and(|refusal| refusal.contains("which requires Alertmanager ≥"));
        if !is_of_the_past && written.refusal.is_some() != verdict.is_some() {
            differ.push(format!(
                "{}: amtool: {verdict:?}; promgen: {:?}",
                written.case, written.refusal
            ));
        }
    }
    let n_refused = verdicts.iter().flatten().count();
    println!(
        "amtool takes {} of {} recorded configurations",
        all.len() - n_refused,
        all.len()
    );
    assert!(
        differ.is_empty(),
        "{} of {} differ:\n{}",
        differ.len(),
        all.len(),
        differ.join("\n")
    );
    assert!(all.len() > 400, "only {} configurations", all.len());
}

/// The names and values of labels that the conditions of routes ask for, as far as amtool takes them on its command line.
fn asked(route: &Value, found: &mut Vec<(String, String)>) {
    let mut add = |name: &str, value: &str| {
        let is_part = |(index, c): (usize, char)| {
            c.is_ascii_alphabetic() || c == '_' || index > 0 && c.is_ascii_digit()
        };
        if !name.is_empty() && name.chars().enumerate().all(is_part) {
            found.push((name.to_owned(), value.to_owned()));
        }
    };
    for text in route
        .get("matchers")
        .and_then(Value::as_seq)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
    {
        let (name, value) = text.split_at(text.find(['=', '!']).unwrap_or(text.len()));
        add(name.trim(), value.trim_matches(['=', '!', '~', '"', ' ']));
    }
    for key in ["match", "match_re"] {
        let pairs = route
            .get(key)
            .and_then(Value::as_map)
            .into_iter()
            .flat_map(Map::iter);
        pairs.for_each(|(name, value)| add(name, value.as_str().unwrap_or_default()));
    }
    for route in route
        .get("routes")
        .and_then(Value::as_seq)
        .unwrap_or_default()
    {
        asked(route, found);
    }
}

/// An alert with some of the labels that are asked for.
fn alert(random: &mut Random, asked: &[(String, String)]) -> AlertLabels {
    let mut labels = AlertLabels::new();
    for (name, value) in asked {
        let value = match random.below(4) {
            0 => continue,
            1 => random.one(&VALUES).to_owned(),
            _ => value.clone(),
        };
        if !value.is_empty() {
            labels.insert(name.clone(), value);
        }
    }
    labels
}

#[test]
#[ignore = "needs AMTOOL, the program amtool, and the recordings beside the project"]
fn ten_thousand_alerts_go_where_amtool_sends_them_by_recorded_configurations() {
    let (amtool, root) = (amtool(), conformance::root());
    let has_routes =
        |written: &Written| written.refusal.is_none() && written.text.contains("  matchers:");
    let all: Vec<Written> = written(&root)
        .into_iter()
        .filter(has_routes)
        .take(TREES)
        .collect();
    assert_eq!(all.len(), TREES);
    let folder = tempfile::tempdir().unwrap();
    let differ = |(index, written): (usize, &Written)| {
        let file = folder.path().join(format!("{index}.yaml"));
        fs::write(&file, &written.text).unwrap();
        let workload = &written.output.workloads[written.workload];
        let tree = workload.routing.as_ref().unwrap();
        let mut labels = Vec::new();
        let root = promgen_text::yaml::read::read_slices(&written.text)
            .unwrap()
            .unwrap()
            .to_value();
        asked(root.get("route").unwrap(), &mut labels);
        let mut random = Random(index as u64 + 1);
        (0..ALERTS).find_map(|_| {
            let labels = alert(&mut random, &labels);
            let pairs: Vec<String> = labels
                .iter()
                .map(|(name, value)| format!("{name}={value:?}"))
                .collect();
            let mut args = vec![
                "config",
                "routes",
                "test",
                "--config.file",
                file.to_str().unwrap(),
            ];
            args.extend(pairs.iter().map(String::as_str));
            let expected = run(&amtool, &args).unwrap();
            let found = tree.receivers_of(&labels).join(",");
            // It may first tell that it parses a condition in the old way.
            (found != expected.lines().last().unwrap_or_default()).then(|| {
                format!(
                    "{}: {labels:?}: amtool: {expected}; promgen: {found}",
                    written.case
                )
            })
        })
    };
    let differ: Vec<String> = all.par_iter().enumerate().filter_map(differ).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    println!("{} alerts agree", TREES * ALERTS);
}
