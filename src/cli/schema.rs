//! `promgen schema`.

use std::io::Write;

use crate::cli::args::SchemaArgs;
use crate::cli::{Exit, Failure, Io};
use crate::schema::{combined, schema};

/// Prints the schema of one kind, or of all.
pub(super) fn run(args: &SchemaArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let schema = args.kind.and_then(schema).unwrap_or_else(combined);
    io.print(|out: &mut dyn Write| {
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        out.write_all(b"\n")
    })
    .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}
