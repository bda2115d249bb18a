//! Documents into the objects that discovery knows.
//!
//! In: the roots of documents. Out: objects by kind, namespace and name, each with the labels that its metadata gives.
//! Kinds that discovery does not look at are passed over. Nothing is reported as a finding: an object that does not fit
//! its kind is left out and named in [`Discovery::refused`], as the API server would not have taken it either.

use crate::discovery::object::{
    EndpointSlice, Endpoints, Ingress, Job, Meta, Namespace, Node, Object, Pod, ReplicaSet, Service,
};
use crate::discovery::text::{Labels, Pool, Text, bool_text};
use crate::discovery::{Discovery, Known, Objects, Refused};
use promgen_compile::cluster::Key;
use promgen_compile::prometheus::config::sanitize;
use promgen_text::yaml;
use promgen_text::yaml::decode::Decode;

/// What documents are read into.
pub(crate) struct Reader<'r> {
    pub(crate) discovery: Discovery,
    /// Where objects go that name no namespace.
    pub(crate) namespace: &'r str,
    names: Pool,
}

impl<'r> Reader<'r> {
    pub(crate) fn new(namespace: &'r str) -> Self {
        Self { discovery: Discovery::default(), namespace, names: Pool::default() }
    }

    /// Reads a document: an object, or a list of some.
    pub(crate) fn document(&mut self, root: &yaml::Node<'_>) {
        // A stack rather than recursion, in reverse, so that the items of a list take its place.
        let mut todo = vec![(root, None)];
        while let Some((node, inherited)) = todo.pop() {
            let names = [text(node, "apiVersion"), text(node, "kind")];
            let Some((api_version, kind)) = names[0].zip(names[1]).or(inherited) else { continue };
            match node.get("items").filter(|_| kind.ends_with("List")) {
                Some(items) => {
                    let item_kind = kind.strip_suffix("List").filter(|kind| !kind.is_empty());
                    let inherited = item_kind.map(|kind| (api_version, kind));
                    todo.extend(items.items().iter().rev().map(|item| (item, inherited)));
                }
                None => self.object(api_version, kind, node),
            }
        }
    }

    fn object(&mut self, api_version: &str, kind: &str, node: &yaml::Node<'_>) {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        match (group, kind) {
            ("", "Pod") => self.keep::<Pod>(kind, node, |d| &mut d.pods),
            ("", "Service") => self.keep::<Service>(kind, node, |d| &mut d.services),
            ("", "Endpoints") => self.keep::<Endpoints>(kind, node, |d| &mut d.endpoints),
            ("", "Node") => self.keep::<Node>(kind, node, |d| &mut d.nodes),
            ("", "Namespace") => self.keep::<Namespace>(kind, node, |d| &mut d.namespaces),
            ("apps", "ReplicaSet") => self.keep::<ReplicaSet>(kind, node, |d| &mut d.replica_sets),
            ("batch", "Job") => self.keep::<Job>(kind, node, |d| &mut d.jobs),
            ("discovery.k8s.io", "EndpointSlice") => self.keep::<EndpointSlice>(kind, node, |d| &mut d.slices),
            ("networking.k8s.io", "Ingress") => self.keep::<Ingress>(kind, node, |d| &mut d.ingresses),
            _ => {}
        }
    }

    fn keep<T: Object + Decode>(
        &mut self,
        kind: &str,
        node: &yaml::Node<'_>,
        objects: impl FnOnce(&mut Discovery) -> &mut Objects<T>,
    ) {
        let mut object: T = match yaml::decode(node) {
            Ok(object) => object,
            Err(mismatch) => return self.refuse(kind, node, format!("{}: {}", mismatch.route, mismatch.message)),
        };
        let meta = object.metadata_mut();
        if meta.name.is_empty() {
            return self.refuse(kind, node, "it has no name".to_owned());
        }
        match kind {
            "Node" | "Namespace" => meta.namespace.clear(),
            _ if meta.namespace.is_empty() => self.namespace.clone_into(&mut meta.namespace),
            _ => {}
        }
        let labels = self.labels(T::WORD, object.metadata());
        let key = Key::new(&object.metadata().namespace, &object.metadata().name);
        let objects = objects(&mut self.discovery);
        // The last of two counts, but a manifest does not tell more than what was observed of the same object.
        let known = objects.get(&key).is_some_and(|old: &Known<T>| old.object.metadata().is_observed());
        if !known || object.metadata().is_observed() {
            objects.insert(key, Known { object, labels });
        }
    }

    fn refuse(&mut self, kind: &str, node: &yaml::Node<'_>, why: String) {
        let name = node.find(&["metadata", "name"]).and_then(yaml::Node::as_str).unwrap_or_default();
        let resource = format!("{kind}/{name}");
        self.discovery.refused.push(Refused { resource, span: node.span, why });
    }

    /// The labels that metadata gives: name, labels and annotations.
    fn labels(&mut self, word: &str, meta: &Meta) -> Labels {
        let mut labels = Labels::new();
        // What is attached of a namespace has its name already.
        if word != Namespace::WORD {
            labels.insert(self.names.share(&format!("__meta_kubernetes_{word}_name")), Text::from(&meta.name));
        }
        for (what, entries) in [("label", &meta.labels), ("annotation", &meta.annotations)] {
            for (name, value) in entries {
                let name = sanitize(name);
                let value_label = self.names.share(&format!("__meta_kubernetes_{word}_{what}_{name}"));
                let present_label = self.names.share(&format!("__meta_kubernetes_{word}_{what}present_{name}"));
                labels.insert(value_label, Text::from(value));
                labels.insert(present_label, bool_text(true));
            }
        }
        labels
    }
}

fn text<'n>(node: &'n yaml::Node<'_>, key: &str) -> Option<&'n str> {
    node.get(key).and_then(yaml::Node::as_str).filter(|text| !text.is_empty())
}
