//! What is meant by arguments that are refused: an option of another tool, a command of another name, a path that does not exist.
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
use promgen_driver::explain::ResourceQuery;
use promgen_driver::rules;
use promgen_text::suggest;

/// Commands of other tools, and what promgen has. The first that begins so counts.
const COMMANDS: [(&[&str], &str); 14] = [
    (&["check", "validate", "verify", "vet", "scan", "audit", "analyze", "analyse", "inspect"], "lint"),
    (&["fix", "fmt", "format"], "lint --fix"),
    (&["compile", "generate", "template", "apply", "create", "gen", "convert", "expand"], "render"),
    (&["kustomize"], "build"),
    (&["get", "describe", "why", "show", "find", "info"], "explain"),
    (&["plan", "compare", "changes", "preview"], "diff"),
    (&["target", "targets", "scrape", "shard"], "which"),
    (&["relabel"], "which --trace"),
    (&["alert", "alerts", "routes", "receivers", "receiver", "notify", "routing", "amtool"], "route"),
    (&["graph", "map", "html", "page", "serve", "ui", "web", "dashboard", "server", "visualize"], "report"),
    (&["migrate", "update", "releases", "bump"], "upgrade"),
    (&["roles", "permissions", "access", "auth"], "rbac"),
    (&["resize", "scale", "capacity"], "simulate"),
    (&["version"], "--version"),
];

/// The error of clap with what is meant, for what users type most often.
pub(super) fn explained(mut error: clap::Error, root: &mut Command, args: &[OsString]) -> clap::Error {
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    root.build();
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let Some(name) = text(ContextKind::InvalidArg) else { return error };
            let tip = options::tip(&TypedOption { name: &name, args }, root);
            let usage = options::command_of(root, args).map(|command| command.clone().render_usage());
            [ContextKind::SuggestedArg, ContextKind::Suggested].into_iter().for_each(|kind| drop(error.remove(kind)));
            usage.into_iter().for_each(|usage| drop(error.insert(ContextKind::Usage, ContextValue::StyledStr(usage))));
            with_tip(error, tip)
        }
        ErrorKind::InvalidSubcommand => {
            let Some(name) = text(ContextKind::InvalidSubcommand) else { return error };
            drop(error.remove(ContextKind::SuggestedSubcommand));
            drop(error.remove(ContextKind::Suggested));
            let tip = of_command(&name, args, root);
            with_tip(error, tip)
        }
        // The words of the standard library are about its types.
        ErrorKind::ValueValidation if is_no_number(&error) => {
            let [arg, value] =
                [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| text(kind).unwrap_or_default());
            let message = format!("invalid value '{value}' for '{arg}': expected a whole number, from 0 on\n");
            clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(root)
        }
        _ => error,
    }
}

fn is_no_number(error: &clap::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::num::ParseIntError>())
}

fn with_tip(mut error: clap::Error, tip: Option<String>) -> clap::Error {
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(tip)]));
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
    if let Some(help) = paths::of_missing(Path::new(name)).filter(|_| name.contains(['/', '.', '*'])) {
        return Some(help);
    }
    let word = name.to_ascii_lowercase();
    let known = COMMANDS.iter().find(|(words, _)| words.contains(&&*word));
    let meant = known.map(|(_, meant)| *meant).or_else(|| {
        let names: Vec<&str> =
            root.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        let found = suggest::closest(&word, names.iter().copied())?;
        names.into_iter().find(|name| *name == found)
    });
    let rest = args.iter().skip_while(|arg| *arg != name).skip(1);
    let rest: String = rest.map(|arg| format!(" {}", arg.to_string_lossy())).collect();
    meant.map(|meant| format!("`promgen {meant}{rest}` does that"))
}
