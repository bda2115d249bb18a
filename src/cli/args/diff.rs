//! Arguments of `diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::args::compile::{CompileArgs, MaybeVersion, parse_kube_version, parse_version};
use crate::cli::args::{EnvironmentArgs, MetricsArgs, SettingsArgs};
use promgen_compile::options::Options;
use promgen_text::version::Version;

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  promgen diff old/ new/                              two folders
  promgen diff main..HEAD -- overlays/prod            two git revisions, without a checkout
  promgen diff main...HEAD --format markdown          for a comment on a pull request
  promgen diff HEAD                                   the last commit and the files as they are now
  promgen diff main..HEAD --fail-on lost-targets      exit code 1 if a target is no longer scraped
  promgen diff manifests/ --from-prometheus-version v2.55.1 --to-prometheus-version v3.5.0
  promgen diff manifests/ --live cluster.yaml         drift from what `kubectl get` printed";

/// Arguments of `diff`. Its paths are those behind `--`.
#[derive(Debug, Args)]
#[command(mut_arg("paths", |arg| arg.last(true).help("With git revisions: the manifests to compare [default: .]")))]
#[command(mut_arg("metrics", |arg| arg.conflicts_with("live")))]
#[command(mut_arg("config", |arg| arg.conflicts_with("live")))]
#[command(mut_arg("trust", |arg| arg.conflicts_with("live")))]
pub(crate) struct DiffArgs {
    /// Manifests: a file, a folder, or `-`; or a git revision; or BASE..HEAD, or BASE...HEAD for the changes since HEAD left
    /// BASE
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// The same for the other side. Without it, a revision is compared with the files as they are now
    #[arg(value_name = "HEAD")]
    pub(crate) head: Option<String>,
    /// Compare with a cluster: the output of `kubectl get -o yaml`, or `-`. Prints the changes
    /// from the cluster to the manifests in BASE, and their cause: made by hand, not yet reconciled, other operator, not yet
    /// applied
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "head", "environment", "fail_on", "from_prometheus_version", "to_prometheus_version", "from_kube_version", "to_kube_version",
    ])]
    pub(crate) live: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,
    /// The name of the comment, for `--format markdown`: a job finds the comment that it wrote by the first line,
    /// `<!-- promgen diff: NAME -->`. Several jobs need several names
    #[arg(long, value_name = "NAME", value_parser = parse_comment_name)]
    pub(crate) comment: Option<String>,
    /// Print nothing if nothing differs and everything was compared
    #[arg(long, conflicts_with = "live")]
    pub(crate) omit_unchanged: bool,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Exit with 1 if anything differs
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// Exit with 1 if this occurs, separated by commas
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<DiffFailure>,
    /// Prometheus version of BASE; overrides `spec.version`
    #[arg(long, value_name = "VERSION", value_parser = parse_version, conflicts_with = "prometheus_version", help_heading = "Versions")]
    pub(crate) from_prometheus_version: Option<Version>,
    /// Prometheus version of HEAD
    #[arg(long, value_name = "VERSION", value_parser = parse_version, conflicts_with = "prometheus_version", help_heading = "Versions")]
    pub(crate) to_prometheus_version: Option<Version>,
    /// Kubernetes version of BASE
    #[arg(long, value_name = "VERSION", value_parser = parse_kube_version, help_heading = "Versions")]
    from_kube_version: Option<MaybeVersion>,
    /// Kubernetes version of HEAD
    #[arg(long, value_name = "VERSION", value_parser = parse_kube_version, help_heading = "Versions")]
    to_kube_version: Option<MaybeVersion>,
    #[command(flatten)]
    pub(crate) metrics: MetricsArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// The name of a comment. In a comment of HTML, no text may end it.
fn parse_comment_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/');
    match !text.is_empty()
        && text
            .split('-')
            .all(|part| !part.is_empty() && part.chars().all(is_plain))
    {
        true => Ok(text.to_owned()),
        false => {
            Err("requires letters, digits, `.`, `_`, `/` and single `-` between them".to_owned())
        }
    }
}

/// `--format` of `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// For people
    Text,
    /// A comment on a pull request, of less than 60,000 characters
    Markdown,
    Json,
}

/// `--fail-on` of `diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFailure {
    /// A target that no shard scrapes any more
    LostTargets,
    /// A job that is gone
    LostJobs,
    /// A resource that a workload no longer selects or accepts
    Unselected,
    /// An alert of a PrometheusRule that is gone
    LostAlerts,
    /// A rule or a panel of a dashboard that loses the series that it reads
    LostSeries,
    /// A rule or a panel of a dashboard that may lose the series that it reads: what made them is gone, and whether something
    /// else makes them is not known
    MaybeLostSeries,
    /// A workload that is gone
    RemovedWorkloads,
    /// Pods that restart
    Restarts,
    /// A new finding of the level error
    NewErrors,
    /// A new finding of the level warning
    NewWarnings,
}

impl DiffArgs {
    /// Whether the two sides are for different versions.
    pub(crate) const fn has_versions(&self) -> bool {
        self.from_prometheus_version.is_some()
            || self.to_prometheus_version.is_some()
            || self.from_kube_version.is_some()
            || self.to_kube_version.is_some()
    }

    /// The paths to compare in git revisions.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.compile.paths
    }

    /// The options of the base.
    pub(crate) fn of_base(&self, options: Options) -> Options {
        over(
            options,
            self.from_prometheus_version.as_ref(),
            self.from_kube_version.as_ref(),
        )
    }

    /// The options of the head.
    pub(crate) fn of_head(&self, options: Options) -> Options {
        over(
            options,
            self.to_prometheus_version.as_ref(),
            self.to_kube_version.as_ref(),
        )
    }
}

fn over(
    mut options: Options,
    prometheus: Option<&Version>,
    kubernetes: Option<&MaybeVersion>,
) -> Options {
    if let Some(version) = prometheus {
        options.target.prometheus = Some(version.clone());
    }
    if let Some(version) = kubernetes.and_then(|version| version.0.clone()) {
        options.target.kubernetes = version;
    }
    options
}
