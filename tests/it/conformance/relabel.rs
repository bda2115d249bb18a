//! What Prometheus' own relabel package makes of labels and rules.

use std::fs;

use promgen::relabel::{self, LabelSet, NameScheme, RuleError};
use promgen::yaml::Value;
use serde_json::Value as Json;

use super::root;

fn lines(name: &str) -> Option<Vec<String>> {
    let text = fs::read_to_string(root()?.join("relabel").join(name)).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// The labels after all rules, or where it ends.
fn run(case: &Json) -> (bool, Json, Option<(&'static str, String)>) {
    let scheme = if case["scheme"] == "legacy" { NameScheme::Legacy } else { NameScheme::Utf8 };
    let labels = case["labels"].as_object().into_iter().flatten();
    let labels: LabelSet = labels.map(|(name, value)| (name.clone(), value.as_str().unwrap())).collect();
    let rules: Vec<Value> = case["rules"].as_array().into_iter().flatten().cloned().map(Value::from).collect();
    match relabel::rules(&rules, scheme) {
        Err(RuleError::Parse(message)) => (false, Json::Null, Some(("parse", message))),
        Err(RuleError::Validate(message)) => (false, Json::Null, Some(("validate", message))),
        Ok(rules) => match relabel::relabel(&labels, &rules) {
            Err(_) => (false, Json::Null, None),
            Ok(labels) => {
                let out = labels.iter().map(|(name, value)| (name.to_owned(), Json::from(value))).collect();
                (true, Json::Object(out), None)
            }
        },
    }
}

#[test]
fn labels_come_out_as_prometheus_has_them() {
    let Some(lines) = lines("cases.jsonl") else { return };
    let mut faults = Vec::new();
    for line in &lines {
        let case: Json = serde_json::from_str(line).unwrap();
        let (keep, out, error) = run(&case);
        let agrees = case["keep"] == keep
            && case["out"] == out
            && case["error_phase"] == error.as_ref().map_or(Json::Null, |(phase, _)| Json::from(*phase))
            && error.as_ref().is_none_or(|(phase, text)| *phase == "parse" || case["validation_error"] == *text);
        if !agrees {
            faults.push(format!("{} {} -> {keep} {out} {error:?}, not {}", case["name"], case["rules"], case["out"]));
        }
    }
    assert!(faults.is_empty(), "{} of {}: {faults:#?}", faults.len(), lines.len());
}

#[test]
fn buckets_are_those_of_prometheus() {
    let Some(lines) = lines("hashmod.tsv") else { return };
    for line in &lines[1..] {
        let mut fields = line.split('\t');
        let value: String = serde_json::from_str(fields.next().unwrap()).unwrap();
        for (modulus, bucket) in [1, 2, 3, 7, 9, 64, 1000].into_iter().zip(fields) {
            assert_eq!(relabel::hash_mod(&value, modulus).to_string(), bucket, "{value:?} modulo {modulus}");
        }
    }
}
