//! `--config`, `--no-config` and `--trust`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::configured::GivenConfig;

/// The place of the settings.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SettingsArgs {
    /// Configuration file, for versions, `exclude` and the rules of findings [default: promgen.yaml in the folder of the first
    /// path or a parent]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub(crate) no_config: bool,
    /// Review a stranger's change: take settings and the baseline from this revision of git alone, or none if it has none; read
    /// ignored files, too; and heed no comment or annotation that hides a finding or a document
    #[arg(long, value_name = "REV", conflicts_with_all = ["config", "no_config"])]
    pub(crate) trust: Option<String>,
}

impl SettingsArgs {
    /// What they say of the file, with the folder where it is looked for.
    pub(in crate::cli) fn given<'a>(&'a self, start: &'a Path) -> GivenConfig<'a> {
        GivenConfig {
            settings: self,
            start,
        }
    }
}
