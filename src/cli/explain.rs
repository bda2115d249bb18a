//! `promgen explain`.

use std::io::{self, Write};

use crate::cli::args::ExplainArgs;
use crate::cli::{Exit, Failure, Io};
use crate::diag::Rule;
use crate::rules;

/// Prints what stands behind a rule, or the list of all.
pub(super) fn run(args: &ExplainArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    io.print(|out| match args.rule {
        Some(rule) => explain(rule, out),
        None => rules::all().into_iter().try_for_each(|rule| list(rule, out)),
    })
    .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}

fn explain(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    let Rule { code, name, level, since, summary, .. } = rule;
    writeln!(out, "{code} {name} ({level}, since {since}): {summary}\n")?;
    // What stands in a doc comment is indented by a blank.
    rule.explanation.lines().try_for_each(|line| writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(line).trim_end()))
}

fn list(rule: &Rule, out: &mut dyn Write) -> io::Result<()> {
    let Rule { code, name, level, summary, .. } = rule;
    let level = level.to_string();
    writeln!(out, "{code}  {level:<7}  {name:<18}  {summary}")
}
