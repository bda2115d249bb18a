//! The meaning of arguments that are refused: an option of another tool, a command of another name, a path that does not exist.
//!
//! In: the error of clap, or the paths of a run that failed. Out: the error with a tip that helps, or lines of help.

mod options;
mod paths;

use std::ffi::OsString;
use std::path::Path;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use options::TypedOption;
pub(super) use paths::{about_topic, hints};
use promgen_answers::explain::ResourceQuery;
use promgen_checks::rules;
use promgen_text::suggest;

/// What others call things, and what promgen has. It explains itself.
static TABLE: &str = include_str!("suggestions/words.txt");

/// What promgen has in the place of a word, by a section of the table.
fn replacements(section: &str, word: &str) -> impl Iterator<Item = &'static str> {
    let sections = TABLE
        .split("\n[")
        .filter_map(|part| part.split_once("]\n"))
        .filter(move |(head, _)| *head == section);
    sections
        .flat_map(|(_, rows)| rows.lines())
        .filter_map(|row| row.split_once(" = "))
        .filter(move |(words, _)| words.split(' ').any(|known| known == word))
        .map(|(_, meant)| meant)
}

/// The error of clap with what is meant, for what users type most often.
pub(super) fn explained(
    mut error: clap::Error,
    root: &mut Command,
    args: &[OsString],
) -> clap::Error {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    root.build();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(name) = text(ContextKind::InvalidArg) else {
                return error;
            };
            let tip = options::tip(&TypedOption { name: &name, args }, root);
            // Users do not type the name of a hidden one.
            let usage = options::command_of(root, args).map(|command| {
                let shown = if command.is_hide_set() {
                    &*root
                } else {
                    command
                };
                shown.clone().render_usage()
            });
            [ContextKind::SuggestedArg, ContextKind::Suggested]
                .into_iter()
                .for_each(|kind| drop(error.remove(kind)));
            if let Some(usage) = usage {
                error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
            }
            with_tip(error, tip)
        }
        ErrorKind::InvalidSubcommand => {
            let Some(name) = text(ContextKind::InvalidSubcommand) else {
                return error;
            };
            drop(error.remove(ContextKind::SuggestedSubcommand));
            drop(error.remove(ContextKind::Suggested));
            let tip = of_command(&name, args, root);
            with_tip(error, tip)
        }
        ErrorKind::ValueValidation if swapped(args).is_some() => with_tip(error, swapped(args)),
        // The words of the standard library are about its types.
        ErrorKind::ValueValidation if is_no_number(&error) => {
            let [arg, value] = [ContextKind::InvalidArg, ContextKind::InvalidValue]
                .map(|kind| text(kind).unwrap_or_default());
            let message = format!(
                "invalid value '{value}' for '{arg}': expected a whole number, from 0 on\n"
            );
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(root)
        }
        _ => error,
    }
}

/// The tip about a resource that stands behind a path.
fn swapped(args: &[OsString]) -> Option<String> {
    let args: Vec<&str> = args.iter().skip(1).filter_map(|arg| arg.to_str()).collect();
    let ["explain", path, rest @ ..] = args.as_slice() else {
        return None;
    };
    let is_resource = |arg: &&&str| arg.contains('/') && ResourceQuery::parse(arg).is_ok();
    let resource = rest
        .iter()
        .find(is_resource)
        .filter(|_| paths::about_topic(path).is_some())?;
    let rest: String = rest
        .iter()
        .filter(|arg| *arg != resource)
        .map(|arg| format!(" {arg}"))
        .collect();
    Some(format!(
        "the resource stands before the path: `promgen explain {resource} {path}{rest}`"
    ))
}

fn is_no_number(error: &clap::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::num::ParseIntError>())
}

fn with_tip(mut error: clap::Error, tip: Option<String>) -> clap::Error {
    if let Some(tip) = tip {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![StyledStr::from(tip)]),
        );
    }
    error
}

/// The tip about a command that there is not.
fn of_command(name: &str, args: &[OsString], root: &Command) -> Option<String> {
    if rules::find(name).is_some() {
        return Some(format!("`promgen rule {name}` explains the rule"));
    }
    if ResourceQuery::parse(name).is_ok() {
        return Some(format!("`promgen explain {name}` explains the resource"));
    }
    if let Some(help) =
        paths::of_missing(Path::new(name)).filter(|_| name.contains(['/', '.', '*']))
    {
        return Some(help);
    }
    let word = name.to_ascii_lowercase();
    let rest = args
        .iter()
        .skip_while(|arg| *arg != name)
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned());
    let rest: Vec<String> = rest.filter(|arg| !options::is_of_paths(arg)).collect();
    if replacements("questions", &word).next().is_some() {
        return Some(of_question(&rest));
    }
    let meant = replacements("commands", &word).next().or_else(|| {
        let names: Vec<&str> = root
            .get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(Command::get_name)
            .collect();
        let exact = names.iter().copied().find(|name| *name == word);
        exact.or_else(|| suggest::closest(&word, names.iter().copied()))
    });
    meant.map(|meant| format!("`promgen {meant}{}` does that", joined(&rest)))
}

/// Arguments, each behind a blank.
fn joined(args: &[String]) -> String {
    args.iter().map(|arg| format!(" {arg}")).collect()
}

/// The tip about a command that asks for a resource as kubectl does: `get smon cart -n shop`.
fn of_question(args: &[String]) -> String {
    let is_kind = |word: &str| ResourceQuery::parse(&format!("{word}/name")).is_ok();
    match args {
        [resource, rest @ ..]
            if resource.contains('/') && ResourceQuery::parse(resource).is_ok() =>
        {
            format!("`promgen explain {resource}{}` does that", joined(rest))
        }
        [kind, name, rest @ ..] if is_kind(kind) && ResourceQuery::of_any_kind(name).is_some() => {
            format!("`promgen explain {kind}/{name}{}` does that", joined(rest))
        }
        [kind, ..] if is_kind(kind) => {
            format!(
                "`promgen .` prints what there is, `promgen explain {kind}/NAME` explains one of them"
            )
        }
        _ => "`promgen .` prints what there is, `promgen explain KIND/NAME` explains a resource"
            .to_owned(),
    }
}
