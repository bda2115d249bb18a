//! A Secret or ConfigMap in the input: the keys that it has, and whether something else may give it more.

use std::collections::BTreeSet;

use promgen_compile::cluster::Key;
use promgen_model::model::World;
use promgen_resources::api::{Kind, ObjectMeta};
use promgen_text::CollectOrdered;
use promgen_text::diag::Place;
use promgen_text::route::{At, DocId};
use promgen_text::yaml::{Node, StringMap};

/// A Secret or ConfigMap in the input.
pub(super) struct Given<'m> {
    doc: DocId,
    /// The field that has its texts.
    field: &'static str,
    key: &'m Key,
    metadata: &'m ObjectMeta,
    /// The keys that it has.
    pub(super) keys: BTreeSet<&'m str>,
}

impl<'m> Given<'m> {
    /// The object of that kind and name. `None` if the input has none, or one without any data, which something fills in.
    pub(super) fn of(model: &World<'m>, kind: &str, namespace: &str, name: &str) -> Option<Self> {
        let (cluster, key) = (model.cluster(), Key::new(namespace, name));
        let (key, doc, metadata, texts) = if kind == "Secret" {
            let (key, secret) = cluster.secrets.get_key_value(&key)?;
            let texts = [&secret.value.data, &secret.value.string_data];
            (key, secret.doc, &secret.value.metadata, texts)
        } else {
            let (key, map) = cluster.config_maps.get_key_value(&key)?;
            let texts = [&map.value.data, &map.value.binary_data];
            (key, map.doc, &map.value.metadata, texts)
        };
        let is_text = kind == "Secret" && texts[1].is_some();
        texts.iter().any(|texts| texts.is_some()).then(|| Self {
            doc,
            field: if is_text { "stringData" } else { "data" },
            key,
            metadata,
            keys: texts
                .into_iter()
                .flatten()
                .flat_map(StringMap::keys)
                .map(|key| &**key)
                .collect_set(),
        })
    }

    /// The namespaces that have the object, where the one that is asked does not: nothing in the input seems to copy it there.
    pub(super) fn elsewhere(
        model: &World<'m>,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Vec<&'m str>> {
        let cluster = model.cluster();
        let is_of_name = |key: &&Key| key.name() == name;
        let keys: Vec<&'m Key> = match kind {
            "Secret" => cluster.secrets.keys().filter(is_of_name).collect(),
            _ => cluster.config_maps.keys().filter(is_of_name).collect(),
        };
        let is_there = keys.iter().any(|key| key.namespace() == namespace);
        let given = keys
            .iter()
            .filter_map(|key| Self::of(model, kind, key.namespace(), name));
        let is_open =
            given.into_iter().any(|given| given.is_marked()) || is_made(model, namespace, name);
        (!keys.is_empty() && !is_there && !is_open)
            .then(|| keys.into_iter().map(Key::namespace).collect())
    }

    /// Returns whether it has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// The place of a key.
    pub(super) fn at(&self, key: &str) -> Place {
        Place::Key(At::doc(self.doc).key(self.field).key(key.to_owned()))
    }

    /// Returns whether something in the cluster may give it other keys: a controller that an annotation or a label asks for it,
    /// an object of another kind that names it, or a part of a kustomization or a value that is not known.
    pub(super) fn is_filled_in(&self, model: &World<'_>) -> bool {
        self.is_marked()
            || model.unknowns().is_open(model.documents(), self.doc)
            || is_made(model, self.key.namespace(), self.key.name())
    }

    /// Returns whether an annotation or a label asks a controller to fill or to copy it.
    fn is_marked(&self) -> bool {
        let marks = self
            .metadata
            .annotations
            .iter()
            .chain(&self.metadata.labels);
        let is_filled = |key: &str| FILLERS.iter().any(|filler| key.contains(filler));
        marks.flatten().any(|(key, _)| is_filled(key))
    }
}

/// Returns whether an object of another kind, in that namespace or in none, names an object of that name.
fn is_made(model: &World<'_>, namespace: &str, name: &str) -> bool {
    model.manifests().iter().any(|manifest| {
        let is_own = matches!(manifest.group, "" | "apps" | "batch");
        !is_own
            && manifest.group != Kind::Prometheus.group()
            && manifest.namespace.is_none_or(|of| of == namespace)
            && (manifest.name == name || names(manifest.node, name))
    })
}

/// What the names of labels and annotations have that ask a controller to fill an object.
const FILLERS: [&str; 4] = ["inject", "reflect", "replicat", "sync"];

/// Returns whether a text of a node is the name.
fn names(node: &Node, name: &str) -> bool {
    node.as_str() == Some(name) || node.children().any(|child| names(child, name))
}
