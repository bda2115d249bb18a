//! Whether what is written leads anywhere: from workloads to monitors, from monitors to services and pods.
//!
//! An input is rarely the whole cluster. So nothing is said of a kind that no workload of the input selects, nor of
//! services and pods where the input holds none; and what may exist elsewhere is a warning only where something of the
//! input comes so near that a slip is likely, and else an info.

mod chosen;
mod namespaces;
mod pods;
mod ports;
mod services;

use crate::checks::{Family, Model};
use promgen_text::diag::Sink;

/// The family.
pub(super) static FAMILY: Family = Family {
    rules: &[
        &chosen::UNSELECTED,
        &chosen::EMPTY_SELECTION,
        &chosen::SELECTED_TWICE,
        &ports::UNKNOWN_PORT,
        &services::UNMATCHED_SELECTOR,
        &pods::NO_PODS,
        &ports::UNKNOWN_TARGET_PORT,
        &namespaces::UNKNOWN_NAMESPACE,
    ],
    check,
};

fn check(model: &Model<'_>, sink: &mut Sink) {
    chosen::check(model, sink);
    services::check(model, sink);
    namespaces::check(model, sink);
}

#[cfg(test)]
mod tests;
