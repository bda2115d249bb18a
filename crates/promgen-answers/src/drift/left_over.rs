//! Objects of the operator that no resource gives.
//!
//! In: the dump, and both trees. Out: objects that a workload owns and that neither side gives: shards that were scaled down,
//! further rule files, objects of a workload that is gone.

use crate::drift::dump::kind_and_name;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diff::listed::Listed;
use crate::drift::Question;
use crate::drift::dump::{DumpKey, WRITTEN};
use crate::drift::evidence::{DriftClass, Evidence};
use promgen_compile::output::{Output, WorkloadId, WorkloadKind};
use promgen_text::CollectOrdered;
use promgen_text::yaml::Value;

/// The deadline of a shard that the operator retains.
const DEADLINE: &str = "operator.prometheus.io/deletion-deadline";

changes! {
    /// An object that the operator wrote for something that is gone.
    LeftOver {
        /// Why it is there.
        #[serde(flatten)]
        evidence: Evidence,
        /// Kind, namespace and name.
        object: String,
        /// The workload that owns it.
        workload: String,
    }
}

/// Finds the objects.
pub(super) fn find(question: &Question<'_>) -> Listed<LeftOver> {
    let (cluster, manifests) = (question.cluster.revealed, question.manifests.revealed);
    let (of_cluster, of_manifests) = (given(cluster), given(manifests));
    let mut found = Listed::default();
    for (key, object) in question
        .dump
        .objects()
        .filter(|((kind, ..), _)| WRITTEN.contains(kind))
    {
        if of_cluster.contains(key) {
            continue;
        }
        let owners = owners(object, &key.1);
        let Some(owner) = owners.first() else {
            continue;
        };
        let has = |output: &Output, id: &WorkloadId| {
            output.workloads.iter().any(|workload| workload.id == *id)
        };
        // Paused workloads give nothing, and keep what they have.
        let paused = |id: &WorkloadId| {
            cluster
                .workloads
                .iter()
                .any(|w| w.id == *id && w.is_paused())
        };
        if owners.iter().any(paused) {
            continue;
        }
        let text = match object
            .get("metadata")
            .and_then(|m| m.get("annotations")?.get(DEADLINE)?.as_str())
        {
            Some(deadline) => format!("the operator retains it until {deadline}"),
            None if !owners.iter().any(|owner| has(cluster, owner)) => {
                format!("there is no {owner}")
            }
            // What is to come is not left over.
            None if of_manifests.contains(key) => continue,
            None => "neither the resources of the cluster nor the manifests give it".to_owned(),
        };
        let (kind, namespace, name) = key;
        found.push(LeftOver {
            evidence: Evidence::new(DriftClass::LeftOver, text),
            object: format!("{}/{namespace}/{name}", kind.as_str()),
            workload: owner.to_string(),
        });
    }
    found
}

/// The objects that the workloads of an output give.
fn given(output: &Output) -> BTreeSet<DumpKey> {
    let of_workload = |workload: &Arc<promgen_compile::output::Workload>| {
        let namespace = workload.id.namespace.clone();
        let keys = workload.objects.iter().filter_map(|object| {
            let (kind, name) = kind_and_name(object, &WRITTEN)?;
            Some((kind, namespace.clone(), name))
        });
        keys.collect::<Vec<_>>()
    };
    output.workloads.iter().flat_map(of_workload).collect_set()
}

/// The workloads that own an object.
fn owners(object: &Value, namespace: &str) -> Vec<WorkloadId> {
    let references = object
        .get("metadata")
        .and_then(|metadata| metadata.get("ownerReferences"))
        .and_then(Value::as_seq);
    let owner = |reference: &Value| {
        let text = |key: &str| reference.text_of(key);
        let is_operators = text("apiVersion")?.starts_with("monitoring.coreos.com/");
        let kind = WorkloadKind::ALL
            .into_iter()
            .find(|kind| Some(kind.kind()) == text("kind"))?;
        let name = text("name")?.to_owned();
        is_operators.then(|| WorkloadId {
            kind,
            namespace: namespace.to_owned(),
            name,
        })
    };
    references
        .unwrap_or_default()
        .iter()
        .filter_map(owner)
        .collect()
}
