//! Checks on how workloads run: storage, memory, and plain-text secrets.
//!
//! Other modules report what the API server and the operator refuse. Most findings here depend on the cluster, so their
//! level is info unless data or secrets are at risk.

mod address;
mod arguments;
mod configuration;
mod files;
mod given;
mod image;
mod line_break;
mod memory;
mod replicas;
mod retention;
mod scheduling;
mod start;
pub(super) mod storage;
mod zone_spread;

use std::collections::BTreeMap;

use crate::checks::Family;
use promgen_compile::output::{Workload, WorkloadId};
use promgen_model::model::World;
use promgen_model::plain_secrets::{self};
use promgen_model::running::{RunningWorkload, all};
use promgen_resources::document;
use promgen_text::CollectOrdered;
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        storage::RULES,
        memory::RULES,
        replicas::RULES,
        retention::RULES,
        plain_secrets::RULES,
        files::RULES,
        image::RULES,
        address::RULES,
        arguments::RULES,
        zone_spread::RULES,
        line_break::RULES,
        start::RULES,
        scheduling::RULES,
    ],
    check,
};

fn check(model: &World<'_>, sink: &mut Sink) {
    let compiled: BTreeMap<&WorkloadId, &Workload> =
        model.workloads.iter().map(|of| (&of.id, *of)).collect_map();
    for running in all(model.cluster()) {
        if let Some(compiled) = compiled.get(&running.id()) {
            zone_spread::check(&running, compiled, sink);
            replicas::idle(&running, compiled, sink);
            start::check(model, &running, compiled, sink);
            scheduling::check(model, &running, compiled, sink);
        }
        configuration::check(model, &running, sink);
        storage::check(model, &running, sink);
        storage::class(model, &running, sink);
        memory::check(&running, sink);
        replicas::alertmanager(&running, sink);
        replicas::queues(&running, sink);
        replicas::negative(&running, sink);
        retention::check(&running, sink);
        plain_secrets::of_workload(&running, sink);
        image::check(model, &running, sink);
        address::check(&running, sink);
        arguments::check(model, &running, sink);
        replicas::same_series(&running, sink);
        replicas::written_series(&running, sink);
    }
    plain_secrets::of_receivers(model.cluster(), sink);
    files::check(model, sink);
    line_break::check(model, sink);
    scheduling::policies(model, sink);
}

/// Returns whether somebody gives a field of a workload, rather than a chart by default: the place of a default is that of the chart.
fn is_given(running: &RunningWorkload<'_>, model: &World<'_>, field: &str) -> bool {
    let Some(document) = document::find(model.documents(), running.doc) else {
        return false;
    };
    let given = document.node.find(&["spec", field]).map(|value| value.span);
    given.is_some() && given != document.origin.release().map(|release| release.place)
}

#[cfg(test)]
mod tests;
