//! The scope of a lint.

use promgen_model::monitors::makes_jobs;
use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::output::CheckedCounts;
use promgen_compile::select::selector::selectors;
use promgen_compile::select::takers::Takers;
use promgen_model::Model;
use promgen_policy::JudgedCounts;
use promgen_resources::api::Kind;
use promgen_resources::document::{self, Document, Manifest};
use promgen_text::CollectOrdered;
use promgen_text::route::DocId;
use promgen_text::source::{FileId, Span};
use promgen_text::yaml::Node;

/// The number of rules of a PrometheusRule, valid or not.
fn n_rules(root: &Node) -> usize {
    let groups = root.items_at(&["spec", "groups"]);
    groups
        .iter()
        .map(|group| group.get("rules").map_or(0, |rules| rules.items().len()))
        .sum()
}

/// The place of an object, with its name if a chart makes several at one place.
fn place(document: &Document) -> (Span, String) {
    let name = if document.origin.released().is_none() {
        ""
    } else {
        &document.name
    };
    (document.node.span, name.to_owned())
}

/// The places of the resources that were looked at. A file that several environments use counts once.
#[derive(Default)]
pub(super) struct SeenResources {
    /// Each with the number of its rules, and whether a workload selects it. A release of a chart is the place of many.
    pub(super) rules: BTreeMap<(Span, String), (usize, bool)>,
    pub(super) monitors: BTreeMap<(Span, String), bool>,
    pub(super) alertmanager_configs: BTreeSet<Span>,
    pub(super) selecting: BTreeSet<Span>,
    pub(super) resources: BTreeSet<Span>,
    pub(super) lookalikes: BTreeMap<String, BTreeSet<Span>>,
    /// What the policies say, in each environment.
    pub(super) judged: JudgedCounts,
}

impl SeenResources {
    pub(super) fn add(&mut self, model: &Model, is_own: impl Fn(FileId) -> bool) {
        let (cluster, documents) = (model.cluster(), &model.manifests().documents);
        let selectors = selectors(cluster);
        let span = |doc: DocId| document::find(documents, doc).map(|document| document.node.span);
        for document in documents
            .iter()
            .filter(|document| is_own(document.node.span.file))
        {
            let span = document.node.span;
            let place = || place(document);
            if document.kind.group() == Kind::Prometheus.group() {
                self.resources.insert(span);
            }
            match document.kind {
                Kind::AlertmanagerConfig => drop(self.alertmanager_configs.insert(span)),
                Kind::PrometheusRule => {
                    self.rules.entry(place()).or_default().0 = n_rules(&document.node)
                }
                kind if makes_jobs(kind) => {
                    self.monitors.entry(place()).or_default();
                }
                _ => {}
            }
        }
        let is_alike = |object: &Manifest<'_>| {
            let is_kind = |kind: &&Kind| {
                kind.group() == Kind::Prometheus.group() && kind.as_str() == object.kind
            };
            object.group != Kind::Prometheus.group()
                && object.group.contains('.')
                && Kind::ALL.iter().any(|k| is_kind(&k))
        };
        for object in model.manifests().iter().filter(is_alike) {
            self.lookalikes
                .entry(object.group.to_owned())
                .or_default()
                .insert(object.node.span);
        }
        let mut takers = Takers::new(&selectors, cluster);
        for candidate in cluster.candidates() {
            let Some(document) = document::find(documents, candidate.doc) else {
                continue;
            };
            let is_selected = takers.is_selected(&candidate);
            let place = place(document);
            if let Some((_, selected)) = self.rules.get_mut(&place) {
                *selected |= is_selected;
            }
            if let Some(selected) = self.monitors.get_mut(&place) {
                *selected |= is_selected;
            }
        }
        let by = selectors
            .iter()
            .filter(|selector| selector.takes != Kind::AlertmanagerConfig);
        self.selecting.extend(
            by.filter_map(|selector| span(selector.by.doc))
                .filter(|span| is_own(span.file)),
        );
    }

    pub(super) fn all(environments: Vec<Self>) -> Self {
        let mut all = Self::default();
        for Self {
            rules,
            monitors,
            alertmanager_configs,
            selecting,
            resources,
            lookalikes,
            judged,
        } in environments
        {
            all.judged.add(judged);
            for (place, (n_rules, is_selected)) in rules {
                let seen = all.rules.entry(place).or_default();
                *seen = (n_rules, seen.1 || is_selected);
            }
            for (place, is_selected) in monitors {
                *all.monitors.entry(place).or_default() |= is_selected;
            }
            all.alertmanager_configs.extend(alertmanager_configs);
            all.selecting.extend(selecting);
            all.resources.extend(resources);
            for (group, spans) in lookalikes {
                all.lookalikes.entry(group).or_default().extend(spans);
            }
        }
        all
    }

    pub(super) fn checked(&self) -> CheckedCounts {
        CheckedCounts {
            rules: self.rules.values().map(|(n_rules, _)| n_rules).sum(),
            selected_rules: self
                .rules
                .values()
                .filter(|(_, selected)| *selected)
                .map(|(n_rules, _)| n_rules)
                .sum(),
            monitors: self.monitors.len(),
            selected_monitors: self.monitors.values().filter(|selected| **selected).count(),
            alertmanager_configs: self.alertmanager_configs.len(),
            selecting: self.selecting.len(),
            resources: self.resources.len(),
            lookalikes: self
                .lookalikes
                .iter()
                .map(|(group, spans)| (group.clone(), spans.len()))
                .collect_map(),
            policies: self.judged.clone().0,
        }
    }
}
