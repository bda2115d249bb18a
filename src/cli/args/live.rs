//! What a cluster has of permissions and policies, for commands that judge them.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use crate::cli::{Failure, fs};
use promgen_compile::options::Options;

/// `--live`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LiveArgs {
    /// Judge permissions and policies with those of a cluster: the output of `kubectl get -o yaml` of roles, rolebindings,
    /// clusterroles, clusterrolebindings, networkpolicies and namespaces; what it does not have is missing
    #[arg(long, value_name = "FILE")]
    pub(crate) live: Option<PathBuf>,
}

impl LiveArgs {
    /// The options with what the file holds.
    pub(crate) fn over(
        &self,
        options: Options,
        paths: &[PathBuf],
        stdin: &mut dyn Read,
    ) -> Result<Options, Failure> {
        let Some(file) = &self.live else {
            return Ok(options);
        };
        let read = fs::read_files(std::slice::from_ref(file), &fs::Workspace::of(paths), stdin);
        let read = read.map_err(Failure::Messages)?;
        let texts: Vec<_> = read
            .inputs
            .iter()
            .map(|input| String::from_utf8_lossy(&input.bytes))
            .collect();
        Ok(Options {
            live_access: Some(texts.join("\n---\n").into()),
            ..options
        })
    }
}
