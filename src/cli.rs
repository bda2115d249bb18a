//! The command line around the library.
//!
//! In: arguments, and an [`Io`] with the three streams and the terminal. Out: the output of the commands, and an [`Exit`].
//! `args` parses the command line, a command turns it into library calls, and only `fs` accesses the disk. The library
//! makes all decisions about Prometheus.

pub mod ask;
pub mod check;
pub mod pipe;
pub mod reference;
pub mod write;

mod args;
mod charts;
mod complete;
mod configured;
mod environments;
mod fs;
mod io;
mod json;
mod lsp;
mod map;
mod output;
mod paint;
mod pick;
mod progress;
mod report;
mod spare;
mod statuses;
mod suggestions;
mod table;
mod times;
mod watch;

use crate::cli::ask::{diff, explain, overview, prove, route, shards, simulate, which};
use crate::cli::check::{lint, test};
use crate::cli::pipe::{krm, post_render};
use crate::cli::write::{build, config, install, page, rbac, render, schema, status};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches, Id};

use crate::cli::args::{Cli, Command, CompileArgs};
pub use crate::cli::io::{Io, Terminal, Verbosity};
use promgen_compile::options::Options;
use promgen_compile::output::Layout;
use promgen_model::Project;
use promgen_resources::gates::Target;
use promgen_resources::release;
use promgen_text::source::Input;
use promgen_text::version::Version;

/// The end of a run: of several, the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// No findings above warning, or above what `lint --fail-on` allows: 0.
    Clean,
    /// Errors among the findings: 1. promgen still prints what compiled.
    Findings,
    /// The arguments are invalid, or reading or writing failed: 2.
    Failure,
}

impl Exit {
    /// The exit code of the process.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Failure => 2,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Invalid arguments; clap prints the message, with the usage.
    Usage(clap::Error),
    /// A file or stream failed, or something that the arguments name does not exist. One message each.
    Messages(Vec<String>),
}

impl Failure {
    fn message(text: impl Into<String>) -> Self {
        Self::Messages(vec![text.into()])
    }

    /// Arguments that clap accepts, but that are invalid for that command.
    fn usage(command: &'static str, kind: ErrorKind, text: &str) -> Self {
        let mut cli = args::command();
        cli.build();
        let command = cli
            .find_subcommand_mut(command)
            .expect("only existing commands get here");
        Self::Usage(command.error(kind, text))
    }
}

/// The project of what the arguments of a command name, with the options that the command makes of theirs.
fn read_project(
    args: &CompileArgs,
    io: &mut Io<'_>,
    options_of: impl FnOnce(Options, &mut Io<'_>) -> Result<Options, Failure>,
) -> Result<Arc<Project>, Failure> {
    let (manifests, templates) = load(args, &|_| false, io)?;
    let options = options_of(args.options(Layout::Operator, templates), io)?;
    let options = charts::rendered(options, &manifests.inputs, args, io)?;
    Ok(Project::read(&manifests.inputs, &options))
}

/// The manifests and templates that the arguments of a command name, without the paths that are excluded; without a path, those
/// of the current folder.
fn load(
    args: &CompileArgs,
    excludes: &dyn Fn(&Path) -> bool,
    io: &mut Io<'_>,
) -> Result<(fs::ReadManifests, Vec<Input>), Failure> {
    load_again(&fs::ReadManifests::default(), args, excludes, io)
}

/// The same, when some of it was read before.
fn load_again(
    earlier: &fs::ReadManifests,
    args: &CompileArgs,
    excludes: &dyn Fn(&Path) -> bool,
    io: &mut Io<'_>,
) -> Result<(fs::ReadManifests, Vec<Input>), Failure> {
    let paths = fs::or_current(&args.paths);
    let templates = read_templates(args);
    let inputs = times::timed("reading", io, |io| {
        fs::read_again(
            earlier,
            paths,
            excludes,
            fs::Folders::Built,
            fs::IgnoredPaths::of(args.no_ignore),
            args.limits.limits(),
            io.stdin,
        )
    });
    match (inputs, templates) {
        (Ok(inputs), Ok(templates)) => {
            report::read(&inputs.inputs, io);
            Ok((inputs, templates))
        }
        (inputs, templates) => Err(Failure::Messages(
            [inputs.err(), templates.err()]
                .into_iter()
                .flatten()
                .flatten()
                .collect(),
        )),
    }
}

/// The templates that the arguments of a command name.
fn read_templates(args: &CompileArgs) -> Result<Vec<Input>, Vec<String>> {
    let workspace = fs::Workspace::of(&args.paths);
    args.templates.as_deref().map_or(Ok(Vec::new()), |folder| {
        fs::read_templates(folder, &workspace)
    })
}

/// Runs with this process' arguments and streams.
#[must_use]
pub fn main() -> ExitCode {
    let terminal = Terminal::detect();
    if !terminal.stderr_redraws {
        join_pool();
    }
    fs::remove_on_signals();
    let args: Vec<OsString> = std::env::args_os().collect();
    let waiting = progress::Waiting::start(
        terminal.stderr_redraws && !args.iter().any(|arg| forbids_waiting(arg)),
    );
    let (mut stdin, mut stdout, mut stderr) = (
        std::io::stdin(),
        waiting.before(std::io::stdout()),
        waiting.before(std::io::stderr()),
    );
    let exit = run(
        args,
        &mut Io {
            stdin: &mut stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            terminal,
        },
    );
    waiting.stop();
    leave(exit)
}

/// Ends the process. The system takes its memory back at once, which the allocator would hand back in pieces.
fn leave(exit: Exit) -> ExitCode {
    #[cfg(unix)]
    if std::io::stdout().flush().is_ok() {
        signal_hook::low_level::exit(exit.code().into());
    }
    exit.into()
}

/// Makes this thread one of those that share the work: a small run ends before it could have handed anything over. Not if a
/// progress bar is drawn, which this thread does while others work.
fn join_pool() {
    // Without it, the first work that is shared starts a pool.
    let _ = rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global();
}

/// Returns whether nothing is drawn while the run says nothing: the user does not want it, or types the input.
fn forbids_waiting(arg: &OsStr) -> bool {
    let words = [
        "-",
        "-q",
        "--quiet",
        "--no-progress",
        "krm",
        "post-render",
        "lsp",
    ];
    words.iter().any(|word| arg == *word)
}

/// The phase that is the whole run.
const RUN: &str = "the run";

/// Runs one command. The first argument is the name of the program.
pub fn run<A: Into<OsString> + Clone>(args: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> Exit {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    // No command for people: no help and no script lists it.
    if args.get(1).is_some_and(|first| first == complete::COMMAND) {
        return complete::run(&args[2..], io);
    }
    let mut hints = Vec::new();
    let result = parse(args, io.terminal).and_then(|(cli, matches)| {
        let io = &mut io.with_terminal(cli.terminal(io.terminal));
        let result = times::timed(RUN, io, |io| dispatch(&cli, io));
        if matches!(result, Err(Failure::Messages(_)))
            && let Some((name, matches)) = matches.subcommand()
        {
            hints = suggestions::hints(name, matches);
        }
        result
    });
    match result {
        Ok(exit) => exit,
        Err(Failure::Usage(error)) => report::usage(&error, io),
        Err(Failure::Messages(messages)) => {
            report::failures(&messages, io);
            hints.iter().for_each(|hint| report::help(hint, io));
            Exit::Failure
        }
    }
}

fn dispatch(cli: &Cli, io: &mut Io<'_>) -> Result<Exit, Failure> {
    match &cli.command {
        Command::Render(args) => render::run(args, io),
        Command::Build(args) => build::run(args, io),
        Command::Lint(args) => lint::run(args, io),
        Command::Merge(args) => lint::merge::run(args, io),
        Command::Config(args) | Command::Rules(args) => config::run(args, io),
        Command::Status(args) | Command::Health(args) => status::run(args, io),
        Command::Rule(args) => explain::rule(args, io),
        Command::Overview(args) => overview::run(args, io),
        Command::Rbac(args) => rbac::run(args, io),
        Command::Shards(args) => shards::run(args, io),
        Command::Prove(args) => prove::run(args, io),
        Command::Simulate(args) => simulate::run(args, io),
        Command::Route(args) => route::run(args, io),
        Command::Diff(args) => diff::run(args, io),
        Command::Upgrade(args) => diff::upgrade::run(args, io),
        Command::Which(args) | Command::Trace(args) => which::run(args, io),
        Command::Test(args) => test::run(args, io),
        Command::Schema(args) => schema::run(args, io),
        Command::Report(args) => page::run(args, io),
        Command::Explain(args) => explain::run(args, io),
        Command::Lsp(args) => lsp::run(args),
        Command::Krm => krm::run(io),
        Command::PostRender(args) => post_render::run(args, io),
        Command::Completions(args) => install::completions(args, io),
        Command::Man(args) => install::man(args, io),
    }
}

fn parse<A: Into<OsString> + Clone>(
    args: impl IntoIterator<Item = A>,
    terminal: Terminal,
) -> Result<(Cli, ArgMatches), Failure> {
    let mut args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let is_plugin = args.first().is_some_and(|program| is_plugin(program));
    let named = |command: clap::Command| match is_plugin {
        true => command
            .bin_name(AS_PLUGIN)
            .override_usage(args::usage(AS_PLUGIN)),
        false => command,
    };
    let mut command = named(Cli::command());
    // A path without a command asks for an overview.
    if first_word(&args, &command).is_some_and(|word| is_path(word, &command)) {
        args.insert(1, OVERVIEW.into());
    }
    let matches = command.try_get_matches_from_mut(args.clone());
    // What only a help has takes as long to make as all options.
    let matches = matches.or_else(|_| {
        let width = terminal.width.min(args::MAX_HELP_WIDTH);
        command = named(args::command().term_width(width));
        command.try_get_matches_from_mut(args.clone())
    });
    let matches = matches
        .map_err(|error| Failure::Usage(suggestions::explained(error, &mut command, &args)))?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(Failure::Usage)?;
    let typed = matches
        .subcommand()
        .map(|(_, matches)| typed(matches))
        .unwrap_or_default();
    if let Some((name, matches)) = matches.subcommand() {
        check_gates(matches).map_err(|why| usage(&mut command, name, &why))?;
    }
    match &mut cli.command {
        Command::Explain(args) => args.compile.typed = typed,
        Command::Trace(args) => {
            args.trace = true;
            args.compile.typed = typed;
        }
        Command::Which(args) => args.compile.typed = typed,
        Command::Health(args) => args.health = true,
        Command::Rules(args) => args.rules = true,
        _ => {}
    }
    Ok((cli, matches))
}

/// The command of a run that names none.
const OVERVIEW: &str = "overview";

/// The first argument that is neither an option of an overview nor the value of one.
fn first_word<'a>(args: &'a [OsString], command: &clap::Command) -> Option<&'a OsStr> {
    let overview = command.find_subcommand(OVERVIEW)?;
    let takes_value = |word: &OsStr| {
        let mut known = command.get_arguments().chain(overview.get_arguments());
        known.any(|known| {
            let names = [
                known.get_long().map(|long| format!("--{long}")),
                known.get_short().map(|short| format!("-{short}")),
            ];
            known.get_action().takes_values() && names.iter().flatten().any(|name| word == &**name)
        })
    };
    let mut words = args.iter().skip(1).map(OsString::as_os_str);
    loop {
        let word = words.next()?;
        if word == "-" || !word.as_encoded_bytes().starts_with(b"-") {
            return Some(word);
        }
        if takes_value(word) {
            words.next();
        }
    }
}

/// Returns whether an argument is a path, and no command.
fn is_path(arg: &OsStr, command: &clap::Command) -> bool {
    let is_command = arg
        .to_str()
        .is_some_and(|arg| arg == "help" || command.find_subcommand(arg).is_some());
    !is_command && (arg == "-" || !fs::is_absent(Path::new(arg)))
}

/// Checks that the release of the operator knows the feature gates that are given.
fn check_gates(matches: &ArgMatches) -> Result<(), String> {
    let Ok(Some(operator)) = matches.try_get_one::<Version>("operator_version") else {
        return Ok(());
    };
    let Ok(Some(gates)) = matches.try_get_many::<(String, bool)>("feature_gates") else {
        return Ok(());
    };
    let features = gates.cloned().collect();
    let target = Target {
        operator: Some(operator.clone()),
        features,
        ..Target::default()
    };
    match target.unknown_features().next() {
        None => Ok(()),
        Some(name) => Err(format!(
            "feature gate {name:?} is unknown: operator {} does not have it",
            release::tag(operator)
        )),
    }
}

/// Arguments of a command that contradict one another.
fn usage(cli: &mut clap::Command, command: &str, why: &str) -> Failure {
    cli.build();
    let command = cli
        .find_subcommand_mut(command)
        .expect("only existing commands get here");
    Failure::Usage(command.error(ErrorKind::InvalidValue, why))
}

/// The name of promgen as a plugin of kubectl.
const AS_PLUGIN: &str = "kubectl promgen";

/// Returns whether kubectl starts the program: krew installs it under this name.
fn is_plugin(program: &OsStr) -> bool {
    Path::new(program).file_stem() == Some(OsStr::new("kubectl-promgen"))
}

/// The arguments given on the command line.
fn typed(matches: &ArgMatches) -> Vec<String> {
    let is_typed = |id: &&Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
    matches
        .ids()
        .filter(is_typed)
        .map(ToString::to_string)
        .collect()
}
