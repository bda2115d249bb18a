//! `promgen schema`.

use std::io::Write;

use crate::cli::args::{SchemaArgs, SchemaOf};
use crate::cli::{Exit, Failure, Io};
use promgen_resources::release::CURRENT;
use promgen_resources::schema::{combined, schema};
use promgen_targets::relabel_test;

/// Prints the schema of one kind, or of all.
pub(in crate::cli) fn run(args: &SchemaArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let operator = args.operator_version.as_ref().unwrap_or(&CURRENT.version);
    let schema = match args.kind {
        Some(SchemaOf::Kind(kind)) => schema(kind, operator).unwrap_or_else(|| combined(operator)),
        Some(SchemaOf::Tests) => relabel_test::schema(),
        None => combined(operator),
    };
    io.print(|out: &mut dyn Write| {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        out.write_all(b"\n")
    })
    .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}
