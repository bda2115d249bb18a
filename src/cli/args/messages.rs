//! Arguments of every command: what it prints on standard error.

use clap::Args;

use crate::cli::{Terminal, Verbosity};

/// What a command prints on standard error.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MessageArgs {
    /// Print only the answer and failures: no notes, no progress
    #[arg(
        short,
        long,
        global = true,
        overrides_with = "quiet",
        conflicts_with = "verbose",
        display_order = 901,
        help_heading = "Messages"
    )]
    quiet: bool,
    /// Print all findings, which files are read, and how long each phase takes
    #[arg(
        short,
        long,
        global = true,
        overrides_with = "verbose",
        display_order = 902,
        help_heading = "Messages"
    )]
    verbose: bool,
    /// Draw no progress bar
    #[arg(
        long,
        global = true,
        hide_short_help = true,
        display_order = 903,
        help_heading = "Messages"
    )]
    no_progress: bool,
}

impl MessageArgs {
    /// The terminal, as the user wants it used.
    pub(crate) const fn over(self, terminal: Terminal) -> Terminal {
        let verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => terminal.verbosity,
        };
        let stderr_redraws = terminal.stderr_redraws && !self.quiet && !self.no_progress;
        Terminal {
            stderr_redraws,
            verbosity,
            shows_findings: terminal.shows_findings || self.verbose,
            ..terminal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{self, MAX_HELP_WIDTH};

    #[test]
    fn a_quiet_run_draws_no_progress() {
        let terminal = Terminal {
            stderr_redraws: true,
            ..Terminal::default()
        };
        for (quiet, verbose, no_progress, expected) in [
            (false, false, false, (true, Verbosity::Usual)),
            (true, false, false, (false, Verbosity::Quiet)),
            (false, true, false, (true, Verbosity::Verbose)),
            (false, false, true, (false, Verbosity::Usual)),
        ] {
            let over = MessageArgs {
                quiet,
                verbose,
                no_progress,
            }
            .over(terminal);
            assert_eq!((over.stderr_redraws, over.verbosity), expected);
        }
    }

    #[test]
    fn examples_are_not_wrapped() {
        let root = args::command();
        for command in std::iter::once(&root).chain(root.get_subcommands()) {
            let texts = [command.get_after_help(), command.get_after_long_help()];
            let text: String = texts
                .into_iter()
                .flatten()
                .map(|text| format!("{text}\n"))
                .collect();
            for line in text.lines() {
                assert!(
                    line.chars().count() <= MAX_HELP_WIDTH,
                    "{}: {line}",
                    command.get_name()
                );
            }
        }
    }
}
