//! `lint --shard` and `merge`: a lint that several machines share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;

use crate::cli::args::{Command, LintArgs, MergeArgs};
use crate::cli::{Exit, Failure, Io, environments, fs};
use promgen_checks::lint::{LintPart, lint_part};
use promgen_compile::options::Options;
use promgen_compile::output::generated::record::digest;
use promgen_model::Project;
use promgen_text::diag::escape;
use promgen_text::source::Input;

/// Prints the findings of all machines.
pub(crate) fn run(args: &MergeArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let lint = ["promgen", "lint"]
        .map(OsString::from)
        .into_iter()
        .chain(args.lint.iter().cloned());
    let cli = crate::cli::parse(lint, io.terminal)?.0;
    let io = &mut io.with_terminal(cli.terminal(io.terminal));
    let Command::Lint(lint) = cli.command else {
        return Err(Failure::usage(
            "merge",
            ErrorKind::InvalidValue,
            "behind `--` stand the arguments of `lint`",
        ));
    };
    if lint.shard.is_some() || lint.rerun.watch {
        let text = "--shard and --watch are no options of a whole lint";
        return Err(Failure::usage("merge", ErrorKind::ArgumentConflict, text));
    }
    super::check(&lint)?;
    super::checked(&lint, Some(&args.parts), io)
}

/// Prints the findings of the environments that fall to this machine.
pub(super) fn write_part(
    args: &LintArgs,
    inputs: &[Input],
    options: &Options,
    io: &mut Io<'_>,
) -> Result<Exit, Failure> {
    let project = Project::read(inputs, options);
    let chosen = environments::numbers(&project, &args.environments)?;
    let is_ours = |number: usize| {
        let place = chosen.binary_search(&number);
        place.is_ok_and(|place| args.shard.is_none_or(|share| share.has(place)))
    };
    let part =
        lint_part(&project, &is_ours).to_json(&digest_of(inputs, options), project.sources());
    let part =
        part.map_err(|error| Failure::message(format!("cannot write the findings: {error}")))?;
    io.print(|out| writeln!(out, "{}", escape::json(&part)))?;
    Ok(Exit::Clean)
}

/// Reads the findings of all machines.
pub(super) fn read_parts(
    paths: &[PathBuf],
    args: &LintArgs,
    project: &Arc<Project>,
    inputs: &[Input],
) -> Result<LintPart, Failure> {
    let digest = digest_of(inputs, project.options());
    let read = |path: &PathBuf| {
        let text = fs::read_text(path, &fs::Workspace::of(paths).typed(path))?;
        LintPart::from_json(&text, &digest, project)
            .map_err(|why| format!("`{}` is {why}", path.display()))
    };
    let (parts, failures): (Vec<_>, Vec<_>) = paths.iter().map(read).partition(Result::is_ok);
    if !failures.is_empty() {
        return Err(Failure::Messages(
            failures.into_iter().filter_map(Result::err).collect(),
        ));
    }
    let part = LintPart::joined(parts.into_iter().flatten());
    let chosen = environments::numbers(project, &args.environments)?;
    if project.environments().len() > 1
        && let Some(missing) = chosen.into_iter().find(|number| !part.has(*number))
    {
        let names = promgen_model::environments::names(project.environments());
        return Err(Failure::message(format!(
            "no part has the environment {}",
            names[missing]
        )));
    }
    Ok(part)
}

/// The key that tells a lint from one of other files or with other options.
fn digest_of(inputs: &[Input], options: &Options) -> String {
    let mut text = format!("{} {options:?}\n", env!("CARGO_PKG_VERSION"));
    // A part that is being written to a file of the folder is empty.
    for input in inputs.iter().filter(|input| !input.bytes.is_empty()) {
        text.push_str(&format!(
            "{} {} {}\n",
            digest(&input.bytes),
            input.is_asset,
            input.name
        ));
    }
    digest(text.as_bytes())
}
