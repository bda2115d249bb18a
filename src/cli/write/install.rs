//! `promgen completions` and `promgen man`: what an installation of promgen consists of besides the program.

use std::io;
use std::path::Path;

use clap::Command;
use clap::error::ErrorKind;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::args::{self, CompletionsArgs, ManArgs};
use crate::cli::output::cannot_write;
use crate::cli::{Exit, Failure, Io, complete, fs, report};
use promgen_text::suggest;

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "promgen", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    print(with_offers(script, args.shell).as_bytes(), io)
}

/// The script of a shell, and what asks promgen for the names in a repository.
fn with_offers(script: String, shell: Shell) -> String {
    match shell {
        Shell::Bash => script + include_str!("install/offers.bash"),
        Shell::Fish => script + include_str!("install/offers.fish") + &options_of_fish(),
        // What is loaded first stays: the function of that name asks, and then the generated one.
        Shell::Zsh => {
            let script = script.replacen("\n_promgen() {\n", "\n_promgen_static() {\n", 1);
            let end = "if [ \"$funcstack[1]\"";
            script.replacen(
                end,
                &(include_str!("install/offers.zsh").to_owned() + end),
                1,
            )
        }
        _ => script,
    }
}

/// fish is told of each option whose values are names.
fn options_of_fish() -> String {
    let root = args::command();
    let mut text = String::new();
    for command in shown(&root) {
        for option in complete::options(command) {
            let (name, long) = (command.get_name(), option.get_long().unwrap_or_default());
            let short = option
                .get_short()
                .map_or_else(String::new, |short| format!(" -s {short}"));
            text += &format!(
                "complete -c promgen -n \"__fish_promgen_using_subcommand {name}\"{short} -l {long} -r -f -a '(__promgen_offers)'\n"
            );
        }
    }
    text
}

/// Prints one manual page, or writes all.
pub(crate) fn man(args: &ManArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    // `help` is not a command with a page.
    let mut all = args::command().disable_help_subcommand(true);
    all.build();
    if let Some(folder) = &args.output {
        return write_all(&all, folder, io);
    }
    let described = match &args.command {
        None => &all,
        Some(name) => all
            .find_subcommand(name)
            .ok_or_else(|| unknown(name, &all))?,
    };
    let (_, page) = page(described)
        .map_err(|error| Failure::message(format!("cannot print the page: {error}")))?;
    print(&page, io)
}

fn print(text: &[u8], io: &mut Io<'_>) -> Result<Exit, Failure> {
    io.print(|out| out.write_all(text))?;
    Ok(Exit::Clean)
}

fn unknown(name: &str, all: &Command) -> Failure {
    let known: Vec<_> = shown(all).map(Command::get_name).collect();
    let meant = suggest::closest(name, known.iter().copied())
        .map(|meant| format!("; did you mean `{meant}`?"));
    let meant = meant.unwrap_or_else(|| format!("; expected one of: {}", known.join(", ")));
    let text = format!("unknown command `{name}`{meant}");
    Failure::usage("man", ErrorKind::InvalidValue, &text)
}

/// The commands that have a page: earlier names have none.
fn shown(all: &Command) -> impl Iterator<Item = &Command> {
    all.get_subcommands()
        .filter(|command| !command.is_hide_set())
}

fn write_all(all: &Command, folder: &Path, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let pages = std::iter::once(all)
        .chain(shown(all))
        .map(page)
        .collect::<io::Result<Vec<_>>>();
    let n_pages = pages
        .and_then(|pages| fs::write_into(folder, &pages).map(|()| pages.len()))
        .map_err(|error| cannot_write(folder, &error))?;
    report::written(n_pages, "page", folder, io);
    Ok(Exit::Clean)
}

/// The name of the page's file, and its text.
fn page(command: &Command) -> io::Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone());
    let mut text = Vec::new();
    man.render(&mut text)?;
    Ok((man.get_filename(), text))
}
