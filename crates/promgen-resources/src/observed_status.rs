//! Statuses of a file: an earlier one, or what a cluster shows.
//!
//! In: manifests, such as `kubectl get -o yaml` prints them. Out: the status of each object, as it stands there. Nothing
//! is checked against a schema: a status is whatever some operator wrote.

use std::collections::BTreeMap;

use crate::api::Kind;
use crate::document::{self, Document};
use crate::locate::{self, FindingTexts};
use crate::secrecy::Private;
use promgen_text::CollectOrdered;
use promgen_text::diag::{Diagnostic, Sink};
use promgen_text::source::{Input, Sources};
use promgen_text::yaml::{self, Map, Value};

/// An object, as far as a status depends on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObservedObject {
    /// `metadata.generation`.
    pub generation: Option<i64>,
    /// It is on its way out.
    pub is_deleting: bool,
    /// Its status. Empty if it has none.
    pub status: Map,
}

impl ObservedObject {
    fn of(document: &Document) -> Self {
        let metadata = |key: &str| {
            document
                .node
                .find(&["metadata", key])
                .map(yaml::Node::to_value)
        };
        let generation = match metadata("generation") {
            Some(Value::Int(generation)) => Some(generation),
            _ => None,
        };
        Self {
            generation,
            is_deleting: metadata("deletionTimestamp").is_some(),
            status: status_of(document),
        }
    }
}

/// The status that stands in a document; empty if there is none.
pub fn status_of(document: &Document) -> Map {
    match document.node.get("status").map(yaml::Node::to_value) {
        Some(Value::Map(status)) => status,
        _ => Map::new(),
    }
}

/// Objects with their statuses, by kind, namespace and name. Of objects that are there twice the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statuses {
    objects: BTreeMap<(Kind, String, String), ObservedObject>,
}

impl Statuses {
    /// Reads manifests. Objects that name no namespace are in that one. What is no YAML is among the findings.
    #[must_use]
    pub fn read(inputs: &[Input], namespace: &str) -> (Self, Vec<Diagnostic>, Sources) {
        let mut sink = Sink::default();
        let sources = Sources::load(inputs, &mut sink);
        let files = sources.files();
        let parsed: Vec<_> = files
            .flat_map(|(id, file)| yaml::read::read(id, &file.text, &mut sink))
            .collect();
        let documents = document::documents(parsed, namespace, &mut sink);
        let object = |d: &Document| {
            (
                (d.kind, d.namespace.to_string(), d.name.to_string()),
                ObservedObject::of(d),
            )
        };
        let objects = documents.iter().map(object).collect_map();
        // What comes from a cluster may hold anything: none of its lines is shown.
        let mut private = Private::default();
        sources.files().for_each(|(id, _)| private.add_file(id));
        let diagnostics = locate::place(
            sink.into_diagnostics(),
            &documents,
            FindingTexts {
                sources: &sources,
                n_manifests: inputs.len(),
                private: &private,
            },
        );
        (Self { objects }, diagnostics, sources)
    }

    /// The object of that kind, namespace and name.
    #[must_use]
    pub fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&ObservedObject> {
        self.objects
            .get(&(kind, namespace.to_owned(), name.to_owned()))
    }

    /// All objects that have a status, in order.
    pub fn with_status(&self) -> impl Iterator<Item = (Kind, &str, &str, &ObservedObject)> {
        let with_status = self
            .objects
            .iter()
            .filter(|(_, live)| !live.status.is_empty());
        with_status
            .map(|((kind, namespace, name), live)| (*kind, namespace.as_str(), name.as_str(), live))
    }
}
