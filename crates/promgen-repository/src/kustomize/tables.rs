//! What Kustomize knows of the kinds of Kubernetes: where labels, annotations, names and namespaces stand.
//!
//! In: `tables.txt`, which explains itself. Out: the fields of each section.

use crate::kustomize::rows::sections;
use crate::kustomize::spec::{FieldSpec, Gvk};

/// Fields of which one kind of object is named.
#[derive(Clone, Debug)]
pub(super) struct BackReference {
    /// The kind that is named.
    pub(super) target: Gvk,
    /// The fields.
    pub(super) fields: Vec<FieldSpec>,
}

static TABLE: &str = include_str!("tables.txt");

/// The words of a row or a head, none for `-`.
fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split(' ')
        .map(|word| if word == "-" { "" } else { word })
}

/// The fields of a row: each path for each kind.
fn read_row(row: &'static str) -> Vec<FieldSpec> {
    let mut words = words(row);
    let mut word = || words.next().unwrap_or_default();
    let (group, version, kinds, paths) = (word(), word(), word(), word());
    let create = word() == "create";
    let field = |kind: &str, path: &str| {
        let path = path.replace("{pod}", pod_path(kind));
        FieldSpec::new(Gvk::new(group, version, kind), path, create)
    };
    let mut fields = Vec::new();
    for kind in kinds.split(',') {
        fields.extend(paths.split(',').map(|path| field(kind, path)));
    }
    fields
}

/// The path of what describes the pods of a kind.
fn pod_path(kind: &str) -> &'static str {
    match kind {
        "Pod" => "spec",
        "PodTemplate" => "template/spec",
        "CronJob" => "spec/jobTemplate/spec/template/spec",
        _ => "spec/template/spec",
    }
}

/// The fields of a section, by its head.
pub(super) fn fields(head: &str) -> Vec<FieldSpec> {
    let rows = sections(TABLE).filter(|(other, _)| *other == head);
    rows.flat_map(|(_, rows)| rows.flat_map(read_row)).collect()
}

/// The place where `commonLabels` go: selectors by label, `metadata.labels` of every object, and labels of the pods and claims
/// that an object makes.
pub(super) fn common_labels() -> Vec<FieldSpec> {
    ["selectors", "metadataLabels", "templateLabels"]
        .into_iter()
        .flat_map(fields)
        .collect()
}

/// Which fields name objects of which kinds.
pub(super) fn name_references() -> Vec<BackReference> {
    let references = sections(TABLE).filter_map(|(head, rows)| {
        let mut target = words(head.strip_prefix("reference ")?);
        let mut word = || target.next().unwrap_or_default();
        Some(BackReference {
            target: Gvk::new(word(), word(), word()),
            fields: rows.flat_map(read_row).collect(),
        })
    });
    references.collect()
}
