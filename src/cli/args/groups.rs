//! The commands in groups, and what the help of each ends with: its exit codes, and the address of its page.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use crate::cli::args::Cli;

/// Commands that belong together.
pub(super) struct CommandGroup {
    title: &'static str,
    commands: &'static [CommandEntry],
}

/// A command, and what its exit code 1 says. Empty: it has none.
struct CommandEntry {
    name: &'static str,
    one: &'static str,
}

const fn entry(name: &'static str, one: &'static str) -> CommandEntry {
    CommandEntry { name, one }
}

/// What 1 says of commands that compile and say nothing else with it.
const ERRORS: &str = "errors among the findings; promgen still prints what compiled";

/// All commands, in the order of the help.
#[rustfmt::skip]
pub(super) static GROUPS: &[CommandGroup] = &[
    CommandGroup { title: "Check", commands: &[
        entry("lint", "findings of the level error, or of the one that --fail-on names; with --diff, a fix"),
        entry("explain", "the resource is not scraped, mounted or accepted"),
        entry("test", "a test fails"),
        entry("diff", "what --fail-on names; with --exit-code, any difference; input that exceeds a limit"),
        entry("upgrade", "what --fail-on names; input that exceeds a limit"),
        entry("report", ""),
    ] },
    CommandGroup { title: "Compile", commands: &[
        entry("render", ERRORS),
        entry("build", "the kustomization cannot be built"),
        entry("config", ERRORS),
        entry("rules", ERRORS),
        entry("status", "errors among the findings; with --live, a status that differs"),
        entry("health", "a tool takes a status for unhealthy, or errors among the findings"),
    ] },
    CommandGroup { title: "Shards and targets", commands: &[
        entry("shards", ERRORS),
        entry("which", "a target that is not scraped by exactly one shard, no target, or errors among the findings"),
        entry("trace", "no target, or errors among the findings"),
        entry("prove", "a counterexample: no shard, several shards, or an idle shard; errors among the findings;\n     with --strict, also targets that have no shard because of their zone, and open jobs"),
        entry("simulate", "the API server refuses every number of shards, or errors among the findings"),
    ] },
    CommandGroup { title: "Alerts", commands: &[
        entry("route", ERRORS),
    ] },
    CommandGroup { title: "In other tools", commands: &[
        entry("lsp", "the client ends without a shutdown request"),
        entry("krm", "an error among the results"),
        entry("post-render", "findings of the level error, or of the one that --fail-on names; nothing is passed on"),
    ] },
    CommandGroup { title: "promgen itself", commands: &[
        entry("schema", ""),
        entry("completions", ""),
        entry("man", ""),
    ] },
];

/// The names of all commands, in the order of the help.
pub(in crate::cli) fn names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|group| group.commands).map(|entry| entry.name)
}

/// The folder of the pages.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/");

/// The command line with its commands in groups, and with exit codes and the address of a page in each help.
pub(in crate::cli) fn command() -> Command {
    let mut root = Cli::command();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{{all-args}}{{after-help}}",
        listed(&root)
    );
    for entry in GROUPS.iter().flat_map(|group| group.commands) {
        root = root.mut_subcommand(entry.name, |command| with_end(command, entry));
    }
    // Without their heading: the template has the commands. `help` stays, as `promgen help lint` works.
    root.help_template(template.replace("{all-args}", "Options:\n{options}"))
        .after_help(format!("`promgen help COMMAND` prints examples and exit codes.\nDocumentation: {PAGES}index.md"))
}

/// The help of a command with its end.
fn with_end(command: Command, entry: &CommandEntry) -> Command {
    let before = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{before}\n\nExit codes:\n  0  ");
    let one = entry.one;
    let zero = if one.is_empty() { "success" } else { "none of the below" };
    writeln!(text, "{zero}").expect("a string takes every character");
    if !one.is_empty() {
        writeln!(text, "  1  {one}").expect("a string takes every character");
    }
    write!(
        text,
        "  2  invalid arguments, or an error in reading or writing\n\nDocumentation: {PAGES}commands/{}.md",
        entry.name
    )
    .expect("a string takes every character");
    command.after_help(text)
}

/// The groups with a line for each command.
fn listed(root: &Command) -> String {
    let names = GROUPS.iter().flat_map(|group| group.commands).map(|entry| entry.name.len());
    let width = names.max().unwrap_or_default();
    let about = |name: &str| root.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let mut text = String::new();
    for CommandGroup { title, commands } in GROUPS {
        writeln!(text, "{title}:").expect("a string takes every character");
        for CommandEntry { name, .. } in *commands {
            let about = about(name).unwrap_or_default();
            writeln!(text, "  {name:width$}  {about}").expect("a string takes every character");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::MAX_HELP_WIDTH;
    use promgen_text::sorted::SortedSet;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let listed: Vec<&str> = GROUPS.iter().flat_map(|group| group.commands).map(|entry| entry.name).collect();
        let unique: SortedSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), unique.len());
        let root = Cli::command();
        let existing: SortedSet<&str> = root.get_subcommands().map(Command::get_name).collect();
        assert_eq!(unique, existing);
    }

    #[test]
    fn the_help_has_groups_examples_exit_codes_and_addresses() {
        let mut root = command().term_width(MAX_HELP_WIDTH);
        let text = root.render_help().to_string();
        for group in GROUPS {
            assert!(text.contains(&format!("\n{}:\n", group.title)), "{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= MAX_HELP_WIDTH), "{text}");
        // Printing the help adds clap's own `help` command, which is no entry of a group.
        for command in root.get_subcommands_mut().filter(|command| command.get_name() != "help") {
            let name = command.get_name().to_owned();
            let text = command.render_help().to_string();
            assert!(text.contains("Examples:\n") && text.contains(&format!("  promgen {name}")), "{text}");
            assert!(text.contains("\nExit codes:\n  0  "), "{text}");
            assert!(text.contains(&format!("commands/{name}.md")), "{text}");
        }
    }
}
