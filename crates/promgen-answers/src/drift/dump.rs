//! A dump of a cluster: the objects that the operator writes, and the resources that it reads.
//!
//! In: the manifests of `kubectl get -o yaml`. Out: [`Dump`], which answers by kind, namespace and name.

use promgen_compile::output::OutputObject;
use promgen_model::operator::{RELOADERS, tag};
use std::collections::{BTreeMap, BTreeSet};

use promgen_repository::kustomize::images::ImageReference;
use promgen_resources::api::Kind;
use promgen_resources::document::{Document, Manifest, Manifests};
use promgen_resources::release;
use promgen_text::version::Version;
use promgen_text::yaml::{Node, Value};

/// Kind, namespace and name.
pub(super) type DumpKey = (Kind, String, String);

/// The kinds of objects that the operator writes.
pub(super) const WRITTEN: [Kind; 5] = [
    Kind::Secret,
    Kind::ConfigMap,
    Kind::Service,
    Kind::StatefulSet,
    Kind::DaemonSet,
];

/// A dump of a cluster.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    objects: BTreeMap<DumpKey, Value>,
    kinds: BTreeSet<Kind>,
    namespaces: BTreeSet<String>,
    /// The release of the operator that runs, if its Deployment is there.
    operator: Option<String>,
    /// The release whose output promgen writes.
    own_release: String,
}

impl Dump {
    /// Reads the objects of a dump. Of an object that is there twice the last one counts. `own_release`: the release that the
    /// resources of the cluster are compiled for.
    pub(crate) fn read(manifests: &Manifests, own_release: &Version) -> Self {
        let mut dump = Self {
            own_release: release::tag(own_release),
            ..Self::default()
        };
        for document in &manifests.documents {
            dump.kinds.insert(document.kind);
            if document.kind.is_namespaced() {
                dump.namespaces.insert(document.namespace.to_string());
            }
            if is_compared(document.kind) {
                dump.objects.insert(key(document), document.node.to_value());
            }
        }
        dump.operator = manifests
            .iter()
            .filter_map(|object| operator_release(&object))
            .last();
        dump
    }

    /// The release whose output promgen writes.
    pub(super) fn own_release(&self) -> &str {
        &self.own_release
    }

    /// Returns whether it has objects of that kind, and any in that namespace. Otherwise an absent object
    /// may still exist in the cluster.
    pub(crate) fn covers(&self, kind: Kind, namespace: &str) -> bool {
        self.kinds.contains(&kind) && (!kind.is_namespaced() || self.namespaces.contains(namespace))
    }

    /// Returns whether it has objects of that kind.
    pub(super) fn has_kind(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Returns whether it has objects in that namespace.
    pub(super) fn has_namespace(&self, namespace: &str) -> bool {
        self.namespaces.contains(namespace)
    }

    /// An object.
    pub(super) fn get(&self, kind: Kind, namespace: &str, name: &str) -> Option<&Value> {
        self.objects
            .get(&(kind, namespace.to_owned(), name.to_owned()))
    }

    /// All objects of kinds that are compared.
    pub(super) fn objects(&self) -> impl Iterator<Item = (&DumpKey, &Value)> {
        self.objects.iter()
    }

    /// The release of the operator's Deployment.
    pub(super) fn operator(&self) -> Option<&str> {
        self.operator.as_deref()
    }
}

/// Kind, namespace and name of a document.
fn key(document: &Document) -> DumpKey {
    (
        document.kind,
        document.namespace.to_string(),
        document.name.to_string(),
    )
}

/// A resource of the manifests.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Kind, namespace and name.
    pub(super) key: DumpKey,
    /// As it is written.
    pub(super) value: Value,
}

impl Wanted {
    /// The resource of a document.
    pub(crate) fn of(document: &Document) -> Self {
        Self {
            key: key(document),
            value: document.node.to_value(),
        }
    }

    /// `Kind/namespace/name`.
    pub(super) fn name(&self) -> String {
        let (kind, namespace, name) = &self.key;
        format!("{}/{namespace}/{name}", kind.as_str())
    }
}

/// The kind and name of an object that a workload gives, if it is one of these kinds.
pub(super) fn kind_and_name(object: &OutputObject, kinds: &[Kind]) -> Option<(Kind, String)> {
    let mut kinds = kinds.iter().copied();
    let kind = kinds.find(|kind| kind.as_str() == object.body.kind())?;
    Some((kind, object.value().object_name()?.to_owned()))
}

/// Returns whether a kind is one of the operator's resources.
pub(crate) fn is_resource(kind: Kind) -> bool {
    kind.group() == Kind::Prometheus.group()
}

fn is_compared(kind: Kind) -> bool {
    is_resource(kind) || WRITTEN.contains(&kind)
}

/// The release of the operator, if the object is its Deployment.
fn operator_release(object: &Manifest<'_>) -> Option<String> {
    if (object.group, object.kind) != ("apps", "Deployment") {
        return None;
    }
    let containers = object
        .node
        .find(&["spec", "template", "spec", "containers"])?;
    let image = |container: &Node| container.text_of("image").map(str::to_owned);
    let images = containers.items().iter().filter_map(image);
    images
        .filter(|image| {
            ImageReference::of(image)
                .name
                .ends_with("/prometheus-operator")
        })
        .find_map(|image| release_of(&image))
}

/// The release of the operator that wrote a StatefulSet or DaemonSet: the tag of the config reloader.
pub(super) fn reloader_release(set: &Value) -> Option<String> {
    let pod = set.get("spec")?.get("template")?.get("spec")?;
    let containers = ["containers", "initContainers"]
        .into_iter()
        .filter_map(|list| pod.get(list)?.as_seq())
        .flatten();
    let is_reloader = |container: &&Value| {
        container
            .text_of("name")
            .is_some_and(|n| RELOADERS.contains(&n))
    };
    let images = containers
        .filter(is_reloader)
        .filter_map(|container| container.get("image")?.as_str());
    images.filter_map(release_of).next()
}

/// The tag of an image, if it is a release.
fn release_of(image: &str) -> Option<String> {
    tag(image).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_name_their_release() {
        assert_eq!(
            release_of("quay.io:443/a/prometheus-config-reloader:v0.92.0@sha256:00").as_deref(),
            Some("v0.92.0")
        );
        assert_eq!(release_of("quay.io:443/a/reloader"), None);
        assert_eq!(release_of("a:latest"), None);
        assert_eq!(
            ImageReference::of("quay.io:443/a/prometheus-operator:v1").name,
            "quay.io:443/a/prometheus-operator"
        );
        assert_eq!(
            ImageReference::of("localhost:5000/a").name,
            "localhost:5000/a"
        );
    }
}
