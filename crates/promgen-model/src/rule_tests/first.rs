//! A first test of an alert.
//!
//! In: a rule. Out: a test in promtool's format, as text. If the expression compares one selector with a number, its series make the
//! alert fire; else the test is a frame that fails until it is filled in.

use std::collections::BTreeMap;

use promgen_prometheus::promql::{self, ExprKind, LabelMatcher, Tree, VectorSelector};
use promgen_text::go::duration::PromDuration;

use super::LoadedRule;
use promgen_text::CollectOrdered;

/// A minute in milliseconds: the interval of series and evaluations.
const MINUTE: u64 = 60_000;

/// A test of an alert.
#[must_use]
pub fn first_test(rule: &LoadedRule) -> String {
    let hold = rule
        .hold
        .as_deref()
        .and_then(|hold| PromDuration::parse(hold).ok())
        .unwrap_or_default()
        .millis;
    // The first evaluation at which it has been pending long enough.
    let time = hold.div_ceil(MINUTE) * MINUTE;
    let firing = promql::parse(&rule.expr)
        .as_ref()
        .and_then(|tree| FiringSeries::of(&rule.expr, tree));
    let mut out = String::new();
    if firing.is_none() {
        out.push_str("# Fill in the series that make it fire:\n");
        rule.expr
            .trim()
            .lines()
            .for_each(|line| out.push_str(&format!("#   {line}\n")));
    }
    out.push_str(&format!(
        "- name: {}\n  interval: 1m\n  input_series:",
        quoted(&format!("{} fires", rule.name))
    ));
    match &firing {
        Some(FiringSeries {
            series: Some(series),
            value,
            ..
        }) => {
            let values = format!("{value}x{}", time / MINUTE + 1);
            out.push_str(&format!(
                "\n  - series: {}\n    values: {}\n",
                quoted(series),
                quoted(&values)
            ));
        }
        Some(_) => out.push_str(" []\n"),
        None => out.push_str("\n  - series: 'up{}'\n    values: '0x10'\n"),
    }
    let mut labels: BTreeMap<String, String> = firing
        .as_ref()
        .map(|firing| firing.labels.iter().cloned().collect())
        .unwrap_or_default();
    let value = firing.as_ref().map(|firing| firing.value.as_str());
    let series = labels.clone();
    for (name, text) in &rule.labels {
        labels.insert(name.clone(), filled(text, &series, value));
    }
    let time = PromDuration { millis: time };
    out.push_str(&format!(
        "  alert_rule_test:\n  - eval_time: {time}\n    alertname: {}\n",
        quoted(&rule.name)
    ));
    out.push_str(&format!(
        "    exp_alerts:\n    - exp_labels: {}\n",
        map(&labels)
    ));
    if !rule.annotations.is_empty() {
        let annotations = rule.annotations.iter();
        let filled = annotations
            .map(|(name, text)| (name.clone(), filled(text, &series, value)))
            .collect_map();
        out.push_str(&format!("      exp_annotations: {}\n", map(&filled)));
    }
    out
}

/// The series that make an expression true.
struct FiringSeries {
    /// Its name and labels. `None`: no series does.
    series: Option<String>,
    value: String,
    labels: Vec<(String, String)>,
}

impl FiringSeries {
    fn of(expr: &str, tree: &Tree) -> Option<Self> {
        let mut root = tree.root();
        while let ExprKind::Paren(inner) = root.kind {
            root = tree.node(inner);
        }
        match &root.kind {
            ExprKind::Selector(selector) => Self::of_selector(selector, 1.0),
            ExprKind::Call(call) if call.function.name == "absent" => {
                let ExprKind::Selector(selector) = &tree.node(*call.arguments.first()?).kind else {
                    return None;
                };
                let labels = selector
                    .matchers
                    .iter()
                    .filter(|matcher| matcher.operator == "=");
                let labels = labels
                    .map(|matcher| (matcher.label.clone(), matcher.value.clone()))
                    .collect();
                Some(Self {
                    series: None,
                    value: "1".to_owned(),
                    labels,
                })
            }
            ExprKind::Binary(binary) if !binary.matching.is_bool => {
                let (left, right) = (tree.node(binary.left), tree.node(binary.right));
                let ExprKind::Selector(selector) = &left.kind else {
                    return None;
                };
                let limit: f64 = expr.get(right.span.clone())?.trim().parse().ok()?;
                let value = match binary.operator {
                    ">" | "!=" => limit + 1.0,
                    "<" => limit - 1.0,
                    ">=" | "<=" | "==" => limit,
                    _ => return None,
                };
                Self::of_selector(selector, value)
            }
            _ => None,
        }
    }

    fn of_selector(selector: &VectorSelector, value: f64) -> Option<Self> {
        let name = selector.name.as_ref()?;
        let labels: Vec<Option<(String, String)>> =
            selector.matchers.iter().map(label).collect::<Option<_>>()?;
        let labels: Vec<(String, String)> = labels.into_iter().flatten().collect();
        let written: Vec<String> = labels
            .iter()
            .map(|(name, value)| format!("{name}={}", serde_json::Value::from(value.as_str())))
            .collect();
        let braces = if written.is_empty() {
            String::new()
        } else {
            format!("{{{}}}", written.join(", "))
        };
        Some(Self {
            series: Some(format!("{name}{braces}")),
            value: value.to_string(),
            labels,
        })
    }
}

/// The label that meets a matcher: none if it asks for its absence. The outer `None`: it is not known.
fn label(matcher: &LabelMatcher) -> Option<Option<(String, String)>> {
    let of = |value: &str| Some(Some((matcher.label.clone(), value.to_owned())));
    match matcher.operator {
        "=" if matcher.value.is_empty() => Some(None),
        "=" => of(&matcher.value),
        // A label that is absent is not that value, and does not match a pattern of texts.
        "!=" | "!~" if !matcher.value.is_empty() => Some(None),
        "=~" => {
            let first = matcher.value.split('|').next().unwrap_or_default();
            let first = first.trim_end_matches(".*").trim_end_matches(".+");
            let is_plain = |text: &str| {
                !text.is_empty()
                    && text
                        .chars()
                        .all(|c| c.is_alphanumeric() || "-_/:".contains(c))
            };
            is_plain(first).then(|| of(first)).flatten()
        }
        _ => None,
    }
}

/// A text with the simplest actions of a template filled in.
fn filled(text: &str, labels: &BTreeMap<String, String>, value: Option<&str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((action, after)) = after.split_once("}}") else {
            break;
        };
        let action = action.trim().trim_matches('-').trim();
        let known = match action.strip_prefix("$labels.") {
            Some(name) => Some(labels.get(name).cloned().unwrap_or_default()),
            None if action == "$value" => value.map(str::to_owned),
            None => None,
        };
        out.push_str(before);
        out.push_str(&known.unwrap_or_else(|| format!("{{{{{action}}}}}")));
        rest = after;
    }
    out + rest
}

fn map(labels: &BTreeMap<String, String>) -> String {
    let entries: Vec<String> = labels
        .iter()
        .map(|(name, value)| format!("{}: {}", quoted(name), quoted(value)))
        .collect();
    format!("{{{}}}", entries.join(", "))
}

/// A text in quotes, unless it needs none.
fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-/. ".contains(c))
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&text.to_lowercase().as_str())
        && !text.ends_with(' ');
    if is_plain {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}
