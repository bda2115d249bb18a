//! The reference of all options, from the definition of the command line: `docs/options.md`.
//!
//! Options that most commands share come once, in a table of their own.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::args::{self, Cli};

/// The number of commands from which an option is a common one.
const COMMON: usize = 8;

/// The names of all commands, in the order of `--help`.
#[must_use]
pub fn commands() -> Vec<String> {
    args::names().map(str::to_owned).collect()
}

/// The page of all options.
#[must_use]
pub fn options() -> String {
    let all = definition();
    let commands: Vec<_> = args::names()
        .filter_map(|name| all.find_subcommand(name))
        .collect();
    let own: Vec<&Arg> = commands.iter().copied().flat_map(shown).collect();
    let is_common = |arg: &Arg| own.iter().filter(|other| is_same(arg, other)).count() >= COMMON;
    let mut page = String::from(
        "# Options\n\nEvery command with its arguments and options. `promgen COMMAND --help` prints the same, with \
         examples. The definition of the command line generates this page.\n\n\
         An option that most commands share is in the table of [common options](#common-options).\n",
    );
    for command in commands {
        section(command, &is_common, &mut page);
    }
    let mut common: Vec<&Arg> = Vec::new();
    for arg in own.iter().copied().filter(|arg| is_common(arg)) {
        if !common.iter().any(|other| is_same(arg, other)) {
            common.push(arg);
        }
    }
    let _ = write!(page, "\n## Common options\n");
    table(&common, &mut page);
    page
}

/// The definition of the command line: each command has the options that all commands inherit.
#[must_use]
pub fn definition() -> Command {
    let mut all = Cli::command().disable_help_subcommand(true);
    all.build();
    all
}

/// The options of a command that its help shows. `--help` is the same everywhere.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str()))
}

fn is_same(one: &Arg, other: &Arg) -> bool {
    one.get_id() == other.get_id() && meaning(one) == meaning(other)
}

fn section(command: &Command, is_common: &dyn Fn(&Arg) -> bool, page: &mut String) {
    let name = command.get_name();
    let about = command
        .get_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let own: Vec<_> = shown(command).filter(|arg| !is_common(arg)).collect();
    let _ = write!(
        page,
        "\n## promgen {name}\n\n{about}. See [the page of the command](commands/{name}.md).\n"
    );
    if !own.is_empty() {
        table(&own, page);
    }
    if shown(command).any(|arg| is_common(arg) && !arg.is_global_set()) {
        let _ = write!(page, "\nAlso: the [common options](#common-options).\n");
    }
}

/// The options by the headings of the help; those without a heading come first.
fn table(args: &[&Arg], page: &mut String) {
    let mut headings: Vec<Option<&str>> = vec![None];
    for heading in args.iter().map(|arg| arg.get_help_heading()) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let mut below = args
            .iter()
            .filter(|arg| arg.get_help_heading() == heading)
            .peekable();
        if below.peek().is_none() {
            continue;
        }
        if let Some(heading) = heading {
            let _ = write!(page, "\n{heading}:\n");
        }
        let _ = write!(page, "\n| option | meaning |\n|---|---|\n");
        for arg in below {
            let _ = writeln!(page, "| {} | {} |", spelling(arg), cell(&meaning(arg)));
        }
    }
}

/// The option as one types it.
fn spelling(arg: &Arg) -> String {
    let values: Vec<_> = arg
        .get_value_names()
        .unwrap_or_default()
        .iter()
        .map(|name| cell(name))
        .collect();
    let value = if arg.get_action().takes_values() {
        values.join(" ")
    } else {
        String::new()
    };
    let short = arg
        .get_short()
        .map(|letter| format!("`-{letter}`, "))
        .unwrap_or_default();
    match arg.get_long() {
        Some(long) if value.is_empty() => format!("{short}`--{long}`"),
        Some(long) => format!("{short}`--{long} {value}`"),
        None => format!("`{value}`"),
    }
}

fn help(arg: &Arg) -> String {
    arg.get_long_help()
        .or_else(|| arg.get_help())
        .map(ToString::to_string)
        .unwrap_or_default()
}

/// The meaning of an option, with its values, its default and its environment variable.
fn meaning(arg: &Arg) -> String {
    let help = help(arg);
    // Where clap cannot know the default, the help has it.
    let (help, told) = match help.split_once(" [default: ") {
        Some((before, rest)) => (before.to_owned(), rest.strip_suffix(']').map(str::to_owned)),
        None => (help, None),
    };
    let mut text = help;
    let values = arg.get_possible_values();
    let names: Vec<_> = values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if arg.get_action().takes_values() && !names.is_empty() {
        let _ = write!(text, ". One of: {}", names.join(", "));
    }
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if arg.get_action().takes_values() && !defaults.is_empty() && !arg.is_hide_default_value_set() {
        let _ = write!(text, ". Default: {}", defaults.join(", "));
    }
    if let Some(told) = told {
        let _ = write!(text, ". Default: {told}");
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(
            text,
            ". Environment variable: `{}`",
            variable.to_string_lossy()
        );
    }
    text
}

/// A text in a cell of a table. In code, `<` is itself.
fn cell(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let shown: Vec<_> = parts
        .map(|(i, part)| {
            if i % 2 == 1 {
                part.to_owned()
            } else {
                part.replace('<', "&lt;")
            }
        })
        .collect();
    shown.join("`").replace('|', "\\|").replace('\n', " ")
}
