//! `promgen status`.

mod check;
pub(crate) mod conditions;

use std::io::{self, Write};

use clap::error::ErrorKind;

use crate::cli::args::{StatusArgs, StatusSyntax};
use crate::cli::check::health;
use crate::cli::environments::{AnswerForm, EachEnvironment, each};
use crate::cli::io::read_once;
use crate::cli::{Exit, Failure, Io, json, pick, read_project, report, statuses, table};
use promgen_compile::options::Options;
use promgen_compile::output::generated::{ANNOTATION, COMMENT, NO_UID};
use promgen_compile::output::{Layout, Output};
use promgen_resources::observed_status::Statuses;
use promgen_text::diag::{Level, escape};
use promgen_text::yaml::emit::{to_json, to_report};
use promgen_text::yaml::{Map, Value};

/// Compiles, prints or compares the statuses, then reports the findings.
pub(crate) fn run(args: &StatusArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    if args.health && args.live.is_some() {
        let text = "--health is about one status: it has no --live";
        return Err(Failure::usage("status", ErrorKind::ArgumentConflict, text));
    }
    if args.health {
        return health::run(args, io);
    }
    if args.assert && args.syntax() == StatusSyntax::Table {
        let text =
            "--assert prints documents for `chainsaw assert` and kuttl: use --format yaml or json";
        return Err(Failure::usage("status", ErrorKind::ArgumentConflict, text));
    }
    read_once(
        "status",
        &args.compile.paths,
        &[&args.live, &args.profile.previous],
    )?;
    let project = read_project(&args.compile, io, |options, io| {
        let options = Options {
            layout: Layout::default(),
            ..options
        };
        args.profile.over(options, &args.compile.paths, io)
    })?;
    let read = |file| statuses::read(file, &args.compile.paths, &project.options().namespace, io);
    let live = args.live.as_deref().map(read).transpose()?;
    let form = match (args.syntax(), &live) {
        (StatusSyntax::Yaml, None) => AnswerForm::Commented,
        (StatusSyntax::Json, None) => AnswerForm::Json("status"),
        (StatusSyntax::List, None) => AnswerForm::List,
        (_, _) => AnswerForm::Text,
    };
    each(
        &project,
        &args.environments,
        &EachEnvironment::of_workloads(form),
        io,
        &mut |model, io| of_environment(args, &model.into_output(), live.as_ref(), io),
    )
}

/// Prints or compares the statuses of an environment, then reports the findings.
fn of_environment(
    args: &StatusArgs,
    output: &Output,
    live: Option<&Statuses>,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let is_same = match live {
        Some(live) => check::print(output, live, io),
        None => print(args, output, io).map(|()| true),
    };
    let exit = report::findings(output, io);
    if output.statuses().is_empty() && output.worst_level() != Some(Level::Error) {
        report::note(&format!("no status: {}", pick::no_workload(output)), io);
    }
    Ok(if is_same? { exit } else { Exit::Findings })
}

fn print(args: &StatusArgs, output: &Output, io: &mut Io<'_>) -> Result<(), Failure> {
    let documents = output.statuses();
    if args.syntax() == StatusSyntax::Table {
        let look = table::Look {
            tone: conditions::tone,
            ..table::Look::plain(io.terminal)
        };
        return io.print(|out| table::write(&conditions::rows(&documents), look, out));
    }
    let values = documents
        .iter()
        .map(|d| {
            if args.assert {
                d.assertion()
            } else {
                d.to_value()
            }
        })
        .collect();
    io.print(|out| write_values(values, args.syntax(), out))
}

/// Documents as a stream of YAML, as a `List`, or as the JSON of the command.
pub(crate) fn write_values(
    values: Vec<Value>,
    format: StatusSyntax,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mark = || Map::new().with("annotations", Map::new().with(ANNOTATION, NO_UID));
    let list = match format {
        StatusSyntax::Json => Some((
            Map::new()
                .with("version", json::VERSION)
                .with("command", "status"),
            "objects",
        )),
        StatusSyntax::List => Some((
            Map::new().with("apiVersion", "v1").with("kind", "List"),
            "items",
        )),
        StatusSyntax::Table | StatusSyntax::Yaml => None,
    };
    if let Some((head, key)) = list {
        let list = head.with("metadata", mark()).with(key, values);
        return out.write_all(escape::json_manifest(&to_json(&list.into())).as_bytes());
    }
    for (i, value) in values.iter().enumerate() {
        let separator = if i == 0 { "" } else { "---\n" };
        write!(out, "{separator}{COMMENT}\n{}", to_report(value))?;
    }
    Ok(())
}
