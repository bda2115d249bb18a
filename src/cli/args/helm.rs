//! `--helm` and `--helm-pull`.

use clap::Args;

/// Whether Helm renders charts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct HelmArgs {
    /// Run `helm` for releases whose charts are in the input or in Helm's cache, and use all objects that it renders
    #[arg(long)]
    pub(crate) helm: bool,
    /// As --helm, and pull other charts over the network
    #[arg(long)]
    pub(crate) helm_pull: bool,
}

impl HelmArgs {
    /// Whether Helm is asked.
    pub(crate) const fn is_asked(&self) -> bool {
        self.helm || self.helm_pull
    }
}
