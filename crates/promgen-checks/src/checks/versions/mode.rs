//! The mode of agents.

use promgen_model::model::World;
use promgen_resources::api::DaemonSetMode;
use promgen_resources::gates;
use promgen_text::diag::{Diagnostic, Sink, rules};
use promgen_text::route::At;

rules! {
    /// ## What it does
    /// Finds PrometheusAgents in DaemonSet mode while the operator's feature gate for it is off, which is the default. PG014
    /// reports the fields that the CRD forbids in that mode.
    ///
    /// ## Why is this bad?
    /// The operator ignores the mode and creates a StatefulSet. If the gate is enabled in the operator, set
    /// `--feature-gates`.
    ///
    /// ## Example
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: nodes}
    /// spec:
    ///   mode: DaemonSet
    ///   podMonitorSelector: {}
    /// ```
    /// Use instead: StatefulSet mode, or the feature gate.
    /// ```yaml
    /// apiVersion: monitoring.coreos.com/v1alpha1
    /// kind: PrometheusAgent
    /// metadata: {name: nodes}
    /// spec:
    ///   mode: StatefulSet
    ///   podMonitorSelector: {}
    /// ```
    IGNORED_MODE = "PG306" "ignored-mode" Warning: "an agent in DaemonSet mode without the feature gate";
}

/// Checks every agent.
pub(super) fn check(model: &World<'_>, sink: &mut Sink) {
    let gate = &gates::AGENT_DAEMON_SET;
    if model.options().target.enabled(gate) {
        return;
    }
    for agent in model.cluster().prometheus_agents.values() {
        if agent.value.spec.mode == Some(DaemonSetMode::DaemonSet) {
            let at = At::spec(agent.doc).key("mode");
            let message = format!(
                "`mode: DaemonSet` has no effect: the feature gate {} is off",
                gate.name
            );
            let help = format!(
                "enable it in the operator, and set it for promgen: `--feature-gates {}=true`",
                gate.name
            );
            sink.report(Diagnostic::new(&IGNORED_MODE, at, message).help(help));
        }
    }
}
