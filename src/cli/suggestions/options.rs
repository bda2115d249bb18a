//! Options that a command does not have.

use std::ffi::OsString;

use clap::{Arg, Command};

use crate::cli::suggestions::replacements;
use promgen_model::words;
use promgen_text::suggest;

/// An option as it was typed, among all arguments.
pub(super) struct TypedOption<'a> {
    /// The option.
    pub(super) name: &'a str,
    /// All arguments, the program first.
    pub(super) args: &'a [OsString],
}

/// Returns whether an argument is an option with which other tools take paths.
pub(super) fn is_of_paths(arg: &str) -> bool {
    replacements("paths", arg).next().is_some()
}

/// The command among the arguments.
pub(super) fn command_of<'c>(root: &'c Command, args: &[OsString]) -> Option<&'c Command> {
    args.iter()
        .skip(1)
        .filter_map(|arg| arg.to_str())
        .find_map(|arg| root.find_subcommand(arg))
}

/// The most likely meaning.
pub(super) fn tip(typed: &TypedOption<'_>, root: &Command) -> Option<String> {
    let name = typed.name.split('=').next().unwrap_or_default();
    let Some(command) = command_of(root, typed.args) else {
        return of_another(name.trim_start_matches('-'), root, root);
    };
    let own: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| arg.get_long().is_some())
        .collect();
    let has_paths = command.get_positionals().next().is_some();
    if has_paths && is_of_paths(name) {
        return Some(format!(
            "paths are arguments without an option: `{}`",
            without(typed.args, name)
        ));
    }
    if let Some(arg) = output(typed, name, &own).and_then(|meant| {
        own.iter()
            .find(|arg| arg.get_long().is_some_and(|long| meant.contains(&long)))
    }) {
        return Some(format!("{} is the option of that meaning", spelled(arg)));
    }
    let found = replacements("options", name)
        .flat_map(|meant| meant.split(' '))
        .find_map(|meant| own.iter().find(|arg| arg.get_long() == Some(meant)));
    if let Some(arg) = found {
        return Some(format!("{} is the option of that meaning", spelled(arg)));
    }
    if let Some(help) = replacements("words", name).next() {
        return Some(help.to_owned());
    }
    let word = name.trim_start_matches('-');
    near(word, &own)
        .or_else(|| of_another(word, command, root))
        .or_else(|| of_shards(word))
}

/// The meaning of an option for the output, if its value is no format: a file.
fn output(typed: &TypedOption<'_>, name: &str, own: &[&Arg]) -> Option<&'static [&'static str]> {
    let is_output = ["-o", "--output", "--out"].contains(&name);
    let at = typed.args.iter().position(|arg| {
        arg.to_str()
            .is_some_and(|arg| arg.split('=').next() == Some(name))
    })?;
    let typed_value = typed.args[at]
        .to_str()?
        .split_once('=')
        .map(|(_, value)| value.to_owned());
    let value = typed_value.or_else(|| typed.args.get(at + 1)?.to_str().map(str::to_owned))?;
    let formats = own
        .iter()
        .find(|arg| arg.get_long() == Some("format"))
        .map(|arg| arg.get_possible_values());
    let formats: Vec<String> = formats
        .iter()
        .flatten()
        .map(|format| format.get_name().to_owned())
        .collect();
    let is_format = value == "yaml"
        || formats
            .iter()
            .any(|format| suggest::is_like(&value, format));
    (is_output && !is_format).then_some(&["output", "report"])
}

/// An option that is spelled almost so, or that has the words among its own.
fn near(word: &str, own: &[&Arg]) -> Option<String> {
    let shown = || own.iter().filter(|arg| !arg.is_hide_set());
    if let Some(meant) = suggest::closest(word, shown().filter_map(|arg| arg.get_long())) {
        let arg = shown().find(|arg| arg.get_long() == Some(meant))?;
        return Some(format!("did you mean {}?", spelled(arg)));
    }
    let parts: Vec<&str> = word.split('-').filter(|part| part.len() > 2).collect();
    let has = |long: &str| {
        parts.iter().all(|part| {
            long.split('-')
                .any(|own| own == *part || own.trim_end_matches('s') == *part)
        })
    };
    let longer: Vec<String> = shown()
        .filter(|arg| !parts.is_empty() && arg.get_long().is_some_and(has))
        .map(|arg| spelled(arg))
        .collect();
    (1..=3)
        .contains(&longer.len())
        .then(|| format!("did you mean {}?", longer.join(" or ")))
}

/// The commands that have an option of that name.
fn of_another(word: &str, command: &Command, root: &Command) -> Option<String> {
    const MAX_COMMANDS: usize = 3;
    let has = |other: &&Command| {
        other
            .get_arguments()
            .any(|arg| arg.get_long() == Some(word) && !arg.is_hide_set())
    };
    let others = root
        .get_subcommands()
        .filter(|other| other.get_name() != command.get_name() && !other.is_hide_set());
    let names: Vec<String> = others
        .filter(has)
        .map(|other| format!("`promgen {}`", other.get_name()))
        .collect();
    (1..=MAX_COMMANDS)
        .contains(&names.len())
        .then(|| format!("`--{word}` is an option of {}", words::and(&names)))
}

/// The command that changes how many shards there are.
fn of_shards(word: &str) -> Option<String> {
    let is_count = matches!(word, "replicas" | "scale" | "to-shards" | "count");
    is_count
        .then(|| "`promgen simulate --shards N` says what another number of shards does".to_owned())
}

/// The option as one types it.
fn spelled(arg: &Arg) -> String {
    let long = arg.get_long().unwrap_or_default();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .map(|value| value.get_name().to_owned())
        .collect();
    match (arg.get_action().takes_values(), arg.get_value_names()) {
        (true, _) if (1..=8).contains(&values.len()) => {
            format!("`--{long}` ({})", values.join(", "))
        }
        (true, Some([name, ..])) => format!("`--{long} {name}`"),
        _ => format!("`--{long}`"),
    }
}

/// The arguments as they were typed, without one of them.
fn without(args: &[OsString], name: &str) -> String {
    let mut shown = vec!["promgen".to_owned()];
    for arg in args.iter().skip(1) {
        let text = arg.to_string_lossy();
        match text.strip_prefix(name) {
            Some("") => {}
            Some(rest) if rest.starts_with('=') => shown.push(rest[1..].to_owned()),
            Some(_) | None => shown.push(text.into_owned()),
        }
    }
    shown.join(" ")
}
