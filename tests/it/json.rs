//! What commands print as JSON fits the schema that `promgen schema output` prints, for every fixture. `.ci/formats` asks another
//! validator, and the one here takes a key that a schema does not name for a mistake.

use std::fs;

use rayon::prelude::*;
use serde_json::Value;

use crate::support::{SWEEP_STEP, promgen, root, swept};

/// The outputs that every fixture has, and what prints them.
const OUTPUTS: [(&str, &[&str]); 13] = [
    (
        "lint",
        &[
            "lint",
            "--no-config",
            "--fail-on",
            "never",
            "--format",
            "json",
        ],
    ),
    ("render", &["render", "--format", "json"]),
    ("status", &["status", "--format", "json"]),
    ("shards", &["shards", "--format", "json"]),
    ("shards-rules", &["shards", "--rules", "--format", "json"]),
    ("which", &["which", "all", "--format", "json"]),
    (
        "trace",
        &["trace", "all", "--limit", "3", "--format", "json"],
    ),
    ("prove", &["prove", "--format", "json"]),
    (
        "simulate",
        &[
            "simulate", "--random", "100", "--shards", "1..5", "--format", "json",
        ],
    ),
    (
        "route",
        &["route", "alertname=A,namespace=shop", "--format", "json"],
    ),
    (
        "route-all-alerts",
        &["route", "--all-alerts", "--format", "json"],
    ),
    ("health", &["health", "--format", "json"]),
    ("report", &["report", "--no-config", "--format", "json"]),
];

/// A JSON Schema, as far as ours go.
struct Validator {
    root: Value,
}

impl Validator {
    fn of(output: &str) -> Self {
        let ran = promgen(&["schema", "output", output]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        Self {
            root: serde_json::from_str(&ran.stdout).unwrap(),
        }
    }

    fn faults(&self, value: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.root, value, "", &mut faults);
        faults
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
            let target = self
                .root
                .pointer(path.trim_start_matches('#'))
                .unwrap_or_else(|| panic!("{path}"));
            return self.check(target, value, at, faults);
        }
        if let Some(options) = ["anyOf", "oneOf"]
            .iter()
            .find_map(|key| schema.get(key)?.as_array())
        {
            let fits = |option: &Value| {
                let mut inner = Vec::new();
                self.check(option, value, at, &mut inner);
                inner.is_empty()
            };
            // What is flattened stands beside the properties.
            if schema.get("properties").is_none() {
                if !options.iter().any(fits) {
                    faults.push(format!("{at}: {value} fits no option"));
                }
                return;
            }
        }
        let types = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if !types.is_empty() && !types.iter().any(|name| is_of(name, value)) {
            return faults.push(format!("{at}: {value} is not {types:?}"));
        }
        if schema.get("const").is_some_and(|wanted| wanted != value)
            || schema
                .get("enum")
                .and_then(Value::as_array)
                .is_some_and(|words| !words.contains(value))
        {
            faults.push(format!("{at}: unexpected {value}"));
        }
        if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
            values
                .iter()
                .enumerate()
                .for_each(|(i, value)| self.check(items, value, &format!("{at}[{i}]"), faults));
        }
        if let Some(map) = value.as_object() {
            self.check_keys(schema, map, at, faults);
        }
    }

    fn check_keys(
        &self,
        schema: &Value,
        map: &serde_json::Map<String, Value>,
        at: &str,
        faults: &mut Vec<String>,
    ) {
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        for key in required
            .filter_map(Value::as_str)
            .filter(|key| !map.contains_key(*key))
        {
            faults.push(format!("{at}: lacks {key}"));
        }
        let flattened = schema
            .get("anyOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let flattened: Vec<&Value> = flattened
            .filter_map(|option| option.get("properties"))
            .collect();
        let properties = schema.get("properties");
        for (key, value) in map {
            let known = properties
                .into_iter()
                .chain(flattened.iter().copied())
                .find_map(|properties| properties.get(key));
            match known.or_else(|| {
                schema
                    .get("additionalProperties")
                    .filter(|schema| schema.is_object())
            }) {
                Some(schema) => self.check(schema, value, &format!("{at}.{key}"), faults),
                None if properties.is_some() => faults.push(format!("{at}: has {key}")),
                None => {}
            }
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// The answers about several environments one by one, each as if it was about one.
fn answers(value: Value) -> Vec<Value> {
    // A report has environments among other keys.
    let is_of_several = value.as_object().is_some_and(|map| map.len() == 3);
    let entries = value
        .get("environments")
        .and_then(Value::as_array)
        .filter(|_| is_of_several);
    let Some(entries) = entries else {
        return vec![value];
    };
    let answer = |entry: &Value| {
        let mut answer = entry.clone();
        let names = answer
            .as_object_mut()
            .unwrap()
            .remove("environments")
            .unwrap();
        assert!(
            names.as_array().unwrap().iter().all(Value::is_string),
            "{names}"
        );
        for key in ["version", "command"] {
            answer[key] = value[key].clone();
        }
        answer
    };
    entries.iter().map(answer).collect()
}

/// What the output of a command line has that its schema does not allow.
fn faults(validator: &Validator, args: &[&str]) -> Vec<String> {
    let ran = promgen(args);
    if ran.stdout.is_empty() && ran.code != 0 {
        return Vec::new();
    }
    let value: Value = serde_json::from_str(&ran.stdout)
        .unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.stderr));
    if let Some(map) = value.as_object() {
        assert_eq!(
            (&map["version"], &map["command"]),
            (&1.into(), &args[0].into()),
            "{args:?}"
        );
    }
    answers(value)
        .iter()
        .flat_map(|value| validator.faults(value))
        .map(|fault| format!("promgen {}: {fault}", args.join(" ")))
        .collect()
}

fn inputs() -> Vec<String> {
    let folders = fs::read_dir(root().join("fixtures"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let path = |name: std::ffi::OsString| {
        let folder = format!("fixtures/{}", name.into_string().unwrap());
        let input = format!("{folder}/input");
        if root().join(&input).is_dir() {
            input
        } else {
            folder
        }
    };
    let mut all: Vec<_> = folders.map(path).collect();
    all.sort_unstable();
    all
}

#[test]
fn every_output_of_every_fixture_fits_its_schema() {
    for (number, (output, args)) in OUTPUTS.into_iter().enumerate() {
        let validator = Validator::of(output);
        let inputs = swept(number % SWEEP_STEP, inputs());
        let wrong: Vec<String> = inputs
            .par_iter()
            .flat_map(|input| faults(&validator, &[args, &[input.as_str()]].concat()))
            .collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a flat table")]
fn other_outputs_fit_their_schemas() {
    let resources = [
        "servicemonitor/shop/cart",
        "prometheus/shop/main",
        "prometheus/monitoring/main",
    ];
    let cart = "fixtures/relabelings/input";
    for (output, args) in [
        (
            "diff",
            &[
                "diff",
                "fixtures/diff/base",
                "fixtures/diff/input",
                "--format",
                "json",
            ][..],
        ),
        (
            "diff",
            &[
                "diff",
                "fixtures/diff/base",
                "fixtures/diff/base",
                "--format",
                "json",
            ],
        ),
        (
            "diff-live",
            &[
                "diff",
                "fixtures/diff/base",
                "--live",
                "fixtures/diff/input",
                "--format",
                "json",
            ],
        ),
        (
            "upgrade",
            &[
                "upgrade",
                "fixtures/quickstart",
                "--from",
                "v0.80.0",
                "--to",
                "v0.93.1",
                "--format",
                "json",
            ],
        ),
        (
            "upgrade",
            &[
                "upgrade",
                "fixtures/quickstart",
                "--from",
                "v0.90.0",
                "--to",
                "v0.93.1",
                "--through",
                "--format",
                "json",
            ],
        ),
        ("explain", &["explain", "--rules", "--format", "json"]),
        ("explain", &["explain", "PG201", "--format", "json"]),
        ("explain", &["explain", "gates", "--format", "json"]),
        (
            "explain",
            &[
                "explain",
                "gates",
                "--prometheus-version",
                "v2.45.0",
                "--format",
                "json",
            ],
        ),
        (
            "explain",
            &[
                "explain",
                "gates",
                "--operator-version",
                "v0.84.0",
                "--format",
                "json",
            ],
        ),
        ("explain", &["explain", "limits", "--format", "json"]),
        (
            "explain",
            &["explain", resources[0], cart, "--format", "json"],
        ),
        (
            "explain",
            &[
                "explain",
                resources[1],
                "fixtures/shards/input",
                "--format",
                "json",
            ],
        ),
        (
            "explain",
            &[
                "explain",
                resources[2],
                "fixtures/relabelings/input",
                "--format",
                "json",
            ],
        ),
        (
            "prove",
            &[
                "prove",
                "fixtures/shards/input",
                "--random",
                "1000",
                "--format",
                "json",
            ],
        ),
        (
            "test",
            &["test", "fixtures/alert-tests-failing", "--format", "json"],
        ),
        (
            "report",
            &[
                "report",
                "fixtures/report/input",
                "--compare",
                "fixtures/report/base",
                "--format",
                "json",
            ],
        ),
    ] {
        let wrong = faults(&Validator::of(output), args);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn a_validator_that_finds_nothing_is_none() {
    let validator = Validator::of("shards");
    let of = |text: &str| validator.faults(&serde_json::from_str(text).unwrap());
    assert_eq!(
        of(r#"{"version": 1, "command": "shards", "workloads": []}"#),
        Vec::<String>::new()
    );
    for wrong in [
        "[]",
        r#"{"version": 1, "workloads": []}"#,
        r#"{"version": "1", "command": "shards", "workloads": []}"#,
        r#"{"version": 1, "command": "shards", "workloads": [], "more": 1}"#,
        r#"{"version": 1, "command": "shards", "workloads": [{"workload": 1}]}"#,
    ] {
        assert_ne!(of(wrong), Vec::<String>::new(), "{wrong}");
    }
}
