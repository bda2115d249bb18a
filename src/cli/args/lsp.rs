//! Arguments of `lsp`.

use clap::Args;

pub(super) const LSP_EXAMPLES: &str = "\
Examples:
  promgen lsp                 an editor starts it in the folder of the workspace";

/// Arguments of `lsp`.
#[derive(Debug, Args)]
pub(crate) struct LspArgs {
    /// Talk over standard input and output, as without it: some clients pass it
    #[arg(long)]
    pub(crate) stdio: bool,
}
