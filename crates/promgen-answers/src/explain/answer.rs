//! The answer to why a resource is ignored: each step with its place.

use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::{ExplanationStep, StepState};
use promgen_text::source::Sources;

/// A step of the explanation of a resource.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Whether it holds.
    pub state: ExplainedState,
    /// What it says.
    pub text: String,
    /// The file of its place.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// The action.
    pub help: Vec<String>,
    /// The steps below.
    pub steps: Vec<Self>,
}

/// Whether a step of an explanation holds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExplainedState {
    /// It holds.
    Holds,
    /// It does not.
    Breaks,
    /// What decides it is not in the input.
    Unknown,
    /// There is nothing to check, or only a live server knows.
    Open,
}

impl Explanation {
    /// A step and those below it, each with its place. Recursion is as deep as explanations, which is a few steps.
    #[must_use]
    pub fn of(step: &ExplanationStep, sources: &Sources) -> Self {
        let start = step.span.map(|span| sources.start(span));
        Self {
            state: match step.state {
                StepState::Holds => ExplainedState::Holds,
                StepState::Breaks => ExplainedState::Breaks,
                StepState::Unknown => ExplainedState::Unknown,
                StepState::Open => ExplainedState::Open,
            },
            text: step.text.clone(),
            file: step.span.map(|span| sources.file(span.file).name.clone()),
            line: start.map(|start| start.line),
            column: start.map(|start| start.column),
            help: step.help.clone(),
            steps: step
                .steps
                .iter()
                .map(|step| Self::of(step, sources))
                .collect(),
        }
    }
}
