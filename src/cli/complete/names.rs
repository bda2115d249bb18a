//! The names of a repository: what its environments hold.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::cli::complete::place::{CompletedWord, OfferedKind};
use crate::cli::fs::{self, Folders, IgnoredPaths};
use promgen_answers::explain;
use promgen_compile::options::Options;
use promgen_model::resource_name::ResourceName;
use promgen_model::{Project, environments};
use promgen_resources::api::Kind;
use promgen_text::limits::Limits;
use promgen_text::yaml::Node;

/// The kinds of what targets are discovered from.
const DISCOVERED: [&str; 5] = ["Pod", "Service", "EndpointSlice", "Ingress", "Node"];

/// A repository, read.
pub(super) struct CompletionRepository {
    project: Arc<Project>,
}

impl CompletionRepository {
    /// Reads what a line names, or the folder that it is typed in. `None` if that is too much, or cannot be read.
    pub(super) fn read(word: &CompletedWord) -> Option<Self> {
        let paths = fs::or_current(&word.paths);
        if word.paths.is_empty() && !fs::may_be_repository(&fs::absolute(Path::new("."))) {
            return None;
        }
        let read = fs::read_repository(
            paths,
            |_| false,
            Folders::Built,
            IgnoredPaths::Skipped,
            Limits::default(),
            &mut io::empty(),
        )
        .ok()?;
        let mut options = Options {
            is_repository: true,
            ..Options::default()
        };
        if let Some(namespace) = &word.namespace {
            options.namespace.clone_from(namespace);
        }
        Some(Self {
            project: Project::read(&read.inputs, &options),
        })
    }

    /// The names that a word may become.
    pub(super) fn offers(&self, word: &CompletedWord) -> BTreeSet<String> {
        match word.wanted {
            OfferedKind::Environments => environments::names(self.project.environments())
                .into_iter()
                .collect(),
            OfferedKind::Namespaces => self.namespaces(),
            OfferedKind::Workloads => self.of_kinds(Kind::WORKLOADS, word).collect(),
            OfferedKind::Resources => self
                .of_kinds(Kind::OF_OPERATOR, word)
                .chain(self.alerts())
                .collect(),
            OfferedKind::Alerts => self.alerts().collect(),
            OfferedKind::Targets => self.targets(word),
            OfferedKind::Rules => BTreeSet::new(),
        }
    }

    fn namespace(&self) -> &str {
        &self.project.options().namespace
    }

    fn roots(&self) -> impl Iterator<Item = Cow<'_, Node>> {
        self.project
            .environments()
            .iter()
            .flat_map(explain::own_roots)
    }

    /// The resources of these kinds, with the kind as it is typed.
    fn of_kinds(&self, kinds: &[Kind], word: &CompletedWord) -> impl Iterator<Item = String> {
        let names = explain::names(self.project.environments(), self.namespace());
        let all = names.filter(|name| kinds.contains(&name.kind));
        let typed = word.text.split_once('/').map(|(typed, _)| typed);
        let named = all.filter_map(
            move |ResourceName {
                      kind,
                      namespace,
                      name,
                  }| {
                let shown = match typed {
                    Some(typed) => {
                        Some(typed.to_owned()).filter(|typed| Kind::of_word(typed) == Some(kind))?
                    }
                    None => kind.as_str().to_lowercase(),
                };
                Some((shown, namespace, name))
            },
        );
        forms(named, word).into_iter()
    }

    /// `pod/shop/cart-0`, and the like.
    fn targets(&self, word: &CompletedWord) -> BTreeSet<String> {
        let named = self.roots().filter_map(|root| {
            let kind = root
                .get("kind")
                .and_then(Node::as_str)
                .filter(|kind| DISCOVERED.contains(kind))?;
            let text = |key: &str| root.find(&["metadata", key]).and_then(Node::as_str);
            let namespace = text("namespace").unwrap_or(self.namespace()).to_owned();
            Some((kind.to_lowercase(), namespace, text("name")?.to_owned()))
        });
        forms(named, word).into_iter().collect()
    }

    /// The alerts of all PrometheusRules.
    fn alerts(&self) -> impl Iterator<Item = String> {
        let rules = self
            .roots()
            .filter(|root| root.get("kind").and_then(Node::as_str) == Some("PrometheusRule"));
        rules.flat_map(|rule| {
            let groups = rule
                .find(&["spec", "groups"])
                .map_or(&[][..], Node::items)
                .iter();
            let alerts = groups.flat_map(|group| group.get("rules").map_or(&[][..], Node::items));
            let names = alerts.filter_map(|rule| rule.get("alert").and_then(Node::as_str));
            names
                .map(|name| format!("alert/{name}"))
                .collect::<Vec<_>>()
        })
    }

    fn namespaces(&self) -> BTreeSet<String> {
        let named = self.roots().filter_map(|root| {
            let is_namespace = root.get("kind").and_then(Node::as_str) == Some("Namespace");
            let key = if is_namespace { "name" } else { "namespace" };
            root.find(&["metadata", key])
                .and_then(Node::as_str)
                .map(str::to_owned)
        });
        named.collect()
    }
}

/// `KIND/NAME` if there is one, and else `KIND/NAMESPACE/NAME`, as of all if the word has a namespace.
fn forms(
    named: impl Iterator<Item = (String, String, String)>,
    word: &CompletedWord,
) -> Vec<String> {
    let mut by_name: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for (kind, namespace, name) in named {
        let is_meant = word
            .namespace
            .as_ref()
            .is_none_or(|meant| *meant == namespace);
        if is_meant {
            by_name.entry((kind, name)).or_default().insert(namespace);
        }
    }
    let has_namespace = word.text.matches('/').count() > 1;
    let mut forms = Vec::new();
    for ((kind, name), namespaces) in &by_name {
        match namespaces.len() == 1 && !has_namespace {
            true => forms.push(format!("{kind}/{name}")),
            false => forms.extend(
                namespaces
                    .iter()
                    .map(|namespace| format!("{kind}/{namespace}/{name}")),
            ),
        }
    }
    forms
}
