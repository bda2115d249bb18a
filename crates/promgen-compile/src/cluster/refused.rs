//! The objects that the API server refuses, why, and what workloads among them would select.
//!
//! The cluster keeps the old state of such an object, which the manifests do not tell. So nothing follows from its absence.

use std::fmt;

use crate::cluster::{Cluster, Objects};
use promgen_resources::api::{Kind, PrometheusRule};
use promgen_resources::document::Document;
use promgen_text::diag::{Diagnostic, Level, Place};
use promgen_text::route::{At, DocId};
use promgen_text::source::Span;

/// An object that the API server refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct RefusedObject {
    /// Its kind.
    pub kind: Kind,
    /// Its document.
    pub doc: DocId,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The first reason.
    pub why: String,
    /// The place of the reason.
    pub place: Place,
    /// It has the form of its kind, so that its selectors are known.
    pub is_typed: bool,
}

impl fmt::Display for RefusedObject {
    /// `Prometheus monitoring/k8s`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.kind.as_str(), self.namespace, self.name)
    }
}

impl RefusedObject {
    /// An object whose text cannot be read as its kind, at the place of the reason. The namespace may be unknown.
    #[must_use]
    pub fn unread(kind: Kind, namespace: &str, name: &str, why: String, place: Span) -> Self {
        Self {
            kind,
            doc: DocId::NONE,
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            why,
            place: Place::Span(place),
            is_typed: false,
        }
    }

    /// The object of a document, and the findings about it.
    pub(super) fn new(document: &Document, findings: &[Diagnostic], is_typed: bool) -> Self {
        let errors = findings.iter().filter(|found| found.level == Level::Error);
        let first = errors.into_iter().next();
        // A value that may be a secret is not repeated.
        let why = |found: &Diagnostic| found.guarded_message();
        Self {
            kind: document.kind,
            doc: document.id,
            namespace: document.namespace.to_string(),
            name: document.name.to_string(),
            why: first.map_or_else(|| "it does not have the form of its kind".to_owned(), why),
            place: first
                .and_then(|found| found.place.clone())
                .unwrap_or_else(|| At::doc(document.id).into()),
            is_typed,
        }
    }
}

/// The objects that the API server refuses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refused {
    /// All of them, in input order.
    pub objects: Vec<RefusedObject>,
    /// The workloads that have the form of their kind, and PrometheusRules of which only the metadata is wrong.
    pub(super) workloads: Option<Box<Cluster>>,
}

impl Refused {
    /// The workloads that have the form of their kind, for their selectors.
    #[must_use]
    pub fn workloads(&self) -> Option<&Cluster> {
        self.workloads.as_deref()
    }

    /// The PrometheusRules of which only the metadata is wrong: their rules can be judged. A name may be filled in later.
    #[must_use]
    pub fn misnamed_rules(&self) -> Option<&Objects<PrometheusRule>> {
        self.workloads
            .as_ref()
            .map(|cluster| &cluster.prometheus_rules)
            .filter(|rules| !rules.is_empty())
    }

    /// Adds objects that cannot be read as what they are meant to be.
    pub fn extend(&mut self, unread: impl IntoIterator<Item = RefusedObject>) {
        self.objects.extend(unread);
    }

    /// The object of that kind, namespace and name.
    #[must_use]
    pub fn find(&self, kind: Kind, namespace: &str, name: &str) -> Option<&RefusedObject> {
        self.objects.iter().find(|refused| {
            refused.kind == kind && refused.namespace == namespace && refused.name == name
        })
    }

    /// Returns whether a workload may select resources of a kind, and it is not known which.
    #[must_use]
    pub fn hides_selectors_of(&self, kind: Kind) -> bool {
        self.hiding_selectors_of(kind).next().is_some()
    }

    /// The workloads that may select resources of a kind, and of which it is not known which.
    pub fn hiding_selectors_of(&self, kind: Kind) -> impl Iterator<Item = &RefusedObject> {
        let may_take = move |by: Kind| match by {
            Kind::Prometheus => kind != Kind::AlertmanagerConfig,
            Kind::PrometheusAgent => {
                !matches!(kind, Kind::AlertmanagerConfig | Kind::PrometheusRule)
            }
            Kind::ThanosRuler => kind == Kind::PrometheusRule,
            Kind::Alertmanager => kind == Kind::AlertmanagerConfig,
            _ => false,
        };
        self.objects
            .iter()
            .filter(move |refused| !refused.is_typed && may_take(refused.kind))
    }
}
