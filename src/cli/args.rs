//! The command line: the clap structs, and their conversion to [`Options`].
//!
//! Values are parsed here, so that an invalid one is a usage error that names its argument.

use std::path::PathBuf;
use std::sync::Arc;

use clap::builder::{NonEmptyStringValueParser, PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cli::json;
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::{AnswerHead, Emission, Format, Layout, Part};
use promgen_resources::gates::Target;
use promgen_resources::release;
use promgen_resources::schema::{Definitions, GivenFacts};
use promgen_text::source::Input;
use promgen_text::version::Version;

/// The maximum width of the help.
pub(super) const MAX_HELP_WIDTH: usize = 100;

const ABOUT: &str = "Compiles the Prometheus operator's custom resources offline";

const LONG_ABOUT: &str = "\
Compiles the Prometheus operator's custom resources offline: reads manifests, and writes the objects, configurations \
and statuses that the operator creates from them. Uses neither a cluster nor the network.";

const RENDER_EXAMPLES: &str = "\
Examples:
  promgen render manifests/ -o out.yaml     everything, as one stream of documents
  promgen render manifests/ -o rendered/    the same as files, with a kustomization.yaml
  promgen render --emit config,workloads --reveal-secrets | kubectl apply -f -
                                            the current folder, for a cluster without the operator
  helm template . | promgen render -        manifests from a pipe
  promgen render . -o rendered/ --watch     again whenever a manifest changes
  promgen render . --emit status            only the expected statuses
  promgen render . --layout operator        the exact objects that the operator writes
  promgen render . --kube-version 1.34 --default-prometheus-version v2.55.1";

const CONFIG_EXAMPLES: &str = "\
Examples:
  promgen config manifests/
  promgen config manifests/ --workload Prometheus/monitoring/k8s --shard 0
  promgen config manifests/ --annotate      with the file and line of each job
  promgen config . | promtool check config --syntax-only /dev/stdin
  promgen config manifests/ --rules         the rule files
  promgen config . --rules -o rules/ && promtool check rules rules/*/*/*/rules/*";

const SCHEMA_EXAMPLES: &str = "\
Examples:
  promgen schema ServiceMonitor
  promgen schema > schema.json      for editors: # yaml-language-server: $schema=schema.json
  promgen schema config             of promgen.yaml
  promgen schema output diff        of what `promgen diff --format json` prints";

/// The usage: a path alone is not known to clap.
pub(super) fn usage(program: &str) -> String {
    format!(
        "{program} [OPTIONS] <COMMAND>\n       {program} [OPTIONS] <PATH>...    an overview: what is scraped, by whom, and what is not"
    )
}

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "promgen",
    version,
    long_version = LONG_VERSION.as_str(),
    about = ABOUT,
    long_about = LONG_ABOUT,
    override_usage = usage("promgen")
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    /// When to use colors; `auto` depends on the terminal and NO_COLOR
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        global = true,
        display_order = 900,
        hide_short_help = true,
        help_heading = "Messages"
    )]
    pub(super) color: Color,
    #[command(flatten)]
    pub(super) messages: MessageArgs,
}

/// A command with its arguments.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Compile manifests to configurations, workloads and expected statuses
    #[command(after_help = RENDER_EXAMPLES)]
    Render(Box<RenderArgs>),
    /// Build a kustomization, and print its objects with the place of each field
    #[command(after_help = build::BUILD_EXAMPLES)]
    Build(Box<BuildArgs>),
    /// Find what the API server refuses, the operator rejects, or Prometheus never scrapes
    #[command(after_help = lint::LINT_EXAMPLES)]
    Lint(Box<LintArgs>),
    /// Print the findings of a lint that several machines share
    #[command(after_help = lint::MERGE_EXAMPLES)]
    Merge(MergeArgs),
    /// Print the configuration of a workload, or its rule files
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(Box<ConfigArgs>),
    /// Print the status that each resource ends up with, or compare it with a cluster
    #[command(after_help = status::STATUS_EXAMPLES)]
    Status(Box<StatusArgs>),
    /// The earlier name of `status --health`
    #[command(hide = true, mut_arg("live", |arg| arg.hide(true)))]
    Health(Box<StatusArgs>),
    /// The earlier name of `config --rules`
    #[command(hide = true)]
    Rules(Box<ConfigArgs>),
    /// Print the Roles that Prometheus needs to discover its targets, or what is missing
    #[command(after_help = rbac::RBAC_EXAMPLES)]
    Rbac(Box<RbacArgs>),
    /// Print how many targets each shard scrapes, or the sharding rules of each shard
    #[command(after_help = shards::SHARDS_EXAMPLES)]
    Shards(Box<ShardsArgs>),
    /// Check that exactly one shard scrapes every target
    #[command(after_help = prove::PROVE_EXAMPLES)]
    Prove(Box<ProveArgs>),
    /// Compare numbers of shards: targets that move, balance, pods and volumes
    #[command(after_help = prove::SIMULATE_EXAMPLES)]
    Simulate(Box<SimulateArgs>),
    /// Print the receivers and routes of an alert
    #[command(after_help = route::ROUTE_EXAMPLES)]
    Route(Box<RouteArgs>),
    /// Print what changes in meaning between two folders, git revisions or versions
    #[command(after_help = diff::DIFF_EXAMPLES)]
    Diff(Box<DiffArgs>),
    /// Print what an upgrade of the operator changes: workloads, jobs, targets, statuses
    #[command(after_help = upgrade::UPGRADE_EXAMPLES)]
    Upgrade(Box<UpgradeArgs>),
    /// Find the shard that scrapes a target, and the effect of each relabel rule on it
    #[command(after_help = which::WHICH_EXAMPLES)]
    Which(Box<WhichArgs>),
    /// The earlier name of `which --trace`
    #[command(hide = true)]
    Trace(Box<WhichArgs>),
    /// Run unit tests for relabeling and routing
    #[command(after_help = test::TEST_EXAMPLES)]
    Test(TestArgs),
    /// Print the JSON Schema of the resources
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema(SchemaArgs),
    /// Write one HTML page about everything: workloads, targets, routes, findings, statuses
    #[command(after_help = report::REPORT_EXAMPLES)]
    Report(Box<ReportArgs>),
    /// Explain why a resource is scraped, mounted or accepted, or not
    #[command(after_help = explain::EXPLAIN_EXAMPLES)]
    Explain(Box<ExplainArgs>),
    /// Explain a rule of lint: what it finds, why that is bad, and what to use instead
    #[command(after_help = explain::RULE_EXAMPLES)]
    Rule(RuleArgs),
    /// What `promgen PATH` prints
    #[command(hide = true)]
    Overview(Box<OverviewArgs>),
    /// Run as a language server: findings and fixes in an editor, while you type
    #[command(after_help = lsp::LSP_EXAMPLES)]
    Lsp(LspArgs),
    /// Run as a KRM function of Kustomize: lint a ResourceList, or add objects to it
    #[command(after_help = install::KRM_EXAMPLES)]
    Krm,
    /// Run as a post-renderer of Helm: lint standard input, and pass it on unchanged
    #[command(after_help = install::POST_RENDER_EXAMPLES)]
    PostRender(Box<PostRenderArgs>),
    /// Print the completion script of a shell
    #[command(after_help = install::COMPLETIONS_EXAMPLES)]
    Completions(CompletionsArgs),
    /// Print a manual page, or write all of them to a folder
    #[command(after_help = install::MAN_EXAMPLES)]
    Man(ManArgs),
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub(super) struct RenderArgs {
    /// Write to this file, or to this folder if it exists or ends in `/`, instead of standard output
    #[arg(short, long, value_name = "FILE|DIR", value_parser = output_path())]
    pub(super) output: Option<PathBuf>,
    /// Format of objects
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "yaml")]
    format: FormatArg,
    /// Parts to write, separated by commas
    #[arg(long, value_enum, value_name = "PARTS", value_delimiter = ',', default_value = "config,workloads,status")]
    emit: Vec<PartArg>,
    /// One readable configuration Secret per shard, or the operator's own Secret with placeholders
    #[arg(long, value_enum, value_name = "LAYOUT", default_value = "per-shard")]
    layout: LayoutArg,
    /// Also compile documents that call themselves generated by promgen
    #[arg(long)]
    pub(super) no_allow: bool,
    #[command(flatten)]
    pub(super) rerun: RerunArgs,
    #[command(flatten)]
    pub(super) profile: ProfileArgs,
    #[command(flatten)]
    pub(super) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(super) compile: CompileArgs,
}

/// Arguments of `config`.
#[derive(Debug, Args)]
pub(super) struct ConfigArgs {
    /// Select the workload, if the manifests have several
    #[arg(long, value_name = "[KIND/]NS/NAME", value_parser = WorkloadName::parse)]
    pub(super) workload: Option<WorkloadName>,
    /// Fill in the placeholders of this shard; without it, they stay as the operator writes them
    #[arg(long, value_name = "N")]
    pub(super) shard: Option<u32>,
    /// Print the rule files instead, as the operator mounts them; of all workloads, unless one is selected
    #[arg(long, conflicts_with = "shard")]
    pub(super) rules: bool,
    /// Write to this file; with --rules, one file each to <kind>/<namespace>/<name>/rules/ in this folder
    #[arg(short, long, value_name = "FILE|DIR", value_parser = output_path())]
    pub(super) output: Option<PathBuf>,
    /// Add a comment above each job or group with the file and line that it comes from
    #[arg(long)]
    pub(super) annotate: bool,
    #[command(flatten)]
    pub(super) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(super) compile: CompileArgs,
}

/// Arguments of every command that compiles.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Manifests")]
pub(super) struct CompileArgs {
    /// Manifests: files, folders (their .yaml, .yml and .json files), or `-` for standard input [default: .]
    #[arg(value_name = "PATH", help_heading = None::<&str>)]
    pub(super) paths: Vec<PathBuf>,
    /// In folders, also read files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(super) no_ignore: bool,
    /// Namespace of objects without one [default: default]
    #[arg(short, long, value_name = "NS", value_parser = NonEmptyStringValueParser::new())]
    namespace: Option<String>,
    /// What to assume about objects that the manifests refer to but do not contain [default: ready]
    #[arg(long, value_enum, value_name = "STATE")]
    assume: Option<AssumeArg>,
    /// Print the values of Secrets instead of placeholders
    #[arg(long)]
    pub(super) reveal_secrets: bool,
    /// Folder of templates that override the built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    pub(super) templates: Option<PathBuf>,
    #[command(flatten)]
    restrictor: RestrictorArgs,
    #[command(flatten)]
    pub(super) helm: HelmArgs,
    #[command(flatten)]
    pub(super) limits: LimitArgs,
    #[command(flatten, next_help_heading = "Versions")]
    target: TargetArgs,
    /// The options given on the command line, rather than in the environment. Set after parsing.
    #[arg(skip)]
    pub(super) typed: Vec<String>,
}

impl CompileArgs {
    /// The version of Kubernetes that the user gives.
    pub(super) fn kube_version(&self) -> Option<&Version> {
        self.target.kube_version.as_ref().and_then(|version| version.0.as_ref())
    }
}

/// The names of the options of [`CompileArgs`].
const COMPILE_OPTIONS: [&str; 33] = [
    "load_restrictor",
    "namespace",
    "assume",
    "reveal_secrets",
    "templates",
    "helm",
    "helm_pull",
    "raise_limit",
    "kube_version",
    "prometheus_version",
    "default_prometheus_version",
    "default_alertmanager_version",
    "default_thanos_version",
    "reloader_image",
    "operator_version",
    "crds",
    "facts",
    "feature_gates",
    "namespaces",
    "deny_namespaces",
    "prometheus_instance_namespaces",
    "alertmanager_instance_namespaces",
    "thanos_ruler_instance_namespaces",
    "alertmanager_config_namespaces",
    "prometheus_instance_selector",
    "alertmanager_instance_selector",
    "thanos_ruler_instance_selector",
    "config_reloader_cpu_request",
    "config_reloader_cpu_limit",
    "config_reloader_memory_request",
    "config_reloader_memory_limit",
    "localhost",
    "cluster_domain",
];

/// The target of the compilation.
#[derive(Clone, Debug, Args)]
struct TargetArgs {
    /// Version of Kubernetes [default: 1.35]
    #[arg(long, value_name = "VERSION", env = "PROMGEN_KUBE_VERSION", hide_env_values = true, value_parser = parse_kube_version)]
    kube_version: Option<MaybeVersion>,
    /// Version of Prometheus; overrides `spec.version`
    #[arg(long, value_name = "VERSION", value_parser = parse_version)]
    prometheus_version: Option<Version>,
    /// Version of Prometheus for resources without `spec.version` [default: v3.14.0]
    #[arg(long, value_name = "VERSION", value_parser = parse_version_text)]
    default_prometheus_version: Option<String>,
    /// Version of Alertmanager for resources without `spec.version` [default: v0.34.0]
    #[arg(long, value_name = "VERSION", value_parser = parse_version_text)]
    default_alertmanager_version: Option<String>,
    /// Version of Thanos for resources without a version [default: v0.42.4]
    #[arg(long, value_name = "VERSION", value_parser = parse_version_text)]
    default_thanos_version: Option<String>,
    /// Image of the config reloader
    #[arg(long, value_name = "IMAGE", value_parser = NonEmptyStringValueParser::new())]
    reloader_image: Option<String>,
    /// Release of the operator, v0.80.0 to v0.95.2, or a newer one as far as it is known [default: v0.94.1]
    #[arg(long, value_name = "VERSION", value_parser = release::parse)]
    operator_version: Option<Version>,
    /// CustomResourceDefinitions that say what the API server accepts: a file, or a folder
    #[arg(long, value_name = "PATH", value_parser = values::definitions)]
    crds: Option<Definitions>,
    /// Table of facts about newer releases of the operator, as `cargo xtask facts` writes it
    #[arg(long, value_name = "FILE", value_parser = values::facts)]
    facts: Option<GivenFacts>,
    /// The operator's feature gates: A=true,B=false
    #[arg(long, value_name = "GATES", value_delimiter = ',', value_parser = values::parse_gate)]
    feature_gates: Vec<(String, bool)>,
    #[command(flatten)]
    watch: WatchArgs,
}

/// A version, or `None` for an empty environment variable.
#[derive(Clone, Debug)]
struct MaybeVersion(Option<Version>);

impl CompileArgs {
    /// The first of these options that is given but has no effect, as the user writes it.
    pub(super) fn meaningless(&self, meaningful: &[&str]) -> Option<String> {
        let is_own = |id: &&String| COMPILE_OPTIONS.contains(&id.as_str()) && !meaningful.contains(&id.as_str());
        self.typed.iter().find(is_own).map(|id| format!("--{}", id.replace('_', "-")))
    }

    /// The namespace that the user gives.
    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The requested release of the operator.
    pub(super) const fn operator_version(&self) -> Option<&Version> {
        self.target.operator_version.as_ref()
    }

    /// The requested version of Prometheus.
    pub(super) const fn prometheus_version(&self) -> Option<&Version> {
        self.target.prometheus_version.as_ref()
    }

    /// The library's options. The caller reads templates.
    pub(super) fn options(&self, layout: Layout, templates: Vec<Input>) -> Options {
        // A folder may be a whole repository, most of which is for others.
        let operator_only = self.paths.is_empty() || self.paths.iter().any(|path| crate::cli::fs::is_folder(path));
        self.options_over(Options { layout, templates, operator_only, ..Options::default() })
    }

    /// Those options, overridden by the arguments.
    pub(super) fn options_over(&self, options: Options) -> Options {
        Options {
            target: self.target.over(options.target),
            facts: self.target.facts.clone().map(Arc::new).or(options.facts),
            definitions: self.target.crds.clone().unwrap_or(options.definitions),
            namespace_is_known: options.namespace_is_known || self.namespace.is_some(),
            namespace: self.namespace.clone().unwrap_or(options.namespace),
            assume: self.assume.map_or(options.assume, Assume::from),
            reveal_secrets: self.reveal_secrets,
            is_unrestricted: self.restrictor.is_unrestricted() || options.is_unrestricted,
            limits: self.limits.over(options.limits),
            ..options
        }
    }
}

impl TargetArgs {
    fn over(&self, target: Target) -> Target {
        let mut features = target.features;
        features.extend(self.feature_gates.iter().cloned());
        Target {
            kubernetes: self.kube_version.clone().and_then(|v| v.0).unwrap_or(target.kubernetes),
            prometheus: self.prometheus_version.clone().or(target.prometheus),
            operator: self.operator_version.clone().or(target.operator).or_else(|| self.crds.as_ref()?.release()),
            default_prometheus: self.default_prometheus_version.clone().or(target.default_prometheus),
            default_alertmanager: self.default_alertmanager_version.clone().or(target.default_alertmanager),
            default_thanos: self.default_thanos_version.clone().or(target.default_thanos),
            reloader_image: self.reloader_image.clone().or(target.reloader_image),
            features,
            watch: self.watch.watch().over(target.watch),
            flags: self.watch.flags().over(target.flags),
        }
    }
}

/// An output path. In other tools, `-o json` selects a format.
fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some(format @ ("json" | "yaml")) => Err(format!(
            "`-o` requires a file or a folder: use `--format {format}` for the format, or `-o ./{format}` for a file of that name"
        )),
        _ => Ok(path),
    })
}

impl RenderArgs {
    /// The parts to write, and their form.
    pub(super) fn emission(&self) -> Emission {
        Emission {
            parts: self.emit.iter().map(|part| Part::from(*part)).collect(),
            format: self.format.into(),
            layout: self.layout.into(),
        }
    }
}

fn parse_version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "expected a version such as v3.13.2 or 1.35".to_owned())
}

fn parse_version_text(text: &str) -> Result<String, String> {
    parse_version(text).map(|_| text.to_owned())
}

fn parse_kube_version(text: &str) -> Result<MaybeVersion, String> {
    if text.is_empty() {
        return Ok(MaybeVersion(None));
    }
    let version = parse_version(text)?;
    // The version of an API, such as v1, is none of Kubernetes.
    let is_release = text.contains('.') && version.major == 1;
    if is_release {
        Ok(MaybeVersion(Some(version)))
    } else {
        Err(format!("`{text}` is no release of Kubernetes: expected one such as 1.35"))
    }
}

/// When to use colors.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether to use colors, on a stream that supports them or not.
    pub(super) const fn resolve(self, auto: bool) -> bool {
        match self {
            Self::Auto => auto,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Declares the spelling of the library's values on the command line.
macro_rules! value_enum {
    ($(#[$doc:meta])+ $name:ident => $target:ident { $($(#[$variant_doc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, ValueEnum)]
        enum $name {
            $($(#[$variant_doc])* $variant),+
        }

        impl From<$name> for $target {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$variant => Self::$variant),+
                }
            }
        }
    };
}

// These use the macro above.
mod build;
mod diff;
mod environments;
mod explain;
mod groups;
mod helm;
mod install;
mod limits;
mod lint;
mod live;
mod lsp;
mod messages;
mod metrics;
mod overview;
mod prove;
mod rbac;
mod report;
mod rerun;
mod restrictor;
mod route;
mod schema;
mod shards;
mod status;
mod test;
mod upgrade;
mod values;
mod version;
mod watch;
mod which;
mod workload;
pub(super) use build::{BuildArgs, BuildFormat};
pub(super) use diff::{DiffArgs, DiffFailure, DiffFormat};
pub(super) use environments::EnvironmentArgs;
pub(super) use explain::{ExplainArgs, ExplainFormat, ReferenceFormat, RuleArgs, Topic};
pub(super) use groups::{command, names};
pub(super) use helm::HelmArgs;
pub(super) use install::{CompletionsArgs, ManArgs, PostRenderArgs};
pub(super) use limits::LimitArgs;
pub(super) use lint::{FailOnArg, LintArgs, LintFormat, MergeArgs, SortArg};
pub(super) use live::LiveArgs;
pub(super) use lsp::LspArgs;
pub(super) use messages::MessageArgs;
pub(super) use metrics::MetricsArgs;
pub(super) use overview::OverviewArgs;
pub(super) use prove::{PopulationArgs, ProveArgs, ProveFormat, SimulateArgs, SimulateFormat};
pub(super) use rbac::RbacArgs;
pub(super) use report::{ReportArgs, ReportFormat};
pub(super) use rerun::RerunArgs;
pub(super) use restrictor::RestrictorArgs;
pub(super) use route::{RouteArgs, RouteFormat};
pub(super) use schema::{SchemaArgs, SchemaFormat, SchemaOf};
pub(super) use shards::{ShardsArgs, ShardsFormat};
pub(super) use status::{ProfileArgs, StatusArgs, StatusSyntax};
pub(super) use test::{TestArgs, TestFormat};
pub(super) use upgrade::UpgradeArgs;
use version::LONG_VERSION;
use watch::WatchArgs;
pub(super) use which::{ScopeArgs, TracedFormat, WhichArgs};
pub(super) use workload::WorkloadName;

/// `--format` of what prints objects.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArg {
    Yaml,
    /// The objects in an object of the command
    Json,
    /// The objects as a `List`, as kubectl prints them
    List,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Yaml => Self::Yaml,
            FormatArg::Json => Self::Answer(AnswerHead { version: json::VERSION, command: "render" }),
            FormatArg::List => Self::Json,
        }
    }
}
value_enum! {
    /// `--emit`.
    PartArg => Part {
        /// The Secrets with the configurations
        Config,
        /// StatefulSets, Services, and the other Secrets and ConfigMaps
        Workloads,
        /// The custom resources with their expected status
        Status,
        /// The Roles and bindings that Prometheus needs to discover its targets
        Rbac,
        /// For review, in a folder: the configurations, web configurations and rule files themselves
        Raw,
        /// For review, in a folder: what each workload selects, and why it does not select the rest
        Selection,
    }
}
value_enum! {
    /// `--layout`.
    LayoutArg => Layout {
        /// One Secret per shard, with placeholders filled in
        PerShard,
        /// The objects that the operator writes: one Secret with placeholders
        Operator,
    }
}
value_enum! {
    /// `--assume`.
    AssumeArg => Assume {
        /// They exist and are healthy
        Ready,
        /// They are missing
        Missing,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use promgen_text::limits::{Limit, Limits};

    use super::*;

    fn render(args: &[&str]) -> Result<RenderArgs, String> {
        let cli = Cli::try_parse_from(["promgen", "render", "."].iter().chain(args)).map_err(|e| e.to_string())?;
        let Command::Render(args) = cli.command else { unreachable!("the command is render") };
        Ok(*args)
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn without_arguments_the_options_are_the_librarys() {
        let args = render(&["--kube-version", ""]).unwrap();
        // Without a path, the current folder is read, which may be a repository.
        let options = Options { operator_only: true, ..Options::default() };
        assert_eq!(args.compile.options(args.emission().layout, Vec::new()), options);
        assert_eq!(args.emission(), Emission::default());
    }

    #[test]
    fn every_option_arrives() {
        let args = render(&[
            "-n=x",
            "--format=json",
            "--emit=status,config",
            "--layout=operator",
            "--assume=missing",
            "--reveal-secrets",
            "--kube-version=v1.34.2+k3s1",
            "--prometheus-version=3.1",
            "--default-prometheus-version=v2.45.0",
            "--feature-gates=PrometheusAgentDaemonSet=true,PrometheusTopologySharding=false",
            "--feature-gates=StatusForConfigurationResources=1",
            "--raise-limit=build-bytes=7MiB",
            "--raise-limit=build-steps=9",
        ])
        .unwrap();
        let emission = args.emission();
        assert_eq!(emission.parts, std::collections::BTreeSet::from([Part::Config, Part::Status]));
        let head = AnswerHead { version: 1, command: "render" };
        assert_eq!((emission.format, emission.layout), (Format::Answer(head), Layout::Operator));
        let options = args.compile.options(emission.layout, Vec::new());
        let limits = Limits::default().with(Limit::BuildBytes, 7 << 20).with(Limit::BuildSteps, 9);
        assert_eq!((options.namespace.as_str(), options.limits), ("x", limits));
        assert_eq!((options.assume, options.reveal_secrets), (Assume::Missing, true));
        assert_eq!(options.target.kubernetes, Version::parse("1.34.2").unwrap());
        assert_eq!(options.target.prometheus, Version::parse("3.1.0"));
        assert_eq!(options.target.default_prometheus.as_deref(), Some("v2.45.0"));
        let gates: Vec<_> = options.target.features.iter().map(|(name, on)| (name.as_str(), *on)).collect();
        assert_eq!(
            gates,
            [
                ("PrometheusAgentDaemonSet", true),
                ("PrometheusTopologySharding", false),
                ("StatusForConfigurationResources", true)
            ]
        );
    }

    #[test]
    fn wrong_values_name_what_is_expected() {
        for (args, expected) in [
            (["--feature-gates", "Nope=true"], "PrometheusAgentDaemonSet, PrometheusTopologySharding"),
            (["--feature-gates", "PrometheusAgentDaemonSet"], "NAME=true"),
            (["--feature-gates", "PrometheusAgentDaemonSet=yes"], "expected true or false"),
            (["--kube-version", "new"], "such as v3.13.2"),
            (["--prometheus-version", ""], "such as v3.13.2"),
            (["--default-prometheus-version", "1.2.3.4"], "such as v3.13.2"),
            (["--emit", "nothing"], "workloads"),
            (["--raise-limit", "build-byte=1"], "did you mean `build-bytes`?"),
            (["--raise-limit", "build-bytes=many"], "such as 512MiB"),
        ] {
            let error = render(&args).unwrap_err();
            assert!(error.contains(expected), "{args:?}: {error}");
        }
    }
}
