//! Arguments of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, ForceArgs, SettingsArgs, output_path};

pub(super) const REPORT_EXAMPLES: &str = "\
Examples:
  promgen report manifests/ --open                    writes report.html, and shows it
  promgen report manifests/ -o report.html
  promgen report -o report.html --compare main        what the branch changes, marked
  promgen report new/ -o report.html --compare old/
  helm template . | promgen report - > report.html
  promgen test tests/ manifests/ --coverage --format json |
    promgen report manifests/ --tests - -o report.html
  promgen report manifests/ --format json             the data of the page";

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Write to this file instead of standard output; on a terminal, the page goes to report.html
    #[arg(short, long, value_name = "FILE", value_parser = output_path())]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Open the page in the browser
    #[arg(long)]
    pub(crate) open: bool,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "html")]
    pub(crate) format: ReportFormat,
    /// Mark what changes from this: another path, or a git revision such as main
    #[arg(long, value_name = "BASE")]
    pub(crate) compare: Option<String>,
    /// Show the results of tests, and their coverage, from this file: what `promgen test --coverage --format json` wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) tests: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// `--format` of `report`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// A page
    Html,
    /// What the page shows, for programs
    Json,
}
