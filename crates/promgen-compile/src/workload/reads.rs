//! What a workload reads of the objects of a run: the key under which a later run may keep what it compiles to.
//!
//! In: a run, a workload with its selectors, and the objects that it has asked for by name. Out: [`Reads`]. If they are the
//! same in two runs with the same options, so is what the workload compiles to.

use crate::cluster::{Key, Object, Objects};
use crate::output::WorkloadKind;
use crate::select::takers::Takers;
use crate::workload::kept::Uncompiled;
use crate::workload::{Run, owner, storage_class};
use promgen_resources::api::{Kind, Resource};
use promgen_resources::document::{self, Document};
use promgen_text::route::DocId;
use promgen_text::shared::Shared;
use promgen_text::yaml::Node;

/// The objects that a workload reads.
#[derive(Clone, Debug)]
pub struct Reads {
    /// Its own documents, the resources that it selects, and the live pods and sets beside it.
    documents: Vec<DependedDocument>,
    /// The objects that it has asked for by name, and the documents of those that exist.
    asked: Vec<((Kind, Key), Vec<DependedDocument>)>,
    /// The owner that the input lacks.
    missing_owner: Option<String>,
    /// The StorageClass that the input lacks.
    missing_class: Option<String>,
}

/// A document. It is the same in another run if it has the same identity and the same node: places contain the identity.
#[derive(Clone, Debug)]
struct DependedDocument {
    doc: DocId,
    node: Shared<Node>,
}

impl PartialEq for DependedDocument {
    fn eq(&self, other: &Self) -> bool {
        // Equal nodes may stand at other places of the text.
        self.doc == other.doc && self.node.is_same(&other.node)
    }
}

impl PartialEq for Reads {
    fn eq(&self, other: &Self) -> bool {
        self.documents == other.documents
            && self.asked == other.asked
            && self.missing_owner == other.missing_owner
            && self.missing_class == other.missing_class
    }
}

impl Reads {
    /// What a workload reads that has asked for these objects.
    pub(super) fn of(run: &Run<'_>, workload: &Uncompiled<'_>, asked: Vec<(Kind, Key)>) -> Self {
        let own = document::find(run.documents, workload.doc);
        let mut documents: Vec<DocId> = Vec::new();
        if let Some(own) = own {
            // A live object of the same name has the status.
            let is_same = |other: &&_| same_object(own, other);
            documents.extend(
                run.documents
                    .iter()
                    .filter(is_same)
                    .map(|document| document.id),
            );
            beside(&run.cluster.stateful_sets, &own.namespace, &mut documents);
            beside(&run.cluster.pods, &own.namespace, &mut documents);
            if workload.kind == WorkloadKind::PrometheusAgent {
                beside(&run.cluster.daemon_sets, &own.namespace, &mut documents);
            }
        }
        let mut takers = Takers::new(&workload.selectors, run.cluster);
        let selected = run
            .cluster
            .candidates()
            .filter(|candidate| takers.is_selected(candidate));
        documents.extend(
            selected
                .flat_map(|candidate| [Some(candidate.doc), candidate.observed])
                .flatten(),
        );
        Self {
            documents: read(run, documents),
            asked: asked
                .into_iter()
                .map(|(kind, key)| answer(run, kind, key))
                .collect(),
            missing_owner: own.and_then(|own| owner::missing(run, own)),
            missing_class: own.and_then(|own| storage_class::missing(run, own)),
        }
    }

    /// Returns whether they are of the workload with that document, which has not changed.
    pub(super) fn is_of(&self, run: &Run<'_>, doc: DocId) -> bool {
        let own = read(run, [doc]);
        own.first().is_some_and(|own| self.documents.contains(own))
    }

    /// Returns whether the workload reads the same in a run: what it compiled to before is what it compiles to there,
    /// if the options are the same.
    pub(super) fn hold(&self, run: &Run<'_>, workload: &Uncompiled<'_>) -> bool {
        let asked = self
            .asked
            .iter()
            .map(|(object, _)| object.clone())
            .collect();
        Self::of(run, workload, asked) == *self
    }
}

fn same_object(a: &Document, b: &Document) -> bool {
    a.kind == b.kind && a.namespace == b.namespace && a.name == b.name
}

/// Adds the objects of a namespace: their state becomes that of the workload.
fn beside<T: Resource>(objects: &Objects<T>, namespace: &str, documents: &mut Vec<DocId>) {
    documents.extend(
        objects
            .values()
            .filter(|object| object.namespace() == namespace)
            .flat_map(documents_of),
    );
}

fn documents_of<T>(object: &Object<T>) -> impl Iterator<Item = DocId> + use<T> {
    [Some(object.doc), object.observed].into_iter().flatten()
}

fn read(run: &Run<'_>, documents: impl IntoIterator<Item = DocId>) -> Vec<DependedDocument> {
    let known = |doc: DocId| {
        let document = document::find(run.documents, doc)?;
        Some(DependedDocument {
            doc,
            node: document.node.clone(),
        })
    };
    documents.into_iter().filter_map(known).collect()
}

/// An object that a workload has asked for, with its documents.
fn answer(run: &Run<'_>, kind: Kind, key: Key) -> ((Kind, Key), Vec<DependedDocument>) {
    fn found<T>(objects: &Objects<T>, key: &Key) -> Vec<DocId> {
        objects
            .get(key)
            .into_iter()
            .flat_map(documents_of)
            .collect()
    }
    let cluster = run.cluster;
    let documents = match kind {
        Kind::Service => found(&cluster.services, &key),
        Kind::ConfigMap => found(&cluster.config_maps, &key),
        Kind::AlertmanagerConfig => found(&cluster.alertmanager_configs, &key),
        _ => found(&cluster.secrets, &key),
    };
    let documents = read(run, documents);
    ((kind, key), documents)
}
