//! The configuration file of `promgen lint`: `promgen.yaml`.
//!
//! In: its text. Out: a [`Config`], or what is wrong with it, with places. Strict: what is not known is a fault, so that no
//! setting is lost in silence. Knows no path but as text: what they are relative to is the caller's business.

use std::collections::BTreeMap;

use promgen_compile::options::Assume;
use promgen_resources::gates::FEATURES;
use promgen_text::diag::pattern::Pattern;
use promgen_text::diag::{Diagnostic, Level, Rule, Sink, rule};
use promgen_text::source::{FileId, Span};
use promgen_text::suggest;
use promgen_text::version::Version;
use promgen_text::yaml::read::read;
use promgen_text::yaml::{Data, Entry, Node};

rule! {
    /// ## What it does
    /// Finds settings in `promgen.yaml` that there are not, or values that they cannot have.
    ///
    /// ## Why is this bad?
    /// The setting would be lost in silence, so nothing is looked at until it is mended.
    ///
    /// ## Example
    /// `fail-on: warnings`
    ///
    /// Use instead: `fail-on: warning`
    pub(crate) static INVALID_CONFIG = "PG031" "invalid-config" {
        summary: "a setting in promgen.yaml that there is not", level: Error, since: "0.1.0",
    }
}

/// The rules of this module.
pub static RULES: &[&Rule] = &[&INVALID_CONFIG];

/// The name of the file.
pub const FILE_NAME: &str = "promgen.yaml";

/// Most characters of a glob: a path is rarely a fourth of that, and matching takes the product of both lengths.
pub const MAX_GLOB_CHARS: usize = 1024;

/// From which level on findings fail a run. None: never.
pub type FailOn = Option<Level>;

/// What the file says. What it does not say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Only these rules.
    pub select: Vec<Pattern>,
    /// Not these rules.
    pub ignore: Vec<Pattern>,
    /// Other levels than the rules'.
    pub levels: Vec<(Pattern, Level)>,
    /// From which level on findings fail a run.
    pub fail_on: Option<FailOn>,
    /// What to look at if no path is named.
    pub paths: Vec<String>,
    /// Globs of what not to look at.
    pub exclude: Vec<String>,
    /// Rules that do not hold for files, by glob.
    pub per_path_ignores: Vec<(String, Vec<Pattern>)>,
    /// The baseline.
    pub baseline: Option<String>,
    /// Namespace of objects that name none.
    pub namespace: Option<String>,
    /// What holds for what is not in the input.
    pub assume: Option<Assume>,
    /// Version of the cluster.
    pub kube_version: Option<Version>,
    /// Version of Prometheus, whatever the resource says.
    pub prometheus_version: Option<Version>,
    /// Version of Prometheus where the resource names none, as it was written.
    pub default_prometheus_version: Option<String>,
    /// Feature gates of the operator.
    pub feature_gates: BTreeMap<String, bool>,
}

/// The settings, for "did you mean".
const KEYS: &[&str] = &[
    "select",
    "ignore",
    "levels",
    "fail-on",
    "paths",
    "exclude",
    "per-path-ignores",
    "baseline",
    "namespace",
    "assume",
    "kube-version",
    "prometheus-version",
    "default-prometheus-version",
    "feature-gates",
];

impl Config {
    /// Reads the file of that number. `rules` are all that there are. An empty file says nothing.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(file: FileId, text: &str, rules: &[&'static Rule]) -> Result<Self, Vec<Diagnostic>> {
        let mut sink = Sink::default();
        let documents = read(file, text, &mut sink);
        let mut config = Self::default();
        let mut reader = Reader { rules, sink };
        if let [first, rest @ ..] = &documents[..] {
            reader.settings(&first.root, &mut config);
            for other in rest {
                reader.fault(other.root.span, "a second document: the settings are the first one");
            }
        }
        let faults = reader.sink.into_diagnostics();
        if faults.is_empty() { Ok(config) } else { Err(faults) }
    }
}

struct Reader<'r> {
    rules: &'r [&'static Rule],
    sink: Sink,
}

impl Reader<'_> {
    fn fault(&mut self, span: Span, message: impl Into<String>) {
        self.sink.report(Diagnostic::new(&INVALID_CONFIG, span, message));
    }

    fn unknown(&mut self, span: Span, what: &str, name: &str, known: &[&str]) {
        let diagnostic = Diagnostic::new(&INVALID_CONFIG, span, format!("no {what} \"{name}\""));
        let help = match suggest::closest(name, known.iter().copied()) {
            Some(meant) => format!("did you mean \"{meant}\"?"),
            None => format!("there are {}", known.join(", ")),
        };
        self.sink.report(diagnostic.help(help));
    }

    fn settings(&mut self, root: &Node<'_>, config: &mut Config) {
        for Entry { key, key_span, value } in self.entries(root) {
            match &**key {
                _ if value.is_null() => {}
                "select" => config.select = self.patterns(value),
                "ignore" => config.ignore = self.patterns(value),
                "levels" => config.levels = self.levels(value),
                "fail-on" => config.fail_on = self.one_of(value, FAIL_ON),
                "paths" => config.paths = self.paths(value),
                "exclude" => config.exclude = self.globs(value),
                "per-path-ignores" => config.per_path_ignores = self.per_path(value),
                "baseline" => config.baseline = self.text(value),
                "namespace" => config.namespace = self.text(value),
                "assume" => config.assume = self.one_of(value, ASSUME),
                "kube-version" => config.kube_version = self.version(value).map(|(version, _)| version),
                "prometheus-version" => config.prometheus_version = self.version(value).map(|(version, _)| version),
                "default-prometheus-version" => {
                    config.default_prometheus_version = self.version(value).map(|(_, text)| text);
                }
                "feature-gates" => config.feature_gates = self.gates(value),
                other => self.unknown(*key_span, "setting", other, KEYS),
            }
        }
    }

    fn entries<'n, 'a>(&mut self, node: &'n Node<'a>) -> &'n [Entry<'a>] {
        if !matches!(node.data, Data::Map(_)) {
            self.fault(node.span, "expected a map");
        }
        node.entries()
    }

    fn text(&mut self, node: &Node<'_>) -> Option<String> {
        let text = node.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        if text.is_none() {
            self.fault(node.span, "expected a text");
        }
        text
    }

    /// A list of texts, or one alone.
    fn texts(&mut self, node: &Node<'_>) -> Vec<String> {
        match &node.data {
            Data::Seq(items) => items.iter().filter_map(|item| self.text(item)).collect(),
            _ => self.text(node).into_iter().collect(),
        }
    }

    fn globs(&mut self, node: &Node<'_>) -> Vec<String> {
        let items = if matches!(node.data, Data::Seq(_)) { node.items() } else { std::slice::from_ref(node) };
        for item in items {
            self.check_glob(item.as_str().unwrap_or_default(), item.span);
        }
        self.texts(node)
    }

    fn check_glob(&mut self, text: &str, span: Span) {
        let n_chars = text.chars().count();
        if n_chars > MAX_GLOB_CHARS {
            self.fault(span, format!("a glob of {n_chars} characters: a glob has at most {MAX_GLOB_CHARS}"));
        }
    }

    /// Paths of files. Standard input is for the command line: a file cannot say who writes to it.
    fn paths(&mut self, node: &Node<'_>) -> Vec<String> {
        let paths = self.texts(node);
        if paths.iter().any(|path| path == "-") {
            self.fault(node.span, "\"-\" is no path here: name standard input on the command line");
        }
        paths
    }

    fn patterns(&mut self, node: &Node<'_>) -> Vec<Pattern> {
        let items = if matches!(node.data, Data::Seq(_)) { node.items() } else { std::slice::from_ref(node) };
        items.iter().filter_map(|item| self.text(item).and_then(|text| self.pattern(&text, item.span))).collect()
    }

    fn pattern(&mut self, text: &str, span: Span) -> Option<Pattern> {
        match Pattern::parse(text, self.rules) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.fault(span, format!("\"{text}\": {why}"));
                None
            }
        }
    }

    fn one_of<T: Copy>(&mut self, node: &Node<'_>, known: &[(&str, T)]) -> Option<T> {
        let text = self.text(node)?;
        let found = known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            self.unknown(node.span, "value", &text, &names);
        }
        found
    }

    fn levels(&mut self, node: &Node<'_>) -> Vec<(Pattern, Level)> {
        let mut levels = Vec::new();
        for Entry { key, key_span, value } in self.entries(node) {
            let (pattern, level) = (self.pattern(key, *key_span), self.one_of(value, LEVELS));
            levels.extend(pattern.zip(level));
        }
        levels
    }

    fn per_path(&mut self, node: &Node<'_>) -> Vec<(String, Vec<Pattern>)> {
        let entries = self.entries(node).iter();
        for Entry { key, key_span, .. } in node.entries() {
            self.check_glob(key, *key_span);
        }
        entries.map(|entry| (entry.key.clone().into_owned(), self.patterns(&entry.value))).collect()
    }

    /// A version. One like 1.30 is a number to YAML, which would make 1.3 of it: the text is taken, but asked to be quoted.
    fn version(&mut self, node: &Node<'_>) -> Option<(Version, String)> {
        if matches!(node.data, Data::Float(_) | Data::Int(_)) {
            self.fault(node.span, "a number: put the version in quotes");
            return None;
        }
        let text = self.text(node)?;
        let version = Version::parse(&text);
        if version.is_none() {
            self.fault(node.span, "expected a version such as v3.13.2 or 1.35");
        }
        version.map(|version| (version, text))
    }

    fn gates(&mut self, node: &Node<'_>) -> BTreeMap<String, bool> {
        let mut gates = BTreeMap::new();
        for Entry { key, key_span, value } in self.entries(node) {
            let names: Vec<_> = FEATURES.iter().map(|feature| feature.name).collect();
            match &value.data {
                _ if !names.contains(&&**key) => self.unknown(*key_span, "feature gate", key, &names),
                Data::Bool(on) => {
                    gates.insert(key.clone().into_owned(), *on);
                }
                _ => self.fault(value.span, "expected true or false"),
            }
        }
        gates
    }
}

const LEVELS: &[(&str, Level)] = &[("error", Level::Error), ("warning", Level::Warning), ("info", Level::Info)];

const FAIL_ON: &[(&str, FailOn)] =
    &[("error", Some(Level::Error)), ("warning", Some(Level::Warning)), ("info", Some(Level::Info)), ("never", None)];

const ASSUME: &[(&str, Assume)] = &[("ready", Assume::Ready), ("missing", Assume::Missing)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn parse(text: &str) -> Result<Config, Vec<String>> {
        let told =
            |d: &Diagnostic| format!("{}{}", d.message, d.help.iter().map(|h| format!(" ({h})")).collect::<String>());
        Config::parse(FileId(0), text, &rules::all()).map_err(|faults| faults.iter().map(told).collect())
    }

    #[test]
    fn every_setting_arrives() {
        let text = "select: [PG1, idle-shard]\nignore: PG103\nlevels: {PG2: error, PG201: info}\nfail-on: never\npaths: [a, b]\nexclude: vendor\nper-path-ignores: {'test/**': [PG1]}\nbaseline: b.json\nnamespace: shop\nassume: missing\nkube-version: '1.34'\nprometheus-version: v3.5.0\ndefault-prometheus-version: v2.55.1\nfeature-gates: {PrometheusAgentDaemonSet: true}\n";
        let config = parse(text).unwrap();
        assert_eq!((config.select.len(), config.ignore.len(), config.levels.len()), (2, 1, 2));
        assert_eq!((config.fail_on, config.assume), (Some(None), Some(Assume::Missing)));
        assert_eq!(
            (config.paths.len(), config.exclude, config.per_path_ignores.len()),
            (2, vec!["vendor".to_owned()], 1)
        );
        assert_eq!((config.baseline.as_deref(), config.namespace.as_deref()), (Some("b.json"), Some("shop")));
        assert_eq!(
            (config.kube_version, config.prometheus_version),
            (Version::parse("1.34"), Version::parse("v3.5.0"))
        );
        assert_eq!(config.default_prometheus_version.as_deref(), Some("v2.55.1"));
        assert!(config.feature_gates["PrometheusAgentDaemonSet"]);
        for key in KEYS {
            assert!(text.contains(&format!("{key}:")), "{key}");
        }
    }

    #[test]
    fn nothing_says_nothing() {
        for text in ["", "# a comment\n", "select:\n", "---\n"] {
            assert_eq!(parse(text), Ok(Config::default()), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_fault() {
        for (text, fault) in [
            ("selct: [PG1]", "no setting \"selct\" (did you mean \"select\"?)"),
            ("select: [idle-shards]", "\"idle-shards\": no such rule; did you mean `idle-shard`?"),
            ("fail-on: warnings", "no value \"warnings\" (did you mean \"warning\"?)"),
            ("levels: {PG201: off}", "expected a text"),
            ("levels: [PG201]", "expected a map"),
            ("kube-version: 1.34", "a number: put the version in quotes"),
            ("kube-version: new", "expected a version such as v3.13.2 or 1.35"),
            (
                "feature-gates: {PrometheusAgentDaemonset: true}",
                "no feature gate \"PrometheusAgentDaemonset\" (did you mean \"PrometheusAgentDaemonSet\"?)",
            ),
            ("feature-gates: {PrometheusAgentDaemonSet: 1}", "expected true or false"),
            (&format!("exclude: ['{}']", "?".repeat(1025)), "a glob of 1025 characters: a glob has at most 1024"),
            ("- a", "expected a map"),
            ("{}\n---\n{}\n", "a second document: the settings are the first one"),
        ] {
            assert_eq!(parse(text).unwrap_err(), [fault], "{text}");
        }
        assert_eq!(parse("a: [").unwrap_err().len(), 1);
    }
}
