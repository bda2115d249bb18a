//! Arguments of `explain`.

use clap::{Args, ValueEnum};

use crate::cli::args::CompileArgs;
use promgen_driver::explain::ResourceName;
use promgen_driver::rules;
use promgen_text::diag::LintRule;
use promgen_text::diag::pattern::RulePattern;

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  promgen explain PG201
  promgen explain idle-shard
  promgen explain PG2          the rules about sharding
  promgen explain              all rules
  promgen explain gates        version gates: the versions that support each feature
  promgen explain gates --prometheus-version v2.45.0
  promgen explain gates --operator-version v0.84.0
  promgen explain limits       what promgen limits, and the option that raises it
  promgen explain servicemonitor/shop/cart manifests/
  promgen explain prometheus/monitoring/k8s manifests/     what it selects, and why not the rest";

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ExplainArgs {
    /// The code or name of a rule; a family of rules, such as PG2; `gates` for the table of version gates, with --prometheus-version for that version;
    /// `limits` for the table of limits; or a resource of the manifests, such as servicemonitor/shop/cart. Without it,
    /// the list of rules
    #[arg(value_name = "CODE|gates|limits|KIND/NS/NAME", value_parser = parse_topic)]
    pub(in crate::cli) topic: Option<Topic>,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: ExplainFormat,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// The topic to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Topic {
    /// A rule.
    Rule(&'static LintRule),
    /// The rules whose code begins so.
    Family(RulePattern),
    /// The table of versions.
    Gates,
    /// The table of limits.
    Limits,
    /// A resource of the manifests.
    Resource(ResourceName),
}

/// `--format` of `explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ExplainFormat {
    Text,
    /// The format of the reference pages in docs/; not for resources
    Markdown,
    Json,
}

fn parse_topic(text: &str) -> Result<Topic, String> {
    match text {
        "gates" => return Ok(Topic::Gates),
        "limits" => return Ok(Topic::Limits),
        _ => {}
    }
    let is_kind = || ResourceName::parse(&format!("{text}/namespace/name")).is_ok();
    if text.contains('/') || is_kind() {
        return ResourceName::parse(text).map(Topic::Resource);
    }
    if let Some(rule) = rules::find(text) {
        return Ok(Topic::Rule(rule));
    }
    RulePattern::parse(text, &rules::all()).map(Topic::Family)
}
