//! Files that say which metrics there are.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use crate::cli::{Failure, fs};
use promgen_compile::options::Options;

/// `--metrics`.
#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct MetricsArgs {
    /// Judge what rules and dashboards read by the metrics in this file: what a target exposes, as text, in a file with the
    /// name of its job; or an answer of Prometheus' API, as JSON: the values of `__name__`, or series
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) metrics: Vec<PathBuf>,
}

impl MetricsArgs {
    /// The options with what the files hold.
    pub(in crate::cli) fn over(
        &self,
        options: Options,
        paths: &[PathBuf],
        stdin: &mut dyn Read,
    ) -> Result<Options, Failure> {
        if self.metrics.is_empty() {
            return Ok(options);
        }
        let read = fs::read_files(&self.metrics, &fs::Workspace::of(paths), stdin).map_err(Failure::Messages)?;
        Ok(Options { metrics: read.inputs, ..options })
    }
}
