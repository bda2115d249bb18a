//! An explanation as JSON.

use serde_json::{Value, json};

use crate::explain::{ExplanationStep, StepState};
use promgen_text::source::Sources;

/// A step and those below it, each with its place. Recursion is as deep as explanations, which is a few steps.
#[must_use]
pub fn value(step: &ExplanationStep, sources: &Sources) -> Value {
    let state = match step.state {
        StepState::Holds => "holds",
        StepState::Breaks => "breaks",
        StepState::Unknown => "unknown",
        StepState::Open => "open",
    };
    let start = step.span.map(|span| sources.start(span));
    json!({
        "state": state,
        "text": step.text,
        "file": step.span.map(|span| sources.file(span.file).name.clone()),
        "line": start.map(|start| start.line),
        "column": start.map(|start| start.column),
        "help": step.help,
        "steps": step.steps.iter().map(|step| value(step, sources)).collect::<Vec<_>>(),
    })
}
