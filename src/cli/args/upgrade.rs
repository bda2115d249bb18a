//! Arguments of `upgrade`.

use clap::Args;

use crate::cli::args::compile::{CompileArgs, MaybeVersion, parse_kube_version, parse_version};
use crate::cli::args::{DiffFailure, DiffFormat, EnvironmentArgs, SettingsArgs};
use promgen_compile::options::Options;
use promgen_repository::charts::versions;
use promgen_resources::release;
use promgen_text::version::Version;

pub(super) const UPGRADE_EXAMPLES: &str = "\
Examples:
  promgen upgrade manifests/                              to the newest release that promgen knows
  promgen upgrade --to v0.94.1 manifests/                    from the release that the input shows
  promgen upgrade --from v0.84.0 --to v0.92.0 manifests/
  promgen upgrade --from v0.84.0 --to v0.92.0 --through .    release by release
  promgen upgrade --to-chart 88.5.3 clusters/                a new version of kube-prometheus-stack
  promgen upgrade --to v0.94.1 --fail-on restarts,lost-targets .
  promgen upgrade --to v0.94.1 --to-prometheus-version v3.5.0 --format markdown .";

/// Arguments of `upgrade`.
#[derive(Debug, Args)]
#[command(mut_arg("reveal_secrets", |arg| arg.hide(true)))]
#[command(mut_arg("operator_version", |arg| arg.hide(true)))]
pub(crate) struct UpgradeArgs {
    /// Release of the operator to upgrade to [default: that of --to-chart, or the newest one that promgen knows]
    #[arg(long, value_name = "VERSION", value_parser = release::parse)]
    to: Option<Version>,
    /// Version of kube-prometheus-stack to upgrade its releases to
    #[arg(long, value_name = "VERSION", value_parser = parse_chart_version, conflicts_with = "through")]
    pub(crate) to_chart: Option<ChartVersion>,
    /// Release of the operator that runs now [default: what the input shows]
    #[arg(long, value_name = "VERSION", value_parser = release::parse)]
    from: Option<Version>,
    /// Compare release by release
    #[arg(long)]
    pub(crate) through: bool,
    /// Version of Prometheus after the upgrade; overrides `spec.version`
    #[arg(long, value_name = "VERSION", value_parser = parse_version, help_heading = "Versions")]
    to_prometheus_version: Option<Version>,
    /// Version of Kubernetes after the upgrade
    #[arg(long, value_name = "VERSION", value_parser = parse_kube_version, help_heading = "Versions")]
    to_kube_version: Option<MaybeVersion>,
    #[command(flatten)]
    pub(crate) environments: EnvironmentArgs,
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,
    /// Print each difference with its place, instead of a line for each cause
    #[arg(long)]
    pub(crate) details: bool,
    /// Exit with 1 if this occurs, separated by commas
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(crate) fail_on: Vec<DiffFailure>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) compile: CompileArgs,
}

/// A version of kube-prometheus-stack that promgen knows, and the release of the operator that it installs.
#[derive(Clone, Debug)]
pub(crate) struct ChartVersion {
    pub(crate) version: String,
    operator: Version,
}

fn parse_chart_version(text: &str) -> Result<ChartVersion, String> {
    let version = text.strip_prefix('v').unwrap_or(text);
    let operator = versions::operator(version).ok_or_else(|| {
        format!(
            "promgen knows the versions 45.0.0 to {} of kube-prometheus-stack",
            versions::newest()
        )
    })?;
    Ok(ChartVersion {
        version: version.to_owned(),
        operator: release::parse(operator)?,
    })
}

impl UpgradeArgs {
    /// The release to upgrade to.
    pub(crate) fn to(&self) -> &Version {
        let of_chart = || self.to_chart.as_ref().map(|chart| &chart.operator);
        self.to
            .as_ref()
            .or_else(of_chart)
            .unwrap_or(&release::NEWEST.version)
    }

    /// Whether the arguments leave open what to upgrade to.
    pub(crate) const fn is_open(&self) -> bool {
        self.to.is_none() && self.to_chart.is_none()
    }

    /// The release to upgrade from, as far as the arguments say.
    pub(crate) fn from(&self) -> Option<&Version> {
        self.from
            .as_ref()
            .or_else(|| self.compile.operator_version())
    }

    /// Whether the version of Kubernetes changes.
    pub(crate) const fn changes_kubernetes(&self) -> bool {
        self.to_kube_version.is_some()
    }

    /// The options after the upgrade, but for the release.
    pub(crate) fn after(&self, mut options: Options) -> Options {
        options.target.prometheus = self
            .to_prometheus_version
            .clone()
            .or(options.target.prometheus);
        if let Some(version) = self
            .to_kube_version
            .as_ref()
            .and_then(|version| version.0.clone())
        {
            options.target.kubernetes = version;
        }
        options
    }
}
