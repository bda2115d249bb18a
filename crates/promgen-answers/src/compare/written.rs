//! Resources of the operator that are written in another way, whatever is made of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::WrittenChange;
use crate::diff::value::Change;
use promgen_text::yaml::Node;
use promgen_text::yaml::read::ParsedDocument;

/// The group of the operator's resources.
const GROUP: &str = "monitoring.coreos.com/";

/// Returns whether a document is a resource of the operator.
pub(super) fn is_operators(document: &ParsedDocument) -> bool {
    document
        .root
        .text_of("apiVersion")
        .is_some_and(|version| version.starts_with(GROUP))
}

/// Returns whether there is a resource of the operator, alone or in a list.
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
    let names: BTreeSet<&ResourceId<'_>> = old.keys().chain(new.keys()).collect();
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

/// The operator's resources of documents, those of lists included.
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
            } else if text(&["apiVersion"]).starts_with(GROUP) {
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
