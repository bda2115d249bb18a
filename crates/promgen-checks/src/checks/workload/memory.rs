//! Memory requests.

use std::collections::BTreeMap;

use promgen_model::running::RunningWorkload;
use promgen_resources::api::core::ResourceRequirements;
use promgen_resources::api::scalar::Quantity;
use promgen_text::diag::{Diagnostic, Sink, rules};

rules! {
    /// ## What it does
    /// Finds servers and agents whose main container has no memory request, neither in `resources` of the workload nor in a
    /// patch of the container `prometheus`.
    ///
    /// ## Why is this bad?
    /// The scheduler reserves no memory for the pod, and the pod is the first to be evicted when its node runs out of memory.
    /// Ignore this if a LimitRange of the namespace sets a default.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec: {}
    /// ```
    /// Use instead:
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1
    /// kind: Prometheus
    /// metadata: {name: k8s}
    /// spec:
    ///   resources: {requests: {memory: 2Gi}}
    /// ```
    ///
    /// ## Source
    /// Operator: Alertmanagers and ThanosRulers request 200Mi by default, servers and agents request nothing.
    NO_MEMORY_REQUEST = "PG512" "no-memory-request" Info: "a server or agent without a memory request";
}

/// Checks for a memory request.
pub(super) fn check(running: &RunningWorkload<'_>, sink: &mut Sink) {
    let Some(common) = running.common() else {
        return;
    };
    let patches = common
        .containers
        .iter()
        .flatten()
        .filter(|container| container.name == "prometheus");
    let mut resources = patches
        .map(|container| &container.resources)
        .chain([&common.resources])
        .flatten();
    if resources.any(has_memory) {
        return;
    }
    let message = format!("{} has no memory request", running.what());
    let diagnostic = Diagnostic::new(&NO_MEMORY_REQUEST, running.at().key("resources"), message);
    sink.report(diagnostic.help(
        "set `resources.requests.memory`, unless a LimitRange of the namespace sets a default",
    ));
}

/// Returns whether memory is requested. A limit is the default of the request.
fn has_memory(resources: &ResourceRequirements) -> bool {
    let has = |amounts: &Option<BTreeMap<String, Quantity>>| {
        amounts.iter().any(|amounts| amounts.contains_key("memory"))
    };
    has(&resources.requests) || has(&resources.limits)
}
