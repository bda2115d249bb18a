//! The map of a cluster in the page: each box leads to its part, and has the color of what the page says of it.

use crate::cli::map::{self, MapPart};
use crate::cli::write::page::names::Names;
use crate::cli::write::page::workload::WorkloadPart;
use promgen_answers::map::{FlowBox, FlowMap, FlowSubject};
use promgen_compile::output::WorkloadId;

/// The map, one box for each namespace. `None` without a workload.
pub(super) fn part(whole: &FlowMap, workloads: &[WorkloadPart], names: &Names) -> Option<MapPart> {
    let is_workload = |known: &FlowBox| matches!(known.subject, FlowSubject::Workload(_));
    if !whole.boxes.iter().any(is_workload) {
        return None;
    }
    let tone = |id: &WorkloadId| {
        let link = names.id(&id.to_string());
        workloads
            .iter()
            .find(|part| part.link() == link)
            .map_or("", WorkloadPart::tone)
    };
    let look = |known: &FlowBox| match &known.subject {
        FlowSubject::Workload(id) => (names.id(&id.to_string()), tone(id)),
        FlowSubject::Namespace(_, _, false) => (names.id("cluster-unselected"), map::tone(known)),
        FlowSubject::Namespace(_, namespace, true) | FlowSubject::Resource(_, namespace, _) => {
            (format!("?q={namespace}%2F"), map::tone(known))
        }
        FlowSubject::Dashboard(..) => (String::new(), map::tone(known)),
        FlowSubject::Receiver(..) | FlowSubject::Nobody => {
            (names.id("cluster-alerts"), map::tone(known))
        }
    };
    Some(MapPart::of(
        &whole.without_configurations().by_namespace(),
        &look,
    ))
}
