//! The answer to why a resource is ignored: each step with its place.

use crate::explain::{ExplanationStep, StepState};
use promgen_text::source::Sources;

changes! {
    /// A step of the explanation of a resource.
    Explanation {
        /// Whether it holds.
        state: StepState,
        /// What it says.
        text: String,
        /// The file of its place.
        file: Option<String>,
        /// The line, from 1.
        line: Option<usize>,
        /// The column in characters, from 1.
        column: Option<usize>,
        /// The action.
        help: Vec<String>,
        /// The steps below.
        steps: Vec<Self>,
    }
}

impl Explanation {
    /// A step and those below it, each with its place. Recursion is as deep as explanations, which is a few steps.
    #[must_use]
    pub fn of(step: &ExplanationStep, sources: &Sources) -> Self {
        let start = step.span.map(|span| sources.start(span));
        Self {
            state: step.state,
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
