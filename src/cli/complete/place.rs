//! The end of a command line: which argument its last word is.

use std::path::{Path, PathBuf};

use clap::{Arg, Command};

use crate::cli::{args, fs};

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferedKind {
    /// The code or name of a rule.
    Rules,
    /// An environment.
    Environments,
    /// A namespace.
    Namespaces,
    /// A workload.
    Workloads,
    /// A resource or an alert, as `explain` takes it.
    Resources,
    /// An alert, as `route` takes it.
    Alerts,
    /// The source of the targets, as `which` takes it.
    Targets,
}

/// The word that is completed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CompletedWord {
    /// The kind of what is wanted.
    pub(super) wanted: OfferedKind,
    /// The part of it that is typed.
    pub(super) text: String,
    /// The text before it in the same word of the shell: the option, or other items of a list.
    pub(super) before: String,
    /// The namespace that the line gives.
    pub(super) namespace: Option<String>,
    /// The paths that the line gives.
    pub(super) paths: Vec<PathBuf>,
}

/// The words of a line behind its command, as far as they are read.
#[derive(Debug, Default)]
struct ReadLine<'w> {
    positionals: Vec<&'w str>,
    namespace: Option<&'w str>,
}

impl CompletedWord {
    /// The last one of a line, if there are names for it.
    pub(super) fn of(words: &[String]) -> Option<Self> {
        let (last, before) = words.split_last()?;
        let root = args::command();
        let at = before.iter().position(|word| !word.starts_with('-'))?;
        let command = root.find_subcommand(&before[at])?;
        // bash makes three words of `--environment=prod`.
        let is_sign = |word: &String| word == "=";
        let (last, own) = match (is_sign(last), before.split_last()) {
            (true, _) => ("", &before[at + 1..]),
            (false, Some((sign, rest))) if is_sign(sign) => (last.as_str(), rest.get(at + 1..)?),
            (false, _) => (last.as_str(), &before[at + 1..]),
        };
        let own: Vec<&str> = own
            .iter()
            .map(String::as_str)
            .filter(|word| *word != "=")
            .collect();
        let read = ReadLine::of(command, &own)?;
        let (wanted, before, text) = read.wanted(command, own.last().copied(), last)?;
        let first = usize::from(of_position(command.get_name()).is_some());
        let given = read.positionals.iter().skip(first).map(PathBuf::from);
        let paths = given
            .filter(|path| path != Path::new("-") && !fs::is_absent(path))
            .collect();
        let namespace = read.namespace.map(str::to_owned);
        Some(Self {
            wanted,
            text: text.to_owned(),
            before: before.to_owned(),
            namespace,
            paths,
        })
    }
}

impl<'w> ReadLine<'w> {
    /// Reads the words before the last one. `None` behind `--`.
    fn of(command: &Command, words: &[&'w str]) -> Option<Self> {
        let mut line = Self::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                return None;
            }
            let option = option(command, word);
            let value = match word.split_once('=') {
                Some((_, value)) if word.starts_with("--") => Some(value),
                _ if option.is_some_and(takes_value) => words.next(),
                _ => None,
            };
            match option {
                Some(option) if option.get_id() == "namespace" => line.namespace = value,
                Some(_) => {}
                None if word.starts_with('-') && word != "-" => {}
                None => line.positionals.push(word),
            }
        }
        Some(line)
    }

    /// The meaning of the last word, and where the text in it begins.
    fn wanted<'t>(
        &self,
        command: &Command,
        previous: Option<&str>,
        last: &'t str,
    ) -> Option<(OfferedKind, &'t str, &'t str)> {
        let of_previous = previous
            .filter(|word| !word.contains('='))
            .and_then(|word| option(command, word));
        let (arg, start) = match (of_previous.filter(|arg| takes_value(arg)), last.find('=')) {
            (Some(arg), _) => (arg, 0),
            (None, Some(sign)) if last.starts_with("--") => {
                (option(command, &last[..sign])?, sign + 1)
            }
            (None, _) if last.starts_with('-') || !self.positionals.is_empty() => return None,
            (None, _) => return Some((of_position(command.get_name())?, "", last)),
        };
        let wanted = of_option(arg.get_id().as_str())?;
        let is_list = arg.get_value_delimiter() == Some(',');
        let start = last
            .rfind(',')
            .filter(|_| is_list)
            .map_or(start, |comma| comma + 1);
        let (before, text) = last.split_at_checked(start)?;
        Some((wanted, before, text))
    }
}

/// The option that a word is.
fn option<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let is_it = |arg: &&Arg| {
        let is_long = arg
            .get_long()
            .is_some_and(|long| name.strip_prefix("--") == Some(long));
        is_long
            || arg
                .get_short()
                .is_some_and(|short| name.strip_prefix('-') == Some(short.to_string().as_str()))
    };
    command.get_arguments().find(is_it)
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// The meaning of the value of an option.
fn of_option(id: &str) -> Option<OfferedKind> {
    match id {
        "environment" => Some(OfferedKind::Environments),
        "namespace" => Some(OfferedKind::Namespaces),
        "workload" => Some(OfferedKind::Workloads),
        "select" | "ignore" => Some(OfferedKind::Rules),
        _ => None,
    }
}

/// The meaning of the first argument of a command, if it is no path.
fn of_position(command: &str) -> Option<OfferedKind> {
    match command {
        "explain" => Some(OfferedKind::Resources),
        "rule" => Some(OfferedKind::Rules),
        "route" => Some(OfferedKind::Alerts),
        "which" | "trace" => Some(OfferedKind::Targets),
        _ => None,
    }
}

/// The options with names, for shells that are told of each.
pub(crate) fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set() && of_option(arg.get_id().as_str()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(line: &[&str]) -> Option<(OfferedKind, String, String)> {
        let words: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
        CompletedWord::of(&words).map(|word| (word.wanted, word.before, word.text))
    }

    #[test]
    fn the_last_word_is_an_argument_of_the_command() {
        for (line, wanted, before, text) in [
            (&["explain", "serv"][..], OfferedKind::Resources, "", "serv"),
            (
                &["explain", "-n", "shop", ""],
                OfferedKind::Resources,
                "",
                "",
            ),
            (
                &["-q", "explain", "--format", "svg", "al"],
                OfferedKind::Resources,
                "",
                "al",
            ),
            (
                &["explain", "prometheus/k8s", "--environment", "pr"],
                OfferedKind::Environments,
                "",
                "pr",
            ),
            (
                &["lint", "--environment=pr"],
                OfferedKind::Environments,
                "--environment=",
                "pr",
            ),
            (
                &["lint", "--environment", "=", "pr"],
                OfferedKind::Environments,
                "",
                "pr",
            ),
            (
                &["lint", "--environment", "="],
                OfferedKind::Environments,
                "",
                "",
            ),
            (&["lint", "-n", "s"], OfferedKind::Namespaces, "", "s"),
            (
                &["lint", "--select", "PG201,PG"],
                OfferedKind::Rules,
                "PG201,",
                "PG",
            ),
            (&["rule", "PG2"], OfferedKind::Rules, "", "PG2"),
            (&["route", "al"], OfferedKind::Alerts, "", "al"),
            (&["which", "pod/"], OfferedKind::Targets, "", "pod/"),
            (
                &["config", "--workload", "p"],
                OfferedKind::Workloads,
                "",
                "p",
            ),
        ] {
            assert_eq!(
                word(line),
                Some((wanted, before.to_owned(), text.to_owned())),
                "{line:?}"
            );
        }
    }

    #[test]
    fn other_words_have_no_names() {
        for line in [
            &["exp"][..],
            &[],
            &["explain", "prometheus/k8s", "man"],
            &["explain", "--form"],
            &["explain", "--format", "s"],
            &["lint", "manif"],
            &["diff", "main", "--", "x"],
            &["nothing", "x"],
        ] {
            assert_eq!(word(line), None, "{line:?}");
        }
    }
}
