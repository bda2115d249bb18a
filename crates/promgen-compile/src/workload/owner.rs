//! The owners of workloads that a status waits for (seed 004).
//!
//! In: the roots of documents, of whatever kind, and a workload's document. Out: the missing owner.

use std::collections::BTreeSet;

use crate::options::Assume;
use crate::workload::Run;
use promgen_resources::api::Kind;
use promgen_resources::document::Document;
use promgen_text::yaml::Node;

/// The objects of the input, by the fields of an owner reference: group, kind, name and namespace. Includes kinds that
/// promgen does not use elsewhere.
#[derive(Debug, Default)]
pub struct Owners(BTreeSet<[String; 4]>);

impl Owners {
    /// Reads documents.
    pub fn read<'n>(roots: impl IntoIterator<Item = &'n Node<'n>>) -> Self {
        let mut owners = Self::default();
        let mut todo: Vec<&Node<'_>> = roots.into_iter().collect();
        while let Some(node) = todo.pop() {
            let [api_version, kind] = ["apiVersion", "kind"].map(|key| text(node, key));
            match node.get("items").filter(|_| kind.ends_with("List")) {
                Some(items) => todo.extend(items.items()),
                None => {
                    let meta = |key: &str| node.get("metadata").map(|meta| text(meta, key)).unwrap_or_default();
                    let id = [group(api_version), kind, meta("name"), meta("namespace")];
                    owners.0.insert(id.map(str::to_owned));
                }
            }
        }
        owners
    }

    /// Whether the input has that owner: in the namespace of what it owns, or in none.
    fn has(&self, owner: &Node<'_>, namespace: &str) -> bool {
        let id = |namespace: &str| {
            [group(text(owner, "apiVersion")), text(owner, "kind"), text(owner, "name"), namespace].map(str::to_owned)
        };
        self.0.contains(&id(namespace)) || self.0.contains(&id(""))
    }
}

/// An owner that is not in the input, as `Kind/name`, if the input is complete.
pub(super) fn missing(run: &Run<'_>, document: &Document<'_>) -> Option<String> {
    if run.options.assume == Assume::Ready {
        return None;
    }
    let is_there = |owner: &Node<'_>| match Kind::find(text(owner, "apiVersion"), text(owner, "kind")) {
        Some(kind) => {
            let is_near = |d: &Document<'_>| d.namespace == document.namespace || !kind.is_namespaced();
            run.documents.iter().any(|d| d.kind == kind && d.name == text(owner, "name") && is_near(d))
        }
        None => run.owners.has(owner, &document.namespace),
    };
    let owners = document.node.find(&["metadata", "ownerReferences"]).map(Node::items).unwrap_or_default();
    let owner = owners.iter().find(|owner| !is_there(owner))?;
    Some(format!("{}/{}", text(owner, "kind"), text(owner, "name")))
}

fn text<'n>(node: &'n Node<'_>, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}

/// The group of `group/version`; that of Kubernetes itself is empty.
fn group(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}
