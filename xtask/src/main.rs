//! `cargo xtask`: what maintainers run and users do not. CONTRIBUTING.md says when.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a program for maintainers, which reads and writes files"
)]

mod arguments;
mod charts;
mod corpus;
mod dist;
mod exporters;
mod facts;
mod files;
mod mutants;
mod record;
mod renew;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask arguments PROGRAM@RELEASE...
       cargo xtask charts CHECKOUT
       cargo xtask corpus
       cargo xtask dist [--stand-ins] [--out FOLDER] TARGET=PROGRAM...
       cargo xtask exporters NAME@RELEASE...
       cargo xtask facts [--crds FOLDER] [RELEASE...]
       cargo xtask keep INPUT NAME
       cargo xtask record RELEASE...
       cargo xtask renew [CHECKOUT]
       cargo xtask mutants RELEASE [--count N] [--seed N]";

/// What a command ends in; the text says why it failed.
type Outcome = Result<(), String>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args.as_slice() {
        ["arguments", releases @ ..] if !releases.is_empty() => arguments::command(releases),
        ["charts", checkout] => charts::command(checkout),
        ["corpus"] => corpus::command(&files::root().join("target/corpus").to_string_lossy(), true),
        ["dist", arguments @ ..] => dist::command(arguments),
        ["exporters", releases @ ..] if !releases.is_empty() => exporters::command(releases),
        ["facts", arguments @ ..] => facts::command(arguments),
        ["keep", input, name] => record::keep(input, name),
        ["record", releases @ ..] if !releases.is_empty() => record::command(releases),
        ["renew"] => renew::command(None),
        ["renew", checkout] => renew::command(Some(checkout)),
        ["mutants", release, options @ ..] => mutants::command(release, options),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}
