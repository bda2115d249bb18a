//! The owners of workloads that a status waits for.
//!
//! In: the objects of a run, of all kinds, and a workload's document. Out: the missing owner.

use crate::options::Assume;
use crate::workload::Run;
use promgen_resources::api::group;
use promgen_resources::document::Document;
use promgen_text::yaml::Node;

/// An owner that is not in the input, as `Kind/name`, if the input is complete. An owner is in the namespace of the object
/// that it owns, or cluster-scoped.
pub(super) fn missing(run: &Run<'_>, document: &Document) -> Option<String> {
    if run.options.assume == Assume::Ready {
        return None;
    }
    let is_there = |owner: &Node| {
        let id = (
            group(text(owner, "apiVersion")),
            text(owner, "kind"),
            text(owner, "name"),
        );
        let is_near = |namespace: Option<&str>| {
            namespace.is_none_or(|namespace| namespace == document.namespace)
        };
        run.manifests
            .iter()
            .any(|m| (m.group, m.kind, m.name) == id && is_near(m.namespace))
    };
    let owners = document
        .node
        .find(&["metadata", "ownerReferences"])
        .map(Node::items)
        .unwrap_or_default();
    let owner = owners.iter().find(|owner| !is_there(owner))?;
    Some(format!("{}/{}", text(owner, "kind"), text(owner, "name")))
}

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}
