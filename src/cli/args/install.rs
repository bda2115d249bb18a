//! Arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

pub(super) const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  promgen completions bash > ~/.local/share/bash-completion/completions/promgen
  promgen completions zsh > ~/.zfunc/_promgen
  promgen completions fish > ~/.config/fish/completions/promgen.fish";

pub(super) const MAN_EXAMPLES: &str = "\
Examples:
  promgen man | man -l -
  promgen man lint | man -l -
  promgen man -o ~/.local/share/man/man1/";

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(in crate::cli) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(in crate::cli) struct ManArgs {
    /// The command to describe; without it, promgen as a whole
    #[arg(value_name = "COMMAND")]
    pub(in crate::cli) command: Option<String>,
    /// Write the pages of promgen and of every command to this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub(in crate::cli) output: Option<PathBuf>,
}
