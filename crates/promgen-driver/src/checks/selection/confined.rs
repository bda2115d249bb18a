//! Monitors that look into their own namespace alone, whatever they say: all workloads that select them ignore it.

use std::collections::BTreeMap;

use crate::checks::View;
use promgen_compile::cluster::Cluster;
use promgen_compile::output::{WorkloadId, WorkloadKind};
use promgen_resources::api::servers::common::CommonPrometheusFields;
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
    pub(super) fn of(model: &View<'_>) -> Self {
        let mut found = Self::default();
        // Most have none.
        if !model
            .workloads
            .iter()
            .any(|workload| confinement(model.cluster, &workload.id) != Confinement::None)
        {
            return found;
        }
        for workload in model
            .workloads
            .iter()
            .filter(|workload| !workload.is_stand_in)
        {
            let confiner = confiner(model.cluster, &workload.id);
            for kind in &workload.selected.kinds {
                for resource in kind
                    .resources
                    .iter()
                    .filter(|resource| resource.refusal.is_none())
                {
                    let key = format!("{}/{}", resource.namespace, resource.name);
                    let monitor = match kind.kind {
                        "ServiceMonitor" => model
                            .cluster
                            .service_monitors
                            .get(key.as_str())
                            .map(|of| of.doc),
                        "PodMonitor" => model
                            .cluster
                            .pod_monitors
                            .get(key.as_str())
                            .map(|of| of.doc),
                        _ => None,
                    };
                    let Some(monitor) = monitor else { continue };
                    let known = found.0.entry(monitor).or_insert_with(|| confiner.clone());
                    if confiner.is_none() {
                        *known = None;
                    }
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

/// The fields of a Prometheus or agent, and its document.
fn common<'m>(
    cluster: &'m Cluster,
    id: &WorkloadId,
) -> Option<(&'m CommonPrometheusFields, DocId)> {
    let key = format!("{}/{}", id.namespace, id.name);
    match id.kind {
        WorkloadKind::Prometheus => cluster
            .prometheuses
            .get(key.as_str())
            .map(|object| (&object.value.spec.common, object.doc)),
        WorkloadKind::PrometheusAgent => cluster
            .prometheus_agents
            .get(key.as_str())
            .map(|object| (&object.value.spec.common, object.doc)),
        WorkloadKind::Alertmanager | WorkloadKind::ThanosRuler => None,
    }
}

/// The namespaces that a workload lets its monitors look into.
pub(super) fn confinement(cluster: &Cluster, id: &WorkloadId) -> Confinement {
    common(cluster, id).map_or(Confinement::None, |(common, _)| Confinement::of(common))
}

fn confiner(cluster: &Cluster, id: &WorkloadId) -> Option<Confiner> {
    let (common, doc) = common(cluster, id)?;
    let place = At::doc(doc).key("spec").key("ignoreNamespaceSelectors");
    let what = format!("{} {}/{}", id.kind.kind(), id.namespace, id.name);
    (Confinement::of(common) == Confinement::OwnNamespace).then_some(Confiner { what, place })
}
