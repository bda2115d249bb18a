//! What a policy is about: the cheap conditions, which need no expression.

use std::collections::{BTreeMap, BTreeSet};

use promgen_cel::CelObjectType;
use promgen_model::glob::Globs;
use promgen_resources::unknown::is_later_text;
use promgen_targets::network::truth::Truth;
use promgen_text::yaml::Node;

use crate::facts::object::has_later_key;
use crate::facts::{endpoint, routing, rule, workload};
use crate::file::MatchText;

/// A kind of thing that policies are about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SubjectKind {
    /// An alert of a PrometheusRule.
    Alert,
    /// A recording rule.
    Record,
    /// An endpoint of a monitor.
    Endpoint,
    /// A workload of the operator.
    Workload,
    /// A route of an Alertmanager.
    Route,
    /// A receiver of an Alertmanager.
    Receiver,
    /// An object of that kind.
    Object(String),
}

/// The words for kinds that are no objects.
const WORDS: [(&str, &[SubjectKind]); 7] = [
    ("alert", &[SubjectKind::Alert]),
    ("record", &[SubjectKind::Record]),
    ("rule", &[SubjectKind::Alert, SubjectKind::Record]),
    ("endpoint", &[SubjectKind::Endpoint]),
    ("workload", &[SubjectKind::Workload]),
    ("route", &[SubjectKind::Route]),
    ("receiver", &[SubjectKind::Receiver]),
];

impl SubjectKind {
    /// The kinds that a word means: one of the words, or a kind of objects. `None`: it is neither.
    pub(crate) fn all(word: &str) -> Option<Vec<Self>> {
        let known = WORDS.iter().find(|(known, _)| *known == word);
        match known {
            Some((_, kinds)) => Some(kinds.to_vec()),
            None => word
                .starts_with(|first: char| first.is_ascii_uppercase())
                .then(|| vec![Self::Object(word.to_owned())]),
        }
    }

    /// The words for kinds that are no objects.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        WORDS.iter().map(|(word, _)| *word)
    }
}

/// Names, some of them as globs.
#[derive(Debug, Default)]
struct MatchedNames {
    exact: BTreeSet<String>,
    globs: Option<Globs>,
}

impl MatchedNames {
    fn new(texts: &[String]) -> Option<Self> {
        let is_glob = |text: &&String| text.contains(['*', '?']);
        let globs: Vec<&str> = texts.iter().filter(is_glob).map(String::as_str).collect();
        (!texts.is_empty()).then(|| Self {
            exact: texts.iter().filter(|of| !is_glob(of)).cloned().collect(),
            globs: (!globs.is_empty()).then(|| Globs::new(globs)),
        })
    }

    fn has(&self, name: &str) -> bool {
        let is_match = |globs: &Globs| globs.is_match(name);
        self.exact.contains(name) || self.globs.as_ref().is_some_and(is_match)
    }

    /// Returns whether it is one of them. One that is filled in later may be any.
    fn may_have(&self, name: &str) -> Truth {
        match self.has(name) {
            true => Truth::Yes,
            false if is_later_text(name) => Truth::Unknown,
            false => Truth::No,
        }
    }
}

/// The conditions of a `match`.
#[derive(Debug)]
pub(crate) struct PolicyMatch {
    names: Option<MatchedNames>,
    namespaces: Option<MatchedNames>,
    labels: Vec<(String, MatchedNames)>,
    workloads: Option<MatchedNames>,
    /// Folders name environments, so that these are paths, too.
    environments: Option<Globs>,
    /// Paths are globs in any case: a folder stands for what is in it.
    paths: Option<Globs>,
    except: Option<Box<Self>>,
}

/// What `match` is asked of.
pub(crate) struct MatchedThing<'m> {
    pub(crate) name: &'m str,
    /// `None`: it lives in no namespace.
    pub(crate) namespace: Option<&'m str>,
    pub(crate) labels: Option<&'m Node>,
    /// Those that have or select it: `Kind/namespace/name`.
    pub(crate) workloads: &'m [String],
    pub(crate) environment: Option<&'m str>,
    pub(crate) path: &'m str,
}

impl PolicyMatch {
    pub(crate) fn new(text: &MatchText) -> Self {
        let paths = |texts: &[String]| {
            let globs = || Globs::new(texts.iter().map(String::as_str));
            (!texts.is_empty()).then(globs)
        };
        Self {
            names: MatchedNames::new(text.names.all()),
            namespaces: MatchedNames::new(text.namespaces.all()),
            labels: labels(&text.labels),
            workloads: MatchedNames::new(text.workload.all()),
            environments: paths(text.environments.all()),
            paths: paths(text.paths.all()),
            except: text.except.as_deref().map(|text| Box::new(Self::new(text))),
        }
    }

    /// All globs.
    pub(crate) fn globs(text: &MatchText) -> Vec<&str> {
        let lists = [
            &text.names,
            &text.namespaces,
            &text.workload,
            &text.environments,
            &text.paths,
        ];
        let own = lists.into_iter().flat_map(|list| list.all().iter());
        let own = own.chain(text.labels.values()).map(String::as_str);
        let except = text.except.iter().flat_map(|except| Self::globs(except));
        own.chain(except).collect()
    }

    /// Returns whether it asks for workloads.
    pub(crate) fn asks_workloads(&self) -> bool {
        let of_except = self.except.as_ref().is_some_and(|of| of.asks_workloads());
        self.workloads.is_some() || of_except
    }

    /// Returns whether all holds of it.
    pub(crate) fn is_about(&self, of: &MatchedThing<'_>) -> Truth {
        let has = |names: &Option<MatchedNames>, name: Option<&str>| match (names, name) {
            (None, _) => Truth::Yes,
            (Some(_), None) => Truth::No,
            (Some(names), Some(name)) => names.may_have(name),
        };
        let is_in = |globs: &Option<Globs>, path: &str| {
            let globs = globs.as_ref();
            globs.map_or(Truth::Yes, |globs| globs.is_match(path).into())
        };
        let label = |(key, values): &(String, MatchedNames)| {
            let value = of.labels.and_then(|labels| labels.text_of(key));
            match value {
                Some(value) => values.may_have(value),
                None if of.labels.is_some_and(has_later_key) => Truth::Unknown,
                None => Truth::No,
            }
        };
        let by_workload = self.workloads.as_ref().map_or(Truth::Yes, |names| {
            of.workloads.iter().any(|of| names.has(of)).into()
        });
        let excepted = self
            .except
            .as_ref()
            .map_or(Truth::No, |of_except| of_except.is_about(of));
        let own = [
            has(&self.names, Some(of.name)),
            has(&self.namespaces, of.namespace),
            is_in(&self.environments, of.environment.unwrap_or_default()),
            by_workload,
            is_in(&self.paths, of.path),
            excepted.negated(),
        ];
        Truth::all(own.into_iter().chain(self.labels.iter().map(label)))
    }
}

fn labels(texts: &BTreeMap<String, String>) -> Vec<(String, MatchedNames)> {
    let of = |(key, value): (&String, &String)| {
        Some((key.clone(), MatchedNames::new(std::slice::from_ref(value))?))
    };
    texts.iter().filter_map(of).collect()
}

/// The facts of a kind. `None`: it is an object.
pub(crate) const fn table(kind: &SubjectKind) -> Option<&'static CelObjectType> {
    match kind {
        SubjectKind::Alert | SubjectKind::Record => Some(&rule::RULE),
        SubjectKind::Endpoint => Some(&endpoint::ENDPOINT),
        SubjectKind::Workload => Some(&workload::WORKLOAD),
        SubjectKind::Route => Some(&routing::ROUTE),
        SubjectKind::Receiver => Some(&routing::RECEIVER),
        SubjectKind::Object(_) => None,
    }
}
