//! The rules that a unit test loads: as they are written, or as a workload mounts them; each with its place in the manifests.

mod first;

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::Workload;
use promgen_resources::api::Kind;
use promgen_text::diag::Sink;
use promgen_text::source::{Input, Position, Sources, Span};
use promgen_text::yaml::emit::{Dialect, to_string};
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{self, Map, Node, Value};

use crate::model::Model;
use crate::project::Project;
use promgen_text::CollectOrdered;

pub use first::first_test;

/// A file of rules, as Prometheus reads it.
#[derive(Clone, Debug)]
pub struct LoadedFile {
    /// Its text.
    pub text: String,
    /// Its rules, in their order.
    pub rules: Vec<LoadedRule>,
}

/// A rule, with its place in the manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedRule {
    /// The name of the alert, or of the recorded metric.
    pub name: String,
    /// It is an alert.
    pub is_alert: bool,
    /// Its expression.
    pub expr: String,
    /// The time that it is pending.
    pub hold: Option<String>,
    /// The labels that it sets.
    pub labels: BTreeMap<String, String>,
    /// Its annotations.
    pub annotations: BTreeMap<String, String>,
    /// File, line and column.
    pub place: RulePlace,
}

/// The place of a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RulePlace {
    /// The file.
    pub file: String,
    /// Line and column, from 1.
    pub at: (usize, usize),
    /// The number of the rule among those of its place: a release of a chart is the place of many.
    number: usize,
}

impl std::fmt::Display for RulePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.at.0, self.at.1)
    }
}

/// The rules of a file of Prometheus, which holds groups and is no object of Kubernetes. `None`: it is none.
#[must_use]
pub fn plain(input: &Input) -> Option<LoadedFile> {
    let mut sink = Sink::default();
    let sources = Sources::load(std::slice::from_ref(input), &mut sink);
    let (id, file) = sources.files().next()?;
    let documents = yaml::read::read(id, &file.text, &mut sink);
    let [document] = documents.as_slice() else {
        return None;
    };
    let root = &document.root;
    let is_object = root.get("kind").is_some() || root.get("apiVersion").is_some();
    let groups = root.get("groups").filter(|_| !is_object)?.items();
    let rules = groups
        .iter()
        .flat_map(|group| of_group(group, &sources))
        .collect();
    Some(LoadedFile {
        text: file.text.to_string(),
        rules,
    })
}

impl Project {
    /// The rules of all PrometheusRules, as they are written.
    #[must_use]
    pub fn rules_as_written(&self) -> Vec<LoadedFile> {
        let mut seen = BTreeSet::new();
        let documents = self
            .environments()
            .iter()
            .flat_map(|environment| &environment.documents);
        let is_rule = |document: &&ParsedDocument| {
            let text = |key| document.root.text_of(key).unwrap_or_default();
            text("kind") == Kind::PrometheusRule.as_str()
                && text("apiVersion").starts_with(Kind::PrometheusRule.group())
        };
        let name = |document: &ParsedDocument| {
            let text = |keys: &[&str]| {
                document
                    .root
                    .find(keys)
                    .and_then(Node::as_str)
                    .unwrap_or_default()
                    .to_owned()
            };
            (
                document.root.span,
                text(&["metadata", "namespace"]),
                text(&["metadata", "name"]),
            )
        };
        let new = documents
            .filter(is_rule)
            .filter(|document| seen.insert(name(document)));
        new.map(|document| self.loaded(&document.root)).collect()
    }

    fn loaded(&self, rule: &Node) -> LoadedFile {
        let groups = rule.items_at(&["spec", "groups"]);
        let rules = groups
            .iter()
            .flat_map(|group| of_group(group, self.sources()))
            .collect();
        let groups: Vec<Value> = groups
            .iter()
            .map(|group| group.without_key(STRATEGY).to_value())
            .collect();
        LoadedFile {
            text: to_string(&Map::new().with("groups", groups).into(), Dialect::Sigs),
            rules,
        }
    }
}

/// The fields of a group that Thanos alone reads.
const STRATEGY: &str = "partial_response_strategy";

/// The rules of each group of an environment, by the place of the group.
pub struct GroupRules(BTreeMap<Span, Vec<LoadedRule>>);

impl GroupRules {
    /// Those of the objects of a model.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let sources = model.project().sources();
        let rules = model
            .manifests()
            .documents
            .iter()
            .filter(|document| document.kind == Kind::PrometheusRule);
        let groups = rules.flat_map(|document| document.node.items_at(&["spec", "groups"]));
        Self(
            groups
                .map(|group| (group.span, of_group(group, sources)))
                .collect_map(),
        )
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &LoadedRule> {
        self.0.values().flatten()
    }

    /// The rules that a workload mounts, as it mounts them.
    #[must_use]
    pub fn mounted(&self, workload: &Workload) -> Vec<LoadedFile> {
        let file = |file: &promgen_compile::output::RuleFile| {
            let groups = file
                .groups
                .iter()
                .filter_map(|origin| self.0.get(&origin.span?));
            let strategy = format!("  {STRATEGY}:");
            let lines = file
                .text
                .split_inclusive('\n')
                .filter(|line| !line.starts_with(&strategy));
            LoadedFile {
                text: lines.collect(),
                rules: groups.flatten().cloned().collect(),
            }
        };
        workload.rule_files.iter().map(file).collect()
    }
}

fn of_group(group: &Node, sources: &Sources) -> Vec<LoadedRule> {
    let rules = group.items_of("rules").iter().enumerate();
    rules
        .map(|(number, rule)| of_rule(rule, number, sources))
        .collect()
}

fn of_rule(rule: &Node, number: usize, sources: &Sources) -> LoadedRule {
    let text = |key: &str| rule.text_of(key).map(str::to_owned);
    let texts = |key: &str| {
        let entries = rule.get(key).map_or(&[][..], Node::entries).iter();
        entries
            .filter_map(|entry| Some((entry.key.to_string(), entry.value.as_str()?.to_owned())))
            .collect_map()
    };
    let Position { line, column } = sources.start(rule.span);
    LoadedRule {
        is_alert: rule.get("alert").is_some(),
        name: text("alert").or_else(|| text("record")).unwrap_or_default(),
        expr: text("expr").unwrap_or_default(),
        hold: text("for"),
        labels: texts("labels"),
        annotations: texts("annotations"),
        place: RulePlace {
            file: sources.file(rule.span.file).name.clone(),
            at: (line, column),
            number,
        },
    }
}

impl LoadedFile {
    /// The rule that a line of the text belongs to, from 1.
    #[must_use]
    pub fn rule_at(&self, line: usize) -> Option<&LoadedRule> {
        let mut sources = Sources::default();
        let id = sources.add("rules.yaml".to_owned(), self.text.clone());
        let documents = yaml::read::read(id, &self.text, &mut Sink::default());
        let groups = documents.first()?.root.items_of("groups");
        let rules: Vec<Span> = groups
            .iter()
            .flat_map(|group| group.items_of("rules"))
            .map(|rule| rule.span)
            .collect();
        let index = rules
            .iter()
            .rposition(|span| sources.start(*span).line <= line)?;
        self.rules.get(index)
    }
}
