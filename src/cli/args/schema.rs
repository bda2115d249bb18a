//! Arguments of `schema`.

use clap::Args;

use promgen_resources::api::Kind;
use promgen_resources::{release, schema};
use promgen_text::version::Version;

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(in crate::cli) struct SchemaArgs {
    /// The kind, or `test` for test files; without it, one schema that accepts all kinds
    #[arg(value_name = "KIND|test", value_parser = parse_kind)]
    pub(in crate::cli) kind: Option<SchemaOf>,
    /// Release of the operator whose custom resources the schema describes, v0.80.0 to v0.93.1 [default: main after v0.93.0]
    #[arg(long, value_name = "VERSION", value_parser = release::parse)]
    pub(in crate::cli) operator_version: Option<Version>,
}

/// The subject of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum SchemaOf {
    /// Resources of a kind.
    Kind(Kind),
    /// Files of tests.
    Tests,
}

fn parse_kind(text: &str) -> Result<SchemaOf, String> {
    if text == "test" {
        return Ok(SchemaOf::Tests);
    }
    let known = || schema::kinds().map(Kind::as_str).collect::<Vec<_>>().join(", ");
    schema::kinds()
        .find(|kind| kind.as_str().eq_ignore_ascii_case(text))
        .map(SchemaOf::Kind)
        .ok_or_else(|| format!("no schema for that kind; expected one of: {}", known()))
}
