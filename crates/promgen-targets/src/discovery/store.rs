//! Collects the objects of a run for discovery.
//!
//! In: objects of any kind. Out: objects by kind, namespace and name, each with the labels from its metadata. Kinds
//! without a role are ignored. Reports no findings: an object that does not fit its kind is left out and listed in
//! [`Discovery::refused`], as the API server would refuse it.

use crate::discovery::object::{
    DiscoveredEndpointSlice, DiscoveredEndpoints, DiscoveredIngress, DiscoveredJob, DiscoveredNamespace,
    DiscoveredNode, DiscoveredObject, DiscoveredPod, DiscoveredReplicaSet, DiscoveredService, Meta,
};
use crate::discovery::text::{Pool, TargetLabels, Text, bool_text};
use crate::discovery::{DiscoveredObjects, Discovery, InvalidObject, LabelledObject};
use promgen_compile::cluster::Key;
use promgen_prometheus::config::sanitize;
use promgen_resources::document::{Manifest, is_observed};
use promgen_text::yaml;
use promgen_text::yaml::decode::Decode;

/// What a node is as a Service, or why it is none.
struct ReadService(Result<DiscoveredService, String>);

/// A node as an object of a kind.
fn read<T: Decode>(node: &yaml::Node) -> Result<T, String> {
    yaml::decode(node).map_err(|mismatch| format!("{}: {}", mismatch.route, mismatch.message))
}

/// Reads objects into [`Discovery`].
pub(crate) struct ObjectReader<'r> {
    pub(crate) discovery: Discovery,
    /// The namespace of objects that name none.
    namespace: &'r str,
    names: Pool,
}

impl<'r> ObjectReader<'r> {
    pub(crate) fn new(namespace: &'r str) -> Self {
        Self { discovery: Discovery::default(), namespace, names: Pool::default() }
    }

    pub(crate) fn object(&mut self, manifest: &Manifest<'_>) {
        match (manifest.group, manifest.kind) {
            ("", "Pod") => self.keep(manifest, read::<DiscoveredPod>(manifest.node), |d| &mut d.pods),
            // There are as many as monitors, and they are small: what is read of them is kept for the next run.
            ("", "Service") => {
                let service = manifest.node.derive(|node| ReadService(read(node)));
                self.keep(manifest, service.0.clone(), |d| &mut d.services);
            }
            ("", "Endpoints") => self.keep(manifest, read::<DiscoveredEndpoints>(manifest.node), |d| &mut d.endpoints),
            ("", "Node") => self.keep(manifest, read::<DiscoveredNode>(manifest.node), |d| &mut d.nodes),
            ("", "Namespace") => self.keep(manifest, read::<DiscoveredNamespace>(manifest.node), |d| &mut d.namespaces),
            ("apps", "ReplicaSet") => {
                self.keep(manifest, read::<DiscoveredReplicaSet>(manifest.node), |d| &mut d.replica_sets)
            }
            ("batch", "Job") => self.keep(manifest, read::<DiscoveredJob>(manifest.node), |d| &mut d.jobs),
            ("discovery.k8s.io", "EndpointSlice") => {
                self.keep(manifest, read::<DiscoveredEndpointSlice>(manifest.node), |d| &mut d.slices)
            }
            ("networking.k8s.io", "Ingress") => {
                self.keep(manifest, read::<DiscoveredIngress>(manifest.node), |d| &mut d.ingresses)
            }
            _ => {}
        }
    }

    fn keep<T: DiscoveredObject + Clone>(
        &mut self,
        manifest: &Manifest<'_>,
        read: Result<T, String>,
        objects: impl Fn(&mut Discovery) -> &mut DiscoveredObjects<T>,
    ) {
        let mut object = match read {
            Ok(object) => object,
            Err(why) => return self.refuse(manifest, why),
        };
        let meta = object.metadata_mut();
        if meta.name.is_empty() {
            return self.refuse(manifest, "it has no name".to_owned());
        }
        let namespace = match manifest.kind {
            "Node" | "Namespace" => "",
            _ => manifest.namespace.unwrap_or(self.namespace),
        };
        namespace.clone_into(&mut meta.namespace);
        let key = Key::new(&object.metadata().namespace, &object.metadata().name);
        let mut is_observed = is_observed(manifest.node);
        let mut is_wanted = !is_observed;
        // A manifest and the live object are one, as in a cluster's typed objects. Of two manifests, and of two live objects,
        // the last one counts.
        if let Some(old) = objects(&mut self.discovery).get(&key) {
            let other: T = old.object.clone();
            if is_observed && old.is_wanted {
                let live = std::mem::replace(&mut object, other);
                object.observe(live);
            } else if is_wanted && old.is_observed {
                object.observe(other);
            }
            (is_wanted, is_observed) = (is_wanted || old.is_wanted, is_observed || old.is_observed);
        }
        let labels = self.labels(T::WORD, object.metadata());
        objects(&mut self.discovery).insert(key, LabelledObject { object, labels, is_wanted, is_observed });
    }

    fn refuse(&mut self, manifest: &Manifest<'_>, why: String) {
        let resource = format!("{}/{}", manifest.kind, manifest.name);
        self.discovery.refused.push(InvalidObject { resource, span: manifest.node.span, why });
    }

    /// The labels from metadata: name, labels and annotations.
    pub(super) fn labels(&mut self, word: &str, meta: &Meta) -> TargetLabels {
        let mut labels = TargetLabels::new();
        // The name of an attached namespace has a label already.
        if word != DiscoveredNamespace::WORD {
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
