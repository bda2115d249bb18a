//! Values that Helm fails on, or of which the chart makes an object that the API server refuses.

use std::collections::BTreeMap;

use promgen_text::diag::Diagnostic;
use promgen_text::source::Span;
use promgen_text::yaml::{Data, Node};

use super::rules::REFUSED_VALUES;
use super::stack::reads::{self, ReadValue};
use super::template::ValueTemplateFault;
use promgen_resources::unknown::is_filled_in_later;

/// The number of keys that are named.
const MAX_KEYS: usize = 6;

/// A value of the user.
struct FaultyValue<'v> {
    /// Its path, as it is written.
    shown: String,
    /// Its path, any item as one step.
    steps: Vec<&'v str>,
    node: &'v Node,
}

/// The findings about a release of a version. `faults`: what Helm refuses, each by the place of the value. `nameless`: the kinds of objects
/// that get no name, each with the place of the value that they are made of.
pub(super) fn report(
    values: &Node,
    release: &str,
    version: &str,
    faults: &BTreeMap<Span, ValueTemplateFault>,
    nameless: &[(Span, String)],
) -> Vec<Diagnostic> {
    let fails = format!("release {release} fails");
    let found = |span: Span, message: String, help: String| {
        Diagnostic::new(&REFUSED_VALUES, span, format!("{message}; {fails}")).help(help)
    };
    let of_fault = |(span, fault): (&Span, &ValueTemplateFault)| {
        let value = find(values, *span)?;
        let shown = &value.shown;
        Some(match fault {
            ValueTemplateFault::Key(_) if is_filled_in_later(value.node) => return None,
            ValueTemplateFault::Key(key) => {
                let what = noun(value.node);
                let message = format!("`{shown}` is {what}: the chart reads `{key}` of it");
                found(*span, message, help(&value.steps, version))
            }
            ValueTemplateFault::Variable(name) => {
                let message =
                    format!("Helm runs the template in `{shown}`, and knows no variable `{name}`");
                found(*span, message, escaped())
            }
            ValueTemplateFault::Name(name) => {
                let message =
                    format!("Helm runs the template in `{shown}`, and knows no `.{name}`");
                found(*span, message, escaped())
            }
        })
    };
    let of_nameless = |(span, kind): &(Span, String)| {
        let value = find(values, *span)?;
        let shown = &value.shown;
        let is_of_map = !shown.ends_with(']');
        let message = format!("`{shown}` has no `name`: the API server refuses the {kind}");
        let help = match is_of_map {
            true => "write `name` in it: the chart does not take names from keys here",
            false => "write `name` in it",
        };
        Some(found(*span, message, help.to_owned()))
    };
    let of_faults = faults.iter().filter_map(of_fault);
    of_faults
        .chain(nameless.iter().filter_map(of_nameless))
        .collect()
}

/// How to keep a template for the program that it is meant for.
fn escaped() -> String {
    "for what another program fills in, write {{ `{{ $labels.job }}` }}: Helm makes {{ $labels.job }} of it".to_owned()
}

fn noun(value: &Node) -> &'static str {
    match value.data {
        Data::String(_) => "a text",
        Data::Seq(_) => "a list",
        Data::Bool(_) => "a boolean",
        _ => "a number",
    }
}

/// The keys that the chart reads of a value.
fn help(path: &[&str], version: &str) -> String {
    let root = ReadValue::root(Some(version));
    let read = path
        .iter()
        .try_fold(root, |read, key| read.step(key).next());
    let keys: Vec<String> = read
        .into_iter()
        .flat_map(ReadValue::keys)
        .map(|key| format!("`{key}`"))
        .take(MAX_KEYS + 1)
        .collect();
    let more = if keys.len() > MAX_KEYS {
        " and others"
    } else {
        ""
    };
    let keys = keys[..keys.len().min(MAX_KEYS)].join(", ");
    match keys.is_empty() {
        true => "write a map".to_owned(),
        false => format!("write a map, with {keys}{more}"),
    }
}

/// The value at a place, or that of the key at a place.
fn find(values: &Node, span: Span) -> Option<FaultyValue<'_>> {
    let mut todo = vec![FaultyValue {
        shown: String::new(),
        steps: Vec::new(),
        node: values,
    }];
    while let Some(value) = todo.pop() {
        if value.node.span == span && !value.steps.is_empty() {
            return Some(value);
        }
        let FaultyValue { shown, steps, node } = value;
        let below = |step| [steps.as_slice(), &[step]].concat();
        for (at, item) in node.items().iter().enumerate() {
            todo.push(FaultyValue {
                shown: format!("{shown}[{at}]"),
                steps: below(reads::ITEM),
                node: item,
            });
        }
        for entry in node.entries() {
            let dot = if shown.is_empty() { "" } else { "." };
            let value = FaultyValue {
                shown: format!("{shown}{dot}{}", entry.key),
                steps: below(entry.key.as_str()),
                node: &entry.value,
            };
            if entry.key_span == span {
                return Some(value);
            }
            todo.push(value);
        }
    }
    None
}
