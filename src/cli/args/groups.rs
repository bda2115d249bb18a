//! The commands in groups, and what the help of each ends with: its exit codes, and the address of its page.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::args::Cli;

/// Commands that belong together.
pub(super) struct CommandGroup {
    title: &'static str,
    /// Whether the help has their names alone, in a line.
    is_named_only: bool,
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
    CommandGroup { title: "Check", is_named_only: false, commands: &[
        entry("lint", "findings of the level error, or of the one that --fail-on names; with --diff, a fix"),
        entry("rule", ""),
        entry("diff", "what --fail-on names; with --exit-code, any difference; input that exceeds a limit"),
        entry("upgrade", "what --fail-on names; input that exceeds a limit"),
        entry("test", "a test fails"),
    ] },
    CommandGroup { title: "Ask", is_named_only: false, commands: &[
        entry("explain", "the resource is not scraped, mounted or accepted"),
        entry("which", "a target that is not scraped by exactly one shard, no target, or errors among the findings"),
        entry("route", ERRORS),
        entry("shards", ERRORS),
        entry("prove", "a counterexample: no shard, several shards, or an idle shard; errors among the findings;\n     with --strict, also targets that have no shard because of their zone, and open jobs"),
        entry("simulate", "the API server refuses every number of shards, or errors among the findings"),
    ] },
    CommandGroup { title: "Compile", is_named_only: false, commands: &[
        entry("render", ERRORS),
        entry("config", ERRORS),
        entry("status", "errors among the findings; with --live, a status that differs; with --health, an unhealthy one"),
        entry("report", ""),
    ] },
    CommandGroup { title: "In other tools", is_named_only: true, commands: &[
        entry("build", "the kustomization cannot be built"),
        entry("rbac", "with --check, a permission that is missing; else errors among the findings"),
        entry("merge", "findings of the level error, or of the one that --fail-on names"),
        entry("lsp", "the client ends without a shutdown request"),
        entry("krm", "an error among the results"),
        entry("post-render", "findings of the level error, or of the one that --fail-on names; nothing is passed on"),
        entry("schema", ""),
        entry("completions", ""),
        entry("man", ""),
    ] },
];

/// The names of all commands, in the order of the help.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .map(|entry| entry.name)
}

/// The folder of the pages.
const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/");

/// The command line with its commands in groups, and with exit codes and the address of a page in each help.
pub(crate) fn command() -> Command {
    let mut root = Cli::command();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{{all-args}}{{after-help}}",
        listed(&root)
    );
    for entry in GROUPS.iter().flat_map(|group| group.commands) {
        root = root.mut_subcommand(entry.name, |command| with_end(command, entry));
    }
    // Without their heading: the template has the commands. `help` stays, as `promgen help lint` works.
    let options = options(&root);
    root.help_template(template.replace("{all-args}", &format!("Options:\n{options}")))
        .after_help(format!(
            "`promgen help COMMAND` prints examples and exit codes.\nDocumentation: {PAGES}index.md"
        ))
}

/// The options of commands that only the long help has.
const RARE: [&str; 20] = [
    "share",
    "metrics",
    "sort",
    "all",
    "write_baseline",
    "report",
    "live",
    "config",
    "no_config",
    "trust",
    "previous",
    "at",
    "no_allow",
    "watch",
    "no_clear",
    "node",
    "seed",
    "through",
    "cases",
    "force",
];

/// The longest text of an option that the short help has as a whole, in characters.
const SHORT_TEXT: usize = 66;

/// The headings of options that many commands have.
const COMMON: [&str; 5] = [
    "Manifests",
    "Versions",
    "Messages",
    "Flags of the operator",
    "Watch",
];

/// Those of them that the short help has all the same.
const SHORT: [&str; 6] = [
    "paths",
    "namespace",
    "environment",
    "output",
    "format",
    "help",
];

/// The help of a command with its end. The short one has the options of the command itself.
fn with_end(command: Command, entry: &CommandEntry) -> Command {
    let before = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let mut text = format!("{before}\n\nExit codes:\n  0  ");
    let CommandEntry { name, one } = entry;
    let zero = if one.is_empty() {
        "success"
    } else {
        "none of the below"
    };
    writeln!(text, "{zero}").expect("a string takes every character");
    if !one.is_empty() {
        writeln!(text, "  1  {one}").expect("a string takes every character");
    }
    write!(
        text,
        "  2  invalid arguments, or an error in reading or writing\n\nDocumentation: {PAGES}commands/{name}.md"
    )
    .expect("a string takes every character");
    let short = format!(
        "{}\n\n`promgen {name} --help` prints all options and exit codes.",
        first_examples(&before)
    );
    let command = command.mut_args(|arg| {
        let id = arg.get_id().to_string();
        let is_common = arg
            .get_help_heading()
            .is_some_and(|heading| COMMON.contains(&heading))
            && !SHORT.contains(&&*id);
        if is_common || RARE.contains(&&*id) {
            arg.hide_short_help(true)
        } else {
            shortened(arg)
        }
    });
    command.after_help(short).after_long_help(text)
}

/// The option with the first part of its text in the short help.
fn shortened(arg: Arg) -> Arg {
    let Some(text) = arg.get_help().map(ToString::to_string) else {
        return arg;
    };
    if text.chars().count() <= SHORT_TEXT {
        return arg;
    }
    let ends = [
        ". ",
        "; ",
        ", and ",
        ": ",
        ", such as",
        " (",
        ", for ",
        ", with ",
        " [default",
    ];
    let end = ends
        .iter()
        .filter_map(|end| text.find(end))
        .filter(|end| *end > 12)
        .min();
    let short = end.map_or(&*text, |end| &text[..end]).to_owned();
    arg.help(short).long_help(text)
}

/// The first examples of a help.
fn first_examples(text: &str) -> String {
    const MAX_LINES: usize = 6;
    let lines: Vec<&str> = text.lines().take(MAX_LINES).collect();
    // A command is not cut off from what it is piped to.
    let whole = lines.len()
        - lines
            .iter()
            .rev()
            .take_while(|line| line.ends_with('|'))
            .count();
    lines[..whole].join("\n")
}

/// The options of all commands, with a line for each.
fn options(root: &Command) -> String {
    let shown = root.get_arguments().map(|arg| {
        let short = arg
            .get_short()
            .map_or("    ".to_owned(), |letter| format!("-{letter}, "));
        let value = arg
            .get_value_names()
            .filter(|_| arg.get_action().takes_values())
            .and_then(<[_]>::first);
        let value = value.map(|name| format!(" <{name}>")).unwrap_or_default();
        let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
        (
            format!("{short}--{}{value}", arg.get_long().unwrap_or_default()),
            text,
        )
    });
    let fixed = [
        ("-h, --help", "Print help"),
        ("-V, --version", "Print version"),
    ];
    let fixed = fixed.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let mut text = String::new();
    for (name, help) in shown.chain(fixed) {
        writeln!(text, "  {name:18}  {help}").expect("a string takes every character");
    }
    text
}

/// The groups with a line for each command.
fn listed(root: &Command) -> String {
    let names = GROUPS
        .iter()
        .flat_map(|group| group.commands)
        .map(|entry| entry.name.len());
    let width = names.max().unwrap_or_default();
    let about = |name: &str| {
        root.find_subcommand(name)
            .and_then(Command::get_about)
            .map(ToString::to_string)
    };
    let mut text = String::new();
    for CommandGroup {
        title,
        is_named_only,
        commands,
    } in GROUPS
    {
        writeln!(text, "{title}:").expect("a string takes every character");
        if *is_named_only {
            let names: Vec<&str> = commands.iter().map(|entry| entry.name).collect();
            writeln!(text, "  {}\n", names.join(", ")).expect("a string takes every character");
            continue;
        }
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
    use std::collections::BTreeSet;

    /// The maximum number of lines that `-h` of a command prints.
    const MAX_SHORT_LINES: usize = 42;

    /// The maximum number of commands that the help has a line for.
    const MAX_COMMANDS: usize = 15;

    #[test]
    fn the_help_shows_few_commands() {
        let shown = GROUPS
            .iter()
            .filter(|group| !group.is_named_only)
            .flat_map(|group| group.commands);
        assert!(shown.count() <= MAX_COMMANDS);
    }

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|group| group.commands)
            .map(|entry| entry.name)
            .collect();
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), unique.len());
        let root = Cli::command();
        let shown = root
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        let existing: BTreeSet<&str> = shown.map(Command::get_name).collect();
        assert_eq!(unique, existing);
    }

    #[test]
    fn the_help_has_groups_examples_exit_codes_and_addresses() {
        let mut root = command().term_width(MAX_HELP_WIDTH);
        let text = root.render_help().to_string();
        for group in GROUPS {
            assert!(text.contains(&format!("\n{}:\n", group.title)), "{text}");
        }
        assert!(
            text.lines()
                .all(|line| line.chars().count() <= MAX_HELP_WIDTH),
            "{text}"
        );
        // Printing the help adds clap's own `help` command, which is no entry of a group.
        for command in root
            .get_subcommands_mut()
            .filter(|command| command.get_name() != "help" && !command.is_hide_set())
        {
            let name = command.get_name().to_owned();
            let short = command.render_help().to_string();
            assert!(
                short.lines().count() <= MAX_SHORT_LINES,
                "{}: {short}",
                short.lines().count()
            );
            let text = command.render_long_help().to_string();
            assert!(
                text.contains("Examples:\n") && text.contains(&format!("  promgen {name}")),
                "{text}"
            );
            assert!(text.contains("\nExit codes:\n  0  "), "{text}");
            assert!(text.contains(&format!("commands/{name}.md")), "{text}");
        }
    }
}
