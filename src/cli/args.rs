//! The command line: the clap structs, and their conversion to options of the library.
//!
//! Values are parsed here, so that an invalid one is a usage error that names its argument.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cli::{Terminal, json};
use promgen_compile::options::Assume;
use promgen_compile::output::{AnswerHead, Emission, Format, Layout, Part};

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
    color: Color,
    #[command(flatten)]
    messages: MessageArgs,
}

impl Cli {
    /// The terminal, as the user wants it used.
    pub(super) const fn terminal(&self, terminal: Terminal) -> Terminal {
        let terminal = self.messages.over(terminal);
        Terminal {
            stdout_color: self.color.resolve(terminal.stdout_color),
            stderr_color: self.color.resolve(terminal.stderr_color),
            file_color: self.color.resolve(terminal.file_color),
            ..terminal
        }
    }
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
    /// Run unit tests for rules, relabeling, routing and policies
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
pub(crate) struct RenderArgs {
    /// Write to this file, or to this folder if it exists or ends in `/`, instead of standard output
    #[arg(short, long, value_name = "FILE|DIR", value_parser = output_path())]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) force: ForceArgs,
    /// Format of objects
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "yaml")]
    format: FormatArg,
    /// Parts to write, separated by commas
    #[arg(
        long,
        value_enum,
        value_name = "PARTS",
        value_delimiter = ',',
        default_value = "config,workloads,status"
    )]
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
pub(crate) struct ConfigArgs {
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
    #[command(flatten)]
    pub(super) force: ForceArgs,
    /// Add a comment above each job or group with the file and line that it comes from
    #[arg(long)]
    pub(super) annotate: bool,
    #[command(flatten)]
    pub(super) environments: EnvironmentArgs,
    #[command(flatten)]
    pub(super) compile: CompileArgs,
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
            parts: self.emit.iter().map(|part| Part::from(*part)).collect_set(),
            format: self.format.into(),
            layout: self.layout.into(),
        }
    }
}

/// When to use colors.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Whether to use colors, on a stream that supports them or not.
    const fn resolve(self, auto: bool) -> bool {
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
mod compile;
mod diff;
mod environments;
mod explain;
mod force;
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
mod settings;
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
pub(super) use compile::CompileArgs;
pub(super) use diff::{DiffArgs, DiffFailure, DiffFormat};
pub(super) use environments::EnvironmentArgs;
pub(super) use explain::{ExplainArgs, ExplainFormat, ReferenceFormat, RuleArgs, Topic};
pub(super) use force::ForceArgs;
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
use promgen_text::CollectOrdered;
pub(super) use prove::{
    GivenTargetArgs, PopulationArgs, ProveArgs, ProveFormat, SimulateArgs, SimulateFormat,
};
pub(super) use rbac::RbacArgs;
pub(super) use report::{ReportArgs, ReportFormat};
pub(super) use rerun::RerunArgs;
pub(super) use restrictor::RestrictorArgs;
pub(super) use route::{RouteArgs, RouteFormat};
pub(super) use schema::{SchemaArgs, SchemaFormat, SchemaOf};
pub(super) use settings::SettingsArgs;
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
            FormatArg::Json => Self::Answer(AnswerHead {
                version: json::VERSION,
                command: "render",
            }),
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
    use promgen_compile::options::Options;
    use promgen_text::limits::{Limit, Limits};
    use promgen_text::version::Version;

    use super::*;

    fn render(args: &[&str]) -> Result<RenderArgs, String> {
        let cli = Cli::try_parse_from(["promgen", "render", "."].iter().chain(args))
            .map_err(|e| e.to_string())?;
        let Command::Render(args) = cli.command else {
            unreachable!("the command is render")
        };
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
        let options = Options {
            operator_only: true,
            ..Options::default()
        };
        assert_eq!(
            args.compile.options(args.emission().layout, Vec::new()),
            options
        );
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
        assert_eq!(
            emission.parts,
            std::collections::BTreeSet::from([Part::Config, Part::Status])
        );
        let head = AnswerHead {
            version: 1,
            command: "render",
        };
        assert_eq!(
            (emission.format, emission.layout),
            (Format::Answer(head), Layout::Operator)
        );
        let options = args.compile.options(emission.layout, Vec::new());
        let limits = Limits::default()
            .with(Limit::BuildBytes, 7 << 20)
            .with(Limit::BuildSteps, 9);
        assert_eq!((options.namespace.as_str(), options.limits), ("x", limits));
        assert_eq!(
            (options.assume, options.reveal_secrets),
            (Assume::Missing, true)
        );
        assert_eq!(options.target.kubernetes, Version::parse("1.34.2").unwrap());
        assert_eq!(options.target.prometheus, Version::parse("3.1.0"));
        assert_eq!(
            options.target.default_prometheus.as_deref(),
            Some("v2.45.0")
        );
        let gates: Vec<_> = options
            .target
            .features
            .iter()
            .map(|(name, on)| (name.as_str(), *on))
            .collect();
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
            (
                ["--feature-gates", "Nope=true"],
                "PrometheusAgentDaemonSet, PrometheusTopologySharding",
            ),
            (["--feature-gates", "PrometheusAgentDaemonSet"], "NAME=true"),
            (
                ["--feature-gates", "PrometheusAgentDaemonSet=yes"],
                "expected true or false",
            ),
            (["--kube-version", "new"], "such as v3.13.2"),
            (["--prometheus-version", ""], "such as v3.13.2"),
            (
                ["--default-prometheus-version", "1.2.3.4"],
                "such as v3.13.2",
            ),
            (["--emit", "nothing"], "workloads"),
            (
                ["--raise-limit", "build-byte=1"],
                "did you mean `build-bytes`?",
            ),
            (["--raise-limit", "build-bytes=many"], "such as 512MiB"),
        ] {
            let error = render(&args).unwrap_err();
            assert!(error.contains(expected), "{args:?}: {error}");
        }
    }
}
