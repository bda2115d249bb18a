//! Resources of the operator that are written in another way, whatever is made of them.

use crate::diff::WrittenChange;
use crate::diff::value::Change;
use promgen_text::sorted::{SortedMap, SortedSet};
use promgen_text::yaml::read::ParsedDocument;
use promgen_text::yaml::{Node, Value};

/// The group of the operator's resources.
const GROUP: &str = "monitoring.coreos.com/";

/// Whether a document is a resource of the operator.
pub(super) fn is_operators(document: &ParsedDocument) -> bool {
    document.root.get("apiVersion").and_then(Node::as_str).is_some_and(|version| version.starts_with(GROUP))
}

/// Whether there is a resource of the operator, alone or in a list.
pub(super) fn has_operators(documents: &[ParsedDocument]) -> bool {
    !resources(documents).is_empty()
}

/// The resources that only one of two sides has, or that differ.
pub(super) fn changes([base, head]: [&[ParsedDocument]; 2]) -> Vec<WrittenChange> {
    let (old, new) = (resources(base), resources(head));
    let names: SortedSet<&String> = old.keys().chain(new.keys()).collect();
    let differing = names.into_iter().filter(|name| old.get(*name) != new.get(*name));
    let change = |name: &String| Change::of(old.contains_key(name), new.contains_key(name));
    differing.map(|name| WrittenChange { resource: name.clone(), change: change(name) }).collect()
}

/// The resources by kind, namespace and name.
fn resources(documents: &[ParsedDocument]) -> SortedMap<String, Vec<Value>> {
    let mut resources: SortedMap<String, Vec<Value>> = SortedMap::new();
    let mut todo: Vec<&Node> = documents.iter().map(|document| &*document.root).collect();
    while let Some(node) = todo.pop() {
        let text = |keys: &[&str]| node.find(keys).and_then(Node::as_str).unwrap_or_default();
        if text(&["kind"]).ends_with("List") {
            todo.extend(node.get("items").map_or(&[][..], Node::items));
        } else if text(&["apiVersion"]).starts_with(GROUP) {
            let (namespace, name) = (text(&["metadata", "namespace"]), text(&["metadata", "name"]));
            let separator = if namespace.is_empty() { "" } else { "/" };
            let name = format!("{}/{namespace}{separator}{name}", text(&["kind"]));
            resources.entry(name).or_default().push(node.to_value());
        }
    }
    resources
}
