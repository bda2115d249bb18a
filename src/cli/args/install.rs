//! Arguments of what ties promgen into a shell or another program: `completions`, `man`, `krm`, `post-render`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

use crate::cli::args::LintArgs;

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
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command to describe; without it, promgen as a whole
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Write the pages of promgen and of every command to this folder
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) output: Option<PathBuf>,
}

pub(super) const KRM_EXAMPLES: &str = "\
Examples:
  promgen krm < resource-list.yaml
  kustomize build --enable-alpha-plugins --enable-exec .

The field `functionConfig` of the list selects the mode and its options: a ConfigMap with
`data.mode: lint` or `data.mode: render`, or the kind Promgen with the same fields in `spec`.
See docs/pipelines.md.";

pub(super) const POST_RENDER_EXAMPLES: &str = "\
Examples:
  promgen post-render < rendered.yaml
  helm upgrade shop ./chart --post-renderer promgen --post-renderer-args post-render
  helm upgrade shop ./chart --post-renderer promgen --post-renderer-args post-render \\
    --post-renderer-args --fail-on=warning

Helm 4 takes the name of a plugin, and drops what a post-renderer prints:
  helm plugin install integrations/helm/plugin
  helm upgrade shop ./chart --post-renderer promgen --post-renderer-args --report=findings.txt";

/// Arguments of `post-render`: those of `lint` that apply to a stream which passes unchanged.
#[derive(Debug, Args)]
#[command(mut_args(|arg| {
    let is_hidden = UNSUPPORTED.contains(&arg.get_id().as_str());
    arg.hide(is_hidden)
}))]
pub(crate) struct PostRenderArgs {
    #[command(flatten)]
    pub(crate) lint: LintArgs,
}

/// The arguments of `lint` that `post-render` refuses.
const UNSUPPORTED: [&str; 9] = [
    "paths",
    "fix",
    "diff",
    "unsafe_fixes",
    "write_baseline",
    "watch",
    "no_clear",
    "live",
    "environment",
];
