//! Objects in lists that Flux, Argo CD and Helm read, as documents of their own.

use std::sync::Arc;

use promgen_resources::document;
use promgen_text::shared::Shared;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The kinds that state a release or an application, and those that they refer to.
const KINDS: [&str; 11] = [
    "Application",
    "ApplicationSet",
    "Bucket",
    "ConfigMap",
    "GitRepository",
    "HelmChart",
    "HelmRelease",
    "HelmRepository",
    "Kustomization",
    "OCIRepository",
    "Secret",
];

/// The objects of a list, found once.
struct ListedObjects(Vec<Shared<Node>>);

/// Documents with what belongs to them, each with the objects of such kinds in it if it is a list.
pub(super) fn with_listed<'d, T: Copy>(
    documents: impl IntoIterator<Item = (&'d ParsedDocument, T)>,
) -> Vec<(ParsedDocument, T)> {
    let mut all = Vec::new();
    for (document, of) in documents {
        all.push((document.clone(), of));
        if document::held(&document.root).is_some() {
            let listed: Arc<ListedObjects> =
                document.root.derive(|root| ListedObjects(objects(root)));
            let listed = listed.0.iter().map(|root| ParsedDocument {
                root: root.clone(),
                ..document.clone()
            });
            all.extend(listed.map(|document| (document, of)));
        }
    }
    all
}

fn objects(root: &Node) -> Vec<Shared<Node>> {
    let is_read = |object: &&Node| {
        object
            .text_of("kind")
            .is_some_and(|kind| KINDS.contains(&kind))
    };
    document::applied(root).map_or_else(Vec::new, |all| {
        all.iter()
            .filter(is_read)
            .cloned()
            .map(Shared::new)
            .collect()
    })
}
