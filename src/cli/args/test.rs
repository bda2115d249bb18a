//! Arguments of `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{ForceArgs, HelmArgs, LimitArgs, RerunArgs};
use promgen_text::go::regex::GoRegex;

pub(super) const TEST_EXAMPLES: &str = "\
Examples:
  promgen test                              all test files below the current folder
  promgen test tests/                       those of a folder
  promgen test tests/cart.yaml --run canary
  promgen test tests/ --watch               again whenever a test or a manifest changes
  promgen test rules_test.yaml clusters/eu --coverage
  promgen test --new rules.yaml > rules_test.yaml
  promgen test tests/ --format junit --report report.xml
  promgen schema test > test.schema.json    for editors, with:
    # yaml-language-server: $schema=test.schema.json";

/// The heading of its options.
const RULE_TESTS: &str = "Tests of rules";

/// Arguments of `test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Test files, or folders of test files, and the manifests that tests of rules load; see docs/testing.md
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) files: Vec<PathBuf>,
    /// For tests of rules: promtool, which runs them [default: $PROMTOOL, or the one on the PATH]
    #[arg(long, value_name = "FILE", help_heading = RULE_TESTS)]
    pub(crate) promtool: Option<PathBuf>,
    /// Print which rules the tests evaluate, and which alerts they see firing and not firing
    #[arg(long, help_heading = RULE_TESTS)]
    pub(crate) coverage: bool,
    /// Print a first test for each alert in the manifests that no test file among the paths has
    #[arg(long, help_heading = RULE_TESTS, conflicts_with_all = ["coverage", "min_coverage", "watch", "report"])]
    pub(crate) new: bool,
    /// Exit with 1 if the tests evaluate less of the rules
    #[arg(long, value_name = "PERCENT", value_parser = parse_percent, help_heading = RULE_TESTS)]
    pub(crate) min_coverage: Option<f64>,
    /// Run only tests whose name matches
    #[arg(long, value_name = "REGEX", value_parser = parse_regex)]
    pub(crate) run: Option<GoRegex>,
    /// Format of the report
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: TestFormat,
    /// Write the results to this file in the format of --format, and print them as text
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Also run and print what is in Secrets
    #[arg(long)]
    pub(crate) reveal_secrets: bool,
    /// Test a stranger's change: take the test files from this revision of git alone, and manifests from the disk; read ignored
    /// files, too; and heed no comment or annotation that hides a document
    #[arg(long, value_name = "REV", conflicts_with = "watch")]
    pub(crate) trust: Option<String>,
    #[command(flatten)]
    pub(crate) rerun: RerunArgs,
    #[command(flatten)]
    pub(crate) helm: HelmArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// `--format` of `test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people
    Text,
    /// For CI systems
    Junit,
    Json,
}

fn parse_regex(text: &str) -> Result<GoRegex, String> {
    GoRegex::new(text).map_err(|error| error.to_string())
}

fn parse_percent(text: &str) -> Result<f64, String> {
    let percent = text
        .trim_end_matches('%')
        .parse::<f64>()
        .ok()
        .filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a percentage from 0 to 100".to_owned())
}
