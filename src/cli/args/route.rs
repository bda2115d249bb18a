//! Arguments of `route`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::CompileArgs;
use promgen_text::time::Timestamp;

pub(super) const ROUTE_EXAMPLES: &str = "\
Examples:
  promgen route alertname=HighLatency,severity=critical --namespace shop manifests/
  promgen route 'alertname=HighLatency' -n shop --at 2026-11-22T03:00:00Z --firing firing.txt manifests/
  promgen route --rule manifests/                    where every alert of the PrometheusRules goes
  promgen route --rule --format mermaid manifests/   the same as a graph";

/// Arguments of `route`. Its `--namespace` is that of the alert.
#[derive(Debug, Args)]
#[command(mut_arg("namespace", |arg| arg.help("Namespace of the alert: its label `namespace`")))]
pub(in crate::cli) struct RouteArgs {
    /// The labels of an alert, as name=value,…; with --rule a further path
    #[arg(value_name = "LABELS")]
    pub(in crate::cli) labels: Option<String>,
    /// Take every alert of the PrometheusRules with the labels that it always has
    #[arg(long)]
    pub(in crate::cli) rule: bool,
    /// Only this Alertmanager
    #[arg(long, value_name = "NS/NAME")]
    pub(in crate::cli) alertmanager: Option<String>,
    /// Tell which time intervals mute at this time, such as 2026-11-22T03:00:00Z
    #[arg(long, value_name = "TIME", value_parser = timestamp)]
    pub(in crate::cli) at: Option<Timestamp>,
    /// A file with the labels of the alerts that fire, one alert a line
    #[arg(long, value_name = "FILE", conflicts_with = "rule")]
    pub(in crate::cli) firing: Option<PathBuf>,
    /// Syntax of what is printed
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(in crate::cli) format: RouteFormat,
    #[command(flatten)]
    pub(in crate::cli) compile: CompileArgs,
}

/// `--format` of `route`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum RouteFormat {
    /// For people
    Text,
    Json,
    /// A graph; with --rule only
    Mermaid,
}

fn timestamp(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| "no time such as 2026-11-22T03:00:00Z".to_owned())
}
