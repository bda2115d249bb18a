//! Resources of the operator, and releases of charts, that are written in another way, whatever is made of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::WrittenChange;
use crate::diff::value::Change;
use promgen_text::CollectOrdered;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The group of the operator's resources.
const GROUP: &str = "monitoring.coreos.com/";

/// The groups of resources that state a release of a chart, of which more is made than what is compiled.
const OF_RELEASES: [&str; 3] = ["helm.toolkit.fluxcd.io/", "argoproj.io/", "helm.cattle.io/"];

/// Returns whether a document is a resource of the operator.
pub(super) fn is_operators(document: &ParsedDocument) -> bool {
    document
        .root
        .text_of("apiVersion")
        .is_some_and(|version| version.starts_with(GROUP))
}

/// Returns whether there is a resource of the operator, alone or in a list, or a release.
pub(super) fn has_operators(documents: &[ParsedDocument]) -> bool {
    WrittenResources::of(documents).next().is_some()
}

/// The resources that only one of two sides has, or that differ.
pub(super) fn changes(sides: [&[ParsedDocument]; 2]) -> Vec<WrittenChange> {
    let [old, new] = sides.map(|documents| {
        let mut by_name: BTreeMap<ResourceId<'_>, Vec<&Node>> = BTreeMap::new();
        WrittenResources::of(documents)
            .for_each(|(name, node)| by_name.entry(name).or_default().push(node));
        by_name
    });
    let names: BTreeSet<&ResourceId<'_>> = old.keys().chain(new.keys()).collect_set();
    let is_same = |name: &ResourceId<'_>| match (old.get(name), new.get(name)) {
        (Some(old), Some(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.has_value_of(new))
        }
        _ => false,
    };
    let change = |name: &ResourceId<'_>| {
        let [kind, namespace, object] = name;
        let separator = if namespace.is_empty() { "" } else { "/" };
        let resource = format!("{kind}/{namespace}{separator}{object}");
        WrittenChange {
            resource,
            change: Change::of(old.contains_key(name), new.contains_key(name)),
        }
    };
    names
        .into_iter()
        .filter(|name| !is_same(name))
        .map(change)
        .collect()
}

/// The kind, namespace and name of a resource.
type ResourceId<'n> = [&'n str; 3];

/// The operator's resources and the releases of documents, those of lists included.
struct WrittenResources<'n> {
    todo: Vec<&'n Node>,
}

impl<'n> WrittenResources<'n> {
    fn of(documents: &'n [ParsedDocument]) -> Self {
        Self {
            todo: documents.iter().map(|document| &*document.root).collect(),
        }
    }
}

impl<'n> Iterator for WrittenResources<'n> {
    type Item = (ResourceId<'n>, &'n Node);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(node) = self.todo.pop() {
            let text = |keys: &[&str]| node.find(keys).and_then(Node::as_str).unwrap_or_default();
            let kind = text(&["kind"]);
            if kind.ends_with("List") {
                self.todo.extend(node.items_of("items"));
            } else if let version = text(&["apiVersion"])
                && (version.starts_with(GROUP)
                    || OF_RELEASES.iter().any(|group| version.starts_with(group)))
            {
                return Some((
                    [
                        kind,
                        text(&["metadata", "namespace"]),
                        text(&["metadata", "name"]),
                    ],
                    node,
                ));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use promgen_text::diag::Sink;
    use promgen_text::source::FileId;
    use promgen_text::yaml::read::read;

    #[test]
    fn releases_of_charts_are_told_though_nothing_of_them_is_compiled() {
        let documents = |text: &str| read(FileId::new(0), text, &mut Sink::default());
        let changed = |old: &str, new: &str| {
            let changes = changes([&documents(old), &documents(new)]);
            let names = changes.into_iter().map(|of| of.resource);
            names.collect::<Vec<_>>()
        };
        let release = |kind: &str, values: &str| {
            format!("{{{kind}, metadata: {{name: a, namespace: b}}, spec: {{values: {values}}}}}\n")
        };
        for kind in [
            "apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease",
            "apiVersion: argoproj.io/v1alpha1, kind: Application",
            "apiVersion: helm.cattle.io/v1, kind: HelmChart",
        ] {
            let (old, new) = (release(kind, "{x: 1}"), release(kind, "{x: 2}"));
            assert!(matches!(&changed(&old, &new)[..], [name] if name.ends_with("/b/a")));
            assert_eq!(changed(&old, &release(kind, "{x:  1}")), [""; 0]);
        }
        let other = "apiVersion: apps/v1, kind: Deployment";
        assert_eq!(
            changed(&release(other, "{x: 1}"), &release(other, "{x: 2}")),
            [""; 0]
        );
    }
}
