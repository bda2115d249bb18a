//! The arguments of every command that compiles, and what they make of the library's options.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::cli::args::{AssumeArg, HelmArgs, LimitArgs, RestrictorArgs, WatchArgs, values};
use promgen_compile::options::{Assume, Options};
use promgen_compile::output::Layout;
use promgen_resources::gates::Target;
use promgen_resources::release;
use promgen_resources::schema::{Definitions, GivenFacts};
use promgen_text::source::Input;
use promgen_text::version::Version;

/// Arguments of every command that compiles.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Manifests")]
pub(crate) struct CompileArgs {
    /// Manifests: files, folders (their .yaml, .yml and .json files), or `-` for standard input [default: .]
    #[arg(value_name = "PATH", help_heading = None::<&str>)]
    pub(crate) paths: Vec<PathBuf>,
    /// In folders, also read files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Namespace of objects without one [default: default]
    #[arg(short, long, value_name = "NS", value_parser = NonEmptyStringValueParser::new())]
    namespace: Option<String>,
    /// What to assume about objects that the manifests refer to but do not contain [default: ready]
    #[arg(long, value_enum, value_name = "STATE")]
    assume: Option<AssumeArg>,
    /// Print the values of Secrets instead of placeholders
    #[arg(long)]
    pub(crate) reveal_secrets: bool,
    /// Folder of templates that override the built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    pub(crate) templates: Option<PathBuf>,
    #[command(flatten)]
    restrictor: RestrictorArgs,
    #[command(flatten)]
    pub(crate) helm: HelmArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    #[command(flatten, next_help_heading = "Versions")]
    target: TargetArgs,
    /// The options given on the command line, rather than in the environment. Set after parsing.
    #[arg(skip)]
    pub(crate) typed: Vec<String>,
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
pub(super) struct MaybeVersion(pub(super) Option<Version>);

impl CompileArgs {
    /// The version of Kubernetes that the user gives.
    pub(crate) fn kube_version(&self) -> Option<&Version> {
        self.target
            .kube_version
            .as_ref()
            .and_then(|version| version.0.as_ref())
    }

    /// The first of these options that is given but has no effect, as the user writes it.
    pub(crate) fn meaningless(&self, meaningful: &[&str]) -> Option<String> {
        let is_own = |id: &&String| {
            COMPILE_OPTIONS.contains(&id.as_str()) && !meaningful.contains(&id.as_str())
        };
        self.typed
            .iter()
            .find(is_own)
            .map(|id| format!("--{}", id.replace('_', "-")))
    }

    /// The first path.
    pub(crate) fn start(&self) -> &Path {
        self.paths.first().map_or(Path::new("."), PathBuf::as_path)
    }

    /// The namespace that the user gives.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// The requested release of the operator.
    pub(crate) const fn operator_version(&self) -> Option<&Version> {
        self.target.operator_version.as_ref()
    }

    /// The requested version of Prometheus.
    pub(crate) const fn prometheus_version(&self) -> Option<&Version> {
        self.target.prometheus_version.as_ref()
    }

    /// The library's options. The caller reads templates.
    pub(crate) fn options(&self, layout: Layout, templates: Vec<Input>) -> Options {
        // A folder may be a whole repository, most of which is for others.
        let operator_only = self.paths.is_empty()
            || self
                .paths
                .iter()
                .any(|path| crate::cli::fs::is_folder(path));
        self.options_over(Options {
            layout,
            templates,
            operator_only,
            ..Options::default()
        })
    }

    /// Those options, overridden by the arguments.
    pub(crate) fn options_over(&self, options: Options) -> Options {
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
            kubernetes: self
                .kube_version
                .clone()
                .and_then(|v| v.0)
                .unwrap_or(target.kubernetes),
            prometheus: self.prometheus_version.clone().or(target.prometheus),
            operator: self
                .operator_version
                .clone()
                .or(target.operator)
                .or_else(|| self.crds.as_ref()?.release()),
            default_prometheus: self
                .default_prometheus_version
                .clone()
                .or(target.default_prometheus),
            default_alertmanager: self
                .default_alertmanager_version
                .clone()
                .or(target.default_alertmanager),
            default_thanos: self
                .default_thanos_version
                .clone()
                .or(target.default_thanos),
            reloader_image: self.reloader_image.clone().or(target.reloader_image),
            features,
            watch: self.watch.watch().over(target.watch),
            flags: self.watch.flags().over(target.flags),
        }
    }
}

pub(super) fn parse_version(text: &str) -> Result<Version, String> {
    Version::parse(text).ok_or_else(|| "expected a version such as v3.13.2 or 1.35".to_owned())
}

fn parse_version_text(text: &str) -> Result<String, String> {
    parse_version(text).map(|_| text.to_owned())
}

pub(super) fn parse_kube_version(text: &str) -> Result<MaybeVersion, String> {
    if text.is_empty() {
        return Ok(MaybeVersion(None));
    }
    let version = parse_version(text)?;
    // The version of an API, such as v1, is none of Kubernetes.
    let is_release = text.contains('.') && version.major == 1;
    if is_release {
        Ok(MaybeVersion(Some(version)))
    } else {
        Err(format!(
            "`{text}` is no release of Kubernetes: expected one such as 1.35"
        ))
    }
}
