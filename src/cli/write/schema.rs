//! `promgen schema`.

use std::borrow::Cow;
use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::cli::args::{SchemaArgs, SchemaFormat, SchemaOf};
use crate::cli::json::{DescribedOutput, OUTPUTS, page};
use crate::cli::{Exit, Failure, Io};
use promgen_policy::facts::reference as facts;
use promgen_resources::release::CURRENT;
use promgen_resources::schema::{combined, schema};
use promgen_targets::relabel_test;

/// Prints the schema of one kind, or of all.
pub(crate) fn run(args: &SchemaArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let usage = |kind, text: &str| Err(Failure::usage("schema", kind, text));
    let is_output = args.kind == Some(SchemaOf::Output);
    if args.output.is_some() && !is_output {
        return usage(
            ErrorKind::ArgumentConflict,
            "a COMMAND requires `output`: `promgen schema output lint`",
        );
    }
    if args.format == SchemaFormat::Markdown && args.kind == Some(SchemaOf::Facts) {
        return print(io, |out| out.write_all(facts::reference().as_bytes()));
    }
    if args.format == SchemaFormat::Markdown {
        if !is_output || args.output.is_some() {
            return usage(
                ErrorKind::ArgumentConflict,
                "`--format markdown` requires `promgen schema output` or `promgen schema facts`",
            );
        }
        return print(io, |out| out.write_all(page().as_bytes()));
    }
    let operator = args.operator_version.as_ref().unwrap_or(&CURRENT.version);
    let text: Cow<'_, str> = match args.kind {
        Some(SchemaOf::Kind(kind)) => {
            pretty(&schema(kind, operator).unwrap_or_else(|| combined(operator))).into()
        }
        Some(SchemaOf::Tests) => relabel_test::SCHEMA.into(),
        Some(SchemaOf::Config) => promgen_checks::config::SCHEMA.into(),
        Some(SchemaOf::Policies) => promgen_policy::SCHEMA.into(),
        Some(SchemaOf::Facts) => pretty(&facts::schema()).into(),
        Some(SchemaOf::Output) => match described(args.output.as_deref()) {
            Ok(described) => described.schema.into(),
            Err(why) => return usage(ErrorKind::InvalidValue, &why),
        },
        None => pretty(&combined(operator)).into(),
    };
    print(io, |out| out.write_all(text.as_bytes()))
}

fn pretty(schema: &serde_json::Value) -> String {
    format!("{schema:#}\n")
}

fn print(
    io: &mut Io<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Exit, Failure> {
    io.print(write)?;
    Ok(Exit::Clean)
}

/// The output of that name.
fn described(name: Option<&str>) -> Result<&'static DescribedOutput, String> {
    let names = || {
        OUTPUTS
            .iter()
            .map(|output| output.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let Some(name) = name else {
        return Err(format!("expected one of: {}", names()));
    };
    let found = OUTPUTS.iter().find(|output| output.name == name);
    found.ok_or_else(|| format!("`{name}` has no schema; expected one of: {}", names()))
}
