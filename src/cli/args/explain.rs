//! Arguments of `explain`.

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, LiveArgs, MetricsArgs};
use crate::cli::suggestions;
use promgen_answers::explain::ResourceQuery;
use promgen_answers::explain::lineage::LineageQuery;
use promgen_checks::rules;
use promgen_text::diag::RuleRef;
use promgen_text::diag::pattern::RulePattern;

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  promgen explain servicemonitor/shop/cart manifests/
  promgen explain smon/cart -n shop            names of kinds as kubectl takes them
  promgen explain servicemonitor/cart          without a namespace, if there is one
  promgen explain prometheus/monitoring/k8s manifests/     what it selects, and why not the rest
  promgen explain prometheus/k8s --format svg > k8s.svg    a picture of it
  promgen explain alert/CartDown               which receivers it reaches
  promgen explain gates                        the versions that support each feature
  promgen explain gates --prometheus-version v2.45.0
  promgen explain gates --operator-version v0.84.0
  promgen explain metric/http_requests_total manifests/    who makes it, drops it, and reads it
  promgen explain job/api manifests/           the same of a job; also alert/NAME and record/NAME
  promgen explain policy/has-a-team manifests/     what holds, and what breaks it
  promgen explain limits                       what promgen limits, and the option that raises it";

pub(super) const RULE_EXAMPLES: &str = "\
Examples:
  promgen rule PG201
  promgen rule idle-shard
  promgen rule PG2             the rules about sharding
  promgen rule                 all rules
  promgen rule policy/has-a-team       a policy of the current folder; `policy` for all of them
  promgen rule --format json";

/// Arguments of `rule`.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// The code or name of a rule, or a family of rules, such as PG2. Without it, the list of rules
    #[arg(value_name = "CODE|NAME", value_parser = parse_asked)]
    pub(crate) topic: Option<Topic>,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReferenceFormat,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// A resource of the manifests, such as servicemonitor/shop/cart, or smon/cart with `-n shop`; a metric, a job, an alert or a
    /// recorded series, such as metric/http_requests_total or alert/CartDown; a policy, such as policy/alerts-have-a-team; `gates` for the table of version gates, with
    /// --prometheus-version for that version; `limits` for the table of limits; or a rule, as `promgen rule` takes it
    #[arg(
        value_name = "KIND/NS/NAME|metric/NAME|job/NAME|alert/NAME|record/NAME|policy/NAME|gates|limits",
        value_parser = parse_topic,
        required_unless_present = "rules"
    )]
    pub(crate) topic: Option<Topic>,
    /// Print the table of all rules of lint, as `promgen rule` does
    #[arg(long, conflicts_with = "topic")]
    pub(crate) rules: bool,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ExplainFormat,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// The topic to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A rule.
    Rule(RuleRef),
    /// The rules whose code begins so.
    Family(RulePattern),
    /// The table of versions.
    Gates,
    /// The table of limits.
    Limits,
    /// A resource of the manifests.
    Resource(ResourceQuery),
    /// A metric, a job, an alert or a recorded series.
    Lineage(LineageQuery),
    /// A policy, by its name. Empty: all of them.
    Policy(String),
}

/// `--format` of `explain`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    Text,
    /// The format of the reference pages in docs/; not for resources
    Markdown,
    Json,
    /// A picture of a resource or workload: what is connected with it
    Svg,
    /// The same as a flowchart, which GitHub and others draw
    Mermaid,
}

/// `--format` of what does not depend on manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReferenceFormat {
    Text,
    /// The format of the reference pages in docs/
    Markdown,
    Json,
}

impl ExplainFormat {
    /// The same format of what does not depend on manifests. `None` for pictures.
    pub(crate) const fn of_reference(self) -> Option<ReferenceFormat> {
        match self {
            Self::Text => Some(ReferenceFormat::Text),
            Self::Markdown => Some(ReferenceFormat::Markdown),
            Self::Json => Some(ReferenceFormat::Json),
            Self::Svg | Self::Mermaid => None,
        }
    }
}

fn parse_topic(text: &str) -> Result<Topic, String> {
    match text {
        "gates" => return Ok(Topic::Gates),
        "limits" => return Ok(Topic::Limits),
        _ => {}
    }
    if let Some(name) = policy(text) {
        return Ok(Topic::Policy(name));
    }
    if let Some(query) = LineageQuery::parse(text) {
        return Ok(Topic::Lineage(query));
    }
    let about_path = || suggestions::about_topic(text);
    let is_kind = || ResourceQuery::parse(&format!("{text}/namespace/name")).is_ok();
    let of_any_kind = || {
        ResourceQuery::of_any_kind(text)
            .filter(|_| about_path().is_none())
            .map(Topic::Resource)
    };
    if text.contains('/') || is_kind() {
        let asked = ResourceQuery::parse(text).map(Topic::Resource);
        // A kind alone names nothing.
        let of_any_kind = || of_any_kind().filter(|_| !is_kind());
        return asked.or_else(|why| of_any_kind().ok_or_else(|| about_path().unwrap_or(why)));
    }
    let is_code = text
        .get(..2)
        .is_some_and(|family| family.eq_ignore_ascii_case("PG"));
    parse_rule(text).or_else(|why| {
        // What is almost the name of a rule is meant as one.
        let is_name = !is_code && !why.contains("did you mean");
        of_any_kind().filter(|_| is_name).ok_or_else(|| {
            let of_series = || of_series(text).filter(|_| is_name);
            about_path().or_else(of_series).unwrap_or_else(|| {
                format!("{why}; a resource is named as in servicemonitor/shop/cart")
            })
        })
    })
}

/// The help about a name that neither a rule nor an object can have, but an alert, a metric or a recorded series.
fn of_series(text: &str) -> Option<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
    let kind = match text.contains(':') {
        true => "record",
        false if text.contains('_') => "metric",
        false => "alert",
    };
    let help = format!("its kind belongs before the name: `promgen explain {kind}/{text}`");
    text.chars().all(is_of_name).then_some(help)
}

/// The argument of `rule`. Whoever types a path out of habit means all rules.
fn parse_asked(text: &str) -> Result<Topic, String> {
    if let Some(name) = policy(text) {
        return Ok(Topic::Policy(name));
    }
    parse_rule(if matches!(text, "." | "all") {
        "PG"
    } else {
        text
    })
}

/// The name behind `policy/`.
fn policy(text: &str) -> Option<String> {
    let name = text.strip_prefix("policy/");
    name.or_else(|| (text == "policy").then_some(""))
        .map(str::to_owned)
}

fn parse_rule(text: &str) -> Result<Topic, String> {
    if let Some(rule) = rules::find(text) {
        return Ok(Topic::Rule(rule));
    }
    RulePattern::parse(text, &rules::all()).map(Topic::Family)
}
