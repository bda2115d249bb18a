//! The answer of `explain`.

use std::borrow::Cow;

use serde_json::Value;

use crate::cli::json::answers;
use promgen_answers::explain::answer::Explanation;
use promgen_text::diag::Level;

answers! {
    /// What was explained: one of these keys.
    #[derive(Default)]
    Explained {
        /// Rules: the one that was asked for, or all.
        rules?: Vec<ExplainedRule>,
        /// Version gates.
        gates?: Vec<Value> as "Option<Vec<ExplainedGate>>",
        /// Limits that --raise-limit sets.
        limits?: Vec<ExplainedLimit>,
        /// Limits that no option sets.
        fixed?: Vec<FixedLimit>,
        /// The explanation of a resource.
        explanation?: Explanation,
    }

    /// A rule.
    ExplainedRule {
        /// Its code: PG201.
        code: Cow<'static, str>,
        /// Its name: idle-shard.
        name: Cow<'static, str>,
        /// Its level.
        level: Level,
        /// The release of promgen that has it first.
        since: &'static str,
        /// The result, in a line.
        summary: Cow<'static, str>,
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

answers! {
    /// A feature, and the versions that support it.
    ExplainedGate {
        /// The product whose version decides.
        product: String,
        /// The feature, in Markdown.
        feature: String,
        /// The fields that it is about, as patterns.
        fields: Vec<String>,
        /// The first version with it.
        since: String,
        /// The first version without it.
        until?: String,
        /// The consequence of its absence.
        without: WithoutFeature,
        /// Whether the version that was asked for has it.
        supported?: bool,
    }
}

answers! {
    /// The consequence if a feature is absent.
    #[derive(Clone, Copy)]
    enum WithoutFeature {
        /// The operator omits the field.
        Omitted,
        /// The operator refuses the resource.
        Refused,
        /// The operator writes an older form.
        #[serde(rename = "older form")]
        OlderForm,
    }
}
