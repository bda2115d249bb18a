//! Which monitors are refused, and with which words.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde_json::Value;

use super::{cases, root};

/// Kinds that a workload judges, as `selection.json` and messages name them.
const KINDS: &[(&str, &str)] = &[
    ("serviceMonitors", "ServiceMonitor"),
    ("podMonitors", "PodMonitor"),
    ("probes", "Probe"),
    ("scrapeConfigs", "ScrapeConfig"),
];

/// `Kind namespace/name: message`.
type Refusals = BTreeSet<String>;

/// What the operator refused. `None` where selection itself failed.
fn recorded(text: &str) -> Option<Refusals> {
    let selection: Value = serde_json::from_str(text).unwrap();
    if selection.get("error").is_some() {
        return None;
    }
    let mut refused = Refusals::new();
    for (list, kind) in KINDS {
        for (name, verdict) in selection[list].as_object().into_iter().flatten() {
            if verdict["accepted"] != true {
                let message = verdict["conditions"][0]["message"].as_str().unwrap();
                refused.insert(format!("{kind} {name}: {message}"));
            }
        }
    }
    Some(refused)
}

/// What we refuse for that workload: the findings say it in one sentence.
fn ours(output: &promgen::Output, workload: &str) -> Refusals {
    let (kind, name) = workload.split_once('/').unwrap();
    let kind = if kind == "prometheus" { "Prometheus" } else { "PrometheusAgent" };
    let by = format!(" is rejected by {kind} {name}: ");
    let refusals = output.diagnostics.iter().filter(|d| d.rule.code == "PG101");
    let refusals = refusals.filter_map(|d| d.message.split_once(&by)).map(|(what, why)| format!("{what}: {why}"));
    refusals.filter(|refusal| KINDS.iter().any(|(_, kind)| refusal.starts_with(&format!("{kind} ")))).collect()
}

#[test]
fn monitors_are_refused_in_the_operator_s_words() {
    let Some(root) = root() else { return };
    let families = ["config", "mixed", "selection", "wild"];
    let cases: Vec<_> = cases::all(&root).into_iter().filter(|c| families.contains(&c.family.as_str())).collect();
    let compared: Vec<(usize, Vec<String>)> = cases
        .par_iter()
        .map(|case| {
            let selections = case.recorded("selection.json");
            let selections = selections.into_iter().filter(|(workload, _)| workload.starts_with("prometheus"));
            let selections: Vec<_> = selections.collect();
            if selections.is_empty() {
                return (0, Vec::new());
            }
            let output = case.compile();
            let (mut n_refused, mut faults) = (0, Vec::new());
            for (workload, selection) in selections {
                let Some(expected) = recorded(&selection) else { continue };
                let got = ours(&output, &workload);
                n_refused += expected.len();
                let differences = expected.symmetric_difference(&got);
                faults.extend(differences.map(|refusal| format!("{} {workload}: {refusal}", case.name)));
            }
            (n_refused, faults)
        })
        .collect();
    println!("{} refusals in {} cases", compared.iter().map(|(n, _)| n).sum::<usize>(), cases.len());
    let faults: Vec<_> = compared.into_iter().flat_map(|(_, faults)| faults).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}
