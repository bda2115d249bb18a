//! The statuses of a run, from the facts, the options, the documents and earlier statuses.

use std::sync::Arc;

use crate::cluster::Candidate;
use crate::lower::status::facts::Facts;
use crate::lower::status::{self, SelectableResource, StatusFormat};
use crate::options::Profile;
use crate::output::{ResourceStatus, Workload};
use crate::workload::{Run, manifest, owner};

use promgen_resources::document::{self, Document};
use promgen_resources::observed_status;
use promgen_text::route::DocId;
use promgen_text::yaml::Value;

/// The status from the facts, in the requested profile. `doc` is the resource with the spec.
pub(super) fn status(run: &Run<'_>, mut facts: Facts, doc: DocId) -> Value {
    let options = run.options;
    let document = document::find(run.documents, doc);
    facts.missing_owner = document.and_then(|document| owner::missing(run, document));
    let kind = facts.id.kind.resource();
    let written = || {
        document
            .map(|document| observed_status::status_of(observed(run, document)))
            .unwrap_or_default()
    };
    let earlier = kind.and_then(|kind| {
        options
            .previous
            .get(kind, &facts.id.namespace, &facts.id.name)
    });
    let earlier = earlier.map_or_else(written, |live| live.status.clone());
    status::status(
        &facts,
        &StatusFormat {
            profile: options.profile,
            at: options.at,
            earlier: &earlier,
        },
    )
}

/// The document with the observed status of a resource: the last one that was read from a cluster.
fn observed<'d>(run: &Run<'d>, document: &'d Document) -> &'d Document {
    let is_it = |d: &&Document| {
        let same =
            d.kind == document.kind && d.namespace == document.namespace && d.name == document.name;
        same && ["uid", "resourceVersion"]
            .iter()
            .any(|key| d.node.find(&["metadata", key]).is_some())
    };
    run.documents.iter().rev().find(is_it).unwrap_or(document)
}

/// The verdicts of the workloads on the resources that they select.
pub fn resources(run: &Run<'_>, workloads: &[Arc<Workload>]) -> Vec<ResourceStatus> {
    let has_status = match run.options.profile {
        // The operator writes nothing but bindings.
        Profile::Operator => workloads.iter().any(|workload| workload.selected.is_bound),
        Profile::Proposal | Profile::Aso => true,
        Profile::Stackable => false,
    };
    if !has_status {
        return Vec::new();
    }
    let subject = |Candidate {
                       kind,
                       doc,
                       observed,
                       metadata,
                   }: Candidate<'_>| {
        let doc = observed.unwrap_or(doc);
        SelectableResource {
            kind,
            namespace: metadata.namespace.as_deref().unwrap_or_default().to_owned(),
            name: metadata.name.to_string(),
            is_deleting: metadata.deletion_timestamp.is_some(),
            doc,
            status: document::find(run.documents, doc)
                .map(observed_status::status_of)
                .unwrap_or_default(),
        }
    };
    let subjects = run.cluster.candidates().map(subject).collect();
    status::resources(subjects, workloads, run.options, |doc| {
        manifest(run.documents, doc)
    })
}
