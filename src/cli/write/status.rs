//! `promgen status`.

mod check;
pub(in crate::cli) mod table;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;

use crate::cli::args::{Color, CompileArgs, ProfileArgs, StatusArgs, StatusSyntax};
use crate::cli::check::health;
use crate::cli::environments::{AnswerForm, EachEnvironment, each, has_workload};
use crate::cli::{Exit, Failure, Io, charts, fs, json, load, pick, report};
use promgen_compile::options::Options;
use promgen_compile::output::generated::{ANNOTATION, COMMENT, NO_UID};
use promgen_compile::output::{Layout, Output};
use promgen_driver::Project;
use promgen_resources::observed_status::Statuses;
use promgen_text::diag::{Level, escape};
use promgen_text::yaml::Map;
use promgen_text::yaml::Value;
use promgen_text::yaml::emit::{to_json, to_report};

/// Compiles, prints or compares the statuses, then reports the findings.
pub(in crate::cli) fn run(
    args: &StatusArgs,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    if args.health && args.live.is_some() {
        let text = "--health is about one status: it has no --live";
        return Err(Failure::usage("status", ErrorKind::ArgumentConflict, text));
    }
    if args.health {
        return health::run(args, color, io);
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
    let (inputs, templates) = load(&args.compile, io)?;
    let options = with_format(
        &args.profile,
        (
            &args.compile,
            args.compile.options(Layout::default(), templates),
        ),
        color,
        io,
    )?;
    let options = charts::rendered(options, &inputs, &args.compile, io)?;
    let workspace = fs::Workspace::of(&args.compile.paths);
    let read = |file| statuses(file, (&workspace, &options.namespace), color, io);
    let live = args.live.as_deref().map(read).transpose()?;
    let project = Project::read(&inputs, &options);
    drop(inputs);
    let form = match (args.syntax(), &live) {
        (StatusSyntax::Yaml, None) => AnswerForm::Commented,
        (StatusSyntax::Json, None) => AnswerForm::Json("status"),
        (StatusSyntax::List, None) => AnswerForm::List,
        (_, _) => AnswerForm::Text,
    };
    let question = EachEnvironment {
        is_about_targets: false,
        form,
        is_asked: &has_workload,
    };
    each(
        &project,
        &args.environments,
        &question,
        io,
        &mut |model, io| of_environment(args, &model.into_output(), live.as_ref(), color, io),
    )
}

/// Prints or compares the statuses of an environment, then reports the findings.
fn of_environment(
    args: &StatusArgs,
    output: &Output,
    live: Option<&Statuses>,
    color: Color,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let is_same = match live {
        Some(live) => check::print(output, live, color, io),
        None => print(args, output, color, io).map(|()| true),
    };
    let exit = report::findings(output, color, io);
    if output.statuses().is_empty() && output.worst_level() != Some(Level::Error) {
        report::note(&format!("no status: {}", pick::no_workload(output)), io);
    }
    match is_same {
        Ok(true) => Ok(exit),
        Ok(false) => Ok(Exit::Findings),
        Err(error) => Err(cannot_write(&error)),
    }
}

pub(in crate::cli) fn cannot_write(error: &io::Error) -> Failure {
    Failure::message(format!("cannot write standard output: {error}"))
}

/// Standard input can be read only once.
pub(in crate::cli) fn read_once(
    command: &'static str,
    paths: &[PathBuf],
    files: &[&Option<PathBuf>],
) -> Result<(), Failure> {
    let all = paths
        .iter()
        .chain(files.iter().filter_map(|file| file.as_ref()));
    let n = all.filter(|path| path.as_path() == Path::new("-")).count();
    if n > 1
        && files
            .iter()
            .any(|file| file.as_deref() == Some(Path::new("-")))
    {
        let text = "standard input can be read only once: use `-` only once";
        return Err(Failure::usage(command, ErrorKind::ArgumentConflict, text));
    }
    Ok(())
}

/// The options with those about statuses, including earlier statuses.
pub(in crate::cli) fn with_format(
    args: &ProfileArgs,
    (compile, options): (&CompileArgs, Options),
    color: Color,
    io: &mut Io<'_>,
) -> Result<Options, Failure> {
    let mut options = args.apply(options);
    if let Some(file) = &args.previous {
        let workspace = fs::Workspace::of(&compile.paths);
        options.previous = statuses(file, (&workspace, &options.namespace), color, io)?;
    }
    Ok(options)
}

/// The statuses of a file. An invalid status is reported like a manifest, and is a failure.
fn statuses(
    file: &Path,
    (workspace, namespace): (&fs::Workspace, &str),
    color: Color,
    io: &mut Io<'_>,
) -> Result<Statuses, Failure> {
    let read =
        fs::read_files(&[file.to_owned()], workspace, io.stdin).map_err(Failure::Messages)?;
    let (statuses, diagnostics, sources) = Statuses::read(&read.inputs, namespace);
    let output = Output {
        diagnostics,
        sources,
        ..Output::default()
    };
    match report::in_full(&output, color, io) {
        Exit::Clean => Ok(statuses),
        Exit::Findings | Exit::Failure => Err(Failure::message(format!(
            "no statuses can be read from `{}`",
            file.display()
        ))),
    }
}

fn print(args: &StatusArgs, output: &Output, color: Color, io: &mut Io<'_>) -> io::Result<()> {
    let documents = output.statuses();
    if args.syntax() == StatusSyntax::Table {
        let look = table::Look {
            tone: table::of_condition,
            ..table::Look::plain(color, io.terminal)
        };
        return io.print(|out| table::write(&table::of_statuses(&documents), look, out));
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
pub(in crate::cli) fn write_values(
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
