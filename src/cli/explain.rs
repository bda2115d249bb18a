//! `promgen explain`.

mod gates;
mod rules;

use clap::error::ErrorKind;

use crate::cli::args::{ExplainArgs, ExplainFormat, Topic};
use crate::cli::{Exit, Failure, Io};

/// Prints what stands behind a rule, the list of all, or the table of versions.
pub(super) fn run(args: &ExplainArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let version = args.prometheus_version.as_ref();
    if version.is_some() && args.topic != Some(Topic::Gates) {
        let text = "--prometheus-version belongs to `promgen explain gates`: rules are the same for every version";
        return Err(Failure::usage("explain", ErrorKind::ArgumentConflict, text));
    }
    io.print(|out| match (args.topic, args.format) {
        (Some(Topic::Rule(rule)), ExplainFormat::Text) => rules::one(rule, out),
        (Some(Topic::Rule(rule)), ExplainFormat::Markdown) => rules::section(rule, out),
        (Some(Topic::Gates), ExplainFormat::Text) => gates::table(version, out),
        (Some(Topic::Gates), ExplainFormat::Markdown) => gates::page(version, out),
        (None, ExplainFormat::Text) => rules::list(out),
        (None, ExplainFormat::Markdown) => rules::page(out),
    })
    .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}
