//! CEL: expressions have the outcomes that cel-go gives them, unchecked, whatever their values are borrowed from, and the checker
//! refuses what cel-go's refuses. What it answers is recorded beside this file: expressions by hand, and 1,000 over the facts of policies
//! that are made at random. Where `CEL` names the program of `oracle/cel`, which `.ci/cel` builds, 3,000 more are asked; with `UPDATE_CEL=1`
//! they are recorded anew.

mod given;
mod random;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use promgen_cel::{CelExpression, CelOutcome, CelValue};
use promgen_text::yaml::node::Node;
use promgen_text::yaml::read::read_slices;

use crate::support::asked::{Dice, LineProgram};
use crate::support::{root, tool};
use given::Given;

/// More fuel than any of the expressions takes.
const FUEL: u64 = 1_000_000;

/// How many expressions are made at random, and their seed: those that are recorded, and those that are asked.
const RECORDED: (usize, u64) = (1_000, 1);
const ASKED: (usize, u64) = (3_000, 2);

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
    ("facts.names.size()", UNKNOWN_ITEM),
    ("facts.names.join(',')", UNKNOWN_ITEM),
    ("'b' in facts.names", UNKNOWN_ITEM),
    ("facts.names == ['a', 'b']", UNKNOWN_ITEM),
    ("facts.names.indexOf('a')", UNKNOWN_ITEM),
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

/// Lists of facts have such items, such as the receivers of an alert.
const UNKNOWN_ITEM: &str = "an unknown item may be any item, and stands for others: cel-go takes it for one that is there, and is equal to nothing or to all";

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

/// Compares all outcomes, and tells which have which reason to differ.
fn compare<'a>(all: &'a [Asked], given: &Given) -> BTreeMap<Group, Vec<&'a str>> {
    let nodes: BTreeMap<&str, Node> = given
        .documents()
        .map(|(name, value)| (name, read_slices(&value.to_string()).unwrap().unwrap()))
        .collect();
    let own = given.computed();
    let (mut json, mut yaml) = (own.clone(), own.clone());
    for (name, value) in given.documents() {
        json.insert(name, CelValue::Json(value));
        yaml.insert(name, CelValue::Node(&nodes[name]));
    }
    let later = given.later();
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    let mut faults = Vec::new();
    for asked in all {
        let found = outcome(&asked.expression, &own);
        for (kind, variables) in [("JSON", &json), ("YAML", &yaml), ("objects", &later)] {
            let other = outcome(&asked.expression, variables);
            if other != found {
                faults.push(format!(
                    "{}\n  {kind} {other}\n  own {found}",
                    asked.expression
                ));
            }
        }
        match asked.group(&found) {
            Some(group) => groups.entry(group).or_default().push(&*asked.expression),
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

/// All expressions over the facts have the outcome that cel-go says, without a reason to differ.
fn all_are_same(asked: &[Asked], given: &Given) {
    let mut differing = compare(asked, given);
    differing.remove(&Group::Same);
    assert!(differing.is_empty(), "{differing:?}");
    let unasked = given.unasked();
    assert!(unasked.is_empty(), "no expression asks for {unasked:?}");
}

#[test]
fn expressions_have_the_recorded_outcomes() {
    let by_hand = recorded("by_hand.jsonl");
    let groups = compare(&by_hand, &Given::invented());
    assert!(groups[&Group::Same].len() > 250, "{groups:?}");
    for (expression, reason) in DIFFERENCES {
        let is_recorded = by_hand.iter().any(|of| of.expression == *expression);
        assert!(is_recorded, "{expression}: {reason}");
    }
    let random = recorded("random.jsonl");
    assert_eq!(random.len(), RECORDED.0);
    all_are_same(&random, &Given::facts());
    for name in Given::facts().types.keys() {
        assert!(
            random.iter().any(|of| of.expression.contains(name)),
            "{name}"
        );
    }
    let n_unknown = random.iter().filter(|asked| asked.parsed == "unknown");
    assert!(n_unknown.count() > RECORDED.0 / 20);
}

#[test]
fn expressions_are_refused_as_recorded() {
    let (taken, refused) = types::compare(&recorded("by_hand.jsonl"), &Given::invented());
    assert!(taken > 400 && refused > 100, "{taken} {refused}");
    let (taken, refused) = types::compare(&recorded("random.jsonl"), &Given::facts());
    assert!(taken > 850 && refused > 50, "{taken} {refused}");
}

#[test]
#[ignore = "needs CEL, the program of oracle/cel"]
fn cel_go_answers_the_same() {
    let mut program = LineProgram::start(&tool("CEL"));
    let mut ask = |expressions: Vec<String>, given: &Given| -> Vec<Asked> {
        let ask = |expression: String| {
            let answer = program.ask(&types::question(&expression, given));
            Asked::of(&expression, &answer)
        };
        expressions.into_iter().map(ask).collect()
    };
    let (invented, facts) = (Given::invented(), Given::facts());
    let random = |(count, seed)| random::expressions(&mut Dice::of(seed), &facts, count);
    if std::env::var_os("UPDATE_CEL").is_some() {
        let by_hand = recorded("by_hand.jsonl").into_iter();
        let by_hand = by_hand.map(|asked| asked.expression).collect();
        for (name, expressions, given) in [
            ("by_hand.jsonl", by_hand, &invented),
            ("random.jsonl", random(RECORDED), &facts),
        ] {
            let lines: String = ask(expressions, given)
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
    let asked = ask(random(ASKED), &facts);
    program.finish();
    let (taken, refused) = types::compare(&asked, &facts);
    all_are_same(&asked, &facts);
    println!(
        "{} are the same: {taken} taken, {refused} refused",
        asked.len()
    );
}
