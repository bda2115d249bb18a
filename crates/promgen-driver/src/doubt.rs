//! The unknown parts of a model: values that are filled in later, that something outside of the input may override, or that
//! a part of a kustomization may set which is not built.

use std::collections::{BTreeMap, BTreeSet};

use promgen_compile::cluster::Candidate;
use promgen_compile::select::selector::{SelectionResult, WorkloadSelector};
use promgen_prometheus::labels::miss::Miss;
use promgen_repository::unknown::Unknown;
use promgen_resources::document::{self, Document};
use promgen_resources::locate;
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The unknown parts of a model.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    /// The values that are filled in later.
    pub(crate) later: Unknown,
    /// The places of values that something may override, each with a sentence that says what.
    pub(crate) overridden: BTreeMap<Span, String>,
    /// The places of the objects of which anything may change.
    pub(crate) open: BTreeSet<Span>,
    /// The releases of charts with workloads that are not compiled, each with the reason.
    pub(crate) uncompiled: Vec<(Span, String)>,
}

impl Doubts {
    /// The gaps in what is known of documents.
    pub(crate) fn of(documents: &[ParsedDocument], uncompiled: Vec<(Span, String)>) -> Self {
        let overridden = |document: &ParsedDocument| {
            let release = document.origin.release()?;
            Some((release.place, release.unknown.last()?.clone()))
        };
        Self {
            later: Unknown::of(documents),
            overridden: documents.iter().filter_map(overridden).collect(),
            open: documents.iter().filter(|of| of.origin.is_open()).map(|of| of.root.span).collect(),
            uncompiled,
        }
    }

    /// Why it is not known whether a workload selects a resource that it does not select as both are written. `None`: it does
    /// not.
    pub(crate) fn of_selection(
        &self,
        documents: &[Document],
        (selector, candidate): (&WorkloadSelector<'_>, &Candidate<'_>),
        choice: &SelectionResult,
    ) -> Option<String> {
        if self.later.is_empty() && self.overridden.is_empty() && self.open.is_empty() {
            return None;
        }
        match choice {
            SelectionResult::Taken | SelectionResult::Broken => return None,
            SelectionResult::Missed { .. } | SelectionResult::NoSelector => {}
        }
        if self.is_open(documents, candidate.doc) {
            return Some(format!("a part of its kustomization that is not built can change {candidate}"));
        }
        if self.is_open(documents, selector.by.doc) {
            return Some(format!("a part of its kustomization that is not built can change {selector}"));
        }
        let misses_namespace = !matches!(choice, SelectionResult::Missed { namespace: None, .. });
        let labels: &[Miss] = match choice {
            SelectionResult::Missed { labels, .. } => labels,
            _ => &[],
        };
        let of_labels = labels.iter().map(|miss| selector.labels.place_of(&miss.required));
        let fields = [selector.labels.place(), selector.namespaces.place()];
        let places = of_labels.chain(fields.into_iter().filter(|_| misses_namespace || labels.is_empty()));
        let by_selector = places.filter_map(|at| self.why(documents, &at)).next();
        let by_selector = by_selector.map(|why| format!("{why}, which can change the selector"));
        by_selector.or_else(|| {
            let metadata = At::doc(candidate.doc).key("metadata");
            let field = if misses_namespace { metadata.key("namespace") } else { metadata.key("labels") };
            self.comes_later(documents, &field).then(|| format!("values of {candidate} are filled in later"))
        })
    }

    /// Returns whether anything of an object may change.
    pub(crate) fn is_open(&self, documents: &[Document], doc: DocId) -> bool {
        !self.open.is_empty()
            && document::find(documents, doc).is_some_and(|found| self.open.contains(&found.node.span))
    }

    /// Returns whether an object, or anything of it, is filled in later or may be changed.
    pub(crate) fn is_about(&self, node: &Node) -> bool {
        self.open.contains(&node.span) || self.later.touches(node.span)
    }

    /// Why the value of a field is not known.
    pub(crate) fn why(&self, documents: &[Document], at: &At) -> Option<String> {
        let overridden = || self.overridden.get(&locate::locate(at, documents)?).cloned();
        overridden().or_else(|| self.comes_later(documents, at).then(|| "the value is filled in later".to_owned()))
    }

    /// Returns whether the value of a field is filled in later.
    fn comes_later(&self, documents: &[Document], at: &At) -> bool {
        let found = document::find(documents, at.doc).map(|document| document.node.locate(&at.route));
        found.is_some_and(|found| found.exact && self.later.touches(found.value))
    }
}
