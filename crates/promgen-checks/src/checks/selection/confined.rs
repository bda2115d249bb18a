//! Monitors that look into their own namespace alone, whatever they say: all workloads that select them ignore it.

use promgen_model::monitors::Monitor;
use promgen_model::servers::{ServerSpec, confinement};
use std::collections::BTreeMap;

use promgen_compile::cluster::Cluster;
use promgen_compile::output::WorkloadId;
use promgen_model::model::World;
use promgen_resources::api::Kind;
use promgen_targets::resolve::Confinement;
use promgen_text::route::{At, DocId};

/// A workload that ignores the namespace selectors of monitors.
#[derive(Clone, Debug)]
pub(super) struct Confiner {
    /// `Prometheus monitoring/k8s`
    pub(super) what: String,
    /// The place of the field.
    pub(super) place: At,
}

/// The monitors that workloads select, each with a workload that confines it; `None` if one does not.
#[derive(Default)]
pub(super) struct ConfinedMonitors(BTreeMap<DocId, Option<Confiner>>);

impl ConfinedMonitors {
    /// Asks all workloads.
    pub(super) fn of(model: &World<'_>) -> Self {
        let (mut found, cluster) = (Self::default(), model.cluster());
        // Most have none.
        if !model
            .workloads
            .iter()
            .any(|workload| confinement(cluster, &workload.id) != Confinement::None)
        {
            return found;
        }
        for workload in model.workloads.iter().filter(|of| !of.is_stand_in) {
            let confiner = confiner(cluster, &workload.id);
            for (kind, resource) in workload.selected.accepted() {
                let monitor = Kind::named(kind)
                    .and_then(|kind| Monitor::find(cluster, kind, &resource.key()));
                let Some(monitor) = monitor else { continue };
                let known = found
                    .0
                    .entry(monitor.doc())
                    .or_insert_with(|| confiner.clone());
                if confiner.is_none() {
                    *known = None;
                }
            }
        }
        found
    }

    /// The workload that confines a monitor.
    pub(super) fn by(&self, monitor: DocId) -> Option<&Confiner> {
        self.0.get(&monitor)?.as_ref()
    }

    /// The namespaces that a monitor may look into.
    pub(super) fn confinement(&self, monitor: DocId) -> Confinement {
        self.by(monitor)
            .map_or(Confinement::None, |_| Confinement::OwnNamespace)
    }
}

fn confiner(cluster: &Cluster, id: &WorkloadId) -> Option<Confiner> {
    let server = ServerSpec::find(cluster, id.kind, &id.key())?;
    (server.confinement() == Confinement::OwnNamespace).then(|| Confiner {
        what: id.what(),
        place: server.spec().key("ignoreNamespaceSelectors"),
    })
}
