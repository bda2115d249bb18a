//! What Prometheus' own relabel package makes of labels and rules.

use std::fs;

use promgen_prometheus::relabel;
use promgen_testing::needs;
use serde_json::Value as Json;

use super::root;

fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("relabel").join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[needs(recordings)]
#[test]
fn labels_come_out_as_prometheus_has_them() {
    let lines = lines("cases.jsonl");
    let mut faults = Vec::new();
    for line in &lines {
        let case: Json = serde_json::from_str(line).unwrap();
        let answer: Json = serde_json::from_str(&relabel::cases::answer(line).unwrap()).unwrap();
        // About what is not read we use our own words.
        let error_agrees = match case["error_phase"].as_str() {
            Some("parse") => answer["error"].is_string(),
            _ => answer["error"] == case["validation_error"],
        };
        if ["name", "keep", "out"]
            .iter()
            .any(|key| answer[key] != case[key])
            || !error_agrees
        {
            faults.push(format!("{line}\n{answer}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {}: {faults:#?}",
        faults.len(),
        lines.len()
    );
}

#[needs(recordings)]
#[test]
fn buckets_are_those_of_prometheus() {
    let lines = lines("hashmod.tsv");
    for line in &lines[1..] {
        let mut fields = line.split('\t');
        let value: String = serde_json::from_str(fields.next().unwrap()).unwrap();
        for (modulus, bucket) in [1, 2, 3, 7, 9, 64, 1000].into_iter().zip(fields) {
            assert_eq!(
                relabel::hash_mod(&value, modulus).to_string(),
                bucket,
                "{value:?} modulo {modulus}"
            );
        }
    }
}
