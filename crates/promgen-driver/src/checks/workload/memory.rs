//! What memory is set aside.

use std::collections::BTreeMap;

use crate::checks::workload::Running;
use promgen_resources::api::core::ResourceRequirements;
use promgen_resources::api::scalar::Quantity;
use promgen_text::diag::{Diagnostic, Sink, rule};

rule! {
    /// ## What it does
    /// Finds servers and agents whose main container says neither by `resources` of the workload, nor in a patch of the container
    /// `prometheus`, how much memory it needs.
    ///
    /// ## Why is this bad?
    /// The scheduler takes the pod for one that needs nothing, and it is the first to go when its node runs out of memory. It
    /// may be right in a namespace where a LimitRange sets what is missing.
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
    /// Operator: Alertmanagers and ThanosRulers ask for 200Mi by default, servers and agents for nothing.
    pub(super) static NO_MEMORY_REQUEST = "PG512" "no-memory-request" {
        summary: "a server or agent for which no memory is set aside", level: Info, since: "0.1.0",
    }
}

/// Looks for memory.
pub(super) fn check(running: &Running<'_>, sink: &mut Sink) {
    let Some(common) = running.common() else { return };
    let patches = common.containers.iter().flatten().filter(|container| container.name == "prometheus");
    let mut resources = patches.map(|container| &container.resources).chain([&common.resources]).flatten();
    if resources.any(has_memory) {
        return;
    }
    let message = format!("{} asks for no memory", running.what());
    let diagnostic = Diagnostic::new(&NO_MEMORY_REQUEST, running.at().key("resources"), message);
    sink.report(diagnostic.help("set `resources.requests.memory`, unless a LimitRange of the namespace does"));
}

/// Whether memory is asked for. A limit is a request where there is none.
fn has_memory(resources: &ResourceRequirements) -> bool {
    let has =
        |amounts: &Option<BTreeMap<String, Quantity>>| amounts.iter().any(|amounts| amounts.contains_key("memory"));
    has(&resources.requests) || has(&resources.limits)
}
