//! The unknown parts of a model: values that are filled in later, that something outside of the input may override, or that
//! a part of a kustomization may set which is not built.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{SelectionResult, SelectorField, WorkloadSelector};
use promgen_prometheus::labels::miss::Miss;
use promgen_resources::document::{self, Document};
use promgen_resources::locate;
use promgen_resources::unknown::{Unknown, is_filled_in_later};
use promgen_text::CollectOrdered;
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The unknown parts of a model.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// The values that are filled in later.
    pub(crate) later: Unknown,
    /// The places of values that something may override, each with a sentence that says what.
    pub(crate) overridden: BTreeMap<Span, String>,
    /// The places of values in which something may be overridden, in the same way.
    pub(crate) weak: Vec<(Span, String)>,
    /// The places of the objects of which anything may change.
    pub(crate) open: BTreeSet<Span>,
    /// The releases of charts with workloads that are not compiled, each with the reason.
    pub uncompiled: Vec<(Span, String)>,
    /// The names of charts that are not rendered and that no object states, and of their releases.
    pub(crate) unread_charts: Vec<String>,
    /// Whether Flux or Argo CD apply parts of the input, so that others may apply the rest of the cluster.
    pub has_appliers: bool,
}

impl Unknowns {
    /// The gaps in what is known of documents.
    pub(crate) fn of(documents: &[ParsedDocument], uncompiled: Vec<(Span, String)>) -> Self {
        let overridden = |document: &ParsedDocument| {
            let release = document.origin.release()?;
            Some((release.place, release.unknown.last()?.clone()))
        };
        let weak = documents
            .iter()
            .filter_map(|document| document.origin.release());
        let weak: BTreeMap<Span, String> = weak
            .flat_map(|release| release.overridden.iter().cloned())
            .collect_map();
        Self {
            later: Unknown::of(documents),
            overridden: documents.iter().filter_map(overridden).collect_map(),
            weak: weak.into_iter().collect(),
            open: documents
                .iter()
                .filter(|of| of.origin.is_open())
                .map(|of| of.root.span)
                .collect_set(),
            uncompiled,
            unread_charts: Vec::new(),
            has_appliers: false,
        }
    }

    /// Returns whether nothing is open that may change what workloads select.
    pub fn leave_selection(&self) -> bool {
        self.later.is_empty() && self.overridden.is_empty() && self.open.is_empty()
    }

    /// Why it is not known whether a workload selects a resource that it does not select as both are written. `None`: it does
    /// not.
    pub fn of_selection(
        &self,
        documents: &[Document],
        selector: &WorkloadSelector<'_>,
        candidate: &Candidate<'_>,
        choice: &SelectionResult,
    ) -> Option<String> {
        if self.leave_selection() {
            return None;
        }
        match choice {
            SelectionResult::Taken | SelectionResult::Broken => return None,
            SelectionResult::Missed { .. } | SelectionResult::NoSelector => {}
        }
        if self.is_open(documents, candidate.doc) {
            return Some(format!(
                "a part of its kustomization that is not built can change {candidate}"
            ));
        }
        if self.is_open(documents, selector.by.doc) {
            return Some(format!(
                "a part of its kustomization that is not built can change {selector}"
            ));
        }
        let SelectionResult::Missed { namespace, labels } = choice else {
            let fields = [selector.labels.place(), selector.namespaces.place()];
            return fields.iter().find_map(|at| self.of_selector(documents, at));
        };
        // What is certain to be missed is missed, whatever becomes of the rest.
        let of_labels = labels
            .iter()
            .map(|miss| self.of_miss(documents, selector, candidate, miss));
        let of_labels: Option<Vec<String>> = of_labels.collect();
        let of_namespace = || {
            let own = At::doc(candidate.doc).key("metadata").key("namespace");
            let of_selector = self.of_selector(documents, &selector.namespaces.place());
            of_selector.or_else(|| {
                self.comes_later(documents, &own)
                    .then(|| of_values(candidate))
            })
        };
        let of_namespace = namespace
            .as_ref()
            .map(|_| of_namespace().ok_or(()))
            .transpose()
            .ok()?;
        of_labels?.into_iter().next().or(of_namespace)
    }

    /// Why a label that is missed may be there, or be not required, once all is known.
    fn of_miss(
        &self,
        documents: &[Document],
        selector: &WorkloadSelector<'_>,
        candidate: &Candidate<'_>,
        miss: &Miss,
    ) -> Option<String> {
        let (field, labels) = (
            selector.labels.place(),
            At::doc(candidate.doc).key("metadata").key("labels"),
        );
        let by_selector = match miss.seen {
            Some(_) => self.of_selector(documents, &selector.labels.place_of(&miss.required)),
            // No value helps where there is no such label.
            None => self
                .overridden(documents, &selector.labels.place_of(&miss.required))
                .or_else(|| {
                    let is_later = self.comes_later_as_a_whole(documents, &field);
                    is_later.then(|| format!("{LATER}{CHANGES}"))
                }),
        };
        let is_candidate_later = || match miss.seen {
            Some(_) => self.comes_later(documents, &labels.key(miss.required.key.clone())),
            // A value that is filled in later is no label yet.
            None => {
                self.comes_later_as_a_whole(documents, &labels)
                    || names_later(documents, &labels)
                    || self.comes_later(documents, &labels.key(miss.required.key.clone()))
            }
        };
        by_selector.or_else(|| is_candidate_later().then(|| of_values(candidate)))
    }

    /// Why a part of a selector is not known.
    fn of_selector(&self, documents: &[Document], at: &At) -> Option<String> {
        self.why(documents, at).map(|why| format!("{why}{CHANGES}"))
    }

    fn overridden(&self, documents: &[Document], at: &At) -> Option<String> {
        self.may_override(documents, at)
            .map(|why| format!("{why}{CHANGES}"))
    }

    /// Returns whether anything of an object may change.
    pub fn is_open(&self, documents: &[Document], doc: DocId) -> bool {
        !self.open.is_empty()
            && document::find(documents, doc)
                .is_some_and(|found| self.open.contains(&found.node.span))
    }

    /// Returns whether anything of the object may change in which something stands.
    pub fn is_in_open(&self, documents: &[Document], place: &Place) -> bool {
        let span = match place {
            Place::Span(span) => Some(*span),
            Place::At(at) | Place::Key(at) | Place::Within(at, _) => locate::locate(at, documents),
        };
        // Objects do not overlap.
        span.is_some_and(|span| {
            let last = Span {
                end: u32::MAX,
                ..span
            };
            let mut before = self.open.range(..=last);
            before.next_back().is_some_and(|outer| outer.holds(span))
        })
    }

    /// Returns whether an object, or anything of it, is filled in later or may be changed.
    pub fn is_about(&self, node: &Node) -> bool {
        self.open.contains(&node.span) || self.later.touches(node.span)
    }

    /// Returns whether a part of a value is filled in later, or may be overridden.
    pub fn may_change(&self, node: &Node) -> bool {
        let mut overridden = self
            .overridden
            .keys()
            .chain(self.weak.iter().map(|(at, _)| at));
        self.later.touches(node.span)
            || overridden.any(|at| at.holds(node.span) || node.span.holds(*at))
    }

    /// Why a value is not known: it is filled in later, or may be overridden.
    pub fn why_unknown(&self, node: &Node) -> Option<String> {
        let weak = self.weak.iter().find(|(outer, _)| outer.holds(node.span));
        let overridden = self.overridden.get(&node.span).or(weak.map(|(_, why)| why));
        let is_later = || self.later.covers(node.span).then(|| LATER.to_owned());
        overridden.cloned().or_else(is_later)
    }

    /// Returns whether anything of an object may change.
    pub fn is_open_object(&self, root: &Node) -> bool {
        self.open.contains(&root.span)
    }

    /// Returns whether a value in the spec of an object is filled in later.
    pub fn leave_open(&self, documents: &[Document], doc: DocId) -> bool {
        // What a chart makes has the places of its values, which may make something else, too.
        let is_written = document::find(documents, doc)
            .is_some_and(|document| document.origin.release().is_none());
        is_written && self.comes_later(documents, &At::spec(doc))
    }

    /// Why the value of a field is not known.
    pub fn why(&self, documents: &[Document], at: &At) -> Option<String> {
        let overridden = || self.may_override(documents, at).map(str::to_owned);
        overridden().or_else(|| self.comes_later(documents, at).then(|| LATER.to_owned()))
    }

    /// What may override the value of a field.
    fn may_override(&self, documents: &[Document], at: &At) -> Option<&str> {
        let place = locate::locate(at, documents)?;
        let weak = || {
            self.weak
                .iter()
                .find(|(outer, _)| outer.holds(place))
                .map(|(_, why)| why)
        };
        self.overridden
            .get(&place)
            .or_else(weak)
            .map(String::as_str)
    }

    /// Returns whether the value of a field is filled in later.
    fn comes_later(&self, documents: &[Document], at: &At) -> bool {
        self.field_later(documents, at, &|node| is_filled_in_later(node), &|span| {
            self.later.touches(span)
        })
    }

    /// Returns whether a field as a whole is filled in later, rather than something in it.
    fn comes_later_as_a_whole(&self, documents: &[Document], at: &At) -> bool {
        let is_later = |node: &Node| node.as_str().is_some() && is_filled_in_later(node);
        self.field_later(documents, at, &is_later, &|span| self.later.covers(span))
    }

    /// Returns whether a field is filled in later: by its value if a chart makes the object, or else by its place.
    fn field_later(
        &self,
        documents: &[Document],
        at: &At,
        by_value: &dyn Fn(&Node) -> bool,
        by_place: &dyn Fn(Span) -> bool,
    ) -> bool {
        let Some(document) = document::find(documents, at.doc).filter(|_| !self.later.is_empty())
        else {
            return false;
        };
        if document.origin.release().is_some() {
            return document.node.at(&at.route).is_some_and(by_value);
        }
        let found = document.node.locate(&at.route);
        found.exact && by_place(found.value)
    }
}

/// What is missed, with the requirement as it is written: one that is filled in later is no label.
pub fn as_written(documents: &[Document], field: &SelectorField<'_>, miss: &Miss) -> Miss {
    let at = field.place_of(&miss.required);
    let written = document::find(documents, at.doc)
        .and_then(|document| document.node.at(&at.route)?.as_str());
    let mut miss = miss.clone();
    if let (Some(written), [value]) = (written, miss.required.values.as_mut_slice()) {
        written.clone_into(value);
    }
    miss
}

const LATER: &str = "the value is filled in later";

const CHANGES: &str = ", which can change the selector";

fn of_values(candidate: &Candidate<'_>) -> String {
    format!("values of {candidate} are filled in later")
}

/// Returns whether a label has a name that is filled in later.
fn names_later(documents: &[Document], labels: &At) -> bool {
    let found = document::find(documents, labels.doc)
        .and_then(|document| document.node.find(&["metadata", "labels"]));
    found.is_some_and(|labels| {
        labels
            .entries()
            .iter()
            .any(|entry| entry.key.contains(['$', '{', '<']))
    })
}
