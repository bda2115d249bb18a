//! Drift: what a cluster holds, compared with what its manifests give, and why it differs.
//!
//! In: the manifests, compiled; the custom resources of a dump of the cluster, compiled; the dump itself. Out: [`Drift`]. Three
//! trees are compared: what differs between the manifests and the resources of the cluster is not applied, or made by hand; what
//! differs between these and the objects of the operator is the operator's delay, its release, or made by hand. The evidence
//! names the fact that decides. Values of Secrets are compared, and not shown.

pub(crate) mod dump;
pub mod evidence;
pub mod resources;

mod defaults;
mod left_over;
mod live;
mod managers;
mod objects;
mod payload;

use std::collections::{BTreeMap, BTreeSet};

use crate::diff::listed::Listed;
use crate::diff::value::Shades;
use crate::diff::{Changes, WorkloadChanges};
use dump::{Dump, Wanted};
use evidence::{DriftClass, DumpFacts, Evidence};
use promgen_compile::output::{Output, Workload, WorkloadId};
use promgen_targets::discovery::Discovery;
use resources::{OnlyInCluster, ResourceDrift, Resources};

pub use left_over::LeftOver;

changes! {
    /// The differences between a cluster and its manifests.
    #[derive(Default)]
    Drift {
        /// The scope of the comparison.
        compared: ComparedCount,
        /// The number of differences of each class, each for one reason.
        classes: BTreeMap<DriftClass, usize>,
        /// The differences of the objects that the operator writes, from the cluster to what its resources give.
        objects: Vec<WorkloadDrift>,
        /// The custom resources that differ, from the cluster to the manifests.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        resources: Listed<ResourceDrift>,
        /// The changes by applying the manifests.
        applying: Vec<WorkloadChanges>,
        /// Objects of the operator that no resource gives.
        #[serde(skip_serializing_if = "Listed::is_empty")]
        left_over: Listed<LeftOver>,
        /// Resources of the cluster that no manifest has. They count as they are.
        only_in_cluster: Vec<OnlyInCluster>,
        /// The part that was not compared.
        skipped: Skipped,
    }

    /// The amount that was compared.
    #[derive(Copy, Default)]
    ComparedCount {
        /// Workloads.
        workloads: usize,
        /// Objects that the operator writes.
        objects: usize,
        /// Custom resources.
        resources: usize,
    }

    /// The part that was not compared, because the dump lacks it.
    #[derive(Default)]
    Skipped {
        /// Kinds of objects and resources.
        kinds: BTreeSet<&'static str> as "Vec<String>",
        /// Namespaces.
        namespaces: BTreeSet<String> as "Vec<String>",
        /// Workloads for which the operator writes nothing: they are paused.
        paused: BTreeSet<String> as "Vec<String>",
    }

    /// The differences of a workload, for one reason.
    WorkloadDrift {
        /// Why.
        #[serde(flatten)]
        evidence: Evidence,
        /// From the cluster to what its resources give.
        #[serde(flatten)]
        changes: WorkloadChanges,
    }
}

impl Drift {
    /// Returns whether nothing differs.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.objects.is_empty()
            && self.resources.is_empty()
            && self.left_over.is_empty()
            && self.applying.is_empty()
    }
}

/// The compiled resources of one side.
#[derive(Clone, Copy)]
pub(crate) struct CompiledTree<'a> {
    /// Without values of Secrets.
    pub(crate) shown: &'a Output,
    /// With them.
    pub(crate) revealed: &'a Output,
}

/// The two sides of a comparison.
pub(crate) struct Question<'a> {
    /// The resources of the cluster.
    pub(crate) cluster: CompiledTree<'a>,
    /// The manifests.
    pub(crate) manifests: CompiledTree<'a>,
    /// The resources of the manifests alone, as they are written.
    pub(crate) wanted: &'a [Wanted],
    /// The objects of the cluster.
    pub(crate) dump: &'a Dump,
    /// The objects that targets are discovered from.
    pub(crate) discovery: &'a Discovery,
    /// From the resources of the cluster to the manifests.
    pub(crate) changes: Changes,
    /// The values that are not shown.
    pub(crate) shades: &'a Shades,
}

/// Compares a cluster with its manifests.
pub(crate) fn drift(question: Question<'_>) -> Drift {
    let dump = question.dump;
    let Resources {
        n_compared,
        classes,
        drifts,
        only_in_cluster,
    } = resources::compare(question.wanted, dump, question.shades);
    let mut drift = Drift {
        classes,
        resources: drifts,
        only_in_cluster,
        ..Drift::default()
    };
    drift.compared.resources = n_compared;
    for Wanted {
        key: (kind, namespace, _),
        ..
    } in question.wanted
    {
        if !dump.has_kind(*kind) {
            drift.skipped.kinds.insert(kind.as_str());
        } else if !dump.has_namespace(namespace) {
            drift.skipped.namespaces.insert(namespace.clone());
        }
    }
    let given = question.manifests.revealed.workloads.iter();
    for manifests in given.filter(|workload| is_written(workload, question.wanted)) {
        if !dump.has_namespace(&manifests.id.namespace) {
            drift
                .skipped
                .namespaces
                .insert(manifests.id.namespace.clone());
            continue;
        }
        workload(&question, manifests, &mut drift);
    }
    for found in &drift.objects {
        *drift.classes.entry(found.evidence.class).or_default() += 1;
    }
    drift.left_over = left_over::find(&question);
    if !drift.left_over.is_empty() {
        drift
            .classes
            .insert(DriftClass::LeftOver, drift.left_over.total);
    }
    drift.applying = applying(question.changes);
    drift
}

/// Returns whether the manifests have the resource of a workload, rather than the cluster alone.
fn is_written(workload: &Workload, wanted: &[Wanted]) -> bool {
    let WorkloadId {
        kind,
        namespace,
        name,
    } = &workload.id;
    wanted.iter().any(|Wanted { key, .. }| {
        Some(key.0) == kind.resource() && key.1 == *namespace && key.2 == *name
    })
}

/// Compares the objects of a workload.
fn workload(question: &Question<'_>, manifests: &Workload, drift: &mut Drift) {
    let find = |output: &'_ Output| {
        output
            .workloads
            .iter()
            .position(|workload| workload.id == manifests.id)
    };
    let CompiledTree { shown, revealed } = question.cluster;
    // The cluster does not have the resource yet.
    let (Some(at), Some(of_shown)) = (find(revealed), find(shown)) else {
        return;
    };
    let cluster = &revealed.workloads[at];
    if cluster.is_paused() {
        drift.skipped.paused.insert(cluster.id.to_string());
        return;
    }
    let facts = DumpFacts::of(cluster, question.dump);
    let (all, dump) = (revealed.workloads.as_slice(), question.dump);
    let sides = objects::DriftSides {
        cluster,
        manifests: Some(manifests),
        all,
        dump,
        facts: &facts,
    };
    let compared = objects::compare(&sides);
    drift
        .skipped
        .kinds
        .extend(compared.lacking.iter().map(|kind| kind.as_str()));
    drift.compared.workloads += usize::from(compared.n_objects > 0);
    drift.compared.objects += compared.n_objects;
    let expected = live::Expected {
        revealed: cluster,
        shown: &shown.workloads[of_shown],
        discovery: question.discovery,
        sources: &shown.sources,
        shades: question.shades,
    };
    drift.objects.extend(live::drifts(&expected, compared));
}

/// The changes of applying the manifests: the fields of the resources themselves are among the resources.
fn applying(changes: Changes) -> Vec<WorkloadChanges> {
    let stripped = |mut workload: WorkloadChanges| {
        (workload.fields, workload.status) = (Listed::default(), Listed::default());
        (!workload.says_nothing()).then_some(workload)
    };
    changes.workloads.into_iter().filter_map(stripped).collect()
}
