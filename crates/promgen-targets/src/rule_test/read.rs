//! The text of a file of rule tests.
//!
//! In: the bytes of a file. Out: its tests, or all errors in it, with places. The keys are those of promtool, and three of promgen:
//! `workload`, `shard`, and `receivers` of an expected alert.

use std::collections::BTreeMap;

use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::go::duration::PromDuration;
use promgen_text::source::{FileId, Input, Sources, Span};
use promgen_text::suggest::closest;
use promgen_text::yaml::emit::to_json;
use promgen_text::yaml::{self, Data, Entry, Node};

use crate::relabel_test::read::{BAD_TEST, placed, unknown_key};
use promgen_text::CollectOrdered;

/// The keys at the top of a file.
const TOP: [&str; 7] = [
    "rule_files",
    "evaluation_interval",
    "group_eval_order",
    "fuzzy_compare",
    "tests",
    "workload",
    "shard",
];

/// The keys of a test.
const TEST: [&str; 8] = [
    "name",
    "interval",
    "input_series",
    "alert_rule_test",
    "promql_expr_test",
    "external_labels",
    "external_url",
    "start_timestamp",
];

const SERIES: [&str; 2] = ["series", "values"];
const ALERT: [&str; 3] = ["eval_time", "alertname", "exp_alerts"];
const EXPECTED: [&str; 3] = ["exp_labels", "exp_annotations", "receivers"];
const EXPRESSION: [&str; 3] = ["expr", "eval_time", "exp_samples"];
const SAMPLE: [&str; 3] = ["labels", "value", "histogram"];

/// The keys at the top that only promgen has.
const OWN: [&str; 2] = ["workload", "shard"];

/// A text with its place.
#[derive(Clone, Debug)]
pub struct Stated<T> {
    /// The value.
    pub value: T,
    /// Line and column, from 1.
    pub place: (usize, usize),
}

/// The tests of a file.
#[derive(Clone, Debug)]
pub struct RuleSuite {
    /// The rules to load, relative to the file. Empty: those of the workload.
    pub rule_files: Vec<Stated<String>>,
    /// The workload whose rules are tested: NAMESPACE/NAME.
    pub workload: Option<Stated<String>>,
    /// The shard whose rules are tested.
    pub shard: Option<Stated<u64>>,
    /// The tests, in order.
    pub tests: Vec<RuleTest>,
    root: Node,
    sources: Sources,
}

/// A test.
#[derive(Clone, Debug)]
pub struct RuleTest {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its first line.
    pub line: usize,
    /// The labels that Prometheus adds to what it sends.
    pub external_labels: BTreeMap<String, String>,
    /// Its series, each with its values.
    pub series: Vec<Stated<String>>,
    /// The expectations of alerts.
    pub alerts: Vec<AlertTest>,
    /// The expectations of expressions.
    pub expressions: Vec<ExpressionTest>,
}

/// The expectation of an alert at a time.
#[derive(Clone, Debug)]
pub struct AlertTest {
    /// The name of the alert.
    pub name: String,
    /// The time in milliseconds from the start.
    pub time: u64,
    /// Its first line.
    pub line: usize,
    /// The alerts that fire.
    pub expected: Vec<ExpectedAlert>,
}

/// An alert that is expected to fire.
#[derive(Clone, Debug)]
pub struct ExpectedAlert {
    /// Its labels beside its name.
    pub labels: BTreeMap<String, String>,
    /// Its receivers, if that is asked for.
    pub receivers: Option<Vec<String>>,
    /// Its first line.
    pub line: usize,
}

/// The expectation of an expression at a time.
#[derive(Clone, Debug)]
pub struct ExpressionTest {
    /// The expression.
    pub expr: String,
    /// The time in milliseconds from the start.
    pub time: u64,
    /// Its first line.
    pub line: usize,
}

/// Returns whether a file has tests in promtool's format.
#[must_use]
pub fn is_rule_test(input: &Input) -> bool {
    let Some(text) = input.bytes.as_text() else {
        return false;
    };
    if !text.contains("tests") {
        return false;
    }
    let documents = yaml::read::read(FileId::new(0), text, &mut Sink::default());
    let [document] = documents.as_slice() else {
        return false;
    };
    let root = &document.root;
    let has = |keys: &[&str]| {
        root.entries()
            .iter()
            .any(|entry| keys.contains(&&*entry.key))
    };
    let Some(tests) = root
        .get("tests")
        .filter(|tests| !matches!(tests.data, Data::Map(_)))
    else {
        return false;
    };
    let is_of_promtool = |test: &Node| {
        test.entries()
            .iter()
            .any(|entry| TEST[1..].contains(&&*entry.key))
    };
    let is_object = has(&["kind", "apiVersion"]);
    !is_object && (has(&TOP[..4]) || has(&["shard"]) || tests.items().iter().any(is_of_promtool))
}

/// The result of reading a file.
pub struct ReadRuleTests {
    /// Its tests; none if it is wrong.
    pub suite: Option<RuleSuite>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The text that they point into.
    pub sources: Sources,
}

/// Reads a file of rule tests.
#[must_use]
pub fn read(input: &Input) -> ReadRuleTests {
    let mut sink = Sink::default();
    let sources = Sources::load(std::slice::from_ref(input), &mut sink);
    let (id, file) = sources.files().next().expect("one was loaded");
    let documents = yaml::read::read(id, &file.text, &mut sink);
    let root = documents
        .into_iter()
        .next()
        .map(|document| document.root.into_value());
    let suite = root.map(|root| {
        SuiteReader {
            sources: &sources,
            sink: &mut sink,
        }
        .suite(root)
    });
    let (diagnostics, is_wrong) = placed(sink, &sources);
    ReadRuleTests {
        suite: suite.filter(|_| !is_wrong),
        diagnostics,
        sources,
    }
}

struct SuiteReader<'r> {
    sources: &'r Sources,
    sink: &'r mut Sink,
}

impl SuiteReader<'_> {
    fn suite(&mut self, root: Node) -> RuleSuite {
        self.keys(&root, &TOP);
        self.duration(root.get("evaluation_interval"));
        let rule_files = root.items_of("rule_files");
        let rule_files = rule_files
            .iter()
            .filter_map(|node| self.stated(node, text(node, self.sources)?))
            .collect();
        let workload = root
            .get("workload")
            .and_then(|node| self.stated(node, text(node, self.sources)?));
        let shard = root.get("shard");
        let number = |node: &Node| match node.data {
            Data::Int(number) => u64::try_from(number).ok(),
            Data::Uint(number) => Some(number),
            _ => None,
        };
        if let Some(node) = shard.filter(|node| number(node).is_none()) {
            self.fault(node.span, "expected the number of a shard".to_owned());
        }
        let shard = shard.and_then(|node| self.stated(node, number(node)?));
        let tests = root
            .items_of("tests")
            .iter()
            .map(|test| self.test(test))
            .collect();
        if root.get("rule_files").is_none() && workload.is_none() {
            let span = root.get("tests").map_or(root.span, |tests| tests.span);
            self.fault(
                span,
                "the tests require `rule_files` or `workload`".to_owned(),
            );
        }
        RuleSuite {
            rule_files,
            workload,
            shard,
            tests,
            root,
            sources: self.sources.clone(),
        }
    }

    fn test(&mut self, test: &Node) -> RuleTest {
        self.keys(test, &TEST);
        self.duration(test.get("interval"));
        let items = |key: &str| test.items_of(key);
        items("input_series")
            .iter()
            .for_each(|series| self.keys(series, &SERIES));
        let written = |series: &Node| {
            let part = |key: &str| self.text(series, key);
            self.stated(series, format!("{} {}", part("series"), part("values")))
        };
        let series = items("input_series").iter().filter_map(written).collect();
        let alerts = items("alert_rule_test")
            .iter()
            .map(|alert| self.alert(alert))
            .collect();
        let expressions = items("promql_expr_test")
            .iter()
            .map(|expression| self.expression(expression))
            .collect();
        let name = self.text(test, "name");
        let external_labels = labels(test.get("external_labels"), self.sources);
        RuleTest {
            name,
            line: self.line(test.span),
            external_labels,
            series,
            alerts,
            expressions,
        }
    }

    fn alert(&mut self, alert: &Node) -> AlertTest {
        self.keys(alert, &ALERT);
        let time = self.duration(alert.get("eval_time"));
        let expected = alert.items_of("exp_alerts").iter();
        let expected = expected.map(|expected| {
            self.keys(expected, &EXPECTED);
            let receivers = expected
                .get("receivers")
                .filter(|receivers| !receivers.is_null());
            ExpectedAlert {
                labels: labels(expected.get("exp_labels"), self.sources),
                receivers: receivers.map(|receivers| {
                    receivers
                        .items()
                        .iter()
                        .filter_map(|name| text(name, self.sources))
                        .collect()
                }),
                line: self.line(expected.span),
            }
        });
        let expected = expected.collect();
        let name = self.text(alert, "alertname");
        AlertTest {
            name,
            time,
            line: self.line(alert.span),
            expected,
        }
    }

    fn expression(&mut self, expression: &Node) -> ExpressionTest {
        self.keys(expression, &EXPRESSION);
        let samples = expression.items_of("exp_samples");
        samples.iter().for_each(|sample| self.keys(sample, &SAMPLE));
        let time = self.duration(expression.get("eval_time"));
        let expr = self.text(expression, "expr");
        ExpressionTest {
            expr,
            time,
            line: self.line(expression.span),
        }
    }

    /// Reports keys that nobody reads.
    fn keys(&mut self, node: &Node, known: &[&'static str]) {
        for entry in node
            .entries()
            .iter()
            .filter(|entry| !known.contains(&&*entry.key))
        {
            let meant = closest_key(&entry.key, known);
            self.sink
                .report(unknown_key(entry.key_span, &entry.key, meant));
        }
        if !matches!(node.data, Data::Map(_) | Data::Null) {
            self.fault(node.span, "expected a map".to_owned());
        }
    }

    /// The milliseconds of a duration. None is zero.
    fn duration(&mut self, node: Option<&Node>) -> u64 {
        let Some((node, written)) = node.and_then(|node| Some((node, text(node, self.sources)?)))
        else {
            return 0;
        };
        match PromDuration::parse(&written) {
            Ok(duration) => duration.millis,
            Err(_) => {
                self.fault(
                    node.span,
                    format!("`{written}` is no duration: write one such as `5m`"),
                );
                0
            }
        }
    }

    /// The text of a key; an empty one if there is none.
    fn text(&self, node: &Node, key: &str) -> String {
        let value = node.get(key);
        value
            .and_then(|value| text(value, self.sources))
            .unwrap_or_default()
    }

    fn stated<T>(&self, node: &Node, value: T) -> Option<Stated<T>> {
        let place = self.sources.start(node.span);
        Some(Stated {
            value,
            place: (place.line, place.column),
        })
    }

    fn line(&self, span: Span) -> usize {
        self.sources.start(span).line
    }

    fn fault(&mut self, span: Span, message: String) {
        self.sink.report(Diagnostic::new(&BAD_TEST, span, message));
    }
}

/// The key that is meant by one that nobody reads. People write a part of it, too.
fn closest_key(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let part = key.trim_end_matches('s');
    let holds = known
        .iter()
        .copied()
        .find(|known| part.len() > 3 && known.contains(part));
    closest(key, known.iter().copied()).or(holds)
}

/// What is written at a place, unless it is in quotes or stands for something else.
fn written(sources: &Sources, span: Span) -> Option<&str> {
    let text = sources
        .file(span.file)
        .text
        .get(span.start as usize..span.end as usize)?;
    (!text.is_empty() && !text.starts_with(['"', '\'', '*', '&', '!', '|', '>', '{', '[']))
        .then_some(text)
}

/// The text of a scalar, as promtool reads it: where it wants a text, a number or a boolean is what is written.
fn text(node: &Node, sources: &Sources) -> Option<String> {
    match &node.data {
        Data::String(text) => Some(text.to_string()),
        Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Bool(_) => {
            let data = || to_json(&node.to_value()).trim_end().to_owned();
            Some(written(sources, node.span).map_or_else(data, str::to_owned))
        }
        Data::Null | Data::Seq(_) | Data::Map(_) => None,
    }
}

fn key<'t>(entry: &'t Entry, sources: &'t Sources) -> &'t str {
    written(sources, entry.key_span).unwrap_or(&entry.key)
}

fn labels(node: Option<&Node>, sources: &Sources) -> BTreeMap<String, String> {
    let entries = node.map_or(&[][..], Node::entries).iter();
    entries
        .map(|entry| {
            (
                key(entry, sources).to_owned(),
                text(&entry.value, sources).unwrap_or_default(),
            )
        })
        .collect_map()
}

/// A text in quotes, of JSON and YAML alike.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value in flow style, its plain scalars as they are written: promtool reads some as texts and others as numbers.
fn flow(node: &Node, sources: &Sources, out: &mut String) {
    match &node.data {
        Data::Map(entries) => {
            out.push('{');
            for (index, entry) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                out.push_str(&quoted(key(entry, sources)));
                out.push_str(": ");
                flow(&entry.value, sources, out);
            }
            out.push('}');
        }
        Data::Seq(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                flow(item, sources, out);
            }
            out.push(']');
        }
        Data::String(text) => out.push_str(&quoted(text)),
        Data::Null => out.push_str("null"),
        Data::Int(_) | Data::Uint(_) | Data::Float(_) | Data::Bool(_) => {
            out.push_str(&text(node, sources).unwrap_or_default());
        }
    }
}

impl RuleSuite {
    /// The file of promtool that has one of the tests. `rule_files`: those to load.
    #[must_use]
    pub fn for_promtool(&self, test: usize, rule_files: &[String]) -> String {
        let rule_files: Vec<String> = rule_files.iter().map(|file| quoted(file)).collect();
        let mut out = format!("rule_files: [{}]\n", rule_files.join(", "));
        for entry in self.root.entries() {
            if entry.key != "rule_files" && entry.key != "tests" && !OWN.contains(&&*entry.key) {
                out.push_str(&format!("{}: ", entry.key));
                flow(&entry.value, &self.sources, &mut out);
                out.push('\n');
            }
        }
        out.push_str("tests:\n- ");
        if let Some(mut test) = self
            .root
            .get("tests")
            .and_then(|tests| tests.items().get(test))
            .cloned()
        {
            without_receivers(&mut test);
            flow(&test, &self.sources, &mut out);
        }
        out.push('\n');
        out
    }
}

/// Removes what promtool does not know.
fn without_receivers(test: &mut Node) {
    let Some(alerts) = test.get_mut("alert_rule_test") else {
        return;
    };
    for alert in items_mut(alerts) {
        for expected in alert.get_mut("exp_alerts").map_or(&mut [][..], items_mut) {
            if let Data::Map(entries) = &mut expected.data {
                entries.retain(|entry| entry.key != "receivers");
            }
        }
    }
}

fn items_mut(node: &mut Node) -> &mut [Node] {
    match &mut node.data {
        Data::Seq(items) => items.as_mut_slice(),
        _ => &mut [],
    }
}
