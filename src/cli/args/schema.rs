//! Arguments of `schema`.

use clap::{Args, ValueEnum};

use promgen_resources::api::Kind;
use promgen_resources::{release, schema};
use promgen_text::version::Version;

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The kind; `test` for test files; `config` for promgen.yaml; `policy` for files of policies, and `facts` for what they can ask;
    /// `output` for the JSON that a command prints. Without it, one schema for all kinds, which accepts documents of others
    #[arg(value_name = "KIND|test|config|policy|facts|output", value_parser = parse_kind)]
    pub(crate) kind: Option<SchemaOf>,
    /// With `output`: the command, such as lint or diff
    #[arg(value_name = "COMMAND")]
    pub(crate) output: Option<String>,
    /// Format of the schema; `markdown` is the page in docs/ about all outputs, or the list of facts
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    pub(crate) format: SchemaFormat,
    /// Release of the operator whose custom resources the schema describes, v0.80.0 to v0.95.2 [default: v0.94.1]
    #[arg(long, value_name = "VERSION", value_parser = release::parse_known)]
    pub(crate) operator_version: Option<Version>,
}

/// The subject of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaOf {
    /// Resources of a kind.
    Kind(Kind),
    /// Files of tests.
    Tests,
    /// `promgen.yaml`.
    Config,
    /// Files of policies.
    Policies,
    /// The facts of policies.
    Facts,
    /// What a command prints.
    Output,
}

/// `--format` of `schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormat {
    Json,
    Markdown,
}

fn parse_kind(text: &str) -> Result<SchemaOf, String> {
    match text {
        "test" => return Ok(SchemaOf::Tests),
        "config" => return Ok(SchemaOf::Config),
        "policy" => return Ok(SchemaOf::Policies),
        "facts" => return Ok(SchemaOf::Facts),
        "output" => return Ok(SchemaOf::Output),
        _ => {}
    }
    let known = || {
        schema::kinds()
            .map(Kind::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    schema::kinds()
        .find(|kind| Kind::of_word(text) == Some(*kind))
        .map(SchemaOf::Kind)
        .ok_or_else(|| format!("no schema for that kind; expected one of: {}", known()))
}
