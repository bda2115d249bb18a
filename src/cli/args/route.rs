//! Arguments of `route`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::{CompileArgs, EnvironmentArgs, WorkloadName};
use promgen_text::time::Timestamp;

pub(super) const ROUTE_EXAMPLES: &str = "\
Examples:
  promgen route manifests/                  the tree of routes, with what each one waits for
  promgen route alert/HighLatency manifests/     an alert of the rules, with its labels
  promgen route alertname=HighLatency,severity=critical,namespace=shop manifests/
  promgen route alertname=HighLatency --at 2026-11-22T03:00:00Z --firing firing.txt manifests/
  promgen route --all-alerts manifests/     where every alert of the PrometheusRules goes
  promgen route --all-alerts --format mermaid manifests/";

/// Arguments of `route`.
#[derive(Debug, Args)]
pub(crate) struct RouteArgs {
    /// The labels of an alert, as name=value,…; or an alert of the rules, as alert/NAME. Without it, the tree of routes
    #[arg(value_name = "LABELS")]
    pub(crate) labels: Option<String>,
    /// Route every alert of the PrometheusRules, with the labels that it always has
    #[arg(long)]
    pub(crate) all_alerts: bool,
    /// Use only this Alertmanager
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse)]
    pub(crate) workload: Option<WorkloadName>,
    /// Time, such as 2026-11-22T03:00:00Z, to print which time intervals mute then
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(crate) at: Option<Timestamp>,
    /// File with the labels of firing alerts, one alert per line
    #[arg(long, value_name = "FILE", conflicts_with = "all_alerts")]
    pub(crate) firing: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: RouteFormat,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// `--format` of `route`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RouteFormat {
    /// For people
    Text,
    Json,
    /// A diagram, for Markdown; only with --all-alerts
    Mermaid,
}

fn timestamp(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "expected a time such as 2026-11-22T03:00:00Z".to_owned())
}
