//! The configuration file of `promgen lint`: `promgen.yaml`.
//!
//! In: its text. Out: a [`ConfigFile`], or findings with places. An unknown setting is an error, so that promgen ignores no
//! setting silently. Paths stay text; the caller resolves them.

mod selection;

pub use selection::RuleSelection;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use promgen_compile::options::{Assume, Options};
use promgen_model::glob::MAX_GLOB_CHARS;
use promgen_resources::gates::{FEATURES, Feature, Target};
use promgen_resources::release;
use promgen_text::CollectOrdered;
use promgen_text::diag::pattern::RulePattern;
use promgen_text::diag::{Diagnostic, Level, Place, RuleRef, Sink, rules};
use promgen_text::limits::{Limit, Limits};
use promgen_text::source::{FileId, Span};
use promgen_text::suggest;
use promgen_text::version::Version;
use promgen_text::yaml::read::{ParsedDocument, read};
use promgen_text::yaml::{Node, typed};

rules! {
    /// ## What it does
    /// Finds unknown settings and invalid values in `promgen.yaml`.
    ///
    /// ## Why is this bad?
    /// An ignored setting is easy to miss. So promgen checks nothing until the file is valid.
    ///
    /// ## Example
    /// `fail-on: warnings`
    ///
    /// Use instead: `fail-on: warning`
    INVALID_CONFIG = "PG031" "invalid-config" Error: "an unknown setting or invalid value in promgen.yaml";
}

/// The name of the file.
pub const FILE_NAME: &str = "promgen.yaml";

/// The lowest level of findings that fails a run. `None`: never.
pub type FailOn = Option<Level>;

/// The settings of the file. Missing settings are `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigFile {
    /// The only rules to report.
    pub select: Vec<RulePattern>,
    /// Rules not to report.
    pub ignore: Vec<RulePattern>,
    /// Levels that override those of rules.
    pub levels: Vec<(RulePattern, Level)>,
    /// The lowest level of findings that fails a run.
    pub fail_on: Option<FailOn>,
    /// The paths to check if the command line has none.
    pub paths: Vec<String>,
    /// Globs of the paths to skip.
    pub exclude: Vec<String>,
    /// Rules not to report for files, by glob.
    pub per_path_ignores: Vec<(String, Vec<RulePattern>)>,
    /// The baseline.
    pub baseline: Option<String>,
    /// Files with policies.
    pub policies: Vec<String>,
    /// It has policies itself.
    pub has_policies: bool,
    /// Namespace of objects without one.
    pub namespace: Option<String>,
    /// The assumption about objects that are not in the input.
    pub assume: Option<Assume>,
    /// Version of the cluster.
    pub kube_version: Option<Version>,
    /// Version of Prometheus, which overrides the resources.
    pub prometheus_version: Option<Version>,
    /// The release of the operator.
    pub operator_version: Option<Version>,
    /// Version of Prometheus for resources that set none, as written.
    pub default_prometheus_version: Option<String>,
    /// Version of Alertmanager for resources that set none, as written.
    pub default_alertmanager_version: Option<String>,
    /// Version of Thanos for resources that set none, as written.
    pub default_thanos_version: Option<String>,
    /// The image of the config reloader.
    pub reloader_image: Option<String>,
    /// Feature gates of the operator.
    pub feature_gates: BTreeMap<String, bool>,
}

/// The settings of promgen for the files below its folder.
// The comments are the reference of `docs/config.md` too.
#[derive(Default, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct SettingsFile {
    /// Report only these rules: codes, names, or prefixes of codes such as `PG2`.
    select: TextList,
    /// Do not report these rules. The more specific of `select` and `ignore` wins.
    ignore: TextList,
    /// Levels that replace those of rules, by code, name or prefix: `error`, `warning` or `info`.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, String>"))]
    levels: IndexMap<String, String>,
    /// Exit with 1 if there is a finding of this level or above: `error`, `warning`, `info` or `never`. Default: `error`.
    fail_on: Option<String>,
    /// The files and folders to check if the command line names none.
    paths: TextList,
    /// Globs of files to skip. A glob without `/` matches at any depth; a folder stands for all files below it.
    exclude: TextList,
    /// Rules not to report for the files that match a glob.
    #[cfg_attr(test, schemars(with = "BTreeMap<String, TextList>"))]
    per_path_ignores: IndexMap<String, TextList>,
    /// The file with the known findings, which are not reported.
    baseline: Option<String>,
    /// Policies, which are rules of your own: each a map as in a file `*.policy.yaml`, or the path of such a file. Files of these names
    /// among those that are checked need not be named.
    #[cfg_attr(test, schemars(with = "Vec<tests::PathOrPolicy>"))]
    policies: Vec<serde_json::Value>,
    /// Namespace of objects without one. Default: `default`.
    namespace: Option<String>,
    /// What to assume about objects that the manifests refer to but do not contain: `ready` (they exist and are healthy)
    /// or `missing`. Default: `ready`.
    assume: Option<String>,
    /// Version of Kubernetes, such as `"1.34"`.
    kube_version: Option<String>,
    /// Version of Prometheus; overrides `spec.version`.
    prometheus_version: Option<String>,
    /// Release of the operator, such as `v0.91.0`.
    operator_version: Option<String>,
    /// Version of Prometheus for resources without `spec.version`.
    default_prometheus_version: Option<String>,
    /// Version of Alertmanager for resources without `spec.version`.
    default_alertmanager_version: Option<String>,
    /// Version of Thanos for resources without a version.
    default_thanos_version: Option<String>,
    /// Image of the config reloader.
    reloader_image: Option<String>,
    /// Feature gates of the operator, each `true` or `false`.
    feature_gates: BTreeMap<String, bool>,
}

/// A text or a list of texts.
#[derive(Default)]
struct TextList(Vec<String>);

impl<'de> Deserialize<'de> for TextList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Vec<String>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a list")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(vec![text.to_owned()])
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list))
            }
        }
        deserializer.deserialize_any(OneOrMany).map(Self)
    }
}

impl ConfigFile {
    /// The options of the file, and the default ones where it sets none.
    #[must_use]
    pub fn options(&self) -> Options {
        let defaults = Options::default();
        Options {
            target: Target {
                kubernetes: self
                    .kube_version
                    .clone()
                    .unwrap_or(defaults.target.kubernetes),
                prometheus: self.prometheus_version.clone(),
                operator: self.operator_version.clone(),
                default_prometheus: self.default_prometheus_version.clone(),
                default_alertmanager: self.default_alertmanager_version.clone(),
                default_thanos: self.default_thanos_version.clone(),
                reloader_image: self.reloader_image.clone(),
                features: self.feature_gates.clone(),
                watch: defaults.target.watch,
                flags: defaults.target.flags,
            },
            namespace_is_known: self.namespace.is_some(),
            namespace: self.namespace.clone().unwrap_or(defaults.namespace),
            assume: self.assume.unwrap_or(defaults.assume),
            is_repository: true,
            ..Options::default()
        }
    }

    /// Reads a file. `rules` are all existing rules. An empty file is valid.
    ///
    /// # Errors
    /// All findings about the file.
    pub fn parse(
        file: FileId,
        text: &str,
        rules: &[RuleRef],
        limits: &Limits,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut sink = Sink::default();
        let documents = read(file, text, &mut sink);
        let mut config = Self::default();
        if let [first, rest @ ..] = &documents[..] {
            let mut check = SettingsCheck {
                root: &first.root,
                rules,
                limits,
                n_glob_bytes: 0,
                sink: &mut sink,
            };
            config = check.document(text, first);
            for other in rest {
                check.fault(
                    other.root.span,
                    "unexpected second document: only the first one contains settings",
                );
            }
        }
        let mut faults = sink.into_diagnostics();
        faults.sort_by_key(|fault| {
            fault
                .place
                .as_ref()
                .and_then(Place::bytes)
                .map_or(0, |span| span.start)
        });
        if faults.is_empty() {
            Ok(config)
        } else {
            Err(faults)
        }
    }
}

/// The JSON Schema of the file, as `promgen schema config` prints it. A test writes it from the type of the file.
pub const SCHEMA: &str = include_str!("config/schema.json");

/// [`SCHEMA`] as a value.
fn schema() -> serde_json::Value {
    serde_json::from_str(SCHEMA).expect("a test wrote JSON")
}

/// The settings of `promgen.yaml` as a Markdown table: the name, the type, and the description.
#[must_use]
pub fn reference() -> String {
    let row = |(name, property): (&String, &serde_json::Value)| {
        let description = property["description"]
            .as_str()
            .unwrap_or_default()
            .replace('\n', " ");
        let values = &property["additionalProperties"]["type"];
        let shape = match (&property["type"], values.as_str()) {
            (_, Some("boolean")) => "map of booleans",
            (_, Some(_)) => "map of texts",
            (serde_json::Value::String(kind), None) if kind == "object" => "map of texts or lists",
            (serde_json::Value::Array(kinds), None) if kinds.iter().any(|kind| kind == "array") => {
                "text or list"
            }
            _ => "text",
        };
        format!("| `{name}` | {shape} | {description} |\n")
    };
    let rows: String = schema()["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(row)
        .collect();
    format!("| setting | type | meaning |\n|---|---|---|\n{rows}")
}

/// Validates and converts the settings.
struct SettingsCheck<'c> {
    root: &'c Node,
    rules: &'c [RuleRef],
    limits: &'c Limits,
    /// The length of all globs so far.
    n_glob_bytes: u64,
    sink: &'c mut Sink,
}

impl<'c> SettingsCheck<'c> {
    fn fault(&mut self, span: Span, message: impl Into<String>) {
        self.sink
            .report(Diagnostic::new(&INVALID_CONFIG, span, message));
    }

    fn unknown(&mut self, span: Span, what: &str, name: &str, known: &[&str]) {
        let diagnostic =
            Diagnostic::new(&INVALID_CONFIG, span, format!("unknown {what} \"{name}\""));
        let help = match suggest::closest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("expected one of: {}", known.join(", ")),
        };
        self.sink.report(diagnostic.help(help));
    }

    /// A word that stands at the wrong level: where it belongs.
    fn misplaced(&mut self, span: Span, what: &str, name: &str, home: &str) {
        let diagnostic =
            Diagnostic::new(&INVALID_CONFIG, span, format!("unknown {what} \"{name}\""));
        self.sink
            .report(diagnostic.help(format!("`{name}` belongs {home}")));
    }

    /// The setting that a word at the top belongs to.
    fn home(&self, name: &str) -> Option<&'static str> {
        let is_rule = self
            .rules
            .iter()
            .any(|rule| rule.code == name || rule.name == name && !rule.is_policy());
        let is_gate = FEATURES.iter().any(|feature| feature.name == name);
        match (is_rule, is_gate) {
            (true, _) => Some("in `levels`, or in the list `ignore`"),
            (_, true) => Some("in `feature-gates`"),
            _ => None,
        }
    }

    /// The node of a setting, for its place.
    fn node(&self, key: &str) -> &'c Node {
        self.root.get(key).unwrap_or(self.root)
    }

    /// Reports unknown keys, values of the wrong type, and invalid values.
    fn document(&mut self, text: &str, document: &ParsedDocument) -> ConfigFile {
        let schema = schema();
        let keys = schema["properties"].as_object().into_iter().flatten();
        let keys: Vec<_> = keys.map(|(key, _)| key.as_str()).collect();
        for entry in self
            .root
            .entries()
            .iter()
            .filter(|entry| !keys.contains(&&*entry.key))
        {
            match self.home(&entry.key) {
                Some(home) => self.misplaced(entry.key_span, "setting", &entry.key, home),
                None => self.unknown(entry.key_span, "setting", &entry.key, &keys),
            }
        }
        for outer in MAPS.iter().filter_map(|key| self.root.entry(key)) {
            for entry in outer
                .value
                .entries()
                .iter()
                .filter(|entry| keys.contains(&&*entry.key))
            {
                let home = format!("beside `{}`", outer.key);
                self.misplaced(entry.key_span, "key", &entry.key, &home);
            }
        }
        let (settings, mismatches) = typed::<SettingsFile>(text, document);
        for mismatch in mismatches
            .into_iter()
            .filter(|mismatch| !mismatch.message.starts_with("unknown field"))
        {
            self.sink
                .report(mismatch.diagnostic(&INVALID_CONFIG, self.root));
        }
        settings
            .map(|settings| self.config(settings))
            .unwrap_or_default()
    }

    fn config(&mut self, settings: SettingsFile) -> ConfigFile {
        let operator_version =
            self.release("operator-version", settings.operator_version.as_deref());
        ConfigFile {
            select: self.patterns(self.node("select"), &settings.select),
            ignore: self.patterns(self.node("ignore"), &settings.ignore),
            levels: self.levels(&settings.levels),
            fail_on: self.one_of("fail-on", settings.fail_on.as_deref(), FAIL_ON),
            paths: self.paths(settings.paths),
            exclude: self.globs(settings.exclude),
            per_path_ignores: self.per_path(&settings.per_path_ignores),
            baseline: self.text("baseline", settings.baseline),
            policies: self.policy_files(&settings.policies),
            has_policies: settings.policies.iter().any(serde_json::Value::is_object),
            namespace: self.text("namespace", settings.namespace),
            assume: self.one_of("assume", settings.assume.as_deref(), ASSUME),
            kube_version: self.version("kube-version", settings.kube_version.as_deref()),
            prometheus_version: self
                .version("prometheus-version", settings.prometheus_version.as_deref()),
            default_prometheus_version: self.version_text(
                "default-prometheus-version",
                settings.default_prometheus_version,
            ),
            default_alertmanager_version: self.version_text(
                "default-alertmanager-version",
                settings.default_alertmanager_version,
            ),
            default_thanos_version: self
                .version_text("default-thanos-version", settings.default_thanos_version),
            reloader_image: self.text("reloader-image", settings.reloader_image),
            feature_gates: self.gates(settings.feature_gates, operator_version.as_ref()),
            operator_version,
        }
    }

    fn text(&mut self, key: &'static str, text: Option<String>) -> Option<String> {
        if text.as_ref().is_some_and(String::is_empty) {
            self.fault(self.node(key).span, "expected a non-empty string");
        }
        text
    }

    /// The files with policies that are named. What is wrong with a policy is said where it is read.
    fn policy_files(&mut self, policies: &[serde_json::Value]) -> Vec<String> {
        let mut files = Vec::new();
        for (index, policy) in policies.iter().enumerate() {
            match policy {
                serde_json::Value::String(path) if !path.is_empty() => files.push(path.clone()),
                serde_json::Value::Object(_) => {}
                _ => {
                    let span = item(self.node("policies"), index).span;
                    self.fault(
                        span,
                        "expected a policy, or the path of a file with policies",
                    );
                }
            }
        }
        files
    }

    fn globs(&mut self, globs: TextList) -> Vec<String> {
        for (index, glob) in globs.0.iter().enumerate() {
            let span = item(self.node("exclude"), index).span;
            self.check_glob(glob, span);
        }
        globs.0
    }

    fn check_glob(&mut self, glob: &str, span: Span) {
        let n_chars = glob.chars().count();
        let max = self.limits.get(Limit::GlobBytes);
        let was_within = self.n_glob_bytes <= max;
        self.n_glob_bytes += glob.len() as u64;
        if was_within && self.n_glob_bytes > max {
            let excess = self.limits.excess(Limit::GlobBytes);
            self.sink
                .report(excess.diagnostic(span, "what the globs hold"));
        }
        if n_chars > MAX_GLOB_CHARS {
            self.fault(
                span,
                format!("the glob has {n_chars} characters: the maximum is {MAX_GLOB_CHARS}"),
            );
        } else if glob.is_empty() {
            self.fault(span, "expected a non-empty string");
        }
    }

    /// Paths of files. Only the command line can name standard input.
    fn paths(&mut self, paths: TextList) -> Vec<String> {
        let span = self.node("paths").span;
        if paths.0.iter().any(|path| path == "-") {
            self.fault(
                span,
                "\"-\" is not allowed here: only the command line can name standard input",
            );
        }
        if paths.0.iter().any(String::is_empty) {
            self.fault(span, "expected a non-empty string");
        }
        paths.0
    }

    fn patterns(&mut self, node: &Node, texts: &TextList) -> Vec<RulePattern> {
        let texts = texts.0.iter().enumerate();
        texts
            .filter_map(|(index, text)| self.pattern(text, item(node, index).span))
            .collect()
    }

    fn pattern(&mut self, text: &str, span: Span) -> Option<RulePattern> {
        RulePattern::parse(text, self.rules)
            .map_err(|why| self.fault(span, format!("\"{text}\": {why}")))
            .ok()
    }

    /// The value of a word, if the setting accepts it.
    fn one_of<T: Copy>(
        &mut self,
        key: &'static str,
        text: Option<&str>,
        known: &[(&str, T)],
    ) -> Option<T> {
        self.word(self.node(key).span, text?, known)
    }

    fn word<T: Copy>(&mut self, span: Span, text: &str, known: &[(&str, T)]) -> Option<T> {
        let found = known
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            self.unknown(
                span,
                "value",
                text,
                &known.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
            );
        }
        found
    }

    fn levels(&mut self, levels: &IndexMap<String, String>) -> Vec<(RulePattern, Level)> {
        let mut read = Vec::new();
        for (text, level) in levels.iter().filter(|(text, _)| !is_setting(text)) {
            let (key, value) = entry(self.node("levels"), text);
            read.extend(
                self.pattern(text, key)
                    .zip(self.word(value.span, level, LEVELS)),
            );
        }
        read
    }

    fn per_path(
        &mut self,
        ignores: &IndexMap<String, TextList>,
    ) -> Vec<(String, Vec<RulePattern>)> {
        let mut read = Vec::new();
        let written = self.node("per-path-ignores");
        let places: BTreeMap<&str, (Span, &Node)> = written
            .entries()
            .iter()
            .map(|entry| (&*entry.key, (entry.key_span, &entry.value)))
            .collect_map();
        for (glob, texts) in ignores {
            let (key, value) = places
                .get(glob.as_str())
                .copied()
                .unwrap_or((written.span, written));
            self.check_glob(glob, key);
            read.push((glob.clone(), self.patterns(value, texts)));
        }
        read
    }

    fn version(&mut self, key: &'static str, text: Option<&str>) -> Option<Version> {
        let version = Version::parse(text?);
        if version.is_none() {
            self.fault(
                self.node(key).span,
                "expected a version such as v3.13.2 or 1.35",
            );
        }
        version
    }

    /// A version, as it is written.
    fn version_text(&mut self, key: &'static str, text: Option<String>) -> Option<String> {
        self.version(key, text.as_deref()).and(text)
    }

    /// A release of the operator.
    fn release(&mut self, key: &'static str, text: Option<&str>) -> Option<Version> {
        release::parse(text?)
            .map_err(|why| self.fault(self.node(key).span, why))
            .ok()
    }

    fn gates(
        &mut self,
        gates: BTreeMap<String, bool>,
        operator: Option<&Version>,
    ) -> BTreeMap<String, bool> {
        let is_known =
            |feature: &&&Feature| operator.is_none_or(|operator| feature.is_known(operator));
        let names: Vec<_> = FEATURES
            .iter()
            .filter(is_known)
            .map(|feature| feature.name)
            .collect();
        for name in gates
            .keys()
            .filter(|name| !names.contains(&name.as_str()) && !is_setting(name))
        {
            let (key, _) = entry(self.node("feature-gates"), name);
            self.unknown(key, "feature gate", name, &names);
        }
        gates
    }
}

/// The settings whose keys are names of something else.
const MAPS: [&str; 2] = ["levels", "feature-gates"];

/// Returns whether a word is the name of a setting.
fn is_setting(name: &str) -> bool {
    schema()["properties"].get(name).is_some()
}

/// An item of a list, or the node itself if it is not a list.
fn item(node: &Node, index: usize) -> &Node {
    node.items().get(index).unwrap_or(node)
}

/// The place of a key, and its value.
fn entry<'n>(map: &'n Node, key: &str) -> (Span, &'n Node) {
    map.entry(key)
        .map_or((map.span, map), |entry| (entry.key_span, &entry.value))
}

const LEVELS: &[(&str, Level)] = &[
    ("error", Level::Error),
    ("warning", Level::Warning),
    ("info", Level::Info),
];

const FAIL_ON: &[(&str, FailOn)] = &[
    ("error", Some(Level::Error)),
    ("warning", Some(Level::Warning)),
    ("info", Some(Level::Info)),
    ("never", None),
];

const ASSUME: &[(&str, Assume)] = &[("ready", Assume::Ready), ("missing", Assume::Missing)];

#[cfg(test)]
mod tests {
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::*;
    use crate::rules;

    impl JsonSchema for TextList {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> std::borrow::Cow<'static, str> {
            "TextList".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
        }
    }

    pub(super) struct PathOrPolicy;

    impl JsonSchema for PathOrPolicy {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> std::borrow::Cow<'static, str> {
            "PathOrPolicy".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({ "type": ["string", "object"] })
        }
    }

    fn parse(text: &str) -> Result<ConfigFile, Vec<String>> {
        let words = |d: &Diagnostic| {
            format!(
                "{}{}",
                d.message,
                d.help.iter().map(|h| format!(" ({h})")).collect::<String>()
            )
        };
        let limits = Limits::default().with(Limit::GlobBytes, 2000);
        ConfigFile::parse(FileId::new(0), text, &rules::all(), &limits)
            .map_err(|faults| faults.iter().map(words).collect())
    }

    #[test]
    fn the_schema_is_that_of_the_type() {
        let mut schema = SchemaGenerator::default()
            .into_root_schema_for::<SettingsFile>()
            .to_value();
        schema["title"] = FILE_NAME.into();
        promgen_testing::assert_written(
            "crates/promgen-checks/src/config/schema.json",
            &format!("{schema:#}\n"),
        );
    }

    #[test]
    fn every_setting_arrives() {
        let text = "select: [PG1, idle-shard]\nignore: PG103\nlevels: {PG2: error, PG201: info}\nfail-on: never\npaths: [a, b]\nexclude: vendor\nper-path-ignores: {'test/**': [PG1]}\nbaseline: b.json\nnamespace: shop\nassume: missing\nkube-version: '1.34'\nprometheus-version: v3.5.0\ndefault-prometheus-version: v2.55.1\noperator-version: v0.92.0\ndefault-alertmanager-version: v0.33.0\ndefault-thanos-version: v0.41.0\nreloader-image: a:b\nfeature-gates: {PrometheusAgentDaemonSet: true}\n";
        let config = parse(text).unwrap();
        assert_eq!(
            (
                config.select.len(),
                config.ignore.len(),
                config.levels.len()
            ),
            (2, 1, 2)
        );
        assert_eq!(
            (config.fail_on, config.assume),
            (Some(None), Some(Assume::Missing))
        );
        assert_eq!(
            (
                config.paths.len(),
                config.exclude,
                config.per_path_ignores.len()
            ),
            (2, vec!["vendor".to_owned()], 1)
        );
        assert_eq!(
            (config.baseline.as_deref(), config.namespace.as_deref()),
            (Some("b.json"), Some("shop"))
        );
        assert_eq!(
            (config.kube_version, config.prometheus_version),
            (Version::parse("1.34"), Version::parse("v3.5.0"))
        );
        assert_eq!(
            config.default_prometheus_version.as_deref(),
            Some("v2.55.1")
        );
        assert_eq!(
            config.default_alertmanager_version.as_deref(),
            Some("v0.33.0")
        );
        assert_eq!(config.default_thanos_version.as_deref(), Some("v0.41.0"));
        assert_eq!(config.reloader_image.as_deref(), Some("a:b"));
        assert_eq!(config.operator_version, Version::parse("0.92.0"));
        assert!(config.feature_gates["PrometheusAgentDaemonSet"]);
        assert_eq!(
            parse("levels: {PG1: info, PG0: error}").unwrap().levels[1].1,
            Level::Error,
            "in the order of the file"
        );
    }

    #[test]
    fn nothing_says_nothing() {
        for text in ["", "# a comment\n", "select:\n", "---\n"] {
            assert_eq!(parse(text), Ok(ConfigFile::default()), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_fault() {
        for (text, fault) in [
            (
                "PG120: info",
                "unknown setting \"PG120\" (`PG120` belongs in `levels`, or in the list `ignore`)",
            ),
            (
                "PrometheusAgentDaemonSet: true",
                "unknown setting \"PrometheusAgentDaemonSet\" (`PrometheusAgentDaemonSet` belongs in `feature-gates`)",
            ),
            (
                "levels: {fail-on: error}",
                "unknown key \"fail-on\" (`fail-on` belongs beside `levels`)",
            ),
            (
                "selct: [PG1]",
                "unknown setting \"selct\" (did you mean \"select\"?)",
            ),
            (
                "select: [idle-shards]",
                "\"idle-shards\": unknown rule; did you mean `idle-shard`?",
            ),
            (
                "fail-on: warnings",
                "unknown value \"warnings\" (did you mean \"warning\"?)",
            ),
            (
                "levels: {PG201: off}",
                "unknown value \"off\" (expected one of: error, warning, info)",
            ),
            ("levels: [PG201]", "expected a map, found a list"),
            ("select: [PG1, {}]", "expected a string, found a map"),
            ("ignore: {}", "expected a string or a list, found a map"),
            ("namespace: ''", "expected a non-empty string"),
            (
                "kube-version: 1.34",
                "expected a string, found number 1.34 (put it in quotes to make it a text)",
            ),
            (
                "operator-version: v0.79.0",
                "expected a release of the operator from v0.80.0 on; the newest that promgen knows is v0.95.2",
            ),
            (
                "operator-version: v0.80.0\nfeature-gates: {StatusForConfigurationResources: true}",
                "unknown feature gate \"StatusForConfigurationResources\" (expected one of: PrometheusAgentDaemonSet, PrometheusTopologySharding)",
            ),
            (
                "kube-version: new",
                "expected a version such as v3.13.2 or 1.35",
            ),
            (
                "feature-gates: {PrometheusAgentDaemonset: true}",
                "unknown feature gate \"PrometheusAgentDaemonset\" (did you mean \"PrometheusAgentDaemonSet\"?)",
            ),
            (
                "feature-gates: {PrometheusAgentDaemonSet: 1}",
                "expected a boolean, found number 1",
            ),
            (
                &format!("exclude: ['{}']", "?".repeat(1025)),
                "the glob has 1025 characters: the maximum is 1024",
            ),
            ("- a", "expected a map, found a list"),
            (
                "ignore: PG1\nignore: PG2",
                "duplicate key `ignore` (remove one of the two)",
            ),
            (
                "{}\n---\n{}\n",
                "unexpected second document: only the first one contains settings",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err(), [fault], "{text}");
        }
        assert_eq!(parse("a: [").unwrap_err().len(), 1);
        let many = "selct: [PG1]\nignroe: [PG2]\nignore: [PG9x]\npaths: 1\nfail-on: warnings\nlevels: {PG201: off, PG202: on}\n";
        let faults = parse(many).unwrap_err();
        assert!(
            faults.len() == 7 && faults[0].contains("selct") && faults[6].contains("\"on\""),
            "{faults:?}"
        );
    }
}
