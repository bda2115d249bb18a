//! The answer of `explain`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::cli::json::answers;
use promgen_answers::explain::answer::Explanation;
use promgen_text::diag::Level;

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
