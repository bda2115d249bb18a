//! Collects the objects of a run for discovery.
//!
//! In: the cluster, and objects of the kinds that it does not have. Out: objects by kind, namespace and name, each with the labels
//! from its metadata. Reports no findings: an object that does not fit its kind is left out and listed in
//! [`Discovery::refused`], as the API server would refuse it.

use std::collections::BTreeMap;

use crate::discovery::object::DiscoveredObject;
use crate::discovery::text::{Pool, TargetLabels, Text, bool_text};
use crate::discovery::{DiscoveredObjects, Discovery, InvalidObject, LabelledObject};
use promgen_compile::cluster::{Cluster, Key, Objects};
use promgen_prometheus::config::sanitize;
use promgen_resources::api::{Namespace, group};
use promgen_resources::document::{Manifest, Manifests, is_observed};
use promgen_text::CollectOrdered;
use promgen_text::shared::Shared;
use promgen_text::yaml;

/// Reads objects into [`Discovery`].
#[derive(Default)]
pub(crate) struct ObjectReader {
    pub(crate) discovery: Discovery,
    names: Pool,
}

impl ObjectReader {
    pub(crate) fn read(manifests: &Manifests, cluster: &Cluster) -> Self {
        let mut reader = Self::default();
        reader.discovery = Discovery {
            pods: reader.known(&cluster.pods),
            services: reader.known(&cluster.services),
            endpoints: reader.others(manifests),
            slices: reader.others(manifests),
            ingresses: reader.others(manifests),
            nodes: reader.others(manifests),
            namespaces: reader.others(manifests),
            replica_sets: reader.others(manifests),
            jobs: reader.others(manifests),
            ..std::mem::take(&mut reader.discovery)
        };
        reader
    }

    /// The objects of a kind that the cluster has.
    fn known<T: DiscoveredObject>(&mut self, objects: &Objects<T>) -> DiscoveredObjects<T> {
        let named = objects.iter().filter(|(key, _)| !key.name().is_empty());
        named
            .map(|(key, object)| (key.clone(), self.labelled(object.value.clone())))
            .collect_map()
    }

    /// The objects of another kind. Of two manifests, and of two live objects, the last one counts.
    fn others<T: DiscoveredObject + Clone>(
        &mut self,
        manifests: &Manifests,
    ) -> DiscoveredObjects<T> {
        let mut found: BTreeMap<Key, [Option<T>; 2]> = BTreeMap::new();
        let is_own = |manifest: &Manifest<'_>| {
            manifest.kind == T::KIND && manifest.group == group(T::API_VERSION)
        };
        for manifest in manifests.iter().filter(is_own) {
            match read::<T>(&manifest, &manifests.namespace) {
                Ok((key, object)) => {
                    found.entry(key).or_default()[usize::from(is_observed(manifest.node))] =
                        Some(object);
                }
                Err(why) => {
                    let resource = format!("{}/{}", manifest.kind, manifest.name);
                    self.discovery.refused.push(InvalidObject {
                        resource,
                        span: manifest.node.span,
                        why,
                    });
                }
            }
        }
        let one = |objects: [Option<T>; 2]| match objects {
            [Some(mut manifest), Some(mut live)] => {
                manifest.observe(&mut live);
                Some(manifest)
            }
            [manifest, live] => manifest.or(live),
        };
        let found = found
            .into_iter()
            .filter_map(|(key, objects)| Some((key, one(objects)?)));
        found
            .map(|(key, object)| (key, self.labelled(Shared::new(object))))
            .collect_map()
    }

    /// An object with the labels from its metadata: name, labels and annotations.
    pub(super) fn labelled<T: DiscoveredObject>(&mut self, object: Shared<T>) -> LabelledObject<T> {
        let (mut labels, word, meta) = (TargetLabels::new(), T::WORD, object.metadata());
        // The name of an attached namespace has a label already.
        if word != Namespace::WORD {
            labels.insert(
                self.names.share(&format!("__meta_kubernetes_{word}_name")),
                Text::from(&*meta.name),
            );
        }
        for (what, entries) in [("label", &meta.labels), ("annotation", &meta.annotations)] {
            for (name, value) in entries.iter().flatten() {
                let name = sanitize(name);
                let value_label = self
                    .names
                    .share(&format!("__meta_kubernetes_{word}_{what}_{name}"));
                let present_label = self
                    .names
                    .share(&format!("__meta_kubernetes_{word}_{what}present_{name}"));
                labels.insert(value_label, Text::from(&**value));
                labels.insert(present_label, bool_text(true));
            }
        }
        LabelledObject { object, labels }
    }
}

/// A manifest as an object of a kind; or why it is none. `namespace` is where it goes if it names none.
fn read<T: DiscoveredObject>(manifest: &Manifest<'_>, namespace: &str) -> Result<(Key, T), String> {
    let object: Result<T, _> = yaml::decode(manifest.node);
    let mut object =
        object.map_err(|mismatch| format!("{}: {}", mismatch.route, mismatch.message))?;
    let meta = object.metadata_mut();
    if meta.name.is_empty() {
        return Err("it has no name".to_owned());
    }
    let is_namespaced = !matches!(manifest.kind, "Node" | "Namespace");
    meta.namespace = is_namespaced.then(|| manifest.namespace.unwrap_or(namespace).into());
    Ok((
        Key::new(object.namespace(), &object.metadata().name),
        object,
    ))
}
