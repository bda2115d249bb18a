//! The StorageClass of a workload's volumes, which the operator looks for where it can read StorageClasses.
//!
//! In: the objects of a run, and a workload's document. Out: the class that is not there. Providers, drivers and charts install
//! classes that stand in no manifest: only a dump of the classes, or an input that is all there is, says that one is missing.

use crate::options::Assume;
use crate::paths::SPEC;
use crate::select::admit::{Refusal, Refuse};
use crate::workload::Run;
use promgen_resources::document::{self, Document, Manifest, is_observed};
use promgen_text::route::DocId;
use promgen_text::yaml::{Data, Node};

/// The place where a workload names the class of its volumes. Those of ephemeral volumes are not looked for.
const CLASS: [&str; 5] = [
    "spec",
    "storage",
    "volumeClaimTemplate",
    "spec",
    "storageClassName",
];

/// Refuses a workload whose class is not there. Operator: `CheckStorageClass`.
///
/// # Errors
/// The operator's.
pub(super) fn check(run: &Run<'_>, doc: DocId) -> Result<(), Refusal> {
    match document::find(run.documents, doc).and_then(|document| missing(run, document)) {
        None => Ok(()),
        Some(class) => {
            let storage = SPEC.key("storage");
            let template = storage.key("volumeClaimTemplate");
            let claim = template.key("spec");
            let name = claim.key("storageClassName");
            name.refuse(format!("storage class \"{class}\" does not exist"))
        }
    }
}

/// The class of a workload that is not paused, if it is not there.
pub(super) fn missing(run: &Run<'_>, document: &Document) -> Option<String> {
    let class = document
        .node
        .find(&CLASS)
        .and_then(Node::as_str)
        .filter(|class| !class.is_empty())?;
    let is_paused = document
        .node
        .find(&["spec", "paused"])
        .is_some_and(|paused| paused.data == Data::Bool(true));
    let is_class =
        |object: &Manifest<'_>| object.group == "storage.k8s.io" && object.kind == "StorageClass";
    let classes: Vec<Manifest<'_>> = run.manifests.iter().filter(is_class).collect();
    let are_all = run.options.assume == Assume::Missing
        || classes.iter().all(|object| is_observed(object.node));
    let is_missing = !is_paused
        && are_all
        && !classes.is_empty()
        && classes.iter().all(|object| object.name != class);
    (is_missing && may_read(run)).then(|| class.to_owned())
}

/// Returns whether the operator may read StorageClasses. If the input is all there is, a ClusterRole in it has to say
/// so.
fn may_read(run: &Run<'_>) -> bool {
    let holds = |rule: &Node, key: &str, wanted: &str| {
        rule.get(key)
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(Node::as_str)
            .any(|text| text == wanted || text == "*")
    };
    let grants = |object: Manifest<'_>| {
        let rules = object.node.get("rules").map_or(&[][..], Node::items);
        let reads = |rule: &Node| {
            holds(rule, "apiGroups", "storage.k8s.io")
                && holds(rule, "resources", "storageclasses")
                && holds(rule, "verbs", "get")
        };
        object.kind == "ClusterRole" && rules.iter().any(reads)
    };
    run.options.assume == Assume::Ready || run.manifests.iter().any(grants)
}
