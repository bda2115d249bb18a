//! `--load-restrictor`.

use clap::{Args, ValueEnum};

/// Which files kustomizations may read.
#[derive(Clone, Debug, Args)]
pub(crate) struct RestrictorArgs {
    /// Which files a kustomization may read: those in or below its folder, or all of the repository [default: root-only]
    #[arg(long, value_enum, value_name = "FILES")]
    load_restrictor: Option<Restrictor>,
}

/// `--load-restrictor`. Kustomize's names are known, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Restrictor {
    #[value(alias = "LoadRestrictionsRootOnly")]
    RootOnly,
    #[value(alias = "LoadRestrictionsNone")]
    None,
}

impl RestrictorArgs {
    /// Whether a kustomization may read all files of the repository.
    pub(crate) fn is_unrestricted(&self) -> bool {
        self.load_restrictor == Some(Restrictor::None)
    }
}
