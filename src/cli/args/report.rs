//! Arguments of `report`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, ForceArgs, output_path};

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
    /// Configuration file [default: promgen.yaml in the folder of the first PATH or a parent]
    #[arg(long, value_name = "FILE", conflicts_with = "no_config")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub(crate) no_config: bool,
    /// Review a stranger's change: take settings from this revision of git alone, or none if it has none; read ignored files,
    /// too; and heed no comment or annotation that hides a finding or a document
    #[arg(long, value_name = "REV", conflicts_with_all = ["config", "no_config"])]
    pub(crate) trust: Option<String>,
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
