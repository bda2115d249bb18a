//! Files that say which metrics there are.

use std::io::Read;
use std::path::PathBuf;

use clap::{Arg, Args};

use crate::cli::{Failure, fs};
use promgen_compile::options::Options;

/// `--metrics`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct MetricsArgs {
    /// Judge what rules and dashboards read by the metrics in this file: what a target exposes, as text, in a file with the
    /// name of its job; or an answer of Prometheus' API, as JSON: the values of `__name__`, or series
    #[arg(long, value_name = "FILE")]
    pub(crate) metrics: Vec<PathBuf>,
}

impl MetricsArgs {
    /// The options with what the files hold.
    pub(crate) fn over(
        &self,
        options: Options,
        paths: &[PathBuf],
        stdin: &mut dyn Read,
    ) -> Result<Options, Failure> {
        if self.metrics.is_empty() {
            return Ok(options);
        }
        let read = fs::read_files(&self.metrics, &fs::Workspace::of(paths), stdin)
            .map_err(Failure::Messages)?;
        Ok(Options {
            metrics: read.inputs,
            ..options
        })
    }
}

/// The option of commands that count series.
pub(super) fn counting_series(arg: Arg) -> Arg {
    arg.help_heading("Targets").help(
        "Count the series of targets by this file: what a target exposes, as text, in a file with the name of its job; what the \
         metric relabelings of the job drop does not count. Or series, as /api/v1/series answers, by `job` and `instance`. \
         Targets that no file is about have the mean",
    )
}
