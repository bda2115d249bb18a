//! Paths that do not exist.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};

use crate::cli::args::{self, WorkloadName};
use crate::cli::fs;
use promgen_answers::explain::ResourceQuery;
use promgen_checks::rules;
use promgen_text::suggest;
use promgen_text::version::Version;

/// The lines of help about the paths of a run that failed.
pub(crate) fn hints(name: &str, matches: &ArgMatches) -> Vec<String> {
    let ids = matches
        .ids()
        .map(clap::Id::as_str)
        .filter(|id| *id != "output");
    let paths = ids
        .filter_map(|id| matches.try_get_many::<PathBuf>(id).ok().flatten())
        .flatten();
    // What the arguments have does not say which the command takes.
    let command = args::command();
    let has_workload = command.find_subcommand(name).is_some_and(|command| {
        command
            .get_arguments()
            .any(|arg| arg.get_id().as_str() == "workload")
    });
    if let Some(help) = of_labels(name, matches) {
        return vec![help];
    }
    let missing = paths.filter(|path| *path != Path::new("-") && fs::is_absent(path));
    let of_workload = |path: &Path| of_workload(name, path).filter(|_| has_workload);
    let is_kind = |path: &Path| {
        path.to_str()
            .is_some_and(|text| WorkloadName::parse(text).is_ok())
    };
    let help = |path: &PathBuf| {
        of_word(name, path, &command).or_else(|| match is_kind(path) {
            true => of_workload(path).or_else(|| of_missing(path)),
            false => of_missing(path).or_else(|| of_workload(path)),
        })
    };
    missing.filter_map(help).collect()
}

/// The meaning of a path that does not exist, if it is a command, or the release of an upgrade.
fn of_word(name: &str, path: &Path, root: &Command) -> Option<String> {
    let text = path.to_str()?;
    if root.find_subcommand(text).is_some() {
        return Some(format!(
            "`{text}` is a command, which stands before the paths: `promgen {text} .`"
        ));
    }
    (name == "upgrade" && Version::parse(text).is_some())
        .then(|| format!("`promgen upgrade --to {text}` asks about that release"))
}

/// The meaning of labels of an alert that are separated by blanks.
fn of_labels(command: &str, matches: &ArgMatches) -> Option<String> {
    let labels = matches.try_get_one::<String>("labels").ok().flatten()?;
    let paths: Vec<&PathBuf> = matches.try_get_many("paths").ok().flatten()?.collect();
    let is_label = |path: &&PathBuf| {
        fs::is_absent(path) && path.to_str().is_some_and(|text| text.contains('='))
    };
    let (more, rest): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.into_iter().partition(is_label);
    let joined = |paths: &[&PathBuf], before: char| {
        paths
            .iter()
            .map(|path| format!("{before}{}", path.display()))
            .collect::<String>()
    };
    let (more, rest) = (joined(&more, ','), joined(&rest, ' '));
    (!more.is_empty()).then(|| {
        format!("labels are separated by commas: `promgen {command} {labels}{more}{rest}`")
    })
}

/// The meaning of a path that does not exist.
pub(super) fn of_missing(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if text.contains("://") {
        return Some(format!(
            "`{text}` is a URL, and promgen uses no network: `curl -sSf {text} | promgen … -` passes it on"
        ));
    }
    if text.contains(['*', '?', '[', '{']) {
        return Some(format!(
            "the shell did not expand the pattern `{text}`: leave out the quotes, or name the folder"
        ));
    }
    if text.contains(',') {
        return Some("paths are separated by blanks, not by commas".to_owned());
    }
    if ResourceQuery::parse(text).is_ok() && text.contains('/') {
        return Some(format!(
            "a path belongs here; `{text}` looks like a resource: `promgen explain {text}`"
        ));
    }
    if rules::find(text).is_some() {
        return Some(format!(
            "a path belongs here; `promgen rule {text}` explains the rule"
        ));
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let wanted = path.file_name()?.to_str()?;
    let names = fs::names_in(folder);
    let stem = |name: &str| Path::new(name).file_stem().map(std::ffi::OsStr::to_owned);
    let same_stem = names
        .iter()
        .find(|name| stem(name) == stem(wanted))
        .map(String::as_str);
    let near = same_stem.or_else(|| suggest::closest(wanted, names.iter().map(String::as_str)))?;
    Some(format!("did you mean `{}`?", folder.join(near).display()))
}

/// The help about a path that may be the name of a workload.
fn of_workload(command: &str, path: &Path) -> Option<String> {
    let text = path.to_str()?;
    if text.parse::<u32>().is_ok() {
        return Some(format!(
            "`promgen simulate --shards {text}` says what that number of shards does"
        ));
    }
    let parts = text.split('/').count();
    let is_name = parts <= 3
        && !text.ends_with('/')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '/'));
    let namespace = if parts == 1 { "NAMESPACE/" } else { "" };
    is_name.then(|| {
        format!(
            "`promgen {command} --workload {namespace}{text}` selects the workload of that name"
        )
    })
}

/// The help about a text in the place of a resource or a rule, if it is a path, with or without a line.
pub(crate) fn about_topic(text: &str) -> Option<String> {
    let file = match text.contains(':') {
        true => text.trim_end_matches(|c: char| c == ':' || c.is_ascii_digit()),
        false => text,
    };
    let path = Path::new(file);
    let has_ending = path
        .extension()
        .is_some_and(|ending| ["yaml", "yml", "json"].iter().any(|known| ending == *known));
    let is_path = has_ending || !fs::is_absent(path);
    is_path.then(|| {
        format!("`{text}` is a path: a resource belongs here, such as servicemonitor/NAMESPACE/NAME; `promgen lint {file}` checks the file")
    })
}
