//! CEL: expressions have the outcomes that cel-go gives them, unchecked, whatever their values are borrowed from, and the checker
//! refuses what cel-go's refuses. What it answers is recorded beside this file: expressions by hand, and some that are made at random. Where `CEL` names the program of `oracle/cel`,
//! which `.ci/cel` builds, 1,000 more are asked; with `UPDATE_CEL=1` they are recorded anew.

mod random;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use promgen_cel::{CelExpression, CelOutcome, CelText, CelValue};
use promgen_text::yaml::node::Node;
use promgen_text::yaml::read::read_slices;

use crate::support::asked::{Dice, LineProgram};
use crate::support::{root, tool};

/// More fuel than any of the expressions takes.
const FUEL: u64 = 1_000_000;

/// How many expressions are made at random, of each seed.
const RANDOM: usize = 1_000;
const RECORDED_SEED: u64 = 1;
const ASKED_SEED: u64 = 2;

/// Where promgen differs, and why; [`Group`] has the others. All other differences are faults.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "has(facts.makes)",
        "nobody knows whether it is there: cel-go 0.31 says so, 0.26 says that it is",
    ),
    (
        "facts.jobs[1] == {'name': 'b', 'makes': true}",
        "what holds an unknown value is not equal to anything: cel-go takes unknown for equal there",
    ),
    (
        "(1).orValue(2)",
        "an int is no optional, and the checker refuses it",
    ),
    ("{[1]: 2}", "the language has no keys that are lists"),
    (
        "{duration('1s'): 1}",
        "the language has no keys that are durations",
    ),
];

/// What is not supported, as the faults say.
const NOT_SUPPORTED: &[&str] = &[
    "refused timestamps are not supported",
    "refused values of protobuf messages are not supported",
];

/// Reasons of whole groups of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Same,
    /// Names of variables and functions are known when an expression is read, as cel-go's checker knows them.
    RefusedByTheChecker,
    /// Of an error and an unknown value the error counts in every call, as in cel-go 0.31; in 0.26 the left one.
    ErrorBesideUnknown,
    NotSupported,
    Listed,
}

fn folder() -> std::path::PathBuf {
    root().join("tests/it/cel")
}

fn variables() -> BTreeMap<String, Value> {
    serde_json::from_str(&fs::read_to_string(folder().join("variables.json")).unwrap()).unwrap()
}

/// A value of JSON as one of its own; `{"$unknown": 1}` is one that nobody knows.
fn computed(value: &Value) -> CelValue<'_> {
    match value {
        Value::Array(items) => CelValue::List(items.iter().map(computed).collect()),
        Value::Object(map) if map.contains_key("$unknown") => {
            CelValue::Unknown(CelText::Borrowed("the chart"))
        }
        Value::Object(map) => {
            let entry = |(key, value): (&_, _)| (CelValue::text(key), computed(value));
            CelValue::map(map.iter().map(entry).collect())
        }
        _ => CelValue::Json(value).resolved(),
    }
}

fn show(value: &CelValue<'_>) -> String {
    let joined = |items: Vec<String>| items.join(",");
    match value.clone().resolved() {
        CelValue::Null => "null".to_owned(),
        CelValue::Bool(value) => value.to_string(),
        CelValue::Int(value) => value.to_string(),
        CelValue::Uint(value) => format!("{value}u"),
        CelValue::Double(value) if value.is_nan() => "double NaN".to_owned(),
        CelValue::Double(value) if value.is_infinite() => {
            format!("double {}Inf", if value > 0.0 { '+' } else { '-' })
        }
        CelValue::Double(value) => {
            let text = format!("{value:e}");
            let (digits, exponent) = text.split_once('e').unwrap();
            let exponent: i32 = exponent.parse().unwrap();
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("double {digits}e{sign}{:02}", exponent.abs())
        }
        CelValue::Text(text) => json!(*text).to_string(),
        CelValue::Bytes(bytes) => {
            let mut shown = "bytes ".to_owned();
            for byte in bytes.iter() {
                write!(shown, "{byte:02x}").unwrap();
            }
            shown
        }
        CelValue::Duration(nanos) => format!("duration {nanos}"),
        CelValue::Type(name) => format!("type {name}"),
        CelValue::Optional(None) => "none".to_owned(),
        CelValue::Optional(Some(value)) => format!("some({})", show(&value)),
        CelValue::Unknown(_) => "unknown".to_owned(),
        other => match (other.list(), other.entries()) {
            (Some(items), _) => format!("[{}]", joined(items.iter().map(show).collect())),
            (None, entries) => {
                let entries = entries.unwrap();
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| format!("{}:{}", show(key), show(value)))
                    .collect();
                entries.sort();
                format!("{{{}}}", joined(entries))
            }
        },
    }
}

/// The outcome as the oracle tells it.
fn outcome(text: &str, variables: &BTreeMap<&str, CelValue<'_>>) -> String {
    let expression = match CelExpression::parse(text) {
        Ok(expression) => expression,
        Err(fault) => return format!("refused {}", fault.message),
    };
    let slots: Option<Vec<_>> = expression
        .variables()
        .map(|name| variables.get(name).cloned())
        .collect();
    let Some(slots) = slots else {
        return "refused a name without a value".to_owned();
    };
    match expression.evaluate(&slots, &mut { FUEL }) {
        CelOutcome::Value(value) => format!("value {}", show(&value)),
        CelOutcome::Error(error) => format!("error {}", error.message),
        CelOutcome::Unknown(_) => "unknown".to_owned(),
        CelOutcome::OutOfFuel => "out of fuel".to_owned(),
    }
}

fn class(outcome: &str) -> &str {
    outcome.split(' ').next().unwrap_or_default()
}

/// An expression and what cel-go says of it.
struct Asked {
    expression: String,
    checked: String,
    parsed: String,
    /// The type of the result, with the types of the variables.
    declared: String,
}

impl Asked {
    fn of(expression: &str, answer: &Value) -> Self {
        let text = |key: &str| answer[key].as_str().unwrap().to_owned();
        Self {
            expression: expression.to_owned(),
            checked: text("checked"),
            parsed: text("parsed"),
            declared: text("declared"),
        }
    }

    /// Compares an outcome. `None`: it differs without a reason.
    fn group(&self, outcome: &str) -> Option<Group> {
        let is_same = match class(outcome) {
            "value" => outcome == self.parsed,
            class_of_own => class_of_own == class(&self.parsed),
        };
        let classes = (class(outcome), class(&self.parsed));
        if is_same {
            Some(Group::Same)
        } else if class(outcome) == "refused" && class(&self.checked) == "refused" {
            Some(Group::RefusedByTheChecker)
        } else if classes == ("error", "unknown") {
            Some(Group::ErrorBesideUnknown)
        } else if NOT_SUPPORTED.contains(&outcome) {
            Some(Group::NotSupported)
        } else {
            let is_listed = DIFFERENCES
                .iter()
                .any(|(expression, _)| *expression == self.expression);
            is_listed.then_some(Group::Listed)
        }
    }
}

/// Compares all outcomes, and tells how many have which reason to differ.
fn compare(all: &[Asked]) -> BTreeMap<Group, usize> {
    let values = variables();
    let nodes: BTreeMap<&str, Node> = values
        .iter()
        .map(|(name, value)| (&**name, read_slices(&value.to_string()).unwrap().unwrap()))
        .collect();
    let has_unknown = |value: &Value| value.to_string().contains("$unknown");
    let own: BTreeMap<&str, CelValue<'_>> = values
        .iter()
        .map(|(name, value)| (&**name, computed(value)))
        .collect();
    let (mut json, mut yaml) = (own.clone(), own.clone());
    for (name, value) in values.iter().filter(|(_, value)| !has_unknown(value)) {
        json.insert(name, CelValue::Json(value));
        yaml.insert(name, CelValue::Node(&nodes[&**name]));
    }
    let mut groups = BTreeMap::new();
    let mut faults = Vec::new();
    for asked in all {
        let found = outcome(&asked.expression, &own);
        for (kind, variables) in [("JSON", &json), ("YAML", &yaml)] {
            let other = outcome(&asked.expression, variables);
            if other != found {
                faults.push(format!(
                    "{}\n  {kind} {other}\n  own {found}",
                    asked.expression
                ));
            }
        }
        match asked.group(&found) {
            Some(group) => *groups.entry(group).or_default() += 1,
            None => faults.push(format!(
                "{}\n  promgen {found}\n  cel-go  {}\n  checked {}",
                asked.expression, asked.parsed, asked.checked
            )),
        }
    }
    assert!(
        faults.is_empty(),
        "{} differ:\n{}",
        faults.len(),
        faults.join("\n")
    );
    groups
}

fn recorded(name: &str) -> Vec<Asked> {
    let text = fs::read_to_string(folder().join(name)).unwrap();
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            Asked::of(line["expr"].as_str().unwrap(), &line)
        })
        .collect()
}

#[test]
fn expressions_have_the_recorded_outcomes() {
    let by_hand = compare(&recorded("by_hand.jsonl"));
    let random = compare(&recorded("random.jsonl"));
    assert!(by_hand[&Group::Same] > 250, "{by_hand:?}");
    assert!(random[&Group::Same] > RANDOM * 8 / 10, "{random:?}");
    for (expression, reason) in DIFFERENCES {
        let is_recorded = recorded("by_hand.jsonl")
            .iter()
            .any(|asked| asked.expression == *expression);
        assert!(is_recorded, "{expression}: {reason}");
    }
}

#[test]
fn expressions_are_refused_as_recorded() {
    let (taken, refused) = types::compare(&recorded("by_hand.jsonl"));
    assert!(taken > 400 && refused > 100, "{taken} {refused}");
    let (taken, refused) = types::compare(&recorded("random.jsonl"));
    assert!(taken > 400 && refused > 100, "{taken} {refused}");
}

#[test]
#[ignore = "needs CEL, the program of oracle/cel"]
fn cel_go_answers_the_same() {
    let mut program = LineProgram::start(&tool("CEL"));
    let values = variables();
    let mut ask = |expressions: Vec<String>| -> Vec<Asked> {
        let ask = |expression: String| {
            let answer = program.ask(&types::question(&expression, &values));
            Asked::of(&expression, &answer)
        };
        expressions.into_iter().map(ask).collect()
    };
    if std::env::var_os("UPDATE_CEL").is_some() {
        let by_hand = recorded("by_hand.jsonl").into_iter();
        let by_hand = by_hand.map(|asked| asked.expression).collect();
        for (name, expressions) in [
            ("by_hand.jsonl", by_hand),
            (
                "random.jsonl",
                random::expressions(&mut Dice::of(RECORDED_SEED), RANDOM),
            ),
        ] {
            let lines: String = ask(expressions)
                .iter()
                .map(|asked| {
                    let line = json!({
                        "expr": asked.expression, "checked": asked.checked, "parsed": asked.parsed, "declared": asked.declared
                    });
                    format!("{line}\n")
                })
                .collect();
            fs::write(folder().join(name), lines).unwrap();
        }
    }
    let asked = ask(random::expressions(&mut Dice::of(ASKED_SEED), RANDOM));
    let groups = compare(&asked);
    let (taken, refused) = types::compare(&asked);
    program.finish();
    println!("{groups:?}; {taken} taken, {refused} refused");
    assert!(groups[&Group::Same] > RANDOM * 8 / 10, "{groups:?}");
}
