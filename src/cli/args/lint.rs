//! Arguments of `lint`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{
    CompileArgs, EnvironmentArgs, ForceArgs, LiveArgs, MetricsArgs, RerunArgs, SettingsArgs,
};
use promgen_checks::rules;
use promgen_text::diag::Level;
use promgen_text::diag::pattern::RulePattern;

pub(super) const LINT_EXAMPLES: &str = "\
Examples:
  promgen lint                              everything below the current folder
  promgen lint manifests/ --fail-on warning
  promgen lint manifests/ --select PG1,PG2 --ignore idle-shard
  helm template . | promgen lint - --assume missing
  promgen lint . --format json | jq -r '.findings[].code' | sort | uniq -c
  promgen lint . --format sarif --report promgen.sarif
  promgen lint . --write-baseline .promgen-baseline.json
  promgen lint . --baseline .promgen-baseline.json
  promgen lint . --diff                     what --fix would change
  promgen lint --watch                      again whenever a file changes";

/// The headings of its options.
const OUTPUT: &str = "Output";
const SELECTION: &str = "Which findings";
const EVIDENCE: &str = "What the cluster says";
const SETTINGS: &str = "Settings";
const FIXES: &str = "Fixes";

/// Arguments of `lint`.
#[derive(Debug, Args)]
#[command(mut_arg("trust", |arg| arg.conflicts_with_all(["write_baseline", "watch"])))]
pub(crate) struct LintArgs {
    /// For folders: report findings about all objects, not only about those that concern the operator
    #[arg(long, help_heading = SELECTION)]
    pub(crate) all: bool,
    /// Format of the findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: LintFormat,
    /// Order of the findings in text: errors first, or by their files
    #[arg(long, value_enum, value_name = "ORDER", default_value = "level", help_heading = OUTPUT)]
    pub(crate) sort: SortArg,
    /// Write the findings to this file in the format of --format, and print them as text
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: ForceArgs,
    /// Exit with 1 if there is a finding of this level or above [default: error]
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = OUTPUT)]
    pub(crate) fail_on: Option<FailOnArg>,
    /// Check only these rules, separated by commas: codes (PG201), names (idle-shard), or prefixes of codes (PG2)
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = parse_pattern, help_heading = SELECTION)]
    pub(crate) select: Vec<RulePattern>,
    /// Ignore these rules. The more specific of --select and --ignore wins
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = parse_pattern, help_heading = SELECTION)]
    pub(crate) ignore: Vec<RulePattern>,
    /// Report what comments and annotations allow, too, and check documents with the mark of promgen's own output
    #[arg(long, help_heading = SELECTION)]
    pub(crate) no_allow: bool,
    /// Apply safe fixes to the files; with `-`, print the fixed text
    #[arg(long, conflicts_with = "watch", help_heading = FIXES)]
    pub(crate) fix: bool,
    /// Print the fixes as a diff, and change nothing; exit code 1 if any fix applies
    #[arg(long, conflicts_with = "watch", help_heading = FIXES)]
    pub(crate) diff: bool,
    /// With --fix or --diff: include fixes that may change the meaning
    #[arg(long, help_heading = FIXES)]
    pub(crate) unsafe_fixes: bool,
    /// Hide the findings that this file records
    #[arg(long, value_name = "FILE", help_heading = SELECTION)]
    pub(crate) baseline: Option<PathBuf>,
    /// Record the findings in this file, for --baseline; with --baseline, only those that still occur
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fix", "diff", "watch"], help_heading = SELECTION)]
    pub(crate) write_baseline: Option<PathBuf>,
    #[command(flatten, next_help_heading = EVIDENCE)]
    pub(crate) live: LiveArgs,
    #[command(flatten, next_help_heading = EVIDENCE)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten, next_help_heading = SETTINGS)]
    pub(crate) settings: SettingsArgs,
    /// Check only the environments that fall to one of N machines, and print what `promgen merge` makes the whole of
    #[arg(id = "share", long = "shard", value_name = "I/N", value_parser = parse_share, help_heading = SELECTION)]
    #[arg(conflicts_with_all = ["format", "sort", "report", "fix", "diff", "write_baseline", "watch"])]
    pub(crate) shard: Option<Share>,
    #[command(flatten, next_help_heading = SELECTION)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) rerun: RerunArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

impl LintArgs {
    /// Whether comments, annotations and the mark of promgen's own output count.
    pub(crate) const fn heeds_marks(&self) -> bool {
        !self.no_allow && self.settings.trust.is_none()
    }
}

/// One of the machines that share a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// From 1.
    number: usize,
    of: usize,
}

impl Share {
    /// Whether the environment at a place falls to it.
    pub(crate) const fn has(self, place: usize) -> bool {
        place % self.of == self.number - 1
    }
}

/// Parses `I/N`.
fn parse_share(text: &str) -> Result<Share, String> {
    let numbers = text
        .split_once('/')
        .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
    match numbers {
        Some((number, of)) if (1..=of).contains(&number) => Ok(Share { number, of }),
        _ => Err("expected I/N, such as 1/3: the first of three machines".to_owned()),
    }
}

pub(super) const MERGE_EXAMPLES: &str = "\
Examples:
  promgen lint --shard 1/2 clusters/ > 1.json      on one machine
  promgen lint --shard 2/2 clusters/ > 2.json      on another one
  promgen merge 1.json 2.json -- clusters/ --format sarif";

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// What `lint --shard` printed, of all machines
    #[arg(required = true, value_name = "PART")]
    pub(crate) parts: Vec<PathBuf>,
    /// Paths and options of `lint`, those of the machines and how to print the findings
    #[arg(last = true, value_name = "LINT ARGUMENT")]
    pub(crate) lint: Vec<OsString>,
}

/// `--format` of `lint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    /// For people, with the marked lines
    Text,
    /// An object with the findings
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// A test report
    Junit,
    /// A comment on a pull request
    Markdown,
}

/// `--sort`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SortArg {
    /// By level, then by file
    Level,
    /// By file
    Path,
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOnArg {
    Error,
    Warning,
    Info,
    Never,
}

impl FailOnArg {
    /// The lowest level that fails a run. `None`: never.
    pub(crate) const fn level(self) -> Option<Level> {
        match self {
            Self::Error => Some(Level::Error),
            Self::Warning => Some(Level::Warning),
            Self::Info => Some(Level::Info),
            Self::Never => None,
        }
    }
}

fn parse_pattern(text: &str) -> Result<RulePattern, String> {
    RulePattern::parse(text, &rules::all())
}
