//! The answer of `explain`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cli::json::answers;
use promgen_driver::explain::{ExplanationStep, StepState};
use promgen_text::diag::Level;
use promgen_text::source::Sources;

answers! {
    /// What was explained: one of these keys.
    #[derive(Default)]
    Explained {
        /// Rules: the one that was asked for, or all.
        #[serde(skip_serializing_if = "Option::is_none")]
        rules: Option<Vec<ExplainedRule>>,
        /// Version gates.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Vec<ExplainedGate>>")]
        gates: Option<Vec<Value>>,
        /// Limits that --raise-limit sets.
        #[serde(skip_serializing_if = "Option::is_none")]
        limits: Option<Vec<ExplainedLimit>>,
        /// Limits that no option sets.
        #[serde(skip_serializing_if = "Option::is_none")]
        fixed: Option<Vec<FixedLimit>>,
        /// The explanation of a resource.
        #[serde(skip_serializing_if = "Option::is_none")]
        explanation: Option<Explanation>,
    }

    /// A rule.
    ExplainedRule {
        /// Its code: PG201.
        code: &'static str,
        /// Its name: idle-shard.
        name: &'static str,
        /// Its level.
        level: Level,
        /// The release of promgen that has it first.
        since: &'static str,
        /// The result, in a line.
        summary: &'static str,
        /// All about it, in Markdown.
        documentation: String,
    }

    /// A limit.
    ExplainedLimit {
        /// Its name for --raise-limit.
        name: &'static str,
        /// Its default, with its unit.
        default: String,
        /// The code of the finding that reports it. Empty: it has none.
        code: &'static str,
        /// The subject of the limit.
        of: &'static str,
    }

    /// A limit that no option sets.
    FixedLimit {
        /// The maximum, with its unit.
        maximum: String,
        /// The code of the finding that reports it. Empty: it has none.
        code: &'static str,
        /// The subject of the limit.
        of: &'static str,
    }

    /// A step of the explanation of a resource.
    Explanation {
        /// Whether it holds.
        state: ExplainedState,
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
        steps: Vec<Explanation>,
    }
}

/// A feature, and the versions that support it.
#[derive(Serialize, JsonSchema)]
struct ExplainedGate {
    /// The product whose version decides.
    product: String,
    /// The feature, in Markdown.
    feature: String,
    /// The fields that it is about, as patterns.
    fields: Vec<String>,
    /// The first version with it.
    since: String,
    /// The first version without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// The consequence of its absence.
    without: WithoutFeature,
    /// Whether the version that was asked for has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    supported: Option<bool>,
}

/// The consequence if a feature is absent.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(dead_code, reason = "declared for its schema")]
enum WithoutFeature {
    /// The operator omits the field.
    Omitted,
    /// The operator refuses the resource.
    Refused,
    /// The operator writes an older form.
    #[serde(rename = "older form")]
    OlderForm,
}

/// Whether a step of an explanation holds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExplainedState {
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
    pub(super) fn of(step: &ExplanationStep, sources: &Sources) -> Self {
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
