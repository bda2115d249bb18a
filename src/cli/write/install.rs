//! `promgen completions` and `promgen man`: what an installation of promgen consists of besides the program.

use std::io;
use std::path::Path;

use clap::Command;
use clap::error::ErrorKind;
use clap_mangen::Man;

use crate::cli::args::{self, CompletionsArgs, ManArgs};
use crate::cli::{Exit, Failure, Io, fs, report};
use promgen_text::suggest;

/// Prints the completion script of a shell.
pub(in crate::cli) fn completions(args: &CompletionsArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "promgen", &mut script);
    print(&script, io)
}

/// Prints one manual page, or writes all.
pub(in crate::cli) fn man(args: &ManArgs, io: &mut Io<'_>) -> Result<Exit, Failure> {
    // `help` is not a command with a page.
    let mut all = args::command().disable_help_subcommand(true);
    all.build();
    if let Some(folder) = &args.output {
        return write_all(&all, folder, io);
    }
    let described = match &args.command {
        None => &all,
        Some(name) => all.find_subcommand(name).ok_or_else(|| unknown(name, &all))?,
    };
    let (_, page) = page(described).map_err(|error| Failure::message(format!("cannot print the page: {error}")))?;
    print(&page, io)
}

fn print(text: &[u8], io: &mut Io<'_>) -> Result<Exit, Failure> {
    io.print(|out| out.write_all(text))
        .map_err(|error| Failure::message(format!("cannot write standard output: {error}")))?;
    Ok(Exit::Clean)
}

fn unknown(name: &str, all: &Command) -> Failure {
    let known: Vec<_> = shown(all).map(Command::get_name).collect();
    let meant = suggest::closest(name, known.iter().copied()).map(|meant| format!("; did you mean `{meant}`?"));
    let meant = meant.unwrap_or_else(|| format!("; expected one of: {}", known.join(", ")));
    let text = format!("unknown command `{name}`{meant}");
    Failure::usage("man", ErrorKind::InvalidValue, &text)
}

/// The commands that have a page: earlier names have none.
fn shown(all: &Command) -> impl Iterator<Item = &Command> {
    all.get_subcommands().filter(|command| !command.is_hide_set())
}

fn write_all(all: &Command, folder: &Path, io: &mut Io<'_>) -> Result<Exit, Failure> {
    let pages = std::iter::once(all).chain(shown(all)).map(page).collect::<io::Result<Vec<_>>>();
    let n_pages = pages
        .and_then(|pages| fs::write_into(folder, &pages).map(|()| pages.len()))
        .map_err(|error| Failure::message(format!("cannot write `{}`: {error}", folder.display())))?;
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
